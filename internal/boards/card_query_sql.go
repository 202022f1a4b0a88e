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

	byAll = byPriority | byLabel | byDue | byUndue | bySight | byStage | byAssignee | byConversation
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
