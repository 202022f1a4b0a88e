package talk

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// orphans gives up to limit conversations whose responsible person or sector is gone; of one company,
// or of all when it is zero.
func orphans(tx *kernel.Tx, company kernel.ID, limit int) ([]ConversationAt, error) {
	var out []ConversationAt
	for _, from := range []string{
		"users o JOIN conversations c ON c.company = o.company AND c.assignee = o.id",
		"sectors o JOIN conversations c ON c.company = o.company AND c.sector = o.id",
	} {
		s := tx.Statement()
		if company.IsZero() {
			s.WriteString("SELECT /* all companies: what a crash left */ c.company, c.id FROM " + from + " WHERE o.removed_at IS NOT NULL")
		} else {
			s.WriteString("SELECT c.company, c.id FROM " + from + " WHERE o.company = " + s.Arg(company) + " AND o.removed_at IS NOT NULL")
		}
		s.WriteString(" LIMIT " + s.Arg(limit))
		err := tx.Query(s.String(), s.Args, func(r db.Row) error {
			out = append(out, ConversationAt{r.ID(0), r.ID(1)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// deleteOwnTalk removes what belongs to a member alone: drafts, notifications, and canned replies with their renderings.
func deleteOwnTalk(tx *kernel.Tx, company, member kernel.ID) {
	for _, table := range []string{"drafts", "notifications", "reply_renderings"} {
		tx.Later(`DELETE FROM `+table+` WHERE company = $1 AND member = $2`, company, member)
	}
	tx.Later(`DELETE FROM replies WHERE company = $1 AND owner = $2`, company, member)
}
