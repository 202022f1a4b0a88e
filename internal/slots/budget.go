package slots

import (
	"context"
	"math"
	"sync"
	"time"
)

// contention is how long a key counts as active after it was seen.
const contention = time.Second

// Budget limits how much time the calls of each key take together while other keys are active, too. The calls of a key
// then run one after the other, and may use a share of the time that passes; a key saves up what it does not use and
// owes what it uses beyond, both to a limit. A key that is active alone is not limited. It is safe for concurrent use.
type Budget[K comparable] struct {
	share float64
	most  time.Duration
	turns *Limiter[K]

	mu          sync.Mutex
	accounts    map[K]account // of keys that have less than the most
	last, other seen[K]       // the key that was active last, and the last one that was not the same
}

// seen is a key and when it was active.
type seen[K comparable] struct {
	key K
	at  time.Time
}

// account is what a key had left at a time; below zero it owes.
type account struct {
	left time.Duration
	at   time.Time
}

// NewBudget gives each key share of the time that passes, and lets it save up to most.
func NewBudget[K comparable](share float64, most time.Duration) *Budget[K] {
	return &Budget[K]{share: share, most: most, turns: New[K](1, math.MaxInt64), accounts: map[K]account{}}
}

// Active notes that the key does something, which others shall not slow down.
func (b *Budget[K]) Active(key K) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last.key != key {
		b.other, b.last.key = b.last, key
	}
	b.last.at = now
}

// Begin waits until the key may make a call; the caller calls end after the call. It returns the error of ctx when
// that ends first.
func (b *Budget[K]) Begin(ctx context.Context, key K) (end func(), err error) {
	leave := func() {}
	if b.contended(key) {
		if leave, err = b.turns.Acquire(ctx, key); err != nil {
			return nil, err
		}
		if err := b.wait(ctx, key); err != nil {
			leave()
			return nil, err
		}
	}
	began := time.Now()
	return func() {
		b.spend(key, time.Since(began))
		leave()
	}, nil
}

// wait returns when the key owes nothing or is active alone.
func (b *Budget[K]) wait(ctx context.Context, key K) error {
	for pause := b.pause(key); pause > 0; pause = b.pause(key) {
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
	return nil
}

// contended reports whether another key is active.
func (b *Budget[K]) contended(key K) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	other := b.last
	if other.key == key {
		other = b.other
	}
	return time.Since(other.at) <= contention
}

// spend takes the time that a call took from what the key has left.
func (b *Budget[K]) spend(key K, took time.Duration) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accounts[key] = account{max(b.left(key, now)-took, -b.most), now}
}

// pause is how long the key must wait; it asks again then.
func (b *Budget[K]) pause(key K) time.Duration {
	if !b.contended(key) {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.left(key, time.Now())
	if left == b.most {
		delete(b.accounts, key)
	}
	if left > 0 {
		return 0
	}
	return min(contention, time.Duration(float64(-left)/b.share)+time.Millisecond)
}

// left is what the key has left; the caller holds the lock.
func (b *Budget[K]) left(key K, now time.Time) time.Duration {
	a, known := b.accounts[key]
	if !known {
		return b.most
	}
	return min(b.most, a.left+time.Duration(b.share*float64(now.Sub(a.at))))
}
