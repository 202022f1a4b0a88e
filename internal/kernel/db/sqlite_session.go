package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"zombiezen.com/go/sqlite"

	"recado/internal/kernel/base"
)

// run executes a statement without arguments.
func (c *liteConn) run(sql string) error {
	_, err := c.exec(sql, nil)
	return err
}

func (c *liteConn) exec(sql string, args []any) (int64, error) {
	stmt, err := c.statement(sql, args)
	if err != nil {
		return 0, err
	}
	for {
		more, err := stmt.Step()
		if err != nil {
			return 0, err
		}
		if !more {
			return int64(c.conn.Changes()), nil
		}
	}
}

func (c *liteConn) later(sql string, args []any) error {
	_, err := c.exec(sql, args)
	return err
}

func (c *liteConn) ahead(sql string, args []any, each func(r Row) error) error {
	return c.query(sql, args, each)
}

func (c *liteConn) query(sql string, args []any, each func(r Row) error) error {
	stmt, err := c.statement(sql, args)
	if err != nil {
		return err
	}
	row := &liteRow{stmt: stmt}
	defer stmt.Reset() // also when each panics: an open statement would hold its snapshot
	for {
		more, err := stmt.Step()
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
		err = each(row)
		if row.err != nil {
			return row.err
		}
		if err != nil {
			return err
		}
	}
}

// statement gives the prepared statement for sql, reset and with its arguments bound.
func (c *liteConn) statement(sql string, args []any) (*sqlite.Stmt, error) {
	stmt := c.stmts[sql]
	if stmt == nil {
		var err error
		if stmt, err = c.conn.Prepare(numbered(sql)); err != nil {
			return nil, err
		}
		c.stmts[sql] = stmt
	} else if err := stmt.Reset(); err != nil {
		return nil, err
	}
	if want := stmt.BindParamCount(); want != len(args) {
		return nil, fmt.Errorf("%d arguments for %d placeholders", len(args), want)
	}
	for i, arg := range args {
		if err := bind(stmt, i+1, arg); err != nil {
			return nil, err
		}
	}
	return stmt, nil
}

func bind(stmt *sqlite.Stmt, i int, arg any) error {
	switch v := arg.(type) {
	case nil:
		stmt.BindNull(i)
	case string:
		stmt.BindText(i, v)
	case int64:
		stmt.BindInt64(i, v)
	case int:
		stmt.BindInt64(i, int64(v))
	case bool:
		stmt.BindBool(i, v)
	case float64:
		stmt.BindFloat(i, v)
	case base.ID:
		if v.IsZero() {
			stmt.BindNull(i)
		} else {
			stmt.BindBytes(i, v[:])
		}
	case []byte:
		if v == nil {
			stmt.BindNull(i)
		} else {
			stmt.BindBytes(i, v)
		}
	case time.Time:
		stmt.BindInt64(i, v.UnixMilli())
	default:
		simple, err := plain(arg)
		if err != nil {
			return err
		}
		return bind(stmt, i, simple)
	}
	return nil
}

// limitTime does nothing to the writer: it reads what it needs for its changes.
func (c *liteConn) limitTime(time.Duration) func() { return func() {} }

// liteReader is a connection that a caller's context can stop between rows.
type liteReader struct {
	*liteConn
	ctx context.Context
}

func (c *liteReader) query(sql string, args []any, each func(r Row) error) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	rows := 0
	return c.liteConn.query(sql, args, func(r Row) error {
		if rows++; rows%64 == 0 {
			if err := c.ctx.Err(); err != nil {
				return err
			}
		}
		return each(r)
	})
}

func (c *liteReader) limitTime(d time.Duration) func() {
	limited, cancel := context.WithTimeout(c.ctx, d)
	c.conn.SetInterrupt(limited.Done())
	return func() {
		c.conn.SetInterrupt(nil)
		cancel()
	}
}

func (c *liteReader) exec(string, []any) (int64, error) { return 0, errReadOnly }

func (c *liteReader) later(string, []any) error { return errReadOnly }

var errReadOnly = errors.New("a statement that changes rows in a read transaction")

type liteRow struct {
	stmt *sqlite.Stmt
	err  error
}

func (r *liteRow) ID(i int) (id base.ID) {
	if n := r.stmt.ColumnBytes(i, id[:]); (n != len(id) || r.stmt.ColumnLen(i) != n) && !r.Null(i) {
		r.fail(i, "an id")
	}
	return id
}

func (r *liteRow) NullID(i int) *base.ID {
	if r.Null(i) {
		return nil
	}
	id := r.ID(i)
	return &id
}

func (r *liteRow) Text(i int) string { return r.stmt.ColumnText(i) }

func (r *liteRow) NullText(i int) *string {
	if r.Null(i) {
		return nil
	}
	text := r.Text(i)
	return &text
}

func (r *liteRow) Int(i int) int64 { return r.stmt.ColumnInt64(i) }

func (r *liteRow) NullInt(i int) *int64 {
	if r.Null(i) {
		return nil
	}
	n := r.Int(i)
	return &n
}

func (r *liteRow) Bool(i int) bool { return r.stmt.ColumnInt64(i) != 0 }

func (r *liteRow) Time(i int) time.Time {
	if r.Null(i) {
		return time.Time{}
	}
	return time.UnixMilli(r.Int(i)).UTC()
}

func (r *liteRow) NullTime(i int) *time.Time {
	if r.Null(i) {
		return nil
	}
	t := r.Time(i)
	return &t
}

func (r *liteRow) Bytes(i int) []byte {
	if r.Null(i) {
		return nil
	}
	b := make([]byte, r.stmt.ColumnLen(i))
	r.stmt.ColumnBytes(i, b)
	return b
}

func (r *liteRow) AppendBytes(b []byte, i int) []byte {
	n := r.stmt.ColumnLen(i)
	b = slices.Grow(b, n)[:len(b)+n]
	r.stmt.ColumnBytes(i, b[len(b)-n:])
	return b
}

func (r *liteRow) Float(i int) float64 { return r.stmt.ColumnFloat(i) }

func (r *liteRow) Null(i int) bool { return r.stmt.ColumnIsNull(i) }

func (r *liteRow) fail(i int, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("column %d is not %s", i, what)
	}
}
