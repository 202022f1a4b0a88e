package store

import (
	"testing"

	"recado/internal/model"
)

func TestSavedViewsStayWhenTheirKeyBeginsWithTheCompany(t *testing.T) {
	eachUpgrade(t, schemaBefore(t, "0012"), func(t *testing.T, before *Store, company model.ID, upgrade func() *Store) {
		member, view := model.NewID(), model.NewID()
		mustWrite(t, before, func(tx *Tx) error {
			tx.later(`
				INSERT INTO users (id, company, name, email, email_folded, role, access_profile, created_at)
				VALUES ($1, $2, 'Ana', 'ana@padaria.example', 'ana@padaria.example', 'owner', 'all', 0)`, member, company)
			tx.later(`
				INSERT INTO views (id, company, owner, name, folded, query, shared, position, created_at)
				VALUES ($1, $2, $3, 'Entregas', 'entregas', '{}', TRUE, 4, 5)`, view, company, member)
			return nil
		})
		after := upgrade()
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
