package admin_test

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recado/internal/admin"
	"recado/internal/kernel/db"
	"recado/internal/server"
	"recado/test/testkit"
)

// moved checks that neither a server nor a command opens an installation, and that both say where it is.
func moved(t *testing.T, c server.Config, target string) {
	t.Helper()
	if s, err := server.Start(t.Context(), c); err == nil {
		_ = s.Stop(t.Context())
		t.Error("a server started on the source of a move")
	} else if !strings.Contains(err.Error(), "moved to "+target) || !strings.Contains(err.Error(), "--undo") {
		t.Errorf("a server on the source: %v", err)
	}
	if s, err := server.Open(t.Context(), c); err == nil {
		_ = s.Stop(t.Context())
		t.Error("a command works on the source of a move")
	}
}

func TestAfterAMoveTheSourceRefusesUntilTheMoveIsUndone(t *testing.T) {
	t.Parallel()
	i := install(t)
	want := i.answers(t, config(i.dir, ""))
	before, err := os.ReadFile(filepath.Join(i.dir, "recado.db"))
	if err != nil {
		t.Fatal(err)
	}
	database := testkit.Database(t, "")
	there := admin.MoveOptions{Dir: i.dir, ToURL: database}
	if _, err := admin.Move(t.Context(), there); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	moved(t, config(i.dir, ""), "postgres://"+u.Host+u.Path+".")
	if _, err := admin.Move(t.Context(), admin.MoveOptions{Dir: i.dir, ToURL: testkit.Database(t, "")}); err == nil || !strings.Contains(err.Error(), "was moved to") {
		t.Errorf("a second move of the source: %v", err)
	}
	after, err := os.ReadFile(filepath.Join(i.dir, "recado.db"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database of the source was changed: %v", err)
	}
	testkit.Diff(t, "answers of the target, which uses the folder of the source", i.answers(t, config(i.dir, database)), want)

	back := admin.MoveOptions{Dir: i.dir, DatabaseURL: database, ToDir: filepath.Join(t.TempDir(), "back")}
	if _, err := admin.Move(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	moved(t, config(i.dir, database), back.ToDir)

	for _, o := range []admin.MoveOptions{there, back} {
		if _, err := db.UndoMove(t.Context(), db.Options{Dir: o.Dir, DatabaseURL: o.DatabaseURL}); err != nil {
			t.Fatal(err)
		}
		if _, err := db.UndoMove(t.Context(), db.Options{Dir: o.Dir, DatabaseURL: o.DatabaseURL}); err == nil || !strings.Contains(err.Error(), "nothing to undo") {
			t.Errorf("a second undo: %v", err)
		}
	}
	testkit.Diff(t, "answers of the first source after the undo", i.answers(t, config(i.dir, "")), want)
	testkit.Diff(t, "answers of the second source after the undo", i.answers(t, config(i.dir, database)), want)
}

func TestTheTargetOfAMoveIsShownWithoutCredentials(t *testing.T) {
	t.Parallel()
	i := install(t)
	u, err := url.Parse(testkit.Database(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), "swordfish")
	if _, err := admin.Move(t.Context(), admin.MoveOptions{Dir: i.dir, ToURL: u.String()}); err != nil {
		t.Fatal(err)
	}
	_, err = server.Open(t.Context(), config(i.dir, ""))
	if err == nil || !strings.Contains(err.Error(), u.Host+u.Path) || strings.Contains(err.Error(), "swordfish") || strings.Contains(err.Error(), "@") {
		t.Errorf("got %v, want the target without credentials", err)
	}
}

func TestAMoveInterruptedAfterItsMarkIsResumed(t *testing.T) {
	t.Parallel()
	i := install(t)
	cutOff := func(o admin.MoveOptions) {
		t.Helper()
		o.Progress = func(table db.MovedTable) error {
			if table.Verified {
				return errors.New("cut off")
			}
			return nil
		}
		refused(t, o, "cut off")
	}
	database := testkit.Database(t, "")
	there := admin.MoveOptions{Dir: i.dir, ToURL: database}
	cutOff(there)
	if err := os.WriteFile(filepath.Join(i.dir, "recado.db.moved"), []byte("elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Move(t.Context(), there); err != nil {
		t.Fatal(err)
	}
	back := admin.MoveOptions{Dir: i.dir, DatabaseURL: database, ToDir: t.TempDir()}
	cutOff(back)
	testkit.Exec(t, database, `CREATE TABLE moved_to (target TEXT NOT NULL); INSERT INTO moved_to VALUES ('elsewhere')`)
	if _, err := admin.Move(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	moved(t, config(i.dir, database), back.ToDir)
}
