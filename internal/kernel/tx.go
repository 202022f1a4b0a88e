package kernel

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/kernel/db"
)

// Tx is a transaction; see db.Tx. Its time, Now, may be advanced by NotBefore.
type Tx struct {
	*db.Tx
	FeedOffset int64 // of the store

	visibilityOf ID // the company of ShareVisibility
	caller       Caller
	hooks        *Hooks
	values       map[any]any    // see Value
	ending       []func() error // see BeforeCommit
}

// ForShare returns a clause that locks the rows of a SELECT against changes.
func (tx *Tx) ForShare() string { return tx.Dialect().Lock(` FOR SHARE`) }

// ForUpdate returns a clause that locks the rows of a SELECT.
func (tx *Tx) ForUpdate() string { return tx.Dialect().Lock(` FOR UPDATE`) }

// LockSeveral prevents deadlocks. A transaction that locks several conversations of a channel calls it before its other
// locks: such transactions then take turns. On SQLite it does nothing.
func (tx *Tx) LockSeveral(channel ID) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(channel[8:])))
	}
}

// Hooks are called by the transactions of a store.
type Hooks struct {
	// Event is called for every event that a transaction records.
	Event func(tx *Tx, e *Event) error
	// ExpectEvents is called before a transaction records events of a company. It may read ahead the data for Event.
	ExpectEvents func(tx *Tx, company ID)
}

// Value returns the transaction's value for a key, initially a new zero value. Each attempt of a transaction has separate
// values.
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

// FirstBeforeCommit calls fn at the end of the transaction, before the functions passed to BeforeCommit. It keeps the order in
// which transactions lock rows at their end the same, whatever they changed first.
func (tx *Tx) FirstBeforeCommit(fn func() error) { tx.ending = slices.Insert(tx.ending, 0, fn) }

// errEnough ends a query whose remaining rows are not needed.
var errEnough = errors.New("kernel: enough rows")

// maxSkew is the greatest expected difference between the clocks of two nodes.
const maxSkew = time.Minute

// NotBefore advances Now to a time from a row that tx has locked. A transaction that waited for the lock may have begun
// before the transaction that held it, or on a node with a slower clock, but its times must not be earlier. Times more
// than a minute ahead are ignored.
func (tx *Tx) NotBefore(t time.Time) {
	if ahead := t.Sub(tx.Now); ahead > 0 && ahead <= maxSkew {
		tx.Now = t
	}
}

// Few is the number of rows up to which a list reads and sorts all matching rows instead of scanning the index of its order.
// At 200,000 rows in all, both cost the same for about that many. Tests lower it.
var Few = 2000

// ErrFar is returned by lists that would have to scan many rows to fill the page; see List.
var ErrFar = errors.New("kernel: the list has to scan many rows")

// IsFew reports whether a subset has at most Few rows. It does not count more rows than necessary.
func (tx *Tx) IsFew(subset db.Subset) (bool, error) {
	s := tx.Statement()
	ids := subset(s)
	s.WriteString("SELECT COUNT(*) AS total FROM (SELECT 1 AS one FROM (" + ids + ") ids LIMIT " + s.Arg(Few+1) + ") counted")
	var n int64
	_, err := tx.One(s.String(), s.Args, func(r db.Row) { n = r.Int("total") })
	return n <= int64(Few), err
}

// Page adds the LIMIT and OFFSET of a page, with at least one row more than the page shows. If the limit must be part of the
// text, it is rounded up to a power of two, so that few different statements are prepared.
func (tx *Tx) Page(s *db.Statement, limit, offset int) {
	if tx.Dialect().LimitAsArgument() {
		s.WriteString("\n\tLIMIT " + s.Arg(limit+1))
	} else {
		s.WriteString("\n\tLIMIT " + strconv.Itoa(1<<bits.Len(uint(limit))))
	}
	if offset > 0 {
		s.WriteString(" OFFSET " + s.Arg(offset))
	}
}

// Collect reads at most limit rows, and reports whether there are more.
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

// Rows returns what scan returns for each row of a query.
func Rows[T any](tx *Tx, sql string, args []any, scan func(r db.Row) T) (rows []T, err error) {
	err = tx.Query(sql, args, func(r db.Row) error {
		rows = append(rows, scan(r))
		return nil
	})
	return rows, err
}

// Row returns what scan returns for the first row of a query, and reports whether there is one.
func Row[T any](tx *Tx, sql string, args []any, scan func(r db.Row) T) (row T, found bool, err error) {
	found, err = tx.One(sql, args, func(r db.Row) { row = scan(r) })
	return row, found, err
}

// Find is Row with the error NotFound(noun) if there is no row.
func Find[T any](tx *Tx, noun, sql string, args []any, scan func(r db.Row) T) (T, error) {
	row, found, err := Row(tx, sql, args, scan)
	if err == nil && !found {
		err = NotFound(noun)
	}
	return row, err
}

// Write runs a verb in one transaction. The verb may run more than once if the transaction is retried, so it must not have
// other effects.
func Write[T any](ctx context.Context, d *Kernel, verb func(tx *Tx) (T, error)) (T, error) {
	return resultOf(ctx, d.Store.Write, verb)
}

// Read runs a query on a consistent snapshot.
func Read[T any](ctx context.Context, d *Kernel, query func(tx *Tx) (T, error)) (T, error) {
	return resultOf(ctx, d.Store.Read, query)
}

// ReadOne is Read for a single statement. It saves two round trips to PostgreSQL.
func ReadOne[T any](ctx context.Context, d *Kernel, query func(tx *Tx) (T, error)) (T, error) {
	return resultOf(ctx, d.Store.ReadOne, query)
}

// resultOf returns the result of fn in a transaction that run begins, or zero if it fails.
func resultOf[T any](
	ctx context.Context, run func(context.Context, func(tx *Tx) error) error, fn func(tx *Tx) (T, error),
) (out T, err error) {
	err = run(ctx, func(tx *Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// WriteList encodes a list as JSON. A nil list becomes "[]".
func WriteList[T any](list []T) string {
	if text := WriteJSON(&list); text != nil {
		return *text
	}
	return "[]"
}

// PackIDs encodes ids for a column that contains several.
func PackIDs(ids []ID) (b []byte) {
	for _, id := range ids {
		b = append(b, id[:]...)
	}
	return b
}

// UnpackIDs decodes the result of PackIDs.
func UnpackIDs(b []byte) []ID {
	ids := make([]ID, len(b)/16)
	for i := range ids {
		copy(ids[i][:], b[16*i:])
	}
	return ids
}

// WriteJSON encodes a value as JSON. It returns nil for nil.
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

// ReadJSON decodes a column that WriteJSON encoded. It returns nil for NULL.
func ReadJSON[T any](r db.Row, column string) *T {
	if r.Null(column) {
		return nil
	}
	return FromJSON[T](r.Text(column))
}

// FromJSON decodes the result of WriteJSON. It returns nil for text that cannot be decoded.
func FromJSON[T any](text string) *T {
	v := new(T)
	if json.Unmarshal([]byte(text), v) != nil {
		return nil
	}
	return v
}
