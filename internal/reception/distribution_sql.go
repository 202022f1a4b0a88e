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

// sectorsToDistribute returns the sectors that distribute cases and have some in their queue. Its cost grows with the number of
// sectors that distribute.
func sectorsToDistribute(tx *kernel.Tx) ([]SectorAt, error) {
	var out []SectorAt
	err := tx.Query(`
		SELECT /* all companies: cases to distribute */ s.company, s.id
		FROM sectors s
		WHERE s.distribution <> 'manual' AND s.removed_at IS NULL AND EXISTS (
			SELECT 1
			FROM attendances a
			WHERE a.company = s.company AND a.sector = s.id AND a.responsible IS NULL AND a.closed_at IS NULL AND NOT a.private
				AND NOT `+kernel.ChannelPrivate("a")+`)
		ORDER BY s.company, s.id`, nil, func(r db.Row) error {
		out = append(out, SectorAt{r.ID("company"), r.ID("id")})
		return nil
	})
	return out, err
}

// lockDistribution lets one transaction at a time distribute cases of a company, because a member of several sectors has one
// capacity. SQLite has one writer and needs no lock.
func lockDistribution(tx *kernel.Tx, company kernel.ID) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(company[8:]))+1)
	}
}

// findSector returns a sector of the company without its members and queues.
func findSector(tx *kernel.Tx, company, id kernel.ID) (people.Sector, bool, error) {
	s := people.Sector{ID: id, Members: []kernel.Ref{}, Queues: []people.Queue{}}
	found, err := tx.One(`
		SELECT name, hours, distribution, capacity, prefer_last, return_minutes
		FROM sectors
		WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(r db.Row) {
		s.Name, s.HoursID, s.Distribution = r.Text("name"), r.NullID("hours"), people.ScanDistribution(r)
	})
	return s, found, err
}

// SectorLoad is a member of a sector who may get its cases.
type SectorLoad struct {
	User       kernel.Ref
	LastSeenAt *time.Time // in a session that has not ended; nil: no session
	Chosen     string     // the presence that they chose
	Capacity   *int64     // their own
	Open       int64      // cases in all sectors
	ReceivedAt *time.Time
	Turn       *int64 // of their last case; see markReceived
}

// sectorLoads returns the members of a sector who have not been removed.
func sectorLoads(tx *kernel.Tx, company, sector kernel.ID) ([]SectorLoad, error) {
	var out []SectorLoad
	err := tx.Query(`
		SELECT u.id, u.name, `+people.SeenInSession+` AS last_seen_at, u.presence, u.capacity, (
			SELECT COUNT(*)
			FROM attendances a
			WHERE a.company = u.company AND a.responsible = u.id AND a.closed_at IS NULL AND NOT a.private
				AND NOT `+kernel.ChannelPrivate("a")+`) AS open_cases, u.received_at, u.received_turn
		FROM sector_members m
		JOIN users u ON u.company = m.company AND u.id = m.member
		WHERE m.company = $1 AND m.sector = $2 AND u.removed_at IS NULL`, []any{company, sector}, func(r db.Row) error {
		out = append(out, SectorLoad{
			User: kernel.Ref{ID: r.ID("id"), Name: r.Text("name")}, LastSeenAt: r.NullTime("last_seen_at"), Chosen: r.Text("presence"),
			Capacity: r.NullInt("capacity"), Open: r.Int("open_cases"),
			ReceivedAt: r.NullTime("received_at"), Turn: r.NullInt("received_turn"),
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
	ReturnedFrom *kernel.ID // the last member who did not respond to it in time
	Last         *kernel.ID // the responsible member of the conversation's previous case
}

// waitingCases returns up to limit cases in the queue of a sector, oldest first. A case is not waiting yet while its customer
// is in a menu.
func waitingCases(tx *kernel.Tx, company, sector kernel.ID, limit int) ([]WaitingCase, error) {
	var out []WaitingCase
	err := tx.Query(`
		SELECT a.id, a.conversation, a.channel, a.opened_at, a.returned_from, (
			SELECT p.responsible
			FROM attendances p
			WHERE p.company = a.company AND p.conversation = a.conversation AND p.responsible IS NOT NULL AND p.closed_at IS NOT NULL
			ORDER BY p.opened_at DESC, p.id DESC
			LIMIT 1) AS last_responsible
		FROM attendances a
		JOIN conversations c ON c.company = a.company AND c.id = a.conversation
		WHERE a.company = $1 AND a.sector = $2 AND a.responsible IS NULL AND a.closed_at IS NULL AND NOT a.private
			AND NOT `+kernel.ChannelPrivate("a")+` AND c.reception IS NULL
		ORDER BY a.opened_at, a.id
		LIMIT $3`, []any{company, sector, limit}, func(r db.Row) error {
		out = append(out, WaitingCase{
			r.ID("id"), r.ID("conversation"), r.ID("channel"), r.Time("opened_at"),
			r.NullID("returned_from"), r.NullID("last_responsible"),
		})
		return nil
	})
	return out, err
}

// markReceived records that distribution gave a member a case, with a turn that is higher than those of all other members. The
// caller has called lockDistribution.
func markReceived(tx *kernel.Tx, company, member kernel.ID) {
	tx.Later(`
		UPDATE users
		SET received_at = $3, received_turn = 1 + COALESCE((SELECT MAX(o.received_turn) FROM users o WHERE o.company = $1), 0)
		WHERE company = $1 AND id = $2`, company, member, tx.Now)
}

// dueReturns returns up to limit conversations whose case goes back to the queue because it got no response in time.
func dueReturns(tx *kernel.Tx, now time.Time, limit int) ([]talk.ConversationAt, error) {
	var due []talk.ConversationAt
	err := tx.Query(`
		SELECT /* all companies: due work */ a.company, a.conversation
		FROM attendances a
		JOIN sectors s ON s.company = a.company AND s.id = a.sector
		WHERE a.distributed_at IS NOT NULL AND a.distributed_at + s.return_minutes * 60000 <= $1
		ORDER BY a.distributed_at
		LIMIT $2`, []any{now, limit}, func(r db.Row) error {
		due = append(due, talk.ConversationAt{Company: r.ID("company"), ID: r.ID("conversation")})
		return nil
	})
	return due, err
}
