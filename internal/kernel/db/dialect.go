package db

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"

	"recado/internal/kernel/base"
)

// Dialect contains the differences between the engines in SQL.
type Dialect struct{ sqlite bool }

// Pick returns the text for the engine.
func (d Dialect) Pick(sqlite, postgres string) string {
	if d.sqlite {
		return sqlite
	}
	return postgres
}

// Lock returns a locking clause such as " FOR UPDATE". It is empty on an engine without concurrent writes.
func (d Dialect) Lock(clause string) string { return d.Pick("", clause) }

// ConcurrentWrites reports whether several transactions may write at the same time, so that rows must be
// locked and may be committed in another order than they were written.
func (d Dialect) ConcurrentWrites() bool { return !d.sqlite }

// IndexedBy returns a clause that selects an index, with a space before it. It is empty on an engine without such a clause.
func (d Dialect) IndexedBy(index string) string { return d.Pick(" INDEXED BY "+index, "") }

// LimitAsArgument reports whether a LIMIT may be an argument. On PostgreSQL it must be part of the text, because a plan for any
// limit sorts the whole table.
func (d Dialect) LimitAsArgument() bool { return d.sqlite }

// FullTextTables reports whether trigrams are indexed by a separate full-text table (SQLite's FTS5), which has an order.
// Otherwise a column has an index (pg_trgm), which has no order.
func (d Dialect) FullTextTables() bool { return d.sqlite }

// Lateral reports whether a subquery in FROM may refer to the tables before it.
func (d Dialect) Lateral() bool { return !d.sqlite }

// numbered replaces the placeholders $1..$n by ?1..?n for SQLite, except in quoted text and comments.
func numbered(sql string) string {
	var b strings.Builder
	b.Grow(len(sql))
	for i := 0; i < len(sql); {
		end := i + 1
		switch {
		case sql[i] == '\'' || sql[i] == '"':
			end = after(sql, i+1, sql[i:i+1])
		case strings.HasPrefix(sql[i:], "--"):
			end = after(sql, i, "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			end = after(sql, i+2, "*/")
		case sql[i] == '$' && end < len(sql) && sql[end] >= '0' && sql[end] <= '9':
			b.WriteByte('?')
			i = end
			continue
		}
		b.WriteString(sql[i:end])
		i = end
	}
	return b.String()
}

// after returns the position after the next mark, or the end of the text.
func after(sql string, from int, mark string) int {
	if n := strings.Index(sql[from:], mark); n >= 0 {
		return from + n + len(mark)
	}
	return len(sql)
}

// forEngine returns a migration for one engine. Lines that start with "-- sqlite:" or "-- postgres:" and comments such as
// /*sqlite: ... */ are included without the mark for their engine, and left out for the other one.
func forEngine(sql string, lite bool) string {
	mine, other := "postgres:", "sqlite:"
	if lite {
		mine, other = other, mine
	}
	var b strings.Builder
	for line := range strings.Lines(sql) {
		trimmed := strings.TrimLeft(line, " \t")
		if rest, ok := strings.CutPrefix(trimmed, "-- "+mine); ok {
			b.WriteString(rest)
		} else if !strings.HasPrefix(trimmed, "-- "+other) {
			b.WriteString(line)
		}
	}
	return inline(inline(b.String(), mine, true), other, false)
}

func inline(sql, engine string, keep bool) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sql, "/*"+engine)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inside, tail, _ := strings.Cut(rest, "*/")
		if keep {
			b.WriteString(inside)
		}
		sql = tail
	}
}

// plain converts an argument to nil, string, int64, bool, float64, []byte or [16]byte. The zero id becomes nil.
func plain(arg any) (any, error) {
	switch v := arg.(type) {
	case nil, string, int64, bool, float64, [16]byte:
		return v, nil
	case []byte:
		if v == nil {
			return nil, nil
		}
		return v, nil
	case base.ID:
		if v.IsZero() {
			return nil, nil
		}
		return [16]byte(v), nil
	case int:
		return int64(v), nil
	case time.Time:
		return v.UnixMilli(), nil
	}
	v := reflect.ValueOf(arg)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return plain(v.Elem().Interface())
	case reflect.String:
		return v.String(), nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int64(v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return v.Float(), nil
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return plain(v.Bytes())
		}
	}
	return nil, fmt.Errorf("an argument of type %T cannot be stored", arg)
}

// TimedOut reports whether a statement ended because of its timeout; see Tx.LimitTime.
func TimedOut(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "57014" || err != nil && sqlite.ErrCode(err) == sqlite.ResultInterrupt
}

// IsUnique reports whether err is a violation of a unique constraint, and of one of names if there are any: the constraint or
// index on PostgreSQL; on SQLite the columns ("labels.company_id, labels.name") or, for an index over expressions, the index.
func IsUnique(err error, names ...string) bool {
	which, ok := "", false
	if pg, is := errors.AsType[*pgconn.PgError](err); is {
		which, ok = pg.ConstraintName, pg.Code == "23505"
	} else if err != nil {
		switch sqlite.ErrCode(err) {
		case sqlite.ResultConstraintUnique, sqlite.ResultConstraintPrimaryKey, sqlite.ResultConstraintRowID:
			_, which, _ = strings.Cut(err.Error(), "UNIQUE constraint failed: ")
			which = strings.TrimSuffix(strings.TrimPrefix(which, "index '"), "'")
			ok = true
		}
	}
	return ok && (len(names) == 0 || slices.Contains(names, which))
}
