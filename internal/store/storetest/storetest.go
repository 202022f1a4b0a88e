// Package storetest gives the tests of other packages real databases: fresh, empty and up to date.
package storetest

import (
	"context"
	"sync"
	"testing"

	"recado/internal/store"
	"recado/internal/testkit"
)

// Each runs body on both engines, as subtests "sqlite" and "postgres". Every call of open on
// PostgreSQL is another node on the same database; on SQLite, where there can be one only, it is the
// same store again. Stores are closed when the subtest ends. A missing PostgreSQL is a failure.
func Each(t *testing.T, body func(t *testing.T, open func() *store.Store)) {
	t.Helper()
	EachURL(t, func(t *testing.T, url string) {
		if url != "" {
			body(t, func() *store.Store { return Open(t, store.Options{DatabaseURL: url, MaxConns: 8}) })
			return
		}
		dir := t.TempDir()
		body(t, sync.OnceValue(func() *store.Store { return Open(t, store.Options{Dir: dir}) }))
	})
}

// EachURL runs body on both engines, with the URL of a PostgreSQL database that has the current schema, or ""
// for SQLite.
func EachURL(t *testing.T, body func(t *testing.T, databaseURL string)) {
	t.Helper()
	testkit.EachEngineFrom(t, template, body)
}

// Open opens a store and closes it when the test ends.
func Open(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), o)
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

// URL gives a fresh PostgreSQL database with the current schema, dropped when the test ends. It is a
// copy of a template that is made once per version of the schema.
func URL(t testing.TB) string {
	t.Helper()
	return testkit.Database(t, template(t))
}

var templates sync.Mutex

func template(t testing.TB) string {
	t.Helper()
	templates.Lock()
	defer templates.Unlock()
	return testkit.Template(t, "recado_template_"+store.SchemaHash(), func(url string) error {
		s, err := store.Open(context.Background(), store.Options{DatabaseURL: url, MaxConns: 1})
		if err != nil {
			return err
		}
		return s.Close()
	})
}
