package people

import (
	"errors"
	"testing"

	"recado/internal/kernel"
)

func TestTheOperatorSetsPasswords(t *testing.T) {
	eachCompany(t, func(t *testing.T, d *People, company kernel.Company) {
		stored := func() string {
			t.Helper()
			hash, err := kernel.Read(t.Context(), d.Kernel, func(tx *kernel.Tx) (*string, error) {
				u, _, err := userByEmail(tx, company.ID, "ana@padaria.example")
				if err != nil {
					return nil, err
				}
				p, _, err := findProfile(tx, company.ID, u.ID, "")
				return p.PasswordHash, err
			})
			if err != nil || hash == nil {
				t.Fatalf("no password is stored (error %v)", err)
			}
			return *hash
		}
		if err := d.SetPassword(t.Context(), company.ID, " ANA@padaria.example ", "uma senha longa"); err != nil {
			t.Fatal(err)
		}
		first := stored()
		if err := d.SetPassword(t.Context(), company.ID, "ana@padaria.example", "outra senha longa"); err != nil {
			t.Fatal(err)
		}
		if stored() == first {
			t.Error("the second password did not replace the first")
		}
		for name, c := range map[string]struct {
			company         kernel.ID
			email, password string
			want            kernel.Code
		}{
			"too short":       {company.ID, "ana@padaria.example", "curta", kernel.CodeInvalidRequest},
			"unknown address": {company.ID, "eva@padaria.example", "uma senha longa", kernel.CodeNotFound},
			"another company": {kernel.NewID(), "ana@padaria.example", "uma senha longa", kernel.CodeNotFound},
		} {
			err := d.SetPassword(t.Context(), c.company, c.email, c.password)
			if refused, ok := errors.AsType[*kernel.Error](err); !ok || refused.Code != c.want {
				t.Errorf("%s: error %v, want code %s", name, err, c.want)
			}
		}
	})
}
