package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/kernel/db"
)

func TestCommandsAreAuditedAsTheOperator(t *testing.T) {
	dir := t.TempDir()
	vars := map[string]string{"RECADO_DATA": dir}
	ok := func(stdin string, args ...string) string {
		t.Helper()
		code, out, stderr := recadoReading(t, stdin, vars, args...)
		if code != 0 {
			t.Fatalf("%v: exit %d %s", args, code, stderr)
		}
		return strings.TrimSpace(out)
	}
	company := ok("", "company", "create", "Casa Clara")
	ok("first password\n", "user", "create", "--company", company, "--name", "Ana", "--email", "ana@clara.example", "--role", "owner", "--password-stdin")
	ok("second password\n", "user", "set-password", "--company", company, "--email", "ana@clara.example")
	ok("", "user", "reset-link", "--email", "ana@clara.example")
	key := ok("", "key", "create", "--company", company, "--name", "CRM", "--scopes", "read")
	ok("", "channel", "add", "--company", company, "--name", "Box", "--provider", "sandbox", "--phone", "+5511912345678")
	ok("", "export", filepath.Join(t.TempDir(), "all"), "--with-secret-key")
	ok("", "export", filepath.Join(t.TempDir(), "one"), "--company", company)

	conn, err := sqlite.OpenConn(filepath.Join(dir, db.DatabaseFile), sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var got []string
	query := `SELECT action, actor_type, actor IS NULL AND ip IS NULL AND request_id IS NULL, changes FROM audit ORDER BY at, id`
	err = sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if s.ColumnText(1) != "operator" || !s.ColumnBool(2) {
			t.Errorf("%s: got the actor %s, want the operator without an address", s.ColumnText(0), s.ColumnText(1))
		}
		for _, secret := range []string{"first password", "second password", key} {
			if strings.Contains(s.ColumnText(3), secret) {
				t.Errorf("%s contains a secret: %s", s.ColumnText(0), s.ColumnText(3))
			}
		}
		got = append(got, s.ColumnText(0))
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"company.created", "member.created", "password.changed", "reset_link.created", "key.created", "channel.created", "company.exported", "company.exported"}
	if !slices.Equal(got, want) {
		t.Errorf("got the actions %v, want %v", got, want)
	}
}

func TestARestoredBackupCanBeExported(t *testing.T) {
	vars, restored := map[string]string{"RECADO_DATA": t.TempDir()}, map[string]string{"RECADO_DATA": filepath.Join(t.TempDir(), "restored")}
	backup := filepath.Join(t.TempDir(), "recado.tar")
	for _, command := range []struct {
		vars map[string]string
		args []string
	}{
		{vars, []string{"company", "create", "Casa Clara"}},
		{vars, []string{"backup", backup}},
		{restored, []string{"restore", backup}},
		{restored, []string{"export", filepath.Join(t.TempDir(), "all")}},
	} {
		if code, _, stderr := recadoReading(t, "", command.vars, command.args...); code != 0 {
			t.Fatalf("%v: exit %d %s", command.args, code, stderr)
		}
	}
}
