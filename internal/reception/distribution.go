package reception

import (
	"cmp"
	"context"
	"encoding/binary"
	"log/slog"
	"slices"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// DistributionStatus shows who gets the next case of a sector, and why.
type DistributionStatus struct {
	Sector          kernel.Ref           `json:"sector"`
	Distribution    people.Distribution  `json:"distribution"`
	Open            bool                 `json:"open" doc:"Whether the sector is currently within its opening hours. If it has none, the opening hours of a channel with cases in the queue apply, or else the company's."`
	Waiting         int64                `json:"waiting" doc:"The number of cases in the queue."`
	OldestWaitingAt *time.Time           `json:"oldest_waiting_at"`
	Next            *kernel.Ref          `json:"next" doc:"The person who gets the next case of a customer without previous cases; null if nobody is available."`
	Members         []DistributionMember `json:"members" doc:"The members in the order in which they get cases. Members who cannot get cases come last."`
}

// DistributionMember is a member of a sector as distribution sees them.
type DistributionMember struct {
	User            kernel.Ref `json:"user"`
	Presence        string     `json:"presence" enum:"online,away,offline"`
	OpenAttendances int64      `json:"open_attendances"`
	Capacity        int64      `json:"capacity" doc:"The member's own capacity, or the capacity of the sector."`
	ReceivedAt      *time.Time `json:"received_at" doc:"The time at which the member last got a case through distribution."`
	Reason          string     `json:"reason" enum:"next,available,away,offline,full" doc:"next: gets the next case. available: gets a later case. away, offline: gets no cases, because only people who are online do. full: has reached the capacity."`
}

// Distribution returns who gets the next case of a sector, and why.
func (d *Receptionist) Distribution(ctx context.Context, a *kernel.Principal, id kernel.ID) (DistributionStatus, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (out DistributionStatus, err error) {
		sector, found, err := findSector(tx, a.Company.ID, id)
		if err != nil || !found {
			return out, kernel.ErrOr(err, kernel.NotFound("sector"))
		}
		out = DistributionStatus{
			Sector: kernel.Ref{ID: id, Name: sector.Name}, Distribution: sector.Distribution, Members: []DistributionMember{},
		}
		lines, err := people.WaitingLines(tx, a.Company.ID)
		if err != nil {
			return out, err
		}
		lines = slices.DeleteFunc(lines, func(line people.WaitingLine) bool { return line.Sector != id })
		for _, line := range lines {
			out.Waiting += line.Waiting
			if out.OldestWaitingAt == nil || line.OldestWaitingAt.Before(*out.OldestWaitingAt) {
				out.OldestWaitingAt = line.OldestWaitingAt
			}
		}
		if out.Open, err = distributesNow(tx, a.Company.ID, id, lines); err != nil {
			return out, err
		}
		members, err := d.candidates(tx, a.Company.ID, &sector)
		next := Choose(false, members, nil, nil)
		distributes := sector.Distribution.Mode != people.DistributeManual && out.Open
		for i := range members {
			m := &members[i]
			switch {
			case m == next && distributes:
				m.Reason, out.Next = "next", &m.User
			case m.Presence != people.PresenceOnline:
				m.Reason = m.Presence
			case m.OpenAttendances >= m.Capacity:
				m.Reason = "full"
			default:
				m.Reason = "available"
			}
			out.Members = append(out.Members, m.DistributionMember)
		}
		return out, err
	})
}

// distributesNow reports whether the opening hours allow cases of a sector to be distributed: those of any channel with cases
// in its queue or, without cases, those of the sector or the company.
func distributesNow(tx *kernel.Tx, company, sector kernel.ID, queues []people.WaitingLine) (bool, error) {
	if len(queues) == 0 {
		return isOpen(tx, company, kernel.ID{}, &sector, tx.Now)
	}
	for _, queue := range queues {
		if open, err := isOpen(tx, company, queue.Channel, &sector, tx.Now); err != nil || open {
			return open, err
		}
	}
	return false, nil
}

const (
	// distributeAtOnce is the number of cases of a sector that one step distributes, so that other sectors need not wait long.
	distributeAtOnce = 50

	// How much of a queue is read: nearly always its first case can be distributed.
	queueFirst = 10
	queueWhole = 10_000

	returnBatch = 200
)

// Distribute assigns waiting cases to members and takes back those that got no response in time. It reports whether there may be
// more. Several nodes may call it concurrently.
func (d *Receptionist) Distribute(ctx context.Context) (more bool, err error) {
	now := d.Now()
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]talk.ConversationAt, error) {
		return dueReturns(tx, now, returnBatch)
	})
	if err != nil {
		return false, err
	}
	if err := d.talk.ChangeEach(ctx, due, func(t *talk.LockedConversation) error { return t.ReturnCase(now) }); err != nil {
		return false, err
	}
	more = len(due) == returnBatch
	sectors, err := kernel.ReadOne(ctx, d.Kernel, sectorsToDistribute)
	for _, at := range sectors {
		done := true
		for given := 0; done && given < distributeAtOnce; given++ {
			if done, err = d.distributeOne(kernel.ForCompany(ctx, at.Company), at); err != nil {
				return false, err
			}
		}
		more = more || done
	}
	return more, err
}

// distributeOne assigns the oldest case of a sector for which a member is available. It first checks without a lock, because
// there is usually nothing to do.
func (d *Receptionist) distributeOne(ctx context.Context, at SectorAt) (bool, error) {
	possible, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		next, err := d.nextCase(tx, at)
		return next != nil, err
	})
	if err != nil || !possible {
		return false, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		if tx.Dialect().ConcurrentWrites() { // one transaction at a time, because a member of several sectors has one capacity
			tx.Later(`SELECT pg_advisory_xact_lock($1)`, int64(binary.BigEndian.Uint64(at.Company[8:]))+1)
		}
		next, err := d.nextCase(tx, at)
		if err != nil || next == nil {
			return false, err
		}
		c, found, err := talk.LockConversation(tx, at.Company, next.waiting.Conversation)
		if err != nil || !found {
			return false, err
		}
		t := d.talk.Locked(tx, c)
		if t.Attendance == nil || t.Attendance.ID != next.waiting.Attendance || !kernel.Same(talk.QueueOf(&t.Conversation), &at.ID) {
			return true, nil // taken meanwhile: try the next one
		}
		to, present, err := people.KeepUser(tx, at.Company, next.member.User.ID)
		if err != nil || !present {
			return err == nil, err
		}
		if err := t.Assign(&to, t.Sector, nil, nil); err != nil {
			return false, err
		}
		tx.Later(`
			UPDATE users
			SET received_at = $3, received_turn = 1 + COALESCE((SELECT MAX(o.received_turn) FROM users o WHERE o.company = $1), 0)
			WHERE company = $1 AND id = $2`, at.Company, to.ID, tx.Now)
		if next.returns {
			talk.MarkDistributed(tx, at.Company, next.waiting.Attendance, tx.Now)
		}
		return true, t.Save()
	})
}

// nextCase is a waiting case and the member who gets it.
type nextCase struct {
	waiting WaitingCase
	member  *Member
	returns bool // it goes back to the queue without a response
}

// nextCase returns the oldest case of a sector for which a member is available, or nil. Outside the opening hours no case is
// distributed.
func (d *Receptionist) nextCase(tx *kernel.Tx, at SectorAt) (*nextCase, error) {
	sector, found, err := findSector(tx, at.Company, at.ID)
	if err != nil || !found || sector.Distribution.Mode == people.DistributeManual {
		return nil, err
	}
	members, err := d.candidates(tx, at.Company, &sector)
	if err != nil || Choose(false, members, nil, nil) == nil {
		return nil, err
	}
	open := map[kernel.ID]bool{}
	for _, limit := range []int{queueFirst, queueWhole} {
		queue, err := waitingCases(tx, at.Company, at.ID, limit)
		if err != nil {
			return nil, err
		}
		for _, waiting := range queue {
			if _, known := open[waiting.Channel]; !known {
				if open[waiting.Channel], err = isOpen(tx, at.Company, waiting.Channel, &at.ID, tx.Now); err != nil {
					return nil, err
				}
			}
			if !open[waiting.Channel] {
				continue
			}
			if m := Choose(sector.Distribution.PreferLast, members, waiting.Last, waiting.ReturnedFrom); m != nil {
				return &nextCase{waiting, m, sector.Distribution.ReturnAfterMinutes != nil}, nil
			}
		}
		if len(queue) < limit {
			break
		}
	}
	return nil, nil
}

// Member is a member of a sector who may get cases.
type Member struct {
	DistributionMember
	Turn *int64 // of their last case, counted over the company; nil: never
}

// Available reports whether a member can get a case.
func (m *Member) Available() bool {
	return m.Presence == people.PresenceOnline && m.OpenAttendances < m.Capacity
}

// Order sorts members by who gets a case first: available members before others, then by the mode, then by the time since their
// last case.
func Order(mode string, members []Member) {
	unavailable := func(m Member) int {
		if m.Available() {
			return 0
		}
		return 1
	}
	turn := func(m Member) int64 {
		if m.Turn == nil {
			return -1
		}
		return *m.Turn
	}
	slices.SortFunc(members, func(a, b Member) int {
		byMode := 0
		if mode == people.DistributeLeastBusy {
			byMode = cmp.Compare(a.OpenAttendances, b.OpenAttendances)
		}
		return cmp.Or(unavailable(a)-unavailable(b), byMode, cmp.Compare(turn(a), turn(b)), kernel.CompareIDs(a.User.ID, b.User.ID))
	})
}

// Choose returns the member who gets a case: last if that is preferred and they are available, else the first available one.
// skip, who did not respond to the case in time, is not considered. Both may be nil.
func Choose(preferLast bool, ordered []Member, last, skip *kernel.ID) *Member {
	var chosen *Member
	for i := range ordered {
		m := &ordered[i]
		if !m.Available() || skip != nil && m.User.ID == *skip {
			continue
		}
		if preferLast && last != nil && m.User.ID == *last {
			return m
		}
		if chosen == nil {
			chosen = m
		}
	}
	return chosen
}

// Distribute is the worker that distributes waiting cases: when something changes on this node, and every second because members
// come online, hours begin, cases go back to the queue and other nodes make changes.
type Distribute struct {
	Desk   *Receptionist
	Logger *slog.Logger
}

// Run distributes until ctx ends.
func (d *Distribute) Run(ctx context.Context) {
	jobs.Repeat(ctx, d.Logger, "distribute", d.Desk.Wakeup(people.WakeDistribute).C, time.Second, d.Desk.Distribute)
}
