package store

import (
	"recado/internal/model"
)

// ContactFilter says which contacts a list shows. Zero values filter nothing.
type ContactFilter struct {
	Q       string
	Label   model.ID
	Channel model.ID
	Limit   int
	Offset  int

	Company model.ID
}

// Simple reports whether Contacts will need one statement only.
func (f *ContactFilter) Simple() bool { return f.Q == "" && f.Label.IsZero() }

// Contacts lists public contacts of the company, the newest first. Like conversations they are found
// by a text or a label that few have, or else along the order of the list.
func (tx *Tx) Contacts(f ContactFilter) (page []model.Contact, more bool, err error) {
	s, err := tx.listContacts(&f)
	if err != nil {
		return nil, false, err
	}
	return collect(tx, s, f.Limit, scanContact)
}

func (tx *Tx) listContacts(f *ContactFilter) (*statement, error) {
	found, err := tx.find(&contactSearch, f.Company, f.Q)
	if err != nil {
		return nil, err
	}
	rare, err := tx.rareContacts(f, found)
	if err != nil {
		return nil, err
	}
	s := tx.statement()
	from := "FROM contacts ct" + tx.indexedBy("contacts_list")
	switch {
	case rare != nil:
		from = tx.fromSubset(rare(s), "contacts", "ct")
	case !f.Channel.IsZero():
		from = "FROM contacts ct" + tx.indexedBy("contacts_channel")
	}
	s.WriteString("SELECT" + contactColumns + "\n\t" + from + "\n\tWHERE ct.company = " + s.arg(f.Company))
	s.and("ct.public")
	if !f.Channel.IsZero() {
		s.and("ct.channel = " + s.arg(f.Channel))
	}
	if !f.Label.IsZero() {
		s.and("EXISTS (SELECT 1 FROM contact_labels l WHERE l.subject = ct.id AND l.label = " + s.arg(f.Label) + ")")
	}
	found.check(tx, s, "ct.folded")
	if rare == nil && found.bounded {
		if err := tx.amongNewestContacts(s, f.Company); err != nil {
			return nil, err
		}
	}
	s.WriteString("\n\tORDER BY ct.id DESC")
	tx.page(s, f.Limit, f.Offset)
	return s, nil
}

func (tx *Tx) rareContacts(f *ContactFilter, found search) (subset, error) {
	if found.rare {
		return found.candidates(tx), nil
	}
	if f.Label.IsZero() {
		return nil, nil
	}
	labelled := func(s *statement) string {
		return "SELECT subject AS id FROM contact_labels WHERE label = " + s.arg(f.Label)
	}
	if yes, err := tx.isFew(labelled); err != nil || !yes {
		return nil, err
	}
	return labelled, nil
}

// amongNewestContacts keeps a text that no index can find to the newest contacts.
func (tx *Tx) amongNewestContacts(s *statement, company model.ID) error {
	var id model.ID
	there, err := tx.one(`
		SELECT ct.id
		FROM contacts ct`+tx.indexedBy("contacts_list")+`
		WHERE ct.company = $1 AND ct.public
		ORDER BY ct.id DESC
		LIMIT 1 OFFSET $2`, []any{company, newest - 1}, func(r Row) { id = r.ID(0) })
	if err == nil && there {
		s.and("ct.id >= " + s.arg(id))
	}
	return err
}

// ConversationsOf gives the ids of all conversations with a contact, private ones included.
func (tx *Tx) ConversationsOf(company, contact model.ID) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM conversations WHERE contact = $1 AND company = $2 ORDER BY id`, contact, company)
}
