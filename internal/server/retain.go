package server

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/jobs"
)

// Retain deletes events, deliveries and notices that are older than they have to be kept, a little at a time.
// Once at the start it also seals webhook secrets and channel credentials with the newest key.
type Retain struct {
	Desk   *Desk
	Logger *slog.Logger
}

// Run ends with ctx.
func (r *Retain) Run(ctx context.Context) {
	if n, err := r.Desk.SecretKey().Reseal(ctx); err != nil && ctx.Err() == nil {
		r.Logger.Error("secrets cannot be sealed with the newest key", slog.Any("error", err))
	} else if n > 0 {
		r.Logger.Info("secrets sealed with the newest key", slog.Int("secrets", n))
	}
	jobs.Repeat(ctx, r.Logger, "retain", nil, time.Minute, r.step)
}

func (r *Retain) step(ctx context.Context) (more bool, err error) {
	for _, purge := range []func(context.Context) (bool, error){r.Desk.Webhooks.PurgeWebhooks, r.Desk.Channels.PurgeChannels, r.Desk.Talk.PurgeTalk, r.Desk.People.PurgeSessions} {
		further, err := purge(ctx)
		if err != nil {
			return false, err
		}
		more = more || further
	}
	return more, nil
}
