package people

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/jobs"
)

// Seen regularly stores which keys and sessions were used.
type Seen struct {
	Desk   *People
	Logger *slog.Logger
}

// Run runs until ctx ends. Before it returns, it stores what is left.
func (s *Seen) Run(ctx context.Context) {
	jobs.Repeat(ctx, s.Logger, "seen", nil, 2*time.Second, func(ctx context.Context) (bool, error) {
		return false, s.Desk.FlushSeen(ctx)
	})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := s.Desk.FlushSeen(last); err != nil {
		s.Logger.Warn("cannot store the last activity", slog.Any("error", err))
	}
}
