package kernel

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel/db"
)

// Tx is one transaction, valid only inside the function it was given to and only in that goroutine. Its
// methods run statements; a failed one fails the transaction (see db.Tx).
type Tx struct {
	// Now is the moment of the transaction: UTC, whole milliseconds, the same for all of its rows but for
	// NotBefore.
	Now time.Time

	On *db.Tx

	FeedOffset int64 // of the store

	visibilityOf ID // the company of ShareVisibility

	hooks  *Hooks
	values map[any]any    // see Value
	ending []func() error // see BeforeCommit
}

// ForShare keeps the rows a SELECT finds as they are.
func (tx *Tx) ForShare() string { return tx.Dialect().Lock(` FOR SHARE`) }

// ForUpdate locks the rows a SELECT finds.
func (tx *Tx) ForUpdate() string { return tx.Dialect().Lock(` FOR UPDATE`) }

// LockSeveral comes before the locks of a transaction that locks several conversations of a channel, in
// whatever order: two such transactions take turns, and one that locks a single conversation waits for
// none that waits for it. Without concurrent writes it does nothing.
func (tx *Tx) LockSeveral(channel ID) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(channel[8:])))
	}
}

// Hooks are called by the transactions of a store. They are set before the first one.
type Hooks struct {
	// Event is called for every event that a transaction records.
	Event func(tx *Tx, e *Event) error
	// ExpectEvents may read ahead what Event will need, when a transaction is about to record events of a company.
	ExpectEvents func(tx *Tx, company ID)
}

// Value returns the value that the transaction keeps under a key, a new zero value at first. Each attempt of a
// transaction has its own values.
func Value[T any](tx *Tx, key any) *T {
	if v, ok := tx.values[key]; ok {
		return v.(*T)
	}
	if tx.values == nil {
		tx.values = map[any]any{}
	}
	v := new(T)
	tx.values[key] = v
	return v
}

// BeforeCommit calls fn at the end of the transaction, after all its other changes and in the order of the calls.
func (tx *Tx) BeforeCommit(fn func() error) { tx.ending = append(tx.ending, fn) }

// errEnough ends a query whose remaining rows are not needed.
var errEnough = errors.New("kernel: enough rows")

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
func (tx *Tx) AfterCommit(fn func()) { tx.On.AfterCommit(fn) }

// Dialect returns what differs between the engines.
func (tx *Tx) Dialect() db.Dialect { return tx.On.Dialect() }

// Exec runs a statement and returns the number of rows that it changed; see db.Tx.
func (tx *Tx) Exec(sql string, args ...any) (int64, error) { return tx.On.Exec(sql, args...) }

// Later runs a statement with the next one or at the end; see db.Tx.
func (tx *Tx) Later(sql string, args ...any) { tx.On.Later(sql, args...) }

// Query calls each for every row; see db.Tx.
func (tx *Tx) Query(sql string, args []any, each func(r db.Row) error) error {
	return tx.On.Query(sql, args, each)
}

// One reads at most one row and reports whether there was one; see db.Tx.
func (tx *Tx) One(sql string, args []any, scan func(r db.Row)) (bool, error) {
	return tx.On.One(sql, args, scan)
}

// IDs returns the ids in the first column; see db.Tx.
func (tx *Tx) IDs(sql string, args ...any) ([]ID, error) { return tx.On.IDs(sql, args...) }

// Statement returns an empty statement to compose; see db.Statement.
func (tx *Tx) Statement() *db.Statement { return tx.On.Statement() }

// Few is how many rows are read and sorted rather than looked for along the order of a list. At
// 200,000 rows both ways cost the same for about that many.
var Few = 2000 // lower in tests

// ErrFar is the refusal to read on along a list of which few rows did not fill the page; see ConversationFilter.Near.
var ErrFar = errors.New("kernel: the list has to be read far")

// IsFew reports whether a subset has at most few rows. It never looks at many more.
func (tx *Tx) IsFew(of db.Subset) (bool, error) {
	s := tx.Statement()
	ids := of(s)
	s.WriteString("SELECT COUNT(*) FROM (SELECT 1 AS one FROM (" + ids + ") ids LIMIT " + s.Arg(Few+1) + ") counted")
	n := int64(0)
	_, err := tx.One(s.String(), s.Args, func(r db.Row) { n = r.Int(0) })
	return n <= int64(Few), err
}

// FromSubset returns a FROM clause for the company's rows of a table whose ids are in a subset; see db.Dialect.
func (tx *Tx) FromSubset(company, ids, table, alias string) string {
	return tx.Dialect().FromSubset(company, ids, table, alias)
}

// Page adds the LIMIT of a page, one row more than it shows, and its OFFSET. A limit that
// must stand in the text is rounded up, so that few texts are prepared.
func (tx *Tx) Page(s *db.Statement, limit, offset int) {
	switch {
	case tx.Dialect().LimitAsArgument():
		s.WriteString("\n\tLIMIT " + s.Arg(limit+1))
	case limit <= DefaultLimit:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(DefaultLimit+1))
	case limit <= MaxLimit:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(MaxLimit+1))
	default:
		s.WriteString("\n\tLIMIT " + strconv.Itoa(1<<bits.Len(uint(limit))))
	}
	if offset > 0 {
		s.WriteString(" OFFSET " + s.Arg(offset))
	}
}

// Collect reads a page: at most limit rows, and whether there are more.
func Collect[T any](tx *Tx, s *db.Statement, limit int, scan func(r db.Row) T) (rows []T, more bool, err error) {
	rows = make([]T, 0, limit)
	err = tx.Query(s.String(), s.Args, func(r db.Row) error {
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

// Write runs a verb in one transaction. The verb may run more than once when the database asks for a
// retry, so it must change nothing but tx.
func Write[T any](ctx context.Context, d *Kernel, verb func(tx *Tx) (T, error)) (T, error) {
	var out T
	err := d.Store.Write(ctx, func(tx *Tx) (err error) {
		out, err = verb(tx)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// Read runs a query on one snapshot.
func Read[T any](ctx context.Context, d *Kernel, query func(tx *Tx) (T, error)) (T, error) {
	var out T
	err := d.Store.Read(ctx, func(tx *Tx) (err error) {
		out, err = query(tx)
		return err
	})
	return out, err
}

// ReadOne is Read for a query of one statement: it saves PostgreSQL two round trips.
func ReadOne[T any](ctx context.Context, d *Kernel, query func(tx *Tx) (T, error)) (T, error) {
	var out T
	err := d.Store.ReadOne(ctx, func(tx *Tx) (err error) {
		out, err = query(tx)
		return err
	})
	return out, err
}

// WriteList encodes a list of texts; nil becomes an empty list.
func WriteList[T any](list []T) string {
	if text := WriteJSON(&list); text != nil && *text != "null" {
		return *text
	}
	return "[]"
}

// PackIDs encodes ids one after another, for a column that holds several.
func PackIDs(ids []ID) []byte {
	if len(ids) == 0 {
		return nil
	}
	b := make([]byte, 0, 16*len(ids))
	for _, id := range ids {
		b = append(b, id[:]...)
	}
	return b
}

// UnpackIDs returns the ids that PackIDs packed.
func UnpackIDs(b []byte) []ID {
	ids := make([]ID, len(b)/16)
	for i := range ids {
		copy(ids[i][:], b[16*i:])
	}
	return ids
}

// WriteJSON encodes a value of strings, ids and numbers; nil stays nil.
func WriteJSON[T any](v *T) *string {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil
	}
	s := string(b)
	return &s
}

// ReadJSON decodes a column that WriteJSON encoded; nil for NULL.
func ReadJSON[T any](r db.Row, i int) *T {
	if r.Null(i) {
		return nil
	}
	return FromJSON[T](r.Text(i))
}

// FromJSON decodes what WriteJSON encoded. It returns nil for an empty text and for one that cannot be decoded.
func FromJSON[T any](written string) *T {
	if written == "" {
		return nil
	}
	v := new(T)
	if json.Unmarshal([]byte(written), v) != nil {
		return nil
	}
	return v
}
