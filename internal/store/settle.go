package store

import (
	"recado/internal/model"
	"recado/internal/phone"
)

// SettlingChannels lists channels of all companies that have become private or public and whose history has yet to follow.
func (tx *Tx) SettlingChannels() ([]model.ID, error) {
	return tx.ids(`SELECT id FROM channels WHERE settling ORDER BY id`)
}

// ConversationsToSettle locks and gives up to limit conversations of a settling channel behind the last one that was settled.
func (tx *Tx) ConversationsToSettle(ch *model.Channel, limit int) ([]model.Conversation, error) {
	tx.ShareVisibility(ch.Company)
	var out []model.Conversation
	err := tx.query(`
		SELECT`+conversationColumns+`
		FROM conversations c
		WHERE c.channel = $1 AND c.company = $2
			AND c.id > COALESCE((SELECT x.settled_to FROM channels x WHERE x.id = $1), $3)
		ORDER BY c.id
		LIMIT $4`+tx.forUpdate(), []any{ch.ID, ch.Company, orFirst(model.ID{}), limit}, func(r Row) error {
		out = append(out, scanConversation(r))
		return nil
	})
	return out, err
}

// SettleConversation makes a conversation, its attendances and its cards as private as their channel is.
func (tx *Tx) SettleConversation(company, id model.ID, private bool) {
	tx.later(`UPDATE conversations SET private = $3 WHERE id = $1 AND company = $2 AND private <> $3`, id, company, private)
	tx.later(`UPDATE attendances SET private = $3 WHERE conversation = $1 AND company = $2 AND private <> $3`, id, company, private)
	tx.later(`UPDATE cards SET hidden = $3 WHERE conversation = $1 AND company = $2 AND hidden <> $3`, id, company, private)
	tx.later(`
		UPDATE card_labels
		SET status = COALESCE((SELECT k.status FROM cards k WHERE k.id = card_labels.subject AND NOT k.private AND NOT k.hidden), '')
		WHERE subject IN (SELECT k.id FROM cards k WHERE k.conversation = $1 AND k.company = $2)`, id, company)
}

// SettledTo notes the last conversation of a channel that was settled.
func (tx *Tx) SettledTo(channel, last model.ID) {
	tx.later(`UPDATE channels SET settled_to = $2 WHERE id = $1`, channel, last)
}

// ConversationsInWrongPool locks and returns up to limit conversations of a settling channel, behind the given one, whose contacts are in
// the wrong pool.
func (tx *Tx) ConversationsInWrongPool(ch *model.Channel, after model.ID, limit int) ([]model.Conversation, error) {
	var out []model.Conversation
	err := tx.query(`
		SELECT`+conversationColumns+`
		FROM conversations c
		JOIN contacts ct ON ct.id = c.contact
		WHERE c.channel = $1 AND c.company = $2 AND c.id > $3 AND ct.pool <> $4
		ORDER BY c.id
		LIMIT $5`+tx.dialect().Lock(` FOR UPDATE OF c`), []any{ch.ID, ch.Company, orFirst(after), ch.Pool(), limit}, func(r Row) error {
		out = append(out, scanConversation(r))
		return nil
	})
	return out, err
}

// ContactsToSettle returns up to limit contacts, behind the given one, that a settling channel has in the wrong pool.
func (tx *Tx) ContactsToSettle(ch *model.Channel, after model.ID, limit int) ([]model.Contact, error) {
	where := `ct.pool = $2`
	if ch.Private {
		where = `ct.pool = $1 AND ct.channel = $2`
	}
	out := make([]model.Contact, 0, limit)
	err := tx.query(`SELECT`+contactColumns+` FROM contacts ct WHERE ct.company = $1 AND `+where+` AND ct.id > $3 ORDER BY ct.id LIMIT $4`,
		[]any{ch.Company, ch.ID, orFirst(after), limit}, func(r Row) error {
			out = append(out, scanContact(r))
			return nil
		})
	return out, err
}

// EndSettling ends the settling of a channel, unless one of its conversations has a contact of another pool. It reports whether it did.
func (tx *Tx) EndSettling(ch *model.Channel) (bool, error) {
	n, err := tx.exec(`
		UPDATE channels
		SET settling = FALSE, settled_to = NULL
		WHERE id = $1 AND NOT EXISTS (
			SELECT 1
			FROM conversations c
			JOIN contacts ct ON ct.id = c.contact
			WHERE c.channel = $1 AND ct.pool <> $2)`, ch.ID, ch.Pool())
	return n == 1, err
}

// KnownElsewhere reports whether a contact has a conversation through another channel than this one, or a card of none.
func (tx *Tx) KnownElsewhere(company, contact, channel model.ID) (bool, error) {
	return tx.one(`
		SELECT 1 WHERE EXISTS (SELECT 1 FROM conversations c WHERE c.contact = $2 AND c.company = $1 AND c.channel <> $3)
			OR EXISTS (SELECT 1 FROM cards k WHERE k.contact = $2 AND k.company = $1 AND k.conversation IS NULL)`,
		[]any{company, contact, channel}, func(Row) {})
}

// ContactsLike finds the contacts of a pool that have the number or an identity of a contact of another pool.
func (tx *Tx) ContactsLike(c *model.Contact, pool model.ID) ([]model.ID, error) {
	key := ""
	if c.Phone != nil {
		key = phone.Key(*c.Phone)
	}
	return tx.ids(`
		SELECT o.contact
		FROM contact_identities i
		JOIN contact_identities o ON o.company = i.company AND o.pool = $3 AND o.kind = i.kind AND o.value = i.value
		WHERE i.company = $1 AND i.contact = $2 AND o.contact <> $2
		UNION
		SELECT id FROM contacts WHERE company = $1 AND pool = $3 AND phone_key = $4 AND id <> $2
		ORDER BY 1`, c.Company, c.ID, pool, key)
}

// MoveContact moves a contact, with its identities, to another pool, which has no contact like it.
func (tx *Tx) MoveContact(c *model.Contact, pool model.ID) {
	tx.later(`UPDATE contacts SET pool = $3 WHERE id = $1 AND company = $2`, c.ID, c.Company, pool)
	tx.later(`UPDATE contact_identities SET pool = $3 WHERE contact = $1 AND company = $2`, c.ID, c.Company, pool)
}

// CopyIdentities gives a contact of a channel's pool the identities of the public contact of the same person.
func (tx *Tx) CopyIdentities(company, from, to, pool model.ID) {
	tx.later(`
		INSERT INTO contact_identities (company, pool, kind, value, contact)
		SELECT company, $4, kind, value, $3
		FROM contact_identities
		WHERE company = $1 AND contact = $2
		ON CONFLICT DO NOTHING`, company, from, to, pool)
}

// LeaveChannel takes what came from a channel from a public contact that is known elsewhere: to is the contact of the same
// person in the pool of the channel.
func (tx *Tx) LeaveChannel(company, contact, channel, to model.ID) {
	tx.later(`UPDATE messages SET author = $4 WHERE author = $1 AND company = $2 AND channel = $3`, contact, company, channel, to)
	tx.later(`
		UPDATE cards
		SET contact = $4
		WHERE contact = $1 AND company = $2 AND conversation IN (SELECT c.id FROM conversations c WHERE c.contact IN ($1, $4) AND c.channel = $3)`,
		contact, company, channel, to)
	tx.ForgetChannelOfContact(company, contact, channel)
}

// ForgetChannelOfContact has a contact that names a channel name another one through which it is known, if there is one.
func (tx *Tx) ForgetChannelOfContact(company, contact, channel model.ID) {
	tx.later(`
		UPDATE contacts
		SET channel = (SELECT c.channel FROM conversations c WHERE c.contact = $1 AND c.company = $2 AND c.channel <> $3 ORDER BY c.id LIMIT 1)
		WHERE id = $1 AND company = $2 AND channel = $3`, contact, company, channel)
}

// StoredPool gives the pool that a contact is kept in, which may not be the one that it belongs to yet.
func (tx *Tx) StoredPool(c *model.Contact) (pool model.ID, err error) {
	_, err = tx.one(`SELECT pool FROM contacts WHERE id = $1 AND company = $2`, []any{c.ID, c.Company}, func(r Row) { pool = r.ID(0) })
	return pool, err
}

// MediaVersion changes when a channel through which a file was sent or received becomes private or public.
func (tx *Tx) MediaVersion(media model.ID) (version int64, err error) {
	_, err = tx.one(`
		SELECT CAST(COALESCE(SUM(x.privacy_version), 0) AS BIGINT)
		FROM channels x
		WHERE x.id IN (SELECT m.channel FROM messages m WHERE m.media = $1 UNION SELECT d.channel FROM media d WHERE d.id = $1)`,
		[]any{media}, func(r Row) { version = r.Int(0) })
	return version, err
}
