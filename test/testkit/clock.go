package testkit

import (
	"sync"
	"time"
)

// Clock is a clock that a test moves.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration
}

// NewClock starts at the machine's time, in whole milliseconds. Each look moves it on by a millisecond, so that
// what happens later also has a later time.
func NewClock() *Clock {
	return &Clock{now: time.Now().UTC().Truncate(time.Millisecond), step: time.Millisecond}
}

// StillClock starts at a moment and moves only when it is told to.
func StillClock(at time.Time) *Clock { return &Clock{now: at} }

// Now is the time the test has set.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(c.step)
	return c.now
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set puts the clock to a moment.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}
