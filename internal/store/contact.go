package store

import (
	"recado/internal/model"
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

// LockContactWithPhone finds and locks the contact of the pool whose number reaches the same person as phone.
func (tx *Tx) LockContactWithPhone(company, pool model.ID, phone string) (model.Contact, bool, error) {
	return tx.contact(`WHERE ct.company = $1 AND ct.pool = $2 AND ct.phone_key = $3`+tx.forUpdate(), company, pool, model.PhoneKey(phone))
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
	return model.Fold(text)
}

// phoneKey is what makes a contact's phone unique within its pool.
func phoneKey(phone *string) *string {
	if phone == nil {
		return nil
	}
	key := model.PhoneKey(*phone)
	return &key
}
