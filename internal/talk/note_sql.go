package talk

import (
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

const noteColumns = `n.conversation, n.seq, n.id, n.client_id, n.attendance, n.text, n.mentions, n.author, u.name, n.created_at, n.edited_at`

// scanNote reads noteColumns. The mentions have no names yet.
func scanNote(r db.Row, company kernel.ID) Note {
	n := Note{
		Company: company, Conversation: r.ID(0), Seq: r.Int(1), ID: r.ID(2), ClientID: r.ID(3), Attendance: r.NullID(4), Text: r.Text(5),
		Mentions: []kernel.Ref{}, Author: kernel.Ref{ID: r.ID(7), Name: r.Text(8)}, CreatedAt: r.Time(9), EditedAt: r.NullTime(10),
	}
	for _, id := range kernel.UnpackIDs(r.Bytes(6)) {
		n.Mentions = append(n.Mentions, kernel.Ref{ID: id})
	}
	return n
}

// listNotes lists up to limit notes of a conversation with a smaller sequence number, the newest first.
func listNotes(tx *kernel.Tx, company, conversation kernel.ID, before int64, limit int) ([]Note, error) {
	notes := make([]Note, 0, limit)
	err := tx.Query(`
		SELECT `+noteColumns+`
		FROM notes n
		JOIN users u ON u.company = n.company AND u.id = n.author
		WHERE n.company = $1 AND n.conversation = $2 AND n.seq < $3
		ORDER BY n.seq DESC
		LIMIT $4`, []any{company, conversation, before, limit}, func(r db.Row) error {
		notes = append(notes, scanNote(r, company))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return notes, nameMentions(tx, company, notes)
}

// findNote finds a note of the company.
func findNote(tx *kernel.Tx, company, id kernel.ID) (Note, bool, error) {
	return selectNote(tx, company, `n.id = $2`, id)
}

// noteWithClientID finds the note that the company made under a client id.
func noteWithClientID(tx *kernel.Tx, company, client kernel.ID) (Note, bool, error) {
	return selectNote(tx, company, `n.client_id = $2`, client)
}

func selectNote(tx *kernel.Tx, company kernel.ID, which string, id kernel.ID) (Note, bool, error) {
	found := make([]Note, 1)
	known, err := tx.One(`
		SELECT `+noteColumns+`
		FROM notes n
		JOIN users u ON u.company = n.company AND u.id = n.author
		WHERE n.company = $1 AND `+which, []any{company, id}, func(r db.Row) { found[0] = scanNote(r, company) })
	if err == nil && known {
		err = nameMentions(tx, company, found)
	}
	return found[0], known, err
}

// nameMentions adds the names of the members whom notes mention.
func nameMentions(tx *kernel.Tx, company kernel.ID, notes []Note) error {
	var ids []kernel.ID
	for i := range notes {
		for _, m := range notes[i].Mentions {
			ids = append(ids, m.ID)
		}
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

// insertNote adds a note. It reports false, and adds nothing, when the company has one with that client id.
func insertNote(tx *kernel.Tx, n *Note) (bool, error) {
	added, err := tx.Exec(`
		INSERT INTO notes (company, conversation, seq, id, client_id, attendance, author, text, mentions, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT DO NOTHING`,
		n.Company, n.Conversation, n.Seq, n.ID, n.ClientID, n.Attendance, n.Author.ID, n.Text, kernel.PackIDs(refIDColumns(n.Mentions)), n.CreatedAt)
	return added == 1, err
}

// saveNote writes a changed note.
func saveNote(tx *kernel.Tx, n *Note) {
	tx.Later(`UPDATE notes SET text = $3, mentions = $4, edited_at = $5 WHERE company = $1 AND id = $2`,
		n.Company, n.ID, n.Text, kernel.PackIDs(refIDColumns(n.Mentions)), n.EditedAt)
}

// deleteNote removes a note.
func deleteNote(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM notes WHERE company = $1 AND id = $2`, company, id)
}

func refIDColumns(refs []kernel.Ref) []kernel.ID {
	ids := make([]kernel.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	return ids
}
