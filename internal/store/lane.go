package store

import (
	"time"

	"recado/internal/model"
)

// Lane is one node's right to work for a webhook or a channel until its lease ends. The epoch grows
// with every change of owner: a result is written only while its epoch still holds, so that a node
// that was paused past its lease cannot write over its successor.
type Lane struct {
	Subject model.ID
	Epoch   int64
	Until   time.Time
}

// The kinds of lane.
const (
	LaneWebhook = "webhook"
	LaneChannel = "channel"
)

// TakeLane claims or renews the lane of a subject for owner. It reports false while another node
// holds it.
func (tx *Tx) TakeLane(kind string, subject, owner model.ID, lease time.Duration) (Lane, bool, error) {
	lane := Lane{Subject: subject}
	found, err := tx.one(`
		INSERT INTO lanes (subject, kind, owner, epoch, lease_until)
		VALUES ($1, $2, $3, 1, $4)
		ON CONFLICT (subject) DO UPDATE
		SET owner = excluded.owner,
			epoch = CASE WHEN lanes.owner = excluded.owner THEN lanes.epoch ELSE lanes.epoch + 1 END,
			lease_until = excluded.lease_until
		WHERE lanes.owner = excluded.owner OR lanes.lease_until < $5
		RETURNING epoch, lease_until`,
		[]any{subject, kind, owner, tx.Now.Add(lease), tx.Now}, func(r Row) {
			lane.Epoch, lane.Until = r.Int(0), r.Time(1)
		})
	return lane, found, err
}

// HoldsLane reports whether the lane is still the one that owner took, and keeps it so until the end
// of the transaction.
func (tx *Tx) HoldsLane(lane Lane, owner model.ID) (bool, error) {
	lock := ""
	if !tx.SQLite() {
		lock = ` FOR SHARE`
	}
	return tx.one(`SELECT 1 FROM lanes WHERE subject = $1 AND owner = $2 AND epoch = $3`+lock,
		[]any{lane.Subject, owner, lane.Epoch}, func(Row) {})
}

// RenewLanes lengthens every lease of one kind that owner holds, and gives the lanes that are left to it.
func (tx *Tx) RenewLanes(kind string, owner model.ID, lease time.Duration) ([]Lane, error) {
	var lanes []Lane
	err := tx.query(`
		UPDATE lanes
		SET lease_until = $3
		WHERE owner = $1 AND kind = $2 AND lease_until > 0
		RETURNING subject, epoch, lease_until`, []any{owner, kind, tx.Now.Add(lease)}, func(r Row) error {
		lanes = append(lanes, Lane{Subject: r.ID(0), Epoch: r.Int(1), Until: r.Time(2)})
		return nil
	})
	return lanes, err
}

// LeaveLane gives up one lane, if it is still the one that owner took.
func (tx *Tx) LeaveLane(lane Lane, owner model.ID) {
	tx.later(`UPDATE lanes SET lease_until = 0 WHERE subject = $1 AND owner = $2 AND epoch = $3`, lane.Subject, owner, lane.Epoch)
}

// LeaveLanes gives up every lane of an owner at once: at a graceful stop, and on SQLite at the start,
// where nobody else can be alive.
func (tx *Tx) LeaveLanes(owner model.ID) {
	if owner.IsZero() {
		tx.later(`UPDATE lanes SET lease_until = 0`)
		return
	}
	tx.later(`UPDATE lanes SET lease_until = 0 WHERE owner = $1`, owner)
}
