package store

import (
	"slices"
	"strconv"

	"recado/internal/db"
	"recado/internal/model"
	"recado/internal/store/search"
)

// ContactFilter says which contacts a list shows. Zero values filter nothing.
type ContactFilter struct {
	Q       string
	Label   model.ID
	Channel model.ID
	Limit   int
	Offset  int

	Near bool // see ConversationFilter

	Company model.ID
	Private []model.ID // the private channels whose contacts are listed too

	end model.ID // the last that is looked at; zero: all are
}

// Simple reports whether Contacts will need one statement only.
func (f *ContactFilter) Simple() bool { return f.Q == "" && f.Label.IsZero() && len(f.Private) == 0 }

// contactsWithPrivate is Contacts with those of private channels, of which there are few.
func (tx *Tx) contactsWithPrivate(f ContactFilter) ([]model.Contact, bool, error) {
	public := f
	public.Offset, public.Limit, public.Private = 0, f.Offset+f.Limit, nil
	shown, more, err := tx.Contacts(public)
	if err != nil {
		return nil, false, err
	}
	s := tx.statement()
	s.WriteString("SELECT" + contactColumns + "\n\tFROM contacts ct\n\tWHERE ct.company = " + s.Arg(f.Company))
	s.And(s.In("ct.pool", f.Private))
	if !f.Channel.IsZero() {
		s.And("ct.pool = " + s.Arg(f.Channel))
	}
	f.andLabel(s)
	search.NewText(f.Q).Check(s, "ct.folded")
	s.WriteString("\n\tORDER BY ct.id DESC")
	tx.page(s, public.Limit, 0)
	private, also, err := collect(tx, s, public.Limit, scanContact)
	if err != nil {
		return nil, false, err
	}
	page, more := merged(shown, private, func(x, y model.Contact) int { return slices.Compare(y.ID[:], x.ID[:]) }, f.Offset, f.Limit, more || also)
	return page, more, nil
}

// Contacts lists public contacts of the company, the newest first. Like conversations they are found
// by a text or a label that few have, or else along the order of the list.
func (tx *Tx) Contacts(f ContactFilter) (page []model.Contact, more bool, err error) {
	if len(f.Private) > 0 {
		return tx.contactsWithPrivate(f)
	}
	s, err := tx.listContacts(&f)
	if err != nil {
		return nil, false, err
	}
	page, more, err = collect(tx, s, f.Limit, scanContact)
	if err == nil && !f.end.IsZero() && !more {
		err = ErrFar
	}
	return page, more, err
}

func (tx *Tx) listContacts(f *ContactFilter) (*statement, error) {
	text := search.NewText(f.Q)
	s := tx.statement()
	rare, err := tx.rareContacts(f)
	if err != nil {
		return nil, err
	}
	from := tx.alongContacts(f)
	if rare != nil {
		from = tx.fromSubset(rare(s), "contacts", "ct")
	} else if !text.IsEmpty() {
		plan := &search.Plan{
			Tx: tx.on, List: &contactSearchList{tx, f}, Noun: &search.Contacts, Text: text,
			Want: f.Offset + f.Limit + 1, Company: f.Company,
		}
		ids, err := plan.Run(f.Offset, f.Limit+1)
		s.WriteString("SELECT" + contactColumns + "\n\t" + tx.fromSubset(db.Listed(ids)(s), "contacts", "ct") + "\n\tORDER BY ct.id DESC")
		return s, err
	} else if f.Near && !f.Label.IsZero() && !f.Channel.IsZero() {
		if f.end, err = tx.farContact(f); err != nil {
			return nil, err
		}
	}
	s.WriteString("SELECT" + contactColumns + "\n\t" + from)
	tx.chooseContacts(s, f, text)
	if !f.end.IsZero() {
		s.And("ct.id >= " + s.Arg(f.end))
	}
	s.WriteString("\n\tORDER BY ct.id DESC")
	tx.page(s, f.Limit, f.Offset)
	return s, nil
}

// alongContacts reads in the order of the list, or in that of the one channel.
func (tx *Tx) alongContacts(f *ContactFilter) string {
	if !f.Channel.IsZero() {
		return "FROM contacts ct" + tx.indexedBy("contacts_channel")
	}
	return "FROM contacts ct" + tx.indexedBy("contacts_list")
}

// farContact gives the contact that few stand before along the index; zero: there are not that many.
func (tx *Tx) farContact(f *ContactFilter) (id model.ID, err error) {
	s := tx.statement()
	s.WriteString("SELECT ct.id " + tx.alongContacts(f))
	f.whereListed(s)
	s.WriteString("\n\tORDER BY ct.id DESC LIMIT 1 OFFSET " + s.Arg(few))
	_, err = tx.one(s.String(), s.Args, func(r Row) { id = r.ID(0) })
	return id, err
}

// chooseContacts adds the WHERE clause.
func (tx *Tx) chooseContacts(s *statement, f *ContactFilter, text search.Text) {
	f.whereListed(s)
	f.andLabel(s)
	text.Check(s, "ct.folded")
}

// whereListed is the WHERE clause of the list, or of that of the one channel.
func (f *ContactFilter) whereListed(s *statement) {
	company := s.Arg(f.Company)
	s.WriteString("\n\tWHERE ct.pool = " + company)
	s.And("(ct.channel IS NULL OR " + public("ct.channel", company) + ")")
	if !f.Channel.IsZero() {
		s.And("ct.channel = " + s.Arg(f.Channel))
	}
}

func (f *ContactFilter) andLabel(s *statement) {
	if !f.Label.IsZero() {
		s.And("(SELECT TRUE FROM contact_labels l WHERE l.subject = ct.id AND l.label = " + s.Arg(f.Label) + ")") // row by row, unlike EXISTS
	}
}

// contactSearchList is the list for a search.
type contactSearchList struct {
	tx *Tx
	f  *ContactFilter
}

func (l *contactSearchList) Newest(n int, text search.Text) ([]*statement, int) {
	s := l.tx.statement()
	s.WriteString("SELECT ct.id, COALESCE(" + text.Contains(s, "ct.folded"))
	l.f.andLabel(s)
	s.WriteString(", FALSE) " + l.tx.alongContacts(l.f))
	l.f.whereListed(s)
	s.WriteString("\n\tORDER BY ct.id DESC LIMIT " + strconv.Itoa(n))
	return []*statement{s}, n
}

func (l *contactSearchList) Among(of subset, text search.Text) *statement {
	s := l.tx.statement()
	s.WriteString("SELECT ct.id, " + text.Contains(s, "ct.folded") + " " + l.tx.fromSubset(of(s), "contacts", "ct"))
	l.tx.chooseContacts(s, l.f, search.Text{})
	return s
}

func (l *contactSearchList) Pinned() ([]model.ID, bool, error) { return nil, true, nil }

// rareContacts gives the contacts of a label that few have, or nil.
func (tx *Tx) rareContacts(f *ContactFilter) (subset, error) {
	if f.Label.IsZero() {
		return nil, nil
	}
	labelled := func(s *statement) string {
		return "SELECT subject AS id FROM contact_labels WHERE label = " + s.Arg(f.Label)
	}
	if yes, err := tx.isFew(labelled); err != nil || !yes {
		return nil, err
	}
	return labelled, nil
}

// ConversationsOf gives the ids of all conversations with a contact.
func (tx *Tx) ConversationsOf(company, contact model.ID) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM conversations WHERE contact = $1 AND company = $2 ORDER BY id`, contact, company)
}
