package work

import (
	"context"

	"recado/internal/desk"
)

// Feed wakes this node's live streams for events that other nodes recorded.
type Feed struct {
	Desk desk.System
}

// Run ends with ctx.
func (f *Feed) Run(ctx context.Context) {
	f.Desk.ListenFeed(ctx)
}
