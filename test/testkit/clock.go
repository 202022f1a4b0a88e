package testkit

import (
	"sync"
	"time"
)

// Clock is a clock that a test controls.
type Clock struct {
	mu   sync.Mutex
	now  time.Time
	step time.Duration
}

// NewClock returns a clock that starts at the current time in whole milliseconds. Each call of Now advances it by a
// millisecond, so that later events have later times.
func NewClock() *Clock {
	return &Clock{now: time.Now().UTC().Truncate(time.Millisecond), step: time.Millisecond}
}

// StillClock returns a clock that moves only with Advance and Set.
func StillClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the time of the clock.
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

// Set sets the time.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}
