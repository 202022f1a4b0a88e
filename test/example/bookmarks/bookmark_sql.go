package bookmarks

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

func insertBookmark(tx *kernel.Tx, a *kernel.Principal, b *Bookmark) {
	tx.Later(`
		INSERT INTO bookmarks (company, id, conversation, member, note, created_at)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		a.Company.ID, b.ID, b.Conversation, a.User.ID, b.Note, b.CreatedAt)
}

func listBookmarks(tx *kernel.Tx, a *kernel.Principal) ([]Bookmark, error) {
	all := []Bookmark{}
	err := tx.Query(`
		SELECT id, conversation, note, created_at
		FROM bookmarks
		WHERE company = $1 AND member = $2
		ORDER BY id DESC
		LIMIT 100`, []any{a.Company.ID, a.User.ID}, func(r db.Row) error {
		all = append(all, Bookmark{
			ID: r.ID("id"), Conversation: r.ID("conversation"), Note: r.Text("note"), CreatedAt: r.Time("created_at"),
		})
		return nil
	})
	return all, err
}

func deleteBookmarks(tx *kernel.Tx, company, conversation kernel.ID) {
	tx.Later(`DELETE FROM bookmarks WHERE company = $1 AND conversation = $2`, company, conversation)
}
