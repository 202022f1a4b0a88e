package work

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/desk"
)

// Schedule sends scheduled messages when their time has come. All that is due stands in the database, so that it survives
// restarts and any number of nodes may look.
type Schedule struct {
	Desk   desk.System
	Logger *slog.Logger
}

const (
	scheduleEvery = time.Second
	scheduleBatch = 200
)

// Run ends with ctx.
func (s *Schedule) Run(ctx context.Context) {
	repeat(ctx, s.Logger, "schedule", nil, scheduleEvery, func(ctx context.Context) (bool, error) {
		n, err := s.Desk.SendScheduled(ctx, scheduleBatch)
		return n == scheduleBatch, err
	})
}
