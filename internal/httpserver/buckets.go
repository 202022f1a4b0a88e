package httpserver

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Buckets holds one token bucket per caller, in the memory of this process. It may be used from many goroutines.
type Buckets[K comparable] struct {
	mu    sync.Mutex
	of    map[K]*bucket
	swept time.Time
}

type bucket struct {
	limiter *rate.Limiter
	used    time.Time
}

// NewBuckets makes Buckets without any caller.
func NewBuckets[K comparable]() *Buckets[K] { return &Buckets[K]{of: map[K]*bucket{}} }

// Take spends one call of a caller with the given rate, which may change from call to call. It gives 0, or how
// long to wait until the next call fits: at least a second. left is what the bucket then holds.
func (b *Buckets[K]) Take(caller K, perSecond float64, burst int, now time.Time) (wait time.Duration, left float64) {
	limiter := b.limiter(caller, rate.Limit(perSecond), burst, now)
	fits := limiter.AllowN(now, 1)
	left = max(limiter.TokensAt(now), 0)
	if fits {
		return 0, left
	}
	wait = time.Duration((1 - left) / float64(limiter.Limit()) * float64(time.Second))
	return max(wait, time.Second), left
}

func (b *Buckets[K]) limiter(caller K, perSecond rate.Limit, burst int, now time.Time) *rate.Limiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.of[caller]
	if own == nil {
		b.sweep(now)
		own = &bucket{limiter: rate.NewLimiter(perSecond, burst)}
		b.of[caller] = own
	}
	if own.limiter.Limit() != perSecond || own.limiter.Burst() != burst {
		own.limiter.SetLimitAt(now, perSecond)
		own.limiter.SetBurstAt(now, burst)
	}
	own.used = now
	return own.limiter
}

// sweep removes the buckets of callers that have been quiet for so long that theirs are full again.
func (b *Buckets[K]) sweep(now time.Time) {
	if now.Sub(b.swept) < time.Minute {
		return
	}
	b.swept = now
	for caller, own := range b.of {
		if now.Sub(own.used) > 10*time.Minute {
			delete(b.of, caller)
		}
	}
}
