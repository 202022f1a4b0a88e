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
	Wake string // the notification that tells other nodes about released leases
}

// Renew extends all leases of the kind that owner holds.
func (l StoredLeases) Renew(ctx context.Context, owner kernel.ID, length time.Duration) (map[kernel.ID]int64, error) {
	leases, err := kernel.Write(ctx, l.Desk, func(tx *kernel.Tx) ([]kernel.Lease, error) {
		return tx.RenewLeases(l.Kind, owner, length)
	})
	epochs := make(map[kernel.ID]int64, len(leases))
	for _, lease := range leases {
		epochs[lease.Subject] = lease.Epoch
	}
	return epochs, err
}

// Release releases one lease.
func (l StoredLeases) Release(ctx context.Context, lease Lease) error {
	return l.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.ReleaseLease(DeskLease(lease), lease.Owner)
		return nil
	})
}

// ReleaseAll releases all leases of owner and notifies the other nodes.
func (l StoredLeases) ReleaseAll(ctx context.Context, owner kernel.ID) error {
	err := l.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.ReleaseLeases(owner)
		return nil
	})
	l.Desk.Store.Notify(l.Wake, "")
	return err
}

// DeskLease returns a lease as the kernel stores it.
func DeskLease(l Lease) kernel.Lease { return kernel.Lease{Subject: l.Subject, Epoch: l.Epoch} }
