package store

import (
	"encoding/json"

	"recado/internal/fold"
	"recado/internal/model"
)

// InboxRows goes through the conversations in sight that are open or snoozed, at a cost that does not grow with the
// others. Private ones are those of the channels that the member views.
func (tx *Tx) InboxRows(company model.ID, sight Sight, each func(row *model.InboxRow)) error {
	shared := func(index, which string) error {
		s := tx.inboxRows(company, tx.indexedBy(index), "NOT c.private AND "+which)
		s.And(public("c.channel", "$1"))
		if !sight.All {
			s.And(sight.condition(s, "c.assignee", "c.sector"))
		}
		return tx.query(s.String(), s.Args, scanInboxRow(each))
	}
	if err := shared("conversations_open", "c.open = TRUE"); err != nil {
		return err
	}
	if err := shared("conversations_snoozed", "c.snoozed_until IS NOT NULL AND c.open = FALSE"); err != nil || len(sight.Private) == 0 {
		return err
	}
	s := tx.inboxRows(company, "", "c.private AND (c.open = TRUE OR c.snoozed_until IS NOT NULL)")
	s.And(s.In("c.channel", sight.Private))
	return tx.query(s.String(), s.Args, scanInboxRow(each))
}

func (tx *Tx) inboxRows(company model.ID, index, which string) *statement {
	s := tx.statement()
	s.WriteString(`
		SELECT c.assignee, c.sector, c.channel, c.kind, c.open, c.attendance IS NOT NULL, c.unread_count > 0, c.archived,
			c.snoozed_until IS NOT NULL, c.labels, c.folded, c.private
		FROM conversations c` + index + `
		WHERE c.company = ` + s.Arg(company) + ` AND ` + which)
	return s
}

func scanInboxRow(each func(row *model.InboxRow)) func(r Row) error {
	return func(r Row) error {
		each(&model.InboxRow{
			Assignee: r.NullID(0), Sector: r.NullID(1), Channel: r.ID(2), Kind: r.Text(3), Open: r.Bool(4), Attended: r.Bool(5),
			Unread: r.Bool(6), Archived: r.Bool(7), Snoozed: r.Bool(8), LabelIDs: unpackIDs(r.Bytes(9)), Folded: r.Text(10), Private: r.Bool(11),
		})
		return nil
	}
}

const viewColumns = `v.id, v.name, v.query, v.shared, v.position, u.id, u.name`

func scanView(r Row) (model.View, error) {
	v := model.View{ID: r.ID(0), Name: r.Text(1), Shared: r.Bool(3), Position: r.Int(4), Owner: model.Ref{ID: r.ID(5), Name: r.Text(6)}}
	return v, json.Unmarshal([]byte(r.Text(2)), &v.Query)
}

// Views lists the saved views of a member and the shared ones, in their order.
func (tx *Tx) Views(company, member model.ID) ([]model.View, error) {
	views := []model.View{}
	err := tx.query(`
		SELECT `+viewColumns+`
		FROM views v
		JOIN users u ON u.id = v.owner
		WHERE v.company = $1 AND (v.owner = $2 OR v.shared)
		ORDER BY v.position, v.folded, v.id`, []any{company, member}, func(r Row) error {
		v, err := scanView(r)
		views = append(views, v)
		return err
	})
	return views, err
}

// LockView gives a saved view of the company and keeps other writers away from it until the transaction ends.
func (tx *Tx) LockView(company, id model.ID) (v model.View, found bool, err error) {
	found, one := tx.one(`
		SELECT `+viewColumns+`
		FROM views v
		JOIN users u ON u.id = v.owner
		WHERE v.company = $1 AND v.id = $2`+tx.dialect().Lock(` FOR UPDATE OF v`), []any{company, id}, func(r Row) { v, err = scanView(r) })
	if one != nil {
		err = one
	}
	return v, found, err
}

// OwnViews gives how many views a member has, and the highest position among all of the company.
func (tx *Tx) OwnViews(company, member model.ID) (count, last int64, err error) {
	_, err = tx.one(`
		SELECT COUNT(CASE WHEN owner = $2 THEN 1 END), COALESCE(MAX(position), 0)
		FROM views
		WHERE company = $1`, []any{company, member}, func(r Row) { count, last = r.Int(0), r.Int(1) })
	return count, last, err
}

// InsertView adds a saved view.
func (tx *Tx) InsertView(company model.ID, v *model.View) error {
	query, err := json.Marshal(v.Query)
	if err != nil {
		return err
	}
	tx.later(`
		INSERT INTO views (id, company, owner, name, folded, query, shared, position, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		v.ID, company, v.Owner.ID, v.Name, fold.Text(v.Name), string(query), v.Shared, v.Position, tx.Now)
	return nil
}

// SaveView writes a changed view.
func (tx *Tx) SaveView(company model.ID, v *model.View) error {
	query, err := json.Marshal(v.Query)
	if err != nil {
		return err
	}
	tx.later(`UPDATE views SET name = $3, folded = $4, query = $5, shared = $6, position = $7 WHERE company = $1 AND id = $2`,
		company, v.ID, v.Name, fold.Text(v.Name), string(query), v.Shared, v.Position)
	return nil
}

// DeleteView removes a saved view.
func (tx *Tx) DeleteView(company, id model.ID) {
	tx.later(`DELETE FROM views WHERE company = $1 AND id = $2`, company, id)
}

// DeleteOwnViews removes the views of a member that are not shared.
func (tx *Tx) DeleteOwnViews(company, member model.ID) {
	tx.later(`DELETE FROM views WHERE company = $1 AND owner = $2 AND NOT shared`, company, member)
}
