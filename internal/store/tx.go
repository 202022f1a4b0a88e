package store

import (
	"errors"
	"time"

	"recado/internal/db"
	"recado/internal/model"
	"recado/internal/store/search"
)

// Tx is one transaction, valid only inside the function it was given to and only in that goroutine. Its
// methods are the statements of the desk; a failed one fails the transaction (see db.Tx).
type Tx struct {
	// Now is the moment of the transaction: UTC, whole milliseconds, the same for all of its rows but for
	// NotBefore.
	Now time.Time

	on *db.Tx

	subscribersOf  model.ID // whose active webhooks subscriberList holds; see event.go
	subscriberList []subscriber

	report map[ReportEntry]int64 // changes to the report, written at the end; see report.go
}

// Row is the current row of a result.
type Row = db.Row

// errEnough ends a query whose remaining rows are not needed.
var errEnough = errors.New("store: enough rows")

// maxSkew is how far apart the clocks of two nodes are believed to be at most.
const maxSkew = time.Minute

// NotBefore moves Now up to a time that was read from a row locked by tx. A transaction that waited for
// the lock began before the ones it waited for, or on a node with a slower clock: its times must not be
// earlier than theirs. A time that is more than a minute ahead is not followed.
func (tx *Tx) NotBefore(t time.Time) {
	if ahead := t.Sub(tx.Now); ahead > 0 && ahead <= maxSkew {
		tx.Now = t
	}
}

// AfterCommit runs fn once the transaction is durable, in the goroutine that called Write, and never
// if it did not become durable.
func (tx *Tx) AfterCommit(fn func()) { tx.on.AfterCommit(fn) }

func (tx *Tx) dialect() db.Dialect { return tx.on.Dialect() }

// The statements of the desk stay in this package: these are not exported. See db.Tx for what they do.

func (tx *Tx) exec(sql string, args ...any) (int64, error) { return tx.on.Exec(sql, args...) }

func (tx *Tx) later(sql string, args ...any) { tx.on.Later(sql, args...) }

func (tx *Tx) query(sql string, args []any, each func(r Row) error) error {
	return tx.on.Query(sql, args, each)
}

func (tx *Tx) one(sql string, args []any, scan func(r Row)) (bool, error) {
	return tx.on.One(sql, args, scan)
}

func (tx *Tx) ids(sql string, args ...any) ([]model.ID, error) { return tx.on.IDs(sql, args...) }

// IndexText brings the text index up to date for at most n rows; see search.Update.
func (tx *Tx) IndexText(n int) (done int, err error) { return search.Update(tx.on, n) }

// SearchText is a text to look for in rows that were read already; see search.Text.
type SearchText = search.Text

// NewSearchText gives the text that a caller typed.
func NewSearchText(q string) SearchText { return search.NewText(q) }
