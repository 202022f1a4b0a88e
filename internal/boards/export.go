package boards

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// CardsOf returns the cards of a contact that the principal may see, for the export of a person's data.
func CardsOf(tx *kernel.Tx, a *kernel.Principal, contact kernel.ID) (cards []any, err error) {
	err = tx.Query(`
		SELECT`+cardColumns+`, v.assignee AS conversation_assignee, v.sector, v.channel
		FROM cards c
		LEFT JOIN conversations v ON v.company = c.company AND v.id = c.conversation
		WHERE c.company = $1 AND (
			c.contact = $2 OR c.conversation IN (SELECT o.id FROM conversations o WHERE o.company = $1 AND o.contact = $2))
		ORDER BY c.id`, []any{a.Company.ID, contact}, func(r db.Row) error {
		c := CardRow{scanCard(r), r.NullID("conversation_assignee"), r.NullID("sector"), r.NullID("channel")}
		if MaySeeCard(a, &c) {
			cards = append(cards, c.Card)
		}
		return nil
	})
	return cards, err
}
