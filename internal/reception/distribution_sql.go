package reception

import (
	"encoding/binary"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/talk"
)

// SectorAt is a sector and its company.
type SectorAt struct{ Company, ID kernel.ID }

// sectorsToDistribute lists the sectors that distribute cases and have some in their queue. Its cost grows with the sectors that
// distribute.
func sectorsToDistribute(tx *kernel.Tx) ([]SectorAt, error) {
	var out []SectorAt
	err := tx.Query(`
		SELECT /* all companies: cases to distribute */ s.company, s.id
		FROM sectors s
		WHERE s.distribution <> 'manual' AND s.removed_at IS NULL AND EXISTS (
			SELECT 1
			FROM attendances a
			WHERE a.company = s.company AND a.sector = s.id AND a.responsible IS NULL AND a.closed_at IS NULL AND NOT a.private AND NOT `+kernel.ChannelPrivate("a")+`)
		ORDER BY s.company, s.id`, nil, func(r db.Row) error {
		out = append(out, SectorAt{r.ID(0), r.ID(1)})
		return nil
	})
	return out, err
}

// lockDistribution lets one transaction at a time distribute cases of a company: a member of several sectors has one capacity. SQLite
// has one writer and needs no lock.
func lockDistribution(tx *kernel.Tx, company kernel.ID) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(company[8:]))+1)
	}
}

// findSector gives a sector of the company without its members and queues.
func findSector(tx *kernel.Tx, company, id kernel.ID) (people.Sector, bool, error) {
	s := people.Sector{ID: id, Members: []kernel.Ref{}, Queues: []people.Queue{}}
	found, err := tx.One(`
		SELECT name, hours, distribution, capacity, prefer_last, return_minutes
		FROM sectors
		WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(r db.Row) {
		s.Name, s.HoursID, s.Distribution = r.Text(0), r.NullID(1), people.ScanDistribution(r, 2)
	})
	return s, found, err
}

// SectorLoad is a member of a sector who may get its cases.
type SectorLoad struct {
	User       kernel.Ref
	LastSeenAt *time.Time // in a session that has not ended; nil: there is none
	Chosen     string     // the presence that they chose
	Capacity   *int64     // their own
	Open       int64      // cases over all sectors
	ReceivedAt *time.Time
	Turn       *int64 // of their last case; see MarkReceived
}

// sectorLoads lists the present members of a sector.
func sectorLoads(tx *kernel.Tx, company, sector kernel.ID) ([]SectorLoad, error) {
	var out []SectorLoad
	err := tx.Query(`
		SELECT u.id, u.name, `+people.SeenInSession+`, u.presence, u.capacity,
			(SELECT COUNT(*) FROM attendances a WHERE a.company = u.company AND a.responsible = u.id AND a.closed_at IS NULL AND NOT a.private AND NOT `+kernel.ChannelPrivate("a")+`),
			u.received_at, u.received_turn
		FROM sector_members m
		JOIN users u ON u.company = m.company AND u.id = m.member
		WHERE m.company = $1 AND m.sector = $2 AND u.removed_at IS NULL`, []any{company, sector}, func(r db.Row) error {
		out = append(out, SectorLoad{
			User: kernel.Ref{ID: r.ID(0), Name: r.Text(1)}, LastSeenAt: r.NullTime(2), Chosen: r.Text(3), Capacity: r.NullInt(4), Open: r.Int(5),
			ReceivedAt: r.NullTime(6), Turn: r.NullInt(7),
		})
		return nil
	})
	return out, err
}

// WaitingCase is an open attendance in the queue of a sector.
type WaitingCase struct {
	Attendance   kernel.ID
	Conversation kernel.ID
	Channel      kernel.ID
	OpenedAt     time.Time
	ReturnedFrom *kernel.ID // who let it go back last
	Last         *kernel.ID // who had the last case of the conversation
}

// waitingCases lists up to limit cases in the queue of a sector, the oldest first. Those whose customer is asked by a menu are not
// waiting yet.
func waitingCases(tx *kernel.Tx, company, sector kernel.ID, limit int) ([]WaitingCase, error) {
	var out []WaitingCase
	err := tx.Query(`
		SELECT a.id, a.conversation, a.channel, a.opened_at, a.returned_from,
			(SELECT p.responsible
			FROM attendances p
			WHERE p.company = a.company AND p.conversation = a.conversation AND p.responsible IS NOT NULL AND p.closed_at IS NOT NULL
			ORDER BY p.opened_at DESC, p.id DESC
			LIMIT 1)
		FROM attendances a
		JOIN conversations c ON c.company = a.company AND c.id = a.conversation
		WHERE a.company = $1 AND a.sector = $2 AND a.responsible IS NULL AND a.closed_at IS NULL AND NOT a.private AND NOT `+kernel.ChannelPrivate("a")+` AND c.reception IS NULL
		ORDER BY a.opened_at, a.id
		LIMIT $3`, []any{company, sector, limit}, func(r db.Row) error {
		out = append(out, WaitingCase{r.ID(0), r.ID(1), r.ID(2), r.Time(3), r.NullID(4), r.NullID(5)})
		return nil
	})
	return out, err
}

// markReceived notes that distribution gave a member a case, with a turn that is higher than those of all other members. The caller
// has called LockDistribution.
func markReceived(tx *kernel.Tx, company, member kernel.ID) {
	tx.Later(`
		UPDATE users
		SET received_at = $3, received_turn = 1 + COALESCE((SELECT MAX(o.received_turn) FROM users o WHERE o.company = $1), 0)
		WHERE company = $1 AND id = $2`, company, member, tx.Now)
}

// dueReturns gives up to limit conversations whose case was distributed so long ago that it goes back if it is not answered.
func dueReturns(tx *kernel.Tx, now time.Time, limit int) ([]talk.ConversationAt, error) {
	var due []talk.ConversationAt
	err := tx.Query(`
		SELECT /* all companies: due work */ a.company, a.conversation
		FROM attendances a
		JOIN sectors s ON s.company = a.company AND s.id = a.sector
		WHERE a.distributed_at IS NOT NULL AND a.distributed_at + s.return_minutes * 60000 <= $1
		ORDER BY a.distributed_at
		LIMIT $2`, []any{now, limit}, func(r db.Row) error {
		due = append(due, talk.ConversationAt{Company: r.ID(0), ID: r.ID(1)})
		return nil
	})
	return due, err
}
