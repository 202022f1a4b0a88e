package db

import (
	"context"
	"errors"
	"fmt"
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
	row, err := newRow(liteCells{stmt.Stmt}, stmt.columns)
	if err != nil {
		return err
	}
	defer stmt.Reset() // also if each panics, because an open statement keeps its snapshot
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
	simple, err := plain(arg)
	switch v := simple.(type) {
	case nil:
		stmt.BindNull(i)
	case string:
		stmt.BindText(i, v)
	case int64:
		stmt.BindInt64(i, v)
	case bool:
		stmt.BindBool(i, v)
	case float64:
		stmt.BindFloat(i, v)
	case []byte:
		stmt.BindBytes(i, v)
	case [16]byte:
		stmt.BindBytes(i, v[:])
	}
	return err
}

// limitTime does nothing, because this is the connection of the writer.
func (c *liteConn) limitTime(time.Duration) func() { return func() {} }

// liteReader is a connection for reads. The context of the caller is checked between rows.
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

type liteCells struct{ stmt *sqlite.Stmt }

func (c liteCells) null(i int) bool { return c.stmt.ColumnIsNull(i) }

func (c liteCells) id(i int) (id base.ID, ok bool) {
	n := c.stmt.ColumnBytes(i, id[:])
	return id, n == len(id) && c.stmt.ColumnLen(i) == n
}

func (c liteCells) text(i int) (string, bool) { return c.stmt.ColumnText(i), true }

func (c liteCells) integer(i int) (int64, bool) { return c.stmt.ColumnInt64(i), true }

func (c liteCells) bytes(i int) ([]byte, bool) {
	b := make([]byte, c.stmt.ColumnLen(i))
	c.stmt.ColumnBytes(i, b)
	return b, true
}
