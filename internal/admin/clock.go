package admin

import (
	"sync/atomic"
	"time"
)

// Clock is the clock of a server with a demo. While the demo is created, it shows past times; afterwards the real time.
type Clock struct{ offset atomic.Int64 }

// Now returns the time.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

func (c *Clock) set(t time.Time) {
	if c != nil {
		c.offset.Store(int64(time.Until(t)))
	}
}

func (c *Clock) reset() {
	if c != nil {
		c.offset.Store(0)
	}
}
