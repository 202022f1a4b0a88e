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
	if err := checkNames(stmt.columns); err != nil {
		return err
	}
	row := &liteRow{stmt: stmt.Stmt, columns: columns{names: stmt.columns}}
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

// prepared is a prepared statement with the names of its columns.
type prepared struct {
	*sqlite.Stmt
	columns []string
}

// statement returns the prepared statement for sql, reset and with its arguments bound.
func (c *liteConn) statement(sql string, args []any) (*prepared, error) {
	stmt := c.stmts[sql]
	if stmt == nil {
		made, err := c.conn.Prepare(numbered(sql))
		if err != nil {
			return nil, err
		}
		stmt = &prepared{Stmt: made}
		for i := range made.ColumnCount() {
			stmt.columns = append(stmt.columns, made.ColumnName(i))
		}
		c.stmts[sql] = stmt
	} else if err := stmt.Reset(); err != nil {
		return nil, err
	}
	if want := stmt.BindParamCount(); want != len(args) {
		return nil, fmt.Errorf("%d arguments for %d placeholders", len(args), want)
	}
	for i, arg := range args {
		if err := bind(stmt.Stmt, i+1, arg); err != nil {
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
	columns
	stmt *sqlite.Stmt
}

func (r *liteRow) ID(column string) (id base.ID) {
	if i, ok := r.at(column); ok {
		if n := r.stmt.ColumnBytes(i, id[:]); (n != len(id) || r.stmt.ColumnLen(i) != n) && !r.stmt.ColumnIsNull(i) {
			r.fail(fmt.Errorf("column %v is not an id", column))
		}
	}
	return id
}

func (r *liteRow) Text(column string) string {
	i, ok := r.at(column)
	if !ok {
		return ""
	}
	return r.stmt.ColumnText(i)
}

func (r *liteRow) Int(column string) int64 {
	i, ok := r.at(column)
	if !ok {
		return 0
	}
	return r.stmt.ColumnInt64(i)
}

func (r *liteRow) Bool(column string) bool { return r.Int(column) != 0 }

func (r *liteRow) AppendBytes(b []byte, column string) []byte {
	i, ok := r.at(column)
	if !ok {
		return b
	}
	n := r.stmt.ColumnLen(i)
	b = slices.Grow(b, n)[:len(b)+n]
	r.stmt.ColumnBytes(i, b[len(b)-n:])
	return b
}

func (r *liteRow) Float(column string) float64 {
	i, ok := r.at(column)
	if !ok {
		return 0
	}
	return r.stmt.ColumnFloat(i)
}

func (r *liteRow) Null(column string) bool {
	i, ok := r.at(column)
	r.again(i)
	return !ok || r.stmt.ColumnIsNull(i)
}

func (r *liteRow) NullID(column string) *base.ID     { return nullable(r, column, r.ID) }
func (r *liteRow) NullText(column string) *string    { return nullable(r, column, r.Text) }
func (r *liteRow) NullInt(column string) *int64      { return nullable(r, column, r.Int) }
func (r *liteRow) Time(column string) time.Time      { return rowTime(r, column) }
func (r *liteRow) NullTime(column string) *time.Time { return nullable(r, column, r.Time) }
func (r *liteRow) Bytes(column string) []byte        { return rowBytes(r, column) }
