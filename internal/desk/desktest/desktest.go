// Package desktest makes companies for the tests of packages above the desk.
package desktest

import (
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
	owner, err := system.CreateUser(ctx, company.ID, desk.NewUser{
		Name: "Owner of " + in.Name, Email: "owner@" + company.ID.String() + ".example", Role: model.RoleOwner, AccessProfile: model.AccessAll,
	})
	if err != nil {
		t.Fatal(err)
	}
	operator, err := system.Operator(ctx, company.ID)
	if err != nil {
		t.Fatal(err)
	}
	return operator, owner
}
