package store

import (
	"recado/internal/model"
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
// Messages and assignments are numbered anew after base, in the order in which they arrived; imported
// history comes first. It gives the greatest number.
func (tx *Tx) JoinConversations(company model.ID, into *model.Conversation, from model.ID, base int64) (int64, error) {
	last := base
	for _, order := range []struct{ table, by string }{
		{"messages", "CASE WHEN seq < 0 THEN seq ELSE 0 END, id"}, {"assignments", "created_at, id"},
	} {
		n, err := tx.exec(`
			UPDATE `+order.table+`
			SET conversation = $1, seq = $3 + o.place
			FROM (
				SELECT id AS subject, ROW_NUMBER() OVER (ORDER BY `+order.by+`) AS place
				FROM `+order.table+`
				WHERE conversation IN ($1, $2)
			) o
			WHERE `+order.table+`.conversation IN ($1, $2) AND `+order.table+`.id = o.subject`, into.ID, from, base)
		if err != nil {
			return 0, err
		}
		last = max(last, base+n)
	}
	tx.later(`UPDATE attendances SET conversation = $1, contact = $4 WHERE conversation = $2 AND company = $3`, into.ID, from, company, into.Contact)
	tx.later(`UPDATE cards SET conversation = $1, version = version + 1 WHERE conversation = $2 AND company = $3`, into.ID, from, company)
	tx.later(`UPDATE events SET conversation = $1 WHERE conversation = $2 AND company = $3`, into.ID, from, company)
	tx.later(`DELETE FROM conversation_labels WHERE subject = $1`, from)
	tx.later(`DELETE FROM conversations WHERE id = $1 AND company = $2`, from, company)
	return last, tx.forgetText(&conversationSearch, from)
}

// ReplaceContact gives everything that names one contact to another of the company, and deletes it.
func (tx *Tx) ReplaceContact(company, gone, by model.ID) error {
	tx.later(`UPDATE contact_identities SET contact = $3 WHERE contact = $1 AND company = $2`, gone, company, by)
	tx.later(`UPDATE cards SET contact = $3, version = version + 1 WHERE contact = $1 AND company = $2`, gone, company, by)
	tx.later(`UPDATE messages SET author = $3 WHERE author = $1 AND company = $2`, gone, company, by)
	tx.later(`DELETE FROM contact_labels WHERE subject = $1`, gone)
	tx.later(`DELETE FROM contacts WHERE id = $1 AND company = $2`, gone, company)
	return tx.forgetText(&contactSearch, gone)
}
