package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Clients are generated in bin while linters run beside that.
func TestGoToolsDoNotSeeWhatIsInBin(t *testing.T) {
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	sources := map[string]string{"go.mod": string(module), "seen/seen.go": "package seen\n", "bin/clients/made/made.go": "package made\n"}
	for name, text := range sources {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := exec.CommandContext(t.Context(), "go", "list", "./...")
	list.Dir = root
	got, err := list.Output()
	if want := "recado/seen\n"; err != nil || string(got) != want {
		t.Errorf("go list gives %q, %v; want %q", got, err, want)
	}
}
