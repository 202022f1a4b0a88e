package desk

import (
	"errors"
	"testing"

	"recado/internal/model"
	"recado/internal/store"
)

func TestTheOperatorSetsPasswords(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		stored := func() string {
			t.Helper()
			hash, err := read(t.Context(), d, func(tx *store.Tx) (*string, error) {
				u, _, err := tx.UserByEmail(o.company.ID, "ana@padaria.example")
				return u.PasswordHash, err
			})
			if err != nil || hash == nil {
				t.Fatalf("no password is stored (error %v)", err)
			}
			return *hash
		}
		if err := d.System().SetPassword(t.Context(), o.company.ID, " ANA@padaria.example ", "uma senha longa"); err != nil {
			t.Fatal(err)
		}
		first := stored()
		if err := d.System().SetPassword(t.Context(), o.company.ID, "ana@padaria.example", "outra senha longa"); err != nil {
			t.Fatal(err)
		}
		if stored() == first {
			t.Error("the second password did not replace the first")
		}
		for name, c := range map[string]struct {
			company         model.ID
			email, password string
			want            model.Code
		}{
			"too short":       {o.company.ID, "ana@padaria.example", "curta", model.CodeInvalidRequest},
			"unknown address": {o.company.ID, "eva@padaria.example", "uma senha longa", model.CodeNotFound},
			"another company": {model.NewID(), "ana@padaria.example", "uma senha longa", model.CodeNotFound},
		} {
			err := d.System().SetPassword(t.Context(), c.company, c.email, c.password)
			if refused, ok := errors.AsType[*model.Error](err); !ok || refused.Code != c.want {
				t.Errorf("%s: error %v, want code %s", name, err, c.want)
			}
		}
	})
}
