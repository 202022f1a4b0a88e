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

// findHours returns opening hours of the company, or a not-found error. A lock keeps other transactions from changing, deleting
// and choosing the hours until the end of this one.
func findHours(tx *kernel.Tx, company, id kernel.ID, lock string) (Hours, error) {
	h, found, err := selectHours(tx, `WHERE h.company = $1 AND h.id = $2`+lock, company, id)
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

// hoursInUse reports whether the company, a channel or a sector uses the opening hours. Private channels count only if the caller
// may see them.
func hoursInUse(tx *kernel.Tx, company, id kernel.ID, views []kernel.ID) (used bool, err error) {
	s := tx.Statement()
	owner, hours, channels := s.Arg(company), s.Arg(id), "(NOT private OR "+s.In("id", views)+")"
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

// ScheduleOf returns the opening hours that apply to a channel and a sector, which may be nil: those of the sector, or else of the
// channel, or else of the company. It returns nil if none of them has any.
func ScheduleOf(tx *kernel.Tx, company, channel kernel.ID, sector *kernel.ID) (*Schedule, error) {
	h, found, err := hoursOf(tx, company, channel, sector)
	if err != nil || !found {
		return nil, err
	}
	return readHours(&h)
}
