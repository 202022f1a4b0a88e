package store

import (
	"math/bits"
	"strconv"
	"strings"

	"recado/internal/model"
)

// statement is a SELECT that is put together from the filters of a list. Its text depends on which
// parts take part, never on their values, so that few texts are ever prepared.
type statement struct {
	strings.Builder
	args []any
	lite bool
}

func (tx *Tx) statement() *statement { return &statement{lite: tx.SQLite()} }

// arg adds an argument and gives its placeholder.
func (s *statement) arg(v any) string {
	s.args = append(s.args, v)
	return "$" + strconv.Itoa(len(s.args))
}

// and adds conditions to the WHERE clause.
func (s *statement) and(conditions ...string) {
	for _, c := range conditions {
		s.WriteString("\n\t\tAND ")
		s.WriteString(c)
	}
}

// optional is a condition that holds for every row while v is nil: a filter that nobody gave.
func (s *statement) optional(column string, v any) string {
	p := s.arg(v)
	if s.lite {
		return "(" + p + " IS NULL OR " + column + " = " + p + ")" // in this order the row is not fetched in vain
	}
	return "(" + column + " = " + p + " OR " + p + " IS NULL)" // in this order the argument gets a type
}

// in is a condition that a column is one of the ids; of none, it never holds.
func (s *statement) in(column string, ids []model.ID) string {
	if len(ids) == 0 {
		return "FALSE"
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = s.arg(id)
	}
	return column + " IN (" + strings.Join(names, ", ") + ")"
}

// subset is a query of ids, by which a list may be read when they are few.
type subset func(s *statement) string

// few is how many rows are read and sorted rather than looked for along the order of a list. At
// 200,000 rows both ways cost the same for about that many.
var few = 2000 // lower in tests

// isFew reports whether a subset has at most few rows. It never looks at many more.
func (tx *Tx) isFew(of subset) (bool, error) {
	s := tx.statement()
	ids := of(s)
	s.WriteString("SELECT COUNT(*) FROM (SELECT 1 AS one FROM (" + ids + ") ids LIMIT " + s.arg(few+1) + ") counted")
	n := int64(0)
	_, err := tx.one(s.String(), s.args, func(r Row) { n = r.Int(0) })
	return n <= int64(few), err
}

// fromSubset is the FROM clause that fetches the rows of a subset one by one by their id, whatever a
// planner thinks of it.
func (tx *Tx) fromSubset(ids, table, alias string) string {
	return "FROM (" + ids + ") ids " + tx.dialect().Pick(
		"CROSS JOIN "+table+" "+alias+" ON "+alias+".id = ids.id",
		"CROSS JOIN LATERAL (SELECT * FROM "+table+" WHERE id = ids.id OFFSET 0) "+alias)
}

// page adds the LIMIT of a page, one row more than it shows, and its OFFSET. A limit that
// must stand in the text is rounded up, so that few texts are prepared.
func (tx *Tx) page(s *statement, limit, offset int) {
	switch {
	case tx.dialect().LimitAsArgument():
		s.WriteString("\n\tLIMIT " + s.arg(limit+1))
	case limit <= model.DefaultLimit:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(model.DefaultLimit+1))
	case limit <= model.MaxLimit:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(model.MaxLimit+1))
	default:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(1<<bits.Len(uint(limit))))
	}
	if offset > 0 {
		s.WriteString(" OFFSET " + s.arg(offset))
	}
}

// collect reads a page: at most limit rows, and whether there are more.
func collect[T any](tx *Tx, s *statement, limit int, scan func(r Row) T) (rows []T, more bool, err error) {
	rows = make([]T, 0, limit)
	err = tx.query(s.String(), s.args, func(r Row) error {
		if len(rows) == limit {
			more = true
			return errEnough
		}
		rows = append(rows, scan(r))
		return nil
	})
	if err == errEnough {
		err = nil
	}
	return rows, more, err
}
