package store

import (
	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/phone"
)

// contactColumns has contactWidth columns; what a statement selects besides follows them.
const (
	contactColumns = `
	ct.id, ct.company, ct.name, ct.phone, ct.business_name, ct.city, ct.channel, ct.labels, ct.blocked, ct.pool,
	ct.created_at, ct.updated_at`
	contactWidth = 12
)

func scanContact(r Row) model.Contact {
	return model.Contact{
		ID: r.ID(0), Company: r.ID(1), Name: r.Text(2), Phone: r.NullText(3), BusinessName: r.NullText(4), City: r.NullText(5),
		Channel: r.NullID(6), LabelIDs: unpackIDs(r.Bytes(7)), Blocked: r.Bool(8), Pool: r.ID(9),
		CreatedAt: r.Time(10), UpdatedAt: r.Time(11),
	}
}

// Contact gives one contact of the company, public or not: who may see it is the caller's question.
func (tx *Tx) Contact(company, id model.ID) (model.Contact, bool, error) {
	return tx.contact(`WHERE ct.id = $1 AND ct.company = $2`, id, company)
}

// LockContact is Contact, and keeps every other writer away from it until the end of the transaction.
func (tx *Tx) LockContact(company, id model.ID) (model.Contact, bool, error) {
	return tx.contact(`WHERE ct.id = $1 AND ct.company = $2`+tx.forUpdate(), id, company)
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
			folded, unindexed, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, TRUE, $12, $12)
		ON CONFLICT DO NOTHING`,
		c.ID, c.Company, c.Name, c.Phone, phoneKey(c.Phone), c.BusinessName, c.City, c.Channel, c.Blocked, c.Pool,
		contactText(c), c.CreatedAt)
	return n == 1, err
}

// SaveContact writes everything about a contact that the team can change, except its labels.
func (tx *Tx) SaveContact(c *model.Contact) {
	tx.later(`
		UPDATE contacts
		SET name = $3, business_name = $4, city = $5, channel = $6, blocked = $7,
			folded = $8, unindexed = unindexed OR folded <> $8, updated_at = $9
		WHERE id = $1 AND company = $2`,
		c.ID, c.Company, c.Name, c.BusinessName, c.City, c.Channel, c.Blocked, contactText(c), c.UpdatedAt)
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

// ContactsKnownAs finds the contacts that any of the identities leads to, the most telling first: the
// user ids, then the WhatsApp ids, then the phone's key. Empty values match nothing, and nothing matches
// outside of the pool.
func (tx *Tx) ContactsKnownAs(company, pool model.ID, userIDs, waIDs [2]string, phoneKey string) ([]KnownAs, error) {
	var out []KnownAs
	err := tx.query(`
		SELECT `+contactColumns+`, f.kind, f.value
		FROM (
			SELECT contact, kind, value, 1 AS rank FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'user_id' AND value IN ($2, $3)
			UNION ALL
			SELECT contact, kind, value, 2 FROM contact_identities
			WHERE company = $1 AND pool = $7 AND kind = 'wa_id' AND value IN ($4, $5)
			UNION ALL
			SELECT id, 'phone', phone_key, 3 FROM contacts
			WHERE company = $1 AND pool = $7 AND phone_key = $6
		) f
		JOIN contacts ct ON ct.id = f.contact
		ORDER BY f.rank, f.value, ct.id`,
		[]any{company, userIDs[0], userIDs[1], waIDs[0], waIDs[1], phoneKey, pool}, func(r Row) error {
			out = append(out, KnownAs{scanContact(r), r.Text(contactWidth), r.Text(contactWidth + 1)})
			return nil
		})
	return out, err
}

const insertIdentity = `
	INSERT INTO contact_identities (company, pool, kind, value, contact)
	VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT DO NOTHING`

// InsertIdentity links an identity to a contact of the pool and reports false when it belongs to one already.
func (tx *Tx) InsertIdentity(company, pool model.ID, kind, value string, contact model.ID) (bool, error) {
	n, err := tx.exec(insertIdentity, company, pool, kind, value, contact)
	return n == 1, err
}

// LinkIdentity is InsertIdentity where it does not matter who was first.
func (tx *Tx) LinkIdentity(company, pool model.ID, kind, value string, contact model.ID) {
	tx.later(insertIdentity, company, pool, kind, value, contact)
}

// ForgetContact removes a contact that this transaction made and that turned out to be known.
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
