package talk

import (
	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

// settlingChannels lists channels of all companies that have become private or public and whose history has yet to follow.
func settlingChannels(tx *kernel.Tx) ([]rowAt, error) {
	return rowsAt(tx, `SELECT /* all companies: channels to settle */ company, id FROM channels WHERE settling ORDER BY company, id`)
}

// conversationsToSettle locks and gives up to limit conversations of a settling channel behind the last one that was settled.
func conversationsToSettle(tx *kernel.Tx, ch *channels.Channel, limit int) ([]Conversation, error) {
	tx.ShareVisibility(ch.Company)
	var out []Conversation
	err := tx.Query(`
		SELECT`+conversationColumns+`
		FROM conversations c
		WHERE c.company = $1 AND c.channel = $2
			AND c.id > COALESCE((SELECT x.settled_to FROM channels x WHERE x.company = $1 AND x.id = $2), $3)
		ORDER BY c.id
		LIMIT $4`+tx.ForUpdate(), []any{ch.Company, ch.ID, kernel.OrFirst(kernel.ID{}), limit}, func(r db.Row) error {
		out = append(out, scanConversation(r))
		return nil
	})
	return out, err
}

// settleConversation makes a conversation, its attendances and its cards as private as their channel is.
func settleConversation(tx *kernel.Tx, company, id kernel.ID, private bool) {
	tx.Later(`UPDATE conversations SET private = $3 WHERE company = $1 AND id = $2 AND private <> $3`, company, id, private)
	tx.Later(`UPDATE attendances SET private = $3 WHERE company = $1 AND conversation = $2 AND private <> $3`, company, id, private)
	tx.Later(`UPDATE cards SET hidden = $3 WHERE company = $1 AND conversation = $2 AND hidden <> $3`, company, id, private)
	tx.Later(`
		UPDATE card_labels
		SET status = COALESCE((SELECT k.status FROM cards k WHERE k.company = $1 AND k.id = card_labels.subject AND NOT k.private AND NOT k.hidden), '')
		WHERE company = $1 AND subject IN (SELECT k.id FROM cards k WHERE k.company = $1 AND k.conversation = $2)`, company, id)
}

// settledTo notes the last conversation of a channel that was settled.
func settledTo(tx *kernel.Tx, ch *channels.Channel, last kernel.ID) {
	tx.Later(`UPDATE channels SET settled_to = $3 WHERE company = $1 AND id = $2`, ch.Company, ch.ID, last)
}

// conversationsInWrongPool locks and returns up to limit conversations of a settling channel, behind the given one, whose contacts are in
// the wrong pool.
func conversationsInWrongPool(tx *kernel.Tx, ch *channels.Channel, after kernel.ID, limit int) ([]Conversation, error) {
	var out []Conversation
	err := tx.Query(`
		SELECT`+conversationColumns+`
		FROM conversations c
		JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
		WHERE c.company = $1 AND c.channel = $2 AND c.id > $3 AND ct.pool <> $4
		ORDER BY c.id
		LIMIT $5`+tx.Dialect().Lock(` FOR UPDATE OF c`), []any{ch.Company, ch.ID, kernel.OrFirst(after), ch.Pool(), limit}, func(r db.Row) error {
		out = append(out, scanConversation(r))
		return nil
	})
	return out, err
}

// contactsToSettle returns up to limit contacts, behind the given one, that a settling channel has in the wrong pool.
func contactsToSettle(tx *kernel.Tx, ch *channels.Channel, after kernel.ID, limit int) ([]Contact, error) {
	where := `ct.pool = $2`
	if ch.Private {
		where = `ct.pool = $1 AND ct.channel = $2`
	}
	out := make([]Contact, 0, limit)
	err := tx.Query(`SELECT`+contactColumns+` FROM contacts ct WHERE ct.company = $1 AND `+where+` AND ct.id > $3 ORDER BY ct.id LIMIT $4`,
		[]any{ch.Company, ch.ID, kernel.OrFirst(after), limit}, func(r db.Row) error {
			out = append(out, scanContact(r))
			return nil
		})
	return out, err
}

// endSettling ends the settling of a channel, unless one of its conversations has a contact of another pool. It reports whether it did.
func endSettling(tx *kernel.Tx, ch *channels.Channel) (bool, error) {
	n, err := tx.Exec(`
		UPDATE channels
		SET settling = FALSE, settled_to = NULL
		WHERE company = $1 AND id = $2 AND NOT EXISTS (
			SELECT 1
			FROM conversations c
			JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
			WHERE c.company = $1 AND c.channel = $2 AND ct.pool <> $3)`, ch.Company, ch.ID, ch.Pool())
	return n == 1, err
}

// knownElsewhere reports whether a contact has a conversation through another channel than this one, or a card of none.
func knownElsewhere(tx *kernel.Tx, company, contact, channel kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1 WHERE EXISTS (SELECT 1 FROM conversations c WHERE c.company = $1 AND c.contact = $2 AND c.channel <> $3)
			OR EXISTS (SELECT 1 FROM cards k WHERE k.company = $1 AND k.contact = $2 AND k.conversation IS NULL)`,
		[]any{company, contact, channel}, func(db.Row) {})
}

// contactsLike finds the contacts of a pool that have the number or an identity of a contact of another pool.
func contactsLike(tx *kernel.Tx, c *Contact, pool kernel.ID) ([]kernel.ID, error) {
	key := ""
	if c.Phone != nil {
		key = phone.Key(*c.Phone)
	}
	return tx.IDs(`
		SELECT o.contact
		FROM contact_identities i
		JOIN contact_identities o ON o.company = i.company AND o.pool = $3 AND o.kind = i.kind AND o.value = i.value
		WHERE i.company = $1 AND i.contact = $2 AND o.contact <> $2
		UNION
		SELECT id FROM contacts WHERE company = $1 AND pool = $3 AND phone_key = $4 AND id <> $2
		ORDER BY 1`, c.Company, c.ID, pool, key)
}

// moveContact moves a contact, with its identities, to another pool, which has no contact like it.
func moveContact(tx *kernel.Tx, c *Contact, pool kernel.ID) {
	tx.Later(`UPDATE contacts SET pool = $3 WHERE company = $1 AND id = $2`, c.Company, c.ID, pool)
	tx.Later(`UPDATE contact_identities SET pool = $3 WHERE company = $1 AND contact = $2`, c.Company, c.ID, pool)
}

// copyIdentities gives a contact of a channel's pool the identities of the public contact of the same person.
func copyIdentities(tx *kernel.Tx, company, from, to, pool kernel.ID) {
	tx.Later(`
		INSERT INTO contact_identities (company, pool, kind, value, contact)
		SELECT company, $4, kind, value, $3
		FROM contact_identities
		WHERE company = $1 AND contact = $2
		ON CONFLICT DO NOTHING`, company, from, to, pool)
}

// leaveChannel takes what came from a channel from a public contact that is known elsewhere: to is the contact of the same
// person in the pool of the channel.
func leaveChannel(tx *kernel.Tx, company, contact, channel, to kernel.ID) {
	tx.Later(`UPDATE messages SET author = $4 WHERE company = $1 AND author = $2 AND channel = $3`, company, contact, channel, to)
	tx.Later(`
		UPDATE cards
		SET contact = $4
		WHERE company = $1 AND contact = $2
			AND conversation IN (SELECT c.id FROM conversations c WHERE c.company = $1 AND c.channel = $3 AND c.contact IN ($2, $4))`,
		company, contact, channel, to)
	forgetChannelOfContact(tx, company, contact, channel)
}

// forgetChannelOfContact has a contact that names a channel name another one through which it is known, if there is one.
func forgetChannelOfContact(tx *kernel.Tx, company, contact, channel kernel.ID) {
	tx.Later(`
		UPDATE contacts
		SET channel = (SELECT c.channel FROM conversations c WHERE c.company = $1 AND c.contact = $2 AND c.channel <> $3 ORDER BY c.id LIMIT 1)
		WHERE company = $1 AND id = $2 AND channel = $3`, company, contact, channel)
}

// storedPool gives the pool that a contact is kept in, which may not be the one that it belongs to yet.
func storedPool(tx *kernel.Tx, c *Contact) (pool kernel.ID, err error) {
	_, err = tx.One(`SELECT pool FROM contacts WHERE company = $1 AND id = $2`, []any{c.Company, c.ID}, func(r db.Row) { pool = r.ID(0) })
	return pool, err
}

// mediaVersion changes when a channel through which a file was sent or received becomes private or public.
func mediaVersion(tx *kernel.Tx, company, media kernel.ID) (version int64, err error) {
	_, err = tx.One(`
		SELECT CAST(COALESCE(SUM(x.privacy_version), 0) AS BIGINT)
		FROM channels x
		WHERE x.company = $1 AND x.id IN (
			SELECT m.channel FROM messages m WHERE m.company = $1 AND m.media = $2
			UNION
			SELECT d.channel FROM media d WHERE d.company = $1 AND d.id = $2)`,
		[]any{company, media}, func(r db.Row) { version = r.Int(0) })
	return version, err
}
