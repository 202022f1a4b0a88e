package talk

import (
	"encoding/json"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// listInboxRows calls each for the conversations in sight that are open or snoozed, at a cost that does not grow with the number
// of other conversations. Private conversations are those of the private channels in sight.
func listInboxRows(tx *kernel.Tx, company kernel.ID, sight kernel.Sight, each func(row *inboxRow)) error {
	public := func(index, which string) error {
		s := inboxRows(tx, company, IndexedBy(tx, index), "NOT c.private AND "+which)
		s.And(kernel.Public("c.channel", "$1"))
		if !sight.All {
			s.And(sight.Condition(s, "c.assignee", "c.sector"))
		}
		return tx.Query(s.String(), s.Args, scanInboxRow(each))
	}
	if err := public("conversations_open", "c.open = TRUE"); err != nil {
		return err
	}
	err := public("conversations_snoozed", "c.snoozed_until IS NOT NULL AND c.open = FALSE")
	if err != nil || len(sight.Private) == 0 {
		return err
	}
	s := inboxRows(tx, company, "", "c.private AND (c.open = TRUE OR c.snoozed_until IS NOT NULL)")
	s.And(s.In("c.channel", sight.Private))
	return tx.Query(s.String(), s.Args, scanInboxRow(each))
}

func inboxRows(tx *kernel.Tx, company kernel.ID, index, which string) *db.Statement {
	s := tx.Statement()
	s.WriteString(`
		SELECT c.assignee, c.sector, c.channel, c.kind, c.open, c.attendance, c.unread_count, c.archived, c.snoozed_until, c.labels,
			c.folded, c.private
		FROM conversations c` + index + `
		WHERE c.company = ` + s.Arg(company) + ` AND ` + which)
	return s
}

func scanInboxRow(each func(row *inboxRow)) func(r db.Row) error {
	return func(r db.Row) error {
		each(&inboxRow{
			assignee: r.NullID("assignee"), sector: r.NullID("sector"), channel: r.ID("channel"), kind: r.Text("kind"),
			open: r.Bool("open"), attended: !r.Null("attendance"), unread: r.Int("unread_count") > 0, archived: r.Bool("archived"),
			snoozed: !r.Null("snoozed_until"), labels: kernel.UnpackIDs(r.Bytes("labels")), folded: r.Text("folded"),
			private: r.Bool("private"),
		})
		return nil
	}
}

const viewColumns = `v.id, v.name, v.query, v.shared, v.position, u.id AS owner, u.name AS owner_name`

func scanView(r db.Row) (View, error) {
	v := View{ID: r.ID("id"), Name: r.Text("name")}
	err := json.Unmarshal([]byte(r.Text("query")), &v.Query)
	v.Shared, v.Position, v.Owner = r.Bool("shared"), r.Int("position"), kernel.Ref{ID: r.ID("owner"), Name: r.Text("owner_name")}
	return v, err
}

// listViews returns the saved views of a member and the shared ones, in their order.
func listViews(tx *kernel.Tx, company, member kernel.ID) ([]View, error) {
	views := []View{}
	err := tx.Query(`
		SELECT `+viewColumns+`
		FROM views v
		JOIN users u ON u.company = v.company AND u.id = v.owner
		WHERE v.company = $1 AND (v.owner = $2 OR v.shared)
		ORDER BY v.position, v.folded, v.id`, []any{company, member}, func(r db.Row) error {
		v, err := scanView(r)
		views = append(views, v)
		return err
	})
	return views, err
}

func lockView(tx *kernel.Tx, company, id kernel.ID) (v View, found bool, err error) {
	var invalid error
	found, err = tx.One(`
		SELECT `+viewColumns+`
		FROM views v
		JOIN users u ON u.company = v.company AND u.id = v.owner
		WHERE v.company = $1 AND v.id = $2`+tx.Dialect().Lock(` FOR UPDATE OF v`), []any{company, id},
		func(r db.Row) { v, invalid = scanView(r) })
	return v, found, kernel.ErrOr(err, invalid)
}

// countViews returns the number of views that a member owns, and the highest position of all views of the company.
func countViews(tx *kernel.Tx, company, member kernel.ID) (count, last int64, err error) {
	_, err = tx.One(`
		SELECT COUNT(CASE WHEN owner = $2 THEN 1 END) AS own, COALESCE(MAX(position), 0) AS highest
		FROM views
		WHERE company = $1`, []any{company, member}, func(r db.Row) { count, last = r.Int("own"), r.Int("highest") })
	return count, last, err
}

func saveView(tx *kernel.Tx, company kernel.ID, v *View) error {
	query, err := json.Marshal(v.Query)
	if err != nil {
		return err
	}
	tx.Later(`
		INSERT INTO views (company, id, owner, name, folded, query, shared, position, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (company, id) DO UPDATE
		SET name = excluded.name, folded = excluded.folded, query = excluded.query, shared = excluded.shared, position = excluded.position`,
		company, v.ID, v.Owner.ID, v.Name, fold.Text(v.Name), string(query), v.Shared, v.Position, tx.Now)
	return nil
}

func deleteView(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM views WHERE company = $1 AND id = $2`, company, id)
}

// deleteOwnViews deletes the views of a member that are not shared.
func deleteOwnViews(tx *kernel.Tx, company, member kernel.ID) {
	tx.Later(`DELETE FROM views WHERE company = $1 AND owner = $2 AND NOT shared`, company, member)
}
