package talk

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const replyColumns = `p.id, p.shortcut, p.title, p.text, p.media, p.sectors, p.owner, u.name, p.uses, p.updated_at`

func scanReply(r db.Row) Reply {
	p := Reply{
		ID: r.ID(0), Shortcut: r.Text(1), Title: r.Text(2), Text: r.Text(3), MediaID: r.NullID(4), SectorIDs: kernel.UnpackIDs(r.Bytes(5)),
		Uses: r.Int(8), UpdatedAt: r.Time(9),
	}
	if !r.Null(6) {
		p.Owner = &kernel.Ref{ID: r.ID(6), Name: r.Text(7)}
	}
	return p
}

// listReplies lists the canned replies of the team and those of a member, by shortcut, those of the member first.
func listReplies(tx *kernel.Tx, company, member kernel.ID) ([]Reply, error) {
	replies := []Reply{}
	err := tx.Query(`
		SELECT `+replyColumns+`
		FROM replies p
		LEFT JOIN users u ON u.company = p.company AND u.id = p.owner
		WHERE p.company = $1 AND (p.owner IS NULL OR p.owner = $2)
		ORDER BY p.shortcut, p.owner IS NULL, p.id`, []any{company, member}, func(r db.Row) error {
		replies = append(replies, scanReply(r))
		return nil
	})
	return replies, err
}

// lockReply gives a canned reply of the company and keeps other writers away from it until the transaction ends.
func lockReply(tx *kernel.Tx, company, id kernel.ID) (Reply, bool, error) {
	return selectReply(tx, company, id, tx.Dialect().Lock(` FOR UPDATE OF p`))
}

// findReply gives a canned reply of the company.
func findReply(tx *kernel.Tx, company, id kernel.ID) (Reply, bool, error) {
	return selectReply(tx, company, id, "")
}

func selectReply(tx *kernel.Tx, company, id kernel.ID, lock string) (p Reply, found bool, err error) {
	found, err = tx.One(`
		SELECT `+replyColumns+`
		FROM replies p
		LEFT JOIN users u ON u.company = p.company AND u.id = p.owner
		WHERE p.company = $1 AND p.id = $2`+lock, []any{company, id}, func(r db.Row) { p = scanReply(r) })
	return p, found, err
}

// countReplies counts the canned replies of a member, or of the team with nil. The company is locked.
func countReplies(tx *kernel.Tx, company kernel.ID, owner *kernel.ID) (n int64, err error) {
	tx.LockCompany(company)
	s := tx.Statement()
	s.WriteString(`SELECT COUNT(*) FROM replies WHERE company = ` + s.Arg(company) + ` AND `)
	if owner == nil {
		s.WriteString(`owner IS NULL`)
	} else {
		s.WriteString(`owner = ` + s.Arg(*owner))
	}
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { n = r.Int(0) })
	return n, err
}

// insertReply adds a canned reply. It reports false when the owner or the team has one with that shortcut.
func insertReply(tx *kernel.Tx, company kernel.ID, p *Reply) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO replies (company, id, owner, shortcut, title, text, media, sectors, uses, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $9)
		ON CONFLICT DO NOTHING`,
		company, p.ID, refID(p.Owner), p.Shortcut, p.Title, p.Text, p.MediaID, kernel.PackIDs(p.SectorIDs), p.UpdatedAt)
	return n == 1, err
}

// saveReply writes a changed canned reply. It reports false when the owner or the team has another one with that shortcut.
func saveReply(tx *kernel.Tx, company kernel.ID, p *Reply) (bool, error) {
	n, err := tx.Exec(`
		UPDATE replies
		SET shortcut = $3, title = $4, text = $5, media = $6, sectors = $7, updated_at = $8
		WHERE company = $1 AND id = $2
			AND NOT EXISTS (
				SELECT 1
				FROM replies o
				WHERE o.company = $1 AND o.shortcut = $3 AND o.id <> $2
					AND (o.owner = replies.owner OR o.owner IS NULL AND replies.owner IS NULL))`,
		company, p.ID, p.Shortcut, p.Title, p.Text, p.MediaID, kernel.PackIDs(p.SectorIDs), p.UpdatedAt)
	return n == 1, err
}

// deleteReply removes a canned reply.
func deleteReply(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM replies WHERE company = $1 AND id = $2`, company, id)
}

// Rendering is a canned reply that a member rendered for a conversation and has not sent yet.
type Rendering struct {
	Reply kernel.ID
	Text  string
	Media *kernel.ID
}

// keepRendering remembers what a member rendered for a conversation.
func keepRendering(tx *kernel.Tx, company, member, conversation kernel.ID, r Rendering) {
	tx.Later(`
		INSERT INTO reply_renderings (company, member, conversation, reply, text, media, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (company, member, conversation, reply) DO UPDATE
		SET text = excluded.text, media = excluded.media, created_at = excluded.created_at`,
		company, member, conversation, r.Reply, r.Text, r.Media, tx.Now)
}

// renderings gives what a member rendered for a conversation and has not sent yet.
func renderings(tx *kernel.Tx, company, member, conversation kernel.ID) ([]Rendering, error) {
	var out []Rendering
	err := tx.Query(`
		SELECT reply, text, media
		FROM reply_renderings
		WHERE company = $1 AND member = $2 AND conversation = $3
		ORDER BY reply`, []any{company, member, conversation}, func(r db.Row) error {
		out = append(out, Rendering{r.ID(0), r.Text(1), r.NullID(2)})
		return nil
	})
	return out, err
}

// countUse counts a rendering that was sent.
func countUse(tx *kernel.Tx, company, member, conversation, reply kernel.ID) {
	tx.Later(`UPDATE replies SET uses = uses + 1 WHERE company = $1 AND id = $2`, company, reply)
	tx.Later(`DELETE FROM reply_renderings WHERE company = $1 AND member = $2 AND conversation = $3 AND reply = $4`, company, member, conversation, reply)
}

// purgeRenderings deletes up to limit renderings made before a moment.
func purgeRenderings(tx *kernel.Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(`
		DELETE /* all companies: purge by age */ FROM reply_renderings
		WHERE (company, member, conversation, reply) IN (
			SELECT company, member, conversation, reply FROM reply_renderings WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}
