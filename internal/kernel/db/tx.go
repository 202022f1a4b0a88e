package db

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"recado/internal/kernel/base"
)

// Tx is one transaction, valid only inside the function it was given to and only in that goroutine.
//
// A failed statement fails the transaction: every later statement returns the same error and nothing
// is committed, on both engines. What may collide is therefore written with ON CONFLICT.
type Tx struct {
	// Now is when the transaction began: UTC, whole milliseconds.
	Now time.Time

	on     session
	after  []func()
	err    error // the first failure; nothing runs after it
	busy   bool  // a query is handing out rows
	single bool  // one statement is allowed
	count  int
	sqlite bool
	wrote  bool // perhaps: a statement other than SELECT was run
}

// A session is one engine's connection inside a transaction.
type session interface {
	exec(sql string, args []any) (int64, error)
	later(sql string, args []any) error
	ahead(sql string, args []any, each func(r Row) error) error
	query(sql string, args []any, each func(r Row) error) error
	limitTime(d time.Duration) (stop func())
}

// Row is the current row of a result. Its methods take the name of a column as the statement names it: "id" for c.id and for
// x AS id. What they return stays valid after the row has passed. The query fails if there is no such column or if it
// has another type.
type Row interface {
	ID(column string) base.ID
	NullID(column string) *base.ID
	Text(column string) string
	NullText(column string) *string
	Int(column string) int64
	NullInt(column string) *int64
	Bool(column string) bool
	Time(column string) time.Time // from Unix milliseconds, UTC
	NullTime(column string) *time.Time
	Bytes(column string) []byte // a copy; nil for NULL
	AppendBytes(b []byte, column string) []byte
	Float(column string) float64
	Null(column string) bool
}

var (
	errTxOver = errors.New("db: the transaction is over")
	errBusy   = errors.New("db: a statement was run while a query was handing out rows")
	errSingle = errors.New("db: a second statement in ReadOne")
)

func newTx(on session, now time.Time, sqlite bool) *Tx {
	tx := &Tx{}
	tx.open(on, now, sqlite)
	return tx
}

func (tx *Tx) open(on session, now time.Time, sqlite bool) {
	tx.Now, tx.on, tx.sqlite = now.UTC().Truncate(time.Millisecond), on, sqlite
}

// AfterCommit runs fn once the transaction is durable, in the goroutine that called Write, and never
// if it did not become durable.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Dialect returns what differs between the engines.
func (tx *Tx) Dialect() Dialect { return Dialect{sqlite: tx.sqlite} }

// Exec runs a statement and returns the number of rows it changed. Arguments may be string, bool, int,
// int64, float64, []byte, base.ID, time.Time (stored as Unix milliseconds), types defined on these,
// and pointers to them. nil, nil pointers, nil slices and the zero base.ID are NULL.
func (tx *Tx) Exec(sql string, args ...any) (int64, error) {
	if err := tx.start(sql); err != nil {
		return 0, err
	}
	tx.wrote = true
	n, err := tx.on.exec(sql, args)
	return n, tx.note(sql, err)
}

// Later is Exec for a statement whose outcome decides nothing: PostgreSQL gets it together with the
// next statement or the commit, in one round trip. Its error surfaces at the next call or at the
// commit, and fails the transaction.
func (tx *Tx) Later(sql string, args ...any) {
	if tx.start(sql) == nil {
		tx.wrote = true
		_ = tx.note(sql, tx.on.later(sql, args))
	}
}

// Query calls each for every row; an error of each ends it and is returned as it is, without failing
// the transaction. each must not run statements on tx.
func (tx *Tx) Query(sql string, args []any, each func(r Row) error) error {
	if err := tx.start(sql); err != nil {
		return err
	}
	var stop error
	tx.busy, tx.wrote = true, tx.wrote || !strings.HasPrefix(strings.TrimLeft(sql, " \t\n"), "SELECT")
	err := tx.on.query(sql, args, func(r Row) error {
		stop = each(r)
		return stop
	})
	tx.busy = false
	if stop != nil && errors.Is(err, stop) {
		return stop
	}
	return tx.note(sql, err)
}

// Ahead is Query for rows that are needed only after the next Exec, Query or One: PostgreSQL gets it together with that one, in
// one round trip. Until that has returned, each may or may not have been called. An error of each fails the transaction, also
// where no statement follows.
func (tx *Tx) Ahead(sql string, args []any, each func(r Row) error) {
	if tx.start(sql) == nil {
		_ = tx.note(sql, tx.on.ahead(sql, args, each))
	}
}

// One calls scan with the first row, and reports false when there is none.
func (tx *Tx) One(sql string, args []any, scan func(r Row)) (bool, error) {
	found := false
	err := tx.Query(sql, args, func(r Row) error {
		found = true
		scan(r)
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return false, err
	}
	return found, nil
}

var errEnough = errors.New("db: enough rows")

// IDs runs a query whose rows are single ids.
func (tx *Tx) IDs(sql string, args ...any) ([]base.ID, error) {
	var out []base.ID
	err := tx.Query(sql, args, func(r Row) error {
		out = append(out, r.ID(""))
		return nil
	})
	return out, err
}

// LimitTime ends statements that take longer than d, until stop is called; see TimedOut. It is for reads of more
// than one statement and does nothing elsewhere. PostgreSQL counts the time of each statement, SQLite that of all.
func (tx *Tx) LimitTime(d time.Duration) (stop func()) { return tx.on.limitTime(d) }

// CheckStatement is called with every statement before it runs, unless it is nil; an error fails the transaction. It is for tests.
var CheckStatement func(sql string) error

func (tx *Tx) start(sql string) error {
	if CheckStatement != nil && tx.err == nil {
		if err := CheckStatement(sql); err != nil {
			tx.err = err
		}
	}
	switch {
	case tx.err != nil:
		return tx.err
	case tx.busy:
		tx.err = errBusy
		return errBusy
	case tx.single && tx.count > 0:
		tx.err = errSingle
		return errSingle
	}
	tx.count++
	return nil
}

// note keeps the first failure, with the beginning of its statement for the log.
func (tx *Tx) note(sql string, err error) error {
	if err == nil {
		return nil
	}
	words := strings.Join(strings.Fields(sql), " ")
	tx.err = fmt.Errorf("db: %.60s: %w", words, err)
	return tx.err
}

// run calls fn, turns its panic into an error, and closes tx for further use.
func (tx *Tx) run(fn func(tx *Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("db: panic in a transaction: %v\n%s", p, debug.Stack())
		}
		if err == nil {
			err = tx.err
		}
		tx.err = errTxOver
	}()
	return fn(tx)
}
