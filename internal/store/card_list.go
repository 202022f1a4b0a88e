package store

import (
	"slices"
	"strconv"
	"strings"
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
	DueFrom   *time.Time
	DueBefore *time.Time
	Undue     bool // only cards without a due date

	Sight Sight
	After model.ID // only cards older than this one
	Limit int
}

// Simple reports whether Cards will need one statement only.
func (f *CardFilter) Simple() bool {
	return f.Q == "" && !f.due() && len(f.Boards)*len(f.Statuses) <= maxLanes
}

func (f *CardFilter) due() bool { return f.DueFrom != nil || f.DueBefore != nil }

// maxLanes is how many boards times statuses one statement reads.
const maxLanes = 64

// Cards lists the cards of a company that keys may see, the newest first, which is the order of their
// ids. Each board and status is a lane of some index in that order: of the label's, of the priority's,
// of the cards without due date, or of all cards. A page takes the newest from all lanes. Where only few
// cards can match, by their text or their due date, it looks through these instead.
func (tx *Tx) Cards(f CardFilter) (page []model.Card, more bool, err error) {
	way, err := tx.cardWay(&f)
	if err != nil {
		return nil, false, err
	}
	for boards := range slices.Chunk(f.Boards, max(1, maxLanes/max(1, len(f.Statuses)))) {
		part := f
		part.Boards = boards
		s := tx.statement()
		ids := "SELECT id FROM (" + way(tx, s, &part) + ") lanes ORDER BY id DESC" + tx.top(s, f.Limit)
		s.WriteString("SELECT" + cardColumns + "\n\t" + tx.fromSubset(ids, "cards", "c") + "\n\tWHERE c.company = " + s.arg(f.Company) + "\n\tORDER BY c.id DESC")
		rows, further, err := collect(tx, s, f.Limit, scanCard)
		if err != nil {
			return nil, false, err
		}
		page, more = append(page, rows...), more || further
	}
	slices.SortFunc(page, func(a, b model.Card) int { return strings.Compare(string(b.ID[:]), string(a.ID[:])) })
	if len(page) > f.Limit {
		page, more = page[:f.Limit], true
	}
	return page, more, nil
}

// top is the LIMIT of a page with one row more than it shows; see page for why it stands in the text.
func (tx *Tx) top(s *statement, limit int) string {
	switch {
	case tx.SQLite():
		return " LIMIT " + s.arg(limit+1)
	case limit <= model.DefaultLimit:
		return " LIMIT " + strconv.Itoa(model.DefaultLimit+1)
	}
	return " LIMIT " + strconv.Itoa(model.MaxLimit+1)
}

// way is one of the queries for the ids of a page.
type way func(tx *Tx, s *statement, f *CardFilter) string

// cardWay chooses the way that reads the fewest rows.
func (tx *Tx) cardWay(f *CardFilter) (way, error) {
	found, err := tx.find(&cardSearch, f.Company, f.Q)
	if err != nil {
		return nil, err
	}
	switch {
	case found.rare:
		return found.cards, nil
	case !f.Label.IsZero():
		return found.labelled, nil
	case f.due() && len(f.Boards)*len(f.Statuses) <= maxLanes:
		few, err := tx.isFew(func(s *statement) string { return search{}.dueBetween(tx, s, f) })
		if err != nil || few {
			return found.dueBetween, err
		}
	case f.Undue:
		return found.lanesOf("cards_undue"), nil
	case f.Priority != "":
		return found.lanesOf("cards_priority"), nil
	}
	return found.lanesOf("cards_list"), nil
}

// cards goes through the few cards that can hold a text.
func (found search) cards(tx *Tx, s *statement, f *CardFilter) string {
	statuses := make([]string, len(f.Statuses))
	for i, status := range f.Statuses {
		statuses[i] = s.arg(status)
	}
	return "SELECT c.id AS id " + tx.fromSubset(found.candidates(tx)(s), "cards", "c") +
		" WHERE NOT c.private AND NOT c.hidden AND " + s.in("c.board", f.Boards) + " AND c.status IN (" + strings.Join(statuses, ", ") + ")" +
		found.cardConditions(tx, s, f, f.conditions())
}

// dueBetween goes through the few cards whose due date lies in a span.
func (found search) dueBetween(tx *Tx, s *statement, f *CardFilter) string {
	return f.lanes(s, func(board, status string) string {
		return "SELECT c.id AS id FROM cards c" + tx.indexedBy("cards_due") +
			" WHERE c.board = " + board + " AND c.status = " + status + " AND c.due_at IS NOT NULL AND NOT c.private AND NOT c.hidden" +
			found.cardConditions(tx, s, f, f.conditions())
	})
}

// labelled walks along the cards of a label.
func (found search) labelled(tx *Tx, s *statement, f *CardFilter) string {
	label := s.arg(f.Label)
	after := ""
	if !f.After.IsZero() {
		after = " AND l.subject < " + s.arg(f.After)
	}
	rest := f.conditions() &^ byLabel
	return f.lanes(s, func(board, status string) string {
		from, more := "card_labels l", ""
		if rest != 0 || len(found.needles) > 0 {
			from, more = "card_labels l CROSS JOIN cards c", " AND c.id = l.subject"+found.cardConditions(tx, s, f, rest&^byAge)
		}
		return "SELECT id FROM (SELECT l.subject AS id FROM " + from + " WHERE l.label = " + label + " AND l.board = " + board +
			" AND l.status = " + status + after + more + " ORDER BY l.subject DESC" + tx.top(s, f.Limit) + ") lane"
	})
}

// lanesOf walks along an index that has the cards of a board and status in the order of the list.
func (found search) lanesOf(index string) way {
	return func(tx *Tx, s *statement, f *CardFilter) string {
		return f.lanes(s, func(board, status string) string {
			return "SELECT id FROM (SELECT c.id AS id FROM cards c" + tx.indexedBy(index) +
				" WHERE c.board = " + board + " AND c.status = " + status + " AND NOT c.private AND NOT c.hidden" +
				found.cardConditions(tx, s, f, f.conditions()) + " ORDER BY c.id DESC" + tx.top(s, f.Limit) + ") lane"
		})
	}
}

// lanes puts the same query for every board and status side by side.
func (f *CardFilter) lanes(s *statement, lane func(board, status string) string) string {
	var all []string
	for _, board := range f.Boards {
		b := s.arg(board)
		for _, status := range f.Statuses {
			all = append(all, lane(b, s.arg(status)))
		}
	}
	return strings.Join(all, " UNION ALL ")
}

// The conditions that a list can have beside board and status.
const (
	byAge = 1 << iota
	byPriority
	byLabel
	byDue
	bySight
)

// conditions gives those that the filter has.
func (f *CardFilter) conditions() int {
	set := 0
	note := func(given bool, condition int) {
		if given {
			set |= condition
		}
	}
	note(!f.After.IsZero(), byAge)
	note(f.Priority != "", byPriority)
	note(!f.Label.IsZero(), byLabel)
	note(f.due() || f.Undue, byDue)
	note(!f.Sight.All, bySight)
	return set
}

// cardConditions writes the chosen conditions on a card c, and that its text holds what is searched.
func (found search) cardConditions(tx *Tx, s *statement, f *CardFilter, set int) string {
	var b strings.Builder
	and := func(condition string) { b.WriteString(" AND " + condition) }
	if set&byAge != 0 {
		and("c.id < " + s.arg(f.After))
	}
	if set&byPriority != 0 {
		and("c.priority = " + s.arg(f.Priority))
	}
	if set&byLabel != 0 {
		and("EXISTS (SELECT 1 FROM card_labels l WHERE l.subject = c.id AND l.label = " + s.arg(f.Label) + ")")
	}
	if set&byDue != 0 {
		if f.Undue {
			and("c.due_at IS NULL")
		}
		if f.DueFrom != nil {
			and("c.due_at >= " + s.arg(f.DueFrom))
		}
		if f.DueBefore != nil {
			and("c.due_at < " + s.arg(f.DueBefore))
		}
	}
	if set&bySight != 0 {
		and("(c.conversation IS NULL OR EXISTS (SELECT 1 FROM conversations v WHERE v.id = c.conversation AND " +
			f.Sight.condition(s, "v.assignee", "v.sector") + "))")
	}
	if len(found.needles) > 0 {
		and(found.contains(tx, s, "c.folded"))
	}
	return b.String()
}
