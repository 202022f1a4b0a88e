package people

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// InsertCompany adds a company with its rules and its protocol counter.
func InsertCompany(tx *kernel.Tx, c kernel.Company, rules AttendanceRules) {
	tx.Later(`
		INSERT INTO companies (id, name, timezone, created_at, attendance_enabled, first_responder, mode, auto_close, auto_close_minutes, grace_minutes, grace_for_customers,
			checks_stale)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, FALSE)`,
		c.ID, c.Name, c.Timezone, tx.Now, rules.Enabled, rules.FirstResponderTakesOwnership, rules.Mode, rules.AutoClose.Enabled, rules.AutoClose.AfterMinutes,
		rules.GraceMinutes, rules.GraceForCustomers)
	tx.Later(`INSERT INTO protocols (company, last, last_private) VALUES ($1, 0, 0)`, c.ID)
}

// Company gives a company.
func Company(tx *kernel.Tx, id kernel.ID) (kernel.Company, bool, error) {
	var c kernel.Company
	found, err := tx.One(`SELECT id, name, timezone FROM companies WHERE id = $1`, []any{id}, func(r db.Row) {
		c = kernel.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)}
	})
	return c, found, err
}

// Zone is the time zone in which the company's days begin.
func Zone(tx *kernel.Tx, company kernel.ID) (*time.Location, error) {
	c, found, err := Company(tx, company)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, kernel.NotFound("company")
	}
	zone, invalid := kernel.LoadZone("timezone", c.Timezone)
	if invalid != nil {
		return nil, invalid
	}
	return zone, nil
}

// saveCompany writes the name and the time zone of a company.
func saveCompany(tx *kernel.Tx, c kernel.Company) {
	tx.Later(`UPDATE companies SET name = $2, timezone = $3 WHERE id = $1`, c.ID, c.Name, c.Timezone)
}

// listCompanies lists all companies, oldest first: for the operator's command line only.
func listCompanies(tx *kernel.Tx) ([]kernel.Company, error) {
	var out []kernel.Company
	err := tx.Query(`SELECT id, name, timezone FROM companies ORDER BY id`, nil, func(r db.Row) error {
		out = append(out, kernel.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)})
		return nil
	})
	return out, err
}

// ListAttendanceRules gives the company's rules.
func ListAttendanceRules(tx *kernel.Tx, company kernel.ID) (AttendanceRules, error) {
	var rules AttendanceRules
	_, err := tx.One(`
		SELECT attendance_enabled, first_responder, mode, auto_close, auto_close_minutes, keep_revoked, hours, grace_minutes, grace_for_customers
		FROM companies
		WHERE id = $1`, []any{company}, func(r db.Row) {
		rules = AttendanceRules{
			Enabled: r.Bool(0), FirstResponderTakesOwnership: r.Bool(1), Mode: r.Text(2),
			AutoClose: AutoClose{Enabled: r.Bool(3), AfterMinutes: r.Int(4)}, KeepRevoked: r.Bool(5), HoursID: r.NullID(6),
			GraceMinutes: r.Int(7), GraceForCustomers: r.Bool(8),
		}
	})
	return rules, err
}

// LockRules gives the company's rules and keeps other transactions from changing them, and from opening an
// attendance, until the end of the transaction.
func LockRules(tx *kernel.Tx, company kernel.ID) (AttendanceRules, error) {
	if _, err := tx.One(`SELECT last FROM protocols WHERE company = $1`+tx.ForUpdate(), []any{company}, func(db.Row) {}); err != nil {
		return AttendanceRules{}, err
	}
	return ListAttendanceRules(tx, company)
}

// SaveAttendanceRules writes the company's rules. Where the one of automatic closing changes, the open
// attendances wait to be scheduled again: see StaleSchedules.
func SaveAttendanceRules(tx *kernel.Tx, company kernel.ID, rules AttendanceRules) {
	tx.Later(`
		UPDATE companies
		SET attendance_enabled = $2, first_responder = $3, mode = $4, auto_close = $5, auto_close_minutes = $6, keep_revoked = $7, hours = $8,
			grace_minutes = $9, grace_for_customers = $10,
			checks_stale = checks_stale OR auto_close <> $5 OR auto_close_minutes <> $6
		WHERE id = $1`,
		company, rules.Enabled, rules.FirstResponderTakesOwnership, rules.Mode, rules.AutoClose.Enabled, rules.AutoClose.AfterMinutes,
		rules.KeepRevoked, rules.HoursID, rules.GraceMinutes, rules.GraceForCustomers)
}
