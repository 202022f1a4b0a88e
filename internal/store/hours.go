package store

import (
	"github.com/go-json-experiment/json"

	"recado/internal/model"
)

const hoursColumns = `h.id, h.name, h.timezone, h.weekly, h.exceptions, h.created_at, h.updated_at`

func scanHours(r Row) (model.Hours, error) {
	h := model.Hours{ID: r.ID(0), Name: r.Text(1), Timezone: r.Text(2), CreatedAt: r.Time(5), UpdatedAt: r.Time(6)}
	if err := json.Unmarshal([]byte(r.Text(3)), &h.Weekly); err != nil {
		return h, err
	}
	return h, json.Unmarshal([]byte(r.Text(4)), &h.Exceptions)
}

// AllHours lists the company's opening hours by name.
func (tx *Tx) AllHours(company model.ID) ([]model.Hours, error) {
	var out []model.Hours
	err := tx.query(`SELECT `+hoursColumns+` FROM hours h WHERE h.company = $1 ORDER BY h.name, h.id`, []any{company}, func(r Row) error {
		h, err := scanHours(r)
		out = append(out, h)
		return err
	})
	return out, err
}

// Hours gives one of the company's opening hours.
func (tx *Tx) Hours(company, id model.ID) (model.Hours, bool, error) {
	return tx.hours(`WHERE h.company = $1 AND h.id = $2`, company, id)
}

// LockHours is Hours, and keeps other transactions from changing, deleting and naming them until the end of this one.
func (tx *Tx) LockHours(company, id model.ID) (model.Hours, bool, error) {
	return tx.hours(`WHERE h.company = $1 AND h.id = $2`+tx.forUpdate(), company, id)
}

func (tx *Tx) hours(where string, args ...any) (h model.Hours, found bool, err error) {
	found, failed := tx.one(`SELECT `+hoursColumns+` FROM hours h `+where, args, func(r Row) { h, err = scanHours(r) })
	if failed != nil {
		err = failed
	}
	return h, found, err
}

// KeepHours reports whether the company has opening hours, and keeps them from being deleted until the end of the
// transaction.
func (tx *Tx) KeepHours(company, id model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM hours WHERE company = $1 AND id = $2`+tx.forShare(), []any{company, id}, func(Row) {})
}

// InsertHours adds opening hours.
func (tx *Tx) InsertHours(company model.ID, h *model.Hours) {
	tx.later(`
		INSERT INTO hours (company, id, name, timezone, weekly, exceptions, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, h.ID, h.Name, h.Timezone, writeList(h.Weekly), writeList(h.Exceptions), h.CreatedAt, h.UpdatedAt)
}

// SaveHours writes changed opening hours.
func (tx *Tx) SaveHours(company model.ID, h *model.Hours) {
	tx.later(`
		UPDATE hours
		SET name = $3, timezone = $4, weekly = $5, exceptions = $6, updated_at = $7
		WHERE company = $1 AND id = $2`,
		company, h.ID, h.Name, h.Timezone, writeList(h.Weekly), writeList(h.Exceptions), h.UpdatedAt)
}

// DeleteHours removes opening hours. Channels that name them, which HoursInUse did not count, have none of their own afterwards.
func (tx *Tx) DeleteHours(company, id model.ID) {
	tx.later(`UPDATE channels SET hours = NULL, updated_at = $3 WHERE company = $1 AND hours = $2`, company, id, tx.Now)
	tx.later(`DELETE FROM hours WHERE company = $1 AND id = $2`, company, id)
}

// HoursInUse reports whether the company, a channel or a sector names the opening hours. Of the private channels only those
// that the caller views count.
func (tx *Tx) HoursInUse(company, id model.ID, views []model.ID) (used bool, err error) {
	s := tx.statement()
	of, hours := s.Arg(company), s.Arg(id)
	channels := "NOT private"
	if len(views) > 0 {
		channels = "(NOT private OR " + s.In("id", views) + ")"
	}
	s.WriteString(`
		SELECT EXISTS (SELECT 1 FROM companies WHERE id = ` + of + ` AND hours = ` + hours + `)
			OR EXISTS (SELECT 1 FROM channels WHERE company = ` + of + ` AND hours = ` + hours + ` AND ` + channels + `)
			OR EXISTS (SELECT 1 FROM sectors WHERE company = ` + of + ` AND hours = ` + hours + ` AND removed_at IS NULL)`)
	_, err = tx.one(s.String(), s.Args, func(r Row) { used = r.Bool(0) })
	return used, err
}

// HoursOf gives the opening hours that count for a channel and a sector, which may be nil: those of the sector, else of the
// channel, else of the company. It is false where none of them names any.
func (tx *Tx) HoursOf(company, channel model.ID, sector *model.ID) (model.Hours, bool, error) {
	return tx.hours(`
		WHERE h.company = $1 AND h.id = COALESCE(
			(SELECT hours FROM sectors WHERE company = $1 AND id = $3 AND removed_at IS NULL),
			(SELECT hours FROM channels WHERE company = $1 AND id = $2),
			(SELECT hours FROM companies WHERE id = $1))`, company, channel, sector)
}

// SetChannelHours says which opening hours a channel has; nil: none of its own.
func (tx *Tx) SetChannelHours(company, id model.ID, hours *model.ID) {
	tx.later(`UPDATE channels SET hours = $3, updated_at = $4 WHERE id = $1 AND company = $2`, id, company, hours, tx.Now)
}

// SetSectorHours says which opening hours a sector has; nil: none of its own.
func (tx *Tx) SetSectorHours(company, id model.ID, hours *model.ID) {
	tx.later(`UPDATE sectors SET hours = $3 WHERE company = $1 AND id = $2`, company, id, hours)
}

// writeList encodes a list of texts; nil becomes an empty list.
func writeList[T any](list []T) string {
	if text := writeJSON(&list); text != nil && *text != "null" {
		return *text
	}
	return "[]"
}
