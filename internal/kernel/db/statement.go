package db

import (
	"strconv"
	"strings"

	"recado/internal/kernel/base"
)

// Statement builds a SELECT from the filters of a list. Its text depends on which filters are set, never on their
// values, so that few different statements are prepared.
type Statement struct {
	strings.Builder
	Args []any

	dialect Dialect
}

// Statement returns an empty statement.
func (tx *Tx) Statement() *Statement { return &Statement{dialect: tx.Dialect()} }

// Arg adds an argument and returns its placeholder.
func (s *Statement) Arg(v any) string {
	s.Args = append(s.Args, v)
	return "$" + strconv.Itoa(len(s.Args))
}

// And adds conditions to the WHERE clause.
func (s *Statement) And(conditions ...string) {
	for _, c := range conditions {
		s.WriteString("\n\t\tAND ")
		s.WriteString(c)
	}
}

// AndGiven adds the condition that a column equals v, unless v is nil, empty or zero. On SQLite, where all prepared statements are
// kept, the text always contains the condition. On PostgreSQL no index on the column is used for the condition: a plan for
// all companies would otherwise read and sort all rows of a large company instead of following the order of the list.
func (s *Statement) AndGiven(column string, v any) {
	given := isGiven(v)
	if !given && !s.dialect.sqlite {
		return
	}
	if !given {
		v = nil
	}
	p := s.Arg(v)
	s.And(s.dialect.Pick(
		"("+p+" IS NULL OR "+column+" = "+p+")",  // in this order the row is fetched only if it is needed
		"("+column+" = "+p+" OR "+p+" IS NULL)")) // in this order the argument has a type
}

// isGiven reports whether a filter has a value.
func isGiven(v any) bool {
	switch v := v.(type) {
	case string:
		return v != ""
	case base.ID:
		return !v.IsZero()
	case *bool:
		return v != nil
	}
	return v != nil
}

// In returns the condition that a column is one of the ids. It is FALSE for none.
func (s *Statement) In(column string, ids []base.ID) string {
	if len(ids) == 0 {
		return "FALSE"
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = s.Arg(id)
	}
	return column + " IN (" + strings.Join(names, ", ") + ")"
}

// Contains returns the condition that a column contains a text.
func (s *Statement) Contains(column, text string) string {
	return s.dialect.Pick("instr", "strpos") + "(" + column + ", " + s.Arg(text) + ") > 0"
}

// Subset is a query for ids, in a column id, as part of a statement.
type Subset func(s *Statement) string

// Listed returns a subset of known ids.
func Listed(ids []base.ID) Subset {
	return func(s *Statement) string {
		if s.dialect.sqlite && len(ids) <= 128 {
			return s.values(ids)
		}
		if !s.dialect.sqlite {
			return "SELECT unnest(CAST(" + s.Arg(ids) + " AS UUID[])) AS id"
		}
		var packed []byte
		for _, id := range ids {
			packed = append(packed, id[:]...)
		}
		arg := s.Arg(packed)
		return "WITH RECURSIVE at (i) AS (SELECT 1 WHERE length(" + arg + ") > 0 UNION ALL SELECT i + 16 FROM at WHERE i + 16 < length(" + arg + "))" +
			" SELECT substr(" + arg + ", i, 16) AS id FROM at"
	}
}

// values returns a short list with a placeholder for each id, which is faster on SQLite. It is filled up with NULLs to the next
// power of two, so that few different statements are prepared.
func (s *Statement) values(ids []base.ID) string {
	n := 16
	for n < len(ids) {
		n *= 2
	}
	var b strings.Builder
	b.WriteString("SELECT column1 AS id FROM (VALUES ")
	for i := range n {
		var id base.ID
		if i < len(ids) {
			id = ids[i]
		}
		b.WriteString("(" + s.Arg(id) + "),")
	}
	return strings.TrimSuffix(b.String(), ",") + ")"
}

// FromSubset returns the FROM clause for the company's rows of a table whose ids are in a subset. The planner can only fetch them
// one by one by company and id. company is an expression such as a placeholder.
func (tx *Tx) FromSubset(company, ids, table, alias string) string {
	return "FROM (" + ids + ") ids " + tx.Dialect().Pick(
		"CROSS JOIN "+table+" "+alias+" ON "+alias+".company = "+company+" AND "+alias+".id = ids.id",
		"CROSS JOIN LATERAL (SELECT * FROM "+table+" WHERE company = "+company+" AND id = ids.id OFFSET 0) "+alias)
}
