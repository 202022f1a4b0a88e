package kernel

import (
	"context"
	"errors"
	"time"

	"recado/internal/limits"
)

const (
	maxWaitingSearches = 64 // per company
	searchTimeout      = 2 * time.Second
)

// Expensive limits the concurrent calls of a company that read far more than they return.
type Expensive struct {
	what    string // a plural, for errors
	limit   int64
	slots   *limits.Concurrency[ID]
	timeout time.Duration // for waiting callers
}

// Begin waits until the company may make the call. Unless there is an error, the caller must call release.
func (e *Expensive) Begin(ctx context.Context, a *Principal) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	release, err = e.slots.Acquire(ctx, a.Company.ID)
	if errors.Is(err, limits.ErrFull) || errors.Is(err, context.DeadlineExceeded) {
		return nil, ErrBusy(e.what, e.limit)
	}
	return release, err
}

// Wait is Begin without a timeout: it waits until ctx ends.
func (e *Expensive) Wait(ctx context.Context, company ID) (release func(), err error) {
	return e.slots.Acquire(ctx, company)
}

// ErrBusy returns the error for exceeding the number of concurrent calls of a company.
func ErrBusy(what string, limit int64) error {
	err := Errorf(CodeRateLimited, "This company has reached its limit of %d concurrent %s. Try again in a moment.", limit, what)
	err.RetryAfter = time.Second
	return err
}
