package talk

import (
	"strconv"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

// conversationCriteria selects the conversations of a list. Zero values filter nothing.
type conversationCriteria struct {
	Q          string
	Archived   *bool
	Unread     bool // only those with unread messages
	Kind       string
	Channel    kernel.ID
	Assignee   kernel.ID
	Unassigned bool
	Sector     kernel.ID
	Label      kernel.ID
	Contact    kernel.ID
	Status     string // ListOpen, ListWaiting or ListClosed
	Snoozed    *bool  // nil: snoozed ones are omitted for the status open and waiting only
	Limit      int
	Offset     int
	After      *conversationPosition // continues after this position; excludes Offset

	OldestWaiting bool // first those whose customers wait, the longest first

	Near bool // return ErrFar if there are several filters and the first kernel.Few rows do not fill the page

	Company kernel.ID
	Sight   kernel.Sight

	part part
	end  *conversationPosition // stop at this position
}

// findConversations lists the conversations of the company that are in sight: pinned ones first unless a status is given, then by
// newest activity; or see OldestWaiting. It reads as few rows as possible: those of a selective filter, those that contain a
// text (see search.Plan), or else the index in the order of the list until the page is full.
func findConversations(tx *kernel.Tx, f conversationCriteria) (page []Conversation, more bool, err error) {
	if f.Snoozed == nil && (f.Status == ListOpen || f.Status == ListWaiting) {
		f.Snoozed = new(bool)
	}
	if len(f.Sight.Private) > 0 {
		return withPrivate(tx, f)
	}
	if f.OldestWaiting && f.Status != ListClosed {
		return oldestWaiting(tx, f)
	}
	return conversations(tx, f)
}

func conversations(tx *kernel.Tx, f conversationCriteria) (page []Conversation, more bool, err error) {
	s, err := listConversations(tx, &f)
	if err != nil {
		return nil, false, err
	}
	page, more, err = kernel.Collect(tx, s, f.Limit, scanConversation)
	if err == nil && f.end != nil && !more {
		err = kernel.ErrFar
	}
	return page, more, err
}

func listConversations(tx *kernel.Tx, f *conversationCriteria) (*db.Statement, error) {
	text := search.NewText(f.Q)
	rare, err := rarest(tx, f)
	if err != nil {
		return nil, err
	}
	s := tx.Statement()
	if rare != nil { // sort the keys first, then read only the rows of the page in full
		s.WriteString("SELECT c.id AS id " + tx.FromSubset(s.Arg(f.Company), rare(s), "conversations", "c"))
		f.where(s, text)
		s.WriteString(f.order())
		tx.Page(s, f.Limit, f.Offset)
		page := s.String()
		s.Reset()
		s.WriteString("SELECT" + conversationColumns + "\n\t" + tx.FromSubset(s.Arg(f.Company), page, "conversations", "c") + f.order())
		return s, nil
	}
	if !text.IsEmpty() && f.part != partWaiting {
		plan := &search.Plan{
			Tx: tx.On, List: &conversationSearchList{tx, f}, Noun: &search.Conversations, Text: text,
			Want: f.Offset + f.Limit + 1, Company: f.Company,
		}
		ids, err := plan.Run(f.Offset, f.Limit+1)
		s.WriteString("SELECT" + conversationColumns + "\n\t" + tx.FromSubset(s.Arg(f.Company), db.Listed(ids)(s), "conversations", "c") + f.order())
		return s, err
	}
	if f.Near && f.mayReadFar() {
		if f.end, err = farConversation(tx, f); err != nil {
			return nil, err
		}
	}
	s.WriteString("SELECT" + conversationColumns + "\n\t" + alongConversations(tx, f))
	f.where(s, text)
	s.WriteString(f.order())
	tx.Page(s, f.Limit, f.Offset)
	return s, nil
}

// alongConversations returns the FROM clause that reads the index in the order of the list.
func alongConversations(tx *kernel.Tx, f *conversationCriteria) string {
	index := "conversations_open"
	switch {
	case f.part == partWaiting:
		index = "conversations_waiting"
	case f.pinnedFirst() && !f.onlyAssignee().IsZero():
		index = "conversations_assignee"
	case f.pinnedFirst():
		index = "conversations_list"
	}
	return "FROM conversations c" + IndexedBy(tx, index)
}

// onlyAssignee returns the only possible assignee, or zero if there are several.
func (f *conversationCriteria) onlyAssignee() kernel.ID {
	if f.Assignee.IsZero() && !f.Sight.All && len(f.Sight.Sectors) == 0 {
		return f.Sight.Member
	}
	return f.Assignee
}

// conversationSearchList implements search.List.
type conversationSearchList struct {
	tx *kernel.Tx
	f  *conversationCriteria
}

func (l *conversationSearchList) Newest(n int, text search.Text) ([]*db.Statement, int) {
	var all []*db.Statement
	for _, f := range l.f.runs() {
		s := l.tx.Statement()
		s.WriteString("SELECT c.id, COALESCE(" + text.Contains(s, "c.folded"))
		f.andFilters(s)
		s.WriteString(", FALSE) AS matches, " + f.pinnedColumn() + ", c.activity_at AS moment\n\t" + alongConversations(l.tx, &f))
		f.whereListed(s)
		if only := f.onlyAssignee(); !only.IsZero() && f.pinnedFirst() {
			s.And("c.assignee = " + s.Arg(only))
		}
		s.WriteString(f.order() + "\n\tLIMIT " + strconv.Itoa(n))
		all = append(all, s)
	}
	return all, n
}

func (l *conversationSearchList) Among(of db.Subset, text search.Text) *db.Statement {
	s := l.tx.Statement()
	s.WriteString("SELECT c.id, " + text.Contains(s, "c.folded") + " AS matches, " + l.f.pinnedColumn() +
		", c.activity_at AS moment\n\t" + l.tx.FromSubset(s.Arg(l.f.Company), of(s), "conversations", "c"))
	l.f.where(s, search.Text{})
	return s
}

func (l *conversationSearchList) Pinned() ([]kernel.ID, bool, error) {
	if !l.f.pinnedFirst() {
		return nil, true, nil
	}
	ids, err := l.tx.IDs(`
		SELECT c.id
		FROM conversations c`+IndexedBy(l.tx, "conversations_list")+`
		WHERE c.company = $1 AND NOT c.private AND c.pinned = TRUE
		ORDER BY c.activity_at DESC
		LIMIT $2`, l.f.Company, kernel.Few+1)
	return ids, len(ids) <= kernel.Few, err
}

// where adds the WHERE clause.
func (f *conversationCriteria) where(s *db.Statement, text search.Text) {
	f.whereListed(s)
	f.andFilters(s)
	f.andPosition(s, f.After, "<", ">")
	f.andPosition(s, f.end, ">=", "<=")
	text.Check(s, "c.folded")
}

// whereListed adds the WHERE clause of the list without filters.
func (f *conversationCriteria) whereListed(s *db.Statement) {
	company := s.Arg(f.Company)
	s.WriteString("\n\tWHERE c.company = " + company)
	s.And("NOT c.private", kernel.Public("c.channel", company))
	f.andPart(s)
}

// andFilters adds the conditions of the filters and of what the member may see.
func (f *conversationCriteria) andFilters(s *db.Statement) {
	s.AndGiven("c.archived", f.Archived)
	s.AndGiven("c.kind", f.Kind)
	s.AndGiven("c.channel", f.Channel)
	s.AndGiven("c.sector", f.Sector)
	if f.Unread {
		s.And("c.unread_count > 0")
	}
	if !f.Assignee.IsZero() {
		s.And("c.assignee = " + s.Arg(f.Assignee))
	}
	if f.Unassigned {
		s.And("c.assignee IS NULL")
	}
	if !f.Contact.IsZero() {
		s.And("c.contact = " + s.Arg(f.Contact))
	}
	f.andStatus(s)
	if !f.Label.IsZero() { // evaluated row by row, unlike EXISTS
		s.And("(SELECT TRUE FROM conversation_labels l WHERE l.company = c.company AND l.subject = c.id AND l.label = " + s.Arg(f.Label) + ")")
	}
	if !f.Sight.All {
		s.And(f.Sight.Condition(s, "c.assignee", "c.sector"))
	}
}

// rarest returns the first filter that few conversations match, or nil.
func rarest(tx *kernel.Tx, f *conversationCriteria) (db.Subset, error) {
	for _, narrow := range f.subsets() {
		if few, err := tx.IsFew(narrow.counted); err != nil || few {
			return narrow.ids, err
		}
	}
	return nil, nil
}

// narrowing is a filter that few conversations may match: a query of their ids, and one that is faster to count but may
// contain duplicates.
type narrowing struct{ ids, counted db.Subset }

// subsets returns the filters that few conversations may match.
func (f *conversationCriteria) subsets() []narrowing {
	var all []narrowing
	add := func(given bool, ids db.Subset) {
		if given {
			all = append(all, narrowing{ids, ids})
		}
	}
	where := func(condition func(s *db.Statement) string) db.Subset {
		return func(s *db.Statement) string {
			return "SELECT id FROM conversations WHERE company = " + s.Arg(f.Company) + " AND " + condition(s)
		}
	}
	add(!f.Contact.IsZero(), where(func(s *db.Statement) string { return "contact = " + s.Arg(f.Contact) }))
	add(f.Snoozed != nil && *f.Snoozed, where(func(*db.Statement) string { return "snoozed_until IS NOT NULL" }))
	add(!f.pinnedFirst() && !f.onlyAssignee().IsZero(), where(func(s *db.Statement) string { return "assignee = " + s.Arg(f.onlyAssignee()) }))
	add(!f.Label.IsZero(), func(s *db.Statement) string {
		return "SELECT subject AS id FROM conversation_labels WHERE company = " + s.Arg(f.Company) + " AND label = " + s.Arg(f.Label)
	})
	add(f.Unread, where(func(*db.Statement) string { return "unread_count > 0" }))
	add(!f.Sector.IsZero(), where(func(s *db.Statement) string { return "sector = " + s.Arg(f.Sector) }))
	add(f.Archived != nil, where(func(s *db.Statement) string { return "archived = " + s.Arg(f.Archived) }))
	add(f.Kind == KindGroup, where(func(*db.Statement) string { return "group_id IS NOT NULL" }))
	add(!f.Channel.IsZero(), func(s *db.Statement) string {
		channel := "SELECT id FROM conversations WHERE company = " + s.Arg(f.Company) + " AND channel = " + s.Arg(f.Channel)
		return channel + " AND contact IS NOT NULL UNION ALL " + channel + " AND group_id IS NOT NULL"
	})
	if !f.Sight.All && len(f.Sight.Sectors) > 0 {
		mine := where(func(s *db.Statement) string { return "assignee = " + s.Arg(f.Sight.Member) })
		theirs := where(func(s *db.Statement) string { return s.In("sector", f.Sight.Sectors) })
		all = append(all, narrowing{
			ids: func(s *db.Statement) string { return mine(s) + " UNION " + theirs(s) },
			counted: func(s *db.Statement) string { // each has its own limit, or PostgreSQL plans to read all of both
				limit := " LIMIT " + s.Arg(kernel.Few+1)
				return "SELECT id FROM (" + mine(s) + limit + ") mine UNION ALL SELECT id FROM (" + theirs(s) + limit + ") theirs"
			},
		})
	}
	return all
}

// IndexedBy returns the clause that makes SQLite use an index; it is empty on PostgreSQL.
func IndexedBy(tx *kernel.Tx, index string) string { return tx.Dialect().IndexedBy(index) }
