package store

import (
	"time"

	"recado/internal/model"
	"recado/internal/store/search"
)

// ContactHasUserID reports whether a provider knows a contact by any user id.
func (tx *Tx) ContactHasUserID(company, contact model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM contact_identities WHERE contact = $1 AND company = $2 AND kind = 'user_id'`, []any{contact, company}, func(Row) {})
}

// LockConversationsOf locks the conversations with a contact, in the order of their ids.
func (tx *Tx) LockConversationsOf(company, contact model.ID) ([]model.Conversation, error) {
	var out []model.Conversation
	err := tx.query(`SELECT`+conversationColumns+` FROM conversations c WHERE c.contact = $1 AND c.company = $2 ORDER BY c.id`+tx.forUpdate(),
		[]any{contact, company}, func(r Row) error {
			out = append(out, scanConversation(r))
			return nil
		})
	return out, err
}

// HasSends reports whether messages of a conversation wait to be sent.
func (tx *Tx) HasSends(conversation model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM sends WHERE conversation = $1 LIMIT 1`, []any{conversation}, func(Row) {})
}

// MoveConversation gives a conversation, with its attendances, to another contact of the company.
func (tx *Tx) MoveConversation(company, conversation, contact model.ID) {
	tx.later(`UPDATE conversations SET contact = $3 WHERE id = $1 AND company = $2`, conversation, company, contact)
	tx.later(`UPDATE attendances SET contact = $3 WHERE conversation = $1 AND company = $2`, conversation, company, contact)
}

// JoinConversations moves everything of one conversation into another of the same channel and deletes it.
// Messages and assignments are numbered anew after base, in the order in which they arrived, and attendances keep their
// places among them; imported history comes first. It gives the greatest number.
func (tx *Tx) JoinConversations(company model.ID, into *model.Conversation, from model.ID, base int64) (int64, error) {
	last := base
	for _, table := range []string{"assignments", "messages"} { // in this order: the numbers of messages tell history
		n, err := tx.exec(`
			UPDATE `+table+`
			SET conversation = $1, seq = $3 + o.place
			FROM (
				SELECT subject, ROW_NUMBER() OVER (ORDER BY history, subject) AS place
				FROM (
					SELECT id AS subject, CASE WHEN seq < 0 THEN seq ELSE 0 END AS history FROM messages WHERE conversation IN ($1, $2)
					UNION ALL
					SELECT id AS subject, 0 AS history FROM assignments WHERE conversation IN ($1, $2)
				) all_of_both
			) o
			WHERE `+table+`.conversation IN ($1, $2) AND `+table+`.id = o.subject`, into.ID, from, base)
		if err != nil {
			return 0, err
		}
		last += n
	}
	if err := tx.joinMarks(into.ID, from, base); err != nil {
		return 0, err
	}
	tx.later(`UPDATE attendances SET conversation = $1, contact = $4 WHERE conversation = $2 AND company = $3`, into.ID, from, company, into.Contact)
	tx.later(`UPDATE cards SET conversation = $1, version = version + 1 WHERE conversation = $2 AND company = $3`, into.ID, from, company)
	tx.later(`UPDATE events SET conversation = $1 WHERE conversation = $2 AND company = $3`, into.ID, from, company)
	tx.later(`DELETE FROM conversation_labels WHERE subject = $1`, from)
	tx.later(`DELETE FROM conversations WHERE id = $1 AND company = $2`, from, company)
	return last, search.Forget(tx.on, &search.Conversations, from)
}

// joinMarks moves the marks of attendances to where they stand among the messages of both conversations.
func (tx *Tx) joinMarks(into, from model.ID, base int64) error {
	type mark struct {
		kind       int64
		attendance model.ID
		at         time.Time
	}
	var marks []mark
	err := tx.query(`
		SELECT k.kind, k.attendance, CASE WHEN k.kind = $3 THEN a.opened_at ELSE a.closed_at END
		FROM attendance_marks k
		JOIN attendances a ON a.id = k.attendance
		WHERE k.conversation IN ($1, $2)`, []any{into, from, MarkOpened}, func(r Row) error {
		marks = append(marks, mark{r.Int(0), r.ID(1), r.Time(2)})
		return nil
	})
	if err != nil {
		return err
	}
	tx.later(`DELETE FROM attendance_marks WHERE conversation IN ($1, $2)`, into, from)
	for _, m := range marks {
		seq := base
		_, err := tx.one(`SELECT MAX(seq) FROM messages WHERE conversation = $1 AND id < $2`, []any{into, model.FirstIDOf(m.at.Add(time.Millisecond))}, func(r Row) {
			if last := r.NullInt(0); last != nil {
				seq = *last
			}
		})
		if err != nil {
			return err
		}
		tx.InsertAttendanceMark(into, seq, m.kind, m.attendance)
	}
	return nil
}

// ReplaceContact gives everything that names one contact to another of the company, and deletes it.
func (tx *Tx) ReplaceContact(company, gone, by model.ID) error {
	tx.later(`UPDATE contact_identities SET contact = $3 WHERE contact = $1 AND company = $2`, gone, company, by)
	tx.later(`UPDATE cards SET contact = $3, version = version + 1 WHERE contact = $1 AND company = $2`, gone, company, by)
	tx.later(`UPDATE messages SET author = $3 WHERE author = $1 AND company = $2`, gone, company, by)
	tx.later(`DELETE FROM contact_labels WHERE subject = $1`, gone)
	tx.later(`DELETE FROM contacts WHERE id = $1 AND company = $2`, gone, company)
	return search.Forget(tx.on, &search.Contacts, gone)
}
