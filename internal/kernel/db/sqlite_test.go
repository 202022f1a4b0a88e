package db

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"recado/internal/kernel/base"
)

func TestFolderLock(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, Options{Dir: dir})
	t.Run("a second server is refused and told why", func(t *testing.T) {
		_, err := Open(t.Context(), Options{Dir: dir}, scratchFS())
		want := fmt.Sprintf("another Recado server is using the data folder %s (pid %d); stop it or choose another --data", dir, os.Getpid())
		if err == nil || err.Error() != want {
			t.Errorf("got %v", err)
		}
	})
	t.Run("administration may work beside it", func(t *testing.T) {
		beside := opened(t, Options{Dir: dir, Shared: true})
		write(t, beside, func(tx *Tx) error { return add(tx, 1) })
		hasCount(t, s, 1, 1)
	})
	t.Run("administration with another schema is refused while it runs", func(t *testing.T) {
		more := scratchFS()
		more["0002_more.sql"] = more["0001_scratch.sql"]
		if _, err := Open(t.Context(), Options{Dir: dir, Shared: true}, more); err == nil || !strings.Contains(err.Error(), "running server") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("restoring under it is refused", func(t *testing.T) {
		if err := Restore(t.Context(), "any", dir, scratchFS()); err == nil || !strings.Contains(err.Error(), "another Recado server") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the folder is free after it ended", func(t *testing.T) {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		hasCount(t, opened(t, Options{Dir: dir}), 1, 1)
	})
}

func TestBackup(t *testing.T) {
	t.Run("a backup under load restores to a whole moment", func(t *testing.T) {
		ctx := t.Context()
		s, err := Open(ctx, Options{Dir: t.TempDir()}, scratchFS())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		write(t, s, func(tx *Tx) error {
			for _, sql := range []string{"CREATE TABLE twins (n BIGINT, pad TEXT)", "CREATE TABLE others (n BIGINT)"} {
				if _, err := tx.Exec(sql); err != nil {
					return err
				}
			}
			return nil
		})
		stop, started := make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		var once sync.Once
		for range 4 {
			all.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					write(t, s, func(tx *Tx) error {
						tx.Later("INSERT INTO twins (n, pad) VALUES ($1, $2)", n, strings.Repeat("x", 2000))
						tx.Later("INSERT INTO others (n) VALUES ($1)", n)
						return nil
					})
					if n == 50 {
						once.Do(func() { close(started) })
					}
				}
			})
		}
		<-started
		file := filepath.Join(t.TempDir(), "copy.db")
		if err := Backup(ctx, filepath.Dir(s.lite.path), file); err != nil {
			t.Error(err)
		}
		close(stop)
		all.Wait()
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		dir := filepath.Join(t.TempDir(), "new")
		if err := Restore(ctx, file, dir, scratchFS()); err != nil {
			t.Fatal(err)
		}
		back, err := Open(ctx, Options{Dir: dir}, scratchFS())
		if err != nil {
			t.Fatal(err)
		}
		defer back.Close()
		read(t, back, func(tx *Tx) error {
			_, err := tx.One("PRAGMA integrity_check", nil, func(r Row) {
				if r.Text("") != "ok" {
					t.Errorf(`want 0 == "ok"; got %+v`, r.Text(""))
				}
			})
			if err != nil {
				return err
			}
			_, err = tx.One("SELECT (SELECT count(*) FROM twins) AS twins, (SELECT count(*) FROM others) AS others", nil, func(r Row) {
				if r.Int("twins") != r.Int("others") || r.Int("twins") < 50 {
					t.Errorf("%d and %d rows", r.Int("twins"), r.Int("others"))
				}
			})
			return err
		})
		t.Run("an existing file is never replaced", func(t *testing.T) {
			if err := Backup(ctx, filepath.Dir(s.lite.path), file); base.CodeOf(err) != base.CodeInvalidRequest {
				t.Errorf("got %v", err)
			}
		})
		t.Run("nor is an existing database", func(t *testing.T) {
			if err := back.Close(); err != nil {
				t.Fatal(err)
			}
			if err := Restore(ctx, file, dir, scratchFS()); base.CodeOf(err) != base.CodeInvalidRequest {
				t.Errorf("got %v", err)
			}
		})
		t.Run("a damaged backup is refused and leaves nothing", func(t *testing.T) {
			bytes, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for at := 8192; at < len(bytes); at += 4096 {
				copy(bytes[at:], "damage damage damage damage")
			}
			bad := filepath.Join(t.TempDir(), "bad.db")
			if err := os.WriteFile(bad, bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(t.TempDir(), "empty")
			if err := Restore(ctx, bad, dir, scratchFS()); base.CodeOf(err) != base.CodeInvalidRequest {
				t.Errorf("got %v", err)
			}
			if _, err := os.Stat(filepath.Join(dir, DatabaseFile)); !os.IsNotExist(err) {
				t.Errorf("got %v", err)
			}
		})
		t.Run("what is no database is refused", func(t *testing.T) {
			text := filepath.Join(t.TempDir(), "text.db")
			if err := os.WriteFile(text, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{text, "/nowhere/at/all"} {
				if err := Restore(ctx, file, t.TempDir(), scratchFS()); base.CodeOf(err) != base.CodeInvalidRequest {
					t.Errorf("Restore(ctx, file, t.TempDir(), scratchFS()): want model.CodeOf(err) == model.CodeInvalidRequest; got %+v, %+v", file, err)
				}
			}
		})
	})
	t.Run("one that is given up leaves nothing", func(t *testing.T) {
		s := opened(t, Options{Dir: t.TempDir()})
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		dir := t.TempDir()
		if err := Backup(gone, filepath.Dir(s.lite.path), filepath.Join(dir, "x.db")); err == nil {
			t.Error("no error")
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

func TestWriteAheadLog(t *testing.T) {
	t.Run("a large log shrinks in idle time", func(t *testing.T) {
		s := opened(t, Options{Dir: t.TempDir()})
		for range 40 {
			write(t, s, func(tx *Tx) error {
				_, err := tx.Exec("INSERT INTO things (id, data) VALUES ($1, $2)", base.NewID(), make([]byte, 100_000))
				return err
			})
		}
		size := func() int64 {
			info, err := os.Stat(s.lite.path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			return info.Size()
		}
		if size() <= walSmall {
			t.Fatalf("the log has only %d bytes", size())
		}
		s.lite.writer.close() // its connection is ours from here
		s.lite.tidy(s.lite.writer.c, true)
		if size() != 0 {
			t.Errorf("the log has %d bytes", size())
		}
		s.lite.writer = newWriter(s.lite.writer.c, s.lite.now, func() {}, func() {})
	})
}

func TestFullDisk(t *testing.T) {
	s := opened(t, Options{Dir: t.TempDir()})
	limit := func(pages int) {
		t.Helper()
		write(t, s, func(tx *Tx) error {
			return tx.Query(fmt.Sprintf("PRAGMA max_page_count = %d", pages), nil, func(Row) error { return nil })
		})
	}
	rows := func() (n int64) {
		read(t, s, func(tx *Tx) error {
			_, err := tx.One("SELECT count(*) FROM things", nil, func(r Row) { n = r.Int("") })
			return err
		})
		return n
	}
	t.Run("what was answered is stored, and nothing else", func(t *testing.T) {
		limit(300)
		var stored atomic.Int64
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() {
				for range 10 {
					err := s.Write(context.Background(), func(tx *Tx) error {
						_, err := tx.Exec("INSERT INTO things (id, data) VALUES ($1, $2)", base.NewID(), make([]byte, 10_000))
						return err
					})
					switch {
					case err == nil:
						stored.Add(1)
					case base.CodeOf(err) != base.CodeStorageFull:
						t.Errorf("got %v", err)
					}
				}
			})
		}
		all.Wait()
		if n := rows(); n != stored.Load() || n == 0 || n == 320 {
			t.Errorf("%d rows, %d answers", n, stored.Load())
		}
	})
	t.Run("it goes on when there is space again", func(t *testing.T) {
		before := rows()
		limit(1 << 30)
		write(t, s, func(tx *Tx) error {
			_, err := tx.Exec("INSERT INTO things (id, data) VALUES ($1, $2)", base.NewID(), make([]byte, 10_000))
			return err
		})
		if n := rows(); n != before+1 {
			t.Errorf("%d rows after %d", n, before)
		}
	})
}

func TestSQLitePreparesOneTextWhicheverFiltersAreGiven(t *testing.T) {
	text := func(sqlite bool, filters ...any) string {
		s := &Statement{dialect: Dialect{sqlite: sqlite}}
		s.WriteString("SELECT id FROM rows WHERE TRUE")
		for _, v := range filters {
			s.AndGiven("c", v)
		}
		if want := strings.Count(s.String(), "c = "); len(s.Args) != want {
			t.Errorf("%s has %d arguments, want %d", s, len(s.Args), want)
		}
		return s.String()
	}
	yes := true
	none, all := []any{"", base.ID{}, (*bool)(nil)}, []any{"x", base.NewID(), &yes}
	if got, want := text(true, none...), text(true, all...); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := text(false, none...), text(false); got != want {
		t.Errorf("PostgreSQL: got %s, want %s", got, want)
	}
}
