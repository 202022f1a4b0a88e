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

func TestTheGuidesForTheTeamUseTheWordsOfTheApp(t *testing.T) {
	words := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join("..", "..", "web", "src", "locales", "*", "en.json"))
	if err != nil || len(paths) < 5 {
		t.Fatalf("catalogues: %v, %v", paths, err)
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
				t.Errorf("%s: the app has no text %q", name, text)
			}
		}
	}
}

// collect adds the texts of a catalogue, with … in place of what is filled in.
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
