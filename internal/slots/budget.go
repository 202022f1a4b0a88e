package slots

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// Budget limits how much time the calls of each key take together while other keys are active, too. The calls of a key
// then run one after the other, and may use a share of the time that passes; a key saves up what it does not use and
// owes what it uses beyond, both to a limit. A key that is active alone is not limited. It is safe for concurrent use.
type Budget[K comparable] struct {
	share    float64
	most     time.Duration
	turns    *Limiter[K]
	together *Limiter[K] // nil: the calls of other budgets do not matter

	mu       sync.Mutex
	accounts map[K]account // of keys that have less than the most, and of others until they are forgotten
	forgetAt int           // the number of accounts at which those others are forgotten
	active   activity[K]
}

// leastForgotten is from how many accounts on it is worth to look for those that can be forgotten.
const leastForgotten = 64

// account is what a key had left at a time; below zero it owes. Its calls under way have rested that long since then.
type account struct {
	left   time.Duration
	at     time.Time
	rested time.Duration
}

// NewBudget gives each key share of the time that passes, and lets it save up to most.
func NewBudget[K comparable](share float64, most time.Duration) *Budget[K] {
	return &Budget[K]{share: share, most: most, turns: New[K](1, math.MaxInt64), accounts: map[K]account{}, forgetAt: leastForgotten}
}

// With makes the calls that b limits take a slot of their key in the limiter, too. Several budgets with the same limiter
// bound together how many calls of a key run at once. A call within a call would wait for itself.
func (b *Budget[K]) With(together *Limiter[K]) *Budget[K] {
	b.together = together
	return b
}

// Active notes that the key does something, which others shall not slow down.
func (b *Budget[K]) Active(key K) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.active.note(key, time.Now())
}

// Acquire waits for something that is limited, until ctx ends.
type Acquire func(ctx context.Context) (release func(), err error)

// Begin waits until the key may make a call; the caller calls end after the call. It returns the error of ctx when
// that ends first.
func (b *Budget[K]) Begin(ctx context.Context, key K) (end func(), err error) {
	return b.BeginAfter(ctx, key, func(context.Context) (func(), error) { return func() {}, nil })
}

// BeginAfter is Begin for a call that needs something else, too, which it waits for with acquire when its turn has come. The key
// does not pay for the time that this takes, and its calls of other budgets go on meanwhile.
func (b *Budget[K]) BeginAfter(ctx context.Context, key K, acquire Acquire) (end func(), err error) {
	needed := []Acquire{acquire}
	if b.contended(key) {
		needed = []Acquire{b.turn(key), acquire, b.slotTogether(key)}
	}
	var held []func()
	leave := func() {
		for _, release := range slices.Backward(held) {
			release()
		}
	}
	for _, acquire := range needed {
		release, err := acquire(ctx)
		if err != nil {
			leave()
			return nil, err
		}
		held = append(held, release)
	}
	began := time.Now()
	return func() {
		b.spend(key, time.Since(began))
		leave()
	}, nil
}

// turn waits until no other call of the key runs and the key owes nothing.
func (b *Budget[K]) turn(key K) Acquire {
	return func(ctx context.Context) (func(), error) {
		end, err := b.turns.Acquire(ctx, key)
		if err != nil {
			return nil, err
		}
		if err := b.wait(ctx, key); err != nil {
			end()
			return nil, err
		}
		return end, nil
	}
}

// slotTogether waits for a slot of the key in the limiter of several budgets.
func (b *Budget[K]) slotTogether(key K) Acquire {
	return func(ctx context.Context) (func(), error) {
		if b.together == nil {
			return func() {}, nil
		}
		return b.together.Acquire(ctx, key)
	}
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

// longestStep is the most that a call pays for a step with a pause: a longer one waited for a processor.
const longestStep = 2 * time.Millisecond

// Rest pauses a call of the key, after it has run for a while, for as long as the share asks for: a long call then uses it in
// small steps, between which others run. It returns at once while no key is active; the call's own counts, too, so that how long a
// call takes does not tell which key it has. The key does not pay for the pause.
func (b *Budget[K]) Rest(key K, ran time.Duration) {
	pause := time.Duration(float64(min(ran, longestStep)) * (1/b.share - 1))
	if pause <= 0 || !b.anyActive() {
		return
	}
	began := time.Now()
	time.Sleep(pause)
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.accounts[key] = account{b.left(key, now), now, b.accounts[key].rested + now.Sub(began)}
}

// anyActive reports whether a key is active.
func (b *Budget[K]) anyActive() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.active.any(time.Now())
}

// contended reports whether another key is active.
func (b *Budget[K]) contended(key K) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.active.contended(key, time.Now())
}

// spend takes the time that a call took, without that in which it rested, from what the key has left.
func (b *Budget[K]) spend(key K, took time.Duration) {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	rested := b.accounts[key].rested // by this call, or by another that has not ended
	b.accounts[key] = account{max(b.left(key, now)-max(0, took-rested), -b.most), now, max(0, rested-took)}
	if len(b.accounts) >= b.forgetAt {
		b.forget(now)
	}
}

// forget removes the accounts of keys that have the most; the caller holds the lock.
func (b *Budget[K]) forget(now time.Time) {
	for key := range b.accounts {
		if b.left(key, now) == b.most && b.accounts[key].rested == 0 {
			delete(b.accounts, key)
		}
	}
	b.forgetAt = max(leastForgotten, 2*len(b.accounts))
}

// pause is how long the key must wait; it asks again then.
func (b *Budget[K]) pause(key K) time.Duration {
	if !b.contended(key) {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.left(key, time.Now())
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
