package store

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"recado/internal/model"
)

func TestSavedViewsStayWhenTheirKeyBeginsWithTheCompany(t *testing.T) {
	bothPlaces(t, func(t *testing.T, o Options) {
		before, err := open(t.Context(), o, schemaBefore(t, "0012"))
		if err != nil {
			t.Fatal(err)
		}
		company, member, view := model.NewID(), model.NewID(), model.NewID()
		mustWrite(t, before, func(tx *Tx) error {
			tx.later(`
				INSERT INTO companies (id, name, timezone, created_at, attendance_enabled, first_responder, mode, auto_close, auto_close_minutes, checks_stale)
				VALUES ($1, 'Padaria', 'America/Sao_Paulo', 0, TRUE, TRUE, 'liberal', FALSE, 60, FALSE)`, company)
			tx.later(`
				INSERT INTO users (id, company, name, email, email_folded, role, access_profile, created_at)
				VALUES ($1, $2, 'Ana', 'ana@padaria.example', 'ana@padaria.example', 'owner', 'all', 0)`, member, company)
			tx.later(`
				INSERT INTO views (id, company, owner, name, folded, query, shared, position, created_at)
				VALUES ($1, $2, $3, 'Entregas', 'entregas', '{}', TRUE, 4, 5)`, view, company, member)
			return nil
		})
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		after, err := open(t.Context(), o, embedded())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = after.Close() }()
		mustRead(t, after, func(tx *Tx) error {
			found, err := tx.one(`
				SELECT name, position
				FROM views
				WHERE company = $1 AND id = $2 AND owner = $3 AND shared AND folded = 'entregas' AND query = '{}' AND created_at = 5`,
				[]any{company, view, member}, func(r Row) {
					if r.Text(0) != "Entregas" || r.Int(1) != 4 {
						t.Errorf("the view is %q at %d, want %q at 4", r.Text(0), r.Int(1), "Entregas")
					}
				})
			if !found {
				t.Error("the view is gone")
			}
			return err
		})
	})
}

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
