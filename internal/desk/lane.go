package desk

import (
	"context"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// Lane is a node's right to deliver to one webhook.
type Lane = store.Lane

// Pending is a webhook with deliveries that are not final.
type Pending = store.Pending

// SingleNode reports whether no other process can work on the same database: then there are no lanes.
func (d *Desk) SingleNode() bool { return d.store.SingleNode() }

// Now is the time by the desk's clock.
func (d *Desk) Now() time.Time { return d.now() }

// PendingWebhooks lists the webhooks that owner may have to work for.
func (d *Desk) PendingWebhooks(ctx context.Context, owner model.ID) (out []Pending, err error) {
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		out, err = tx.PendingWebhooks(owner)
		return err
	})
	return out, err
}

// DueDeliveries gives the next due deliveries of a webhook, and whether it is active at all.
func (d *Desk) DueDeliveries(ctx context.Context, webhook model.ID, limit int) (ids []model.ID, active bool, err error) {
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		ids, active, err = tx.DueDeliveries(webhook, tx.Now, limit)
		return err
	})
	return ids, active, err
}

// TakeLane takes the lane of a webhook, and reports false while another node is in it.
func (d *Desk) TakeLane(ctx context.Context, webhook, owner model.ID, lease time.Duration) (lane Lane, taken bool, err error) {
	err = d.store.Write(ctx, func(tx *store.Tx) (err error) {
		lane, taken, err = tx.TakeLane(store.LaneWebhook, webhook, owner, lease)
		return err
	})
	return lane, taken, err
}

// RenewLanes lengthens all leases of owner and gives the lanes that it still holds.
func (d *Desk) RenewLanes(ctx context.Context, owner model.ID, lease time.Duration) ([]Lane, error) {
	return write(ctx, d, nil, func(tx *store.Tx) ([]Lane, error) { return tx.RenewLanes(store.LaneWebhook, owner, lease) })
}

// LeaveLane gives a lane up before its lease ends.
func (d *Desk) LeaveLane(ctx context.Context, lane Lane, owner model.ID) error {
	return d.store.Write(ctx, func(tx *store.Tx) error {
		tx.LeaveLane(lane, owner)
		return nil
	})
}

// LeaveLanes gives up every lane of owner, and tells the other nodes to look.
func (d *Desk) LeaveLanes(ctx context.Context, owner model.ID) error {
	err := d.store.Write(ctx, func(tx *store.Tx) error {
		tx.LeaveLanes(owner)
		return nil
	})
	d.TellDue(model.ID{})
	return err
}

// DueCount is how many deliveries are due, counted up to a hundred thousand, and how old the oldest is.
func (d *Desk) DueCount(ctx context.Context) (n int64, oldest time.Duration, err error) {
	err = d.store.Read(ctx, func(tx *store.Tx) (err error) {
		if n, err = tx.CountDue(100_000); err != nil {
			return err
		}
		pending, err := tx.PendingWebhooks(model.ID{})
		for _, p := range pending {
			oldest = max(oldest, tx.Now.Sub(p.DueAt))
		}
		return err
	})
	return n, oldest, err
}

// Waiting is how much background work is left besides deliveries, on all nodes, each kind counted up to a
// hundred thousand.
func (d *Desk) Waiting(ctx context.Context) (waiting store.Waiting, err error) {
	err = d.store.Read(ctx, func(tx *store.Tx) (err error) {
		waiting, err = tx.Waiting(100_000)
		return err
	})
	return waiting, err
}
