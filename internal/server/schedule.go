package server

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/jobs"
)

// Schedule does what is due to the second: it sends scheduled messages, ends menus that got no answer in time, and removes
// members who stopped viewing a conversation.
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
		s.Desk.Talk.ExpireViewers()
		sent, err := s.Desk.Talk.SendScheduled(ctx, scheduleBatch)
		if err != nil {
			return false, err
		}
		ended, err := s.Desk.Receptionist.EndMenus(ctx, scheduleBatch)
		return max(sent, ended) == scheduleBatch, err
	})
}
