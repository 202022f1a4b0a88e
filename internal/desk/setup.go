package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// SetUp is what the first company starts with.
type SetUp struct {
	Token    string
	Company  string
	Timezone string
	Name     string
	Email    string
	Password string
}

// SetupNeeded reports whether the installation has no company yet.
func (d Entrance) SetupNeeded(ctx context.Context) (bool, error) {
	has, err := readOne(ctx, d.Desk, func(tx *store.Tx) (bool, error) { return tx.HasCompany() })
	return !has, err
}

// NewSetupToken gives the token with which the first company is made, in place of an earlier one. It reports false
// where there is a company already.
func (d System) NewSetupToken(ctx context.Context) (token string, needed bool, err error) {
	token, hash := newToken()
	needed, err = write(ctx, d.Desk, func(tx *store.Tx) (bool, error) {
		if has, err := tx.HasCompany(); err != nil || has {
			return false, err
		}
		tx.SetSetupToken(hash)
		return true, nil
	})
	return token, needed, err
}

// SetUp makes the first company and its owner, and signs the owner in.
func (d Entrance) SetUp(ctx context.Context, v Visitor, in SetUp) (NewSession, error) {
	needed, err := d.SetupNeeded(ctx)
	if err != nil || !needed {
		return NewSession{}, errOr(err, model.Errorf(model.CodeNotFound, "This installation is set up already."))
	}
	// The token first: without it nothing is worth an expensive hash or tells what is wrong.
	known, err := read(ctx, d.Desk, func(tx *store.Tx) (bool, error) { return tx.KnowsSetupToken(tokenHash(in.Token)) })
	if err != nil || !known {
		return NewSession{}, errOr(err, errLoginFailed())
	}
	company, err := newCompany("body.company", "body.timezone", NewCompany{Name: in.Company, Timezone: in.Timezone, Rules: DefaultRules})
	if err != nil {
		return NewSession{}, err
	}
	owner, err := d.newUser(ctx, "body.", NewUser{
		Name: in.Name, Email: in.Email, Password: in.Password, Role: model.RoleOwner, AccessProfile: model.AccessAll,
	})
	if err != nil {
		return NewSession{}, err
	}
	if owner.PasswordHash == nil {
		return NewSession{}, model.Invalid("body.password", "is required")
	}
	return d.newSession(ctx, v, company.ID, owner.ID, func(tx *store.Tx) error {
		used, err := tx.UseSetupToken(tokenHash(in.Token))
		if err != nil || !used {
			return errOr(err, errLoginFailed())
		}
		tx.InsertCompany(company, DefaultRules)
		createAttendancesBoard(tx, company.ID)
		_, err = tx.InsertUser(company.ID, owner)
		return err
	})
}
