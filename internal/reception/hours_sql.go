package reception

import (
	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const hoursColumns = `h.id, h.name, h.timezone, h.weekly, h.exceptions, h.created_at, h.updated_at`

func scanHours(r db.Row) (Hours, error) {
	h := Hours{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2), CreatedAt: r.Time(5), UpdatedAt: r.Time(6)}
	if err := json.Unmarshal([]byte(r.Text(3)), &h.Weekly); err != nil {
		return h, err
	}
	return h, json.Unmarshal([]byte(r.Text(4)), &h.Exceptions)
}

// allHours lists the company's opening hours by name.
func allHours(tx *kernel.Tx, company kernel.ID) ([]Hours, error) {
	var out []Hours
	err := tx.Query(`SELECT `+hoursColumns+` FROM hours h WHERE h.company = $1 ORDER BY h.name, h.id`, []any{company}, func(r db.Row) error {
		h, err := scanHours(r)
		out = append(out, h)
		return err
	})
	return out, err
}

// listHours gives one of the company's opening hours.
func listHours(tx *kernel.Tx, company, id kernel.ID) (Hours, bool, error) {
	return selectHours(tx, `WHERE h.company = $1 AND h.id = $2`, company, id)
}

// lockHours is Hours, and keeps other transactions from changing, deleting and naming them until the end of this one.
func lockHours(tx *kernel.Tx, company, id kernel.ID) (Hours, bool, error) {
	return selectHours(tx, `WHERE h.company = $1 AND h.id = $2`+tx.ForUpdate(), company, id)
}

func selectHours(tx *kernel.Tx, where string, args ...any) (h Hours, found bool, err error) {
	found, failed := tx.One(`SELECT `+hoursColumns+` FROM hours h `+where, args, func(r db.Row) { h, err = scanHours(r) })
	if failed != nil {
		err = failed
	}
	return h, found, err
}

// insertHours adds opening hours.
func insertHours(tx *kernel.Tx, company kernel.ID, h *Hours) {
	tx.Later(`
		INSERT INTO hours (company, id, name, timezone, weekly, exceptions, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, h.ID, h.Name, h.Timezone, kernel.WriteList(h.Weekly), kernel.WriteList(h.Exceptions), h.CreatedAt, h.UpdatedAt)
}

// saveHours writes changed opening hours.
func saveHours(tx *kernel.Tx, company kernel.ID, h *Hours) {
	tx.Later(`
		UPDATE hours
		SET name = $3, timezone = $4, weekly = $5, exceptions = $6, updated_at = $7
		WHERE company = $1 AND id = $2`,
		company, h.ID, h.Name, h.Timezone, kernel.WriteList(h.Weekly), kernel.WriteList(h.Exceptions), h.UpdatedAt)
}

// deleteHours removes opening hours. Channels that name them, which HoursInUse did not count, have none of their own afterwards.
func deleteHours(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`UPDATE channels SET hours = NULL, updated_at = $3 WHERE company = $1 AND hours = $2`, company, id, tx.Now)
	tx.Later(`DELETE FROM hours WHERE company = $1 AND id = $2`, company, id)
}

// hoursInUse reports whether the company, a channel or a sector names the opening hours. Of the private channels only those
// that the caller views count.
func hoursInUse(tx *kernel.Tx, company, id kernel.ID, views []kernel.ID) (used bool, err error) {
	s := tx.Statement()
	of, hours := s.Arg(company), s.Arg(id)
	channels := "NOT private"
	if len(views) > 0 {
		channels = "(NOT private OR " + s.In("id", views) + ")"
	}
	s.WriteString(`
		SELECT EXISTS (SELECT 1 FROM companies WHERE id = ` + of + ` AND hours = ` + hours + `)
			OR EXISTS (SELECT 1 FROM channels WHERE company = ` + of + ` AND hours = ` + hours + ` AND ` + channels + `)
			OR EXISTS (SELECT 1 FROM sectors WHERE company = ` + of + ` AND hours = ` + hours + ` AND removed_at IS NULL)`)
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { used = r.Bool(0) })
	return used, err
}

// hoursOf gives the opening hours that count for a channel and a sector, which may be nil: those of the sector, else of the
// channel, else of the company. It is false where none of them names any.
func hoursOf(tx *kernel.Tx, company, channel kernel.ID, sector *kernel.ID) (Hours, bool, error) {
	return selectHours(tx, `
		WHERE h.company = $1 AND h.id = COALESCE(
			(SELECT hours FROM sectors WHERE company = $1 AND id = $3 AND removed_at IS NULL),
			(SELECT hours FROM channels WHERE company = $1 AND id = $2),
			(SELECT hours FROM companies WHERE id = $1))`, company, channel, sector)
}
