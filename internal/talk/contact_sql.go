package talk

import (
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/phone"
	"recado/internal/search"
)

// contactPool is the pool that a contact ct belongs to.
const contactPool = `CASE
	WHEN ct.pool = ct.company AND EXISTS (SELECT 1 FROM channels x WHERE x.company = ct.company AND x.id = ct.channel AND x.private) THEN ct.channel
	WHEN ct.pool <> ct.company AND EXISTS (SELECT 1 FROM channels x WHERE x.company = ct.company AND x.id = ct.pool AND NOT x.private) THEN ct.company
	ELSE ct.pool END`

// contactColumns has contactWidth columns; what a statement selects besides follows them.
const (
	contactColumns = `
	ct.id, ct.company, ct.name, ct.phone, ct.business_name, ct.city, ct.channel, ct.labels, ct.blocked, ` + contactPool + `,
	ct.created_at, ct.updated_at, ct.automation`
	contactWidth = 13
)

func scanContact(r db.Row) Contact {
	return Contact{
		ID: r.ID(0), Company: r.ID(1), Name: r.Text(2), Phone: r.NullText(3), BusinessName: r.NullText(4), City: r.NullText(5),
		Channel: r.NullID(6), LabelIDs: kernel.UnpackIDs(r.Bytes(7)), Blocked: r.Bool(8), Pool: r.ID(9),
		CreatedAt: r.Time(10), UpdatedAt: r.Time(11), Automation: r.Bool(12),
	}
}

// findContact gives one contact of the company, public or not: the caller checks who may see it.
func findContact(tx *kernel.Tx, company, id kernel.ID) (Contact, bool, error) {
	return selectContact(tx, `WHERE ct.company = $1 AND ct.id = $2`, company, id)
}

// lockContact is Contact, and keeps every other writer away from it until the end of the transaction.
func lockContact(tx *kernel.Tx, company, id kernel.ID) (Contact, bool, error) {
	return selectContact(tx, `WHERE ct.company = $1 AND ct.id = $2`+tx.ForUpdate(), company, id)
}

// keepContact is Contact, and keeps it from being changed or deleted until the end of the transaction.
func keepContact(tx *kernel.Tx, company, id kernel.ID) (Contact, bool, error) {
	return selectContact(tx, `WHERE ct.company = $1 AND ct.id = $2`+tx.ForShare(), company, id)
}

// contactInUse reports whether the contact has a conversation or has written in a group.
func contactInUse(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1
		WHERE EXISTS (SELECT 1 FROM conversations WHERE company = $1 AND contact = $2)
			OR EXISTS (SELECT 1 FROM messages WHERE company = $1 AND author = $2)`, []any{company, id}, func(db.Row) {})
}

// setPhone gives a contact another number, which its provider has not confirmed yet. It reports false if another contact of
// the pool has the number.
func setPhone(tx *kernel.Tx, c *Contact) (bool, error) {
	_, err := tx.Exec(`UPDATE contacts SET phone = $3, phone_key = $4 WHERE company = $1 AND id = $2`, c.Company, c.ID, c.Phone, phoneKey(c.Phone))
	if db.IsUnique(err) {
		return false, nil
	}
	tx.Later(`DELETE FROM contact_identities WHERE company = $1 AND contact = $2 AND kind = 'wa_id'`, c.Company, c.ID)
	return true, err
}

// deleteContact deletes a contact that is not in use and that no card names.
func deleteContact(tx *kernel.Tx, company, id kernel.ID) error {
	tx.Later(`DELETE FROM contact_labels WHERE company = $1 AND subject = $2`, company, id)
	forgetContact(tx, company, id)
	return search.Forget(tx.On, &search.Contacts, company, id)
}

// lockContactWithPhone finds and locks the contact of the pool that a phone number reaches.
func lockContactWithPhone(tx *kernel.Tx, company, pool kernel.ID, number string) (Contact, bool, error) {
	return selectContact(tx, `WHERE ct.company = $1 AND ct.pool = $2 AND ct.phone_key = $3`+tx.ForUpdate(), company, pool, phone.Key(number))
}

func selectContact(tx *kernel.Tx, where string, args ...any) (Contact, bool, error) {
	var c Contact
	found, err := tx.One(`SELECT`+contactColumns+` FROM contacts ct `+where, args, func(r db.Row) { c = scanContact(r) })
	return c, found, err
}

// InsertContact adds a contact without labels and reports false when its pool has one with that phone
// already.
func InsertContact(tx *kernel.Tx, c *Contact) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO contacts (id, company, name, phone, phone_key, business_name, city, channel, blocked, pool,
			folded, unindexed, created_at, updated_at, automation)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, TRUE, $12, $12, $13)
		ON CONFLICT DO NOTHING`,
		c.ID, c.Company, c.Name, c.Phone, phoneKey(c.Phone), c.BusinessName, c.City, c.Channel, c.Blocked, c.Pool,
		contactText(c), c.CreatedAt, c.Automation)
	return n == 1, err
}

// saveContact writes everything about a contact that the team can change, except its labels.
func saveContact(tx *kernel.Tx, c *Contact) {
	tx.Later(`
		UPDATE contacts
		SET name = $3, business_name = $4, city = $5, channel = $6, blocked = $7,
			folded = $8, unindexed = unindexed OR folded <> $8, updated_at = $9, automation = $10
		WHERE company = $1 AND id = $2`,
		c.Company, c.ID, c.Name, c.BusinessName, c.City, c.Channel, c.Blocked, contactText(c), c.UpdatedAt, c.Automation)
}

// setContactLabels replaces the labels of a contact.
func setContactLabels(tx *kernel.Tx, company, id kernel.ID, labels []kernel.ID) {
	tx.Later(`UPDATE contacts SET labels = $3 WHERE company = $1 AND id = $2`, company, id, kernel.PackIDs(labels))
	setLabels(tx, "contact_labels", company, id, labels)
}

// contactText is what a search looks at: name and phone, folded.
func contactText(c *Contact) string {
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
	Contact Contact
	Kind    string // IdentityUser, IdentityWA or "phone"
	Value   string
}

// contactsKnownAs finds the contacts that any of the identities leads to, the most reliable first: the
// user ids, then the WhatsApp ids, then the phone's key. Empty values match nothing, and nothing matches
// outside of the pool. Each value is looked up by itself and each contact by its id: for a list of values, or a join, a plan
// made while there were few contacts reads all of them.
func contactsKnownAs(tx *kernel.Tx, company, pool kernel.ID, userIDs, waIDs [2]string, phoneKey string) ([]KnownAs, error) {
	var out []KnownAs
	err := tx.Query(selectKnownAs(tx), []any{company, userIDs[0], userIDs[1], waIDs[0], waIDs[1], phoneKey, pool}, func(r db.Row) error {
		out = append(out, KnownAs{scanContact(r), r.Text(contactWidth), r.Text(contactWidth + 1)})
		return nil
	})
	return out, err
}

func selectKnownAs(tx *kernel.Tx) string {
	return `
		SELECT ` + contactColumns + `, ids.kind, ids.value
		` + tx.FromSubset("$1", `
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

// insertIdentity links an identity to a contact of the pool and reports false when it belongs to one already.
func insertIdentity(tx *kernel.Tx, company, pool kernel.ID, kind, value string, contact kernel.ID) (bool, error) {
	n, err := tx.Exec(`
		INSERT INTO contact_identities (company, pool, kind, value, contact)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT DO NOTHING`, company, pool, kind, value, contact)
	return n == 1, err
}

// linkIdentity links an identity to a contact in the pool of that contact, unless it belongs to one already.
func linkIdentity(tx *kernel.Tx, company kernel.ID, kind, value string, contact kernel.ID) {
	tx.Later(`
		INSERT INTO contact_identities (company, pool, kind, value, contact)
		SELECT company, pool, $3, $4, id
		FROM contacts
		WHERE company = $1 AND id = $2
		ON CONFLICT DO NOTHING`, company, contact, kind, value)
}

// forgetContact deletes the rows of a contact that nothing refers to.
func forgetContact(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM contact_identities WHERE company = $1 AND contact = $2`, company, id)
	tx.Later(`DELETE FROM contacts WHERE company = $1 AND id = $2`, company, id)
}

// nameContact gives a contact another name and number.
func nameContact(tx *kernel.Tx, c *Contact) {
	tx.Later(`
		UPDATE contacts
		SET name = $3, phone = $4, phone_key = $5, folded = $6, unindexed = TRUE, updated_at = $7
		WHERE company = $1 AND id = $2`,
		c.Company, c.ID, c.Name, c.Phone, phoneKey(c.Phone), contactText(c), tx.Now)
}

// keepAddressBookName keeps what the phone of a channel calls a person who has no contact yet. Empty
// identities are left out.
func keepAddressBookName(tx *kernel.Tx, company, channel kernel.ID, userID, phoneKey, name string) {
	for kind, value := range map[string]string{IdentityUser: userID, IdentityWA: phoneKey} {
		if value != "" {
			tx.Later(`
				INSERT INTO address_book (company, channel, kind, value, name, created_at)
				VALUES ($1, $2, $3, $4, $5, $6)
				ON CONFLICT (company, channel, kind, value) DO UPDATE SET name = excluded.name`, company, channel, kind, value, name, tx.Now)
		}
	}
}

// forgetAddressBookName removes an entry.
func forgetAddressBookName(tx *kernel.Tx, company, channel kernel.ID, userID, phoneKey string) {
	tx.Later(`
		DELETE FROM address_book
		WHERE company = $1 AND channel = $2 AND (kind = 'user_id' AND value = $3 OR kind = 'wa_id' AND value = $4)`, company, channel, userID, phoneKey)
}

// addressBookName gives what the phone of a channel calls a person; "" where it has no name for them.
func addressBookName(tx *kernel.Tx, company, channel kernel.ID, userID, phoneKey string) (name string, err error) {
	_, err = tx.One(`
		SELECT name
		FROM address_book
		WHERE company = $1 AND channel = $2 AND (kind = 'user_id' AND value = $3 OR kind = 'wa_id' AND value = $4)
		ORDER BY kind
		LIMIT 1`, []any{company, channel, userID, phoneKey}, func(r db.Row) { name = r.Text(0) })
	return name, err
}

// contactHasUserID reports whether a provider knows a contact by any user id.
func contactHasUserID(tx *kernel.Tx, company, contact kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM contact_identities WHERE company = $1 AND contact = $2 AND kind = 'user_id'`, []any{company, contact}, func(db.Row) {})
}

// lockConversationsOf locks the conversations with a contact, in the order of their ids.
func lockConversationsOf(tx *kernel.Tx, company, contact kernel.ID) ([]Conversation, error) {
	tx.ShareVisibility(company)
	var out []Conversation
	err := tx.Query(`SELECT`+conversationColumns+` FROM conversations c WHERE c.company = $1 AND c.contact = $2 ORDER BY c.id`+tx.ForUpdate(),
		[]any{company, contact}, func(r db.Row) error {
			out = append(out, scanConversation(r))
			return nil
		})
	return out, err
}

// hasSends reports whether messages of a conversation wait to be sent.
func hasSends(tx *kernel.Tx, company, conversation kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM sends WHERE company = $1 AND conversation = $2 LIMIT 1`, []any{company, conversation}, func(db.Row) {})
}

// moveConversation gives a conversation, with its attendances, to another contact of the company.
func moveConversation(tx *kernel.Tx, company, conversation, contact kernel.ID) {
	tx.Later(`UPDATE conversations SET contact = $3 WHERE company = $1 AND id = $2`, company, conversation, contact)
	tx.Later(`UPDATE attendances SET contact = $3 WHERE company = $1 AND conversation = $2`, company, conversation, contact)
}

// joinConversations moves everything of one conversation into another of the same channel and deletes it.
// Messages, notes and assignments are numbered anew after base, in the order in which they arrived, and attendances keep their
// places among them; imported history comes first. It gives the greatest number.
func joinConversations(tx *kernel.Tx, company kernel.ID, into *Conversation, from kernel.ID, base int64) (int64, error) {
	last := base
	for _, table := range []string{"assignments", "notes", "messages"} { // in this order: the numbers of messages tell history
		n, err := tx.Exec(`
			UPDATE `+table+`
			SET conversation = $2, seq = $4 + o.place
			FROM (
				SELECT subject, ROW_NUMBER() OVER (ORDER BY history, subject) AS place
				FROM (
					SELECT id AS subject, CASE WHEN seq < 0 THEN seq ELSE 0 END AS history FROM messages WHERE company = $1 AND conversation IN ($2, $3)
					UNION ALL
					SELECT id AS subject, 0 AS history FROM assignments WHERE company = $1 AND conversation IN ($2, $3)
					UNION ALL
					SELECT id AS subject, 0 AS history FROM notes WHERE company = $1 AND conversation IN ($2, $3)
				) all_of_both
			) o
			WHERE `+table+`.company = $1 AND `+table+`.conversation IN ($2, $3) AND `+table+`.id = o.subject`, company, into.ID, from, base)
		if err != nil {
			return 0, err
		}
		last += n
	}
	if err := joinMarks(tx, company, into.ID, from, base); err != nil {
		return 0, err
	}
	tx.Later(`UPDATE attendances SET conversation = $3, contact = $4 WHERE company = $1 AND conversation = $2`, company, from, into.ID, into.Contact)
	tx.Later(`UPDATE cards SET conversation = $3, version = version + 1 WHERE company = $1 AND conversation = $2`, company, from, into.ID)
	tx.Later(`UPDATE events SET conversation = $3 WHERE company = $1 AND conversation = $2`, company, from, into.ID)
	joinTalk(tx, company, into.ID, from)
	tx.Later(`DELETE FROM conversation_labels WHERE company = $1 AND subject = $2`, company, from)
	tx.Later(`DELETE FROM conversations WHERE company = $1 AND id = $2`, company, from)
	return last, search.Forget(tx.On, &search.Conversations, company, from)
}

// joinTalk moves what the team has written for itself. Of two drafts of a person the one of the conversation that stays is kept.
func joinTalk(tx *kernel.Tx, company, into, from kernel.ID) {
	tx.Later(`
		DELETE FROM drafts
		WHERE company = $1 AND conversation = $3
			AND EXISTS (SELECT 1 FROM drafts k WHERE k.company = $1 AND k.conversation = $2 AND k.member = drafts.member)`, company, into, from)
	tx.Later(`DELETE FROM reply_renderings WHERE company = $1 AND conversation = $2`, company, from)
	for _, table := range []string{"drafts", "notifications", "scheduled_messages"} {
		tx.Later(`UPDATE `+table+` SET conversation = $2 WHERE company = $1 AND conversation = $3`, company, into, from)
	}
}

// joinMarks moves the marks of attendances to where they stand among the messages of both conversations.
func joinMarks(tx *kernel.Tx, company, into, from kernel.ID, base int64) error {
	type mark struct {
		kind       int64
		attendance kernel.ID
		at         time.Time
	}
	var marks []mark
	err := tx.Query(`
		SELECT k.kind, k.attendance, CASE WHEN k.kind = $4 THEN a.opened_at ELSE a.closed_at END
		FROM attendance_marks k
		JOIN attendances a ON a.company = k.company AND a.id = k.attendance
		WHERE k.company = $1 AND k.conversation IN ($2, $3)`, []any{company, into, from, RankOpened}, func(r db.Row) error {
		marks = append(marks, mark{r.Int(0), r.ID(1), r.Time(2)})
		return nil
	})
	if err != nil {
		return err
	}
	tx.Later(`DELETE FROM attendance_marks WHERE company = $1 AND conversation IN ($2, $3)`, company, into, from)
	for _, m := range marks {
		seq := base
		_, err := tx.One(`SELECT MAX(seq) FROM messages WHERE company = $1 AND conversation = $2 AND id < $3`,
			[]any{company, into, kernel.FirstIDOf(m.at.Add(time.Millisecond))}, func(r db.Row) {
				if last := r.NullInt(0); last != nil {
					seq = *last
				}
			})
		if err != nil {
			return err
		}
		insertAttendanceMark(tx, company, into, seq, m.kind, m.attendance)
	}
	return nil
}

// replaceContact gives everything that names one contact to another of the company, and deletes it.
func replaceContact(tx *kernel.Tx, company, gone, by kernel.ID) error {
	tx.Later(`
		DELETE FROM contact_identities
		WHERE company = $1 AND contact = $2 AND EXISTS (
			SELECT 1
			FROM contact_identities o
			WHERE o.company = $1 AND o.contact <> $2 AND o.pool = (SELECT k.pool FROM contacts k WHERE k.company = $1 AND k.id = $3)
				AND o.kind = contact_identities.kind AND o.value = contact_identities.value)`, company, gone, by)
	tx.Later(`
		UPDATE contact_identities
		SET contact = $3, pool = (SELECT k.pool FROM contacts k WHERE k.company = $1 AND k.id = $3)
		WHERE company = $1 AND contact = $2`, company, gone, by)
	tx.Later(`UPDATE cards SET contact = $3, version = version + 1 WHERE company = $1 AND contact = $2`, company, gone, by)
	tx.Later(`UPDATE messages SET author = $3 WHERE company = $1 AND author = $2`, company, gone, by)
	tx.Later(`DELETE FROM contact_labels WHERE company = $1 AND subject = $2`, company, gone)
	tx.Later(`DELETE FROM contacts WHERE company = $1 AND id = $2`, company, gone)
	return search.Forget(tx.On, &search.Contacts, company, gone)
}
