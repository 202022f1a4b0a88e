package kernel

import (
	"time"

	"recado/internal/kernel/db"
)

// Lease is the right of one node to work for a webhook or a channel until a time. The epoch grows with every change of
// owner. A node that was suspended past the end of its lease cannot overwrite the results of the next owner, because
// results are stored only with the current epoch.
type Lease struct {
	Subject ID
	Epoch   int64
	Until   time.Time
}

// TakeLease takes or renews the lease of a subject for owner. It returns false while another node holds it.
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
			lease.Epoch, lease.Until = r.Int("epoch"), r.Time("lease_until")
		})
	return lease, found, err
}

// HoldsLease reports whether owner still holds the lease, and locks it until the end of the transaction.
func (tx *Tx) HoldsLease(lease Lease, owner ID) (bool, error) {
	return tx.One(`SELECT epoch FROM lanes WHERE subject = $1 AND owner = $2 AND epoch = $3`+tx.ForShare(),
		[]any{lease.Subject, owner, lease.Epoch}, func(db.Row) {})
}

// RenewLeases extends all leases of a kind that owner holds, and returns them.
func (tx *Tx) RenewLeases(kind string, owner ID, length time.Duration) ([]Lease, error) {
	return Rows(tx, `
		UPDATE lanes
		SET lease_until = $3
		WHERE owner = $1 AND kind = $2 AND lease_until > 0
		RETURNING subject, epoch, lease_until`, []any{owner, kind, tx.Now.Add(length)}, func(r db.Row) Lease {
		return Lease{Subject: r.ID("subject"), Epoch: r.Int("epoch"), Until: r.Time("lease_until")}
	})
}

// ReleaseLease releases a lease if owner still holds it.
func (tx *Tx) ReleaseLease(lease Lease, owner ID) {
	tx.Later(`UPDATE lanes SET lease_until = 0 WHERE subject = $1 AND owner = $2 AND epoch = $3`, lease.Subject, owner, lease.Epoch)
}

// ReleaseLeases releases all leases of an owner, at a graceful stop. The zero owner releases those of all owners: on
// SQLite at the start, where no other process can hold one.
func (tx *Tx) ReleaseLeases(owner ID) {
	if owner.IsZero() {
		tx.Later(`UPDATE lanes SET lease_until = 0`)
		return
	}
	tx.Later(`UPDATE lanes SET lease_until = 0 WHERE owner = $1`, owner)
}
