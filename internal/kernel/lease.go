package kernel

import (
	"context"
	"time"
)

// RenewLeases lengthens all leases of one kind that owner holds and returns those that it still holds.
func (d *Kernel) RenewLeases(ctx context.Context, kind string, owner ID, length time.Duration) ([]Lease, error) {
	return Write(ctx, d, func(tx *Tx) ([]Lease, error) { return tx.RenewLeases(kind, owner, length) })
}

// ReleaseLease gives up a lease before it ends.
func (d *Kernel) ReleaseLease(ctx context.Context, lease Lease, owner ID) error {
	return d.Store.Write(ctx, func(tx *Tx) error {
		tx.ReleaseLease(lease, owner)
		return nil
	})
}

// ReleaseLeases gives up every lease of owner.
func (d *Kernel) ReleaseLeases(ctx context.Context, owner ID) error {
	return d.Store.Write(ctx, func(tx *Tx) error {
		tx.ReleaseLeases(owner)
		return nil
	})
}
