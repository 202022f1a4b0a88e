// Package kerneltest provides stores with an empty database on both engines for tests.
package kerneltest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/testkit"
)

// Each runs body on both engines, as subtests "sqlite" and "postgres". On PostgreSQL every call of open returns another
// node with the same database. On SQLite, which allows only one, it returns the same store. Stores are closed when the
// subtest ends. A missing PostgreSQL is a failure.
func Each(t *testing.T, body func(t *testing.T, open func() *kernel.Store)) {
	t.Helper()
	EachURL(t, func(t *testing.T, url string) {
		if url != "" {
			body(t, func() *kernel.Store { return Open(t, db.Options{DatabaseURL: url, MaxConns: 8}) })
			return
		}
		dir := t.TempDir()
		Prepare(t, dir)
		body(t, sync.OnceValue(func() *kernel.Store { return Open(t, db.Options{Dir: dir}) }))
	})
}

// EachOne is Each for a single node.
func EachOne(t *testing.T, body func(t *testing.T, s *kernel.Store)) {
	t.Helper()
	Each(t, func(t *testing.T, open func() *kernel.Store) { body(t, open()) })
}

// Write runs fn in a transaction and fails the test on an error.
func Write(t testing.TB, s *kernel.Store, fn func(tx *kernel.Tx) error) {
	t.Helper()
	if err := s.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// Read runs fn on a snapshot and fails the test on an error.
func Read(t testing.TB, s *kernel.Store, fn func(tx *kernel.Tx) error) {
	t.Helper()
	if err := s.Read(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// EachURL runs body on both engines, with the URL of a PostgreSQL database with the current schema, or "" for SQLite.
func EachURL(t *testing.T, body func(t *testing.T, databaseURL string)) {
	t.Helper()
	testkit.EachEngineFrom(t, template, body)
}

// Open opens a store and closes it when the test ends.
func Open(t testing.TB, o db.Options) *kernel.Store {
	t.Helper()
	s, err := kernel.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Exec executes a statement on a separate connection, to the URL or else to the SQLite file in dir.
func Exec(t testing.TB, dir, databaseURL, statement string) {
	t.Helper()
	if databaseURL != "" {
		testkit.Exec(t, databaseURL, statement)
		return
	}
	conn, err := sqlite.OpenConn(filepath.Join(dir, db.DatabaseFile), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	conn.SetBlockOnBusy()
	if err := sqlitex.ExecuteTransient(conn, statement, nil); err != nil {
		t.Fatal(err)
	}
}

// Prepare copies an empty SQLite database with the current schema into a folder that has none. The original is created
// once per process.
func Prepare(t testing.TB, dir string) {
	t.Helper()
	path := filepath.Join(dir, db.DatabaseFile)
	if _, err := os.Stat(path); err == nil {
		return
	}
	empty, err := emptySQLite()
	if err == nil {
		err = os.WriteFile(path, empty, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var emptySQLite = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "recado-template")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := kernel.Open(context.Background(), db.Options{Dir: dir})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, db.DatabaseFile))
})

// URL returns the URL of a new PostgreSQL database with the current schema, which is dropped when the test ends. It is a
// copy of a template that is created once per version of the schema.
func URL(t testing.TB) string {
	t.Helper()
	return testkit.Database(t, template(t))
}

var templates sync.Mutex

func template(t testing.TB) string {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	return testkit.Template(t, "recado_template_"+kernel.SchemaHash(), func(url string) error {
		s, err := kernel.Open(context.Background(), db.Options{DatabaseURL: url, MaxConns: 1})
		if err != nil {
			return err
		}
		return s.Close()
	})
}
