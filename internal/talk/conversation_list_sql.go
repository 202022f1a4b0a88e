package talk

import (
	"strconv"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

// ConversationFilter says which conversations a list shows. Zero values filter nothing.
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
	Snoozed    *bool  // nil: those of the status open and waiting are not snoozed
	Limit      int
	Offset     int
	After      *ConversationPlace // continues behind this place; excludes Offset

	OldestWaiting bool // first those whose customers wait, the longest first

	Near bool // several filters give ErrFar where the page is not full after few rows of the list

	Company kernel.ID
	Sight   kernel.Sight

	part part
	end  *ConversationPlace // the last place that is looked at
}

// Simple reports whether Conversations will need one statement only.
func (f *conversationCriteria) Simple() bool {
	return f.Q == "" && !f.OldestWaiting && len(f.subsets()) == 0 && !f.listsPrivate() && !(f.Near && f.mayReadFar())
}

// listsPrivate reports whether the list holds private conversations, too.
func (f *conversationCriteria) listsPrivate() bool { return len(f.Sight.Private) > 0 }

// findConversations lists the conversations of the company that sight reaches: pinned ones first where no status is asked
// for, then those with the newest activity, or see OldestWaiting. The rows are found in one of four ways, whichever
// reads the fewest: by a filter that lets few through, by a text, see search.Plan, along the assignee's own order, or
// along the order of the list itself until the page is full.
func findConversations(tx *kernel.Tx, f conversationCriteria) (page []Conversation, more bool, err error) {
	f.settle()
	if f.listsPrivate() {
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
	if rare != nil { // first their keys are sorted, then only the page's rows are read in full
		s.WriteString("SELECT c.id AS id " + tx.FromSubset(s.Arg(f.Company), rare(s), "conversations", "c"))
		chooseConversations(tx, s, f, text)
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
	chooseConversations(tx, s, f, text)
	s.WriteString(f.order())
	tx.Page(s, f.Limit, f.Offset)
	return s, nil
}

// alongConversations reads in the order of the list, or in that of the one assignee.
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

// onlyAssignee is the only possible assignee, if any.
func (f *conversationCriteria) onlyAssignee() kernel.ID {
	if f.Assignee.IsZero() && !f.Sight.All && len(f.Sight.Sectors) == 0 {
		return f.Sight.Member
	}
	return f.Assignee
}

// conversationSearchList is the list for a search.
type conversationSearchList struct {
	tx *kernel.Tx
	f  *conversationCriteria
}

func (l *conversationSearchList) Newest(n int, text search.Text) ([]*db.Statement, int) {
	var all []*db.Statement
	for _, f := range l.f.runs() {
		s := l.tx.Statement()
		// The second column: it contains the text and passes the filters.
		s.WriteString("SELECT c.id, COALESCE(" + text.Contains(s, "c.folded"))
		f.andFilters(s)
		s.WriteString(", FALSE), " + f.pinnedColumn() + ", c.activity_at\n\t" + alongConversations(l.tx, &f))
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
	s.WriteString("SELECT c.id, " + text.Contains(s, "c.folded") + ", " + l.f.pinnedColumn() + ", c.activity_at\n\t" +
		l.tx.FromSubset(s.Arg(l.f.Company), of(s), "conversations", "c"))
	chooseConversations(l.tx, s, l.f, search.Text{})
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

// chooseConversations adds the WHERE clause.
func chooseConversations(tx *kernel.Tx, s *db.Statement, f *conversationCriteria, text search.Text) {
	f.whereListed(s)
	f.andFilters(s)
	f.andPlace(s, f.After, "<", ">")
	f.andPlace(s, f.end, ">=", "<=")
	text.Check(s, "c.folded")
}

// whereListed is the WHERE clause of the list without filters.
func (f *conversationCriteria) whereListed(s *db.Statement) {
	company := s.Arg(f.Company)
	s.WriteString("\n\tWHERE c.company = " + company)
	s.And("NOT c.private", kernel.Public("c.channel", company))
	f.andPart(s)
}

// andFilters adds the conditions that were asked for, and what the member may see.
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
	if !f.Label.IsZero() {
		s.And("(SELECT TRUE FROM conversation_labels l WHERE l.company = c.company AND l.subject = c.id AND l.label = " + s.Arg(f.Label) + ")") // row by row, unlike EXISTS
	}
	if !f.Sight.All {
		s.And(f.Sight.Condition(s, "c.assignee", "c.sector"))
	}
}

// rarest gives the first filter that lets few conversations through, or nil when none is known to.
func rarest(tx *kernel.Tx, f *conversationCriteria) (db.Subset, error) {
	for _, narrow := range f.subsets() {
		if yes, err := tx.IsFew(narrow.counted); err != nil || yes {
			return narrow.ids, err
		}
	}
	return nil, nil
}

// narrowing is a filter that may let few conversations through: a query of their ids, and one that is
// quicker to count, though it may have some twice.
type narrowing struct{ ids, counted db.Subset }

// subsets gives the filters that may let few through.
func (f *conversationCriteria) subsets() []narrowing {
	var all []narrowing
	add := func(given bool, ids db.Subset) {
		if given {
			all = append(all, narrowing{ids, ids})
		}
	}
	of := func(condition func(s *db.Statement) string) db.Subset {
		return func(s *db.Statement) string {
			return "SELECT id FROM conversations WHERE company = " + s.Arg(f.Company) + " AND " + condition(s)
		}
	}
	add(!f.Contact.IsZero(), of(func(s *db.Statement) string { return "contact = " + s.Arg(f.Contact) }))
	add(f.Snoozed != nil && *f.Snoozed, of(func(*db.Statement) string { return "snoozed_until IS NOT NULL" }))
	add(!f.pinnedFirst() && !f.onlyAssignee().IsZero(), of(func(s *db.Statement) string { return "assignee = " + s.Arg(f.onlyAssignee()) }))
	add(!f.Label.IsZero(), func(s *db.Statement) string {
		return "SELECT subject AS id FROM conversation_labels WHERE company = " + s.Arg(f.Company) + " AND label = " + s.Arg(f.Label)
	})
	add(f.Unread, of(func(*db.Statement) string { return "unread_count > 0" }))
	add(!f.Sector.IsZero(), of(func(s *db.Statement) string { return "sector = " + s.Arg(f.Sector) }))
	add(f.Archived != nil, of(func(s *db.Statement) string { return "archived = " + s.Arg(f.Archived) }))
	add(f.Kind == KindGroup, of(func(*db.Statement) string { return "group_id IS NOT NULL" }))
	add(!f.Channel.IsZero(), func(s *db.Statement) string {
		of := "SELECT id FROM conversations WHERE company = " + s.Arg(f.Company) + " AND channel = " + s.Arg(f.Channel)
		return of + " AND contact IS NOT NULL UNION ALL " + of + " AND group_id IS NOT NULL"
	})
	if !f.Sight.All && len(f.Sight.Sectors) > 0 {
		mine := of(func(s *db.Statement) string { return "assignee = " + s.Arg(f.Sight.Member) })
		theirs := of(func(s *db.Statement) string { return s.In("sector", f.Sight.Sectors) })
		all = append(all, narrowing{
			ids: func(s *db.Statement) string { return mine(s) + " UNION " + theirs(s) },
			counted: func(s *db.Statement) string { // each limited by itself, because PostgreSQL would prepare to read all of both
				most := " LIMIT " + s.Arg(kernel.Few+1)
				return "SELECT id FROM (" + mine(s) + most + ") mine UNION ALL SELECT id FROM (" + theirs(s) + most + ") theirs"
			},
		})
	}
	return all
}

// IndexedBy names the index to use where the planner knows little of the data.
func IndexedBy(tx *kernel.Tx, index string) string { return tx.Dialect().IndexedBy(index) }
