package store

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"recado/internal/model"
)

// eachUpgrade runs body on both engines with a database of an earlier schema that has a company. upgrade closes it and opens
// it again with the current schema.
func eachUpgrade(t *testing.T, earlier fs.FS, body func(t *testing.T, before *Store, company model.ID, upgrade func() *Store)) {
	t.Helper()
	bothPlaces(t, func(t *testing.T, o Options) {
		before, err := open(t.Context(), o, earlier)
		if err != nil {
			t.Fatal(err)
		}
		company := model.NewID()
		mustWrite(t, before, func(tx *Tx) error {
			tx.later(`
				INSERT INTO companies (id, name, timezone, created_at, attendance_enabled, first_responder, mode, auto_close, auto_close_minutes, checks_stale)
				VALUES ($1, 'Padaria', 'America/Sao_Paulo', 0, TRUE, TRUE, 'liberal', FALSE, 60, FALSE)`, company)
			return nil
		})
		body(t, before, company, func() *Store {
			if err := before.Close(); err != nil {
				t.Fatal(err)
			}
			after, err := open(t.Context(), o, embedded())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := after.Close(); err != nil {
					t.Error(err)
				}
			})
			return after
		})
	})
}

// firstSchema is the schema of the first release.
func firstSchema(t *testing.T) fs.FS { return schemaBefore(t, "0002") }

// schemaBefore is the schema without a step and those behind it.
func schemaBefore(t *testing.T, step string) fs.FS {
	t.Helper()
	names, err := fs.Glob(embedded(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	steps := fstest.MapFS{}
	for _, name := range names {
		if name >= step {
			continue
		}
		text, err := fs.ReadFile(embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		steps[name] = &fstest.MapFile{Data: text}
	}
	return steps
}
