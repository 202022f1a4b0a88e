package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// Person is a team member with the company, as the operator sees them.
type Person struct {
	Company   model.Company
	ID        model.ID
	Name      string
	Email     string
	Role      model.Role
	TwoFactor bool
}

// People lists the present members of all companies, or of one unless that is zero.
func (d System) People(ctx context.Context, company model.ID) ([]Person, error) {
	rows, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.Person, error) { return tx.People(company) })
	people := make([]Person, len(rows))
	for i, p := range rows {
		people[i] = Person(p)
	}
	return people, err
}

// FindPerson gives the member with an e-mail address. An address that belongs to several companies needs one of them.
func (d System) FindPerson(ctx context.Context, email string, company model.ID) (Person, error) {
	people, err := d.People(ctx, company)
	if err != nil {
		return Person{}, err
	}
	var found []Person
	for _, p := range people {
		if model.Fold(p.Email) == model.Fold(email) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return Person{}, model.NotFound("team member")
	case 1:
		return found[0], nil
	}
	return Person{}, model.Errorf(model.CodeCompanyRequired, "This address belongs to several companies.")
}

// SwitchTwoFactorOff lets a member who lost the device and the recovery codes sign in without a code.
func (d System) SwitchTwoFactorOff(ctx context.Context, p Person) error {
	_, err := write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		tx.SetTwoFactor(p.Company.ID, p.ID, nil, nil)
		tx.AfterCommit(d.forgetHolders)
		return struct{}{}, nil
	})
	return err
}
