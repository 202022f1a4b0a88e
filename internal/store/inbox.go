package store

import "recado/internal/model"

// InboxRows goes through the public conversations in sight that are open or snoozed, at a cost that does not grow with
// the others.
func (tx *Tx) InboxRows(company model.ID, sight Sight, each func(row *model.InboxRow)) error {
	for _, run := range []struct{ index, which string }{
		{"conversations_open", "c.open = TRUE"},
		{"conversations_snoozed", "c.snoozed_until IS NOT NULL AND c.open = FALSE"},
	} {
		s := tx.statement()
		s.WriteString(`
		SELECT c.assignee, c.sector, c.channel, c.kind, c.open, c.attendance IS NOT NULL, c.unread_count > 0, c.archived,
			c.snoozed_until IS NOT NULL, c.labels, c.folded
		FROM conversations c` + tx.indexedBy(run.index) + `
		WHERE c.company = ` + s.Arg(company) + ` AND NOT c.private AND ` + run.which)
		if !sight.All {
			s.And(sight.condition(s, "c.assignee", "c.sector"))
		}
		err := tx.query(s.String(), s.Args, func(r Row) error {
			each(&model.InboxRow{
				Assignee: r.NullID(0), Sector: r.NullID(1), Channel: r.ID(2), Kind: r.Text(3), Open: r.Bool(4), Attended: r.Bool(5),
				Unread: r.Bool(6), Archived: r.Bool(7), Snoozed: r.Bool(8), LabelIDs: unpackIDs(r.Bytes(9)), Folded: r.Text(10),
			})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// SectorIDs lists the company's sectors by name.
func (tx *Tx) SectorIDs(company model.ID) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM sectors WHERE company = $1 AND removed_at IS NULL ORDER BY folded, id`, company)
}
