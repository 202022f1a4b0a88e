package admin_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/admin"
	"recado/internal/kernel/db"
	"recado/test/testkit"
)

// changeFile runs statements on a SQLite database.
func changeFile(t *testing.T, path, sql string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, o admin.MoveOptions, text string) {
	t.Helper()
	if _, err := admin.Move(t.Context(), o); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v, want an error with %q", err, text)
	}
}

const changeContacts = `UPDATE contacts SET created_at = created_at + 1 WHERE (company, id) = (SELECT company, id FROM contacts ORDER BY company, id LIMIT 1)`

func TestAMoveDoesNotGoOnWhenTheSourceHasChanged(t *testing.T) {
	t.Parallel()
	for name, complete := range map[string]bool{"in a table that is copied": true, "in a table of which a part is copied": false} {
		t.Run(name, func(t *testing.T) {
			stop := func(table db.MovedTable) error {
				if table.Name == "contacts" && table.Complete == complete {
					return errors.New("cut off")
				}
				return nil
			}
			i := install(t)
			url := testkit.Database(t, "")
			move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})

			there := admin.MoveOptions{Dir: i.dir, ToURL: testkit.Database(t, ""), Batch: 2, Progress: stop}
			refused(t, there, "cut off")
			changeFile(t, filepath.Join(i.dir, "recado.db"), changeContacts)
			there.Progress = nil
			refused(t, there, "changed since the move began")

			back := admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: t.TempDir(), Batch: 2, Progress: stop}
			refused(t, back, "cut off")
			testkit.Exec(t, url, changeContacts)
			back.Progress = nil
			refused(t, back, "changed since the move began")
		})
	}
}

func TestAMoveIsNotFinishedWhenTheSourceChangesMeanwhile(t *testing.T) {
	t.Parallel()
	i := install(t)
	url, changed := testkit.Database(t, ""), false
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	o := admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: t.TempDir()}
	o.Progress = func(table db.MovedTable) error {
		if table.Verified && !changed {
			testkit.Exec(t, url, changeContacts)
			changed = true
		}
		return nil
	}
	refused(t, o, "changed during the move")
	refused(t, o, "changed since the move began")
}

func TestAMoveDoesNotChangeATargetThatItRefuses(t *testing.T) {
	t.Parallel()
	i := install(t)
	const notes = `CREATE TABLE notes (id BIGINT PRIMARY KEY); INSERT INTO notes VALUES (1)`
	url := testkit.Database(t, "")
	testkit.Exec(t, url, notes)
	refused(t, admin.MoveOptions{Dir: i.dir, ToURL: url}, "its table notes has rows")
	testkit.Exec(t, url, `CREATE TABLE schema_migrations (id BIGINT)`) // there is none yet

	full := testkit.Database(t, "")
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: full})
	to := t.TempDir()
	file := filepath.Join(to, "recado.db")
	changeFile(t, file, notes)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: full, ToDir: to}, "its table notes has rows")
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file was changed, or %v", err)
	}
}

func TestAMovePassesOverViews(t *testing.T) {
	t.Parallel()
	i := install(t)
	url := testkit.Database(t, "")
	testkit.Exec(t, url, `CREATE VIEW statements AS SELECT 1 AS calls, 1.5::double precision AS seconds`)
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	move(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: t.TempDir()})
}

// damage changes the file of an installation that was uploaded.
func (i *installation) damage(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(i.mediaFile(dir), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (i *installation) mediaFile(dir string) string {
	return filepath.Join(dir, "media", i.media[len(i.media)-2:], i.media)
}

func (i *installation) wantDamaged(t *testing.T, moved admin.Moved) {
	t.Helper()
	if len(moved.DamagedMedia) != 1 || moved.DamagedMedia[0].String() != i.media {
		t.Errorf("damaged: %v, want %s", moved.DamagedMedia, i.media)
	}
}

func TestAMoveNamesDamagedFiles(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.damage(t, i.dir, "the text of a pile") // as long as before
	url := testkit.Database(t, "")
	i.wantDamaged(t, move(t, admin.MoveOptions{Dir: i.dir, ToURL: url}))
	for _, text := range []string{"the text of a pile", "a text that is longer than before", "short"} {
		i.damage(t, i.dir, text)
		to := t.TempDir()
		i.wantDamaged(t, move(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: to}))
		if _, err := os.Stat(i.mediaFile(to)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the damaged file is in the target: %v", err)
		}
	}
}

func TestAMoveReplacesADamagedFileOfTheTarget(t *testing.T) {
	t.Parallel()
	i := install(t)
	url, to := testkit.Database(t, ""), t.TempDir()
	move(t, admin.MoveOptions{Dir: i.dir, ToURL: url})
	if err := os.MkdirAll(filepath.Dir(i.mediaFile(to)), 0o700); err != nil {
		t.Fatal(err)
	}
	i.damage(t, to, "the text of a pile")
	moved := move(t, admin.MoveOptions{Dir: i.dir, DatabaseURL: url, ToDir: to})
	if len(moved.DamagedMedia) != 0 {
		t.Errorf("damaged: %v", moved.DamagedMedia)
	}
	got, err := os.ReadFile(i.mediaFile(to))
	if err != nil || string(got) != "the text of a file" {
		t.Errorf("the file: %q, %v", got, err)
	}
}

func TestABackupContainsAndListsDamagedFiles(t *testing.T) {
	t.Parallel()
	i := install(t)
	i.damage(t, i.dir, "the text of a pile")
	file, to := filepath.Join(t.TempDir(), "recado.tar"), filepath.Join(t.TempDir(), "new")
	info, err := admin.Backup(t.Context(), admin.BackupOptions{Dir: i.dir, File: file})
	if err != nil {
		t.Fatal(err)
	}
	done, err := admin.Restore(t.Context(), admin.RestoreOptions{File: file, Dir: to})
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range [][]string{idTexts(info), idTexts(done.Info)} {
		testkit.Diff(t, "damaged files", files, []string{i.media})
	}
	got, err := os.ReadFile(i.mediaFile(to))
	if err != nil || string(got) != "the text of a pile" {
		t.Errorf("the file: %q, %v", got, err)
	}
}

func idTexts(info admin.Info) (out []string) {
	for _, id := range info.DamagedMedia {
		out = append(out, id.String())
	}
	return out
}
