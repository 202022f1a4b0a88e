package db

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"recado/internal/kernel/base"
)

// Tx is a transaction. Use it only inside the function that got it, in the same goroutine.
//
// If a statement fails, the transaction fails on both engines: every later statement returns the same error, and nothing is
// committed. Inserts that may collide therefore use ON CONFLICT.
type Tx struct {
	// Now is the time when the transaction began, in UTC with milliseconds.
	Now time.Time

	on     session
	after  []func()
	err    error // the first failure
	busy   bool  // rows of a query are being read
	single bool  // only one statement is allowed
	count  int
	sqlite bool
	wrote  bool // a statement other than SELECT has run
}

// session is a connection of an engine in a transaction.
type session interface {
	exec(sql string, args []any) (int64, error)
	later(sql string, args []any) error
	ahead(sql string, args []any, each func(r Row) error) error
	query(sql string, args []any, each func(r Row) error) error
	limitTime(d time.Duration) (stop func())
}

var (
	errTxOver = errors.New("db: the transaction is over")
	errBusy   = errors.New("db: a statement was run while the rows of a query were being read")
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

// AfterCommit calls fn after the transaction has become durable, in the goroutine that called Write.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Dialect returns the SQL dialect of the engine.
func (tx *Tx) Dialect() Dialect { return Dialect{sqlite: tx.sqlite} }

// Exec runs a statement and returns the number of changed rows. Arguments may be string, bool, int, int64, float64, []byte,
// base.ID, time.Time (stored as Unix milliseconds), types defined on these, and pointers to them. nil, nil pointers, nil slices
// and the zero base.ID are NULL.
func (tx *Tx) Exec(sql string, args ...any) (int64, error) {
	if err := tx.start(sql); err != nil {
		return 0, err
	}
	tx.wrote = true
	n, err := tx.on.exec(sql, args)
	return n, tx.note(sql, err)
}

// Later is Exec for a statement whose result is not needed. PostgreSQL gets it together with the next statement or the commit,
// in one round trip. Its error is returned by the next statement or by the commit, and fails the transaction.
func (tx *Tx) Later(sql string, args ...any) {
	if tx.start(sql) == nil {
		tx.wrote = true
		_ = tx.note(sql, tx.on.later(sql, args))
	}
}

// Query calls each for every row. If each returns an error, Query returns it; the transaction does not fail. each must not run
// statements.
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

// Ahead is Query for rows that are needed only after the next Exec, Query or One. PostgreSQL gets it together with that
// statement, in one round trip. An error of each fails the transaction. If no statement follows, it may not run.
func (tx *Tx) Ahead(sql string, args []any, each func(r Row) error) {
	if tx.start(sql) == nil {
		_ = tx.note(sql, tx.on.ahead(sql, args, each))
	}
}

// One calls scan with the first row, and returns false if there is none.
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

// IDs returns the result of a query for ids.
func (tx *Tx) IDs(sql string, args ...any) ([]base.ID, error) {
	var out []base.ID
	err := tx.Query(sql, args, func(r Row) error {
		out = append(out, r.ID(""))
		return nil
	})
	return out, err
}

// LimitTime ends statements that take longer than d, until stop is called; see TimedOut. It works only in Read. PostgreSQL counts
// the time of each statement, SQLite that of all of them.
func (tx *Tx) LimitTime(d time.Duration) (stop func()) { return tx.on.limitTime(d) }

// CheckStatement is called with every statement before it runs, in tests. An error fails the transaction. It may be nil.
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

// note stores a failure with the beginning of its statement, for the log.
func (tx *Tx) note(sql string, err error) error {
	if err == nil {
		return nil
	}
	words := strings.Join(strings.Fields(sql), " ")
	tx.err = fmt.Errorf("db: %.60s: %w", words, err)
	return tx.err
}

// run calls fn and recovers its panics. tx cannot be used afterwards.
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
