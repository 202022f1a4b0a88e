package boards

import (
	"testing"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// newBoards returns the verbs of boards with the capabilities that they need.
func newBoards(k *kernel.Kernel) *Boards {
	p := people.New(k, people.PasswordCost{Memory: 64, Passes: 1})
	c := channels.New(p, nil)
	return New(talk.New(c, p, nil), c, p)
}

// testCompany creates a company and its owner, and returns the operator, who acts as the owner.
func testCompany(t testing.TB, d *Boards) *kernel.Principal {
	t.Helper()
	company, err := d.people.CreateCompany(t.Context(), people.NewCompany{Name: "Padaria", Rules: people.DefaultRules})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.people.CreateUser(t.Context(), company.ID, people.NewUser{Name: "Ana", Email: "ana@padaria.example", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
	if err != nil {
		t.Fatal(err)
	}
	operator, err := d.people.Operator(t.Context(), company.ID)
	if err != nil {
		t.Fatal(err)
	}
	return operator
}
