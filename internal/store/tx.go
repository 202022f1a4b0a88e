package store

import (
	"errors"
	"math/bits"
	"strconv"
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

	feedOffset int64 // of the store

	subscribersOf  model.ID // whose active webhooks subscriberList holds; see event.go
	subscriberList []subscriber

	visibilityOf model.ID // the company of ShareVisibility

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

// IndexText brings the text index of conversations, contacts and cards up to date for at most n rows; see search.Update.
func (tx *Tx) IndexText(n int) (done int, err error) { return search.Update(tx.on, n) }

// IndexMessages brings the text index of messages up to date for at most n of them; see search.UpdateMessages.
func (tx *Tx) IndexMessages(n int) (done int, err error) { return search.UpdateMessages(tx.on, n) }

// SearchText is a text to look for in rows that were read already; see search.Text.
type SearchText = search.Text

// NewSearchText gives the text that a caller typed.
func NewSearchText(q string) SearchText { return search.NewText(q) }

type (
	statement = db.Statement
	subset    = db.Subset // by which a list may be read when its ids are few
)

func (tx *Tx) statement() *statement { return tx.on.Statement() }

// few is how many rows are read and sorted rather than looked for along the order of a list. At
// 200,000 rows both ways cost the same for about that many.
var few = 2000 // lower in tests

// ErrFar is the refusal to read on along a list of which few rows did not fill the page; see ConversationFilter.Near.
var ErrFar = errors.New("store: the list has to be read far")

// isFew reports whether a subset has at most few rows. It never looks at many more.
func (tx *Tx) isFew(of subset) (bool, error) {
	s := tx.statement()
	ids := of(s)
	s.WriteString("SELECT COUNT(*) FROM (SELECT 1 AS one FROM (" + ids + ") ids LIMIT " + s.Arg(few+1) + ") counted")
	n := int64(0)
	_, err := tx.one(s.String(), s.Args, func(r Row) { n = r.Int(0) })
	return n <= int64(few), err
}

func (tx *Tx) fromSubset(ids, table, alias string) string {
	return tx.dialect().FromSubset(ids, table, alias)
}

// page adds the LIMIT of a page, one row more than it shows, and its OFFSET. A limit that
// must stand in the text is rounded up, so that few texts are prepared.
func (tx *Tx) page(s *statement, limit, offset int) {
	switch {
	case tx.dialect().LimitAsArgument():
		s.WriteString("\n\tLIMIT " + s.Arg(limit+1))
	case limit <= model.DefaultLimit:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(model.DefaultLimit+1))
	case limit <= model.MaxLimit:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(model.MaxLimit+1))
	default:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(1<<bits.Len(uint(limit))))
	}
	if offset > 0 {
		s.WriteString(" OFFSET " + s.Arg(offset))
	}
}

// collect reads a page: at most limit rows, and whether there are more.
func collect[T any](tx *Tx, s *statement, limit int, scan func(r Row) T) (rows []T, more bool, err error) {
	rows = make([]T, 0, limit)
	err = tx.query(s.String(), s.Args, func(r Row) error {
		if len(rows) == limit {
			more = true
			return errEnough
		}
		rows = append(rows, scan(r))
		return nil
	})
	if err == errEnough {
		err = nil
	}
	return rows, more, err
}

// Backlog is how much background work of all companies is left to do.
type Backlog struct {
	Sends  int64 // messages that have yet to reach their provider
	Files  int64 // files that have yet to be fetched from their provider
	Search int64 // conversations, contacts and cards whose text the search index does not have yet
}

// Backlog counts each kind up to a number.
func (tx *Tx) Backlog(most int) (Backlog, error) {
	var b Backlog
	_, err := tx.one(`
		SELECT
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM sends LIMIT $1) counted),
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM media WHERE fetch_at IS NOT NULL LIMIT $1) counted),
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM conversations WHERE unindexed LIMIT $1) counted) +
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM contacts WHERE unindexed LIMIT $1) counted) +
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM cards WHERE unindexed LIMIT $1) counted)`,
		[]any{most}, func(r Row) { b = Backlog{r.Int(0), r.Int(1), r.Int(2)} })
	return b, err
}
