package talk

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

const noteColumns = `
	n.conversation, n.seq, n.id, n.client_id, n.attendance, n.text, n.author, u.name AS author_name, n.created_at, n.edited_at, n.mentions`

// scanNote reads noteColumns. It leaves the names of mentions empty; see nameMentions.
func scanNote(r db.Row, company kernel.ID) Note {
	n := Note{
		Company: company, Conversation: r.ID("conversation"), Seq: r.Int("seq"), ID: r.ID("id"), ClientID: r.ID("client_id"),
		Attendance: r.NullID("attendance"), Text: r.Text("text"), Author: kernel.Ref{ID: r.ID("author"), Name: r.Text("author_name")},
		CreatedAt: r.Time("created_at"), EditedAt: r.NullTime("edited_at"),
	}
	for _, id := range kernel.UnpackIDs(r.Bytes("mentions")) {
		n.Mentions = append(n.Mentions, kernel.Ref{ID: id})
	}
	return n
}

// listNotes returns up to limit notes of a conversation with sequence numbers below before, newest first.
func listNotes(tx *kernel.Tx, company, conversation kernel.ID, before int64, limit int) ([]Note, error) {
	notes, err := kernel.Rows(tx, `
		SELECT`+noteColumns+`
		FROM notes n
		JOIN users u ON u.company = n.company AND u.id = n.author
		WHERE n.company = $1 AND n.conversation = $2 AND n.seq < $3
		ORDER BY n.seq DESC
		LIMIT $4`, []any{company, conversation, before, limit}, func(r db.Row) Note { return scanNote(r, company) })
	if err != nil {
		return nil, err
	}
	return notes, nameMentions(tx, company, notes)
}

func findNote(tx *kernel.Tx, company, id kernel.ID) (Note, bool, error) {
	return selectNote(tx, company, `n.id = $2`, id)
}

func noteWithClientID(tx *kernel.Tx, company, client kernel.ID) (Note, bool, error) {
	return selectNote(tx, company, `n.client_id = $2`, client)
}

func selectNote(tx *kernel.Tx, company kernel.ID, condition string, id kernel.ID) (Note, bool, error) {
	notes := make([]Note, 1)
	found, err := tx.One(`
		SELECT`+noteColumns+`
		FROM notes n
		JOIN users u ON u.company = n.company AND u.id = n.author
		WHERE n.company = $1 AND `+condition, []any{company, id}, func(r db.Row) { notes[0] = scanNote(r, company) })
	if err == nil && found {
		err = nameMentions(tx, company, notes)
	}
	return notes[0], found, err
}

func nameMentions(tx *kernel.Tx, company kernel.ID, notes []Note) error {
	var ids []kernel.ID
	for i := range notes {
		ids = append(ids, refIDs(notes[i].Mentions)...)
	}
	if len(ids) == 0 {
		return nil
	}
	names, err := people.UserNames(tx, company, ids)
	for i := range notes {
		for j := range notes[i].Mentions {
			notes[i].Mentions[j].Name = names[notes[i].Mentions[j].ID]
		}
	}
	return err
}

// insertNote stores a note. It returns false if the company already has a note with this client id.
func insertNote(tx *kernel.Tx, n *Note) (bool, error) {
	added, err := tx.Exec(`
		INSERT INTO notes (company, conversation, seq, id, client_id, attendance, author, text, mentions, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT DO NOTHING`,
		n.Company, n.Conversation, n.Seq, n.ID, n.ClientID, n.Attendance, n.Author.ID, n.Text, kernel.PackIDs(refIDs(n.Mentions)), n.CreatedAt)
	return added == 1, err
}

func saveNote(tx *kernel.Tx, n *Note) {
	tx.Later(`UPDATE notes SET text = $3, mentions = $4, edited_at = $5 WHERE company = $1 AND id = $2`,
		n.Company, n.ID, n.Text, kernel.PackIDs(refIDs(n.Mentions)), n.EditedAt)
}

func deleteNote(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM notes WHERE company = $1 AND id = $2`, company, id)
}

// selectExpiredNotes selects the conversations of expired notes; see ExpireMessages.
var selectExpiredNotes = `SELECT n.conversation FROM notes n WHERE ` + expiredNotes + ` ORDER BY n.created_at LIMIT $3`

func countExpiredNotes(tx *kernel.Tx, company kernel.ID, before time.Time) (n int64, err error) {
	_, err = tx.One(`SELECT COUNT(*) AS total FROM notes n WHERE `+expiredNotes, []any{company, before}, func(r db.Row) { n = r.Int("total") })
	return n, err
}

// deleteExpiredNotes deletes a batch of the notes of a conversation from before a time that do not belong to its open case.
func deleteExpiredNotes(tx *kernel.Tx, company, conversation kernel.ID, before time.Time) {
	tx.Later(`DELETE FROM notes WHERE company = $1 AND conversation = $3 AND id IN (SELECT n.id FROM notes n WHERE n.conversation = $3 AND `+expiredNotes+` ORDER BY n.created_at LIMIT $4)`,
		company, before, conversation, expireBatch)
}

// countNotes counts the notes of a conversation.
const countNotes = `SELECT COUNT(*) AS total FROM notes WHERE company = $1 AND conversation = $2`

// eraseNotes deletes the notes of a conversation.
func eraseNotes(tx *kernel.Tx, company, conversation kernel.ID) {
	tx.Later(`DELETE FROM notes WHERE company = $1 AND conversation = $2`, company, conversation)
}
