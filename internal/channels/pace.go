package channels

import (
	"context"
	"sync"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
)

const (
	paceAsk     = time.Hour   // between requests for a number's rate
	paceLongest = time.Minute // between calls while WhatsApp cannot be reached
)

// pace keeps one number below Meta's rate limits. While Meta cannot be reached it makes one call at a time, with increasing
// pauses.
type pace struct {
	*whatsapp.Limiter

	mu     sync.Mutex
	rate   int
	high   bool      // Meta has raised the number's rate
	asked  time.Time // when the rate was last requested
	silent int       // pauses in a row
	until  time.Time // end of the current pause
}

func newPace() *pace {
	return &pace{Limiter: whatsapp.NewLimiter(whatsapp.StandardRate, nil), rate: whatsapp.StandardRate}
}

// set applies the known rate of the number. It reports whether it is time to request it again.
func (p *pace) set(coexistence bool) (ask bool) {
	rate := whatsapp.StandardRate
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case coexistence:
		rate = whatsapp.CoexistenceRate
	case p.high:
		rate = whatsapp.HighRate
	}
	if p.rate != rate {
		p.rate = rate
		p.SetRate(rate)
	}
	if coexistence || time.Since(p.asked) < paceAsk {
		return false
	}
	p.asked = time.Now()
	return true
}

// ask requests the number's rate from Meta. After a failure the next request is in an hour.
func (p *pace) ask(ctx context.Context, client *whatsapp.Client) {
	state, err := client.Number(ctx)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.high = state.Throughput == "HIGH"
	p.mu.Unlock()
	p.set(false)
}

// answered records the result of a call; nil means success. If the call certainly did not reach Meta the number pauses, for a
// second at first and up to a minute.
func (p *pace) answered(failure *provider.SendError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case failure == nil || failure.Fate == provider.Uncertain || !failure.Unreachable():
		p.silent = 0
		if failure != nil && failure.ProviderCode == upgrading {
			p.asked = time.Time{}
		}
		return
	case time.Now().After(p.until):
		wait := min(time.Second<<min(p.silent, 6), paceLongest)
		p.silent++
		p.until = time.Now().Add(wait)
		p.Hold("", wait)
	}
	failure.RetryAfter = max(failure.RetryAfter, time.Until(p.until))
}
