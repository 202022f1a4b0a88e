package desk

import (
	"context"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// System is the desk for callers that are not a Principal: background work, which acts for every company; the
// command line, which adds companies and members; the API, when it authenticates a caller; and visitors, who
// set the installation up, sign in or follow a link. Its methods check no scope or role. What a visitor may do
// depends on the password or token that comes with the call.
type System struct{ *Desk }

// System returns the methods that take no principal.
func (d *Desk) System() System { return System{d} }

// Lease is a node's right to work for one webhook or channel until a time.
type Lease = store.Lease

// Pending is a webhook with deliveries that are not final.
type Pending = store.Pending

// SingleNode reports whether no other process can work on the same database: then no leases are needed.
func (d System) SingleNode() bool { return d.store.SingleNode() }

// Now is the time by the desk's clock.
func (d System) Now() time.Time { return d.now() }

// PendingWebhooks lists the webhooks that owner may have to work for.
func (d System) PendingWebhooks(ctx context.Context, owner model.ID) (out []Pending, err error) {
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		out, err = tx.PendingWebhooks(owner)
		return err
	})
	return out, err
}

// DueDeliveries gives the next due deliveries of a webhook, its company, and whether it is active at all.
func (d System) DueDeliveries(ctx context.Context, webhook model.ID, limit int) (ids []model.ID, company model.ID, active bool, err error) {
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		ids, company, active, err = tx.DueDeliveries(webhook, tx.Now, limit)
		return err
	})
	return ids, company, active, err
}

// The kinds of lease.
const (
	LeaseWebhook = store.LeaseWebhook
	LeaseChannel = store.LeaseChannel
)

// TakeLease takes the lease of a webhook, and reports false while another node holds it.
func (d System) TakeLease(ctx context.Context, webhook, owner model.ID, length time.Duration) (lease Lease, taken bool, err error) {
	err = d.store.Write(ctx, func(tx *store.Tx) (err error) {
		lease, taken, err = tx.TakeLease(LeaseWebhook, webhook, owner, length)
		return err
	})
	return lease, taken, err
}

// RenewLeases lengthens all leases of one kind that owner holds and returns those that it still holds.
func (d System) RenewLeases(ctx context.Context, kind string, owner model.ID, length time.Duration) ([]Lease, error) {
	return write(ctx, d.Desk, func(tx *store.Tx) ([]Lease, error) { return tx.RenewLeases(kind, owner, length) })
}

// ReleaseLease gives up a lease before it ends.
func (d System) ReleaseLease(ctx context.Context, lease Lease, owner model.ID) error {
	return d.store.Write(ctx, func(tx *store.Tx) error {
		tx.ReleaseLease(lease, owner)
		return nil
	})
}

// ReleaseLeases gives up every lease of owner, and tells the other nodes to look.
func (d System) ReleaseLeases(ctx context.Context, owner model.ID) error {
	err := d.store.Write(ctx, func(tx *store.Tx) error {
		tx.ReleaseLeases(owner)
		return nil
	})
	d.TellDue(model.ID{})
	return err
}

// DueCount is how many deliveries are due, counted up to a hundred thousand, and how old the oldest is.
func (d System) DueCount(ctx context.Context) (n int64, oldest time.Duration, err error) {
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

// Backlog is how much background work is left besides deliveries, on all nodes, each kind counted up to a
// hundred thousand.
func (d System) Backlog(ctx context.Context) (backlog store.Backlog, err error) {
	err = d.store.Read(ctx, func(tx *store.Tx) (err error) {
		backlog, err = tx.Backlog(100_000)
		return err
	})
	return backlog, err
}

// indexBatch is how many texts one transaction indexes: few, so that writers wait for a moment only.
const indexBatch = 250

// IndexSearch indexes a batch of changed texts and reports whether more may be waiting. A search finds
// them before that too, only not as fast.
func (d System) IndexSearch(ctx context.Context) (more bool, err error) {
	err = d.store.Write(ctx, func(tx *store.Tx) error {
		done, err := tx.IndexText(indexBatch)
		more = done == indexBatch
		return err
	})
	return more, err
}

// purgeTalk deletes old notifications and renderings, and reports whether there is more.
func purgeTalk(tx *store.Tx, step int) (more bool, err error) {
	notifications, err := tx.PurgeNotifications(tx.Now.Add(-model.NotificationRetention), step)
	if err != nil {
		return false, err
	}
	renderings, err := tx.PurgeRenderings(tx.Now.Add(-model.RenderingRetention), step)
	return notifications >= int64(step) || renderings >= int64(step), err
}

// Purge deletes what is older than it has to be kept, in small steps. It reports whether there is more.
func (d System) Purge(ctx context.Context) (more bool, err error) {
	const step = 500
	return write(ctx, d.Desk, func(tx *store.Tx) (bool, error) {
		deliveries, err := tx.PurgeDeliveries(tx.Now.Add(-model.DeliveryRetention), step)
		if err != nil {
			return false, err
		}
		events, err := tx.PurgeEvents(tx.Now.Add(-model.EventRetention), step)
		if err != nil {
			return false, err
		}
		notices, err := tx.PurgeNotices(tx.Now.Add(-model.NoticeRetention), step)
		if err != nil {
			return false, err
		}
		talk, err := purgeTalk(tx, step)
		if err != nil {
			return false, err
		}
		sessions, err := tx.RemoveOldSessions(step)
		return deliveries >= step || events >= step || notices >= step || talk || sessions >= step, err
	})
}

// forgetAtOnce is how many expired reservations one sweep removes.
const forgetAtOnce = 500

// ForgetReservations removes idempotency keys that have expired, and reports whether more may be left.
func (d System) ForgetReservations(ctx context.Context) (bool, error) {
	var n int64
	err := d.store.Write(ctx, func(tx *store.Tx) (err error) {
		n, err = tx.ForgetReservations(forgetAtOnce)
		return err
	})
	return n >= forgetAtOnce, err
}
