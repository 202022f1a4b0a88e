package boards

import (
	"slices"
	"strconv"
	"strings"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/search"
	"recado/internal/talk"
)

// cardQuery is a query for the ids of a page of cards while it is being written.
type cardQuery struct {
	*db.Statement
	cardCriteria
	tx   *kernel.Tx
	bare bool // read the index ranges whatever else is asked of the cards
}

// way is one of the forms of that query.
type way func(q *cardQuery) string

// afterAll is no card's id and comes after all of them.
var afterAll = kernel.ID(slices.Repeat([]byte{0xff}, len(kernel.ID{})))

// column is one of those that lead an index range; kind is its type on PostgreSQL.
type column struct{ name, kind string }

var (
	boardColumn    = column{"c.board", "uuid"}
	statusColumn   = column{"c.status", "text"}
	priorityColumn = column{"c.priority", "text"}
	dayColumn      = column{"c.due_at / 86400000", "bigint"} // the day of Greenwich on which a card is due
)

// along reads the ranges of an index over the cards.
func along(index string) way {
	return func(q *cardQuery) string {
		return q.alongRanges("cards c"+talk.IndexedBy(q.tx, index), "c.company", "c.id", []column{boardColumn, statusColumn}, q.ranges(nil), q.visible()+q.conditions(byAll))
	}
}

// prioritized reads the ranges of a priority.
func (q *cardQuery) prioritized() string {
	return q.alongRanges("cards c"+talk.IndexedBy(q.tx, "cards_priority"), "c.company", "c.id", []column{boardColumn, statusColumn, priorityColumn},
		q.ranges([]any{q.Priority}), q.visible()+q.conditions(byAll&^byPriority))
}

// dueOnDays reads the ranges of each day on which cards may be due.
func (q *cardQuery) dueOnDays() string {
	return q.alongRanges("cards c"+talk.IndexedBy(q.tx, "cards_due"), "c.company", "c.id", []column{boardColumn, statusColumn, dayColumn},
		q.ranges(q.days()), q.visible()+" AND c.due_at IS NOT NULL"+q.conditions(byAll))
}

// days are those of Greenwich that a span of due dates touches; one that means nothing without a span.
func (f *cardCriteria) days() []any {
	if f.DueFrom == nil || f.DueBefore == nil {
		return make([]any, 1)
	}
	var all []any
	for day := f.DueFrom.UnixMilli() / channels.DayMillis; day <= f.DueBefore.UnixMilli()/channels.DayMillis; day++ {
		all = append(all, day)
	}
	return all
}

// labelled reads the ranges of a label. It fetches the cards only where more is asked of them.
func (q *cardQuery) labelled() string {
	from, conditions := "card_labels l", q.conditions(byAll&^byLabel)
	if conditions != "" {
		from, conditions = "card_labels l CROSS JOIN cards c", " AND c.company = l.company AND c.id = l.subject"+conditions
	}
	ranges := q.ranges(nil)
	for i := range ranges {
		ranges[i] = slices.Insert(ranges[i], 0, any(q.Label))
	}
	return q.alongRanges(from, "l.company", "l.subject", []column{{"l.label", "uuid"}, {"l.board", "uuid"}, {"l.status", "text"}}, ranges, conditions)
}

// dueBefore goes through the cards that are overdue.
func (q *cardQuery) dueBefore() string {
	company := q.Arg(q.Company)
	end := " AND " + dayColumn.name + " <= " + q.Arg(q.DueBefore.UnixMilli()/channels.DayMillis) + " AND c.due_at IS NOT NULL AND c.id < " + q.Arg(q.After) +
		q.visible() + q.conditions(byAll)
	var all []string
	for _, bounds := range q.ranges(nil) {
		all = append(all, "SELECT c.id AS id FROM cards c"+talk.IndexedBy(q.tx, "cards_due")+" WHERE c.company = "+company+" AND c.board = "+q.Arg(bounds[0])+" AND c.status = "+q.Arg(bounds[1])+end)
	}
	return strings.Join(all, " UNION ALL ")
}

// ofConversation goes through the cards of a conversation, of which there are few.
func (q *cardQuery) ofConversation() string {
	return "SELECT c.id AS id FROM cards c" + talk.IndexedBy(q.tx, "cards_conversation") + " WHERE c.company = " + q.Arg(q.Company) +
		" AND c.conversation = " + q.Arg(q.Conversation) + " AND " + q.In("c.board", q.Boards) + " AND " + q.ofStatuses() +
		" AND c.id < " + q.Arg(q.After) + q.visible() + q.conditions(byAll&^byConversation)
}

// among goes through the given cards.
func (q *cardQuery) among(of db.Subset) string {
	return q.tx.FromSubset(q.Arg(q.Company), of(q.Statement), "cards", "c") +
		" WHERE " + q.In("c.board", q.Boards) + " AND " + q.ofStatuses() +
		" AND c.id < " + q.Arg(q.After) + q.visible() + q.conditions(byAll)
}

// first gives the newest cards of all ranges.
func (q *cardQuery) first(along way) string {
	return "SELECT id FROM (" + along(q) + ") ranges ORDER BY id DESC" + q.top()
}

// ranges gives the values of the leading columns of each index range: every board with every status and, where
// there are further ones, each of these.
func (q *cardQuery) ranges(further []any) [][]any {
	var all [][]any
	for _, board := range q.Boards {
		for _, status := range q.Statuses {
			if further == nil {
				all = append(all, []any{board, status})
			}
			for _, v := range further {
				all = append(all, []any{board, status, v})
			}
		}
	}
	return all
}

// alongRanges reads each range from the cursor on, the newest first, for as long as a page is.
func (q *cardQuery) alongRanges(from, company, id string, columns []column, ranges [][]any, conditions string) string {
	company += " = " + q.Arg(q.Company)
	after := q.Arg(q.After)
	if q.tx.Dialect().Lateral() {
		return q.alongRangesPostgres(from, company, id, columns, ranges, conditions, after)
	}
	top := q.top()
	all := make([]string, len(ranges))
	for i, bounds := range ranges {
		within := company + " AND " + id + " < " + after
		for k, c := range columns {
			within += " AND " + c.name + " = " + q.Arg(bounds[k])
		}
		all[i] = "SELECT id FROM (SELECT " + id + " AS id FROM " + from + " WHERE " + within + conditions + " ORDER BY " + id + " DESC" + top + ") r"
	}
	return strings.Join(all, " UNION ALL ")
}

// alongRangesPostgres describes a range by a span of its last column, which orders it too: were all columns equal
// to values, PostgreSQL might follow the primary key instead, in the hope to meet some soon. It plans one
// range and repeats it for each.
func (q *cardQuery) alongRangesPostgres(from, company, id string, columns []column, ranges [][]any, conditions, after string) string {
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
	return "SELECT l.id AS id FROM (VALUES " + strings.Join(values, ", ") + ") v (" + strings.Join(keys, ", ") + ") CROSS JOIN LATERAL (" +
		"SELECT " + id + " AS id FROM " + from + " WHERE " + within + conditions +
		" ORDER BY " + columns[len(columns)-1].name + " DESC, " + id + " DESC" + q.top() + ") l"
}

// top is the LIMIT of a page with one row more than it shows; see page for why it stands in the text.
func (q *cardQuery) top() string {
	limit := q.Limit + 1
	if q.tx.Dialect().LimitAsArgument() {
		return " LIMIT " + q.Arg(limit)
	}
	for _, round := range []int{kernel.DefaultLimit + 1, kernel.MaxLimit + 1, search.Budget.FirstPass, search.Budget.List} {
		if limit <= round {
			return " LIMIT " + strconv.Itoa(round)
		}
	}
	return ""
}

// visible is what the indexes of cards that keys may see ask for.
func (q *cardQuery) visible() string {
	return " AND NOT c.private AND NOT c.hidden AND " + publicCard(q.Arg(q.Company))
}

// visibleToPerson is visible, or what the person sees besides.
func (q *cardQuery) visibleToPerson() string {
	if q.Unseen == nil {
		return q.visible()
	}
	return " AND (NOT c.private AND NOT " + cardHidden + " OR " + q.Unseen.condition(q.Statement) + ")"
}

// The conditions that a list can have beside board, status and age.
const (
	byPriority = 1 << iota
	byLabel
	byDue
	byUndue
	bySight
	byStage
	byAssignee
	byConversation

	byAll = byPriority | byLabel | byDue | byUndue | bySight | byStage | byAssignee | byConversation
)

// conditions writes those of a set that the filter has.
func (q *cardQuery) conditions(set int) string {
	if q.bare {
		set &= byUndue // there are ranges for these alone
	}
	var b strings.Builder
	and := func(condition string) { b.WriteString(" AND " + condition) }
	if set&byPriority != 0 && q.Priority != "" {
		and("c.priority = " + q.Arg(q.Priority))
	}
	if set&byLabel != 0 && !q.Label.IsZero() {
		and("(SELECT TRUE FROM card_labels l WHERE l.company = c.company AND l.subject = c.id AND l.label = " + q.Arg(q.Label) + ")") // row by row, unlike EXISTS
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
		and("(c.conversation IS NULL OR " + cardHidden + " OR EXISTS (SELECT 1 FROM conversations v WHERE v.company = c.company AND v.id = c.conversation AND " +
			q.Sight.Condition(q.Statement, "v.assignee", "v.sector") + "))")
	}
	return b.String()
}
