package store

import (
	"recado/internal/model"
)

const noteColumns = `n.conversation, n.seq, n.id, n.client_id, n.attendance, n.text, n.mentions, n.author, u.name, n.created_at, n.edited_at`

// scanNote reads noteColumns. The mentions have no names yet.
func scanNote(r Row, company model.ID) model.Note {
	n := model.Note{
		Company: company, Conversation: r.ID(0), Seq: r.Int(1), ID: r.ID(2), ClientID: r.ID(3), Attendance: r.NullID(4), Text: r.Text(5),
		Mentions: []model.Ref{}, Author: model.Ref{ID: r.ID(7), Name: r.Text(8)}, CreatedAt: r.Time(9), EditedAt: r.NullTime(10),
	}
	for _, id := range unpackIDs(r.Bytes(6)) {
		n.Mentions = append(n.Mentions, model.Ref{ID: id})
	}
	return n
}

// Notes lists up to limit notes of a conversation with a smaller sequence number, the newest first.
func (tx *Tx) Notes(company, conversation model.ID, before int64, limit int) ([]model.Note, error) {
	notes := make([]model.Note, 0, limit)
	err := tx.query(`
		SELECT `+noteColumns+`
		FROM notes n
		JOIN users u ON u.id = n.author
		WHERE n.company = $1 AND n.conversation = $2 AND n.seq < $3
		ORDER BY n.seq DESC
		LIMIT $4`, []any{company, conversation, before, limit}, func(r Row) error {
		notes = append(notes, scanNote(r, company))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return notes, tx.nameMentions(company, notes)
}

// Note finds a note of the company.
func (tx *Tx) Note(company, id model.ID) (model.Note, bool, error) {
	return tx.note(company, `n.id = $2`, id)
}

// NoteWithClientID finds the note that the company made under a client id.
func (tx *Tx) NoteWithClientID(company, client model.ID) (model.Note, bool, error) {
	return tx.note(company, `n.client_id = $2`, client)
}

func (tx *Tx) note(company model.ID, which string, id model.ID) (model.Note, bool, error) {
	found := make([]model.Note, 1)
	known, err := tx.one(`
		SELECT `+noteColumns+`
		FROM notes n
		JOIN users u ON u.id = n.author
		WHERE n.company = $1 AND `+which, []any{company, id}, func(r Row) { found[0] = scanNote(r, company) })
	if err == nil && known {
		err = tx.nameMentions(company, found)
	}
	return found[0], known, err
}

// nameMentions adds the names of the members whom notes mention.
func (tx *Tx) nameMentions(company model.ID, notes []model.Note) error {
	var ids []model.ID
	for i := range notes {
		for _, m := range notes[i].Mentions {
			ids = append(ids, m.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	names, err := tx.userNames(company, ids)
	for i := range notes {
		for j := range notes[i].Mentions {
			notes[i].Mentions[j].Name = names[notes[i].Mentions[j].ID]
		}
	}
	return err
}

// InsertNote adds a note. It reports false, and adds nothing, when the company has one with that client id.
func (tx *Tx) InsertNote(n *model.Note) (bool, error) {
	added, err := tx.exec(`
		INSERT INTO notes (company, conversation, seq, id, client_id, attendance, author, text, mentions, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT DO NOTHING`,
		n.Company, n.Conversation, n.Seq, n.ID, n.ClientID, n.Attendance, n.Author.ID, n.Text, packIDs(refIDs(n.Mentions)), n.CreatedAt)
	return added == 1, err
}

// SaveNote writes a changed note.
func (tx *Tx) SaveNote(n *model.Note) {
	tx.later(`UPDATE notes SET text = $3, mentions = $4, edited_at = $5 WHERE company = $1 AND id = $2`,
		n.Company, n.ID, n.Text, packIDs(refIDs(n.Mentions)), n.EditedAt)
}

// DeleteNote removes a note.
func (tx *Tx) DeleteNote(company, id model.ID) {
	tx.later(`DELETE FROM notes WHERE company = $1 AND id = $2`, company, id)
}

func refIDs(refs []model.Ref) []model.ID {
	ids := make([]model.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	return ids
}
