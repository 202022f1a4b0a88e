package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNothingThatSendsReadsNotes checks which files contain statements on the notes table or call the functions that read
// it. Notes are never sent to customers, because no code that sends messages reads notes.
func TestNothingThatSendsReadsNotes(t *testing.T) {
	for _, test := range []struct {
		what    string
		pattern string
		allowed []string
	}{
		{"statements on notes", `(?i)\b(FROM|JOIN|INTO|UPDATE|TABLE)\s+notes\b`, []string{"internal/talk/contact_sql.go", "internal/talk/import.go", "internal/talk/note_sql.go", "internal/talk/timeline_sql.go"}},
		{"callers that read notes", `[^)] (findNote|listNotes|noteWithClientID|selectNote)\(`, []string{"internal/talk/note.go", "internal/talk/note_sql.go", "internal/talk/timeline.go"}},
	} {
		if found := sourcesWith(t, regexp.MustCompile(test.pattern)); !slices.Equal(found, test.allowed) {
			t.Errorf("%s: got %v, want %v", test.what, found, test.allowed)
		}
	}
}

// sourcesWith returns the sorted paths of the files under internal and cmd, without tests, that match a pattern.
func sourcesWith(t *testing.T, pattern *regexp.Regexp) []string {
	t.Helper()
	var found []string
	for _, file := range sources(t) {
		if file.test || !strings.HasPrefix(file.path, "internal/") && !strings.HasPrefix(file.path, "cmd/") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file.path)))
		if err != nil {
			t.Fatal(err)
		}
		if pattern.Match(raw) {
			found = append(found, file.path)
		}
	}
	slices.Sort(found)
	return found
}
