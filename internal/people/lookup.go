package people

import (
	"context"
	"maps"
	"sync"
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
	flight singleflight.Group
	mu     sync.Mutex
	byHash map[[32]byte]*lookup[T]
}

func newLookups[T any](now func() time.Time) *lookups[T] {
	return &lookups[T]{now: now, byHash: map[[32]byte]*lookup[T]{}}
}

type lookup[T any] struct {
	value     *T
	loaded    time.Time // by the system clock
	at        time.Time // by lookups.now
	reloading bool
}

// get returns the cached value or what load returns. A nil value is not cached.
func (l *lookups[T]) get(ctx context.Context, hash [32]byte, load func(ctx context.Context) (*T, error)) (*T, error) {
	if value := l.cached(hash); value != nil {
		return value, nil
	}
	v, err, _ := l.flight.Do(string(hash[:]), func() (any, error) {
		entry := &lookup[T]{loaded: time.Now(), at: l.now()} // before load, which may miss later changes
		var err error
		if entry.value, err = load(context.WithoutCancel(ctx)); err != nil {
			return nil, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.byHash) >= maxLookups {
			clear(l.byHash)
		}
		if l.byHash[hash] = entry; entry.value == nil {
			delete(l.byHash, hash)
		}
		return entry.value, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*T), nil
}

// cached returns the cached value, or nil if there is none or the caller must load it.
func (l *lookups[T]) cached(hash [32]byte) *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.byHash[hash]
	if entry == nil {
		return nil
	}
	age := max(time.Since(entry.loaded), l.now().Sub(entry.at))
	if age < freshFor || age < staleAfter && entry.reloading {
		return entry.value
	}
	entry.reloading = true
	return nil
}

// forget removes the entries whose value matches.
func (l *lookups[T]) forget(matches func(value *T) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.byHash, func(_ [32]byte, entry *lookup[T]) bool { return matches(entry.value) })
}
