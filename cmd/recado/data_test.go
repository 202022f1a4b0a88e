package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"recado/internal/vault"
	"recado/test/kerneltest"
)

const someID = "01890a5d-ac96-774b-bcce-b302099a8057"

func TestOnlyCommandsThatStartAnInstallationMakeADataFolder(t *testing.T) {
	commands := [][]string{
		{"company", "list"},
		{"user", "list"},
		{"user", "create", "--company", someID, "--name", "Ana", "--email", "ana@clara.example"},
		{"user", "set-password", "--company", someID, "--email", "ana@clara.example"},
		{"key", "create", "--company", someID, "--name", "CRM", "--scopes", "all"},
		{"key", "list", "--company", someID},
		{"key", "revoke", "--company", someID, someID},
		{"channel", "list", "--company", someID},
		{"channel", "add", "--company", someID, "--name", "Box", "--provider", "sandbox", "--phone", "+5511912345678"},
		{"channel", "test", "--company", someID, someID},
		{"channel", "notices", "--company", someID, someID},
		{"channel", "disconnect", "--company", someID, someID},
		{"channel", "connect", "--company", someID, someID},
		{"user", "reset-link", "--email", "ana@clara.example"},
		{"user", "disable-two-factor", "--email", "ana@clara.example"},
		{"report", "rebuild"},
		{"secret-key", "rotate"},
		{"secret-key", "retire"},
		{"secret-key", "replace-lost"},
		{"backup", filepath.Join(t.TempDir(), "copy.tar")},
		{"move", "--to", "postgres://localhost/none"},
		{"export", filepath.Join(t.TempDir(), "export")},
		{"import", "chatwoot", "--from", "postgres://localhost/none", "--account", "1", "--channel", "1=" + someID},
	}
	t.Run("every other command is tried", func(t *testing.T) {
		start := []string{"serve", "restore", "import dir", "company create"} // move makes the folder that it moves to
		for _, leaf := range leaves(t) {
			tried := slices.ContainsFunc(commands, func(args []string) bool { return strings.HasPrefix(strings.Join(args, " "), leaf.Path()) })
			if hasFlag(leaf, "data") && !tried && !slices.Contains(start, leaf.Path()) {
				t.Errorf("recado %s is not tried", leaf.Path())
			}
		}
	})
	t.Run("on SQLite", func(t *testing.T) {
		for _, args := range commands {
			dir := filepath.Join(t.TempDir(), "wrong")
			code, _, stderr := recado(t, map[string]string{"RECADO_DATA": dir}, args...)
			if code != 1 || !strings.Contains(stderr, "there is no Recado data in "+dir) {
				t.Errorf("%v: exit %d %s", args, code, stderr)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v made the folder", args)
			}
		}
	})
	t.Run("an empty folder stays empty", func(t *testing.T) {
		dir := t.TempDir()
		if code, _, _ := recado(t, nil, "company", "list", "--data", dir); code != 1 {
			t.Errorf("exit %d", code)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("entries: %v, %v", entries, err)
		}
	})
	t.Run("on PostgreSQL a command with the key in the setting needs no folder", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "none")
		vars := map[string]string{"RECADO_DATA": dir, "RECADO_DATABASE_URL": kerneltest.URL(t)}
		if code, _, stderr := recado(t, vars, "company", "list"); code != 1 || !strings.Contains(stderr, "no Recado data") {
			t.Errorf("without a key: exit %d %s", code, stderr)
		}
		vars["RECADO_SECRET_KEY"] = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
		if code, _, stderr := recado(t, vars, "company", "list"); code != 0 {
			t.Errorf("with a key: exit %d %s", code, stderr)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Error("the folder was made")
		}
	})
}

// leaves are the commands that do something.
func leaves(t *testing.T) []*kong.Node {
	t.Helper()
	parser, err := kong.New(&cli{}, kong.Name("recado"))
	if err != nil {
		t.Fatal(err)
	}
	return parser.Model.Leaves(true)
}

func hasFlag(node *kong.Node, name string) bool {
	return slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == name })
}

func TestARestoreSaysThatTheSecretKeyIsMissing(t *testing.T) {
	dir, fresh := t.TempDir(), t.TempDir()
	if code, _, stderr := recado(t, nil, "company", "create", "Casa Clara", "--data", dir); code != 0 {
		t.Fatal(stderr)
	}
	file := filepath.Join(t.TempDir(), "copy.tar")
	if code, _, stderr := recado(t, nil, "backup", "--without-secret-key", "--data", dir, file); code != 0 {
		t.Fatal(stderr)
	}
	code, out, stderr := recado(t, nil, "restore", "--data", fresh, file)
	if code != 0 || !strings.Contains(out, filepath.Join(fresh, vault.FileName)) {
		t.Fatalf("exit %d %s %s", code, out, stderr)
	}
	copyKey(t, dir, fresh)
	if code, list, stderr := recado(t, nil, "company", "list", "--data", fresh); code != 0 || !strings.Contains(list, "Casa Clara") {
		t.Errorf("with its key: exit %d %s %s", code, list, stderr)
	}
}

// copyKey copies the key file of one data folder into another.
func copyKey(t *testing.T, from, to string) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(from, vault.FileName))
	if err == nil {
		err = os.WriteFile(filepath.Join(to, vault.FileName), key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
