package server

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
)

// Sweep does what becomes due with time: it closes attendances without a message for as long as their company's rule
// says, ends snoozes, and removes expired idempotency keys, the files of uploads that a crash cut off, and files that
// nothing has referred to for a day. What is due is in the database, so that it survives restarts and any number of nodes may
// sweep.
type Sweep struct {
	Desk   *Desk
	Logger *slog.Logger
	Now    func() time.Time // nil: the machine's clock

	removals time.Time // when FinishRemovals and what follows it last ran
}

const (
	sweepEvery   = 10 * time.Second
	sweepBatch   = 200
	removalEvery = time.Hour
)

// Run ends with ctx.
func (s *Sweep) Run(ctx context.Context) {
	if s.Now == nil {
		s.Now = time.Now
	}
	jobs.Repeat(ctx, s.Logger, "sweep", nil, sweepEvery, func(ctx context.Context) (bool, error) { return s.step(ctx, s.Now()) })
}

// step does a batch of what is due now and reports whether there may be more.
func (s *Sweep) step(ctx context.Context, now time.Time) (bool, error) {
	if now.Sub(s.removals) >= removalEvery {
		if err := s.Desk.Talk.FinishRemovals(ctx, kernel.ID{}, nil); err != nil {
			return false, err
		}
		if err := s.Desk.Talk.RemoveLeftUploads(ctx); err != nil {
			return false, err
		}
		for more := true; more; {
			var err error
			if more, err = s.Desk.Talk.RemoveUnattached(ctx); err != nil {
				return false, err
			}
		}
		for more := true; more; {
			var err error
			if more, err = s.Desk.Kernel.ForgetReservations(ctx); err != nil {
				return false, err
			}
		}
		s.removals = now
	}
	closed, err := s.Desk.Talk.CloseIdle(ctx, now, sweepBatch)
	if err != nil {
		return false, err
	}
	woken, err := s.Desk.Talk.WakeSnoozed(ctx, now, sweepBatch)
	return max(closed, woken) == sweepBatch, err
}
