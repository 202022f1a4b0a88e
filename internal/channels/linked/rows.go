package linked

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// rows stores the encrypted state of one linked device in the table linked_store, as long as owner holds the lease of the link: a
// node that continues after a pause must not replace the sessions of the node that has taken over.
type rows struct {
	desk    *kernel.Kernel
	company kernel.ID
	channel kernel.ID
	owner   kernel.ID
	cipher  channels.LinkCipher
	cleared atomic.Bool
	failed  func(error) // called if what WhatsApp delivered cannot be decrypted because of the database
}

func newRows(desk *kernel.Kernel, company, channel, owner kernel.ID, key []byte) (*rows, error) {
	c, err := channels.NewLinkCipher(key)
	return &rows{desk: desk, company: company, channel: channel, owner: owner, cipher: c}, err
}

type rowKey struct{ kind, key string }

// changes are rows to store; a nil value deletes the row.
type changes map[rowKey][]byte

// batch collects changes until a decryption has succeeded.
type batch struct {
	mu      sync.Mutex
	changes changes
}

type batchKey struct{}

// together runs f and then stores all changes that it made, in one transaction, unless it fails.
func (s *rows) together(ctx context.Context, f func(context.Context) error) error {
	if _, nested := ctx.Value(batchKey{}).(*batch); nested {
		return f(ctx)
	}
	b := &batch{changes: changes{}}
	if err := f(context.WithValue(ctx, batchKey{}, b)); err != nil {
		return err
	}
	return s.store(ctx, b.changes)
}

// apply stores changes, or adds them to the batch of ctx.
func (s *rows) apply(ctx context.Context, c changes) error {
	if b, ok := ctx.Value(batchKey{}).(*batch); ok {
		b.mu.Lock()
		defer b.mu.Unlock()
		maps.Copy(b.changes, c)
		return nil
	}
	return s.store(ctx, c)
}

func (s *rows) store(ctx context.Context, c changes) error {
	if len(c) == 0 {
		return nil
	}
	keys := slices.SortedFunc(maps.Keys(c), func(a, b rowKey) int { return strings.Compare(a.kind+a.key, b.kind+b.key) })
	return s.write(ctx, func(tx *kernel.Tx) {
		for _, k := range keys {
			if c[k] == nil {
				tx.Later(`DELETE FROM linked_store WHERE company = $1 AND channel = $2 AND kind = $3 AND key = $4`,
					s.company, s.channel, k.kind, k.key)
				continue
			}
			tx.Later(`
				INSERT INTO linked_store (company, channel, kind, key, value)
				VALUES ($1, $2, $3, $4, $5)
				ON CONFLICT (company, channel, kind, key) DO UPDATE SET value = excluded.value`,
				s.company, s.channel, k.kind, k.key, s.cipher.Seal(k.kind, k.key, c[k]))
		}
	})
}

var (
	errStorage = errors.New("linked: the state of the device cannot be read or stored") // wraps the reason
	errNotHeld = errors.New("linked: another node holds the connection")
	errCleared = errors.New("linked: the device was forgotten")
)

func storageError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errStorage, err)
}

// keepUndelivered returns the error of a decryption so that whatsmeow acknowledges no message that failed because of the database.
// The connection is broken, because WhatsApp only delivers again after a device has connected again.
func (s *rows) keepUndelivered(err error) error {
	if !errors.Is(err, errStorage) {
		return err
	}
	s.failed(err)
	return fmt.Errorf("%w: %w", context.Canceled, err) // what whatsmeow looks for
}

// write runs f in a transaction that owner's lease outlasts, unless the rows were cleared.
func (s *rows) write(ctx context.Context, f func(tx *kernel.Tx)) error {
	return storageError(s.desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		if err := s.checkHeld(tx, tx.ForShare()); err != nil {
			return err
		}
		if s.cleared.Load() {
			return errCleared
		}
		f(tx)
		return nil
	}))
}

// checkHeld locks the link and returns an error if owner does not hold it.
func (s *rows) checkHeld(tx *kernel.Tx, lock string) error {
	held, err := tx.One(`SELECT 1 FROM links WHERE company = $1 AND channel = $2 AND owner = $3`+lock,
		[]any{s.company, s.channel, s.owner}, func(db.Row) {})
	if err == nil && !held {
		err = errNotHeld
	}
	return err
}

func (s *rows) put(ctx context.Context, kind, key string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return s.apply(ctx, changes{{kind, key}: value})
}

func (s *rows) delete(ctx context.Context, kind string, keys ...string) error {
	c := changes{}
	for _, key := range keys {
		c[rowKey{kind, key}] = nil
	}
	return s.apply(ctx, c)
}

// pending returns the changes of ctx's batch.
func pending(ctx context.Context) changes {
	b, ok := ctx.Value(batchKey{}).(*batch)
	if !ok {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.changes)
}

// get returns a value, or nil if there is none.
func (s *rows) get(ctx context.Context, kind, key string) ([]byte, error) {
	if value, changed := pending(ctx)[rowKey{kind, key}]; changed {
		return value, nil
	}
	var sealed []byte
	found, err := kernel.Read(ctx, s.desk, func(tx *kernel.Tx) (bool, error) {
		return tx.One(`SELECT value FROM linked_store WHERE company = $1 AND channel = $2 AND kind = $3 AND key = $4`,
			[]any{s.company, s.channel, kind, key}, func(r db.Row) { sealed = r.Bytes("value") })
	})
	if err != nil || !found {
		return nil, storageError(err)
	}
	return s.cipher.Open(kind, key, sealed)
}

// list returns the values of a kind whose keys begin with a prefix.
func (s *rows) list(ctx context.Context, kind, prefix string) (map[string][]byte, error) {
	return s.listWhere(ctx, kind, func(key string) bool { return strings.HasPrefix(key, prefix) }, `
		SELECT key, value
		FROM linked_store
		WHERE company = $1 AND channel = $2 AND kind = $3 AND substr(key, 1, $4) = $5`,
		int64(len(prefix)), prefix)
}

// listContaining returns the values of a kind whose keys contain a part.
func (s *rows) listContaining(ctx context.Context, kind, part string) (map[string][]byte, error) {
	return s.listWhere(ctx, kind, func(key string) bool { return strings.Contains(key, part) }, `
		SELECT key, value
		FROM linked_store
		WHERE company = $1 AND channel = $2 AND kind = $3 AND replace(key, $4, '') <> key`,
		part)
}

// listWhere returns the values of a kind that a query with more arguments finds. match reports whether it finds a key.
func (s *rows) listWhere(ctx context.Context, kind string, match func(key string) bool, query string, more ...any) (map[string][]byte, error) {
	type row struct {
		key   string
		value []byte
	}
	found, err := kernel.Read(ctx, s.desk, func(tx *kernel.Tx) ([]row, error) {
		return kernel.Rows(tx, query, append([]any{s.company, s.channel, kind}, more...),
			func(r db.Row) row { return row{r.Text("key"), r.Bytes("value")} })
	})
	if err != nil {
		return nil, storageError(err)
	}
	values := map[string][]byte{}
	for _, r := range found {
		if values[r.key], err = s.cipher.Open(kind, r.key, r.value); err != nil {
			return nil, err
		}
	}
	for k, value := range pending(ctx) {
		switch {
		case k.kind != kind || !match(k.key):
		case value == nil:
			delete(values, k.key)
		default:
			values[k.key] = value
		}
	}
	return values, nil
}

// deletePrefix deletes the rows of a kind whose keys begin with a prefix.
func (s *rows) deletePrefix(ctx context.Context, kind, prefix string) error {
	values, err := s.list(ctx, kind, prefix)
	if err != nil {
		return err
	}
	return s.delete(ctx, kind, slices.Collect(maps.Keys(values))...)
}

// getJSON decodes a value into v and reports whether there is one.
func (s *rows) getJSON(ctx context.Context, kind, key string, v any) (bool, error) {
	value, err := s.get(ctx, kind, key)
	if err != nil || value == nil {
		return false, err
	}
	return true, json.Unmarshal(value, v)
}

func (s *rows) putJSON(ctx context.Context, kind, key string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.put(ctx, kind, key, value)
}

// clear deletes all rows of the device. Nothing is stored afterwards: whatsmeow may still be handling what it received before.
func (s *rows) clear(ctx context.Context) error {
	s.cleared.Store(true)
	return s.desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		if err := s.checkHeld(tx, tx.ForUpdate()); err != nil { // it waits for those that began to store something
			return err
		}
		tx.Later(`DELETE FROM linked_store WHERE company = $1 AND channel = $2`, s.company, s.channel)
		return nil
	})
}
