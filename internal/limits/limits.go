// Package limits has the two kinds of limits on what a caller may do in this process: how many operations run at once, and how
// many begin in a second.
package limits

import (
	"context"
	"errors"
	"sync"
)

// ErrFull is returned when all slots are in use and no more callers may wait.
var ErrFull = errors.New("limits: all slots are in use")

// Concurrency limits how many operations run at once for each key. Further callers wait in order, up to a number of them per
// key; the others are refused. It is safe for concurrent use.
type Concurrency[K comparable] struct {
	size, waiting int64

	mu   sync.Mutex
	keys map[K]*queue // of keys with a slot in use
}

// queue counts the slots that a key uses and holds the callers that wait for one.
type queue struct {
	used    int64
	waiting []chan struct{} // closed when the caller has a slot
}

// NewConcurrency returns a limit of size operations at once for each key, with at most the given number of callers waiting.
func NewConcurrency[K comparable](size, waiting int64) *Concurrency[K] {
	return &Concurrency[K]{size: size, waiting: waiting, keys: map[K]*queue{}}
}

// Acquire takes a slot of the key. It waits for one if it may, and returns ErrFull otherwise, or the error of ctx if that ends
// first. The caller calls release exactly once.
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

// Used returns how many slots of the key are in use.
func (l *Concurrency[K]) Used(key K) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q := l.keys[key]; q != nil {
		return q.used
	}
	return 0
}

// enter takes a slot and returns nil, or queues the caller and returns what to wait for.
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
	case int64(len(q.waiting)) >= l.waiting:
		return nil, ErrFull
	}
	turn = make(chan struct{})
	q.waiting = append(q.waiting, turn)
	return turn, nil
}

// leave removes a caller from the queue, or releases the slot that it was given at the same moment.
func (l *Concurrency[K]) leave(key K, turn chan struct{}) {
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

// release hands a slot to the caller that has waited longest, or frees it.
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
