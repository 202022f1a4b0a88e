package whatsapp

import (
	"sync"
	"time"
)

// Meta's rate limits.
const (
	StandardRate    = 80   // messages per second of one number
	HighRate        = 1000 // of a number with high throughput
	CoexistenceRate = 20   // of a number that is also used in the WhatsApp Business app

	pairInterval = 6 * time.Second
	pairBurst    = 45
)

// Limiter keeps one number below Meta's rate limits: a number of messages per second, and to each person one message every six
// seconds with bursts of 45. A message that must wait does not delay messages to others. It is safe for concurrent use.
//
// It remembers only people with recent messages, so that the rate of the number limits its size.
type Limiter struct {
	now func() time.Time

	mu       sync.Mutex
	interval time.Duration // between messages, once the burst is used
	burst    int
	number   time.Time            // when the whole burst is available again
	pairs    map[string]time.Time // the same for each recipient
	sweepAt  int
}

// NewLimiter returns a limiter of perSecond messages; 0 means StandardRate. now is the clock; nil means time.Now.
func NewLimiter(perSecond int, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	l := &Limiter{now: now, pairs: map[string]time.Time{}, sweepAt: 1024}
	l.SetRate(perSecond)
	return l
}

// SetRate changes the rate of the number.
func (l *Limiter) SetRate(perSecond int) {
	if perSecond <= 0 {
		perSecond = StandardRate
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// A burst comes on top of the steady rate, so both together must not exceed the limit of a second.
	l.burst = max(1, perSecond/10)
	l.interval = time.Second / time.Duration(max(1, perSecond-l.burst))
}

// Take counts a message and returns 0, or returns how long to wait without counting anything.
func (l *Limiter) Take(recipient string) time.Duration {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := max(waitTime(l.number, now, l.interval, l.burst), waitTime(l.pairs[recipient], now, pairInterval, pairBurst))
	if wait > 0 {
		return wait
	}
	l.number = later(l.number, now).Add(l.interval)
	l.pairs[recipient] = later(l.pairs[recipient], now).Add(pairInterval)
	if len(l.pairs) >= l.sweepAt {
		l.sweep(now)
	}
	return 0
}

// Free returns how many messages the number may send now, not counting limits per person, and how long until one more is allowed.
func (l *Limiter) Free() (n int, wait time.Duration) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := later(l.number, now)
	n = max(0, int((time.Duration(l.burst)*l.interval-whole.Sub(now))/l.interval))
	return n, waitTime(whole.Add(time.Duration(n)*l.interval), now, l.interval, l.burst)
}

// Hold blocks messages to a recipient after Meta rejected one because of its rate limits. With an empty recipient it blocks the
// whole number.
func (l *Limiter) Hold(recipient string, wait time.Duration) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if recipient == "" {
		l.number = later(l.number, now.Add(wait+time.Duration(l.burst-1)*l.interval))
		return
	}
	l.pairs[recipient] = later(l.pairs[recipient], now.Add(wait+(pairBurst-1)*pairInterval))
}

func (l *Limiter) sweep(now time.Time) {
	for recipient, full := range l.pairs {
		if !full.After(now) {
			delete(l.pairs, recipient)
		}
	}
	l.sweepAt = max(1024, 2*len(l.pairs))
}

// waitTime returns how long until one more message is allowed if the whole burst is available at full.
func waitTime(full, now time.Time, interval time.Duration, burst int) time.Duration {
	return max(0, later(full, now).Sub(now)-time.Duration(burst-1)*interval)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
