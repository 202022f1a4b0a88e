package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNothingThatSendsReadsNotes lists the sources with a statement on the table of notes, and those that call the functions
// which read it. A note is never sent to a customer, because nothing that sends reads one.
func TestNothingThatSendsReadsNotes(t *testing.T) {
	for _, test := range []struct {
		what    string
		pattern string
		allowed []string
	}{
		{"statements on notes", `(?i)\b(FROM|JOIN|INTO|UPDATE|TABLE)\s+notes\b`, []string{"internal/talk/contact_sql.go", "internal/talk/note_sql.go", "internal/talk/timeline_sql.go"}},
		{"callers that read notes", `[^)] (findNote|listNotes|noteWithClientID|selectNote)\(`, []string{"internal/talk/note.go", "internal/talk/note_sql.go", "internal/talk/timeline.go"}},
	} {
		if found := sourcesWith(t, regexp.MustCompile(test.pattern)); !slices.Equal(found, test.allowed) {
			t.Errorf("%s are in %v, want %v", test.what, found, test.allowed)
		}
	}
}

// sourcesWith returns the paths of the sources of the program that contain a pattern, in order.
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
