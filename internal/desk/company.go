package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// NewCompany is what a company starts with.
type NewCompany struct {
	Name     string
	Timezone string // "" means America/Sao_Paulo
	Rules    model.AttendanceRules
}

// DefaultRules are those of a new company: attendances on, nothing closed by itself.
var DefaultRules = model.AttendanceRules{
	Enabled: true, FirstResponderTakesOwnership: true, Mode: model.ModeLiberal,
	AutoClose:    model.AutoClose{Enabled: false, AfterMinutes: 24 * 60},
	GraceMinutes: 10,
}

// CreateCompany adds a company with its attendances board. It is for the operator, not for the API.
func (d System) CreateCompany(ctx context.Context, in NewCompany) (model.Company, error) {
	c, err := newCompany("name", "timezone", in)
	if err != nil {
		return model.Company{}, err
	}
	return write(ctx, d.Desk, func(tx *store.Tx) (model.Company, error) {
		tx.InsertCompany(c, in.Rules)
		createAttendancesBoard(tx, c.ID)
		return c, nil
	})
}

// newCompany checks and completes a company; the first two arguments name the fields.
func newCompany(nameField, zoneField string, in NewCompany) (model.Company, error) {
	name, invalid := model.Name(nameField, in.Name, model.MaxName)
	if invalid != nil {
		return model.Company{}, invalid
	}
	if in.Timezone == "" {
		in.Timezone = model.DefaultZone
	}
	if _, err := model.LoadZone(zoneField, in.Timezone); err != nil {
		return model.Company{}, err
	}
	return model.Company{ID: model.NewID(), Name: name, Timezone: in.Timezone}, nil
}

// Companies lists all companies, for the operator.
func (d System) Companies(ctx context.Context) ([]model.Company, error) {
	return read(ctx, d.Desk, func(tx *store.Tx) ([]model.Company, error) { return tx.Companies() })
}

// Operator is the principal of the command line: the company's owner with every scope.
func (d System) Operator(ctx context.Context, company model.ID) (*Principal, error) {
	return read(ctx, d.Desk, func(tx *store.Tx) (*Principal, error) {
		c, found, err := tx.Company(company)
		if err != nil || !found {
			return nil, errOr(err, model.NotFound("company"))
		}
		owner, _, err := tx.OwnerOf(company)
		return SystemPrincipal(c, owner, d.rate), err
	})
}

// NewInstallation is what the first company starts with.
type NewInstallation struct {
	Token    string
	Company  string
	Timezone string
	Name     string
	Email    string
	Password string
}

// SetupNeeded reports whether the installation has no company yet.
func (d System) SetupNeeded(ctx context.Context) (bool, error) {
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
func (d System) SetUp(ctx context.Context, v Visitor, in NewInstallation) (NewSession, error) {
	needed, err := d.SetupNeeded(ctx)
	if err != nil || !needed {
		return NewSession{}, errOr(err, model.Errorf(model.CodeNotFound, "This installation is already set up."))
	}
	// The token is checked first: without it no expensive hash is computed and no other error is shown.
	if _, err := checkToken(ctx, d.Desk, v, errLoginFailed(), func(tx *store.Tx) (struct{}, bool, error) {
		known, err := tx.KnowsSetupToken(tokenHash(in.Token))
		return struct{}{}, known, err
	}); err != nil {
		return NewSession{}, err
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

// Company gives the principal's company.
func (d *Desk) Company(ctx context.Context, a *Principal) (model.Company, error) {
	if err := a.May(VerbCompany); err != nil {
		return model.Company{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Company, error) {
		c, _, err := tx.Company(a.Company.ID)
		return c, err
	})
}

// UpdateCompany changes the name and the time zone of the company; nil leaves either as it is. The days of the report
// follow the time zone; the recounts of one company take turns, and wait while they take more than its share of time.
func (d *Desk) UpdateCompany(ctx context.Context, a *Principal, name, timezone *string) (model.Company, error) {
	if err := a.May(VerbUpdateCompany); err != nil {
		return model.Company{}, err
	}
	var change NewCompany
	set(&change.Name, name)
	set(&change.Timezone, timezone)
	if timezone != nil && *timezone == "" {
		return model.Company{}, model.Invalid("body.timezone", "must not be empty")
	}
	if name == nil {
		change.Name = a.Company.Name
	}
	checked, err := newCompany("body.name", "body.timezone", change)
	if err != nil {
		return model.Company{}, err
	}
	recount := &recount{Reported: store.Reported{Company: a.Company.ID}}
	if timezone != nil && checked.Timezone != a.Company.Timezone { // else there is nothing to count, or finish does
		end, err := d.reports.budget.Begin(ctx, a.Company.ID)
		if err != nil {
			return model.Company{}, err
		}
		defer end()
		if _, err := read(ctx, d, func(tx *store.Tx) (struct{}, error) {
			c, _, err := tx.Company(a.Company.ID)
			if err == nil && c.Timezone != checked.Timezone {
				err = recount.begin(tx, checked.Timezone)
			}
			return struct{}{}, err
		}); err != nil {
			return model.Company{}, err
		}
	}
	return write(ctx, d, func(tx *store.Tx) (model.Company, error) {
		tx.LockCompany(a.Company.ID)
		c, _, err := tx.Company(a.Company.ID)
		if err != nil {
			return c, err
		}
		if name != nil {
			c.Name = checked.Name
		}
		moved := timezone != nil && c.Timezone != checked.Timezone
		if moved {
			c.Timezone = checked.Timezone
		}
		tx.SaveCompany(c)
		d.forgetHolders(tx, a.Company.ID)
		if moved {
			err = recount.finish(tx)
		}
		return c, err
	})
}
