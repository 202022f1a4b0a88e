package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheClientsOfTheGuideAreNotTriedWithoutABlockOfIt(t *testing.T) {
	script, err := os.ReadFile("../../scripts/api-clients")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	// With "```" at the ends of lines, every second part is a block.
	parts := strings.Split("\n"+string(page), "\n```")
	root := t.TempDir()
	for _, dir := range []string{"scripts", "docs"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(root, "scripts", "api-clients")
	if err := os.WriteFile(program, script, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(parts); i += 2 {
		language, _, _ := strings.Cut(parts[i], "\n")
		without := strings.Join(parts[:i], "\n```") + strings.Join(parts[i+1:], "\n```")
		if err := os.WriteFile(filepath.Join(root, "docs", "clients.md"), []byte(without), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "bash", program, "--as-written", "false").CombinedOutput()
		if err == nil || !strings.Contains(string(out), "has no block") || !strings.Contains(string(out), " of "+language) {
			t.Errorf("without block %d, of %s: error %v, printed %q; want that the block is missing", (i+1)/2, language, err, out)
		}
	}
}
