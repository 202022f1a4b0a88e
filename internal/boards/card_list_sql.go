package boards

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
	"recado/internal/talk"
)

// CardFilter says which cards a list shows. Zero values filter nothing, but boards and statuses must
// be named.
type cardCriteria struct {
	Company      kernel.ID
	Boards       []kernel.ID
	Stage        kernel.ID
	Statuses     []string
	Q            string
	Priority     string
	Label        kernel.ID
	Assignee     kernel.ID
	Unassigned   bool
	Conversation kernel.ID
	DueFrom      *time.Time // with DueBefore: a few days
	DueBefore    *time.Time
	Undue        bool // only cards without a due date

	Sight kernel.Sight
	After kernel.ID // only cards older than this one
	Limit int

	Unseen *UnseenCards // which of the cards that keys do not see are listed; nil: none

	ByPosition bool // in the order of the stages and of the cards in them, see cardsByPosition
	AfterStage kernel.ID
	AfterRank  string
}

// UnseenCards says which cards a person sees that keys do not: private ones, and those of private channels.
type UnseenCards struct {
	AllPrivate bool        // all private cards, not only the member's own
	Member     kernel.ID   // sees the private cards that they made or that are assigned to them
	Channels   []kernel.ID // the private channels that the member views
}

// condition is true for cards that the person sees, of those that they could not see with a key.
func (u *UnseenCards) condition(s *db.Statement) string {
	private, hidden := "TRUE", "NOT "+cardHidden
	if !u.AllPrivate {
		me := s.Arg(u.Member)
		private = "(NOT c.private OR c.created_by = " + me + " OR c.assignee = " + me + ")"
	}
	if len(u.Channels) > 0 {
		hidden = "(NOT " + cardHidden + " OR EXISTS (SELECT 1 FROM conversations h WHERE h.company = c.company AND h.id = c.conversation AND " + s.In("h.channel", u.Channels) + "))"
	}
	return private + " AND " + hidden
}

// Simple reports whether Cards will need one statement only.
func (f *cardCriteria) Simple() bool {
	return f.Q == "" && !f.overdue() && !f.ByPosition && f.Unseen == nil && len(f.Boards) <= f.boardsAtOnce()
}

func (f *cardCriteria) overdue() bool { return f.DueFrom == nil && f.DueBefore != nil }

// boardsAtOnce keeps one statement to about 64 index ranges.
func (f *cardCriteria) boardsAtOnce() int { return max(1, 64/max(1, len(f.Statuses)*len(f.days()))) }

// fewOverdue is how many overdue cards are sorted rather than met along the list.
const overdueLimit = 1000

// listCards lists the cards of a company that keys may see, the newest first, which is the order of their
// ids. Each board and status is a range of some index in that order, and a page takes the newest from all
// ranges: those of the label, of the days on which cards are due, of the cards without due date, of the
// priority, or of all cards. Where only few cards are overdue, it reads these instead. For a text see
// search.Plan.
func listCards(tx *kernel.Tx, f cardCriteria) (page []Card, more bool, err error) {
	if f.ByPosition {
		return cardsByPosition(tx, &f)
	}
	if f.After.IsZero() {
		f.After = afterAll
	}
	if f.Unseen != nil {
		return withUnseenCards(tx, f)
	}
	if text := search.NewText(f.Q); !text.IsEmpty() {
		return searchCards(tx, &f, text)
	}
	boards := f.Boards
	for f.Boards = range slices.Chunk(boards, f.boardsAtOnce()) {
		cards, further, err := cardsOfSome(tx, &f)
		if err != nil {
			return nil, false, err
		}
		page, more = append(page, cards...), more || further
	}
	slices.SortFunc(page, func(a, b Card) int { return slices.Compare(b.ID[:], a.ID[:]) })
	if len(page) > f.Limit {
		page, more = page[:f.Limit], true
	}
	return page, more, nil
}

// cardsOfSome is the list for as many boards as fit into one statement.
func cardsOfSome(tx *kernel.Tx, f *cardCriteria) (page []Card, more bool, err error) {
	along, err := cardWay(tx, f)
	if err != nil {
		return nil, false, err
	}
	q := &cardQuery{Statement: tx.Statement(), cardCriteria: *f, tx: tx}
	q.WriteString("SELECT" + cardColumns + "\n\t" + tx.FromSubset(q.Arg(f.Company), q.first(along), "cards", "c") + "\n\tORDER BY c.id DESC")
	return kernel.Collect(tx, q.Statement, f.Limit, scanCard)
}

func searchCards(tx *kernel.Tx, f *cardCriteria, text search.Text) (page []Card, more bool, err error) {
	after := f.After
	if after == afterAll {
		after = kernel.ID{}
	}
	plan := &search.Plan{
		Tx: tx.On, List: &cardSearchList{tx, f}, Noun: &search.Cards, Text: text,
		Want: f.Limit + 1, Company: f.Company, After: after,
	}
	ids, err := plan.Run(0, f.Limit+1)
	if err != nil {
		return nil, false, err
	}
	s := tx.Statement()
	s.WriteString("SELECT" + cardColumns + "\n\t" + tx.FromSubset(s.Arg(f.Company), db.Listed(ids)(s), "cards", "c") + "\n\tORDER BY c.id DESC")
	return kernel.Collect(tx, s, f.Limit, scanCard)
}

// cardSearchList is the list for a search.
type cardSearchList struct {
	tx *kernel.Tx
	f  *cardCriteria
}

func (l *cardSearchList) Newest(n int, text search.Text) (all []*db.Statement, share int) {
	f, atOnce := *l.f, l.f.boardsAtOnce()
	share = max(1, n*atOnce/max(atOnce, len(l.f.Boards)))
	for f.Boards = range slices.Chunk(l.f.Boards, atOnce) {
		q := &cardQuery{Statement: l.tx.Statement(), cardCriteria: f, tx: l.tx, bare: true}
		q.Limit = share - 1
		newest := q.first(f.way())
		q.bare = false
		q.WriteString("SELECT c.id, COALESCE(" + text.Contains(q.Statement, "c.folded") + q.conditions(byAll) + ", FALSE) " +
			l.tx.FromSubset(q.Arg(f.Company), newest, "cards", "c") + " ORDER BY c.id DESC")
		all = append(all, q.Statement)
	}
	return all, share
}

func (l *cardSearchList) Among(of db.Subset, text search.Text) *db.Statement {
	q := &cardQuery{Statement: l.tx.Statement(), cardCriteria: *l.f, tx: l.tx}
	q.WriteString("SELECT c.id, " + text.Contains(q.Statement, "c.folded") + " " + q.among(of))
	return q.Statement
}

func (l *cardSearchList) Pinned() ([]kernel.ID, bool, error) { return nil, true, nil }

// cardWay chooses the way that reads the fewest cards.
func cardWay(tx *kernel.Tx, f *cardCriteria) (way, error) {
	if f.Label.IsZero() && f.Conversation.IsZero() && f.overdue() {
		if few, err := fewOverdue(tx, f); err != nil || few {
			return (*cardQuery).dueBefore, err
		}
	}
	return f.way(), nil
}

// way is the index that has the cards of the list in order, and the fewest others.
func (f *cardCriteria) way() way {
	switch {
	case !f.Conversation.IsZero():
		return (*cardQuery).ofConversation
	case !f.Label.IsZero():
		return (*cardQuery).labelled
	case f.DueFrom != nil:
		return (*cardQuery).dueOnDays
	case f.overdue():
		return along("cards_list")
	case f.Undue:
		return along("cards_undue")
	case f.Priority != "":
		return (*cardQuery).prioritized
	}
	return along("cards_list")
}

// fewOverdue reports whether few enough cards are overdue to sort them. It never looks at many more.
func fewOverdue(tx *kernel.Tx, f *cardCriteria) (bool, error) {
	q := &cardQuery{Statement: tx.Statement(), cardCriteria: *f, tx: tx}
	q.WriteString("SELECT COUNT(*) FROM (SELECT 1 AS one FROM (" + q.dueBefore() + ") ids LIMIT " + strconv.Itoa(overdueLimit+1) + ") counted")
	n := int64(0)
	_, err := tx.One(q.String(), q.Args, func(r db.Row) { n = r.Int(0) })
	return n <= overdueLimit, err
}

// withUnseenCards is Cards for a person, with the few cards that keys do not see.
func withUnseenCards(tx *kernel.Tx, f cardCriteria) ([]Card, bool, error) {
	public := f
	public.Unseen = nil
	shown, more, err := listCards(tx, public)
	if err != nil {
		return nil, false, err
	}
	q := &cardQuery{Statement: tx.Statement(), cardCriteria: f, tx: tx}
	q.WriteString("SELECT" + cardColumns + "\n\tFROM cards c" + talk.IndexedBy(tx, "cards_unseen") + "\n\tWHERE c.company = " + q.Arg(f.Company))
	q.And("(c.private OR c.hidden)", f.Unseen.condition(q.Statement), "c.id < "+q.Arg(f.After), q.In("c.board", f.Boards), q.ofStatuses())
	q.WriteString(q.conditions(byAll))
	search.NewText(f.Q).Check(q.Statement, "c.folded")
	q.WriteString("\n\tORDER BY c.id DESC")
	tx.Page(q.Statement, f.Limit, 0)
	unseen, also, err := kernel.Collect(tx, q.Statement, f.Limit, scanCard)
	if err != nil {
		return nil, false, err
	}
	page, more := talk.Merged(shown, unseen, func(x, y Card) int { return slices.Compare(y.ID[:], x.ID[:]) }, 0, f.Limit, more || also)
	return page, more, nil
}

// ofStatuses is the condition that a card has one of the statuses.
func (q *cardQuery) ofStatuses() string {
	statuses := make([]string, len(q.Statuses))
	for i, status := range q.Statuses {
		statuses[i] = q.Arg(status)
	}
	return "c.status IN (" + strings.Join(statuses, ", ") + ")"
}

// cardsByPosition lists cards in the order of the boards' stages and of the cards in each stage. It reads stage after
// stage until the page is full.
func cardsByPosition(tx *kernel.Tx, f *cardCriteria) (page []Card, more bool, err error) {
	stages, err := stagesOf(tx, f)
	if err != nil {
		return nil, false, err
	}
	page = make([]Card, 0, f.Limit)
	started := f.AfterStage.IsZero()
	for _, stage := range stages {
		rank, id := "", kernel.ID{}
		if stage == f.AfterStage {
			started, rank, id = true, f.AfterRank, f.After
		}
		if !started {
			continue
		}
		cards, further, err := cardsOfStage(tx, f, stage, rank, id, f.Limit-len(page))
		if err != nil {
			return nil, false, err
		}
		if page = append(page, cards...); further || len(page) > f.Limit {
			return page[:min(len(page), f.Limit)], true, nil
		}
	}
	return page, false, nil
}

// countCards counts the cards of the filter's stage that the principal may see and that are not archived, up to limit.
func countCards(tx *kernel.Tx, f cardCriteria, limit int) (n int64, err error) {
	q := &cardQuery{Statement: tx.Statement(), cardCriteria: f, tx: tx}
	q.WriteString("SELECT COUNT(*) FROM (SELECT 1 AS one FROM cards c" + talk.IndexedBy(tx, "cards_stage") + " WHERE c.company = " + q.Arg(f.Company))
	q.And("c.stage = "+q.Arg(f.Stage), "c.status <> "+q.Arg(CardArchived))
	q.WriteString(q.visibleToPerson() + q.conditions(bySight) + " LIMIT " + strconv.Itoa(limit) + ") counted")
	_, err = tx.One(q.String(), q.Args, func(r db.Row) { n = r.Int(0) })
	return n, err
}

// stagesOf lists the stages of the list in order: the one that is asked for, or those of all of its boards.
func stagesOf(tx *kernel.Tx, f *cardCriteria) ([]kernel.ID, error) {
	s := tx.Statement()
	s.WriteString("SELECT id FROM stages WHERE company = " + s.Arg(f.Company))
	s.And(s.In("board", f.Boards))
	if !f.Stage.IsZero() {
		s.And("id = " + s.Arg(f.Stage))
	}
	s.WriteString("\n\tORDER BY board, position, id")
	return tx.IDs(s.String(), s.Args...)
}

// cardsOfStage lists the cards of a stage behind a place. Of a limit of 0 it only says whether there are any.
func cardsOfStage(tx *kernel.Tx, f *cardCriteria, stage kernel.ID, rank string, id kernel.ID, limit int) ([]Card, bool, error) {
	q := &cardQuery{Statement: tx.Statement(), cardCriteria: *f, tx: tx}
	q.Stage = kernel.ID{}
	q.WriteString("SELECT" + cardColumns + "\n\tFROM cards c" + talk.IndexedBy(tx, "cards_stage") + "\n\tWHERE c.company = " + q.Arg(f.Company))
	q.And("c.stage = "+q.Arg(stage), q.ofStatuses())
	if rank != "" {
		q.And("(c.rank, c.id) > (" + q.Arg(rank) + ", " + q.Arg(id) + ")")
	}
	q.WriteString(q.visibleToPerson() + q.conditions(byAll))
	search.NewText(f.Q).Check(q.Statement, "c.folded")
	q.WriteString("\n\tORDER BY c.rank, c.id")
	tx.Page(q.Statement, limit, 0)
	return kernel.Collect(tx, q.Statement, limit, scanCard)
}
