package db

import (
	"context"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"recado/test/testkit"
)

// bothPlaces runs body with options that open the same empty database again and again.
func bothPlaces(t *testing.T, body func(t *testing.T, o Options)) {
	t.Helper()
	testkit.EachEngine(t, func(t *testing.T, url string) { body(t, Options{Dir: t.TempDir(), DatabaseURL: url}) })
}

func TestMigrations(t *testing.T) {
	files := func(texts ...string) fs.FS {
		all := fstest.MapFS{".keep": {}}
		for i, text := range texts {
			all["000"+string(rune('1'+i))+"_step.sql"] = &fstest.MapFile{Data: []byte(text)}
		}
		return all
	}
	reopen := func(t *testing.T, o Options, from fs.FS) error {
		t.Helper()
		s, err := Open(t.Context(), o, from)
		if err != nil {
			return err
		}
		return s.Close()
	}
	refused := func(t *testing.T, o Options, from fs.FS, why string) {
		t.Helper()
		if err := reopen(t, o, from); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("got %v", err)
		}
	}
	one, two := "CREATE TABLE a (id BIGINT);", "CREATE TABLE b (id BIGINT); INSERT INTO b VALUES (1);"

	t.Run("no steps are fine", func(t *testing.T) {
		bothPlaces(t, func(t *testing.T, o Options) {
			if err := reopen(t, o, files()); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("steps run once, in order, as they come", func(t *testing.T) {
		bothPlaces(t, func(t *testing.T, o Options) {
			for _, from := range []fs.FS{files(one), files(one), files(one, two), files(one, two)} {
				if err := reopen(t, o, from); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
	t.Run("a step that was changed afterwards is refused", func(t *testing.T) {
		bothPlaces(t, func(t *testing.T, o Options) {
			if err := reopen(t, o, files(one, two)); err != nil {
				t.Fatal(err)
			}
			refused(t, o, files(one+" ", two), "0001 was changed")
		})
	})
	t.Run("a database from before the first release is refused", func(t *testing.T) {
		bothPlaces(t, func(t *testing.T, o Options) {
			if err := reopen(t, o, fstest.MapFS{"0001_desk.sql": {Data: []byte(one)}}); err != nil {
				t.Fatal(err)
			}
			refused(t, o, files(one, two), "the last build that can is 998575b")
		})
	})
	t.Run("a database from a newer version is refused", func(t *testing.T) {
		bothPlaces(t, func(t *testing.T, o Options) {
			if err := reopen(t, o, files(one, two)); err != nil {
				t.Fatal(err)
			}
			refused(t, o, files(one), "run a newer Recado")
			refused(t, o, files(), "run a newer Recado")
		})
	})
	t.Run("a step that fails leaves nothing and is tried again", func(t *testing.T) {
		bothPlaces(t, func(t *testing.T, o Options) {
			refused(t, o, files(one, two+" INSERT INTO missing VALUES (1);"), "step 0002")
			if err := reopen(t, o, files(one, two)); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("nodes that start together take turns", func(t *testing.T) {
		url := testkit.Database(t, "")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				s, err := Open(context.Background(), Options{DatabaseURL: url}, files(one, two))
				if err != nil {
					t.Error(err)
					return
				}
				_ = s.Close()
			})
		}
		all.Wait()
	})
	t.Run("badly named and doubled files are refused", func(t *testing.T) {
		for _, names := range [][]string{{"1.sql"}, {"0001_a.sql", "0001_b.sql"}, {"0001-a.sql"}} {
			all := fstest.MapFS{}
			for _, name := range names {
				all[name] = &fstest.MapFile{}
			}
			if _, err := loadMigrations(all); err == nil {
				t.Errorf("%v accepted", names)
			}
		}
	})
}

func TestDialect(t *testing.T) {
	t.Run("placeholders are numbered for SQLite, outside quotes and comments", func(t *testing.T) {
		for sql, want := range map[string]string{
			"SELECT $1, $12":           "SELECT ?1, ?12",
			"SELECT '$1', \"$2\", $3":  "SELECT '$1', \"$2\", ?3",
			"SELECT 'it''s $1', $1":    "SELECT 'it''s $1', ?1",
			"SELECT 1 -- $1\n, $2":     "SELECT 1 -- $1\n, ?2",
			"SELECT /* $1 */ $2, $":    "SELECT /* $1 */ ?2, $",
			"SELECT 'open $1":          "SELECT 'open $1",
			"UPDATE a SET b=$1||'é$1'": "UPDATE a SET b=?1||'é$1'",
		} {
			if got := numbered(sql); got != want {
				t.Errorf("%q became %q", sql, got)
			}
		}
	})
	t.Run("each engine sees its own parts", func(t *testing.T) {
		text := "a /*sqlite: x */ /*postgres: y */\n-- sqlite: b\n  -- postgres: c\n-- both\n"
		if got := forEngine(text, true); got != "a  x  \n b\n-- both\n" {
			t.Errorf("sqlite: %q", got)
		}
		if got := forEngine(text, false); got != "a   y \n c\n-- both\n" {
			t.Errorf("postgres: %q", got)
		}
	})
}
