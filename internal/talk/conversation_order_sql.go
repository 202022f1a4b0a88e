package talk

import (
	"cmp"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

// conversationPosition is the position of a row in a list of conversations.
type conversationPosition struct {
	Waiting int64 // with OldestWaiting: since when the customer waits, in milliseconds, or 0
	Pinned  bool
	At      int64 // time of the newest activity, in milliseconds
	ID      kernel.ID
}

func (f *conversationCriteria) positionOf(c *Conversation) conversationPosition {
	p := conversationPosition{Pinned: f.pinnedFirst() && c.Pinned, At: c.ActivityAt.UnixMilli(), ID: c.ID}
	if since := c.WaitingSince(); since != nil && f.OldestWaiting {
		p.Waiting = since.UnixMilli()
	}
	return p
}

// part is one of the two parts of a list with OldestWaiting.
type part uint8

const (
	partAll part = iota
	partWaiting
	partRest
)

// pinnedFirst reports whether pinned conversations come first.
func (f *conversationCriteria) pinnedFirst() bool { return f.Status == "" && !f.OldestWaiting }

func (f *conversationCriteria) pinnedColumn() string {
	if f.pinnedFirst() {
		return "c.pinned"
	}
	return "FALSE AS pinned"
}

func (f *conversationCriteria) order() string {
	switch {
	case f.part == partWaiting:
		return "\n\tORDER BY c.waiting_since, c.id"
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
	case partWaiting:
		s.And("c.waiting_since IS NOT NULL")
		return
	case partRest:
		s.And("c.waiting_since IS NULL")
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
// waiting part.
func (f *conversationCriteria) andPosition(s *db.Statement, p *conversationPosition, descending, ascending string) {
	switch {
	case p == nil:
	case f.part == partWaiting:
		s.And("(c.waiting_since, c.id) " + ascending + " (" + s.Arg(p.Waiting) + ", " + s.Arg(p.ID) + ")")
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
		!f.Assignee.IsZero(), f.Unassigned || f.Status == ListWaiting, f.Snoozed != nil && *f.Snoozed, !f.Sight.All,
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
	index, moment := *f, "c.waiting_since"
	if f.part != partWaiting {
		index.part, moment = partAll, "c.activity_at" // this index does not contain waiting_since
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
		end = &conversationPosition{ID: r.ID("id"), Pinned: r.Bool("pinned"), At: r.Int("moment"), Waiting: r.Int("moment")}
	})
	return end, err
}

// oldestWaiting lists the conversations whose customers wait first, then the others.
func oldestWaiting(tx *kernel.Tx, f conversationCriteria) (page []Conversation, more bool, err error) {
	waiting, rest := f, f
	waiting.part, rest.part = partWaiting, partRest
	if f.After == nil || f.After.Waiting != 0 {
		rest.After = nil
		if page, more, err = conversations(tx, waiting); err != nil || more {
			return page, more, err
		}
		if rest.Offset, err = offsetBehind(tx, &waiting, len(page)); err != nil {
			return nil, false, err
		}
	}
	rest.Limit -= len(page)
	others, more, err := merged(tx, rest)
	return append(page, others...), more, err
}

// offsetBehind returns how many rows of the second part to skip, given how many of the first part are on the page.
func offsetBehind(tx *kernel.Tx, waiting *conversationCriteria, shown int) (int, error) {
	if shown > 0 || waiting.Offset == 0 {
		return 0, nil
	}
	s := tx.Statement()
	s.WriteString("SELECT COUNT(*) AS total " + alongConversations(tx, waiting))
	waiting.where(s, search.NewText(waiting.Q))
	total := 0
	_, err := tx.One(s.String(), s.Args, func(r db.Row) { total = int(r.Int("total")) })
	return max(0, waiting.Offset-total), err
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

// dueSnoozes returns up to limit conversations that were snoozed until now or earlier.
func dueSnoozes(tx *kernel.Tx, now time.Time, limit int) ([]ConversationAt, error) {
	return readRows(tx, `
		SELECT /* all companies: due work */ company, id
		FROM conversations
		WHERE snoozed_until <= $1
		ORDER BY snoozed_until
		LIMIT $2`, []any{now, limit}, func(r db.Row) ConversationAt { return ConversationAt{r.ID("company"), r.ID("id")} })
}

// Merged merges two pages of the same list and returns the limit rows after offset, and whether there are more.
func Merged[T any](a, b []T, compare func(x, y T) int, offset, limit int, more bool) ([]T, bool) {
	all := append(slices.Clone(a), b...)
	slices.SortStableFunc(all, compare)
	from := min(offset, len(all))
	to := min(from+limit, len(all))
	return all[from:to], more || to < len(all)
}

// privateConversations lists the conversations of the private channels that the member may see, from the start of the list to the
// end of the page. There are few.
func privateConversations(tx *kernel.Tx, f *conversationCriteria) (page []Conversation, more bool, err error) {
	for _, part := range f.parts() {
		s := tx.Statement()
		s.WriteString("SELECT" + conversationColumns + "\n\tFROM conversations c\n\tWHERE c.company = " + s.Arg(f.Company))
		s.And("c.private", s.In("c.channel", f.Sight.Private))
		part.andPart(s)
		part.andFilters(s)
		part.andPosition(s, part.After, "<", ">")
		search.NewText(f.Q).Check(s, "c.folded")
		s.WriteString(part.order())
		tx.Page(s, f.Offset+f.Limit, 0)
		rows, moreRows, err := kernel.Collect(tx, s, f.Offset+f.Limit, scanConversation)
		if err != nil {
			return nil, false, err
		}
		page, more = append(page, rows...), more || moreRows
	}
	return page, more, nil
}

// parts returns the two parts of a list with OldestWaiting, or the whole list, for private conversations.
func (f *conversationCriteria) parts() []conversationCriteria {
	whole := *f
	whole.Sight = f.Sight.PrivateOnly()
	if !f.OldestWaiting || f.Status == ListClosed {
		return []conversationCriteria{whole}
	}
	waiting, rest := whole, whole
	waiting.part, rest.part = partWaiting, partRest
	if f.After != nil && f.After.Waiting == 0 {
		return []conversationCriteria{rest}
	}
	rest.After = nil
	return []conversationCriteria{waiting, rest}
}

// withPrivate is findConversations for a member who may see private channels.
func withPrivate(tx *kernel.Tx, f conversationCriteria) ([]Conversation, bool, error) {
	public := f
	public.Offset, public.Limit, public.Sight.Private = 0, f.Offset+f.Limit, nil
	rows, more, err := findConversations(tx, public)
	if err != nil {
		return nil, false, err
	}
	private, morePrivate, err := privateConversations(tx, &f)
	if err != nil {
		return nil, false, err
	}
	page, more := Merged(rows, private, f.compare, f.Offset, f.Limit, more || morePrivate)
	return page, more, nil
}

// compare sorts conversations in the order of the list.
func (f *conversationCriteria) compare(x, y Conversation) int {
	a, b := f.positionOf(&x), f.positionOf(&y)
	switch {
	case (a.Waiting != 0) != (b.Waiting != 0):
		return cmp.Compare(b.Waiting, a.Waiting) // 0 comes last
	case a.Waiting != b.Waiting:
		return cmp.Compare(a.Waiting, b.Waiting)
	case a.Waiting != 0:
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
