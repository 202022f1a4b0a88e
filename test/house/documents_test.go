package house

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	namedFile     = regexp.MustCompile("`((?:[a-z]+/)+[a-z_]*\\.go)`")
	namedFunction = regexp.MustCompile("`(?:[A-Za-z]+\\.)?([A-Za-z]+)`\\s+in\\s+`((?:[a-z]+/)+[a-z_]+\\.go)`")
)

// TestTheDocumentsNameCodeThatExists checks the documents about the code: the files named in them exist, and if a document
// says that a function or type is in a file, the file declares it.
func TestTheDocumentsNameCodeThatExists(t *testing.T) {
	found := 0
	for _, name := range []string{"architecture.md", "contributing.md", "decisions.md", "scaling.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedFile.FindAllSubmatch(text, -1) {
			found++
			if _, err := os.Stat(codeFile(string(m[1]))); err != nil {
				t.Errorf("docs/%s names %s, which does not exist", name, m[1])
			}
		}
		for _, m := range namedFunction.FindAllSubmatch(text, -1) {
			source, err := os.ReadFile(codeFile(string(m[2])))
			if err != nil {
				continue // reported above
			}
			declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |var |const |\t)` + string(m[1]) + `\b`)
			if !declared.Match(source) {
				t.Errorf("docs/%s says that %s is in %s, which does not declare it", name, m[1], m[2])
			}
		}
	}
	if found < 30 {
		t.Errorf("got %d file names in the documents, want at least 30: this test reads the wrong folder", found)
	}
}

// codeFile returns the path of a file named in a document, relative to the module or to internal.
func codeFile(name string) string {
	path := filepath.Join("..", "..", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		return filepath.Join("..", "..", "internal", filepath.FromSlash(name))
	}
	return path
}
