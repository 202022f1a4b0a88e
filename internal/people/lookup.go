package people

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// An entry younger than freshFor is used as it is. Between freshFor and staleAfter one caller reloads it while the others
// use the old value; after staleAfter all wait. So a key or session that ends on another node ends here within a second,
// and a busy one costs at most 2.5 queries a second.
const (
	freshFor   = 400 * time.Millisecond
	staleAfter = 800 * time.Millisecond
)

// maxLookups bounds the memory of installations with very many keys or sessions.
const maxLookups = 10_000

// lookups caches for less than a second what was found under the hash of a secret, such as a key or a session token.
type lookups[T any] struct {
	now    func() time.Time // tests advance it
	byHash sync.Map         // [32]byte -> *lookup[T]
	count  atomic.Int64
	flight singleflight.Group
}

func newLookups[T any](now func() time.Time) *lookups[T] { return &lookups[T]{now: now} }

type lookup[T any] struct {
	found     *T
	loaded    time.Time
	at        time.Time // the same moment by the clock of the rules
	reloading atomic.Bool
}

// get returns what load finds, nil if it finds nothing. A nil result is not cached.
func (l *lookups[T]) get(ctx context.Context, hash [32]byte, load func(ctx context.Context) (*T, error)) (*T, error) {
	if v, ok := l.byHash.Load(hash); ok {
		known := v.(*lookup[T])
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
		l.keep(hash, &lookup[T]{found: found, loaded: loaded, at: at})
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*T), nil
}

func (l *lookups[T]) keep(hash [32]byte, known *lookup[T]) {
	if known.found == nil {
		if _, was := l.byHash.LoadAndDelete(hash); was {
			l.count.Add(-1)
		}
		return
	}
	if l.count.Add(1) > maxLookups {
		l.byHash.Clear()
		l.count.Store(1)
	}
	if _, was := l.byHash.Swap(hash, known); was {
		l.count.Add(-1)
	}
}

// forget removes the entries for which which reports true.
func (l *lookups[T]) forget(which func(found *T) bool) {
	l.byHash.Range(func(hash, known any) bool {
		if which(known.(*lookup[T]).found) && l.byHash.CompareAndDelete(hash, known) {
			l.count.Add(-1)
		}
		return true
	})
}
