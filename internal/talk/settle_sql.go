package talk

import (
	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
)

func settlingChannels(tx *kernel.Tx) ([]rowAt, error) {
	return rowsAt(tx, `SELECT /* all companies: channels to settle */ company, id FROM channels WHERE settling ORDER BY company, id`)
}

// conversationsToSettle locks and returns up to limit conversations of a channel after the last settled one.
func conversationsToSettle(tx *kernel.Tx, ch *channels.Channel, limit int) ([]Conversation, error) {
	tx.ShareVisibility(ch.Company)
	return readRows(tx, `
		SELECT`+conversationColumns+`
		FROM conversations c
		WHERE c.company = $1 AND c.channel = $2
			AND c.id > COALESCE((SELECT x.settled_to FROM channels x WHERE x.company = $1 AND x.id = $2), $3)
		ORDER BY c.id
		LIMIT $4`+tx.ForUpdate(), []any{ch.Company, ch.ID, kernel.OrFirst(kernel.ID{}), limit}, scanConversation)
}

func settleConversation(tx *kernel.Tx, company, id kernel.ID, private bool) {
	tx.Later(`UPDATE conversations SET private = $3 WHERE company = $1 AND id = $2 AND private <> $3`, company, id, private)
	tx.Later(`UPDATE attendances SET private = $3 WHERE company = $1 AND conversation = $2 AND private <> $3`, company, id, private)
	tx.Later(`UPDATE cards SET hidden = $3 WHERE company = $1 AND conversation = $2 AND hidden <> $3`, company, id, private)
	tx.Later(`
		UPDATE card_labels
		SET status = COALESCE((SELECT k.status FROM cards k WHERE k.company = $1 AND k.id = card_labels.subject AND NOT k.private AND NOT k.hidden), '')
		WHERE company = $1 AND subject IN (SELECT k.id FROM cards k WHERE k.company = $1 AND k.conversation = $2)`, company, id)
}

func settledTo(tx *kernel.Tx, ch *channels.Channel, last kernel.ID) {
	tx.Later(`UPDATE channels SET settled_to = $3 WHERE company = $1 AND id = $2`, ch.Company, ch.ID, last)
}

// conversationsInWrongPool locks and returns up to limit conversations of a channel, after the given one, whose contacts are in
// the wrong pool.
func conversationsInWrongPool(tx *kernel.Tx, ch *channels.Channel, after kernel.ID, limit int) ([]Conversation, error) {
	return readRows(tx, `
		SELECT`+conversationColumns+`
		FROM conversations c
		JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
		WHERE c.company = $1 AND c.channel = $2 AND c.id > $3 AND ct.pool <> $4
		ORDER BY c.id
		LIMIT $5`+tx.Dialect().Lock(` FOR UPDATE OF c`), []any{ch.Company, ch.ID, kernel.OrFirst(after), ch.Pool(), limit}, scanConversation)
}

// contactsToSettle returns up to limit contacts of a channel, after the given one, that are in the wrong pool.
func contactsToSettle(tx *kernel.Tx, ch *channels.Channel, after kernel.ID, limit int) ([]Contact, error) {
	where := `ct.pool = $2`
	if ch.Private {
		where = `ct.pool = $1 AND ct.channel = $2`
	}
	return readRows(tx, `
		SELECT`+contactColumns+`
		FROM contacts ct
		WHERE ct.company = $1 AND `+where+` AND ct.id > $3
		ORDER BY ct.id
		LIMIT $4`, []any{ch.Company, ch.ID, kernel.OrFirst(after), limit}, scanContact)
}

// endSettling ends the settling of a channel, unless one of its conversations has a contact in another pool.
func endSettling(tx *kernel.Tx, ch *channels.Channel) {
	tx.Later(`
		UPDATE channels
		SET settling = FALSE, settled_to = NULL
		WHERE company = $1 AND id = $2 AND NOT EXISTS (
			SELECT 1
			FROM conversations c
			JOIN contacts ct ON ct.company = c.company AND ct.id = c.contact
			WHERE c.company = $1 AND c.channel = $2 AND ct.pool <> $3)`, ch.Company, ch.ID, ch.Pool())
}

// knownElsewhere reports whether a contact has a conversation through another channel, or a card without a conversation.
func knownElsewhere(tx *kernel.Tx, company, contact, channel kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1 WHERE EXISTS (SELECT 1 FROM conversations c WHERE c.company = $1 AND c.contact = $2 AND c.channel <> $3)
			OR EXISTS (SELECT 1 FROM cards k WHERE k.company = $1 AND k.contact = $2 AND k.conversation IS NULL)`,
		[]any{company, contact, channel}, func(db.Row) {})
}

// contactsLike returns the contacts of a pool that have the phone number or an identity of a contact of another pool.
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

// moveContact moves a contact and its identities to a pool that has no contact like it.
func moveContact(tx *kernel.Tx, c *Contact, pool kernel.ID) {
	tx.Later(`UPDATE contacts SET pool = $3 WHERE company = $1 AND id = $2`, c.Company, c.ID, pool)
	tx.Later(`UPDATE contact_identities SET pool = $3 WHERE company = $1 AND contact = $2`, c.Company, c.ID, pool)
}

// copyIdentities copies the identities of a contact to a contact of the same person in another pool.
func copyIdentities(tx *kernel.Tx, company, from, to, pool kernel.ID) {
	tx.Later(`
		INSERT INTO contact_identities (company, pool, kind, value, contact)
		SELECT company, $4, kind, value, $3
		FROM contact_identities
		WHERE company = $1 AND contact = $2
		ON CONFLICT DO NOTHING`, company, from, to, pool)
}

// leaveChannel moves messages and cards of a channel from a contact to the contact of the same person in the pool of the
// channel.
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

// forgetChannelOfContact replaces the channel of a contact by another one through which it is known, or by none.
func forgetChannelOfContact(tx *kernel.Tx, company, contact, channel kernel.ID) {
	tx.Later(`
		UPDATE contacts
		SET channel = (SELECT c.channel FROM conversations c WHERE c.company = $1 AND c.contact = $2 AND c.channel <> $3 ORDER BY c.id LIMIT 1)
		WHERE company = $1 AND id = $2 AND channel = $3`, company, contact, channel)
}

// storedPool returns the pool in which a contact is stored. While its channel is settling, the contact may belong to another one.
func storedPool(tx *kernel.Tx, c *Contact) (pool kernel.ID, err error) {
	_, err = tx.One(`SELECT pool FROM contacts WHERE company = $1 AND id = $2`, []any{c.Company, c.ID}, func(r db.Row) { pool = r.ID("pool") })
	return pool, err
}

// mediaVersion changes when a channel through which a file was sent or received becomes private or public.
func mediaVersion(tx *kernel.Tx, company, media kernel.ID) (version int64, err error) {
	_, err = tx.One(`
		SELECT CAST(COALESCE(SUM(x.privacy_version), 0) AS BIGINT) AS version
		FROM channels x
		WHERE x.company = $1 AND x.id IN (
			SELECT m.channel FROM messages m WHERE m.company = $1 AND m.media = $2
			UNION
			SELECT d.channel FROM media d WHERE d.company = $1 AND d.id = $2)`,
		[]any{company, media}, func(r db.Row) { version = r.Int("version") })
	return version, err
}
