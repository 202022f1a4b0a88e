package webhooks

import (
	"context"

	"recado/internal/jobs"
	"recado/internal/kernel"
)

// RunUntilKilled is Run without releasing the leases, as after a crash.
func (d *Deliver) RunUntilKilled(ctx context.Context) {
	d.run(ctx, keptLeases{webhookLeases{jobs.StoredLeases{Desk: d.Desk.Kernel, Kind: leaseWebhook, Wake: ChannelDeliver}}})
}

type keptLeases struct{ webhookLeases }

func (keptLeases) ReleaseAll(context.Context, kernel.ID) error { return nil }
