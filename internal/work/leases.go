package work

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/jobs"
	"recado/internal/model"
)

// leases keeps the leases of one kind in the database.
type leases struct {
	desk desk.System
	kind string
}

// Renew lengthens all leases of the kind that owner holds.
func (l leases) Renew(ctx context.Context, owner model.ID, length time.Duration) (map[model.ID]int64, error) {
	held, err := l.desk.RenewLeases(ctx, l.kind, owner, length)
	epochs := make(map[model.ID]int64, len(held))
	for _, lease := range held {
		epochs[lease.Subject] = lease.Epoch
	}
	return epochs, err
}

// Release gives up one lease.
func (l leases) Release(ctx context.Context, lease jobs.Lease) error {
	return l.desk.ReleaseLease(ctx, deskLease(lease), lease.Owner)
}

// ReleaseAll gives up every lease of owner.
func (l leases) ReleaseAll(ctx context.Context, owner model.ID) error {
	return l.desk.ReleaseLeases(ctx, owner)
}

func deskLease(l jobs.Lease) desk.Lease { return desk.Lease{Subject: l.Subject, Epoch: l.Epoch} }

// webhookLeases are the leases of webhooks.
type webhookLeases struct{ leases }

// Take takes the lease of a webhook.
func (l webhookLeases) Take(ctx context.Context, webhook, owner model.ID, length time.Duration) (int64, bool, error) {
	lease, taken, err := l.desk.TakeLease(ctx, webhook, owner, length)
	return lease.Epoch, taken, err
}

// channelLeases are the leases of channels.
type channelLeases struct{ leases }

// Take takes the lease of a channel, and ends as uncertain what an earlier owner left in the middle.
func (l channelLeases) Take(ctx context.Context, channel, owner model.ID, length time.Duration) (int64, bool, error) {
	lease, taken, err := l.desk.TakeSendLease(ctx, channel, owner, length)
	return lease.Epoch, taken, err
}
