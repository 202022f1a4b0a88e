package boards

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"recado/internal/channels"
	"recado/internal/fields"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
	"recado/internal/talk"
)

// cardCriteria selects the cards of a list. Boards and Statuses are required and replace Board and Status of the filter; other
// zero values do not filter.
type cardCriteria struct {
	CardFilter
	Company   kernel.ID
	Boards    []kernel.ID
	Statuses  []string
	DueFrom   *time.Time // at most a few days before DueBefore
	DueBefore *time.Time
	Undue     bool // only cards without a due date
	Sight     kernel.Sight
	Unseen    *UnseenCards // nil: only cards that keys see
	fields    fields.Filter

	After      kernel.ID // only cards older than this one
	AfterStage kernel.ID // with AfterRank, for cardsByPosition
	AfterRank  string
}

// UnseenCards selects the cards that a person sees but keys do not: private cards and cards of private channels.
type UnseenCards struct {
	AllPrivate bool        // all private cards, not only the member's own
	Member     kernel.ID   // created the card or is its assignee
	Channels   []kernel.ID // private channels that the member sees
}

// condition is true for the cards that the person sees, among those that keys do not see.
func (u *UnseenCards) condition(s *db.Statement) string {
	private, hidden := "TRUE", "NOT "+cardHidden
	if !u.AllPrivate {
		me := s.Arg(u.Member)
		private = "(NOT c.private OR c.created_by = " + me + " OR c.assignee = " + me + ")"
	}
	if len(u.Channels) > 0 {
		hidden = "(NOT " + cardHidden + ` OR EXISTS (
			SELECT 1
			FROM conversations h
			WHERE h.company = c.company AND h.id = c.conversation AND ` + s.In("h.channel", u.Channels) + "))"
	}
	return private + " AND " + hidden
}

func (f *cardCriteria) overdue() bool { return f.DueFrom == nil && f.DueBefore != nil }

// boardsAtOnce limits a statement to about 64 index ranges.
func (f *cardCriteria) boardsAtOnce() int { return max(1, 64/max(1, len(f.Statuses)*len(f.days()))) }

// overdueLimit is the number of overdue cards up to which all of them are read and sorted.
const overdueLimit = 1000

// listCards lists cards, newest first, which is the order of their ids. Each board and status is a range of an index in that
// order, and a page takes the newest cards of all ranges. The index is that of the label, the due day, cards without due date,
// the priority, or all cards. If few cards are overdue, it reads all of those instead. For texts see search.Plan.
func listCards(tx *kernel.Tx, f cardCriteria) (page []Card, more bool, err error) {
	if f.Sort == SortPosition {
		return cardsByPosition(tx, &f)
	}
	if f.After.IsZero() {
		f.After = kernel.MaxID
	}
	if f.Unseen != nil {
		return withUnseenCards(tx, f)
	}
	if text := search.NewText(f.Q); !text.IsEmpty() {
		return searchCards(tx, &f, text)
	}
	boards := f.Boards
	for f.Boards = range slices.Chunk(boards, f.boardsAtOnce()) {
		cards, moreCards, err := cardsOfBoards(tx, &f)
		if err != nil {
			return nil, false, err
		}
		page, more = append(page, cards...), more || moreCards
	}
	slices.SortFunc(page, newestFirst)
	if len(page) > f.Limit {
		page, more = page[:f.Limit], true
	}
	return page, more, nil
}

func newestFirst(a, b Card) int { return kernel.CompareIDs(b.ID, a.ID) }

// cardsOfBoards lists the cards of as many boards as fit into one statement.
func cardsOfBoards(tx *kernel.Tx, f *cardCriteria) (page []Card, more bool, err error) {
	path := f.path()
	rare, err := f.fields.Rare(tx, f.Company)
	if err != nil {
		return nil, false, err
	}
	if rare != nil {
		path = among(rare)
	} else if f.Label.IsZero() && f.Conversation.IsZero() && f.overdue() {
		few, err := fewOverdue(tx, f)
		if err != nil {
			return nil, false, err
		}
		if few {
			path = (*cardQuery).dueBefore
		}
	}
	q := newCardQuery(tx, f)
	return collectCards(tx, q.Statement, f, q.first(path))
}

// collectCards reads a page of the cards whose ids are in a subset, newest first.
func collectCards(tx *kernel.Tx, s *db.Statement, f *cardCriteria, ids string) (page []Card, more bool, err error) {
	s.WriteString("SELECT" + cardColumns + "\n\t" + tx.FromSubset(s.Arg(f.Company), ids, "cards", "c") + "\n\tORDER BY c.id DESC")
	return kernel.Collect(tx, s, f.Limit, scanCard)
}

func searchCards(tx *kernel.Tx, f *cardCriteria, text search.Text) (page []Card, more bool, err error) {
	after := f.After
	if after == kernel.MaxID {
		after = kernel.ID{}
	}
	plan := &search.Plan{
		Tx: tx.Tx, List: &cardSearchList{tx, f}, Noun: &search.Cards, Text: text,
		Want: f.Limit + 1, Company: f.Company, After: after,
	}
	ids, err := plan.Run(0, f.Limit+1)
	if err != nil {
		return nil, false, err
	}
	s := tx.Statement()
	return collectCards(tx, s, f, db.Listed(ids)(s))
}

// cardSearchList implements search.List.
type cardSearchList struct {
	tx *kernel.Tx
	f  *cardCriteria
}

func (l *cardSearchList) Newest(n int, text search.Text) (all []*db.Statement, share int) {
	f, atOnce := *l.f, l.f.boardsAtOnce()
	share = max(1, n*atOnce/max(atOnce, len(l.f.Boards)))
	for f.Boards = range slices.Chunk(l.f.Boards, atOnce) {
		q := newCardQuery(l.tx, &f)
		q.unfiltered, q.Limit = true, share-1
		newest := q.first(f.path())
		q.unfiltered = false
		matches := "COALESCE(" + text.Contains(q.Statement, "c.folded") + q.conditions(byAll) + ", FALSE) AS matches"
		from := l.tx.FromSubset(q.Arg(f.Company), newest, "cards", "c")
		q.WriteString("SELECT c.id, " + matches + "\n\t" + from + "\n\tORDER BY c.id DESC")
		all = append(all, q.Statement)
	}
	return all, share
}

func (l *cardSearchList) Among(of db.Subset, text search.Text) *db.Statement {
	q := newCardQuery(l.tx, l.f)
	q.WriteString("SELECT c.id, " + text.Contains(q.Statement, "c.folded") + " AS matches\n\t" +
		l.tx.FromSubset(q.Arg(q.Company), of(q.Statement), "cards", "c") + " WHERE " + q.inBoards() + q.visible() + q.conditions(byAll))
	return q.Statement
}

func (l *cardSearchList) Pinned() ([]kernel.ID, bool, error) { return nil, true, nil }

// path returns the query that reads the fewest cards in the order of the list.
func (f *cardCriteria) path() path {
	switch {
	case !f.Conversation.IsZero():
		return (*cardQuery).ofConversation
	case !f.Label.IsZero():
		return (*cardQuery).labelled
	case f.DueFrom != nil:
		return (*cardQuery).dueOnDays
	case f.Undue && !f.overdue():
		return along("cards_undue")
	case f.Priority != "" && !f.overdue():
		return (*cardQuery).prioritized
	}
	return along("cards_list")
}

// fewOverdue reports whether at most overdueLimit cards are overdue.
func fewOverdue(tx *kernel.Tx, f *cardCriteria) (bool, error) {
	q := newCardQuery(tx, f)
	q.WriteString("SELECT COUNT(*) AS total FROM (" +
		"SELECT 1 AS one FROM (" + q.dueBefore() + ") ids LIMIT " + strconv.Itoa(overdueLimit+1) + ") counted")
	n, err := q.count()
	return n <= overdueLimit, err
}

// withUnseenCards is listCards for a person: it adds the few cards that keys do not see.
func withUnseenCards(tx *kernel.Tx, f cardCriteria) ([]Card, bool, error) {
	public := f
	public.Unseen = nil
	shown, more, err := listCards(tx, public)
	if err != nil {
		return nil, false, err
	}
	q := newCardQuery(tx, &f)
	q.WriteString("SELECT" + cardColumns + "\n\t" + q.from("cards_unseen"))
	q.And("(c.private OR c.hidden)", f.Unseen.condition(q.Statement), q.inBoards())
	q.WriteString(q.conditions(byAll))
	search.NewText(f.Q).Check(q.Statement, "c.folded")
	q.WriteString("\n\tORDER BY c.id DESC")
	tx.Page(q.Statement, f.Limit, 0)
	unseen, moreUnseen, err := kernel.Collect(tx, q.Statement, f.Limit, scanCard)
	if err != nil {
		return nil, false, err
	}
	page, more := talk.Merged(shown, unseen, newestFirst, 0, f.Limit, more || moreUnseen)
	return page, more, nil
}

func newCardQuery(tx *kernel.Tx, f *cardCriteria) *cardQuery {
	return &cardQuery{Statement: tx.Statement(), cardCriteria: *f, tx: tx}
}

// from returns the beginning of a query for the company's cards that uses an index on SQLite.
func (q *cardQuery) from(index string) string {
	return "FROM cards c" + talk.IndexedBy(q.tx, index) + " WHERE c.company = " + q.Arg(q.Company)
}

// count runs a query that counts.
func (q *cardQuery) count() (total int64, err error) {
	_, err = q.tx.One(q.String(), q.Args, func(r db.Row) { total = r.Int("total") })
	return total, err
}

// inBoards is a condition: a card is on one of the boards, has one of the statuses and comes after the cursor.
func (q *cardQuery) inBoards() string {
	return q.In("c.board", q.Boards) + " AND " + q.ofStatuses() + " AND c.id < " + q.Arg(q.After)
}

func (q *cardQuery) ofStatuses() string {
	statuses := make([]string, len(q.Statuses))
	for i, status := range q.Statuses {
		statuses[i] = q.Arg(status)
	}
	return "c.status IN (" + strings.Join(statuses, ", ") + ")"
}

// cardsByPosition lists cards in the order of their stages and then of their ranks. It reads stage by stage until the page is
// full.
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
		cards, more, err := cardsOfStage(tx, f, stage, rank, id, f.Limit-len(page))
		if err != nil {
			return nil, false, err
		}
		if page = append(page, cards...); more {
			return page, true, nil
		}
	}
	return page, false, nil
}

// countCards counts the cards of a stage that are visible and not archived, up to limit.
func countCards(tx *kernel.Tx, f cardCriteria, limit int) (int64, error) {
	q := newCardQuery(tx, &f)
	q.WriteString("SELECT COUNT(*) AS total FROM (SELECT 1 AS one " + q.from("cards_stage"))
	q.And("c.stage = "+q.Arg(f.Stage), "c.status <> "+q.Arg(CardArchived))
	q.WriteString(q.visibleToPerson() + q.conditions(bySight) + " LIMIT " + strconv.Itoa(limit) + ") counted")
	return q.count()
}

// stagesOf lists the stages of the boards in order, or only the one of the filter.
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

// cardsOfStage lists the cards of a stage after a position. With limit 0 it only reports whether there are any.
func cardsOfStage(tx *kernel.Tx, f *cardCriteria, stage kernel.ID, rank string, id kernel.ID, limit int) ([]Card, bool, error) {
	q := newCardQuery(tx, f)
	q.WriteString("SELECT" + cardColumns + "\n\t" + q.from("cards_stage"))
	q.And("c.stage = "+q.Arg(stage), q.ofStatuses())
	if rank != "" {
		q.And("(c.rank, c.id) > (" + q.Arg(rank) + ", " + q.Arg(id) + ")")
	}
	q.WriteString(q.visibleToPerson() + q.conditions(byAll&^byStage))
	search.NewText(f.Q).Check(q.Statement, "c.folded")
	q.WriteString("\n\tORDER BY c.rank, c.id")
	tx.Page(q.Statement, limit, 0)
	return kernel.Collect(tx, q.Statement, limit, scanCard)
}

// cardQuery builds a query for the ids of a page of cards.
type cardQuery struct {
	*db.Statement
	cardCriteria
	tx         *kernel.Tx
	unfiltered bool // read whole index ranges, without most of the filters
}

// path builds a query that reads the cards along one index.
type path func(q *cardQuery) string

// column is a leading column of an index with its type on PostgreSQL.
type column struct{ name, kind string }

var (
	boardColumn    = column{"c.board", "uuid"}
	statusColumn   = column{"c.status", "text"}
	priorityColumn = column{"c.priority", "text"}
	dayColumn      = column{"c.due_at / 86400000", "bigint"} // the due day in UTC
)

// along reads the ranges of an index by board and status.
func along(index string) path {
	return func(q *cardQuery) string {
		return q.alongCards(index, []column{boardColumn, statusColumn}, q.ranges(nil), q.conditions(byAll))
	}
}

// prioritized reads the ranges of a priority.
func (q *cardQuery) prioritized() string {
	columns := []column{boardColumn, statusColumn, priorityColumn}
	return q.alongCards("cards_priority", columns, q.ranges([]any{q.Priority}), q.conditions(byAll&^byPriority))
}

// dueOnDays reads the ranges of the days on which cards may be due.
func (q *cardQuery) dueOnDays() string {
	columns := []column{boardColumn, statusColumn, dayColumn}
	return q.alongCards("cards_due", columns, q.ranges(q.days()), " AND c.due_at IS NOT NULL"+q.conditions(byAll))
}

// days returns the UTC days between DueFrom and DueBefore. Without these it returns one meaningless day.
func (f *cardCriteria) days() []any {
	if f.DueFrom == nil || f.DueBefore == nil {
		return make([]any, 1)
	}
	var days []any
	for day := f.DueFrom.UnixMilli() / channels.DayMillis; day <= f.DueBefore.UnixMilli()/channels.DayMillis; day++ {
		days = append(days, day)
	}
	return days
}

// labelled reads the ranges of a label. It joins the cards only if there are further conditions.
func (q *cardQuery) labelled() string {
	from, conditions := "card_labels l", q.conditions(byAll&^byLabel)
	if conditions != "" {
		from, conditions = "card_labels l CROSS JOIN cards c", " AND c.company = l.company AND c.id = l.subject"+conditions
	}
	ranges := q.ranges(nil)
	for i := range ranges {
		ranges[i] = slices.Insert(ranges[i], 0, any(q.Label))
	}
	columns := []column{{"l.label", "uuid"}, {"l.board", "uuid"}, {"l.status", "text"}}
	return q.alongRanges(from, "l.company", "l.subject", columns, ranges, conditions)
}

// dueBefore reads the overdue cards.
func (q *cardQuery) dueBefore() string {
	overdue := " AND " + dayColumn.name + " <= " + q.Arg(q.DueBefore.UnixMilli()/channels.DayMillis) + " AND c.due_at IS NOT NULL" +
		" AND c.id < " + q.Arg(q.After) + q.visible() + q.conditions(byAll)
	var queries []string
	for _, bounds := range q.ranges(nil) {
		within := " AND c.board = " + q.Arg(bounds[0]) + " AND c.status = " + q.Arg(bounds[1])
		queries = append(queries, "SELECT c.id AS id "+q.from("cards_due")+within+overdue)
	}
	return strings.Join(queries, " UNION ALL ")
}

// ofConversation reads the cards of a conversation, of which there are few.
func (q *cardQuery) ofConversation() string {
	return "SELECT c.id AS id " + q.from("cards_conversation") + " AND c.conversation = " + q.Arg(q.Conversation) +
		" AND " + q.inBoards() + q.visible() + q.conditions(byAll&^byConversation)
}

// among reads the cards of a subset, of which there are few.
func among(of db.Subset) path {
	return func(q *cardQuery) string {
		return "SELECT c.id AS id " + q.tx.FromSubset(q.Arg(q.Company), of(q.Statement), "cards", "c") +
			" WHERE " + q.inBoards() + q.visible() + q.conditions(byAll)
	}
}

// first returns a query for the newest cards of a path.
func (q *cardQuery) first(along path) string {
	return "SELECT id FROM (" + along(q) + ") ranges ORDER BY id DESC" + q.limit()
}

// ranges returns the values of the leading columns of each index range: every board with every status and, if third is not nil,
// with each of its values.
func (q *cardQuery) ranges(third []any) [][]any {
	var ranges [][]any
	for _, board := range q.Boards {
		for _, status := range q.Statuses {
			if third == nil {
				ranges = append(ranges, []any{board, status})
			}
			for _, v := range third {
				ranges = append(ranges, []any{board, status, v})
			}
		}
	}
	return ranges
}

func (q *cardQuery) alongCards(index string, columns []column, ranges [][]any, conditions string) string {
	return q.alongRanges("cards c"+talk.IndexedBy(q.tx, index), "c.company", "c.id", columns, ranges, q.visible()+conditions)
}

// alongRanges reads up to a page of each range after the cursor, newest first.
func (q *cardQuery) alongRanges(from, company, id string, columns []column, ranges [][]any, conditions string) string {
	company += " = " + q.Arg(q.Company)
	after := q.Arg(q.After)
	if q.tx.Dialect().Lateral() {
		return q.alongRangesPostgres(from, company, id, columns, ranges, conditions, after)
	}
	limit := q.limit()
	queries := make([]string, len(ranges))
	for i, bounds := range ranges {
		within := company + " AND " + id + " < " + after
		for k, c := range columns {
			within += " AND " + c.name + " = " + q.Arg(bounds[k])
		}
		queries[i] = "SELECT id FROM (SELECT " + id + " AS id FROM " + from + " WHERE " + within + conditions +
			" ORDER BY " + id + " DESC" + limit + ") r"
	}
	return strings.Join(queries, " UNION ALL ")
}

// alongRangesPostgres plans one range and repeats it for each. It compares the last column with >= and orders by it, because with
// = for all columns PostgreSQL might scan the primary key instead.
func (q *cardQuery) alongRangesPostgres(
	from, company, id string, columns []column, ranges [][]any, conditions, after string,
) string {
	var values, keys []string
	for _, bounds := range ranges {
		var row []string
		for k, c := range columns {
			row = append(row, q.Arg(bounds[k])+"::"+c.kind)
		}
		values = append(values, "("+strings.Join(row, ", ")+")")
	}
	within := company + " AND "
	for k, c := range columns {
		key := "k" + strconv.Itoa(k)
		keys = append(keys, key)
		if k < len(columns)-1 {
			within += c.name + " = v." + key + " AND "
		} else {
			within += c.name + " >= v." + key + " AND (" + c.name + ", " + id + ") < (v." + key + ", " + after + ")"
		}
	}
	return "SELECT l.id AS id FROM (VALUES " + strings.Join(values, ", ") + ") v (" + strings.Join(keys, ", ") + ")" +
		" CROSS JOIN LATERAL (SELECT " + id + " AS id FROM " + from + " WHERE " + within + conditions +
		" ORDER BY " + columns[len(columns)-1].name + " DESC, " + id + " DESC" + q.limit() + ") l"
}

// limit returns the LIMIT of a page with one extra row. Without an argument the number is rounded up, as in kernel.Tx.Page.
func (q *cardQuery) limit() string {
	limit := q.Limit + 1
	if q.tx.Dialect().LimitAsArgument() {
		return " LIMIT " + q.Arg(limit)
	}
	for _, rounded := range []int{kernel.DefaultLimit + 1, kernel.MaxLimit + 1, search.Budget.FirstPass, search.Budget.List} {
		if limit <= rounded {
			return " LIMIT " + strconv.Itoa(rounded)
		}
	}
	return ""
}

// visible is the condition for cards that keys may see, as the indexes have it.
func (q *cardQuery) visible() string {
	return " AND NOT c.private AND NOT c.hidden AND " + publicCard(q.Arg(q.Company))
}

// visibleToPerson is visible with the additional cards that a person sees.
func (q *cardQuery) visibleToPerson() string {
	if q.Unseen == nil {
		return q.visible()
	}
	return " AND (NOT c.private AND NOT " + cardHidden + " OR " + q.Unseen.condition(q.Statement) + ")"
}

// Conditions of a list in addition to board, status and cursor.
const (
	byPriority = 1 << iota
	byLabel
	byDue
	byUndue
	bySight
	byStage
	byAssignee
	byConversation
	byFields

	byAll = byPriority | byLabel | byDue | byUndue | bySight | byStage | byAssignee | byConversation | byFields
)

// conditions returns the conditions of a set that the filter has.
func (q *cardQuery) conditions(set int) string {
	if q.unfiltered {
		set &= byUndue // which has an index of its own
	}
	var b strings.Builder
	and := func(condition string) { b.WriteString(" AND " + condition) }
	if set&byPriority != 0 && q.Priority != "" {
		and("c.priority = " + q.Arg(q.Priority))
	}
	if set&byLabel != 0 && !q.Label.IsZero() {
		// Unlike EXISTS, this is evaluated row by row.
		and("(SELECT TRUE FROM card_labels l WHERE l.company = c.company AND l.subject = c.id AND l.label = " + q.Arg(q.Label) + ")")
	}
	if set&byStage != 0 && !q.Stage.IsZero() {
		and("c.stage = " + q.Arg(q.Stage))
	}
	if set&byAssignee != 0 && !q.Assignee.IsZero() {
		and("c.assignee = " + q.Arg(q.Assignee))
	}
	if set&byAssignee != 0 && q.Unassigned {
		and("c.assignee IS NULL")
	}
	if set&byConversation != 0 && !q.Conversation.IsZero() {
		and("c.conversation = " + q.Arg(q.Conversation))
	}
	if set&byFields != 0 && !q.fields.IsEmpty() {
		and(q.fields.Condition(q.Statement, "c"))
	}
	if set&byUndue != 0 && q.Undue {
		and("c.due_at IS NULL")
	}
	if set&byDue != 0 {
		if q.DueFrom != nil {
			and("c.due_at >= " + q.Arg(q.DueFrom))
		}
		if q.DueBefore != nil {
			and("c.due_at < " + q.Arg(q.DueBefore))
		}
	}
	if set&bySight != 0 && !q.Sight.All {
		and("(c.conversation IS NULL OR " + cardHidden + ` OR EXISTS (
			SELECT 1
			FROM conversations v
			WHERE v.company = c.company AND v.id = c.conversation AND ` + q.Sight.Condition(q.Statement, "v.assignee", "v.sector") + "))")
	}
	return b.String()
}
