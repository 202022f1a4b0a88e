package whatsapp

import (
	"sync"
	"time"
)

// What Meta allows.
const (
	StandardRate    = 80   // messages a second of one number
	HighRate        = 1000 // of a number that Meta has raised
	CoexistenceRate = 20   // of a number that is also used in the WhatsApp Business app

	pairInterval = 6 * time.Second
	pairBurst    = 45
)

// Limiter keeps one number below the rates at which Meta refuses: a number of messages in any one
// second, and to one person one message every six seconds, of which 45 may come at once. A message
// that must wait does not hold up messages to others. It is safe for concurrent use.
//
// It remembers only people whose last messages have not aged yet, which the rate of the number bounds.
type Limiter struct {
	now func() time.Time

	mu       sync.Mutex
	interval time.Duration // between messages, once the burst is used
	burst    int
	number   time.Time            // when the number will have regained its whole allowance
	pairs    map[string]time.Time // the same for each person
	sweepAt  int
}

// NewLimiter makes a limiter of perSecond messages, StandardRate when zero. now is the clock, the
// real one when nil.
func NewLimiter(perSecond int, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	l := &Limiter{now: now, pairs: map[string]time.Time{}, sweepAt: 1024}
	l.SetRate(perSecond)
	return l
}

// SetRate changes the number's allowance from now on.
func (l *Limiter) SetRate(perSecond int) {
	if perSecond <= 0 {
		perSecond = StandardRate
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// A burst comes on top of the steady flow, so both together make up the allowance of a second.
	l.burst = max(1, perSecond/10)
	l.interval = time.Second / time.Duration(max(1, perSecond-l.burst))
}

// Take returns 0 and counts a message to that person, or says how long to wait before asking again
// and counts nothing.
func (l *Limiter) Take(recipient string) time.Duration {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait := max(
		waiting(l.number, now, l.interval, l.burst),
		waiting(l.pairs[recipient], now, pairInterval, pairBurst),
	); wait > 0 {
		return wait
	}
	l.number = later(l.number, now).Add(l.interval)
	l.pairs[recipient] = later(l.pairs[recipient], now).Add(pairInterval)
	if len(l.pairs) >= l.sweepAt {
		l.sweep(now)
	}
	return 0
}

// Free says how many messages the number may send at this moment, to people who need not wait, and how
// long until one more fits.
func (l *Limiter) Free() (n int, wait time.Duration) {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	whole := later(l.number, now)
	n = max(0, int((time.Duration(l.burst)*l.interval-whole.Sub(now))/l.interval))
	return n, waiting(whole.Add(time.Duration(n)*l.interval), now, l.interval, l.burst)
}

// Hold makes the person wait, after Meta refused a message to them as one too many in spite of this
// limiter. With an empty recipient it is the whole number that waits.
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

// waiting says how long until one more message fits, when the allowance will be whole at full.
func waiting(full, now time.Time, interval time.Duration, burst int) time.Duration {
	return max(0, later(full, now).Sub(now)-time.Duration(burst-1)*interval)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
