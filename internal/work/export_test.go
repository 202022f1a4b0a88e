package work

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

// RunUntilKilled is Run without giving up the leases, as after a crash.
func (d *Deliver) RunUntilKilled(ctx context.Context) {
	d.run(ctx, keptLeases{webhookLeases{leases{d.Desk, desk.LeaseWebhook}}})
}

type keptLeases struct{ webhookLeases }

func (keptLeases) ReleaseAll(context.Context, model.ID) error { return nil }
