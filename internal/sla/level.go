package sla

import (
	"reflect"
	"time"

	"recado/internal/kernel"
	"recado/internal/reception"
	"recado/internal/talk"
)

// moment is the state of a case that its targets depend on, besides the policy.
type moment struct {
	now      time.Time
	inMenu   bool                // the customer is choosing from a menu
	waiting  *time.Time          // the customer's oldest unanswered message
	answered bool                // the first response was given in this transaction
	replied  bool                // the team replied in this transaction, and the customer has written again
	schedule *reception.Schedule // nil: always open

	announcements []announcement
}

// announcement is a warning or a breach of a target, to be announced once.
type announcement struct {
	target   string
	breached bool
}

// update returns the service level of an open attendance under a policy. Targets that are met stay as they are; the others are
// computed again.
func (m *moment) update(att *talk.Attendance, p *SLAPolicy) *talk.ServiceLevel {
	level := copied(att.SLA)
	level.Policy = kernel.Ref{ID: p.ID, Name: p.Name}
	m.updateFirst(att, p, &level)
	m.updateNext(att, p, &level)
	level.Resolution = m.target(p, p.Resolution, level.Resolution, &att.OpenedAt)
	m.settle(&level)
	return &level
}

// close returns the service level of an attendance that is being closed. Responses that were not given stay open.
func (m *moment) close(att *talk.Attendance) *talk.ServiceLevel {
	level := copied(att.SLA)
	if r := level.Resolution; r != nil && r.MetAt == nil {
		meet(r, *att.ClosedAt)
	}
	m.settle(&level)
	return &level
}

// copied returns a copy of a level whose targets can be changed. The copy of nil is empty.
func copied(level *talk.ServiceLevel) (c talk.ServiceLevel) {
	if level == nil {
		return c
	}
	c = *level
	for _, t := range []**talk.Target{&c.First, &c.Next, &c.Resolution} {
		if *t != nil {
			*t = new(**t)
		}
	}
	return c
}

// updateFirst computes the target of the first response. It starts when the case begins to wait for a person.
func (m *moment) updateFirst(att *talk.Attendance, p *SLAPolicy, level *talk.ServiceLevel) {
	if att.FirstResponseAt != nil && level.First == nil && !m.answered {
		return // it was given before there was a target
	}
	var start *time.Time
	switch {
	case m.inMenu:
	case att.OpenedBy == talk.OpenedByTeam:
		start = m.waiting
	case att.MenuEndedAt != nil:
		start = att.MenuEndedAt
	default:
		start = &att.OpenedAt
	}
	if start == nil && m.answered {
		start = &m.now
	}
	if att.FirstResponseAt == nil || level.First == nil { // otherwise it has begun
		level.First = m.target(p, p.FirstResponse, level.First, start)
	} else if p.FirstResponse == nil {
		level.First = nil
	}
	if t := level.First; t != nil && t.MetAt == nil && att.FirstResponseAt != nil {
		meet(t, *att.FirstResponseAt)
	}
}

// updateNext computes the target of the response to the customer's oldest unanswered message after the first response. The last
// one stays until the customer writes again.
func (m *moment) updateNext(att *talk.Attendance, p *SLAPolicy, level *talk.ServiceLevel) {
	if t := level.Next; t != nil && t.MetAt == nil && (m.waiting == nil || m.replied) {
		meet(t, m.now)
	}
	if p.NextResponse == nil || m.waiting != nil && level.Next != nil && level.Next.MetAt != nil {
		endRound(level)
	}
	if att.FirstResponseAt != nil && m.waiting != nil {
		level.Next = m.target(p, p.NextResponse, level.Next, m.waiting)
	}
}

// endRound counts the response that Next is about, if it was given, and removes it.
func endRound(level *talk.ServiceLevel) {
	switch t := level.Next; {
	case t == nil || t.MetAt == nil:
	case t.State == talk.TargetMet:
		level.NextMet++
	default:
		level.NextBreached++
	}
	level.Next = nil
}

// target returns a target that began at start. It returns nil if the policy has none, if it has not begun, or if the opening hours
// leave no time for it. old is the target so far, or nil; if it is met it stays.
func (m *moment) target(p *SLAPolicy, minutes *int64, old *talk.Target, start *time.Time) *talk.Target {
	switch {
	case minutes == nil:
		return nil
	case old != nil && old.MetAt != nil:
		return old
	case start == nil:
		return nil
	}
	length := time.Duration(*minutes) * time.Minute
	due, ok := m.add(*start, length)
	warn, ok2 := m.add(*start, length*time.Duration(p.WarnPercent)/100)
	if !ok || !ok2 {
		return nil
	}
	t := &talk.Target{DueAt: due, WarnAt: warn, State: talk.TargetPending}
	if old != nil {
		t.Warned, t.Breached = old.Warned, old.Breached
	}
	return t
}

// add adds a duration to a time, of which only opening hours count. It reports false if they are not open for that long.
func (m *moment) add(start time.Time, d time.Duration) (time.Time, bool) {
	at, ok := start.Add(d), true
	if m.schedule != nil {
		at, ok = m.schedule.Add(start, d)
	}
	return time.UnixMilli(at.UnixMilli()).UTC(), ok // as it is stored
}

// meet ends a target.
func meet(t *talk.Target, at time.Time) {
	t.MetAt, t.State = &at, talk.TargetMet
	if at.After(t.DueAt) {
		t.State = talk.TargetBreached
	}
}

// settle sets the states of the targets that are not met, and collects what must be announced.
func (m *moment) settle(level *talk.ServiceLevel) {
	for _, target := range []struct {
		name string
		*talk.Target
	}{{talk.TargetFirst, level.First}, {talk.TargetNext, level.Next}, {talk.TargetResolution, level.Resolution}} {
		t := target.Target
		if t == nil {
			continue
		}
		if t.MetAt == nil {
			switch {
			case !m.now.Before(t.DueAt):
				t.State = talk.TargetBreached
			case !m.now.Before(t.WarnAt):
				t.State = talk.TargetWarned
			default:
				t.State = talk.TargetPending
			}
		}
		switch {
		case t.State == talk.TargetBreached && !t.Breached:
			t.Breached = true
			m.announcements = append(m.announcements, announcement{target.name, true})
		case t.State == talk.TargetWarned && !t.Warned && !t.Breached:
			t.Warned = true
			m.announcements = append(m.announcements, announcement{target.name, false})
		}
	}
}

// momentOf returns the present state of an open case.
func momentOf(t *talk.LockedConversation) *moment {
	return &moment{now: t.Tx.Now, inMenu: t.Reception != nil, waiting: t.WaitingSince()}
}

// refresh brings the service level of the open attendance of a conversation up to date. The caller saves the conversation.
func (d *Levels) refresh(t *talk.LockedConversation, att *talk.Attendance, m *moment) error {
	p, err := policyOf(t.Tx, t.Company, att.Sector)
	if err != nil {
		return err
	}
	var level *talk.ServiceLevel
	if p != nil {
		if p.Clock == ClockHours {
			if m.schedule, err = reception.ScheduleOf(t.Tx, t.Company, t.Channel, att.Sector); err != nil {
				return err
			}
		}
		level = m.update(att, p)
	}
	return d.store(t, att, level, m)
}

// store stores a service level and announces what has to be announced.
func (d *Levels) store(t *talk.LockedConversation, att *talk.Attendance, level *talk.ServiceLevel, m *moment) error {
	var policy *kernel.ID
	if level != nil {
		policy = &level.Policy.ID
	}
	t.SetServiceLevel(policy, level.Due())
	if reflect.DeepEqual(att.SLA, level) {
		return nil
	}
	before := *att
	att.SLA = level
	if err := d.talk.SaveServiceLevel(t.Tx, &before, att); err != nil {
		return err
	}
	for _, a := range m.announcements {
		if err := t.AnnounceTarget(att, a.target, a.breached); err != nil {
			return err
		}
	}
	return nil
}

// opened gives a new attendance the policy of its sector.
func (d *Levels) opened(t *talk.LockedConversation, att *talk.Attendance) error {
	return d.refresh(t, att, momentOf(t))
}

// saving follows changes of a conversation with an open attendance: the end of the menu, messages, and another sector.
func (d *Levels) saving(t *talk.LockedConversation, before *talk.Conversation) error {
	if t.Attendance == nil {
		return nil
	}
	isNew := !kernel.Same(before.AttendanceID(), t.AttendanceID())
	menuEnded := !isNew && before.Reception != nil && t.Reception == nil
	if menuEnded {
		talk.SetMenuEnded(t.Tx, t.Company, t.Attendance.ID, t.Tx.Now)
	}
	wasWaiting, waiting := before.WaitingSince(), t.WaitingSince()
	sameWaiting := wasWaiting == waiting || wasWaiting != nil && waiting != nil && wasWaiting.Equal(*waiting)
	changed := isNew || menuEnded || before.Unanswered != t.Unanswered || !sameWaiting
	if movedAway := !isNew && !kernel.Same(before.Sector, t.Sector); !movedAway && (t.Attendance.Policy == nil || !changed) {
		return nil
	}
	att, err := t.OpenAttendance()
	if err != nil {
		return err
	}
	m := momentOf(t)
	first := att.FirstResponseAt
	m.answered = first != nil && first.UnixMilli() == t.Tx.Now.UnixMilli() && (before.Unanswered || isNew)
	m.replied = !isNew && wasWaiting != nil && (waiting == nil || waiting.After(*wasWaiting)) // joining conversations makes it earlier
	return d.refresh(t, att, m)
}

// closed ends the targets of an attendance.
func (d *Levels) closed(t *talk.LockedConversation, att *talk.Attendance, _ *kernel.Ref) error {
	if att.SLA == nil {
		return nil
	}
	m := &moment{now: t.Tx.Now}
	return d.store(t, att, m.close(att), m)
}

// reopened continues the targets of an attendance whose closing is undone. It saves them even if they are as before, so that they
// are checked again.
func (d *Levels) reopened(t *talk.LockedConversation, _, att *talk.Attendance, _ *kernel.Ref) error {
	if att.SLA != nil {
		before, level := *att, copied(att.SLA)
		if level.Resolution != nil {
			level.Resolution.MetAt = nil
		}
		att.SLA = &level
		if err := d.talk.SaveServiceLevel(t.Tx, &before, att); err != nil {
			return err
		}
	}
	return d.refresh(t, att, momentOf(t))
}
