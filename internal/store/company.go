package store

import (
	"time"

	"recado/internal/model"
)

// InsertCompany adds a company with its rules and its protocol counter.
func (tx *Tx) InsertCompany(c model.Company, rules model.AttendanceRules) {
	tx.later(`
		INSERT INTO companies (id, name, timezone, created_at, attendance_enabled, first_responder, mode, auto_close, auto_close_minutes, grace_minutes, grace_for_customers,
			checks_stale)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, FALSE)`,
		c.ID, c.Name, c.Timezone, tx.Now, rules.Enabled, rules.FirstResponderTakesOwnership, rules.Mode, rules.AutoClose.Enabled, rules.AutoClose.AfterMinutes,
		rules.GraceMinutes, rules.GraceForCustomers)
	tx.later(`INSERT INTO protocols (company, last, last_private) VALUES ($1, 0, 0)`, c.ID)
}

// Company gives a company.
func (tx *Tx) Company(id model.ID) (model.Company, bool, error) {
	var c model.Company
	found, err := tx.one(`SELECT id, name, timezone FROM companies WHERE id = $1`, []any{id}, func(r Row) {
		c = model.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)}
	})
	return c, found, err
}

// Zone is the time zone in which the company's days begin.
func (tx *Tx) Zone(company model.ID) (*time.Location, error) {
	c, found, err := tx.Company(company)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, model.NotFound("company")
	}
	zone, invalid := model.LoadZone("timezone", c.Timezone)
	if invalid != nil {
		return nil, invalid
	}
	return zone, nil
}

// SaveCompany writes the name and the time zone of a company.
func (tx *Tx) SaveCompany(c model.Company) {
	tx.later(`UPDATE companies SET name = $2, timezone = $3 WHERE id = $1`, c.ID, c.Name, c.Timezone)
}

// Companies lists all companies, oldest first: for the operator's command line only.
func (tx *Tx) Companies() ([]model.Company, error) {
	var out []model.Company
	err := tx.query(`SELECT id, name, timezone FROM companies ORDER BY id`, nil, func(r Row) error {
		out = append(out, model.Company{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2)})
		return nil
	})
	return out, err
}

// AttendanceRules gives the company's rules.
func (tx *Tx) AttendanceRules(company model.ID) (model.AttendanceRules, error) {
	var rules model.AttendanceRules
	_, err := tx.one(`
		SELECT attendance_enabled, first_responder, mode, auto_close, auto_close_minutes, keep_revoked, hours, grace_minutes, grace_for_customers
		FROM companies
		WHERE id = $1`, []any{company}, func(r Row) {
		rules = model.AttendanceRules{
			Enabled: r.Bool(0), FirstResponderTakesOwnership: r.Bool(1), Mode: r.Text(2),
			AutoClose: model.AutoClose{Enabled: r.Bool(3), AfterMinutes: r.Int(4)}, KeepRevoked: r.Bool(5), HoursID: r.NullID(6),
			GraceMinutes: r.Int(7), GraceForCustomers: r.Bool(8),
		}
	})
	return rules, err
}

// LockRules gives the company's rules and keeps other transactions from changing them, and from opening an
// attendance, until the end of the transaction.
func (tx *Tx) LockRules(company model.ID) (model.AttendanceRules, error) {
	if _, err := tx.one(`SELECT last FROM protocols WHERE company = $1`+tx.forUpdate(), []any{company}, func(Row) {}); err != nil {
		return model.AttendanceRules{}, err
	}
	return tx.AttendanceRules(company)
}

// SaveAttendanceRules writes the company's rules. Where the one of automatic closing changes, the open
// attendances wait to be scheduled again: see StaleSchedules.
func (tx *Tx) SaveAttendanceRules(company model.ID, rules model.AttendanceRules) {
	tx.later(`
		UPDATE companies
		SET attendance_enabled = $2, first_responder = $3, mode = $4, auto_close = $5, auto_close_minutes = $6, keep_revoked = $7, hours = $8,
			grace_minutes = $9, grace_for_customers = $10,
			checks_stale = checks_stale OR auto_close <> $5 OR auto_close_minutes <> $6
		WHERE id = $1`,
		company, rules.Enabled, rules.FirstResponderTakesOwnership, rules.Mode, rules.AutoClose.Enabled, rules.AutoClose.AfterMinutes,
		rules.KeepRevoked, rules.HoursID, rules.GraceMinutes, rules.GraceForCustomers)
}

// Countable is a statement that counts what a company may have a limited number of.
type Countable string

// What is counted.
const (
	CountKeys        Countable = `SELECT COUNT(*) FROM keys WHERE company = $1 AND revoked_at IS NULL`
	CountMembers     Countable = `SELECT COUNT(*) FROM users WHERE company = $1 AND removed_at IS NULL`
	CountInvitations Countable = `SELECT COUNT(*) FROM invitations WHERE company = $1`
	CountSectors     Countable = `SELECT COUNT(*) FROM sectors WHERE company = $1 AND removed_at IS NULL`
	CountMemberships Countable = `SELECT COUNT(*) FROM sectors s JOIN sector_members m ON m.sector = s.id WHERE s.company = $1 AND s.removed_at IS NULL`
	CountChannels    Countable = `SELECT COUNT(*) FROM channels WHERE company = $1 AND NOT private AND archived_at IS NULL`
	CountPrivate     Countable = `SELECT COUNT(*) FROM channels WHERE company = $1 AND private AND archived_at IS NULL`
	CountViewers     Countable = `SELECT COUNT(*) FROM channel_viewers WHERE company = $1`
	CountLabels      Countable = `SELECT COUNT(*) FROM labels WHERE company = $1 AND name <> ''`
	CountBoards      Countable = `SELECT COUNT(*) FROM boards WHERE company = $1`
	CountSharedViews Countable = `SELECT COUNT(*) FROM views WHERE company = $1 AND shared`
	CountHours       Countable = `SELECT COUNT(*) FROM hours WHERE company = $1`
	CountWebhooks    Countable = `SELECT COUNT(*) FROM webhooks WHERE company = $1`
)

// Count gives how many of something a company has. No other transaction that counts can add one before
// this one ends.
func (tx *Tx) Count(what Countable, company model.ID) (int64, error) {
	tx.LockCompany(company)
	var n int64
	_, err := tx.one(string(what), []any{company}, func(r Row) { n = r.Int(0) })
	return n, err
}

// LockCompany keeps other transactions that count or lock waiting until the end of this one. SQLite has one
// writer and needs no locks.
func (tx *Tx) LockCompany(company model.ID) {
	tx.ShareVisibility(company)
	if tx.dialect().ConcurrentWrites() {
		tx.later(`SELECT id FROM companies WHERE id = $1 FOR NO KEY UPDATE`, company)
	}
}
