package reception

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// DistributionStatus says who gets the next case of a sector, and why.
type DistributionStatus struct {
	Sector          kernel.Ref           `json:"sector"`
	Distribution    people.Distribution  `json:"distribution"`
	Open            bool                 `json:"open" doc:"Whether it is within the opening hours of the sector. Where it has none, those of a channel with cases in the queue count, and without any those of the company."`
	Waiting         int64                `json:"waiting" doc:"Cases in the queue."`
	OldestWaitingAt *time.Time           `json:"oldest_waiting_at"`
	Next            *kernel.Ref          `json:"next" doc:"Who gets the next case of a customer without a case before; null: no person can."`
	Members         []DistributionMember `json:"members" doc:"In the order in which they get cases; those who get none come last."`
}

// DistributionMember is a member of a sector as distribution sees them.
type DistributionMember struct {
	User            kernel.Ref `json:"user"`
	Presence        string     `json:"presence" enum:"online,away,offline"`
	OpenAttendances int64      `json:"open_attendances"`
	Capacity        int64      `json:"capacity" doc:"Their own, or that of the sector."`
	ReceivedAt      *time.Time `json:"received_at" doc:"When they last got a case by distribution."`
	Reason          string     `json:"reason" enum:"next,available,away,offline,full" doc:"next: gets the next case. available: comes later. away, offline: only people who are online get cases. full: has as many cases as the capacity."`
}

// Distribution says who gets the next case of a sector, and why.
func (d *Receptionist) Distribution(ctx context.Context, a *kernel.Principal, id kernel.ID) (DistributionStatus, error) {
	if err := a.May(VerbDistribution); err != nil {
		return DistributionStatus{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (out DistributionStatus, err error) {
		sector, found, err := findSector(tx, a.Company.ID, id)
		if err != nil || !found {
			return out, kernel.ErrOr(err, kernel.NotFound("sector"))
		}
		out = DistributionStatus{Sector: kernel.Ref{ID: id, Name: sector.Name}, Distribution: sector.Distribution, Members: []DistributionMember{}}
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
			reason := m.Reason()
			if m == next && distributes {
				reason, out.Next = ReasonNext, &m.User
			}
			out.Members = append(out.Members, DistributionMember{
				User: m.User, Presence: m.Presence, OpenAttendances: m.Open, Capacity: m.Capacity, ReceivedAt: m.ReceivedAt, Reason: reason,
			})
		}
		return out, err
	})
}

// distributesNow reports whether the opening hours let a case of a sector be given to a person: those of any channel with cases in its
// queue, and without cases those of the sector or the company.
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

// candidates lists the members of a sector in the order in which they get cases.
func (d *Receptionist) candidates(tx *kernel.Tx, company kernel.ID, sector *people.Sector) ([]Member, error) {
	all, err := sectorLoads(tx, company, sector.ID)
	if err != nil {
		return nil, err
	}
	latest := d.people.LastSeen()
	members := make([]Member, len(all))
	for i, c := range all {
		members[i] = Member{
			User: c.User, Presence: people.PresenceOf(tx.Now, c.Chosen, c.LastSeenAt, latest[c.User.ID]), Open: c.Open,
			Capacity: sector.Distribution.Capacity, ReceivedAt: c.ReceivedAt, Turn: c.Turn,
		}
		kernel.Set(&members[i].Capacity, c.Capacity)
	}
	Order(sector.Distribution.Mode, members)
	return members, nil
}

const (
	// distributeAtOnce is how many cases of a sector one step distributes, so that no sector keeps another waiting.
	distributeAtOnce = 50

	// What of a queue is looked at: nearly always the first case can be given to a person.
	queueFirst = 10
	queueWhole = 10_000

	returnBatch = 200
)

// Distribute gives waiting cases to people, and takes those back that were not answered in time. It reports whether there may be
// more to do at once. Any number of nodes may do this at the same time.
func (d *Receptionist) Distribute(ctx context.Context) (more bool, err error) {
	now := d.Now()
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]talk.ConversationAt, error) { return dueReturns(tx, now, returnBatch) })
	if err != nil {
		return false, err
	}
	if err := d.talk.ChangeEach(ctx, due, func(t *talk.LockedConversation) error { return t.ReturnCase(now) }); err != nil {
		return false, err
	}
	more = len(due) == returnBatch
	sectors, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]SectorAt, error) { return sectorsToDistribute(tx) })
	for _, at := range sectors {
		for given := 0; ; given++ {
			if given == distributeAtOnce {
				more = true
				break
			}
			done, err := d.distributeOne(d.Bind(ctx, at.Company), at)
			if err != nil {
				return false, err
			}
			if !done {
				break
			}
		}
	}
	return more, err
}

// distributeOne gives the oldest case of a sector that a person can get to that person. It looks first without a lock, because most
// of the time there is nothing to do.
func (d *Receptionist) distributeOne(ctx context.Context, at SectorAt) (bool, error) {
	possible, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		next, err := d.nextCase(tx, at)
		return next != nil, err
	})
	if err != nil || !possible {
		return false, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		lockDistribution(tx, at.Company)
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
			return true, nil // a person was faster: look again
		}
		to, present, err := people.KeepUser(tx, at.Company, next.member.User.ID)
		if err != nil || !present {
			return err == nil, err
		}
		if err := t.Assign(&to, t.Sector, nil, nil); err != nil {
			return false, err
		}
		markReceived(tx, at.Company, to.ID)
		if next.returns {
			talk.MarkDistributed(tx, at.Company, next.waiting.Attendance, tx.Now)
		}
		return true, t.Save()
	})
}

// nextCase is a waiting case and the person who gets it.
type nextCase struct {
	waiting WaitingCase
	member  *Member
	returns bool // it goes back unless it is answered
}

// nextCase finds the oldest case of a sector that a person can get; nil where there is none. Outside of the opening hours no case
// is given to a person.
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

// Member is a person who may get cases.
type Member struct {
	User       kernel.Ref
	Presence   string
	Open       int64 // cases, over all sectors
	Capacity   int64
	ReceivedAt *time.Time // by distribution; nil: never
	Turn       *int64     // grows with every case that distribution gives to a member of the company; nil: never
}

// The reasons why a member gets the next case, or does not.
const (
	ReasonNext      = "next"
	ReasonAvailable = "available"
	ReasonFull      = "full"
)

// Available reports whether a member can get a case.
func (m *Member) Available() bool { return m.Presence == people.PresenceOnline && m.Open < m.Capacity }

// Reason says why a member gets no case, or that they may.
func (m *Member) Reason() string {
	switch {
	case m.Presence != people.PresenceOnline:
		return m.Presence
	case m.Open >= m.Capacity:
		return ReasonFull
	}
	return ReasonAvailable
}

// Order sorts members by who gets a case first: those who can before those who cannot, then by the mode, and among equals who
// has waited longest.
func Order(mode string, members []Member) {
	slices.SortFunc(members, func(a, b Member) int {
		if a.Available() != b.Available() {
			if a.Available() {
				return -1
			}
			return 1
		}
		if mode == people.DistributeLeastBusy && a.Open != b.Open {
			return cmp.Compare(a.Open, b.Open)
		}
		return cmp.Or(compareTurns(a.Turn, b.Turn), bytes.Compare(a.User.ID[:], b.User.ID[:]))
	})
}

// compareTurns puts never first.
func compareTurns(a, b *int64) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Compare(*a, *b)
}

// Choose gives the member who gets a case, of members in their order: last, who had the customer's case before, where that is
// preferred and they can, else the first who can. not, who let the case go back, does not get it; both may be nil.
func Choose(preferLast bool, ordered []Member, last, not *kernel.ID) *Member {
	var chosen *Member
	for i := range ordered {
		m := &ordered[i]
		if !m.Available() || not != nil && m.User.ID == *not {
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

// Distribute gives waiting cases to people: as soon as something on this node may have made that possible, and every second, because
// people come online, hours begin and cases go back with time, and other nodes change things too.
type Distribute struct {
	Desk   *Receptionist
	Logger *slog.Logger
}

// Run ends with ctx.
func (d *Distribute) Run(ctx context.Context) {
	jobs.Repeat(ctx, d.Logger, "distribute", d.Desk.Wakeup(people.WakeDistribute).C, distributeEvery, d.Desk.Distribute)
}

const distributeEvery = time.Second
