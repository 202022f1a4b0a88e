package talk

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

func saveDraft(tx *kernel.Tx, company, member, conversation kernel.ID, d *Draft) {
	tx.Later(`
		INSERT INTO drafts (company, member, conversation, text, reply_to, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (company, member, conversation) DO UPDATE
		SET text = excluded.text, reply_to = excluded.reply_to, updated_at = excluded.updated_at`,
		company, member, conversation, d.Text, d.ReplyTo, d.UpdatedAt)
}

// deleteDraft deletes the draft of a member in a conversation and reports whether there was one.
func deleteDraft(tx *kernel.Tx, company, member, conversation kernel.ID) (bool, error) {
	n, err := tx.Exec(`DELETE FROM drafts WHERE company = $1 AND member = $2 AND conversation = $3`, company, member, conversation)
	return n > 0, err
}

// listDrafts returns the drafts of a member in the given conversations.
func listDrafts(tx *kernel.Tx, company, member kernel.ID, conversations []kernel.ID) (map[kernel.ID]*Draft, error) {
	drafts := map[kernel.ID]*Draft{}
	if len(conversations) == 0 {
		return drafts, nil
	}
	s := tx.Statement()
	s.WriteString(`
		SELECT conversation, text, reply_to, updated_at
		FROM drafts
		WHERE company = ` + s.Arg(company) + ` AND member = ` + s.Arg(member) + ` AND conversation IN (` + db.Listed(conversations)(s) + `)`)
	err := tx.Query(s.String(), s.Args, func(r db.Row) error {
		drafts[r.ID("conversation")] = &Draft{Text: r.Text("text"), ReplyTo: r.NullText("reply_to"), UpdatedAt: r.Time("updated_at")}
		return nil
	})
	return drafts, err
}
