package talk

import (
	"encoding/json"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// listInboxRows goes through the conversations in sight that are open or snoozed, at a cost that does not grow with the
// others. Private ones are those of the channels that the member views.
func listInboxRows(tx *kernel.Tx, company kernel.ID, sight kernel.Sight, each func(row *InboxRow)) error {
	shared := func(index, which string) error {
		s := inboxRows(tx, company, IndexedBy(tx, index), "NOT c.private AND "+which)
		s.And(kernel.Public("c.channel", "$1"))
		if !sight.All {
			s.And(sight.Condition(s, "c.assignee", "c.sector"))
		}
		return tx.Query(s.String(), s.Args, scanInboxRow(each))
	}
	if err := shared("conversations_open", "c.open = TRUE"); err != nil {
		return err
	}
	if err := shared("conversations_snoozed", "c.snoozed_until IS NOT NULL AND c.open = FALSE"); err != nil || len(sight.Private) == 0 {
		return err
	}
	s := inboxRows(tx, company, "", "c.private AND (c.open = TRUE OR c.snoozed_until IS NOT NULL)")
	s.And(s.In("c.channel", sight.Private))
	return tx.Query(s.String(), s.Args, scanInboxRow(each))
}

func inboxRows(tx *kernel.Tx, company kernel.ID, index, which string) *db.Statement {
	s := tx.Statement()
	s.WriteString(`
		SELECT c.assignee, c.sector, c.channel, c.kind, c.open, c.attendance IS NOT NULL, c.unread_count > 0, c.archived,
			c.snoozed_until IS NOT NULL, c.labels, c.folded, c.private
		FROM conversations c` + index + `
		WHERE c.company = ` + s.Arg(company) + ` AND ` + which)
	return s
}

func scanInboxRow(each func(row *InboxRow)) func(r db.Row) error {
	return func(r db.Row) error {
		each(&InboxRow{
			Assignee: r.NullID(0), Sector: r.NullID(1), Channel: r.ID(2), Kind: r.Text(3), Open: r.Bool(4), Attended: r.Bool(5),
			Unread: r.Bool(6), Archived: r.Bool(7), Snoozed: r.Bool(8), LabelIDs: kernel.UnpackIDs(r.Bytes(9)), Folded: r.Text(10), Private: r.Bool(11),
		})
		return nil
	}
}

const viewColumns = `v.id, v.name, v.query, v.shared, v.position, u.id, u.name`

func scanView(r db.Row) (View, error) {
	v := View{ID: r.ID(0), Name: r.Text(1), Shared: r.Bool(3), Position: r.Int(4), Owner: kernel.Ref{ID: r.ID(5), Name: r.Text(6)}}
	return v, json.Unmarshal([]byte(r.Text(2)), &v.Query)
}

// listViews lists the saved views of a member and the shared ones, in their order.
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

// lockView gives a saved view of the company and keeps other writers away from it until the transaction ends.
func lockView(tx *kernel.Tx, company, id kernel.ID) (v View, found bool, err error) {
	found, one := tx.One(`
		SELECT `+viewColumns+`
		FROM views v
		JOIN users u ON u.company = v.company AND u.id = v.owner
		WHERE v.company = $1 AND v.id = $2`+tx.Dialect().Lock(` FOR UPDATE OF v`), []any{company, id}, func(r db.Row) { v, err = scanView(r) })
	if one != nil {
		err = one
	}
	return v, found, err
}

// ownViews gives how many views a member has, and the highest position among all of the company.
func ownViews(tx *kernel.Tx, company, member kernel.ID) (count, last int64, err error) {
	_, err = tx.One(`
		SELECT COUNT(CASE WHEN owner = $2 THEN 1 END), COALESCE(MAX(position), 0)
		FROM views
		WHERE company = $1`, []any{company, member}, func(r db.Row) { count, last = r.Int(0), r.Int(1) })
	return count, last, err
}

// insertView adds a saved view.
func insertView(tx *kernel.Tx, company kernel.ID, v *View) error {
	query, err := json.Marshal(v.Query)
	if err != nil {
		return err
	}
	tx.Later(`
		INSERT INTO views (id, company, owner, name, folded, query, shared, position, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		v.ID, company, v.Owner.ID, v.Name, fold.Text(v.Name), string(query), v.Shared, v.Position, tx.Now)
	return nil
}

// saveView writes a changed view.
func saveView(tx *kernel.Tx, company kernel.ID, v *View) error {
	query, err := json.Marshal(v.Query)
	if err != nil {
		return err
	}
	tx.Later(`UPDATE views SET name = $3, folded = $4, query = $5, shared = $6, position = $7 WHERE company = $1 AND id = $2`,
		company, v.ID, v.Name, fold.Text(v.Name), string(query), v.Shared, v.Position)
	return nil
}

// deleteView removes a saved view.
func deleteView(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM views WHERE company = $1 AND id = $2`, company, id)
}

// deleteOwnViews removes the views of a member that are not shared.
func deleteOwnViews(tx *kernel.Tx, company, member kernel.ID) {
	tx.Later(`DELETE FROM views WHERE company = $1 AND owner = $2 AND NOT shared`, company, member)
}
