package store

import (
	"recado/internal/db"
	"recado/internal/model"
)

// SaveDraft replaces the draft of a member in a conversation.
func (tx *Tx) SaveDraft(company, member, conversation model.ID, d *model.Draft) {
	tx.later(`
		INSERT INTO drafts (company, member, conversation, text, reply_to, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (company, member, conversation) DO UPDATE
		SET text = excluded.text, reply_to = excluded.reply_to, updated_at = excluded.updated_at`,
		company, member, conversation, d.Text, d.ReplyTo, d.UpdatedAt)
}

// DeleteDraft removes the draft of a member in a conversation and reports whether there was one.
func (tx *Tx) DeleteDraft(company, member, conversation model.ID) (bool, error) {
	n, err := tx.exec(`DELETE FROM drafts WHERE company = $1 AND member = $2 AND conversation = $3`, company, member, conversation)
	return n > 0, err
}

// deleteOwnTalk removes what belongs to a member alone: drafts, notifications, and canned replies with their renderings.
func (tx *Tx) deleteOwnTalk(company, member model.ID) {
	for _, table := range []string{"drafts", "notifications", "reply_renderings"} {
		tx.later(`DELETE FROM `+table+` WHERE company = $1 AND member = $2`, company, member)
	}
	tx.later(`DELETE FROM replies WHERE company = $1 AND owner = $2`, company, member)
}

// Drafts gives the drafts of a member in some conversations.
func (tx *Tx) Drafts(company, member model.ID, conversations []model.ID) (map[model.ID]*model.Draft, error) {
	drafts := map[model.ID]*model.Draft{}
	if len(conversations) == 0 {
		return drafts, nil
	}
	s := tx.statement()
	s.WriteString(`SELECT conversation, text, reply_to, updated_at FROM drafts WHERE company = ` + s.Arg(company) + ` AND member = ` + s.Arg(member) +
		` AND conversation IN (` + db.Listed(conversations)(s) + `)`)
	err := tx.query(s.String(), s.Args, func(r Row) error {
		drafts[r.ID(0)] = &model.Draft{Text: r.Text(1), ReplyTo: r.NullText(2), UpdatedAt: r.Time(3)}
		return nil
	})
	return drafts, err
}
