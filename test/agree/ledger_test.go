package agree

import (
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// ledger is a simple model of the desk. It keeps every attendance and every history entry in memory and computes the
// expected lists, queues and reports from scratch.
type ledger struct {
	zone   *time.Location
	rules  people.AttendanceRules
	chats  []*chat
	cases  []*talk.Attendance // oldest first
	number int64
}

// chat is the ledger's model of a conversation.
type chat struct {
	id            kernel.ID // zero for private conversations, and until the first message
	channel       kernel.ID
	private       bool
	phone         string
	exists        bool // the conversation exists
	customerWrote bool // the customer has written since the open attendance began

	assignee *kernel.Ref
	sector   *kernel.ID
	open     *talk.Attendance
	closed   time.Time              // when the latest attendance was closed
	last     time.Time              // time of the latest message
	history  []talk.AssignmentEntry // oldest first
}

// receiveMessage records a message of the customer.
func (l *ledger) receiveMessage(c *chat, now time.Time) {
	c.last = now
	if l.rules.GraceForCustomers && l.inGracePeriod(c, now) {
		c.exists = true
		return
	}
	l.openCase(c, talk.OpenedByCustomer, now)
	c.customerWrote = true
}

// inGracePeriod reports whether messages still belong to the closed attendance.
func (l *ledger) inGracePeriod(c *chat, now time.Time) bool {
	return c.open == nil && !c.closed.IsZero() && now.Sub(c.closed) < time.Duration(l.rules.GraceMinutes)*time.Minute
}

// openCase opens an attendance unless one is open.
func (l *ledger) openCase(c *chat, by string, now time.Time) {
	c.exists = true
	if c.open != nil || !l.rules.Enabled {
		return
	}
	c.customerWrote = false
	if !c.private { // private attendances are numbered separately and never shown
		l.number++
	}
	c.open = &talk.Attendance{
		Number: l.number, Protocol: talk.FormatProtocol(l.number), Status: talk.AttendanceOpen, Private: c.private,
		Conversation: c.id, Channel: c.channel, Responsible: c.assignee, Sector: c.sector,
		OpenedAt: now, OpenedBy: by,
	}
	l.cases = append(l.cases, c.open)
}

// mayAnswer reports whether restricted mode lets a member answer.
func (l *ledger) mayAnswer(c *chat, who *kernel.Principal) bool {
	return l.mayClose(c, who) || c.assignee == nil && l.rules.FirstResponderTakesOwnership
}

// mayClose is like mayAnswer, without the exception for the first responder.
func (l *ledger) mayClose(c *chat, who *kernel.Principal) bool {
	return c.open == nil || c.assignee != nil && c.assignee.ID == who.User.ID ||
		l.rules.Mode == people.ModeLiberal || who.Role != kernel.RoleAgent
}

// sendMessage records a message to the customer, by a member or, if nil, by someone on the phone.
func (l *ledger) sendMessage(c *chat, who *kernel.Ref, now time.Time) {
	c.last = now
	opens := c.open == nil
	if opens && !l.inGracePeriod(c, now) {
		l.openCase(c, talk.OpenedByTeam, now)
	}
	if c.open == nil {
		return
	}
	if who != nil && c.assignee == nil && l.rules.FirstResponderTakesOwnership {
		l.assign(c, who, c.sector, who, nil, now)
	}
	if !opens && c.open.FirstResponseAt == nil && (c.customerWrote || c.open.OpenedBy != talk.OpenedByTeam) {
		seconds := int64(now.Sub(c.open.OpenedAt).Seconds())
		c.open.FirstResponseAt, c.open.FirstResponseSeconds = &now, &seconds
	}
}

// assign sets the responsible person and the sector; nil means none.
func (l *ledger) assign(c *chat, to *kernel.Ref, sector *kernel.ID, by *kernel.Ref, reason *string, now time.Time) {
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

func (l *ledger) closeCase(c *chat, by *kernel.Ref, reason *string, now time.Time) {
	c.open.Status, c.open.ClosedAt, c.open.ClosedBy, c.open.CloseReason = talk.AttendanceClosed, &now, by, reason
	c.open.Closing = &talk.Closing{By: talk.ClosedByPerson}
	if by == nil {
		c.open.CloseCause = &talk.Cause{Code: "idle", Params: kernel.Params{}}
		c.open.Closing.By = talk.ClosedByAutomatic
	}
	c.open, c.assignee, c.closed = nil, nil, now
}

// closeSilent closes attendances that have been silent for too long.
func (l *ledger) closeSilent(now time.Time) {
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
			l.closeCase(c, nil, &reason, now)
		}
	}
}

// removeMember returns the cases of a member who left to the queue.
func (l *ledger) removeMember(who kernel.ID, by *kernel.Ref, now time.Time) {
	for _, c := range l.chats {
		if c.assignee != nil && c.assignee.ID == who {
			l.assign(c, nil, c.sector, by, nil, now)
		}
	}
}

// removeSector removes a deleted sector from its conversations.
func (l *ledger) removeSector(sector kernel.ID, by *kernel.Ref, now time.Time) {
	for _, c := range l.chats {
		if c.sector != nil && *c.sector == sector {
			l.assign(c, c.assignee, nil, by, nil, now)
		}
	}
}

// list returns the attendances that match a filter, newest first.
func (l *ledger) list(chosen func(a *talk.Attendance) bool) []talk.Attendance {
	out := []talk.Attendance{}
	for _, a := range slices.Backward(l.cases) {
		if !a.Private && chosen(a) {
			out = append(out, *a)
		}
	}
	return out
}

// queue returns the queue of a sector on a channel.
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
