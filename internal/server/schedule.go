package server

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/jobs"
)

// Schedule sends scheduled messages when their time has come, and ends menus that got no answer in time. All that is due stands in the database, so that it survives
// restarts and any number of nodes may look.
type Schedule struct {
	Desk   *Desk
	Logger *slog.Logger
}

const (
	scheduleEvery = time.Second
	scheduleBatch = 200
)

// Run ends with ctx.
func (s *Schedule) Run(ctx context.Context) {
	jobs.Repeat(ctx, s.Logger, "schedule", nil, scheduleEvery, func(ctx context.Context) (bool, error) {
		sent, err := s.Desk.Talk.SendScheduled(ctx, scheduleBatch)
		if err != nil {
			return false, err
		}
		ended, err := s.Desk.Receptionist.EndMenus(ctx, scheduleBatch)
		return max(sent, ended) == scheduleBatch, err
	})
}
