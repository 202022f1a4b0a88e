package kernel

import (
	"context"
	"errors"
	"time"

	"recado/internal/slots"
)

const (
	searchPlaces = 64              // searches of one company that may wait for its slots; reports and reads of the feed likewise
	searchWait   = 2 * time.Second // before a waiting search or count is refused, or a page of the feed stays short
	searchShare  = 1.0 / 16        // of the processors, for the searches of one company while others are active; each of the others likewise
	searchSaved  = time.Second     // of the time for each of these that a company does not use
)

// Expensive limits calls that read far more than they return: so many of each company run at once, within its budget.
type Expensive struct {
	what   string // in the plural
	limit  int64  // how many of them, as the refusal says
	slots  *slots.Limiter[ID]
	Budget *slots.Budget[ID]
	wait   time.Duration // before a call is refused
}

// Begin waits until the company may make the call. Unless there is an error, the caller calls release.
func (e *Expensive) Begin(ctx context.Context, a *Principal) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, e.wait)
	defer cancel()
	leave, err := e.slots.Acquire(ctx, a.Company.ID)
	if err != nil {
		return nil, e.refused(err)
	}
	end, err := e.Budget.Begin(ctx, a.Company.ID)
	if err != nil {
		leave()
		return nil, e.refused(err)
	}
	return func() {
		end()
		leave()
	}, nil
}

func (e *Expensive) refused(err error) error {
	if errors.Is(err, slots.ErrFull) || errors.Is(err, context.DeadlineExceeded) {
		return ErrBusy(e.what, e.limit)
	}
	return err
}

// ErrBusy is the refusal of one more of what, a plural, than a company may run at once.
func ErrBusy(what string, limit int64) error {
	refused := Errorf(CodeRateLimited, "This company has as many %s running as it may, %d at once. Try again in a moment.", what, limit)
	refused.RetryAfter = time.Second
	return refused
}
