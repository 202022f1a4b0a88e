package server

import (
	"context"
	"log/slog"

	"recado/internal/jobs"
)

// Settle continues replays of webhooks, the work on numbers that became private or public, and the queues of archived numbers, a batch
// of each at a time. It is a loop of its own because these can take long.
type Settle struct {
	Desk   *Desk
	Logger *slog.Logger
}

// Run ends with ctx.
func (s *Settle) Run(ctx context.Context) {
	jobs.Repeat(ctx, s.Logger, "settle", nil, sweepEvery, s.step)
}

// step does a batch for every webhook and number that has work left, and reports whether there is more to do now.
func (s *Settle) step(ctx context.Context) (bool, error) {
	if err := s.Desk.Webhooks.ContinueReplays(ctx); err != nil {
		return false, err
	}
	failing, err := s.Desk.Talk.FailArchived(ctx)
	if err != nil {
		return false, err
	}
	settling, err := s.Desk.Talk.SettleChannels(ctx)
	return failing || settling, err
}
