package servertest

import (
	"cmp"
	"context"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
)

// AddCompany makes a company and its owner the way the command line does. It gives the operator, who acts as the owner and
// may do everything, and the owner. Rules that are not given are those of a new company.
func AddCompany(t testing.TB, d *server.Desk, in people.NewCompany) (*kernel.Principal, people.Member) {
	t.Helper()
	if in.Rules.Mode == "" {
		in.Rules = people.DefaultRules
	}
	ctx, system := context.Background(), d
	company, err := system.People.CreateCompany(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	owner, _ := AddMember(t, d, company, people.NewUser{Name: "Owner of " + in.Name, Email: "owner@" + company.ID.String() + ".example", Role: kernel.RoleOwner})
	operator, err := system.People.Operator(ctx, company.ID)
	if err != nil {
		t.Fatal(err)
	}
	return operator, owner
}

// AddMember adds a member to a company the way the command line does, and gives them and the principal that they are when
// they are signed in. A member who is given no e-mail address gets one, without a role they are an agent, and without an
// access profile they see everything.
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
