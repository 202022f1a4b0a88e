package kernel

import (
	"time"

	"recado/internal/kernel/db"
)

// Lease is one node's right to work for a webhook or a channel until a time. The epoch grows
// with every change of owner: a result is written only while its epoch still holds, so that a node
// that was paused past its lease cannot write over its successor.
type Lease struct {
	Subject ID
	Epoch   int64
	Until   time.Time
}

// TakeLease claims or renews the lease of a subject for owner. It reports false while another node
// holds it.
func (tx *Tx) TakeLease(kind string, subject, owner ID, length time.Duration) (Lease, bool, error) {
	lease := Lease{Subject: subject}
	found, err := tx.One(`
		INSERT INTO lanes (subject, kind, owner, epoch, lease_until)
		VALUES ($1, $2, $3, 1, $4)
		ON CONFLICT (subject) DO UPDATE
		SET owner = excluded.owner,
			epoch = CASE WHEN lanes.owner = excluded.owner THEN lanes.epoch ELSE lanes.epoch + 1 END,
			lease_until = excluded.lease_until
		WHERE lanes.owner = excluded.owner OR lanes.lease_until < $5
		RETURNING epoch, lease_until`,
		[]any{subject, kind, owner, tx.Now.Add(length), tx.Now}, func(r db.Row) {
			lease.Epoch, lease.Until = r.Int(0), r.Time(1)
		})
	return lease, found, err
}

// HoldsLease reports whether the lease is still the one that owner took, and keeps it so until the end
// of the transaction.
func (tx *Tx) HoldsLease(lease Lease, owner ID) (bool, error) {
	return tx.One(`SELECT 1 FROM lanes WHERE subject = $1 AND owner = $2 AND epoch = $3`+tx.ForShare(),
		[]any{lease.Subject, owner, lease.Epoch}, func(db.Row) {})
}

// RenewLeases lengthens every lease of one kind that owner holds, and returns those that it still holds.
func (tx *Tx) RenewLeases(kind string, owner ID, length time.Duration) ([]Lease, error) {
	var leases []Lease
	err := tx.Query(`
		UPDATE lanes
		SET lease_until = $3
		WHERE owner = $1 AND kind = $2 AND lease_until > 0
		RETURNING subject, epoch, lease_until`, []any{owner, kind, tx.Now.Add(length)}, func(r db.Row) error {
		leases = append(leases, Lease{Subject: r.ID(0), Epoch: r.Int(1), Until: r.Time(2)})
		return nil
	})
	return leases, err
}

// ReleaseLease gives up one lease, if it is still the one that owner took.
func (tx *Tx) ReleaseLease(lease Lease, owner ID) {
	tx.Later(`UPDATE lanes SET lease_until = 0 WHERE subject = $1 AND owner = $2 AND epoch = $3`, lease.Subject, owner, lease.Epoch)
}

// ReleaseLeases gives up every lease of an owner at once: at a graceful stop, and on SQLite at the start,
// where no other process can hold one.
func (tx *Tx) ReleaseLeases(owner ID) {
	if owner.IsZero() {
		tx.Later(`UPDATE lanes SET lease_until = 0`)
		return
	}
	tx.Later(`UPDATE lanes SET lease_until = 0 WHERE owner = $1`, owner)
}
