package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recado/internal/vault"
	"recado/test/testkit"
)

// names lists the files of a folder.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		out = append(out, entry.Name())
	}
	return out
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBackupKeepsTheNewestArchivesOfAFolder(t *testing.T) {
	dir, folder := t.TempDir(), filepath.Join(t.TempDir(), "backups")
	vars := map[string]string{"RECADO_DATA": dir}
	if code, _, stderr := recado(t, vars, "company", "create", "Casa Clara"); code != 0 {
		t.Fatal(stderr)
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	others := []string{"recado-monday.tar", "recado-20200101T000000Z.tar.part", "other-20200101T000000Z.tar"}
	for _, name := range append(slices.Clone(others), "recado-20200101T000000Z.tar", "recado-20200102T000000Z.tar", "recado-20200103T000000Z.tar") {
		write(t, filepath.Join(folder, name), "old")
	}
	code, out, stderr := recado(t, vars, "backup", "--keep", "2", folder)
	if code != 0 {
		t.Fatal(stderr)
	}
	left := slices.DeleteFunc(names(t, folder), func(name string) bool { return slices.Contains(others, name) })
	if len(left) != 2 || left[0] != "recado-20200103T000000Z.tar" || !strings.Contains(out, left[1]) {
		t.Fatalf("archives: %v, want the newest of the old ones and the new one of %s", left, out)
	}
	testkit.Equal(t, "number of files", len(names(t, folder)), len(others)+2)
	if code, out, stderr := recado(t, nil, "backup", "--check", filepath.Join(folder, left[1])); code != 0 || !strings.Contains(out, "can be restored") {
		t.Errorf("check: exit %d %s %s", code, out, stderr)
	}
	if code, _, stderr := recado(t, nil, "backup", "--check", filepath.Join(folder, left[0])); code != 1 || !strings.Contains(stderr, "not a usable backup") {
		t.Errorf("check of what is no archive: exit %d %s", code, stderr)
	}

	t.Run("a backup that fails removes none", func(t *testing.T) {
		before := names(t, folder)
		write(t, filepath.Join(dir, "recado.db"), strings.Repeat("no database ", 1000))
		for _, tail := range []string{"-wal", "-shm"} {
			_ = os.Remove(filepath.Join(dir, "recado.db"+tail))
		}
		code, _, stderr := recado(t, vars, "backup", "--keep", "1", folder)
		if code != 1 || !strings.Contains(stderr, "is damaged") || !strings.Contains(stderr, "recado restore") {
			t.Errorf("exit %d %s", code, stderr)
		}
		testkit.Diff(t, "files", names(t, folder), before)
	})
	t.Run("a server on a damaged database says what to do", func(t *testing.T) {
		for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"company", "list"}} {
			code, _, stderr := recado(t, vars, args...)
			if code != 1 || !strings.Contains(stderr, "is damaged") || !strings.Contains(stderr, "recado restore") {
				t.Errorf("%v: exit %d %s", args, code, stderr)
			}
		}
	})
}

func TestABackupReplacesAFileOnlyWhenAsked(t *testing.T) {
	vars := map[string]string{"RECADO_DATA": t.TempDir()}
	if code, _, stderr := recado(t, vars, "company", "create", "Casa Clara"); code != 0 {
		t.Fatal(stderr)
	}
	file := filepath.Join(t.TempDir(), "recado.tar")
	write(t, file, "old")
	if code, _, stderr := recado(t, vars, "backup", file); code != 1 || !strings.Contains(stderr, "--replace") {
		t.Errorf("exit %d %s", code, stderr)
	}
	if code, _, stderr := recado(t, vars, "backup", "--replace", file); code != 0 {
		t.Error(stderr)
	}
	if code, _, stderr := recado(t, nil, "backup", "--check", file); code != 0 {
		t.Error(stderr)
	}
}

func TestALostDatabaseIsNotANewInstallation(t *testing.T) {
	dir := t.TempDir()
	vars := map[string]string{"RECADO_DATA": dir}
	if code, _, stderr := recado(t, vars, "company", "create", "Casa Clara"); code != 0 {
		t.Fatal(stderr)
	}
	file := filepath.Join(t.TempDir(), "recado.tar")
	if code, _, stderr := recado(t, vars, "backup", file); code != 0 {
		t.Fatal(stderr)
	}
	database := filepath.Join(dir, "recado.db")
	for _, name := range []string{database, database + "-wal", database + "-shm"} {
		_ = os.Remove(name)
	}
	refused := func(state string) {
		t.Helper()
		before := names(t, dir)
		for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"company", "create", "Casa Azul"}} {
			code, _, stderr := recado(t, vars, args...)
			if code != 1 || !strings.Contains(stderr, "recado.db "+state) || !strings.Contains(stderr, "recado restore FILE --data "+dir) {
				t.Errorf("%v: exit %d %s", args, code, stderr)
			}
		}
		testkit.Diff(t, "files", names(t, dir), before)
	}
	refused("is missing")
	write(t, database, "")
	refused("is empty")
	if code, _, stderr := recado(t, vars, "company", "list"); code != 1 || !strings.Contains(stderr, "recado.db is empty") {
		t.Errorf("company list: exit %d %s", code, stderr)
	}
	t.Run("a restore helps", func(t *testing.T) {
		if err := os.Remove(database); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := recado(t, vars, "restore", file); code != 0 {
			t.Fatal(stderr)
		}
		if code, out, stderr := recado(t, vars, "company", "list"); code != 0 || !strings.Contains(out, "Casa Clara") {
			t.Errorf("exit %d %s %s", code, out, stderr)
		}
	})
	t.Run("a secret key alone is the beginning of an installation", func(t *testing.T) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, vault.FileName), otherKey+"\n")
		if code, _, stderr := recado(t, nil, "company", "create", "Casa Azul", "--data", dir); code != 0 {
			t.Error(stderr)
		}
	})
}

func TestCommandsRefuseTheSourceOfAMove(t *testing.T) {
	dir := t.TempDir()
	vars := map[string]string{"RECADO_DATA": dir}
	ok := func(args ...string) string {
		t.Helper()
		code, out, stderr := recadoReading(t, "correct horse battery\n", vars, args...)
		if code != 0 {
			t.Fatalf("%v: exit %d %s", args, code, stderr)
		}
		return strings.TrimSpace(out)
	}
	company := ok("company", "create", "Casa Clara")
	ok("user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner")
	commands := [][]string{
		{"user", "set-password", "--company", company, "--email", "ana@clara.example"},
		{"key", "create", "--company", company, "--name", "CRM", "--scopes", "all"},
		{"user", "reset-link", "--email", "ana@clara.example"},
		{"company", "create", "Casa Azul"},
		{"secret-key", "rotate"},
		{"report", "rebuild"},
	}
	url := testkit.Database(t, "")
	testkit.Contains(t, "move", ok("move", "--to", url), "marked as moved")
	for _, args := range append(commands, []string{"serve", "--addr", "127.0.0.1:0"}) {
		code, _, stderr := recadoReading(t, "correct horse battery\n", vars, args...)
		if code != 1 || !strings.Contains(stderr, "was moved to postgres://") || !strings.Contains(stderr, "recado move --undo") || strings.Contains(stderr, "invalid_request") {
			t.Errorf("%v: exit %d %s", args, code, stderr)
		}
	}
	testkit.Contains(t, "companies of the target", ok("company", "list", "--database-url", url), "Casa Clara")
	testkit.Contains(t, "undo", ok("move", "--undo"), "can be used again")
	for _, args := range commands {
		ok(args...)
	}
}

func TestTheCauseOfAFailureStandsInBrackets(t *testing.T) {
	code, _, stderr := recado(t, nil, "company", "list", "--database-url", "postgres://127.0.0.1:1/none", "--secret-key", otherKey)
	if code != 1 || strings.Contains(stderr, ".:") || !strings.Contains(stderr, "Try again. (") {
		t.Errorf("exit %d %s", code, stderr)
	}
}
