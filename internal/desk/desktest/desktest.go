// Package desktest makes companies and their members for the tests of packages above the desk.
package desktest

import (
	"cmp"
	"context"
	"testing"

	"recado/internal/desk"
	"recado/internal/model"
)

// Company makes a company and its owner the way the command line does. It gives the operator, who acts as the owner and
// may do everything, and the owner. Rules that are not given are those of a new company.
func Company(t testing.TB, d *desk.Desk, in desk.NewCompany) (*desk.Principal, model.Member) {
	t.Helper()
	if in.Rules.Mode == "" {
		in.Rules = desk.DefaultRules
	}
	ctx, system := context.Background(), d.System()
	company, err := system.CreateCompany(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	owner, _ := Member(t, d, company, desk.NewUser{Name: "Owner of " + in.Name, Email: "owner@" + company.ID.String() + ".example", Role: model.RoleOwner})
	operator, err := system.Operator(ctx, company.ID)
	if err != nil {
		t.Fatal(err)
	}
	return operator, owner
}

// Member adds a member to a company the way the command line does, and gives them and the principal that they are when
// they are signed in. A member who is given no e-mail address gets one, without a role they are an agent, and without an
// access profile they see everything.
func Member(t testing.TB, d *desk.Desk, company model.Company, in desk.NewUser) (model.Member, *desk.Principal) {
	t.Helper()
	in.Email = cmp.Or(in.Email, model.NewID().String()+"@members.example")
	in.Role, in.AccessProfile = cmp.Or(in.Role, model.RoleAgent), cmp.Or(in.AccessProfile, model.AccessAll)
	m, err := d.System().CreateUser(context.Background(), company.ID, in)
	if err != nil {
		t.Fatal(err)
	}
	person := desk.Member{User: model.Ref{ID: m.ID, Name: m.Name}, Role: m.Role, Profile: m.AccessProfile}
	return m, desk.SessionPrincipal(company, person, model.NewID(), nil, model.Rate{})
}
