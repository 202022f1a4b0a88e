package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNothingThatSendsReadsNotes names the sources with a statement on the table of notes. A note is never sent to a
// customer, because nothing that sends reads one.
func TestNothingThatSendsReadsNotes(t *testing.T) {
	statement := regexp.MustCompile(`(?i)\b(FROM|JOIN|INTO|UPDATE|TABLE)\s+notes\b`)
	allowed := []string{"internal/store/note.go", "internal/store/timeline.go", "internal/store/contact.go"}
	var found []string
	for _, file := range sources(t) {
		if file.test || !strings.HasPrefix(file.path, "internal/") && !strings.HasPrefix(file.path, "cmd/") {
			continue
		}
		raw, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file.path)))
		if err != nil {
			t.Fatal(err)
		}
		if statement.Match(raw) {
			found = append(found, file.path)
		}
	}
	slices.Sort(found)
	slices.Sort(allowed)
	if !slices.Equal(found, allowed) {
		t.Errorf("statements on notes are in %v, want %v", found, allowed)
	}
}
