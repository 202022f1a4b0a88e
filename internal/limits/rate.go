package limits

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate contains a token bucket per caller. It is safe for concurrent use.
type Rate[K comparable] struct {
	mu      sync.Mutex
	buckets map[K]*bucket
	swept   time.Time
}

type bucket struct {
	limiter *rate.Limiter
	used    time.Time
}

// NewRate returns an empty Rate.
func NewRate[K comparable]() *Rate[K] { return &Rate[K]{buckets: map[K]*bucket{}} }

// Take takes a token of a caller. The rate may change between calls. Take returns 0, or the time until the next token, at least
// a second. left is the number of remaining tokens.
func (r *Rate[K]) Take(caller K, perSecond float64, burst int, now time.Time) (wait time.Duration, left float64) {
	limiter := r.limiter(caller, rate.Limit(perSecond), burst, now)
	allowed := limiter.AllowN(now, 1)
	left = max(limiter.TokensAt(now), 0)
	if allowed {
		return 0, left
	}
	wait = time.Duration((1 - left) / float64(limiter.Limit()) * float64(time.Second))
	return max(wait, time.Second), left
}

func (r *Rate[K]) limiter(caller K, perSecond rate.Limit, burst int, now time.Time) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.buckets[caller]
	if b == nil {
		r.sweep(now)
		b = &bucket{limiter: rate.NewLimiter(perSecond, burst)}
		r.buckets[caller] = b
	}
	if b.limiter.Limit() != perSecond || b.limiter.Burst() != burst {
		b.limiter.SetLimitAt(now, perSecond)
		b.limiter.SetBurstAt(now, burst)
	}
	b.used = now
	return b.limiter
}

// sweep removes buckets that have not been used for so long that they are full again.
func (r *Rate[K]) sweep(now time.Time) {
	if now.Sub(r.swept) < time.Minute {
		return
	}
	r.swept = now
	for caller, b := range r.buckets {
		if now.Sub(b.used) > 10*time.Minute {
			delete(r.buckets, caller)
		}
	}
}
