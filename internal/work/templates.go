package work

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/desk"
)

// Templates keeps the copies of the WhatsApp numbers' templates up to date.
type Templates struct {
	Desk   desk.System
	Graph  *Graph
	Logger *slog.Logger
}

// templatePoll is how often it looks without being told: for what another node or the clock made due.
const templatePoll = 10 * time.Second

// Run ends with ctx.
func (t *Templates) Run(ctx context.Context) {
	repeat(ctx, t.Logger, "templates", t.Desk.Wakeups().Templates.C, templatePoll, t.step)
}

// step fetches the templates of one channel. One that fails is tried again after some minutes.
func (t *Templates) step(ctx context.Context) (more bool, err error) {
	claim, found, err := t.Desk.ClaimTemplates(ctx)
	if err != nil || !found {
		return false, err
	}
	_, access, found, err := t.Desk.Access(ctx, claim.Channel)
	if err != nil || !found {
		return true, err
	}
	templates, err := t.Graph.Templates(ctx, access)
	if err != nil {
		t.Logger.Warn("the templates of a channel could not be fetched", slog.String("channel", claim.Channel.String()), slog.Any("error", err))
		return true, nil
	}
	return true, t.Desk.KeepTemplates(ctx, claim, templates)
}
