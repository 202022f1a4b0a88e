package store

import (
	"slices"
	"strconv"
	"time"

	"recado/internal/model"
)

// CardFilter says which cards a list shows. Zero values filter nothing, but boards and statuses must
// be named.
type CardFilter struct {
	Company   model.ID
	Boards    []model.ID
	Statuses  []string
	Q         string
	Priority  string
	Label     model.ID
	DueFrom   *time.Time // with DueBefore: a few days
	DueBefore *time.Time
	Undue     bool // only cards without a due date

	Sight Sight
	After model.ID // only cards older than this one
	Limit int
}

// Simple reports whether Cards will need one statement only.
func (f *CardFilter) Simple() bool {
	return f.Q == "" && !f.overdue() && len(f.Boards) <= f.boardsAtOnce()
}

func (f *CardFilter) overdue() bool { return f.DueFrom == nil && f.DueBefore != nil }

// boardsAtOnce keeps one statement to about 64 lanes.
func (f *CardFilter) boardsAtOnce() int { return max(1, 64/max(1, len(f.Statuses)*len(f.days()))) }

// fewOverdue is how many overdue cards are sorted rather than met along the list.
const fewOverdue = 1000

// Cards lists the cards of a company that keys may see, the newest first, which is the order of their
// ids. Each board and status is a lane of some index in that order, and a page takes the newest from all
// lanes: those of the label, of the days on which cards are due, of the cards without due date, of the
// priority, or of all cards. Where only few cards are overdue, it looks through these instead; a text is
// looked for in both ways that seek knows.
func (tx *Tx) Cards(f CardFilter) (page []model.Card, more bool, err error) {
	if f.After.IsZero() {
		f.After = afterAll
	}
	boards := f.Boards
	for f.Boards = range slices.Chunk(boards, f.boardsAtOnce()) {
		cards, further, err := tx.cardsOfSome(&f)
		if err != nil {
			return nil, false, err
		}
		page, more = append(page, cards...), more || further
	}
	slices.SortFunc(page, func(a, b model.Card) int { return slices.Compare(b.ID[:], a.ID[:]) })
	if len(page) > f.Limit {
		page, more = page[:f.Limit], true
	}
	return page, more, nil
}

// cardsOfSome is the list for as many boards as fit into one statement.
func (tx *Tx) cardsOfSome(f *CardFilter) (page []model.Card, more bool, err error) {
	along, err := tx.cardWay(f)
	if err != nil {
		return nil, false, err
	}
	text := newSearch(f.Q)
	k := &seek{tx: tx, list: &cardSeek{tx, f, along}, noun: &cardSearch, text: text, want: f.Limit + 1, company: f.Company, after: f.After}
	for _, t := range turns {
		if done, err := k.try(t); err != nil {
			return nil, false, err
		} else if done {
			ids, more := k.ids(0, f.Limit)
			page, err := tx.cardsOf(f, ids)
			return page, more, err
		}
	}
	q := &cardQuery{statement: tx.statement(), CardFilter: *f, tx: tx, text: text}
	q.WriteString("SELECT" + cardColumns + "\n\t" + tx.fromSubset(q.first(along), "cards", "c") + "\n\tWHERE c.company = " + q.arg(f.Company) + "\n\tORDER BY c.id DESC")
	return collect(tx, q.statement, f.Limit, scanCard)
}

// cardsOf reads cards that were found already.
func (tx *Tx) cardsOf(f *CardFilter, ids []model.ID) ([]model.Card, error) {
	s := tx.statement()
	s.WriteString("SELECT" + cardColumns + "\n\t" + tx.fromSubset(listed(ids)(s), "cards", "c") + "\n\tWHERE c.company = " + s.arg(f.Company) + "\n\tORDER BY c.id DESC")
	page, _, err := collect(tx, s, len(ids), scanCard)
	return page, err
}

// cardSeek is the list for a seek.
type cardSeek struct {
	tx    *Tx
	f     *CardFilter
	along way
}

func (l *cardSeek) first(s *statement, n int, text search) {
	q := &cardQuery{statement: s, CardFilter: *l.f, tx: l.tx, bare: true}
	q.Limit = n - 1
	newest := q.first(l.along)
	q.bare = false
	s.WriteString("SELECT c.id, COALESCE(" + text.contains(l.tx, s, "c.folded") + q.conditions(byAll) + ", FALSE) " + l.tx.fromSubset(newest, "cards", "c") + " ORDER BY c.id DESC")
}

func (l *cardSeek) among(s *statement, of subset, text search) {
	q := &cardQuery{statement: s, CardFilter: *l.f, tx: l.tx}
	s.WriteString("SELECT c.id, " + text.contains(l.tx, s, "c.folded") + " " + q.among(of))
}

func (l *cardSeek) pinned() ([]model.ID, bool, error) { return nil, true, nil }

// cardWay chooses the way that reads the fewest cards, whatever their text.
func (tx *Tx) cardWay(f *CardFilter) (way, error) {
	switch {
	case !f.Label.IsZero():
		return (*cardQuery).labelled, nil
	case f.DueFrom != nil:
		return (*cardQuery).dueOnDays, nil
	case f.overdue():
		few, err := tx.fewOverdue(f)
		if err != nil || few {
			return (*cardQuery).dueBefore, err
		}
	case f.Undue:
		return along("cards_undue"), nil
	case f.Priority != "":
		return (*cardQuery).prioritized, nil
	}
	return along("cards_list"), nil
}

// fewOverdue reports whether few enough cards are overdue to sort them. It never looks at many more.
func (tx *Tx) fewOverdue(f *CardFilter) (bool, error) {
	q := &cardQuery{statement: tx.statement(), CardFilter: *f, tx: tx}
	q.WriteString("SELECT COUNT(*) FROM (SELECT 1 AS one FROM (" + q.dueBefore() + ") ids LIMIT " + strconv.Itoa(fewOverdue+1) + ") counted")
	n := int64(0)
	_, err := tx.one(q.String(), q.args, func(r Row) { n = r.Int(0) })
	return n <= fewOverdue, err
}
