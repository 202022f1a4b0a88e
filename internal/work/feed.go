package work

import (
	"context"
	"log/slog"

	"recado/internal/desk"
)

// Feed wakes this node's live streams for events that other nodes recorded.
type Feed struct {
	Desk   desk.System
	Logger *slog.Logger
}

// Run ends with ctx.
func (f *Feed) Run(ctx context.Context) {
	if err := f.Desk.RenumberFeed(ctx); err != nil && ctx.Err() == nil {
		f.Logger.Warn("the feed could not be looked at", slog.Any("error", err))
	}
	f.Desk.ListenFeed(ctx)
}
