package people

import (
	"context"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// AttendanceRules are the company's settings for attendances.
type AttendanceRules struct {
	Enabled                      bool       `json:"enabled" doc:"Whether conversations open attendances."`
	FirstResponderTakesOwnership bool       `json:"first_responder_takes_ownership" doc:"Whether the first member to answer an unassigned attendance becomes responsible for it."`
	Mode                         string     `json:"mode" enum:"restricted,liberal" doc:"In restricted mode, only the responsible person and members with the role manager or above can answer or close an attendance."`
	AutoClose                    AutoClose  `json:"auto_close"`
	GraceMinutes                 int64      `json:"grace_minutes" minimum:"0" maximum:"120" doc:"The number of minutes after closing during which the team's messages belong to the closed attendance instead of opening a new one."`
	GraceForCustomers            bool       `json:"grace_for_customers" doc:"Whether grace_minutes also applies to the customer's messages, so that they do not open a new attendance."`
	KeepRevoked                  bool       `json:"keep_revoked" doc:"Whether messages deleted by a customer keep their text and file."`
	RequireReason                bool       `json:"require_reason" doc:"Whether a person who closes an attendance must choose a closing reason."`
	HoursID                      *kernel.ID `json:"hours_id" doc:"The opening hours of channels and sectors without their own; null means always open."`
}

// AutoClose sets whether and when attendances without messages are closed.
type AutoClose struct {
	Enabled      bool  `json:"enabled"`
	AfterMinutes int64 `json:"after_minutes" minimum:"1" maximum:"525600" doc:"The number of minutes without a message."`
}

// The two modes of AttendanceRules.
const (
	ModeRestricted = "restricted"
	ModeLiberal    = "liberal"
)

// NewCompany describes a company to create.
type NewCompany struct {
	Name     string
	Timezone string // "" means America/Sao_Paulo
	Rules    AttendanceRules
}

// DefaultRules are the rules of a new company: attendances are on and never close automatically.
var DefaultRules = AttendanceRules{
	Enabled: true, FirstResponderTakesOwnership: true, Mode: ModeLiberal,
	AutoClose:    AutoClose{Enabled: false, AfterMinutes: 24 * 60},
	GraceMinutes: 10,
}

// CreateCompany creates a company and its attendances board, for the operator.
func (d *People) CreateCompany(ctx context.Context, in NewCompany) (kernel.Company, error) {
	c, err := newCompany("name", "timezone", in)
	if err != nil {
		return kernel.Company{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (kernel.Company, error) {
		err := d.insertCompany(tx, c, in.Rules)
		tx.Audit(nil, kernel.AuditEntry{
			Action: "company.created", Company: c.ID, Actor: kernel.AuditOperator(), Subject: companySubject(c), Changes: kernel.AuditChanges(nil, c),
		})
		return c, err
	})
}

func companySubject(c kernel.Company) kernel.AuditSubject {
	return kernel.NewAuditSubject("company", c.ID, c.Name)
}

func (d *People) insertCompany(tx *kernel.Tx, c kernel.Company, rules AttendanceRules) error {
	InsertCompany(tx, c, rules)
	for _, o := range d.observers {
		if o.CompanyCreated != nil {
			if err := o.CompanyCreated(tx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// newCompany validates a new company. Errors name the given fields.
func newCompany(nameField, zoneField string, in NewCompany) (kernel.Company, error) {
	name, invalid := kernel.Name(nameField, in.Name, kernel.MaxName)
	if invalid != nil {
		return kernel.Company{}, invalid
	}
	if in.Timezone == "" {
		in.Timezone = kernel.DefaultZone
	}
	if _, err := kernel.LoadZone(zoneField, in.Timezone); err != nil {
		return kernel.Company{}, err
	}
	return kernel.Company{ID: kernel.NewID(), Name: name, Timezone: in.Timezone}, nil
}

// Companies lists all companies, for the operator.
func (d *People) Companies(ctx context.Context) ([]kernel.Company, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]kernel.Company, error) {
		return kernel.Rows(tx, `SELECT id AS company, name AS company_name, timezone FROM companies ORDER BY id`, nil, scanCompany)
	})
}

// Operator returns the principal of the command line: the company's first owner with every scope.
func (d *People) Operator(ctx context.Context, company kernel.ID) (*kernel.Principal, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*kernel.Principal, error) {
		c, found, err := Company(tx, company)
		if err != nil || !found {
			return nil, kernel.ErrOr(err, kernel.NotFound("company"))
		}
		owner, _, err := selectRef(tx, `role = 'owner' AND removed_at IS NULL ORDER BY id LIMIT 1`, company)
		return kernel.SystemPrincipal(c, owner, d.KeyRate), err
	})
}

// NewInstallation describes the first company and its owner.
type NewInstallation struct {
	Token    string `json:"token" maxLength:"200" doc:"The token in the link printed by recado serve."`
	Company  string `json:"company" minLength:"1" maxLength:"120"`
	Timezone string `json:"timezone" maxLength:"60" example:"America/Sao_Paulo"`
	Name     string `json:"name" minLength:"1" maxLength:"120" doc:"The name of the owner."`
	Email    string `json:"email" maxLength:"254"`
	Password string `json:"password" doc:"Must have 10 to 256 characters."`
}

// SetupNeeded reports whether the installation has no company yet.
func (d *People) SetupNeeded(ctx context.Context) (bool, error) {
	exists, err := kernel.ReadOne(ctx, d.Kernel, hasCompany)
	return !exists, err
}

// NewSetupToken returns a token for creating the first company, which replaces any earlier one. It reports false if there
// is a company already.
func (d *People) NewSetupToken(ctx context.Context) (token string, needed bool, err error) {
	token, hash := newToken()
	needed, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		if exists, err := hasCompany(tx); err != nil || exists {
			return false, err
		}
		tx.Later(`DELETE FROM setup_tokens`)
		tx.Later(`INSERT INTO setup_tokens (hash) VALUES ($1)`, hash[:])
		return true, nil
	})
	return token, needed, err
}

// SetUp creates the first company and its owner, and signs the owner in.
func (d *People) SetUp(ctx context.Context, v kernel.Visitor, in NewInstallation) (NewSession, error) {
	needed, err := d.SetupNeeded(ctx)
	if err != nil || !needed {
		return NewSession{}, kernel.ErrOr(err, kernel.Errorf(kernel.CodeNotFound, "This installation is already set up."))
	}
	// The token is checked first: without it no expensive hash is computed and no other error is shown.
	hash := tokenHash(in.Token)
	if _, err := checkToken(ctx, d, v, errLoginFailed(), func(tx *kernel.Tx) (struct{}, bool, error) {
		valid, err := tx.One(`SELECT 1 FROM setup_tokens WHERE hash = $1`, []any{hash[:]}, func(db.Row) {})
		return struct{}{}, valid, err
	}); err != nil {
		return NewSession{}, err
	}
	company, err := newCompany("body.company", "body.timezone", NewCompany{Name: in.Company, Timezone: in.Timezone})
	if err != nil {
		return NewSession{}, err
	}
	owner, err := d.newUser(ctx, "body.", NewUser{
		Name: in.Name, Email: in.Email, Password: in.Password, Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll,
	})
	if err != nil {
		return NewSession{}, err
	}
	if owner.PasswordHash == nil {
		return NewSession{}, kernel.Required("body.password")
	}
	return d.newSession(ctx, v, company.ID, owner.ID, func(tx *kernel.Tx) error {
		if n, err := tx.Exec(`DELETE FROM setup_tokens WHERE hash = $1`, hash[:]); err != nil || n == 0 {
			return kernel.ErrOr(err, errLoginFailed())
		}
		if err := d.insertCompany(tx, company, DefaultRules); err != nil {
			return err
		}
		by := kernel.AuditUser(kernel.Ref{ID: owner.ID, Name: owner.Name})
		tx.Audit(nil, kernel.AuditEntry{
			Action: "company.created", Company: company.ID, Actor: by, Subject: companySubject(company), Changes: kernel.AuditChanges(nil, company),
		})
		tx.Audit(nil, kernel.AuditEntry{
			Action: "member.created", Company: company.ID, Actor: by, Subject: owner.subject(), Changes: memberChanges(nil, owner.Member),
		})
		_, err := InsertUser(tx, company.ID, owner)
		return err
	})
}

// CompanySettings is a company with its general settings.
type CompanySettings struct {
	kernel.Company
	PushTexts bool `json:"push_texts" doc:"Whether notifications on devices contain the beginning of the message. Otherwise they only say in which conversation something happened."`
}

// CompanyChange lists the settings to change; nil fields stay as they are.
type CompanyChange struct {
	Name      *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Timezone  *string `json:"timezone,omitempty" minLength:"1" maxLength:"64" doc:"An IANA time zone name."`
	PushTexts *bool   `json:"push_texts,omitempty" doc:"Whether notifications on devices contain the beginning of the message."`
}

// Company returns the principal's company.
func (d *People) Company(ctx context.Context, a *kernel.Principal) (CompanySettings, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (CompanySettings, error) { return companySettings(tx, a.Company.ID) })
}

func companySettings(tx *kernel.Tx, id kernel.ID) (CompanySettings, error) {
	c, _, err := Company(tx, id)
	if err != nil {
		return CompanySettings{}, err
	}
	texts, err := pushTexts(tx, id)
	return CompanySettings{c, texts}, err
}

// UpdateCompany changes the company. A new time zone makes the observers recount, which may wait for an earlier recount of the
// company.
func (d *People) UpdateCompany(ctx context.Context, a *kernel.Principal, in CompanyChange) (CompanySettings, error) {
	name, timezone := in.Name, in.Timezone
	if timezone != nil && *timezone == "" {
		return CompanySettings{}, kernel.Required("body.timezone")
	}
	change := NewCompany{Name: a.Company.Name}
	kernel.Set(&change.Name, name)
	kernel.Set(&change.Timezone, timezone)
	checked, err := newCompany("body.name", "body.timezone", change)
	if err != nil {
		return CompanySettings{}, err
	}
	var recounts []kernel.Recount
	for _, o := range d.observers {
		if o.ZoneChanges != nil {
			recounts = append(recounts, o.ZoneChanges(a.Company.ID))
		}
	}
	if timezone != nil && checked.Timezone != a.Company.Timezone { // otherwise Finish recounts, if necessary
		for _, r := range recounts {
			end, err := r.Begin(ctx, checked.Timezone)
			if err != nil {
				return CompanySettings{}, err
			}
			defer end()
		}
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (CompanySettings, error) {
		tx.LockCompany(a.Company.ID)
		c, err := companySettings(tx, a.Company.ID)
		if err != nil {
			return c, err
		}
		before := c
		if name != nil {
			c.Name = checked.Name
		}
		zoneChanged := timezone != nil && c.Timezone != checked.Timezone
		if zoneChanged {
			c.Timezone = checked.Timezone
		}
		kernel.Set(&c.PushTexts, in.PushTexts)
		tx.Later(`UPDATE companies SET name = $2, timezone = $3, push_texts = $4 WHERE id = $1`, c.ID, c.Name, c.Timezone, c.PushTexts)
		tx.AuditNoun(a, companySubject(c.Company), before, c)
		d.ForgetHolders(tx, a.Company.ID)
		for _, r := range recounts {
			if zoneChanged && err == nil {
				err = r.Finish(tx)
			}
		}
		return c, err
	})
}
