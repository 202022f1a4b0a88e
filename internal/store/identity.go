package store

import (
	"recado/internal/model"
)

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
