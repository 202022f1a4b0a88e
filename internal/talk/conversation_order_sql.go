package talk

import (
	"cmp"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
)

// ConversationPlace is a place in a list of conversations: that of one of its rows.
type ConversationPlace struct {
	Waiting int64 // in a list by OldestWaiting: since when the customer waits, in milliseconds; 0: they do not
	Pinned  bool
	At      int64 // of the newest activity, in milliseconds
	ID      kernel.ID
}

// PlaceOf is the place of a conversation in the list.
func (f *conversationCriteria) PlaceOf(c *Conversation) ConversationPlace {
	p := ConversationPlace{Pinned: f.pinnedFirst() && c.Pinned, At: c.ActivityAt.UnixMilli(), ID: c.ID}
	if since := c.WaitingSince(); since != nil && f.OldestWaiting {
		p.Waiting = since.UnixMilli()
	}
	return p
}

// part is one of the two parts of a list by OldestWaiting.
type part uint8

const (
	partAll part = iota
	partWaiting
	partRest
)

// settle makes the filter say what is implied.
func (f *conversationCriteria) settle() {
	if f.Snoozed == nil && (f.Status == ListOpen || f.Status == ListWaiting) {
		f.Snoozed = new(bool)
	}
}

// pinnedFirst reports whether pinned conversations stand before all others.
func (f *conversationCriteria) pinnedFirst() bool { return f.Status == "" && !f.OldestWaiting }

func (f *conversationCriteria) pinnedColumn() string {
	if f.pinnedFirst() {
		return "c.pinned"
	}
	return "FALSE"
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

// runs splits the list into those that an index has in order: what is open, and what is not.
func (f *conversationCriteria) runs() []conversationCriteria {
	if f.pinnedFirst() || f.Status != "" {
		return []conversationCriteria{*f}
	}
	open, closed := *f, *f
	open.Status, closed.Status = ListOpen, ListClosed
	return []conversationCriteria{open, closed}
}

// andPart adds the conditions that decide on the index to read along.
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

// andStatus adds the conditions of status and snoozing that no index has.
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

// andPlace leaves out what does not compare to a place, if any, as the operator of the list's order says; that of the
// waiting part is the other way round.
func (f *conversationCriteria) andPlace(s *db.Statement, p *ConversationPlace, descending, ascending string) {
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

// mayReadFar reports whether several filters apply: each may let many conversations through, and all together none.
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

// farConversation gives the place of the row that few rows stand before, from where the list begins and along the same index;
// nil: there are not that many. It reads nothing but the index.
func farConversation(tx *kernel.Tx, f *conversationCriteria) (place *ConversationPlace, err error) {
	s := tx.Statement()
	along := "\n\t" + alongConversations(tx, f) + "\n\tWHERE c.company = " + s.Arg(f.Company)
	index := *f
	switch only := f.onlyAssignee(); {
	case f.part == partWaiting:
		s.WriteString("SELECT c.id, FALSE, c.waiting_since" + along)
		s.And("NOT c.private")
	case f.pinnedFirst() && !only.IsZero():
		s.WriteString("SELECT c.id, c.pinned, c.activity_at" + along)
		s.And("c.assignee = " + s.Arg(only))
	default:
		s.WriteString("SELECT c.id, " + f.pinnedColumn() + ", c.activity_at" + along)
		s.And("NOT c.private")
		index.part = partAll // the index has no time since which the customer waits
	}
	index.andPart(s)
	index.andPlace(s, f.After, "<", ">")
	s.WriteString(index.order() + "\n\tLIMIT 1 OFFSET " + s.Arg(kernel.Few))
	_, err = tx.One(s.String(), s.Args, func(r db.Row) {
		place = &ConversationPlace{ID: r.ID(0), Pinned: r.Bool(1), At: r.Int(2), Waiting: r.Int(2)}
	})
	return place, err
}

// oldestWaiting lists first the conversations whose customers wait, then the others.
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

// offsetBehind is how many rows of the second part are skipped, given how many of the first part are shown.
func offsetBehind(tx *kernel.Tx, waiting *conversationCriteria, shown int) (int, error) {
	if shown > 0 || waiting.Offset == 0 {
		return 0, nil
	}
	s := tx.Statement()
	s.WriteString("SELECT COUNT(*) " + alongConversations(tx, waiting))
	chooseConversations(tx, s, waiting, search.NewText(waiting.Q))
	n := 0
	_, err := tx.One(s.String(), s.Args, func(r db.Row) { n = int(r.Int(0)) })
	return max(0, waiting.Offset-n), err
}

// merged lists what is open and what is not in one order.
func merged(tx *kernel.Tx, f conversationCriteria) (page []Conversation, more bool, err error) {
	if len(f.runs()) == 1 || f.Q != "" {
		return conversations(tx, f)
	}
	all := make([]Conversation, 0, f.Limit)
	for _, run := range f.runs() {
		run.Limit, run.Offset = f.Offset+f.Limit, 0
		rows, left, err := conversations(tx, run)
		if err != nil {
			return nil, false, err
		}
		all, more = append(all, rows...), more || left
	}
	slices.SortFunc(all, compareActivity)
	all = all[min(f.Offset, len(all)):]
	return all[:min(f.Limit, len(all))], more || len(all) > f.Limit, nil
}

// dueSnoozes gives up to limit conversations that were snoozed until now or earlier.
func dueSnoozes(tx *kernel.Tx, now time.Time, limit int) ([]ConversationAt, error) {
	var out []ConversationAt
	err := tx.Query(`SELECT /* all companies: due work */ company, id FROM conversations WHERE snoozed_until <= $1 ORDER BY snoozed_until LIMIT $2`, []any{now, limit}, func(r db.Row) error {
		out = append(out, ConversationAt{r.ID(0), r.ID(1)})
		return nil
	})
	return out, err
}

// Merged puts the rows of two pages of the same list in order and keeps limit of them behind offset.
func Merged[T any](a, b []T, compare func(x, y T) int, offset, limit int, more bool) ([]T, bool) {
	all := append(slices.Clone(a), b...)
	slices.SortStableFunc(all, compare)
	from := min(offset, len(all))
	to := min(from+limit, len(all))
	return all[from:to], more || to < len(all)
}

// privateConversations lists the conversations of the private channels that the member sees, in the order of the
// list, up to the end of the page. There are few.
func privateConversations(tx *kernel.Tx, f *conversationCriteria) (page []Conversation, more bool, err error) {
	for _, part := range f.parts() {
		s := tx.Statement()
		s.WriteString("SELECT" + conversationColumns + "\n\tFROM conversations c\n\tWHERE c.company = " + s.Arg(f.Company))
		s.And("c.private", s.In("c.channel", f.Sight.Private))
		part.andPart(s)
		part.andFilters(s)
		part.andPlace(s, part.After, "<", ">")
		search.NewText(f.Q).Check(s, "c.folded")
		s.WriteString(part.order())
		tx.Page(s, f.Offset+f.Limit, 0)
		rows, further, err := kernel.Collect(tx, s, f.Offset+f.Limit, scanConversation)
		if err != nil {
			return nil, false, err
		}
		page, more = append(page, rows...), more || further
	}
	return page, more, nil
}

// parts are the parts of a list by OldestWaiting, each from the place After on, or the whole list. What they show is
// private.
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

// withPrivate is Conversations for a member who sees private channels.
func withPrivate(tx *kernel.Tx, f conversationCriteria) ([]Conversation, bool, error) {
	public := f
	public.Offset, public.Limit, public.Sight.Private = 0, f.Offset+f.Limit, nil
	shown, more, err := findConversations(tx, public)
	if err != nil {
		return nil, false, err
	}
	private, also, err := privateConversations(tx, &f)
	if err != nil {
		return nil, false, err
	}
	page, more := Merged(shown, private, f.compare, f.Offset, f.Limit, more || also)
	return page, more, nil
}

// compare is the order of the list.
func (f *conversationCriteria) compare(x, y Conversation) int {
	a, b := f.PlaceOf(&x), f.PlaceOf(&y)
	switch {
	case (a.Waiting != 0) != (b.Waiting != 0):
		return cmp.Compare(b.Waiting, a.Waiting) // 0 comes last
	case a.Waiting != b.Waiting:
		return cmp.Compare(a.Waiting, b.Waiting)
	case a.Waiting != 0:
		return slices.Compare(a.ID[:], b.ID[:])
	case a.Pinned != b.Pinned && a.Pinned:
		return -1
	case a.Pinned != b.Pinned:
		return 1
	}
	return compareActivity(x, y)
}

// compareActivity puts the conversation with the newest activity first.
func compareActivity(x, y Conversation) int {
	return cmp.Or(y.ActivityAt.Compare(x.ActivityAt), slices.Compare(y.ID[:], x.ID[:]))
}
