package talk

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// orphans returns up to limit conversations whose responsible member was removed, and as many whose sector was deleted. A zero
// company means all.
func orphans(tx *kernel.Tx, company kernel.ID, limit int) (orphans []ConversationAt, err error) {
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
		found, err := readRows(tx, s.String(), s.Args, func(r db.Row) ConversationAt { return ConversationAt{r.ID("company"), r.ID("id")} })
		if err != nil {
			return nil, err
		}
		orphans = append(orphans, found...)
	}
	return orphans, nil
}

func deleteOwnTalk(tx *kernel.Tx, company, member kernel.ID) {
	for _, table := range []string{"drafts", "notifications", "reply_renderings"} {
		tx.Later(`DELETE FROM `+table+` WHERE company = $1 AND member = $2`, company, member)
	}
	tx.Later(`DELETE FROM replies WHERE company = $1 AND owner = $2`, company, member)
}
