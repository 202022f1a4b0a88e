package main

import (
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/kernel/db"
)

// passwordHash reads what is stored of the password of the only team member.
func passwordHash(t *testing.T, dir string) string {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(dir, db.DatabaseFile), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	hash := ""
	err = sqlitex.ExecuteTransient(conn, "SELECT password_hash FROM users", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		hash = s.ColumnText(0)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return hash
}

func TestPasswords(t *testing.T) {
	dir := t.TempDir()
	vars := map[string]string{"RECADO_DATA": dir}
	_, company, _ := recado(t, vars, "company", "create", "Casa Clara")
	company = strings.TrimSpace(company)
	create := []string{"user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner"}
	set := []string{"user", "set-password", "--company", company, "--email", "ana@clara.example"}

	t.Run("no command takes a password as a flag", func(t *testing.T) {
		for _, args := range [][]string{create, set} {
			if code, _, stderr := recado(t, vars, append(args, "--password", "a good password")...); code != 2 || !strings.Contains(stderr, "--password") {
				t.Errorf("%v: exit %d %s", args, code, stderr)
			}
		}
	})
	t.Run("a new member may get one from the standard input", func(t *testing.T) {
		if code, _, stderr := recado(t, vars, append(create, "--password-stdin")...); code != 2 || !strings.Contains(stderr, "standard input") {
			t.Errorf("an empty one: exit %d %s", code, stderr)
		}
		if code, _, stderr := recadoReading(t, "first password\n", vars, append(create, "--password-stdin")...); code != 0 {
			t.Fatal(stderr)
		}
		if hash := passwordHash(t, dir); !strings.HasPrefix(hash, "$argon2id$") {
			t.Errorf("hash: %q", hash)
		}
	})
	t.Run("it is set from the standard input", func(t *testing.T) {
		before := passwordHash(t, dir)
		if code, out, stderr := recadoReading(t, "second password", vars, set...); code != 0 || out != "" {
			t.Fatalf(`want code == 0 and out == ""; got %+v, %+v, %+v`, code, out, stderr)
		}
		if passwordHash(t, dir) == before {
			t.Error("the password is the same")
		}
	})
	t.Run("what does not fit is said", func(t *testing.T) {
		if code, _, stderr := recadoReading(t, "short", vars, set...); code != 2 || !strings.Contains(stderr, "10 to") {
			t.Errorf("a short one: exit %d %s", code, stderr)
		}
		unknown := []string{"user", "set-password", "--company", company, "--email", "eva@clara.example"}
		if code, _, stderr := recadoReading(t, "third password", vars, unknown...); code != 1 || !strings.Contains(stderr, "team member") {
			t.Errorf("an unknown address: exit %d %s", code, stderr)
		}
	})
}
