package desk

import (
	"context"
	"slices"
	"time"

	"recado/internal/distribution"
	"recado/internal/model"
	"recado/internal/store"
)

// DistributionChange is what of a sector's distribution is to change; nil leaves a part as it is.
type DistributionChange struct {
	Mode               *string
	Capacity           *int64
	PreferLast         *bool
	ReturnAfterMinutes model.Optional[int64]
}

// apply checks a change and makes it.
func (in *DistributionChange) apply(d *model.Distribution) error {
	set(&d.Mode, in.Mode)
	set(&d.Capacity, in.Capacity)
	set(&d.PreferLast, in.PreferLast)
	if in.ReturnAfterMinutes.Set {
		d.ReturnAfterMinutes = in.ReturnAfterMinutes.Pointer()
	}
	if after := d.ReturnAfterMinutes; after != nil && (*after < 1 || *after > model.MaxReturnAfter) {
		return model.Invalid("body.distribution.return_after_minutes", "must be 1 to 1440, or null")
	}
	return nil
}

// checkCapacity checks a member's own capacity.
func checkCapacity(capacity model.Optional[int64]) error {
	if c := capacity.Pointer(); c != nil && (*c < 1 || *c > model.MaxCapacity) {
		return model.Invalid("body.capacity", "must be 1 to 100, or null for that of the sector")
	}
	return nil
}

// Distribution says who gets the next case of a sector, and why.
func (d *Desk) Distribution(ctx context.Context, a *Principal, id model.ID) (model.DistributionStatus, error) {
	if err := a.May(VerbDistribution); err != nil {
		return model.DistributionStatus{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (out model.DistributionStatus, err error) {
		sector, found, err := tx.Sector(a.Company.ID, id)
		if err != nil || !found {
			return out, errOr(err, model.NotFound("sector"))
		}
		out = model.DistributionStatus{Sector: model.Ref{ID: id, Name: sector.Name}, Distribution: sector.Distribution, Members: []model.DistributionMember{}}
		lines, err := tx.WaitingLines(a.Company.ID)
		if err != nil {
			return out, err
		}
		lines = slices.DeleteFunc(lines, func(line store.WaitingLine) bool { return line.Sector != id })
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
		next := distribution.Choose(false, members, nil, nil)
		distributes := sector.Distribution.Mode != model.DistributeManual && out.Open
		for i := range members {
			m := &members[i]
			reason := m.Reason()
			if m == next && distributes {
				reason, out.Next = distribution.ReasonNext, &m.User
			}
			out.Members = append(out.Members, model.DistributionMember{
				User: m.User, Presence: m.Presence, OpenAttendances: m.Open, Capacity: m.Capacity, ReceivedAt: m.ReceivedAt, Reason: reason,
			})
		}
		return out, err
	})
}

// distributesNow reports whether the opening hours let a case of a sector be given to a person: those of any channel with cases in its
// queue, and without cases those of the sector or the company.
func distributesNow(tx *store.Tx, company, sector model.ID, queues []store.WaitingLine) (bool, error) {
	if len(queues) == 0 {
		return isOpen(tx, company, model.ID{}, &sector, tx.Now)
	}
	for _, queue := range queues {
		if open, err := isOpen(tx, company, queue.Channel, &sector, tx.Now); err != nil || open {
			return open, err
		}
	}
	return false, nil
}

// candidates lists the members of a sector in the order in which they get cases.
func (d *Desk) candidates(tx *store.Tx, company model.ID, sector *model.Sector) ([]distribution.Member, error) {
	all, err := tx.SectorLoads(company, sector.ID)
	if err != nil {
		return nil, err
	}
	latest := d.seen.members()
	members := make([]distribution.Member, len(all))
	for i, c := range all {
		members[i] = distribution.Member{
			User: c.User, Presence: presence(tx.Now, c.Chosen, c.LastSeenAt, latest[c.User.ID]), Open: c.Open,
			Capacity: sector.Distribution.Capacity, ReceivedAt: c.ReceivedAt, Turn: c.Turn,
		}
		set(&members[i].Capacity, c.Capacity)
	}
	distribution.Order(sector.Distribution.Mode, members)
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
func (d System) Distribute(ctx context.Context) (more bool, err error) {
	now := d.now()
	due, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.ConversationAt, error) { return tx.DueReturns(now, returnBatch) })
	if err != nil {
		return false, err
	}
	if err := d.changeEach(ctx, due, func(t *lockedConversation) error { return t.returnCase(now) }); err != nil {
		return false, err
	}
	more = len(due) == returnBatch
	sectors, err := readOne(ctx, d.Desk, func(tx *store.Tx) ([]store.SectorAt, error) { return tx.SectorsToDistribute() })
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
func (d *Desk) distributeOne(ctx context.Context, at store.SectorAt) (bool, error) {
	possible, err := read(ctx, d, func(tx *store.Tx) (bool, error) {
		next, err := d.nextCase(tx, at)
		return next != nil, err
	})
	if err != nil || !possible {
		return false, err
	}
	return write(ctx, d, func(tx *store.Tx) (bool, error) {
		tx.LockDistribution(at.Company)
		next, err := d.nextCase(tx, at)
		if err != nil || next == nil {
			return false, err
		}
		c, found, err := tx.LockConversation(at.Company, next.waiting.Conversation)
		if err != nil || !found {
			return false, err
		}
		t := d.locked(tx, c)
		if t.Attendance == nil || t.Attendance.ID != next.waiting.Attendance || !same(queueOf(&t.Conversation), &at.ID) {
			return true, nil // a person was faster: look again
		}
		to, present, err := tx.KeepUser(at.Company, next.member.User.ID)
		if err != nil || !present {
			return err == nil, err
		}
		if err := t.assign(&to, t.Sector, nil, nil); err != nil {
			return false, err
		}
		tx.MarkReceived(at.Company, to.ID)
		if next.returns {
			tx.MarkDistributed(at.Company, next.waiting.Attendance, tx.Now)
		}
		return true, t.save()
	})
}

// nextCase is a waiting case and the person who gets it.
type nextCase struct {
	waiting store.WaitingCase
	member  *distribution.Member
	returns bool // it goes back unless it is answered
}

// nextCase finds the oldest case of a sector that a person can get; nil where there is none. Outside of the opening hours no case
// is given to a person.
func (d *Desk) nextCase(tx *store.Tx, at store.SectorAt) (*nextCase, error) {
	sector, found, err := tx.Sector(at.Company, at.ID)
	if err != nil || !found || sector.Distribution.Mode == model.DistributeManual {
		return nil, err
	}
	members, err := d.candidates(tx, at.Company, &sector)
	if err != nil || distribution.Choose(false, members, nil, nil) == nil {
		return nil, err
	}
	open := map[model.ID]bool{}
	for _, limit := range []int{queueFirst, queueWhole} {
		queue, err := tx.WaitingCases(at.Company, at.ID, limit)
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
			if m := distribution.Choose(sector.Distribution.PreferLast, members, waiting.Last, waiting.ReturnedFrom); m != nil {
				return &nextCase{waiting, m, sector.Distribution.ReturnAfterMinutes != nil}, nil
			}
		}
		if len(queue) < limit {
			break
		}
	}
	return nil, nil
}

// returnCase puts a distributed case that was not answered in time back into the queue. Its time begins when the person got it, or when
// the customer wrote where they were not waiting then.
func (t *lockedConversation) returnCase(now time.Time) error {
	if t.Attendance == nil {
		return nil
	}
	id := t.Attendance.ID
	at, minutes, err := t.tx.DistributedAt(t.Company, id)
	if err != nil || at == nil {
		return err
	}
	if t.Assignee == nil || minutes == nil {
		t.tx.KeepDistributed(t.Company, id)
		return nil
	}
	since, waiting := *at, t.WaitingSince()
	switch {
	case waiting == nil:
		since = now // there is nothing to answer yet
	case waiting.After(since):
		since = *waiting
	}
	if now.Before(since.Add(time.Duration(*minutes) * time.Minute)) {
		t.tx.MarkDistributed(t.Company, id, since)
		return nil
	}
	from := *t.Assignee
	if err := t.assign(nil, t.Sector, nil, nil); err != nil {
		return err
	}
	t.tx.MarkReturned(t.Company, id, from)
	return t.save()
}

// SetBot says until when bots are silent in a conversation; nil lets them answer again.
func (d *Desk) SetBot(ctx context.Context, a *Principal, id model.ID, pausedUntil *time.Time) (*model.Conversation, error) {
	if err := a.May(VerbSetBot); err != nil {
		return nil, err
	}
	if pausedUntil != nil {
		at, invalid := model.Future("body.paused_until", *pausedUntil, d.now())
		if invalid != nil {
			return nil, invalid
		}
		pausedUntil = &at
	}
	return write(ctx, d, func(tx *store.Tx) (*model.Conversation, error) {
		t, err := d.lock(tx, a, id)
		if err != nil {
			return nil, err
		}
		t.BotPausedUntil = pausedUntil
		return t.shown(a, t.saveIfChanged())
	})
}

// botPause is how long a message of a person keeps bots silent.
const botPause = time.Hour

// pauseBot keeps bots silent after a message of a person.
func (t *lockedConversation) pauseBot() {
	until := t.tx.Now.Add(botPause)
	if t.BotPausedUntil == nil || t.BotPausedUntil.Before(until) {
		t.BotPausedUntil = &until
	}
}
