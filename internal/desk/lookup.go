package desk

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// What was looked up within freshFor is believed. Between freshFor and staleAfter one call looks again while the others
// go on; after that all wait. So a key or a session that ends on another node ends here within a second, and a busy one
// costs two look-ups a second.
const (
	freshFor   = 400 * time.Millisecond
	staleAfter = 800 * time.Millisecond
)

// maxLookups bounds the memory of installations with very many keys or sessions.
const maxLookups = 10_000

// lookups remembers what was found under the hash of a secret.
type lookups[T any] struct {
	now    func() time.Time // the clock of the rules, which tests advance
	byHash sync.Map         // [32]byte -> *lookup[T]
	count  atomic.Int64
	flight singleflight.Group
}

type lookup[T any] struct {
	found     *T
	loaded    time.Time
	at        time.Time // the same moment by the clock of the rules
	reloading atomic.Bool
}

// get gives what load finds, which is nil where there is nothing. That nothing was found is not remembered.
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
		l.clear()
		l.count.Store(1)
	}
	if _, was := l.byHash.Swap(hash, known); was {
		l.count.Add(-1)
	}
}

// clear makes this node look everything up again.
func (l *lookups[T]) clear() {
	l.byHash.Clear()
	l.count.Store(0)
}
