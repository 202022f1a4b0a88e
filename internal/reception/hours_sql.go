package reception

import (
	"cmp"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const hoursColumns = `h.id, h.name, h.timezone, h.weekly, h.exceptions, h.created_at, h.updated_at`

func scanHours(r db.Row) (Hours, error) {
	h := Hours{ID: r.ID("id"), Name: r.Text("name"), Timezone: r.Text("timezone")}
	if err := json.Unmarshal([]byte(r.Text("weekly")), &h.Weekly); err != nil {
		return h, err
	}
	err := json.Unmarshal([]byte(r.Text("exceptions")), &h.Exceptions)
	h.CreatedAt, h.UpdatedAt = r.Time("created_at"), r.Time("updated_at")
	return h, err
}

// allHours returns the company's opening hours by name.
func allHours(tx *kernel.Tx, company kernel.ID) ([]Hours, error) {
	var out []Hours
	err := tx.Query(`SELECT `+hoursColumns+` FROM hours h WHERE h.company = $1 ORDER BY h.name, h.id`,
		[]any{company}, func(r db.Row) error {
			h, err := scanHours(r)
			out = append(out, h)
			return err
		})
	return out, err
}

// findHours returns opening hours of the company, or a not-found error.
func findHours(tx *kernel.Tx, company, id kernel.ID) (Hours, error) {
	return orNotFound(selectHours(tx, `WHERE h.company = $1 AND h.id = $2`, company, id))
}

// lockHours is findHours, and keeps other transactions from changing, deleting and choosing the hours until the end of this one.
func lockHours(tx *kernel.Tx, company, id kernel.ID) (Hours, error) {
	return orNotFound(selectHours(tx, `WHERE h.company = $1 AND h.id = $2`+tx.ForUpdate(), company, id))
}

func orNotFound(h Hours, found bool, err error) (Hours, error) {
	if err == nil && !found {
		err = kernel.NotFound("set of opening hours")
	}
	return h, err
}

func selectHours(tx *kernel.Tx, where string, args ...any) (h Hours, found bool, err error) {
	var scanErr error
	found, err = tx.One(`SELECT `+hoursColumns+` FROM hours h `+where, args, func(r db.Row) { h, scanErr = scanHours(r) })
	return h, found, cmp.Or(err, scanErr)
}

func insertHours(tx *kernel.Tx, company kernel.ID, h *Hours) {
	tx.Later(`
		INSERT INTO hours (company, id, name, timezone, weekly, exceptions, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, h.ID, h.Name, h.Timezone, kernel.WriteList(h.Weekly), kernel.WriteList(h.Exceptions), h.CreatedAt, h.UpdatedAt)
}

func saveHours(tx *kernel.Tx, company kernel.ID, h *Hours) {
	tx.Later(`
		UPDATE hours
		SET name = $3, timezone = $4, weekly = $5, exceptions = $6, updated_at = $7
		WHERE company = $1 AND id = $2`,
		company, h.ID, h.Name, h.Timezone, kernel.WriteList(h.Weekly), kernel.WriteList(h.Exceptions), h.UpdatedAt)
}

// deleteHours deletes opening hours. Channels that use them, which hoursInUse did not count, have none afterwards.
func deleteHours(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`UPDATE channels SET hours = NULL, updated_at = $3 WHERE company = $1 AND hours = $2`, company, id, tx.Now)
	tx.Later(`DELETE FROM hours WHERE company = $1 AND id = $2`, company, id)
}

// hoursInUse reports whether the company, a channel or a sector uses the opening hours. Private channels count only if the caller
// may see them.
func hoursInUse(tx *kernel.Tx, company, id kernel.ID, views []kernel.ID) (used bool, err error) {
	s := tx.Statement()
	owner, hours := s.Arg(company), s.Arg(id)
	channels := "NOT private"
	if len(views) > 0 {
		channels = "(NOT private OR " + s.In("id", views) + ")"
	}
	s.WriteString(`
		SELECT EXISTS (SELECT 1 FROM companies WHERE id = ` + owner + ` AND hours = ` + hours + `)
			OR EXISTS (SELECT 1 FROM channels WHERE company = ` + owner + ` AND hours = ` + hours + ` AND ` + channels + `)
			OR EXISTS (SELECT 1 FROM sectors WHERE company = ` + owner + ` AND hours = ` + hours + ` AND removed_at IS NULL) AS used`)
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { used = r.Bool("used") })
	return used, err
}

// hoursOf returns the opening hours of a sector, which may be nil, or else those of a channel, or else those of the company. It
// reports false if none of them has any.
func hoursOf(tx *kernel.Tx, company, channel kernel.ID, sector *kernel.ID) (Hours, bool, error) {
	return selectHours(tx, `
		WHERE h.company = $1 AND h.id = COALESCE(
			(SELECT hours FROM sectors WHERE company = $1 AND id = $3 AND removed_at IS NULL),
			(SELECT hours FROM channels WHERE company = $1 AND id = $2),
			(SELECT hours FROM companies WHERE id = $1))`, company, channel, sector)
}
