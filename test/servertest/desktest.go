package servertest

import (
	"cmp"
	"context"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
)

// AddCompany creates a company and its owner like the command line. It returns the operator, who acts as the owner with
// all permissions, and the owner. The default rules apply unless in has others.
func AddCompany(t testing.TB, d *server.Desk, in people.NewCompany) (*kernel.Principal, people.Member) {
	t.Helper()
	if in.Rules.Mode == "" {
		in.Rules = people.DefaultRules
	}
	ctx := context.Background()
	company, err := d.People.CreateCompany(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	owner, _ := AddMember(t, d, company, people.NewUser{
		Name: "Owner of " + in.Name, Email: "owner@" + company.ID.String() + ".example", Role: kernel.RoleOwner,
	})
	operator, err := d.People.Operator(ctx, company.ID)
	if err != nil {
		t.Fatal(err)
	}
	return operator, owner
}

// AddMember adds a member to a company like the command line and returns the member and their principal when signed in.
// The default is a random e-mail address, the role agent and access to everything.
func AddMember(t testing.TB, d *server.Desk, company kernel.Company, in people.NewUser) (people.Member, *kernel.Principal) {
	t.Helper()
	in.Email = cmp.Or(in.Email, kernel.NewID().String()+"@members.example")
	in.Role, in.AccessProfile = cmp.Or(in.Role, kernel.RoleAgent), cmp.Or(in.AccessProfile, kernel.AccessAll)
	m, err := d.People.CreateUser(context.Background(), company.ID, in)
	if err != nil {
		t.Fatal(err)
	}
	person := kernel.Member{User: kernel.Ref{ID: m.ID, Name: m.Name}, Role: m.Role, Profile: m.AccessProfile}
	return m, kernel.SessionPrincipal(company, person, kernel.NewID(), nil, kernel.Rate{})
}
