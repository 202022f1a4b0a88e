// Package slots limits how many things run at once, in all or for each company.
package slots

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"
)

// ErrFull is the refusal of a call for which there is neither a slot nor a place to wait.
var ErrFull = errors.New("slots: all slots and places to wait are taken")

// Limiter gives out a number of slots for each key. Callers beyond it wait in their order, up to a number
// of them for each key; the others are refused. It is safe for concurrent use.
type Limiter[K comparable] struct {
	size   int64 // of a key
	alone  int64 // of a key that is active alone; at least size
	places int64

	mu     sync.Mutex
	keys   map[K]*queue // of keys with a slot in use
	active activity[K]
}

// queue is what one key has in use, and the callers that wait for it.
type queue struct {
	used    int64
	waiting []chan struct{} // closed when the caller has got a slot
}

// New makes a Limiter with size slots for each key, and places for callers to wait.
func New[K comparable](size, places int64) *Limiter[K] {
	return &Limiter[K]{size: size, alone: size, places: places, keys: map[K]*queue{}}
}

// NewShared makes a Limiter with any number of places, in which a key has more slots while no other is active: a key
// is active while it uses a slot and for a second afterwards. When another becomes active, the first keeps the slots in use
// and gets no further ones until it uses less than its share.
func NewShared[K comparable](share, alone int64) *Limiter[K] {
	return &Limiter[K]{size: share, alone: max(share, alone), places: math.MaxInt64, keys: map[K]*queue{}}
}

// Acquire takes a slot of key, waits for one, or returns ErrFull. It returns ctx's error when that ends
// first. The caller calls release exactly once.
func (l *Limiter[K]) Acquire(ctx context.Context, key K) (release func(), err error) {
	turn, err := l.enter(key)
	if err != nil {
		return nil, err
	}
	release = func() { l.release(key) }
	if turn == nil {
		return release, nil
	}
	select {
	case <-turn:
		return release, nil
	case <-ctx.Done():
		l.leave(key, turn)
		return nil, ctx.Err()
	}
}

// Used is how many slots of key are in use.
func (l *Limiter[K]) Used(key K) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q := l.keys[key]; q != nil {
		return q.used
	}
	return 0
}

// enter takes a slot and returns nil, or queues and returns what to wait for. Callers that wait already come first.
func (l *Limiter[K]) enter(key K) (turn chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := l.limit(key)
	if limit <= 0 {
		return nil, ErrFull
	}
	q := l.keys[key]
	if q == nil {
		q = &queue{}
		l.keys[key] = q
	}
	q.handOut(limit)
	switch {
	case q.used < limit:
		q.used++
		return nil, nil
	case int64(len(q.waiting)) >= l.places:
		return nil, ErrFull
	}
	turn = make(chan struct{})
	q.waiting = append(q.waiting, turn)
	return turn, nil
}

// handOut gives free slots, up to a limit of slots in use, to the callers that have waited longest.
func (q *queue) handOut(limit int64) {
	for ; len(q.waiting) > 0 && q.used < limit; q.used++ {
		close(q.waiting[0])
		q.waiting = q.waiting[1:]
	}
}

// limit is how many slots key may use now. It notes that key is active; the caller holds the lock.
func (l *Limiter[K]) limit(key K) int64 {
	if l.alone == l.size {
		return l.size
	}
	now := time.Now()
	l.active.note(key, now)
	others := len(l.keys)
	if l.keys[key] != nil {
		others--
	}
	if others > 0 || l.active.contended(key, now) {
		return l.size
	}
	return l.alone
}

// leave gives up waiting, or the slot that was given at the same moment.
func (l *Limiter[K]) leave(key K, turn chan struct{}) {
	l.mu.Lock()
	q := l.keys[key]
	for i, t := range q.waiting {
		if t == turn {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			l.mu.Unlock()
			return
		}
	}
	l.mu.Unlock()
	l.release(key)
}

// release returns a slot and hands out what the key may use then.
func (l *Limiter[K]) release(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.keys[key]
	q.used--
	q.handOut(l.limit(key))
	if q.used == 0 {
		delete(l.keys, key)
	}
}
