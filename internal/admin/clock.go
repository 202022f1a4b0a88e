package admin

import (
	"sync/atomic"
	"time"
)

// Clock is the clock of a server that makes a demo. While the demo is being made it shows the time at which
// something is to have happened; afterwards it is the clock of the machine.
type Clock struct{ offset atomic.Int64 }

// Now gives the time.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

// set makes it the given time.
func (c *Clock) set(t time.Time) {
	if c != nil {
		c.offset.Store(int64(time.Until(t)))
	}
}

// reset goes back to the clock of the machine.
func (c *Clock) reset() {
	if c != nil {
		c.offset.Store(0)
	}
}
