package store

import "recado/internal/model"

// InboxRows goes through the conversations in sight that are open or snoozed, at a cost that does not grow with the
// others. Private ones are those of the channels that the member views.
func (tx *Tx) InboxRows(company model.ID, sight Sight, each func(row *model.InboxRow)) error {
	public := func(index, which string) error {
		s := tx.inboxRows(company, tx.indexedBy(index), "NOT c.private AND "+which)
		if !sight.All {
			s.And(sight.condition(s, "c.assignee", "c.sector"))
		}
		return tx.query(s.String(), s.Args, scanInboxRow(each))
	}
	if err := public("conversations_open", "c.open = TRUE"); err != nil {
		return err
	}
	if err := public("conversations_snoozed", "c.snoozed_until IS NOT NULL AND c.open = FALSE"); err != nil || len(sight.Private) == 0 {
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

// SectorIDs lists the company's sectors by name.
func (tx *Tx) SectorIDs(company model.ID) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM sectors WHERE company = $1 AND removed_at IS NULL ORDER BY folded, id`, company)
}
