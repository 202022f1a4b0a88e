package api

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"recado/internal/desk"
	"recado/internal/model"
)

// limits holds one token bucket per key and per session on this node.
type limits struct {
	mu      sync.Mutex
	buckets map[model.ID]*bucket
	swept   time.Time
}

type bucket struct {
	limiter *rate.Limiter
	used    time.Time
}

func newLimits() *limits { return &limits{buckets: map[model.ID]*bucket{}} }

// refusal is why a call is not admitted. A 429 has headers that say when to try again.
type refusal struct {
	err   error
	burst int           // of the rate; zero for other refusals
	after time.Duration // until the next call fits
}

func (f *refusal) writeTo(w http.ResponseWriter) {
	if f.burst == 0 {
		return
	}
	h := w.Header()
	h.Set("RateLimit-Limit", strconv.Itoa(f.burst))
	h.Set("RateLimit-Remaining", "0")
	h.Set("RateLimit-Reset", strconv.Itoa(int(math.Ceil(f.after.Seconds()))))
}

// take spends one call of the key's budget, or says when the next one fits.
func (l *limits) take(a *desk.Principal, now time.Time) *refusal {
	limiter := l.of(a, now)
	if limiter.AllowN(now, 1) {
		return nil
	}
	wait := time.Duration((1 - limiter.TokensAt(now)) / float64(limiter.Limit()) * float64(time.Second))
	wait = max(wait, time.Second)
	return &refusal{burst: limiter.Burst(), after: wait, err: &model.Error{
		Code:       model.CodeRateLimited,
		Message:    "This " + a.Kind().String() + " has made too many requests. Wait for the seconds in Retry-After.",
		RetryAfter: wait,
	}}
}

func (l *limits) of(a *desk.Principal, now time.Time) *rate.Limiter {
	perSecond, burst := rate.Limit(a.Rate.PerSecond), int(a.Rate.Burst)
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[a.ID()]
	if b == nil {
		l.sweep(now)
		b = &bucket{limiter: rate.NewLimiter(perSecond, burst)}
		l.buckets[a.ID()] = b
	}
	if b.limiter.Limit() != perSecond || b.limiter.Burst() != burst {
		b.limiter.SetLimitAt(now, perSecond)
		b.limiter.SetBurstAt(now, burst)
	}
	b.used = now
	return b.limiter
}

// sweep forgets keys that have been quiet for so long that their buckets are full again.
func (l *limits) sweep(now time.Time) {
	if now.Sub(l.swept) < time.Minute {
		return
	}
	l.swept = now
	for key, b := range l.buckets {
		if now.Sub(b.used) > 10*time.Minute {
			delete(l.buckets, key)
		}
	}
}
