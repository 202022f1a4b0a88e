package store

import (
	"recado/internal/model"
)

// contactColumns has contactWidth columns; what a statement selects besides follows them.
const (
	contactColumns = `
	ct.id, ct.company, ct.name, ct.phone, ct.business_name, ct.city, ct.channel, ct.labels, ct.blocked, ct.public,
	ct.created_at, ct.updated_at`
	contactWidth = 12
)

func scanContact(r Row) model.Contact {
	return model.Contact{
		ID: r.ID(0), Company: r.ID(1), Name: r.Text(2), Phone: r.NullText(3), BusinessName: r.NullText(4), City: r.NullText(5),
		Channel: r.NullID(6), LabelIDs: unpackIDs(r.Bytes(7)), Blocked: r.Bool(8), Public: r.Bool(9),
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

// LockContactWithPhone finds and locks the contact whose number reaches the same person as phone.
func (tx *Tx) LockContactWithPhone(company model.ID, phone string) (model.Contact, bool, error) {
	return tx.contact(`WHERE ct.company = $1 AND ct.phone_key = $2`+tx.forUpdate(), company, model.PhoneKey(phone))
}

func (tx *Tx) contact(where string, args ...any) (model.Contact, bool, error) {
	var c model.Contact
	found, err := tx.one(`SELECT`+contactColumns+` FROM contacts ct `+where, args, func(r Row) { c = scanContact(r) })
	return c, found, err
}

// InsertContact adds a contact without labels and reports false when the company has one with that
// phone already.
func (tx *Tx) InsertContact(c *model.Contact) (bool, error) {
	n, err := tx.exec(`
		INSERT INTO contacts (id, company, name, phone, phone_key, business_name, city, channel, blocked, public,
			folded, unindexed, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, TRUE, $12, $12)
		ON CONFLICT DO NOTHING`,
		c.ID, c.Company, c.Name, c.Phone, phoneKey(c.Phone), c.BusinessName, c.City, c.Channel, c.Blocked, c.Public,
		contactText(c), c.CreatedAt)
	return n == 1, err
}

// SaveContact writes everything about a contact that the team can change, except its labels.
func (tx *Tx) SaveContact(c *model.Contact) {
	tx.later(`
		UPDATE contacts
		SET name = $3, business_name = $4, city = $5, channel = $6, blocked = $7, public = $8,
			folded = $9, unindexed = unindexed OR folded <> $9, updated_at = $10
		WHERE id = $1 AND company = $2`,
		c.ID, c.Company, c.Name, c.BusinessName, c.City, c.Channel, c.Blocked, c.Public, contactText(c), c.UpdatedAt)
}

// PublishContact shows a contact that only a private channel knew, as if it were new.
func (tx *Tx) PublishContact(c *model.Contact) {
	tx.SaveContact(c)
	tx.SetContactLabels(c.ID, nil)
	tx.later(`UPDATE contacts SET created_at = $3 WHERE id = $1 AND company = $2`, c.ID, c.Company, c.CreatedAt)
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

// phoneKey is what makes a contact's phone unique within its company.
func phoneKey(phone *string) *string {
	if phone == nil {
		return nil
	}
	key := model.PhoneKey(*phone)
	return &key
}
