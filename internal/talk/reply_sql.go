package talk

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const replyColumns = `p.id, p.shortcut, p.title, p.text, p.media, p.sectors, p.uses, p.updated_at, p.owner, u.name AS owner_name`

func scanReply(r db.Row) Reply {
	return Reply{
		ID: r.ID("id"), Shortcut: r.Text("shortcut"), Title: r.Text("title"), Text: r.Text("text"), MediaID: r.NullID("media"),
		SectorIDs: kernel.UnpackIDs(r.Bytes("sectors")), Uses: r.Int("uses"), UpdatedAt: r.Time("updated_at"),
		Owner: scanRef(r, "owner", "owner_name"),
	}
}

// listReplies returns the canned replies of the team and of a member, ordered by shortcut. The member's own come first.
func listReplies(tx *kernel.Tx, company, member kernel.ID) ([]Reply, error) {
	return readRows(tx, `
		SELECT `+replyColumns+`
		FROM replies p
		LEFT JOIN users u ON u.company = p.company AND u.id = p.owner
		WHERE p.company = $1 AND (p.owner IS NULL OR p.owner = $2)
		ORDER BY p.shortcut, p.owner IS NULL, p.id`, []any{company, member}, scanReply)
}

// findReply returns a canned reply of the team or of the principal.
func findReply(tx *kernel.Tx, a *kernel.Principal, id kernel.ID, lock string) (p Reply, found bool, err error) {
	found, err = tx.One(`
		SELECT `+replyColumns+`
		FROM replies p
		LEFT JOIN users u ON u.company = p.company AND u.id = p.owner
		WHERE p.company = $1 AND p.id = $2 AND (p.owner IS NULL OR p.owner = $3)`+lock, []any{a.Company.ID, id, a.User.ID}, func(r db.Row) { p = scanReply(r) })
	return p, found, err
}

// countReplies locks the company and counts the canned replies of a member or, if owner is nil, of the team.
func countReplies(tx *kernel.Tx, company kernel.ID, owner *kernel.ID) (n int64, err error) {
	tx.LockCompany(company)
	sql, args := `SELECT COUNT(*) AS total FROM replies WHERE company = $1 AND owner IS NULL`, []any{company}
	if owner != nil {
		sql, args = `SELECT COUNT(*) AS total FROM replies WHERE company = $1 AND owner = $2`, []any{company, *owner}
	}
	_, err = tx.One(sql, args, func(r db.Row) { n = r.Int("total") })
	return n, err
}

// insertReply stores a canned reply. It returns false if the owner or the team already has one with this shortcut.
func insertReply(tx *kernel.Tx, company kernel.ID, p *Reply) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO replies (company, id, owner, shortcut, title, text, media, sectors, uses, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, $9)
		ON CONFLICT DO NOTHING`,
		company, p.ID, kernel.RefID(p.Owner), p.Shortcut, p.Title, p.Text, p.MediaID, kernel.PackIDs(p.SectorIDs), p.UpdatedAt)
	return n == 1, err
}

// saveReply updates a canned reply. It returns false if the owner or the team has another one with this shortcut.
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

func deleteReply(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM replies WHERE company = $1 AND id = $2`, company, id)
}

// Rendering is a canned reply that a member rendered for a conversation and has not sent yet.
type Rendering struct {
	Reply kernel.ID
	Text  string
	Media *kernel.ID
}

func keepRendering(tx *kernel.Tx, company, member, conversation kernel.ID, r Rendering) {
	tx.Later(`
		INSERT INTO reply_renderings (company, member, conversation, reply, text, media, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (company, member, conversation, reply) DO UPDATE
		SET text = excluded.text, media = excluded.media, created_at = excluded.created_at`,
		company, member, conversation, r.Reply, r.Text, r.Media, tx.Now)
}

// renderings returns what a member rendered for a conversation and has not sent yet.
func renderings(tx *kernel.Tx, company, member, conversation kernel.ID) ([]Rendering, error) {
	return readRows(tx, `
		SELECT reply, text, media
		FROM reply_renderings
		WHERE company = $1 AND member = $2 AND conversation = $3
		ORDER BY reply`, []any{company, member, conversation}, func(r db.Row) Rendering {
		return Rendering{r.ID("reply"), r.Text("text"), r.NullID("media")}
	})
}

// countUse increments the uses of a reply and deletes its rendering.
func countUse(tx *kernel.Tx, company, member, conversation, reply kernel.ID) {
	tx.Later(`UPDATE replies SET uses = uses + 1 WHERE company = $1 AND id = $2`, company, reply)
	tx.Later(`DELETE FROM reply_renderings WHERE company = $1 AND member = $2 AND conversation = $3 AND reply = $4`, company, member, conversation, reply)
}

func purgeRenderings(tx *kernel.Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(`
		DELETE /* all companies: purge by age */ FROM reply_renderings
		WHERE (company, member, conversation, reply) IN (
			SELECT company, member, conversation, reply FROM reply_renderings WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}
