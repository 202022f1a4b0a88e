package talk

import (
	"cmp"
	"slices"
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

	SLA string // the state of attendance.sla: warned, breached or at_risk

	OldestWaiting bool // first those whose customers wait, the longest first
	SLADue        bool // first those with a target, by the time when it is due; excludes OldestWaiting

	Near bool // return ErrFar if there are several filters and the first kernel.Few rows do not fill the page

	Company kernel.ID
	Sight   kernel.Sight

	part    part
	private bool                  // those of the private channels in sight instead of the public ones
	end     *conversationPosition // stop at this position
}

// findConversations lists the conversations of the company that are in sight: pinned ones first unless a status is given, then by
// newest activity; or see OldestWaiting and SLADue. It reads as few rows as possible: those of a selective filter, those that contain a
// text (see search.Plan), or else the index in the order of the list until the page is full.
func findConversations(tx *kernel.Tx, f conversationCriteria) (page []Conversation, more bool, err error) {
	if f.Snoozed == nil && (f.Status == ListOpen || f.Status == ListWaiting) {
		f.Snoozed = new(bool)
	}
	if len(f.Sight.Private) > 0 && !f.private {
		return withPrivate(tx, f)
	}
	if f.byMoment() && f.Status != ListClosed {
		return byMoment(tx, f)
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
	text, s := search.NewText(f.Q), tx.Statement()
	rare, err := rarest(tx, f)
	if err != nil {
		return nil, err
	}
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
	if !text.IsEmpty() && f.part != partTimed && !f.private {
		plan := &search.Plan{
			Tx: tx.Tx, List: &conversationSearchList{tx, f}, Noun: &search.Conversations, Text: text,
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
	case f.private: // these indexes do not contain them
		return "FROM conversations c"
	case f.part == partTimed && f.SLADue:
		index = "conversations_sla"
	case f.part == partTimed:
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
	if f.private {
		s.And("c.private", s.In("c.channel", f.Sight.Private))
	} else {
		s.And("NOT c.private", kernel.Public("c.channel", company))
	}
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
	if f.SLA != "" {
		s.And(slaCondition("c.", f.SLA))
	}
	if !f.Label.IsZero() { // evaluated row by row, unlike EXISTS
		s.And("(SELECT TRUE FROM conversation_labels l WHERE l.company = c.company AND l.subject = c.id AND l.label = " + s.Arg(f.Label) + ")")
	}
	if !f.Sight.All {
		s.And(f.Sight.Condition(s, "c.assignee", "c.sector"))
	}
}

// slaCondition returns the condition that the target shown on a conversation has a state. It contains that of the index
// conversations_at_risk.
func slaCondition(alias, state string) string {
	condition := alias + "sla_state IN ('warned', 'breached')"
	switch state {
	case TargetWarned:
		condition += " AND " + alias + "sla_state = 'warned'"
	case TargetBreached:
		condition += " AND " + alias + "sla_state = 'breached'"
	}
	return condition
}

// rarest returns the first filter that few conversations match, or nil. Private conversations are few without a filter.
func rarest(tx *kernel.Tx, f *conversationCriteria) (db.Subset, error) {
	for _, narrow := range f.subsets() {
		if f.private {
			break
		}
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
	add(f.SLA != "", where(func(*db.Statement) string { return slaCondition("", f.SLA) }))
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

// conversationPosition is the position of a row in a list of conversations.
type conversationPosition struct {
	Moment int64 // with OldestWaiting or SLADue: the time by which the first part is sorted, in milliseconds, or 0
	Pinned bool
	At     int64 // time of the newest activity, in milliseconds
	ID     kernel.ID
}

func (f *conversationCriteria) positionOf(c *Conversation) conversationPosition {
	p := conversationPosition{Pinned: f.pinnedFirst() && c.Pinned, At: c.ActivityAt.UnixMilli(), ID: c.ID}
	if since := c.WaitingSince(); since != nil && f.OldestWaiting {
		p.Moment = since.UnixMilli()
	}
	if a := c.Attendance; f.SLADue && a != nil && a.SLA != nil {
		p.Moment = a.SLA.DueAt.UnixMilli()
	}
	return p
}

// byMoment reports whether the list has two parts: first those with a time of f.moment, by that time, then the others.
func (f *conversationCriteria) byMoment() bool { return f.OldestWaiting || f.SLADue }

// moment returns the column by which the first part is sorted.
func (f *conversationCriteria) moment() string {
	if f.SLADue {
		return "c.sla_due"
	}
	return "c.waiting_since"
}

// part is one of the two parts of a list with OldestWaiting or SLADue.
type part uint8

const (
	partAll part = iota
	partTimed
	partRest
)

// pinnedFirst reports whether pinned conversations come first.
func (f *conversationCriteria) pinnedFirst() bool { return f.Status == "" && !f.byMoment() }

func (f *conversationCriteria) pinnedColumn() string {
	if f.pinnedFirst() {
		return "c.pinned"
	}
	return "FALSE AS pinned"
}

func (f *conversationCriteria) order() string {
	switch {
	case f.part == partTimed:
		return "\n\tORDER BY " + f.moment() + ", c.id"
	case f.pinnedFirst():
		return "\n\tORDER BY c.pinned DESC, c.activity_at DESC, c.id DESC"
	}
	return "\n\tORDER BY c.activity_at DESC, c.id DESC"
}

// runs splits the list into lists that an index has in order: the open conversations and the others.
func (f *conversationCriteria) runs() []conversationCriteria {
	if f.pinnedFirst() || f.Status != "" {
		return []conversationCriteria{*f}
	}
	open, closed := *f, *f
	open.Status, closed.Status = ListOpen, ListClosed
	return []conversationCriteria{open, closed}
}

// andPart adds the conditions that the index of the list covers.
func (f *conversationCriteria) andPart(s *db.Statement) {
	switch f.part {
	case partTimed:
		s.And(f.moment() + " IS NOT NULL")
		return
	case partRest:
		s.And(f.moment() + " IS NULL")
	}
	switch f.Status {
	case ListOpen, ListWaiting:
		s.And("c.open = TRUE")
	case ListClosed:
		s.And("c.open = FALSE")
	}
}

// andStatus adds the conditions of status and snoozing that no index covers.
func (f *conversationCriteria) andStatus(s *db.Statement) {
	if f.Status == ListWaiting {
		s.And("c.attendance IS NOT NULL", "c.assignee IS NULL")
	}
	if f.Snoozed != nil && *f.Snoozed {
		s.And("c.snoozed_until IS NOT NULL")
	} else if f.Snoozed != nil {
		s.And("c.snoozed_until IS NULL")
	}
}

// andPosition adds a condition that rows compare to a position, if any. The operator is descending, or ascending in the
// first part.
func (f *conversationCriteria) andPosition(s *db.Statement, p *conversationPosition, descending, ascending string) {
	switch {
	case p == nil:
	case f.part == partTimed:
		s.And("(" + f.moment() + ", c.id) " + ascending + " (" + s.Arg(p.Moment) + ", " + s.Arg(p.ID) + ")")
	case f.pinnedFirst():
		s.And("(c.pinned, c.activity_at, c.id) " + descending + " (" + s.Arg(p.Pinned) + ", " + s.Arg(p.At) + ", " + s.Arg(p.ID) + ")")
	default:
		s.And("(c.activity_at, c.id) " + descending + " (" + s.Arg(p.At) + ", " + s.Arg(p.ID) + ")")
	}
}

// mayReadFar reports whether there are several filters: many conversations may match each of them, and none all of them.
func (f *conversationCriteria) mayReadFar() bool {
	n := 0
	for _, given := range []bool{
		f.Archived != nil, f.Unread, f.Kind != "", !f.Channel.IsZero(), !f.Sector.IsZero(), !f.Label.IsZero(), !f.Contact.IsZero(),
		!f.Assignee.IsZero(), f.Unassigned || f.Status == ListWaiting, f.Snoozed != nil && *f.Snoozed, f.SLA != "", !f.Sight.All,
	} {
		if given {
			n++
		}
	}
	return n > 1
}

// farConversation returns the position of the row after the first kernel.Few rows of the index, counted from where the list
// starts, or nil if there are fewer. It reads nothing but the index.
func farConversation(tx *kernel.Tx, f *conversationCriteria) (end *conversationPosition, err error) {
	s := tx.Statement()
	index, moment := *f, f.moment()
	if f.part != partTimed {
		index.part, moment = partAll, "c.activity_at" // this index does not contain f.moment
	}
	s.WriteString("SELECT c.id, " + f.pinnedColumn() + ", " + moment + " AS moment\n\t" + alongConversations(tx, f) +
		"\n\tWHERE c.company = " + s.Arg(f.Company))
	if only := f.onlyAssignee(); f.pinnedFirst() && !only.IsZero() {
		s.And("c.assignee = " + s.Arg(only))
	} else {
		s.And("NOT c.private")
	}
	index.andPart(s)
	index.andPosition(s, f.After, "<", ">")
	s.WriteString(index.order() + "\n\tLIMIT 1 OFFSET " + s.Arg(kernel.Few))
	_, err = tx.One(s.String(), s.Args, func(r db.Row) {
		end = &conversationPosition{ID: r.ID("id"), Pinned: r.Bool("pinned"), At: r.Int("moment"), Moment: r.Int("moment")}
	})
	return end, err
}

// byMoment lists the conversations with a time of f.moment first, then the others.
func byMoment(tx *kernel.Tx, f conversationCriteria) (page []Conversation, more bool, err error) {
	timed, rest := f, f
	timed.part, rest.part = partTimed, partRest
	if f.After == nil || f.After.Moment != 0 {
		rest.After = nil
		if page, more, err = conversations(tx, timed); err != nil || more {
			return page, more, err
		}
		if rest.Offset = 0; len(page) == 0 && f.Offset > 0 { // skip fewer of the rest if the offset also covers the first part
			s := tx.Statement()
			s.WriteString("SELECT COUNT(*) AS total " + alongConversations(tx, &timed))
			timed.where(s, search.NewText(f.Q))
			_, err = tx.One(s.String(), s.Args, func(r db.Row) { rest.Offset = max(0, f.Offset-int(r.Int("total"))) })
			if err != nil {
				return nil, false, err
			}
		}
	}
	rest.Limit -= len(page)
	others, more, err := merged(tx, rest)
	return append(page, others...), more, err
}

// merged lists the conversations that are open and those that are not in one order.
func merged(tx *kernel.Tx, f conversationCriteria) (page []Conversation, more bool, err error) {
	if len(f.runs()) == 1 || f.Q != "" {
		return conversations(tx, f)
	}
	for _, run := range f.runs() {
		run.Limit, run.Offset = f.Offset+f.Limit, 0
		rows, moreRows, err := conversations(tx, run)
		if err != nil {
			return nil, false, err
		}
		page, more = append(page, rows...), more || moreRows
	}
	page, more = Merged(page, nil, compareActivity, f.Offset, f.Limit, more)
	return page, more, nil
}

// Merged merges two pages of the same list and returns the limit rows after offset, and whether there are more.
func Merged[T any](a, b []T, compare func(x, y T) int, offset, limit int, more bool) ([]T, bool) {
	all := append(slices.Clone(a), b...)
	slices.SortStableFunc(all, compare)
	from := min(offset, len(all))
	to := min(from+limit, len(all))
	return all[from:to], more || to < len(all)
}

// withPrivate is findConversations for a member who may see private channels, which have few conversations.
func withPrivate(tx *kernel.Tx, f conversationCriteria) ([]Conversation, bool, error) {
	public, private := f, f
	public.Offset, public.Limit, public.Sight.Private = 0, f.Offset+f.Limit, nil
	private.Offset, private.Limit, private.Sight, private.private, private.Near = 0, f.Offset+f.Limit, f.Sight.PrivateOnly(), true, false
	rows, more, err := findConversations(tx, public)
	if err != nil {
		return nil, false, err
	}
	privateRows, morePrivate, err := findConversations(tx, private)
	page, more := Merged(rows, privateRows, f.compare, f.Offset, f.Limit, more || morePrivate)
	return page, more, err
}

// compare sorts conversations in the order of the list.
func (f *conversationCriteria) compare(x, y Conversation) int {
	a, b := f.positionOf(&x), f.positionOf(&y)
	switch {
	case (a.Moment != 0) != (b.Moment != 0):
		return cmp.Compare(b.Moment, a.Moment) // 0 comes last
	case a.Moment != b.Moment:
		return cmp.Compare(a.Moment, b.Moment)
	case a.Moment != 0:
		return kernel.CompareIDs(a.ID, b.ID)
	case a.Pinned != b.Pinned && a.Pinned:
		return -1
	case a.Pinned != b.Pinned:
		return 1
	}
	return compareActivity(x, y)
}

// compareActivity sorts conversations by activity, newest first.
func compareActivity(x, y Conversation) int {
	return cmp.Or(y.ActivityAt.Compare(x.ActivityAt), kernel.CompareIDs(y.ID, x.ID))
}
