package kernel

import (
	"context"
	"errors"
	"time"

	"recado/internal/limits"
)

const (
	searchPlaces = 64              // calls of one company that may wait
	searchWait   = 2 * time.Second // before a waiting call is refused
)

// Expensive limits calls that read far more than they return: each company may make so many at once.
type Expensive struct {
	what  string // in the plural
	limit int64  // how many of them, as the error says
	slots *limits.Concurrency[ID]
	wait  time.Duration // before a call is refused
}

// Begin waits until the company may make the call. Unless there is an error, the caller calls release.
func (e *Expensive) Begin(ctx context.Context, a *Principal) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, e.wait)
	defer cancel()
	release, err = e.slots.Acquire(ctx, a.Company.ID)
	if err != nil {
		return nil, e.refused(err)
	}
	return release, nil
}

// Wait is Begin for work that is not refused: it waits as long as ctx allows.
func (e *Expensive) Wait(ctx context.Context, company ID) (release func(), err error) {
	return e.slots.Acquire(ctx, company)
}

func (e *Expensive) refused(err error) error {
	if errors.Is(err, limits.ErrFull) || errors.Is(err, context.DeadlineExceeded) {
		return ErrBusy(e.what, e.limit)
	}
	return err
}

// ErrBusy returns the error for one call more than a company may make at once.
func ErrBusy(what string, limit int64) error {
	refused := Errorf(CodeRateLimited, "This company has as many %s running as it may, %d at once. Try again in a moment.", what, limit)
	refused.RetryAfter = time.Second
	return refused
}
