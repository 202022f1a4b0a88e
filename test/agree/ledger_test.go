package agree

import (
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// ledger is the desk done simply: it keeps every attendance and every line of every history in memory, and
// works out from scratch what lists, queues and reports must say.
type ledger struct {
	zone   *time.Location
	rules  people.AttendanceRules
	chats  []*chat
	cases  []*talk.Attendance // the oldest first
	number int64
}

// chat is a conversation as the ledger knows it.
type chat struct {
	id      kernel.ID // zero until it is known, and where it is private
	channel kernel.ID
	private bool
	phone   string
	known   bool // it has begun
	wrote   bool // the customer has written since the open attendance began

	assignee *kernel.Ref
	sector   *kernel.ID
	open     *talk.Attendance
	closed   time.Time              // when its latest attendance was closed
	last     time.Time              // of the latest message
	history  []talk.AssignmentEntry // the oldest first
}

// received: the customer writes.
func (l *ledger) received(c *chat, now time.Time) {
	c.last = now
	if l.rules.GraceForCustomers && l.justClosed(c, now) {
		c.known = true
		return
	}
	l.begun(c, talk.OpenedByCustomer, now)
	c.wrote = true
}

// justClosed: messages still belong to the attendance that was closed.
func (l *ledger) justClosed(c *chat, now time.Time) bool {
	return c.open == nil && !c.closed.IsZero() && now.Sub(c.closed) < time.Duration(l.rules.GraceMinutes)*time.Minute
}

// begun: the customer or the team starts to talk.
func (l *ledger) begun(c *chat, by string, now time.Time) {
	c.known = true
	if c.open != nil || !l.rules.Enabled {
		return
	}
	c.wrote = false
	if !c.private { // those are numbered apart, and never shown
		l.number++
	}
	c.open = &talk.Attendance{
		Number: l.number, Protocol: talk.FormatProtocol(l.number), Status: talk.AttendanceOpen, Private: c.private,
		Conversation: c.id, Channel: c.channel, Responsible: c.assignee, Sector: c.sector,
		OpenedAt: now, OpenedBy: by,
	}
	l.cases = append(l.cases, c.open)
}

// mayAnswer is the rule of restricted mode.
func (l *ledger) mayAnswer(c *chat, who *kernel.Principal) bool {
	return l.mayClose(c, who) || c.assignee == nil && l.rules.FirstResponderTakesOwnership
}

// mayClose is the same without the way in that the first responder has.
func (l *ledger) mayClose(c *chat, who *kernel.Principal) bool {
	return c.open == nil || c.assignee != nil && c.assignee.ID == who.User.ID ||
		l.rules.Mode == people.ModeLiberal || who.Role != kernel.RoleAgent
}

// answered: a member, or nil for an author on the phone, writes to the customer.
func (l *ledger) answered(c *chat, who *kernel.Ref, now time.Time) {
	c.last = now
	opens := c.open == nil
	if opens && !l.justClosed(c, now) {
		l.begun(c, talk.OpenedByTeam, now)
	}
	if c.open == nil {
		return
	}
	if who != nil && c.assignee == nil && l.rules.FirstResponderTakesOwnership {
		l.moved(c, who, c.sector, who, nil, now)
	}
	if !opens && c.open.FirstResponseAt == nil && (c.wrote || c.open.OpenedBy != talk.OpenedByTeam) {
		seconds := int64(now.Sub(c.open.OpenedAt).Seconds())
		c.open.FirstResponseAt, c.open.FirstResponseSeconds = &now, &seconds
	}
}

// moved: the conversation goes to a person or none, in a sector or none.
func (l *ledger) moved(c *chat, to *kernel.Ref, sector *kernel.ID, by *kernel.Ref, reason *string, now time.Time) {
	entry := talk.AssignmentEntry{Action: talk.ActionReceived, User: to, By: by, Sector: sector, Reason: reason, CreatedAt: now}
	samePerson := to == nil && c.assignee == nil || to != nil && c.assignee != nil && to.ID == c.assignee.ID
	sameSector := sector == nil && c.sector == nil || sector != nil && c.sector != nil && *sector == *c.sector
	if !sameSector {
		entry.SectorFrom, entry.SectorTo = c.sector, sector
	}
	switch {
	case samePerson:
		entry.Action, entry.User = talk.ActionMoved, nil
	case to == nil:
		entry.Action, entry.User = talk.ActionHandedBack, c.assignee
	case by != nil && to.ID == by.ID:
		entry.Action = talk.ActionTookOver
	}
	if !samePerson || !sameSector {
		c.history = append(c.history, entry)
	}
	c.assignee, c.sector = to, sector
	if c.open != nil {
		c.open.Responsible, c.open.Sector = to, sector
	}
}

func (l *ledger) closed(c *chat, by *kernel.Ref, reason *string, now time.Time) {
	c.open.Status, c.open.ClosedAt, c.open.ClosedBy, c.open.CloseReason = talk.AttendanceClosed, &now, by, reason
	c.open, c.assignee, c.closed = nil, nil, now
}

// swept: what has been silent for too long is closed.
func (l *ledger) swept(now time.Time) {
	if !l.rules.AutoClose.Enabled {
		return
	}
	reason := talk.CloseReasonAutomatic
	for _, c := range l.chats {
		if c.open == nil {
			continue
		}
		active := c.open.OpenedAt
		if c.last.After(active) {
			active = c.last
		}
		if !now.Before(active.Add(time.Duration(l.rules.AutoClose.AfterMinutes) * time.Minute)) {
			l.closed(c, nil, &reason, now)
		}
	}
}

// left: a member is no longer on the team.
func (l *ledger) left(who kernel.ID, by *kernel.Ref, now time.Time) {
	for _, c := range l.chats {
		if c.assignee != nil && c.assignee.ID == who {
			l.moved(c, nil, c.sector, by, nil, now)
		}
	}
}

// dissolved: a sector is no more.
func (l *ledger) dissolved(sector kernel.ID, by *kernel.Ref, now time.Time) {
	for _, c := range l.chats {
		if c.sector != nil && *c.sector == sector {
			l.moved(c, c.assignee, nil, by, nil, now)
		}
	}
}

// list gives the attendances that a filter chooses, the newest first.
func (l *ledger) list(chosen func(a *talk.Attendance) bool) []talk.Attendance {
	out := []talk.Attendance{}
	for _, a := range slices.Backward(l.cases) {
		if !a.Private && chosen(a) {
			out = append(out, *a)
		}
	}
	return out
}

// queue gives what waits in a sector on a channel.
func (l *ledger) queue(sector, channel kernel.ID) people.Queue {
	q := people.Queue{Channel: channel}
	for _, a := range l.cases {
		if a.Private || a.Status != talk.AttendanceOpen || a.Responsible != nil || a.Channel != channel || a.Sector == nil || *a.Sector != sector {
			continue
		}
		q.Waiting++
		if q.OldestWaitingAt == nil {
			q.OldestWaitingAt = &a.OpenedAt
		}
	}
	return q
}
