package people

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// An entry younger than freshFor is used as it is. Between freshFor and staleAfter one caller reloads it while the others
// use the old value; after staleAfter all callers wait. So a key or session that ends on another node ends here within a
// second, and a busy one costs at most 2.5 queries per second.
const (
	freshFor   = 400 * time.Millisecond
	staleAfter = 800 * time.Millisecond
)

// maxLookups limits the memory for installations with very many keys or sessions.
const maxLookups = 10_000

// lookups caches keys or sessions by the hash of their secret for less than a second.
type lookups[T any] struct {
	now    func() time.Time // the clock that tests advance
	byHash sync.Map         // [32]byte -> *lookup[T]
	count  atomic.Int64
	flight singleflight.Group
}

func newLookups[T any](now func() time.Time) *lookups[T] { return &lookups[T]{now: now} }

type lookup[T any] struct {
	value     *T
	loaded    time.Time // by the system clock
	at        time.Time // by lookups.now
	reloading atomic.Bool
}

// get returns the cached value or what load returns. A nil value is not cached.
func (l *lookups[T]) get(ctx context.Context, hash [32]byte, load func(ctx context.Context) (*T, error)) (*T, error) {
	if v, ok := l.byHash.Load(hash); ok {
		cached := v.(*lookup[T])
		age := max(time.Since(cached.loaded), l.now().Sub(cached.at))
		if age < freshFor || age < staleAfter && !cached.reloading.CompareAndSwap(false, true) {
			return cached.value, nil
		}
	}
	v, err, _ := l.flight.Do(string(hash[:]), func() (any, error) {
		entry := &lookup[T]{loaded: time.Now(), at: l.now()} // before load, which may miss later changes
		var err error
		if entry.value, err = load(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
		l.store(hash, entry)
		return entry.value, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*T), nil
}

func (l *lookups[T]) store(hash [32]byte, entry *lookup[T]) {
	if entry.value == nil {
		if _, cached := l.byHash.LoadAndDelete(hash); cached {
			l.count.Add(-1)
		}
		return
	}
	if l.count.Add(1) > maxLookups {
		l.byHash.Clear()
		l.count.Store(1)
	}
	if _, cached := l.byHash.Swap(hash, entry); cached {
		l.count.Add(-1)
	}
}

// forget removes the entries whose value matches.
func (l *lookups[T]) forget(matches func(value *T) bool) {
	l.byHash.Range(func(hash, entry any) bool {
		if matches(entry.(*lookup[T]).value) && l.byHash.CompareAndDelete(hash, entry) {
			l.count.Add(-1)
		}
		return true
	})
}
