// Package lookup remembers what was found under the hash of a secret, such as a key or a session token, for less
// than a second.
package lookup

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// What was looked up within freshFor is believed. Between freshFor and staleAfter one call looks again while the others
// go on; after that all wait. So a key or a session that ends on another node ends here within a second, and a busy one
// costs at most 2.5 look-ups a second.
const (
	freshFor   = 400 * time.Millisecond
	staleAfter = 800 * time.Millisecond
)

// maxEntries bounds the memory of installations with very many keys or sessions.
const maxEntries = 10_000

// Table remembers what was found under the hash of a secret.
type Table[T any] struct {
	now    func() time.Time // the clock of the rules, which tests advance
	byHash sync.Map         // [32]byte -> *entry[T]
	count  atomic.Int64
	flight singleflight.Group
}

// New makes a table. The clock is that of the rules, which tests advance.
func New[T any](now func() time.Time) *Table[T] { return &Table[T]{now: now} }

type entry[T any] struct {
	found     *T
	loaded    time.Time
	at        time.Time // the same moment by the clock of the rules
	reloading atomic.Bool
}

// Get returns what load finds, nil if it finds nothing. A nil result is not remembered.
func (l *Table[T]) Get(ctx context.Context, hash [32]byte, load func(ctx context.Context) (*T, error)) (*T, error) {
	if v, ok := l.byHash.Load(hash); ok {
		known := v.(*entry[T])
		age := max(time.Since(known.loaded), l.now().Sub(known.at))
		if age < freshFor || age < staleAfter && !known.reloading.CompareAndSwap(false, true) {
			return known.found, nil
		}
	}
	v, err, _ := l.flight.Do(string(hash[:]), func() (any, error) {
		loaded, at := time.Now(), l.now() // before the look, so that what changes meanwhile is seen in time
		found, err := load(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		l.keep(hash, &entry[T]{found: found, loaded: loaded, at: at})
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*T), nil
}

func (l *Table[T]) keep(hash [32]byte, known *entry[T]) {
	if known.found == nil {
		if _, was := l.byHash.LoadAndDelete(hash); was {
			l.count.Add(-1)
		}
		return
	}
	if l.count.Add(1) > maxEntries {
		l.byHash.Clear()
		l.count.Store(1)
	}
	if _, was := l.byHash.Swap(hash, known); was {
		l.count.Add(-1)
	}
}

// Forget forgets the entries that which reports true for.
func (l *Table[T]) Forget(which func(found *T) bool) {
	l.byHash.Range(func(hash, known any) bool {
		if which(known.(*entry[T]).found) && l.byHash.CompareAndDelete(hash, known) {
			l.count.Add(-1)
		}
		return true
	})
}
