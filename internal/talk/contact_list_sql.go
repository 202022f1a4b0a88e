package talk

import (
	"strconv"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

// contactCriteria selects the contacts of a list. Zero values filter nothing.
type contactCriteria struct {
	Q       string
	Label   kernel.ID
	Channel kernel.ID
	Limit   int
	Offset  int

	Near bool // see conversationCriteria

	Company kernel.ID
	Private []kernel.ID // private channels whose contacts are listed too

	end kernel.ID // stop at this contact, unless it is zero
}

// contactsWithPrivate is findContacts including the contacts of private channels, of which there are few.
func contactsWithPrivate(tx *kernel.Tx, f contactCriteria) ([]Contact, bool, error) {
	public := f
	public.Offset, public.Limit, public.Private = 0, f.Offset+f.Limit, nil
	rows, more, err := findContacts(tx, public)
	if err != nil {
		return nil, false, err
	}
	s := tx.Statement()
	s.WriteString("SELECT" + contactColumns + "\n\tFROM contacts ct\n\tWHERE ct.company = " + s.Arg(f.Company))
	s.And(s.In("ct.pool", f.Private))
	if !f.Channel.IsZero() {
		s.And("ct.pool = " + s.Arg(f.Channel))
	}
	f.andLabel(s)
	search.NewText(f.Q).Check(s, "ct.folded")
	s.WriteString("\n\tORDER BY ct.id DESC")
	tx.Page(s, public.Limit, 0)
	private, morePrivate, err := kernel.Collect(tx, s, public.Limit, scanContact)
	newest := func(x, y Contact) int { return kernel.CompareIDs(y.ID, x.ID) }
	page, more := Merged(rows, private, newest, f.Offset, f.Limit, more || morePrivate)
	return page, more, err
}

// findContacts lists the contacts of the company, newest first. It reads the contacts with a rare label, those that contain a
// text, or else the index in the order of the list.
func findContacts(tx *kernel.Tx, f contactCriteria) (page []Contact, more bool, err error) {
	if len(f.Private) > 0 {
		return contactsWithPrivate(tx, f)
	}
	s, err := listContacts(tx, &f)
	if err != nil {
		return nil, false, err
	}
	page, more, err = kernel.Collect(tx, s, f.Limit, scanContact)
	if err == nil && !f.end.IsZero() && !more {
		err = kernel.ErrFar
	}
	return page, more, err
}

func listContacts(tx *kernel.Tx, f *contactCriteria) (*db.Statement, error) {
	text := search.NewText(f.Q)
	s := tx.Statement()
	rare, err := rareContacts(tx, f)
	if err != nil {
		return nil, err
	}
	from := alongContacts(tx, f)
	switch {
	case rare != nil:
		from = tx.FromSubset(s.Arg(f.Company), rare(s), "contacts", "ct")
	case !text.IsEmpty():
		plan := &search.Plan{
			Tx: tx.On, List: &contactSearchList{tx, f}, Noun: &search.Contacts, Text: text,
			Want: f.Offset + f.Limit + 1, Company: f.Company,
		}
		ids, err := plan.Run(f.Offset, f.Limit+1)
		s.WriteString("SELECT" + contactColumns + "\n\t" + tx.FromSubset(s.Arg(f.Company), db.Listed(ids)(s), "contacts", "ct") + "\n\tORDER BY ct.id DESC")
		return s, err
	case f.Near && !f.Label.IsZero() && !f.Channel.IsZero():
		if f.end, err = farContact(tx, f); err != nil {
			return nil, err
		}
	}
	s.WriteString("SELECT" + contactColumns + "\n\t" + from)
	f.whereListed(s)
	f.andLabel(s)
	text.Check(s, "ct.folded")
	if !f.end.IsZero() {
		s.And("ct.id >= " + s.Arg(f.end))
	}
	s.WriteString("\n\tORDER BY ct.id DESC")
	tx.Page(s, f.Limit, f.Offset)
	return s, nil
}

// alongContacts returns the FROM clause that reads the index in the order of the list.
func alongContacts(tx *kernel.Tx, f *contactCriteria) string {
	if !f.Channel.IsZero() {
		return "FROM contacts ct" + IndexedBy(tx, "contacts_channel")
	}
	return "FROM contacts ct" + IndexedBy(tx, "contacts_list")
}

// farContact returns the contact after the first kernel.Few of the index, or zero if there are fewer.
func farContact(tx *kernel.Tx, f *contactCriteria) (id kernel.ID, err error) {
	s := tx.Statement()
	s.WriteString("SELECT ct.id " + alongContacts(tx, f))
	f.whereListed(s)
	s.WriteString("\n\tORDER BY ct.id DESC LIMIT 1 OFFSET " + s.Arg(kernel.Few))
	_, err = tx.One(s.String(), s.Args, func(r db.Row) { id = r.ID("id") })
	return id, err
}

// whereListed adds the WHERE clause of the list, without label and text.
func (f *contactCriteria) whereListed(s *db.Statement) {
	company := s.Arg(f.Company)
	s.WriteString("\n\tWHERE ct.company = " + company + " AND ct.pool = " + company)
	s.And("(ct.channel IS NULL OR " + kernel.Public("ct.channel", company) + ")")
	if !f.Channel.IsZero() {
		s.And("ct.channel = " + s.Arg(f.Channel))
	}
}

func (f *contactCriteria) andLabel(s *db.Statement) {
	if !f.Label.IsZero() { // evaluated row by row, unlike EXISTS
		s.And("(SELECT TRUE FROM contact_labels l WHERE l.company = ct.company AND l.subject = ct.id AND l.label = " + s.Arg(f.Label) + ")")
	}
}

// contactSearchList implements search.List.
type contactSearchList struct {
	tx *kernel.Tx
	f  *contactCriteria
}

func (l *contactSearchList) Newest(n int, text search.Text) ([]*db.Statement, int) {
	s := l.tx.Statement()
	s.WriteString("SELECT ct.id, COALESCE(" + text.Contains(s, "ct.folded"))
	l.f.andLabel(s)
	s.WriteString(", FALSE) AS matches " + alongContacts(l.tx, l.f))
	l.f.whereListed(s)
	s.WriteString("\n\tORDER BY ct.id DESC LIMIT " + strconv.Itoa(n))
	return []*db.Statement{s}, n
}

func (l *contactSearchList) Among(of db.Subset, text search.Text) *db.Statement {
	s := l.tx.Statement()
	s.WriteString("SELECT ct.id, " + text.Contains(s, "ct.folded") + " AS matches " +
		l.tx.FromSubset(s.Arg(l.f.Company), of(s), "contacts", "ct"))
	l.f.whereListed(s)
	l.f.andLabel(s)
	return s
}

func (l *contactSearchList) Pinned() ([]kernel.ID, bool, error) { return nil, true, nil }

// rareContacts returns the contacts with the label if they are few, or nil.
func rareContacts(tx *kernel.Tx, f *contactCriteria) (db.Subset, error) {
	if f.Label.IsZero() {
		return nil, nil
	}
	labelled := func(s *db.Statement) string {
		return "SELECT subject AS id FROM contact_labels WHERE company = " + s.Arg(f.Company) + " AND label = " + s.Arg(f.Label)
	}
	if few, err := tx.IsFew(labelled); err != nil || !few {
		return nil, err
	}
	return labelled, nil
}

// conversationsOf returns the ids of all conversations with a contact.
func conversationsOf(tx *kernel.Tx, company, contact kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT id FROM conversations WHERE company = $1 AND contact = $2 ORDER BY id`, company, contact)
}
