package work

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/desk"
)

// Retain deletes events and deliveries that are older than they have to be kept, a little at a time.
type Retain struct {
	Desk   *desk.Desk
	Logger *slog.Logger
}

// Run ends with ctx.
func (r *Retain) Run(ctx context.Context) {
	repeat(ctx, r.Logger, "retain", nil, time.Minute, r.step)
}

func (r *Retain) step(ctx context.Context) (more bool, err error) { return r.Desk.Purge(ctx) }
