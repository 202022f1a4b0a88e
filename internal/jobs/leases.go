package jobs

import (
	"context"
	"time"

	"recado/internal/kernel"
)

// StoredLeases keeps the leases of one kind in the database.
type StoredLeases struct {
	Desk *kernel.Kernel
	Kind string
	Wake string // the name under which other nodes are notified when leases are given up
}

// Renew lengthens all leases of the kind that owner holds.
func (l StoredLeases) Renew(ctx context.Context, owner kernel.ID, length time.Duration) (map[kernel.ID]int64, error) {
	held, err := l.Desk.RenewLeases(ctx, l.Kind, owner, length)
	epochs := make(map[kernel.ID]int64, len(held))
	for _, lease := range held {
		epochs[lease.Subject] = lease.Epoch
	}
	return epochs, err
}

// Release gives up one lease.
func (l StoredLeases) Release(ctx context.Context, lease Lease) error {
	return l.Desk.ReleaseLease(ctx, DeskLease(lease), lease.Owner)
}

// ReleaseAll gives up every lease of owner.
func (l StoredLeases) ReleaseAll(ctx context.Context, owner kernel.ID) error {
	err := l.Desk.ReleaseLeases(ctx, owner)
	l.Desk.Store.Notify(l.Wake, "") // another node may take over
	return err
}

// DeskLease returns a lease as the kernel stores it.
func DeskLease(l Lease) kernel.Lease { return kernel.Lease{Subject: l.Subject, Epoch: l.Epoch} }
