package store

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recado/internal/model"
)

func TestScopesThatWereStoredAsBitsKeepTheirNames(t *testing.T) {
	formerly := []model.Scope{ // a scope's place was its bit
		"conversations:read", "conversations:write", "messages:read", "messages:send", "media:write", "contacts:read", "contacts:write",
		"attendances:read", "attendances:write", "team:read", "reports:read", "webhooks:manage", "read", "write",
		"labels:write", "team:manage", "channels:manage", "company:manage", "keys:manage",
	}
	sets := [][]model.Scope{{}, formerly, {model.ScopeTeamRead, model.ScopeRead}}
	for _, scope := range formerly {
		sets = append(sets, []model.Scope{scope})
	}
	eachUpgrade(t, firstSchema(t), func(t *testing.T, before *Store, company model.ID, upgrade func() *Store) {
		member := model.NewID()
		keys := make([]model.ID, len(sets))
		mustWrite(t, before, func(tx *Tx) error {
			tx.later(`
				INSERT INTO users (id, company, name, email, email_folded, role, access_profile, created_at)
				VALUES ($1, $2, 'Ana', 'ana@padaria.example', 'ana@padaria.example', 'owner', 'all', 0)`, member, company)
			for i, set := range sets {
				bits := int64(0)
				for _, scope := range set {
					bits |= 1 << slices.Index(formerly, scope)
				}
				keys[i] = model.NewID()
				tx.later(`
					INSERT INTO keys (id, company, name, member, scopes, all_boards, per_second, burst, created_at)
					VALUES ($1, $2, 'shop', $3, $4, TRUE, 0, 0, 0)`, keys[i], company, member, bits)
			}
			return nil
		})
		after := upgrade()
		for i, want := range sets {
			err := after.Read(t.Context(), func(tx *Tx) error {
				_, scopes, found, err := tx.Key(company, keys[i])
				if diff := cmp.Diff(want, scopes.List()); diff != "" || !found {
					t.Errorf("found %v, scopes (-want +got):\n%s", found, diff)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
