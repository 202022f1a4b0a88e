package store

import (
	"time"

	"recado/internal/model"
)

const replyColumns = `p.id, p.shortcut, p.title, p.text, p.media, p.sectors, p.owner, u.name, p.uses, p.updated_at`

func scanReply(r Row) model.Reply {
	p := model.Reply{
		ID: r.ID(0), Shortcut: r.Text(1), Title: r.Text(2), Text: r.Text(3), MediaID: r.NullID(4), SectorIDs: unpackIDs(r.Bytes(5)),
		Uses: r.Int(8), UpdatedAt: r.Time(9),
	}
	if !r.Null(6) {
		p.Owner = &model.Ref{ID: r.ID(6), Name: r.Text(7)}
	}
	return p
}

// Replies lists the canned replies of the team and those of a member, by shortcut, those of the member first.
func (tx *Tx) Replies(company, member model.ID) ([]model.Reply, error) {
	replies := []model.Reply{}
	err := tx.query(`
		SELECT `+replyColumns+`
		FROM replies p
		LEFT JOIN users u ON u.id = p.owner
		WHERE p.company = $1 AND (p.owner IS NULL OR p.owner = $2)
		ORDER BY p.shortcut, p.owner IS NULL, p.id`, []any{company, member}, func(r Row) error {
		replies = append(replies, scanReply(r))
		return nil
	})
	return replies, err
}

// LockReply gives a canned reply of the company and keeps other writers away from it until the transaction ends.
func (tx *Tx) LockReply(company, id model.ID) (model.Reply, bool, error) {
	return tx.reply(company, id, tx.dialect().Lock(` FOR UPDATE OF p`))
}

// Reply gives a canned reply of the company.
func (tx *Tx) Reply(company, id model.ID) (model.Reply, bool, error) {
	return tx.reply(company, id, "")
}

func (tx *Tx) reply(company, id model.ID, lock string) (p model.Reply, found bool, err error) {
	found, err = tx.one(`
		SELECT `+replyColumns+`
		FROM replies p
		LEFT JOIN users u ON u.id = p.owner
		WHERE p.company = $1 AND p.id = $2`+lock, []any{company, id}, func(r Row) { p = scanReply(r) })
	return p, found, err
}

// CountReplies counts the canned replies of a member, or of the team with nil. The company is locked.
func (tx *Tx) CountReplies(company model.ID, owner *model.ID) (n int64, err error) {
	tx.LockCompany(company)
	s := tx.statement()
	s.WriteString(`SELECT COUNT(*) FROM replies WHERE company = ` + s.Arg(company) + ` AND `)
	if owner == nil {
		s.WriteString(`owner IS NULL`)
	} else {
		s.WriteString(`owner = ` + s.Arg(*owner))
	}
	_, err = tx.one(s.String(), s.Args, func(r Row) { n = r.Int(0) })
	return n, err
}

// InsertReply adds a canned reply. It reports false when the owner or the team has one with that shortcut.
func (tx *Tx) InsertReply(company model.ID, p *model.Reply) (bool, error) {
	n, err := tx.exec(`
		INSERT INTO replies (company, id, owner, shortcut, title, text, media, sectors, uses, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $9)
		ON CONFLICT DO NOTHING`,
		company, p.ID, refID(p.Owner), p.Shortcut, p.Title, p.Text, p.MediaID, packIDs(p.SectorIDs), p.UpdatedAt)
	return n == 1, err
}

// SaveReply writes a changed canned reply. It reports false when the owner or the team has another one with that shortcut.
func (tx *Tx) SaveReply(company model.ID, p *model.Reply) (bool, error) {
	n, err := tx.exec(`
		UPDATE replies
		SET shortcut = $3, title = $4, text = $5, media = $6, sectors = $7, updated_at = $8
		WHERE company = $1 AND id = $2
			AND NOT EXISTS (
				SELECT 1
				FROM replies o
				WHERE o.company = $1 AND o.shortcut = $3 AND o.id <> $2
					AND (o.owner = replies.owner OR o.owner IS NULL AND replies.owner IS NULL))`,
		company, p.ID, p.Shortcut, p.Title, p.Text, p.MediaID, packIDs(p.SectorIDs), p.UpdatedAt)
	return n == 1, err
}

// DeleteReply removes a canned reply.
func (tx *Tx) DeleteReply(company, id model.ID) {
	tx.later(`DELETE FROM replies WHERE company = $1 AND id = $2`, company, id)
}

// Rendering is a canned reply that a member rendered for a conversation and has not sent yet.
type Rendering struct {
	Reply model.ID
	Text  string
	Media *model.ID
}

// KeepRendering remembers what a member rendered for a conversation.
func (tx *Tx) KeepRendering(company, member, conversation model.ID, r Rendering) {
	tx.later(`
		INSERT INTO reply_renderings (company, member, conversation, reply, text, media, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (company, member, conversation, reply) DO UPDATE
		SET text = excluded.text, media = excluded.media, created_at = excluded.created_at`,
		company, member, conversation, r.Reply, r.Text, r.Media, tx.Now)
}

// Renderings gives what a member rendered for a conversation and has not sent yet.
func (tx *Tx) Renderings(company, member, conversation model.ID) ([]Rendering, error) {
	var out []Rendering
	err := tx.query(`
		SELECT reply, text, media
		FROM reply_renderings
		WHERE company = $1 AND member = $2 AND conversation = $3
		ORDER BY reply`, []any{company, member, conversation}, func(r Row) error {
		out = append(out, Rendering{r.ID(0), r.Text(1), r.NullID(2)})
		return nil
	})
	return out, err
}

// CountUse counts a rendering that was sent.
func (tx *Tx) CountUse(company, member, conversation, reply model.ID) {
	tx.later(`UPDATE replies SET uses = uses + 1 WHERE company = $1 AND id = $2`, company, reply)
	tx.later(`DELETE FROM reply_renderings WHERE company = $1 AND member = $2 AND conversation = $3 AND reply = $4`, company, member, conversation, reply)
}

// PurgeRenderings deletes up to limit renderings made before a moment.
func (tx *Tx) PurgeRenderings(before time.Time, limit int) (int64, error) {
	return tx.exec(`
		DELETE FROM reply_renderings
		WHERE (company, member, conversation, reply) IN (
			SELECT company, member, conversation, reply FROM reply_renderings WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}
