package channels

import (
	"context"
	"sync"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
)

const (
	paceAsk     = time.Hour   // between questions for a number's rate
	paceLongest = time.Minute // between calls while WhatsApp cannot be reached
)

// pace keeps one number below the rates at which Meta refuses, and makes it call less and less often while
// Meta cannot be reached: its queue waits, and a single call finds out whether that is over.
type pace struct {
	*whatsapp.Limiter

	mu     sync.Mutex
	rate   int
	high   bool      // Meta has raised the number's rate
	asked  time.Time // when Meta was asked for it
	silent int       // pauses in a row
	until  time.Time // the end of the present one
}

func newPace() *pace {
	return &pace{Limiter: whatsapp.NewLimiter(whatsapp.StandardRate, nil), rate: whatsapp.StandardRate}
}

// set applies what is known of the number's rate. It reports whether it is time to ask Meta again.
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

// ask learns the number's rate from Meta. What cannot be learned now is asked again in an hour.
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

// answered notes how a call went; nil means well. A call that Meta certainly never saw makes the whole
// number pause, a second at first and a minute at most.
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
