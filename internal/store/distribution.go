package store

import (
	"encoding/binary"
	"time"

	"recado/internal/model"
)

// SectorAt is a sector and its company.
type SectorAt struct{ Company, ID model.ID }

// SectorsToDistribute lists the sectors that distribute cases and have some in their queue. Its cost grows with the sectors that
// distribute.
func (tx *Tx) SectorsToDistribute() ([]SectorAt, error) {
	var out []SectorAt
	err := tx.query(`
		SELECT s.company, s.id
		FROM sectors s
		WHERE s.distribution <> 'manual' AND s.removed_at IS NULL AND EXISTS (
			SELECT 1
			FROM attendances a
			WHERE a.company = s.company AND a.sector = s.id AND a.responsible IS NULL AND a.closed_at IS NULL AND NOT a.private AND NOT `+attendancePrivate+`)
		ORDER BY s.company, s.id`, nil, func(r Row) error {
		out = append(out, SectorAt{r.ID(0), r.ID(1)})
		return nil
	})
	return out, err
}

// LockDistribution lets one transaction at a time distribute cases of a company: a member of several sectors has one capacity. SQLite
// has one writer and needs no lock.
func (tx *Tx) LockDistribution(company model.ID) {
	if tx.dialect().ConcurrentWrites() {
		tx.later(`SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(company[8:]))+1)
	}
}

// Sector gives a sector of the company without its members and queues.
func (tx *Tx) Sector(company, id model.ID) (model.Sector, bool, error) {
	s := model.Sector{ID: id, Members: []model.Ref{}, Queues: []model.Queue{}}
	found, err := tx.one(`
		SELECT name, hours, distribution, capacity, prefer_last, return_minutes
		FROM sectors
		WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(r Row) {
		s.Name, s.HoursID, s.Distribution = r.Text(0), r.NullID(1), scanDistribution(r, 2)
	})
	return s, found, err
}

func scanDistribution(r Row, at int) model.Distribution {
	return model.Distribution{Mode: r.Text(at), Capacity: r.Int(at + 1), PreferLast: r.Bool(at + 2), ReturnAfterMinutes: r.NullInt(at + 3)}
}

// SetDistribution says how the cases of a sector get a responsible person.
func (tx *Tx) SetDistribution(company, sector model.ID, d model.Distribution) {
	tx.later(`
		UPDATE sectors
		SET distribution = $3, capacity = $4, prefer_last = $5, return_minutes = $6
		WHERE company = $1 AND id = $2`, company, sector, d.Mode, d.Capacity, d.PreferLast, d.ReturnAfterMinutes)
}

// SectorLoad is a member of a sector who may get its cases.
type SectorLoad struct {
	User       model.Ref
	LastSeenAt *time.Time // in a session that has not ended; nil: there is none
	Chosen     string     // the presence that they chose
	Capacity   *int64     // their own
	Open       int64      // cases over all sectors
	ReceivedAt *time.Time
	Turn       *int64 // of their last case; see MarkReceived
}

// SectorLoads lists the present members of a sector.
func (tx *Tx) SectorLoads(company, sector model.ID) ([]SectorLoad, error) {
	var out []SectorLoad
	err := tx.query(`
		SELECT u.id, u.name, `+seenInSession+`, u.presence, u.capacity,
			(SELECT COUNT(*) FROM attendances a WHERE a.company = u.company AND a.responsible = u.id AND a.closed_at IS NULL AND NOT a.private AND NOT `+attendancePrivate+`),
			u.received_at, u.received_turn
		FROM sector_members m
		JOIN users u ON u.id = m.member
		WHERE m.sector = $2 AND u.company = $1 AND u.removed_at IS NULL`, []any{company, sector}, func(r Row) error {
		out = append(out, SectorLoad{
			User: model.Ref{ID: r.ID(0), Name: r.Text(1)}, LastSeenAt: r.NullTime(2), Chosen: r.Text(3), Capacity: r.NullInt(4), Open: r.Int(5),
			ReceivedAt: r.NullTime(6), Turn: r.NullInt(7),
		})
		return nil
	})
	return out, err
}

// WaitingCase is an open attendance in the queue of a sector.
type WaitingCase struct {
	Attendance   model.ID
	Conversation model.ID
	Channel      model.ID
	OpenedAt     time.Time
	ReturnedFrom *model.ID // who let it go back last
	Last         *model.ID // who had the last case of the conversation
}

// WaitingCases lists up to limit cases in the queue of a sector, the oldest first. Those whose customer is asked by a menu are not
// waiting yet.
func (tx *Tx) WaitingCases(company, sector model.ID, limit int) ([]WaitingCase, error) {
	var out []WaitingCase
	err := tx.query(`
		SELECT a.id, a.conversation, a.channel, a.opened_at, a.returned_from,
			(SELECT p.responsible
			FROM attendances p
			WHERE p.conversation = a.conversation AND p.company = a.company AND p.responsible IS NOT NULL AND p.closed_at IS NOT NULL
			ORDER BY p.opened_at DESC, p.id DESC
			LIMIT 1)
		FROM attendances a
		JOIN conversations c ON c.id = a.conversation
		WHERE a.company = $1 AND a.sector = $2 AND a.responsible IS NULL AND a.closed_at IS NULL AND NOT a.private AND NOT `+attendancePrivate+` AND c.reception IS NULL
		ORDER BY a.opened_at, a.id
		LIMIT $3`, []any{company, sector, limit}, func(r Row) error {
		out = append(out, WaitingCase{r.ID(0), r.ID(1), r.ID(2), r.Time(3), r.NullID(4), r.NullID(5)})
		return nil
	})
	return out, err
}

// MarkReceived notes that distribution gave a member a case, with a turn that is higher than those of all other members. The caller
// has called LockDistribution.
func (tx *Tx) MarkReceived(company, member model.ID) {
	tx.later(`
		UPDATE users
		SET received_at = $3, received_turn = 1 + COALESCE((SELECT MAX(o.received_turn) FROM users o WHERE o.company = $1), 0)
		WHERE company = $1 AND id = $2`, company, member, tx.Now)
}

// MarkDistributed notes since when a case that was distributed, and goes back unless it is answered, can be answered. Saving the
// attendance with another responsible person, or closed, forgets it.
func (tx *Tx) MarkDistributed(company, attendance model.ID, at time.Time) {
	tx.later(`UPDATE attendances SET distributed_at = $3 WHERE company = $1 AND id = $2`, company, attendance, at)
}

// KeepDistributed forgets that a case goes back: it was answered.
func (tx *Tx) KeepDistributed(company, attendance model.ID) {
	tx.later(`UPDATE attendances SET distributed_at = NULL WHERE company = $1 AND id = $2 AND distributed_at IS NOT NULL`, company, attendance)
}

// MarkReturned notes who let a case go back to the queue.
func (tx *Tx) MarkReturned(company, attendance, member model.ID) {
	tx.later(`UPDATE attendances SET returned_from = $3 WHERE company = $1 AND id = $2`, company, attendance, member)
}

// DueReturns gives up to limit conversations whose case was distributed so long ago that it goes back if it is not answered.
func (tx *Tx) DueReturns(now time.Time, limit int) ([]ConversationAt, error) {
	var due []ConversationAt
	err := tx.query(`
		SELECT a.company, a.conversation
		FROM attendances a
		JOIN sectors s ON s.id = a.sector
		WHERE a.distributed_at IS NOT NULL AND a.distributed_at + s.return_minutes * 60000 <= $1
		ORDER BY a.distributed_at
		LIMIT $2`, []any{now, limit}, func(r Row) error {
		due = append(due, ConversationAt{r.ID(0), r.ID(1)})
		return nil
	})
	return due, err
}

// DistributedAt tells since when a distributed case can be answered, nil where it need not be answered, and how long its sector waits then.
func (tx *Tx) DistributedAt(company, attendance model.ID) (at *time.Time, minutes *int64, err error) {
	_, err = tx.one(`
		SELECT a.distributed_at, s.return_minutes
		FROM attendances a
		LEFT JOIN sectors s ON s.id = a.sector
		WHERE a.company = $1 AND a.id = $2`, []any{company, attendance}, func(r Row) { at, minutes = r.NullTime(0), r.NullInt(1) })
	return at, minutes, err
}
