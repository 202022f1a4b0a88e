package reception

import (
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
	return kernel.Rows(tx, `
		SELECT /* all companies: cases to distribute */ s.company, s.id
		FROM sectors s
		WHERE s.distribution <> 'manual' AND s.removed_at IS NULL AND EXISTS (
			SELECT 1
			FROM attendances a
			WHERE a.company = s.company AND a.sector = s.id AND a.responsible IS NULL AND a.closed_at IS NULL AND NOT a.private
				AND NOT `+kernel.ChannelPrivate("a")+`)
		ORDER BY s.company, s.id`, nil, func(r db.Row) SectorAt { return SectorAt{r.ID("company"), r.ID("id")} })
}

// findSector returns a sector of the company without its members and queues.
func findSector(tx *kernel.Tx, company, id kernel.ID) (people.Sector, bool, error) {
	return kernel.Row(tx, `
		SELECT name, distribution, capacity, prefer_last, return_minutes
		FROM sectors
		WHERE company = $1 AND id = $2 AND removed_at IS NULL`, []any{company, id}, func(r db.Row) people.Sector {
		return people.Sector{ID: id, Name: r.Text("name"), Distribution: people.ScanDistribution(r)}
	})
}

// candidates returns the members of a sector in the order in which they get cases.
func (d *Receptionist) candidates(tx *kernel.Tx, company kernel.ID, sector *people.Sector) ([]Member, error) {
	latest := d.people.LastSeen()
	members, err := kernel.Rows(tx, `
		SELECT u.id, u.name, `+people.SeenInSession+` AS last_seen_at, u.presence, u.capacity, (
			SELECT COUNT(*)
			FROM attendances a
			WHERE a.company = u.company AND a.responsible = u.id AND a.closed_at IS NULL AND NOT a.private
				AND NOT `+kernel.ChannelPrivate("a")+`) AS open_cases, u.received_at, u.received_turn
		FROM sector_members m
		JOIN users u ON u.company = m.company AND u.id = m.member
		WHERE m.company = $1 AND m.sector = $2 AND u.removed_at IS NULL`, []any{company, sector.ID}, func(r db.Row) Member {
		m := DistributionMember{User: kernel.Ref{ID: r.ID("id"), Name: r.Text("name")}, Capacity: sector.Distribution.Capacity}
		seen, chosen := r.NullTime("last_seen_at"), r.Text("presence")
		m.Presence = people.PresenceOf(tx.Now, chosen, seen, latest[m.User.ID])
		kernel.Set(&m.Capacity, r.NullInt("capacity"))
		m.OpenAttendances, m.ReceivedAt = r.Int("open_cases"), r.NullTime("received_at")
		return Member{m, r.NullInt("received_turn")}
	})
	Order(sector.Distribution.Mode, members)
	return members, err
}

// WaitingCase is an open attendance in the queue of a sector.
type WaitingCase struct {
	Attendance   kernel.ID
	Conversation kernel.ID
	Channel      kernel.ID
	ReturnedFrom *kernel.ID // the last member who did not respond to it in time
	Last         *kernel.ID // the responsible member of the conversation's previous case
}

// waitingCases returns up to limit cases in the queue of a sector, oldest first. A case is not waiting yet while its customer
// is in a menu.
func waitingCases(tx *kernel.Tx, company, sector kernel.ID, limit int) ([]WaitingCase, error) {
	return kernel.Rows(tx, `
		SELECT a.id, a.conversation, a.channel, a.returned_from, (
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
		LIMIT $3`, []any{company, sector, limit}, func(r db.Row) WaitingCase {
		return WaitingCase{
			r.ID("id"), r.ID("conversation"), r.ID("channel"), r.NullID("returned_from"), r.NullID("last_responsible"),
		}
	})
}

// dueReturns returns up to limit conversations whose case goes back to the queue because it got no response in time.
func dueReturns(tx *kernel.Tx, now time.Time, limit int) ([]talk.ConversationAt, error) {
	return kernel.Rows(tx, `
		SELECT /* all companies: due work */ a.company, a.conversation
		FROM attendances a
		JOIN sectors s ON s.company = a.company AND s.id = a.sector
		WHERE a.distributed_at IS NOT NULL AND a.distributed_at + s.return_minutes * 60000 <= $1
		ORDER BY a.distributed_at
		LIMIT $2`, []any{now, limit}, func(r db.Row) talk.ConversationAt {
		return talk.ConversationAt{Company: r.ID("company"), ID: r.ID("conversation")}
	})
}
