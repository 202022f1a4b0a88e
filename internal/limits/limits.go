// Package limits limits the operations of callers in this process: how many run at once, and how many start per second.
package limits

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrFull is returned if all slots are in use and no more callers may wait.
var ErrFull = errors.New("limits: all slots are in use")

// Concurrency limits the number of concurrent operations for each key. Further callers wait in order, up to a maximum per
// key; the others are refused. It is safe for concurrent use.
type Concurrency[K comparable] struct {
	size, maxWaiting int64

	mu   sync.Mutex
	keys map[K]*queue // keys with a slot in use
}

type queue struct {
	used    int64
	waiting []chan struct{} // closed when the caller has a slot
}

// NewConcurrency returns a limit of size concurrent operations and maxWaiting waiting callers for each key.
func NewConcurrency[K comparable](size, maxWaiting int64) *Concurrency[K] {
	return &Concurrency[K]{size: size, maxWaiting: maxWaiting, keys: map[K]*queue{}}
}

// Acquire takes a slot of the key, and waits for one if necessary. It returns ErrFull if the caller may not wait, or the error
// of ctx if ctx ends first. Otherwise the caller must call release exactly once.
func (l *Concurrency[K]) Acquire(ctx context.Context, key K) (release func(), err error) {
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

// enter takes a slot and returns nil, or queues the caller and returns a channel to wait for.
func (l *Concurrency[K]) enter(key K) (turn chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size <= 0 {
		return nil, ErrFull
	}
	q := l.keys[key]
	if q == nil {
		q = &queue{}
		l.keys[key] = q
	}
	switch {
	case q.used < l.size:
		q.used++
		return nil, nil
	case int64(len(q.waiting)) >= l.maxWaiting:
		return nil, ErrFull
	}
	turn = make(chan struct{})
	q.waiting = append(q.waiting, turn)
	return turn, nil
}

// leave removes a caller from the queue, or releases its slot if it has just got one.
func (l *Concurrency[K]) leave(key K, turn chan struct{}) {
	l.mu.Lock()
	q := l.keys[key]
	i := slices.Index(q.waiting, turn)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	l.mu.Unlock()
	if i < 0 {
		l.release(key)
	}
}

// release passes a slot to the caller that has waited longest, or frees it.
func (l *Concurrency[K]) release(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.keys[key]
	if len(q.waiting) > 0 {
		close(q.waiting[0])
		q.waiting = q.waiting[1:]
		return
	}
	q.used--
	if q.used == 0 {
		delete(l.keys, key)
	}
}
