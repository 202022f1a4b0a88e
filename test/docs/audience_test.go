package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	gap    = regexp.MustCompile(`\{\{[^}]*\}\}`)
	italic = regexp.MustCompile(`(^|[^*])\*([^*\s][^*]*)\*([^*]|$)`)
)

func TestTheUserGuidesQuoteTextsOfTheApp(t *testing.T) {
	words := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join("..", "..", "web", "src", "locales", "*", "en.json"))
	if err != nil || len(paths) < 5 {
		t.Fatalf("got the catalogues %v, %v, want at least 5", paths, err)
	}
	for _, path := range append(paths, filepath.Join("..", "..", "web", "src", "locales", "en.json")) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var catalogue map[string]any
		if err := json.Unmarshal(raw, &catalogue); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		collect(words, catalogue)
	}
	all := documents(t)
	for _, name := range []string{"docs/answering.md", "docs/managing.md"} {
		for _, m := range italic.FindAllStringSubmatch(all[name], -1) {
			if text := strings.Join(strings.Fields(m[2]), " "); !words[text] {
				t.Errorf("%s quotes %q, which is not a text of the app", name, text)
			}
		}
	}
}

// collect adds the texts of a catalogue to words, with … in place of variables.
func collect(words map[string]bool, catalogue map[string]any) {
	for _, value := range catalogue {
		switch v := value.(type) {
		case string:
			words[gap.ReplaceAllString(v, "…")] = true
		case map[string]any:
			collect(words, v)
		}
	}
}
