package store

import (
	"strconv"

	"recado/internal/db"
	"recado/internal/model"
	"recado/internal/store/search"
)

// ConversationFilter says which conversations a list shows. Zero values filter nothing.
type ConversationFilter struct {
	Q          string
	Archived   *bool
	Unread     bool // only those with unread messages
	Kind       string
	Channel    model.ID
	Assignee   model.ID
	Unassigned bool
	Sector     model.ID
	Label      model.ID
	Contact    model.ID
	Status     string // model.ListOpen, ListWaiting or ListClosed
	Snoozed    *bool  // nil: those of the status open and waiting are not snoozed
	Limit      int
	Offset     int
	After      *ConversationPlace // continues behind this place; excludes Offset

	OldestWaiting bool // first those whose customers wait, the longest first

	Near bool // several filters give ErrFar where the page is not full after few rows of the list

	Company model.ID
	Sight   Sight

	part part
	end  *ConversationPlace // the last place that is looked at
}

// Simple reports whether Conversations will need one statement only.
func (f *ConversationFilter) Simple() bool {
	return f.Q == "" && !f.OldestWaiting && len(f.subsets()) == 0 && !f.listsPrivate() && !(f.Near && f.mayReadFar())
}

// listsPrivate reports whether the list holds private conversations, too.
func (f *ConversationFilter) listsPrivate() bool { return len(f.Sight.Private) > 0 }

// Conversations lists the conversations of the company that sight reaches: pinned ones first where no status is asked
// for, then those with the newest activity, or see OldestWaiting. The rows are found in one of four ways, whichever
// reads the fewest: by a filter that lets few through, by a text, see search.Plan, along the assignee's own order, or
// along the order of the list itself until the page is full.
func (tx *Tx) Conversations(f ConversationFilter) (page []model.Conversation, more bool, err error) {
	f.settle()
	if f.listsPrivate() {
		return tx.withPrivate(f)
	}
	if f.OldestWaiting && f.Status != model.ListClosed {
		return tx.oldestWaiting(f)
	}
	return tx.conversations(f)
}

func (tx *Tx) conversations(f ConversationFilter) (page []model.Conversation, more bool, err error) {
	s, err := tx.listConversations(&f)
	if err != nil {
		return nil, false, err
	}
	page, more, err = collect(tx, s, f.Limit, scanConversation)
	if err == nil && f.end != nil && !more {
		err = ErrFar
	}
	return page, more, err
}

func (tx *Tx) listConversations(f *ConversationFilter) (*statement, error) {
	text := search.NewText(f.Q)
	rare, err := tx.rarest(f)
	if err != nil {
		return nil, err
	}
	s := tx.statement()
	if rare != nil { // first their keys are sorted, then only the page's rows are read in full
		s.WriteString("SELECT c.id AS id " + tx.fromSubset(rare(s), "conversations", "c"))
		tx.chooseConversations(s, f, text)
		s.WriteString(f.order())
		tx.page(s, f.Limit, f.Offset)
		page := s.String()
		s.Reset()
		s.WriteString("SELECT" + conversationColumns + "\n\t" + tx.fromSubset(page, "conversations", "c") + f.order())
		return s, nil
	}
	if !text.IsEmpty() && f.part != partWaiting {
		plan := &search.Plan{
			Tx: tx.on, List: &conversationSearchList{tx, f}, Noun: &search.Conversations, Text: text,
			Want: f.Offset + f.Limit + 1, Company: f.Company,
		}
		ids, err := plan.Run(f.Offset, f.Limit+1)
		s.WriteString("SELECT" + conversationColumns + "\n\t" + tx.fromSubset(db.Listed(ids)(s), "conversations", "c") + f.order())
		return s, err
	}
	if f.Near && f.mayReadFar() {
		if f.end, err = tx.farConversation(f); err != nil {
			return nil, err
		}
	}
	s.WriteString("SELECT" + conversationColumns + "\n\t" + tx.alongConversations(f))
	tx.chooseConversations(s, f, text)
	s.WriteString(f.order())
	tx.page(s, f.Limit, f.Offset)
	return s, nil
}

// alongConversations reads in the order of the list, or in that of the one assignee.
func (tx *Tx) alongConversations(f *ConversationFilter) string {
	index := "conversations_open"
	switch {
	case f.part == partWaiting:
		index = "conversations_waiting"
	case f.pinnedFirst() && !f.onlyAssignee().IsZero():
		index = "conversations_assignee"
	case f.pinnedFirst():
		index = "conversations_list"
	}
	return "FROM conversations c" + tx.indexedBy(index)
}

// onlyAssignee is the only possible assignee, if any.
func (f *ConversationFilter) onlyAssignee() model.ID {
	if f.Assignee.IsZero() && !f.Sight.All && len(f.Sight.Sectors) == 0 {
		return f.Sight.Member
	}
	return f.Assignee
}

// conversationSearchList is the list for a search.
type conversationSearchList struct {
	tx *Tx
	f  *ConversationFilter
}

func (l *conversationSearchList) Newest(n int, text search.Text) ([]*statement, int) {
	var all []*statement
	for _, f := range l.f.runs() {
		s := l.tx.statement()
		// The second column: it contains the text and passes the filters.
		s.WriteString("SELECT c.id, COALESCE(" + text.Contains(s, "c.folded"))
		f.andFilters(s)
		s.WriteString(", FALSE), " + f.pinnedColumn() + ", c.activity_at\n\t" + l.tx.alongConversations(&f))
		f.whereListed(s)
		if only := f.onlyAssignee(); !only.IsZero() && f.pinnedFirst() {
			s.And("c.assignee = " + s.Arg(only))
		}
		s.WriteString(f.order() + "\n\tLIMIT " + strconv.Itoa(n))
		all = append(all, s)
	}
	return all, n
}

func (l *conversationSearchList) Among(of subset, text search.Text) *statement {
	s := l.tx.statement()
	s.WriteString("SELECT c.id, " + text.Contains(s, "c.folded") + ", " + l.f.pinnedColumn() + ", c.activity_at\n\t" +
		l.tx.fromSubset(of(s), "conversations", "c"))
	l.tx.chooseConversations(s, l.f, search.Text{})
	return s
}

func (l *conversationSearchList) Pinned() ([]model.ID, bool, error) {
	if !l.f.pinnedFirst() {
		return nil, true, nil
	}
	ids, err := l.tx.ids(`
		SELECT c.id
		FROM conversations c`+l.tx.indexedBy("conversations_list")+`
		WHERE c.company = $1 AND NOT c.private AND c.pinned = TRUE
		ORDER BY c.activity_at DESC
		LIMIT $2`, l.f.Company, few+1)
	return ids, len(ids) <= few, err
}

// chooseConversations adds the WHERE clause.
func (tx *Tx) chooseConversations(s *statement, f *ConversationFilter, text search.Text) {
	f.whereListed(s)
	f.andFilters(s)
	f.andPlace(s, f.After, "<", ">")
	f.andPlace(s, f.end, ">=", "<=")
	text.Check(s, "c.folded")
}

// whereListed is the WHERE clause of the list without filters.
func (f *ConversationFilter) whereListed(s *statement) {
	company := s.Arg(f.Company)
	s.WriteString("\n\tWHERE c.company = " + company)
	s.And("NOT c.private", public("c.channel", company))
	f.andPart(s)
}

// andFilters adds the conditions that were asked for, and what the member may see.
func (f *ConversationFilter) andFilters(s *statement) {
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
		s.And("(SELECT TRUE FROM conversation_labels l WHERE l.subject = c.id AND l.label = " + s.Arg(f.Label) + ")") // row by row, unlike EXISTS
	}
	if !f.Sight.All {
		s.And(f.Sight.condition(s, "c.assignee", "c.sector"))
	}
}

// rarest gives the first filter that lets few conversations through, or nil when none is known to.
func (tx *Tx) rarest(f *ConversationFilter) (subset, error) {
	for _, narrow := range f.subsets() {
		if yes, err := tx.isFew(narrow.counted); err != nil || yes {
			return narrow.ids, err
		}
	}
	return nil, nil
}

// narrowing is a filter that may let few conversations through: a query of their ids, and one that is
// quicker to count, though it may have some twice.
type narrowing struct{ ids, counted subset }

// subsets gives the filters that may let few through.
func (f *ConversationFilter) subsets() []narrowing {
	var all []narrowing
	add := func(given bool, ids subset) {
		if given {
			all = append(all, narrowing{ids, ids})
		}
	}
	of := func(condition func(s *statement) string) subset {
		return func(s *statement) string {
			return "SELECT id FROM conversations WHERE company = " + s.Arg(f.Company) + " AND " + condition(s)
		}
	}
	add(!f.Contact.IsZero(), func(s *statement) string { return "SELECT id FROM conversations WHERE contact = " + s.Arg(f.Contact) })
	add(f.Snoozed != nil && *f.Snoozed, of(func(*statement) string { return "snoozed_until IS NOT NULL" }))
	add(!f.pinnedFirst() && !f.onlyAssignee().IsZero(), of(func(s *statement) string { return "assignee = " + s.Arg(f.onlyAssignee()) }))
	add(!f.Label.IsZero(), func(s *statement) string {
		return "SELECT subject AS id FROM conversation_labels WHERE label = " + s.Arg(f.Label)
	})
	add(f.Unread, of(func(*statement) string { return "unread_count > 0" }))
	add(!f.Sector.IsZero(), of(func(s *statement) string { return "sector = " + s.Arg(f.Sector) }))
	add(f.Archived != nil, of(func(s *statement) string { return "archived = " + s.Arg(f.Archived) }))
	add(f.Kind == model.KindGroup, of(func(*statement) string { return "group_id IS NOT NULL" }))
	add(!f.Channel.IsZero(), func(s *statement) string {
		of := "SELECT id FROM conversations WHERE company = " + s.Arg(f.Company) + " AND channel = " + s.Arg(f.Channel)
		return of + " AND contact IS NOT NULL UNION ALL " + of + " AND group_id IS NOT NULL"
	})
	if !f.Sight.All && len(f.Sight.Sectors) > 0 {
		mine := of(func(s *statement) string { return "assignee = " + s.Arg(f.Sight.Member) })
		theirs := of(func(s *statement) string { return s.In("sector", f.Sight.Sectors) })
		all = append(all, narrowing{
			ids: func(s *statement) string { return mine(s) + " UNION " + theirs(s) },
			counted: func(s *statement) string { // each limited by itself, because PostgreSQL would prepare to read all of both
				most := " LIMIT " + s.Arg(few+1)
				return "SELECT id FROM (" + mine(s) + most + ") mine UNION ALL SELECT id FROM (" + theirs(s) + most + ") theirs"
			},
		})
	}
	return all
}

// indexedBy names the index to use where the planner knows little of the data.
func (tx *Tx) indexedBy(index string) string { return tx.dialect().IndexedBy(index) }
