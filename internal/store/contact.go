package store

import (
	"time"

	"recado/internal/db"
	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/phone"
	"recado/internal/store/search"
)

// contactColumns has contactWidth columns; what a statement selects besides follows them.
const (
	contactColumns = `
	ct.id, ct.company, ct.name, ct.phone, ct.business_name, ct.city, ct.channel, ct.labels, ct.blocked, ` + contactPool + `,
	ct.created_at, ct.updated_at, ct.automation`
	contactWidth = 13
)

func scanContact(r Row) model.Contact {
	return model.Contact{
		ID: r.ID(0), Company: r.ID(1), Name: r.Text(2), Phone: r.NullText(3), BusinessName: r.NullText(4), City: r.NullText(5),
		Channel: r.NullID(6), LabelIDs: unpackIDs(r.Bytes(7)), Blocked: r.Bool(8), Pool: r.ID(9),
		CreatedAt: r.Time(10), UpdatedAt: r.Time(11), Automation: r.Bool(12),
	}
}

// Contact gives one contact of the company, public or not: the caller checks who may see it.
func (tx *Tx) Contact(company, id model.ID) (model.Contact, bool, error) {
	return tx.contact(`WHERE ct.id = $1 AND ct.company = $2`, id, company)
}

// LockContact is Contact, and keeps every other writer away from it until the end of the transaction.
func (tx *Tx) LockContact(company, id model.ID) (model.Contact, bool, error) {
	return tx.contact(`WHERE ct.id = $1 AND ct.company = $2`+tx.forUpdate(), id, company)
}

// KeepContact is Contact, and keeps it from being changed or deleted until the end of the transaction.
func (tx *Tx) KeepContact(company, id model.ID) (model.Contact, bool, error) {
	return tx.contact(`WHERE ct.id = $1 AND ct.company = $2`+tx.forShare(), id, company)
}

// ContactInUse reports whether the contact has a conversation or has written in a group.
func (tx *Tx) ContactInUse(company, id model.ID) (bool, error) {
	return tx.one(`
		SELECT 1
		WHERE EXISTS (SELECT 1 FROM conversations WHERE contact = $1 AND company = $2)
			OR EXISTS (SELECT 1 FROM messages WHERE author = $1 AND company = $2)`, []any{id, company}, func(Row) {})
}

// SetPhone gives a contact another number, which its provider has not confirmed yet. It reports false if another contact of
// the pool has the number.
func (tx *Tx) SetPhone(c *model.Contact) (bool, error) {
	_, err := tx.exec(`UPDATE contacts SET phone = $3, phone_key = $4 WHERE id = $1 AND company = $2`, c.ID, c.Company, c.Phone, phoneKey(c.Phone))
	if db.IsUnique(err) {
		return false, nil
	}
	tx.later(`DELETE FROM contact_identities WHERE contact = $1 AND company = $2 AND kind = 'wa_id'`, c.ID, c.Company)
	return true, err
}

// CardsOfContact lists the cards that name a contact.
func (tx *Tx) CardsOfContact(company, contact model.ID) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM cards WHERE company = $1 AND contact = $2 ORDER BY id`, company, contact)
}

// DeleteContact deletes a contact that is not in use and that no card names.
func (tx *Tx) DeleteContact(company, id model.ID) error {
	tx.later(`DELETE FROM contact_labels WHERE subject = $1`, id)
	tx.ForgetContact(company, id)
	return search.Forget(tx.on, &search.Contacts, id)
}

// LockContactWithPhone finds and locks the contact of the pool that a phone number reaches.
func (tx *Tx) LockContactWithPhone(company, pool model.ID, number string) (model.Contact, bool, error) {
	return tx.contact(`WHERE ct.company = $1 AND ct.pool = $2 AND ct.phone_key = $3`+tx.forUpdate(), company, pool, phone.Key(number))
}

func (tx *Tx) contact(where string, args ...any) (model.Contact, bool, error) {
	var c model.Contact
	found, err := tx.one(`SELECT`+contactColumns+` FROM contacts ct `+where, args, func(r Row) { c = scanContact(r) })
	return c, found, err
}

// InsertContact adds a contact without labels and reports false when its pool has one with that phone
// already.
func (tx *Tx) InsertContact(c *model.Contact) (bool, error) {
	n, err := tx.exec(`
		INSERT INTO contacts (id, company, name, phone, phone_key, business_name, city, channel, blocked, pool,
			folded, unindexed, created_at, updated_at, automation)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, TRUE, $12, $12, $13)
		ON CONFLICT DO NOTHING`,
		c.ID, c.Company, c.Name, c.Phone, phoneKey(c.Phone), c.BusinessName, c.City, c.Channel, c.Blocked, c.Pool,
		contactText(c), c.CreatedAt, c.Automation)
	return n == 1, err
}

// SaveContact writes everything about a contact that the team can change, except its labels.
func (tx *Tx) SaveContact(c *model.Contact) {
	tx.later(`
		UPDATE contacts
		SET name = $3, business_name = $4, city = $5, channel = $6, blocked = $7,
			folded = $8, unindexed = unindexed OR folded <> $8, updated_at = $9, automation = $10
		WHERE id = $1 AND company = $2`,
		c.ID, c.Company, c.Name, c.BusinessName, c.City, c.Channel, c.Blocked, contactText(c), c.UpdatedAt, c.Automation)
}

// SetContactLabels replaces the labels of a contact.
func (tx *Tx) SetContactLabels(id model.ID, labels []model.ID) {
	tx.later(`UPDATE contacts SET labels = $2 WHERE id = $1`, id, packIDs(labels))
	tx.setLabels("contact_labels", id, labels)
}

// contactText is what a search looks at: name and phone, folded.
func contactText(c *model.Contact) string {
	text := c.Name
	if c.Phone != nil {
		text += "\n" + *c.Phone
	}
	return fold.Text(text)
}

// phoneKey is what makes a contact's phone unique within its pool.
func phoneKey(number *string) *string {
	if number == nil {
		return nil
	}
	key := phone.Key(*number)
	return &key
}

// The kinds of identity that a provider knows a person by.
const (
	IdentityUser = "user_id" // business-scoped
	IdentityWA   = "wa_id"
)

// KnownAs is a contact and which of the asked identities led to it.
type KnownAs struct {
	Contact model.Contact
	Kind    string // IdentityUser, IdentityWA or "phone"
	Value   string
}

// ContactsKnownAs finds the contacts that any of the identities leads to, the most reliable first: the
// user ids, then the WhatsApp ids, then the phone's key. Empty values match nothing, and nothing matches
// outside of the pool. Each value is looked up by itself and each contact by its id: for a list of values, or a join, a plan
// made while there were few contacts reads all of them.
func (tx *Tx) ContactsKnownAs(company, pool model.ID, userIDs, waIDs [2]string, phoneKey string) ([]KnownAs, error) {
	var out []KnownAs
	err := tx.query(tx.selectKnownAs(), []any{company, userIDs[0], userIDs[1], waIDs[0], waIDs[1], phoneKey, pool}, func(r Row) error {
		out = append(out, KnownAs{scanContact(r), r.Text(contactWidth), r.Text(contactWidth + 1)})
		return nil
	})
	return out, err
}

func (tx *Tx) selectKnownAs() string {
	return `
		SELECT ` + contactColumns + `, ids.kind, ids.value
		` + tx.fromSubset(`
			SELECT contact AS id, kind, value, 1 AS rank FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'user_id' AND value = $2
			UNION ALL
			SELECT contact, kind, value, 1 FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'user_id' AND value = $3 AND value <> $2
			UNION ALL
			SELECT contact, kind, value, 2 FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'wa_id' AND value = $4
			UNION ALL
			SELECT contact, kind, value, 2 FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'wa_id' AND value = $5 AND value <> $4
			UNION ALL
			SELECT id, 'phone', phone_key, 3 FROM contacts
			WHERE company = $1 AND pool = $7 AND phone_key = $6`, "contacts", "ct") + `
		ORDER BY ids.rank, ids.value, ct.id`
}

// InsertIdentity links an identity to a contact of the pool and reports false when it belongs to one already.
func (tx *Tx) InsertIdentity(company, pool model.ID, kind, value string, contact model.ID) (bool, error) {
	n, err := tx.exec(`
		INSERT INTO contact_identities (company, pool, kind, value, contact)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT DO NOTHING`, company, pool, kind, value, contact)
	return n == 1, err
}

// LinkIdentity links an identity to a contact in the pool of that contact, unless it belongs to one already.
func (tx *Tx) LinkIdentity(company model.ID, kind, value string, contact model.ID) {
	tx.later(`
		INSERT INTO contact_identities (company, pool, kind, value, contact)
		SELECT company, pool, $3, $4, id
		FROM contacts
		WHERE id = $1 AND company = $2
		ON CONFLICT DO NOTHING`, contact, company, kind, value)
}

// ForgetContact deletes the rows of a contact that nothing refers to.
func (tx *Tx) ForgetContact(company, id model.ID) {
	tx.later(`DELETE FROM contact_identities WHERE contact = $1 AND company = $2`, id, company)
	tx.later(`DELETE FROM contacts WHERE id = $1 AND company = $2`, id, company)
}

// NameContact gives a contact another name and number.
func (tx *Tx) NameContact(c *model.Contact) {
	tx.later(`
		UPDATE contacts
		SET name = $3, phone = $4, phone_key = $5, folded = $6, unindexed = TRUE, updated_at = $7
		WHERE id = $1 AND company = $2`,
		c.ID, c.Company, c.Name, c.Phone, phoneKey(c.Phone), contactText(c), tx.Now)
}

// KeepAddressBookName keeps what the phone of a channel calls a person who has no contact yet. Empty
// identities are left out.
func (tx *Tx) KeepAddressBookName(channel model.ID, userID, phoneKey, name string) {
	for kind, value := range map[string]string{IdentityUser: userID, IdentityWA: phoneKey} {
		if value != "" {
			tx.later(`
				INSERT INTO address_book (channel, kind, value, name, created_at)
				VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (channel, kind, value) DO UPDATE SET name = excluded.name`, channel, kind, value, name, tx.Now)
		}
	}
}

// ForgetAddressBookName removes an entry.
func (tx *Tx) ForgetAddressBookName(channel model.ID, userID, phoneKey string) {
	tx.later(`
		DELETE FROM address_book
		WHERE channel = $1 AND (kind = 'user_id' AND value = $2 OR kind = 'wa_id' AND value = $3)`, channel, userID, phoneKey)
}

// AddressBookName gives what the phone of a channel calls a person; "" where it has no name for them.
func (tx *Tx) AddressBookName(channel model.ID, userID, phoneKey string) (name string, err error) {
	_, err = tx.one(`
		SELECT name
		FROM address_book
		WHERE channel = $1 AND (kind = 'user_id' AND value = $2 OR kind = 'wa_id' AND value = $3)
		ORDER BY kind
		LIMIT 1`, []any{channel, userID, phoneKey}, func(r Row) { name = r.Text(0) })
	return name, err
}

// ContactHasUserID reports whether a provider knows a contact by any user id.
func (tx *Tx) ContactHasUserID(company, contact model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM contact_identities WHERE contact = $1 AND company = $2 AND kind = 'user_id'`, []any{contact, company}, func(Row) {})
}

// LockConversationsOf locks the conversations with a contact, in the order of their ids.
func (tx *Tx) LockConversationsOf(company, contact model.ID) ([]model.Conversation, error) {
	tx.ShareVisibility(company)
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
// Messages, notes and assignments are numbered anew after base, in the order in which they arrived, and attendances keep their
// places among them; imported history comes first. It gives the greatest number.
func (tx *Tx) JoinConversations(company model.ID, into *model.Conversation, from model.ID, base int64) (int64, error) {
	last := base
	for _, table := range []string{"assignments", "notes", "messages"} { // in this order: the numbers of messages tell history
		n, err := tx.exec(`
			UPDATE `+table+`
			SET conversation = $1, seq = $3 + o.place
			FROM (
				SELECT subject, ROW_NUMBER() OVER (ORDER BY history, subject) AS place
				FROM (
					SELECT id AS subject, CASE WHEN seq < 0 THEN seq ELSE 0 END AS history FROM messages WHERE conversation IN ($1, $2)
					UNION ALL
					SELECT id AS subject, 0 AS history FROM assignments WHERE conversation IN ($1, $2)
					UNION ALL
					SELECT id AS subject, 0 AS history FROM notes WHERE company = $4 AND conversation IN ($1, $2)
				) all_of_both
			) o
			WHERE `+table+`.company = $4 AND `+table+`.conversation IN ($1, $2) AND `+table+`.id = o.subject`, into.ID, from, base, company)
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
	tx.joinTalk(company, into.ID, from)
	tx.later(`DELETE FROM conversation_labels WHERE subject = $1`, from)
	tx.later(`DELETE FROM conversations WHERE id = $1 AND company = $2`, from, company)
	return last, search.Forget(tx.on, &search.Conversations, from)
}

// joinTalk moves what the team has written for itself. Of two drafts of a person the one of the conversation that stays is kept.
func (tx *Tx) joinTalk(company, into, from model.ID) {
	tx.later(`
		DELETE FROM drafts
		WHERE company = $1 AND conversation = $3
			AND EXISTS (SELECT 1 FROM drafts k WHERE k.company = $1 AND k.conversation = $2 AND k.member = drafts.member)`, company, into, from)
	tx.later(`DELETE FROM reply_renderings WHERE company = $1 AND conversation = $2`, company, from)
	for _, table := range []string{"drafts", "notifications", "scheduled_messages"} {
		tx.later(`UPDATE `+table+` SET conversation = $2 WHERE company = $1 AND conversation = $3`, company, into, from)
	}
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
	tx.later(`
		DELETE FROM contact_identities
		WHERE contact = $1 AND company = $2 AND EXISTS (
			SELECT 1
			FROM contact_identities o
			WHERE o.company = $2 AND o.contact <> $1 AND o.pool = (SELECT k.pool FROM contacts k WHERE k.id = $3)
				AND o.kind = contact_identities.kind AND o.value = contact_identities.value)`, gone, company, by)
	tx.later(`
		UPDATE contact_identities
		SET contact = $3, pool = (SELECT k.pool FROM contacts k WHERE k.id = $3)
		WHERE contact = $1 AND company = $2`, gone, company, by)
	tx.later(`UPDATE cards SET contact = $3, version = version + 1 WHERE contact = $1 AND company = $2`, gone, company, by)
	tx.later(`UPDATE messages SET author = $3 WHERE author = $1 AND company = $2`, gone, company, by)
	tx.later(`DELETE FROM contact_labels WHERE subject = $1`, gone)
	tx.later(`DELETE FROM contacts WHERE id = $1 AND company = $2`, gone, company)
	return search.Forget(tx.on, &search.Contacts, gone)
}
