package people

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// InsertCompany stores a company with its rules and its protocol counter.
func InsertCompany(tx *kernel.Tx, c kernel.Company, rules AttendanceRules) {
	tx.Later(`
		INSERT INTO companies (id, name, timezone, created_at, attendance_enabled, first_responder, mode, auto_close,
			auto_close_minutes, grace_minutes, grace_for_customers, checks_stale)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, FALSE)`,
		c.ID, c.Name, c.Timezone, tx.Now, rules.Enabled, rules.FirstResponderTakesOwnership, rules.Mode, rules.AutoClose.Enabled,
		rules.AutoClose.AfterMinutes, rules.GraceMinutes, rules.GraceForCustomers)
	tx.Later(`INSERT INTO protocols (company, last, last_private) VALUES ($1, 0, 0)`, c.ID)
}

func scanCompany(r db.Row) kernel.Company {
	return kernel.Company{ID: r.ID("company"), Name: r.Text("company_name"), Timezone: r.Text("timezone")}
}

// Company finds a company.
func Company(tx *kernel.Tx, id kernel.ID) (c kernel.Company, found bool, err error) {
	return kernel.Row(tx, `SELECT id AS company, name AS company_name, timezone FROM companies WHERE id = $1`, []any{id}, scanCompany)
}

// Zone returns the company's time zone.
func Zone(tx *kernel.Tx, company kernel.ID) (*time.Location, error) {
	c, found, err := Company(tx, company)
	if err != nil || !found {
		return nil, kernel.ErrOr(err, kernel.NotFound("company"))
	}
	zone, invalid := kernel.LoadZone("timezone", c.Timezone)
	if invalid != nil {
		return nil, invalid
	}
	return zone, nil
}

// ListAttendanceRules returns the company's rules.
func ListAttendanceRules(tx *kernel.Tx, company kernel.ID) (AttendanceRules, error) {
	rules, _, err := kernel.Row(tx, `
		SELECT attendance_enabled, first_responder, mode, auto_close, auto_close_minutes, grace_minutes, grace_for_customers,
			keep_revoked, require_reason, hours
		FROM companies
		WHERE id = $1`, []any{company}, func(r db.Row) AttendanceRules {
		return AttendanceRules{
			Enabled: r.Bool("attendance_enabled"), FirstResponderTakesOwnership: r.Bool("first_responder"), Mode: r.Text("mode"),
			AutoClose:    AutoClose{Enabled: r.Bool("auto_close"), AfterMinutes: r.Int("auto_close_minutes")},
			GraceMinutes: r.Int("grace_minutes"), GraceForCustomers: r.Bool("grace_for_customers"),
			KeepRevoked: r.Bool("keep_revoked"), RequireReason: r.Bool("require_reason"), HoursID: r.NullID("hours"),
		}
	})
	return rules, err
}

// LockRules returns the company's rules. Until the transaction ends, no other one can change them or open an attendance.
func LockRules(tx *kernel.Tx, company kernel.ID) (AttendanceRules, error) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT last FROM protocols WHERE company = $1 FOR UPDATE`, company)
	}
	return ListAttendanceRules(tx, company)
}

// SaveAttendanceRules stores the company's rules. If automatic closing changes, the open attendances are marked to be
// scheduled again: see StaleSchedules.
func SaveAttendanceRules(tx *kernel.Tx, company kernel.ID, rules AttendanceRules) {
	tx.Later(`
		UPDATE companies
		SET attendance_enabled = $2, first_responder = $3, mode = $4, auto_close = $5, auto_close_minutes = $6,
			keep_revoked = $7, hours = $8, grace_minutes = $9, grace_for_customers = $10, require_reason = $11,
			checks_stale = checks_stale OR auto_close <> $5 OR auto_close_minutes <> $6
		WHERE id = $1`,
		company, rules.Enabled, rules.FirstResponderTakesOwnership, rules.Mode, rules.AutoClose.Enabled, rules.AutoClose.AfterMinutes,
		rules.KeepRevoked, rules.HoursID, rules.GraceMinutes, rules.GraceForCustomers, rules.RequireReason)
}
