package db

import (
	"fmt"
	"slices"
	"time"

	"recado/internal/kernel/base"
)

// Row is the current row of a result. Its methods take the name of a column as the statement names it: "id" for c.id and for
// x AS id; the only column of a result may be called "". Their results stay valid after the row has passed. The query fails if
// there is no such column or if it has another type.
type Row struct{ *result }

// result finds the columns of a result by their names. Columns that are read in the order of the statement are found at once.
type result struct {
	cells cells
	names []string
	last  int // the column that was read last
	err   error
}

// cells returns the values of the current row of an engine by their index. ok is false if a value has another type.
type cells interface {
	null(i int) bool
	id(i int) (id base.ID, ok bool)
	text(i int) (s string, ok bool)
	integer(i int) (n int64, ok bool) // also of booleans
	bytes(i int) (b []byte, ok bool)  // a copy
}

// newRow returns the row of a result. In tests it refuses two columns with the same name, because only one of them can be read.
func newRow(values cells, names []string) (Row, error) {
	for i, name := range names {
		if CheckStatement != nil && slices.Contains(names[:i], name) {
			return Row{}, fmt.Errorf("two columns are named %q", name)
		}
	}
	return Row{&result{cells: values, names: names}}, nil
}

// at returns the index of a column, or false after it has recorded an error.
func (r *result) at(name string) (int, bool) {
	if name == "" && len(r.names) == 1 {
		return 0, true
	}
	for i := range r.names {
		if at := (r.last + i) % len(r.names); r.names[at] == name {
			r.last = at
			return at, true
		}
	}
	r.fail(fmt.Errorf("the statement has no column %q", name))
	return 0, false
}

func (r *result) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// value returns the value of a column, and false for NULL.
func value[T any](r Row, column, kind string, read func(c cells, i int) (T, bool)) (v T, found bool) {
	i, ok := r.at(column)
	if !ok || r.cells.null(i) {
		return v, false
	}
	if v, ok = read(r.cells, i); !ok {
		r.fail(fmt.Errorf("column %v is not %s", column, kind))
	}
	return v, true
}

func orZero[T any](v T, _ bool) T { return v }

func orNil[T any](v T, found bool) *T {
	if !found {
		return nil
	}
	return &v
}

// Null reports whether a column is NULL.
func (r Row) Null(column string) bool {
	i, ok := r.at(column)
	return !ok || r.cells.null(i)
}

// ID returns an id, zero for NULL.
func (r Row) ID(column string) base.ID { return orZero(value(r, column, "an id", cells.id)) }

// NullID returns an id, or nil for NULL.
func (r Row) NullID(column string) *base.ID { return orNil(value(r, column, "an id", cells.id)) }

// Text returns a text, empty for NULL.
func (r Row) Text(column string) string { return orZero(value(r, column, "a text", cells.text)) }

// NullText returns a text, or nil for NULL.
func (r Row) NullText(column string) *string { return orNil(value(r, column, "a text", cells.text)) }

// Int returns a number, zero for NULL. Sums and averages of BIGINT are NUMERIC in PostgreSQL: a statement casts them.
func (r Row) Int(column string) int64 {
	return orZero(value(r, column, "a whole number", cells.integer))
}

// NullInt returns a number, or nil for NULL.
func (r Row) NullInt(column string) *int64 {
	return orNil(value(r, column, "a whole number", cells.integer))
}

// Bool returns a boolean, false for NULL.
func (r Row) Bool(column string) bool { return r.Int(column) != 0 }

// Time returns a time in UTC from Unix milliseconds, zero for NULL.
func (r Row) Time(column string) time.Time { return orZero(value(r, column, "a time", timeAt)) }

// NullTime returns a time in UTC from Unix milliseconds, or nil for NULL.
func (r Row) NullTime(column string) *time.Time { return orNil(value(r, column, "a time", timeAt)) }

func timeAt(c cells, i int) (time.Time, bool) {
	ms, ok := c.integer(i)
	return time.UnixMilli(ms).UTC(), ok
}

// Bytes returns a copy of the bytes of a column, nil for NULL.
func (r Row) Bytes(column string) []byte { return orZero(value(r, column, "bytes", cells.bytes)) }
