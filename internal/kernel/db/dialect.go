package db

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"

	"recado/internal/kernel/base"
)

// Dialect returns what differs between the engines in statements that one text cannot serve.
type Dialect struct{ sqlite bool }

// Pick returns the text for the engine.
func (d Dialect) Pick(sqlite, postgres string) string {
	if d.sqlite {
		return sqlite
	}
	return postgres
}

// Lock returns a locking clause such as " FOR UPDATE". It is empty on an engine without concurrent writes,
// where nothing can change until the transaction ends.
func (d Dialect) Lock(clause string) string { return d.Pick("", clause) }

// ConcurrentWrites reports whether several transactions may write at the same time, so that rows must be
// locked and may be committed in another order than they were written.
func (d Dialect) ConcurrentWrites() bool { return !d.sqlite }

// IndexedBy names the index to use, with a space before it. It is empty on an engine whose planner takes
// no such advice.
func (d Dialect) IndexedBy(index string) string { return d.Pick(" INDEXED BY "+index, "") }

// LimitAsArgument reports whether a LIMIT may be an argument. On PostgreSQL it stands in the text: a plan
// that is made for any limit sorts the whole table.
func (d Dialect) LimitAsArgument() bool { return d.sqlite }

// FullTextTables reports whether trigrams are indexed by a full-text table (SQLite's FTS5) that is written beside
// the rows and read in the order of their numbers. Otherwise the engine keeps an index over a column by itself
// (pg_trgm), which is read in no order.
func (d Dialect) FullTextTables() bool { return d.sqlite }

// Lateral reports whether a subquery in FROM may refer to what stands before it.
func (d Dialect) Lateral() bool { return !d.sqlite }

// numbered turns the placeholders $1..$n, in which SQL is written here, into SQLite's ?1..?n. Quoted
// text and comments are left alone.
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

// after returns the position behind the next mark, or the end of the text.
func after(sql string, from int, mark string) int {
	if n := strings.Index(sql[from:], mark); n >= 0 {
		return from + n + len(mark)
	}
	return len(sql)
}

// forEngine keeps the parts of a migration that are meant for one engine: the rest of a line that
// starts with "-- sqlite:" or "-- postgres:", and what stands in /*sqlite: ... */ or
// /*postgres: ... */. The other engine sees nothing of them.
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

// plain brings the less common arguments down to nil, string, int64, bool, float64, []byte or
// base.ID.
func plain(arg any) (any, error) {
	switch v := arg.(type) {
	case time.Time:
		return v.UnixMilli(), nil
	case nil, string, int64, bool, float64, []byte, base.ID:
		return v, nil
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
			return v.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("an argument of type %T cannot be stored", arg)
}

// TimedOut reports whether a statement was ended because its time was over; see Tx.LimitTime.
func TimedOut(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "57014" || err != nil && sqlite.ErrCode(err) == sqlite.ResultInterrupt
}

// IsUnique reports whether err is a violated unique constraint, and, when names are given, one of
// them: PostgreSQL names the constraint or index, SQLite the columns ("labels.company_id,
// labels.name") or, for an index over expressions, the index. The transaction has failed by then.
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
	if !ok || len(names) == 0 {
		return ok
	}
	for _, name := range names {
		if name == "" || name == which {
			return true
		}
	}
	return false
}
