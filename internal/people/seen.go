package people

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/jobs"
)

// Seen stores, from time to time, which keys were used and which people were active.
type Seen struct {
	Desk   *People
	Logger *slog.Logger
}

// Run ends with ctx; what was collected by then is written before it returns.
func (s *Seen) Run(ctx context.Context) {
	jobs.Repeat(ctx, s.Logger, "seen", nil, 2*time.Second, func(ctx context.Context) (bool, error) {
		return false, s.Desk.FlushSeen(ctx)
	})
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := s.Desk.FlushSeen(last); err != nil {
		s.Logger.Warn("the last activity was not written", slog.Any("error", err))
	}
}
