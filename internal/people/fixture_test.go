package people

import (
	"testing"

	"recado/internal/kernel"
	"recado/test/kerneltest"
)

// eachCompany runs a test on both engines with a company that has an owner.
func eachCompany(t *testing.T, body func(t *testing.T, d *People, company kernel.Company)) {
	kerneltest.EachOne(t, func(t *testing.T, s *kernel.Store) {
		d := New(kernel.New(kernel.Options{Store: s}), PasswordCost{Memory: 64, Passes: 1})
		company, err := d.CreateCompany(t.Context(), NewCompany{Name: "Padaria", Rules: DefaultRules})
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.CreateUser(t.Context(), company.ID, NewUser{Name: "Ana", Email: "ana@padaria.example", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
		if err != nil {
			t.Fatal(err)
		}
		body(t, d, company)
	})
}
