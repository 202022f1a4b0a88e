package talk

import (
	"context"
	"fmt"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
)

// Values of the fields of an attendance.
const (
	OpenedByCustomer = "customer"
	OpenedByTeam     = "team"

	AttendanceOpen   = "open"
	AttendanceClosed = "closed"

	// CloseReasonAutomatic is the close reason of attendances that were closed for inactivity.
	CloseReasonAutomatic = "automatic"
)

// Attendance is a support case of a conversation, with a protocol number.
type Attendance struct {
	ID                   kernel.ID         `json:"id"`
	Protocol             string            `json:"protocol" example:"ATD-000123"`
	Status               string            `json:"status" enum:"open,closed"`
	Conversation         kernel.ID         `json:"conversation"`
	Channel              kernel.ID         `json:"channel"`
	Contact              AttendanceContact `json:"contact"`
	Responsible          *kernel.Ref       `json:"responsible"`
	Sector               *kernel.ID        `json:"sector"`
	OpenedAt             time.Time         `json:"opened_at"`
	OpenedBy             string            `json:"opened_by" enum:"customer,team"`
	FirstResponseAt      *time.Time        `json:"first_response_at"`
	FirstResponseSeconds *int64            `json:"first_response_seconds"`
	ClosedAt             *time.Time        `json:"closed_at"`
	ClosedBy             *kernel.Ref       `json:"closed_by"`
	CloseReason          *string           `json:"close_reason"`
	CloseCause           *Cause            `json:"close_cause" doc:"Why the server closed the case by itself; null if it is open or a person closed it."`

	Company kernel.ID `json:"-"`
	Number  int64     `json:"-"`
	Private bool      `json:"-"`
}

// Subject returns the conversation of the attendance.
func (a *Attendance) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: a.Conversation}
}

// Answered sets the time of the first response.
func (a *Attendance) Answered(at time.Time) {
	seconds := max(0, int64(at.Sub(a.OpenedAt)/time.Second)) // the clock may have been set back
	a.FirstResponseAt, a.FirstResponseSeconds = &at, &seconds
}

// AttendanceContact is the customer of an attendance. For a group, only Name is set, to the name of the group.
type AttendanceContact struct {
	ID    *kernel.ID `json:"id"`
	Name  string     `json:"name"`
	Phone *string    `json:"phone"`
}

// CloseAttendance closes the open attendance of a conversation. The reason may be empty.
func (d *Talk) CloseAttendance(ctx context.Context, a *kernel.Principal, conversation kernel.ID, reason string) (Attendance, error) {
	if err := a.May(VerbCloseAttendance); err != nil {
		return Attendance{}, err
	}
	closeReason, invalid := reasonOf(reason)
	if invalid != nil {
		return Attendance{}, invalid
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Attendance, error) {
		t, err := d.Lock(tx, a, conversation)
		if err != nil {
			return Attendance{}, err
		}
		if t.Attendance == nil {
			return Attendance{}, kernel.Errorf(kernel.CodeAttendanceNotOpen, "This conversation has no open attendance.")
		}
		if err := t.MayClose(a); err != nil {
			return Attendance{}, err
		}
		att, err := t.CloseAttendance(&a.User, closeReason)
		if err != nil {
			return Attendance{}, err
		}
		return *att, t.Save()
	})
}

// openAttendance opens an attendance if the company has them enabled and none is open. by is OpenedByCustomer or
// OpenedByTeam. Call it late in the transaction: other openings in the company wait until the transaction ends.
func (t *LockedConversation) openAttendance(by string) error {
	if t.Attendance != nil || t.silent {
		return nil
	}
	att := &Attendance{
		ID: kernel.NewID(), Company: t.Company, Private: t.Private, Status: AttendanceOpen,
		Conversation: t.ID, Channel: t.Channel, Contact: AttendanceContact{ID: t.Contact, Name: t.Name, Phone: t.Phone},
		Sector: t.Sector, OpenedAt: t.Tx.Now, OpenedBy: by,
	}
	if err := t.resolvePeople(att); err != nil {
		return err
	}
	number, enabled, err := nextProtocol(t.Tx, t.Company, t.Private)
	if err != nil || !enabled {
		return err
	}
	att.Number, att.Protocol = number, FormatProtocol(number)
	t.Attendance, t.Unanswered = &OpenAttendance{ID: att.ID, Number: number, Protocol: att.Protocol, OpenedAt: att.OpenedAt, WaitingSince: t.awaits}, true
	insertAttendance(t.Tx, att)
	insertAttendanceMark(t.Tx, t.Company, t.ID, t.next(), RankOpened, att.ID)
	if err := t.d.tell(func(o *Observer) error { return o.Opened(t, att) }); err != nil {
		return err
	}
	return t.emitWith(EventAttendanceOpened, "attendance", att)
}

// resolvePeople looks up the names of a new attendance that the conversation does not have.
func (t *LockedConversation) resolvePeople(att *Attendance) error {
	if t.Assignee != nil {
		ref, found, err := people.RemovedOrPresentUserRef(t.Tx, t.Company, *t.Assignee)
		if err != nil {
			return err
		}
		if found {
			att.Responsible = &ref
		}
	}
	if t.Contact != nil && t.Renamed {
		contact, found, err := findContact(t.Tx, t.Company, *t.Contact)
		if err != nil {
			return err
		}
		if found {
			att.Contact.Name = contact.Name
		}
	}
	return nil
}

// mayAnswer returns an error if the attendance is restricted and the member is neither responsible nor at least a manager.
// If nobody is responsible and the first responder takes ownership, every member may answer.
func (t *LockedConversation) mayAnswer(a *kernel.Principal) error {
	return t.restrict(a, func(rules people.AttendanceRules) bool {
		return t.Assignee == nil && rules.FirstResponderTakesOwnership
	})
}

// MayClose returns an error if the attendance is restricted and the member is neither responsible nor at least a manager.
func (t *LockedConversation) MayClose(a *kernel.Principal) error {
	return t.restrict(a, nil)
}

// restrict returns an error if the attendance is restricted, unless the member is responsible or at least a manager, or the
// exception applies.
func (t *LockedConversation) restrict(a *kernel.Principal, exception func(people.AttendanceRules) bool) error {
	if t.Attendance == nil || t.Assignee != nil && *t.Assignee == a.User.ID || a.Role.AtLeast(kernel.RoleManager) {
		return nil
	}
	rules, err := people.ListAttendanceRules(t.Tx, t.Company)
	if err != nil || rules.Mode != people.ModeRestricted || exception != nil && exception(rules) {
		return err
	}
	return kernel.Errorf(kernel.CodeAttendanceRestricted, "Only the responsible person and members with the role manager or above may answer or close this attendance.")
}

// teamWrote handles an outgoing message: it answers the open attendance, or opens one. member is nil if the message was
// written on the phone, where the author is unknown.
func (t *LockedConversation) teamWrote(member *kernel.Ref) error {
	if t.Attendance != nil || t.Kind != KindDirect {
		return t.answered(member)
	}
	t.awaits = nil
	rules, err := people.ListAttendanceRules(t.Tx, t.Company)
	if err != nil || !rules.Enabled {
		return err
	}
	if closed, err := t.justClosed(rules); err != nil || closed {
		return err
	}
	takes, err := t.takesOver(member, &rules)
	if err != nil {
		return err
	}
	if takes {
		t.Assignee = &member.ID
	}
	err = t.openAttendance(OpenedByTeam)
	switch {
	case !takes || err != nil:
	case t.Attendance == nil: // attendances have been disabled in the meantime
		t.Assignee = nil
	default:
		t.note(&AssignmentEntry{Action: ActionTookOver, User: member, By: member, Sector: t.Sector})
	}
	return err
}

// justClosed reports whether the last attendance was closed within the grace period, in which messages still belong to it.
func (t *LockedConversation) justClosed(rules people.AttendanceRules) (bool, error) {
	if rules.GraceMinutes == 0 {
		return false, nil
	}
	closed, err := lastClosed(t.Tx, t.Company, t.ID)
	return closed != nil && t.Tx.Now.Before(closed.Add(time.Duration(rules.GraceMinutes)*time.Minute)), err
}

// answered handles an outgoing message in an open attendance: it sets the first response and assigns the first responder.
// In an attendance that the team opened, a message only counts as a response after the customer has written. member is
// nil if the message was written on the phone, where the author is unknown.
func (t *LockedConversation) answered(member *kernel.Ref) error {
	t.awaits = nil
	t.EndMenu()
	if t.Attendance == nil {
		return nil
	}
	waited := t.WaitingSince() != nil
	t.SetWaiting(nil)
	if t.Assignee != nil && t.Sector != nil {
		keepDistributed(t.Tx, t.Company, t.Attendance.ID)
	}
	takes, err := t.takesOver(member, nil)
	if err != nil || !takes && !t.Unanswered {
		return err
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	if takes {
		t.note(&AssignmentEntry{Action: ActionTookOver, User: member, By: member, Sector: t.Sector})
		if err := t.move(att, member, t.Sector, member); err != nil {
			return err
		}
	}
	if !t.Unanswered || att.OpenedBy == OpenedByTeam && !waited {
		return nil
	}
	t.Unanswered = false
	att.Answered(t.Tx.Now)
	saveAttendance(t.Tx, att)
	return t.d.tell(func(o *Observer) error { return o.Answered(t, att) })
}

// takesOver reports whether a member becomes responsible by writing. If rules is nil, it reads the company's rules.
func (t *LockedConversation) takesOver(member *kernel.Ref, rules *people.AttendanceRules) (bool, error) {
	if member == nil || t.Assignee != nil {
		return false, nil
	}
	if rules == nil {
		current, err := people.ListAttendanceRules(t.Tx, t.Company)
		if err != nil {
			return false, err
		}
		rules = &current
	}
	if !rules.FirstResponderTakesOwnership {
		return false, nil
	}
	_, present, err := people.KeepUser(t.Tx, t.Company, member.ID)
	return present, err
}

// openOne returns the open attendance of a conversation that has one.
func (t *LockedConversation) openOne() (*Attendance, error) {
	att, found, err := FindAttendance(t.Tx, t.Company, t.Attendance.ID)
	if err != nil || !found {
		return nil, kernel.ErrOr(err, errAttendanceLost(t.Attendance.ID))
	}
	return &att, nil
}

// CloseAttendance closes the open attendance of the conversation, which must have one, and removes the responsible person
// of the conversation. by is nil for the system.
func (t *LockedConversation) CloseAttendance(by *kernel.Ref, reason *string) (*Attendance, error) {
	att, err := t.openOne()
	if err != nil {
		return nil, err
	}
	now := t.Tx.Now
	att.Status, att.ClosedAt, att.ClosedBy, att.CloseReason, att.CloseCause = AttendanceClosed, &now, by, reason, CauseOf(by, reason)
	t.Attendance, t.Unanswered, t.Assignee = nil, false, nil
	t.EndMenu()
	saveAttendance(t.Tx, att)
	insertAttendanceMark(t.Tx, t.Company, t.ID, t.next(), RankClosed, att.ID)
	t.Tx.AfterCommit(t.d.Wakeup(people.WakeDistribute).Notify)
	if err := t.d.tell(func(o *Observer) error { return o.Closed(t, att, by) }); err != nil {
		return nil, err
	}
	return att, t.emitWith(EventAttendanceClosed, "attendance", att)
}

// reasonOf validates a reason. It returns nil if the reason is blank.
func reasonOf(text string) (*string, *kernel.Error) {
	text, invalid := kernel.OptionalText("body.reason", text, MaxReason)
	if invalid != nil || text == "" {
		return nil, invalid
	}
	return &text, nil
}

func errAttendanceLost(id kernel.ID) error {
	return fmt.Errorf("talk: attendance %s of a conversation does not exist", id)
}

// AttendanceFilter selects the attendances of a list. Zero values filter nothing.
type AttendanceFilter struct {
	Status       string // "", open or closed
	Unassigned   bool   // only those without a responsible person
	Responsible  kernel.ID
	Sector       kernel.ID
	Conversation kernel.ID
	Protocol     string // with or without the prefix and leading zeros
	From         string // opened at this time or later: RFC 3339, or a day in the company's time zone
	To           string // opened before this time, in the same format
	Limit        int
	Cursor       string

	number   int64 // of Protocol
	from, to *time.Time
}

// Attendances lists the attendances that the principal may see, newest first. A page continues where the previous one
// ended, regardless of changes in between. next is "" on the last page.
func (d *Talk) Attendances(ctx context.Context, a *kernel.Principal, f AttendanceFilter) (page []Attendance, next string, err error) {
	if err := a.May(VerbAttendances); err != nil {
		return nil, "", err
	}
	if err := f.parse(a); err != nil {
		return nil, "", err
	}
	name := f.cursorName()
	var openedAt int64
	var after kernel.ID
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, name, f.Cursor)
		if invalid == nil {
			openedAt, after, invalid = kernel.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	var more bool
	err = d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		page, more, err = listAttendances(tx, a.Company.ID, &f, a.Sight(), openedAt, after)
		return err
	})
	if err == nil && more {
		last := page[f.Limit-1]
		next = d.Cursors.Seal(a.Company.ID, name, kernel.IntID(last.OpenedAt.UnixMilli(), last.ID))
	}
	return page, next, err
}

// parse sets the fields for Protocol, From and To.
func (f *AttendanceFilter) parse(a *kernel.Principal) (err error) {
	if f.Protocol != "" {
		number, ok := ParseProtocol(f.Protocol)
		if !ok && len(a.Views) > 0 {
			number, ok = ParsePrivateProtocol(f.Protocol)
		}
		if !ok {
			return kernel.Malformed("query.protocol", "protocol")
		}
		f.number = number
	}
	f.from, f.to, err = a.Period(f.From, f.To)
	return err
}

// cursorName identifies the list that a cursor belongs to.
func (f AttendanceFilter) cursorName() string {
	f.Limit, f.Cursor = 0, ""
	return "attendances " + *kernel.WriteJSON(&f)
}

// Attendance returns an attendance whose conversation the principal may see.
func (d *Talk) Attendance(ctx context.Context, a *kernel.Principal, id kernel.ID) (Attendance, error) {
	if err := a.May(VerbAttendance); err != nil {
		return Attendance{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Attendance, error) {
		att, found, err := FindAttendance(tx, a.Company.ID, id)
		if err != nil || !found {
			return att, kernel.ErrOr(err, kernel.NotFound("attendance"))
		}
		c, found, err := FindConversation(tx, a.Company.ID, att.Conversation)
		if err != nil || !found || !MaySee(a, &c) {
			return att, kernel.ErrOr(err, kernel.NotFound("attendance"))
		}
		return att, nil
	})
}

// CurrentAttendance returns the open attendance of a conversation, or nil if it has none.
func (d *Talk) CurrentAttendance(ctx context.Context, a *kernel.Principal, conversation kernel.ID) (*Attendance, error) {
	if err := a.May(VerbCurrentAttendance); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (*Attendance, error) {
		c, err := visibleConversation(tx, a, conversation)
		if err != nil || c.Attendance == nil {
			return nil, err
		}
		att, found, err := FindAttendance(tx, a.Company.ID, c.Attendance.ID)
		if err != nil || !found {
			return nil, kernel.ErrOr(err, errAttendanceLost(c.Attendance.ID))
		}
		return &att, nil
	})
}

// AttendanceRules returns the company's attendance rules.
func (d *Talk) AttendanceRules(ctx context.Context, a *kernel.Principal) (people.AttendanceRules, error) {
	if err := a.May(VerbAttendanceRules); err != nil {
		return people.AttendanceRules{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (people.AttendanceRules, error) {
		return people.ListAttendanceRules(tx, a.Company.ID)
	})
}

// RulesChange lists the rules to change; nil fields stay as they are.
type RulesChange struct {
	Enabled           *bool
	FirstResponder    *bool
	Mode              *string
	AutoClose         *bool
	AfterMinutes      *int64
	GraceMinutes      *int64
	GraceForCustomers *bool
	KeepRevoked       *bool
	Hours             kernel.Optional[kernel.ID]
}

// UpdateAttendanceRules changes the company's attendance rules. They apply to open attendances too. Disabling
// attendances does not close the open ones.
func (d *Talk) UpdateAttendanceRules(ctx context.Context, a *kernel.Principal, in RulesChange) (people.AttendanceRules, error) {
	if err := a.May(VerbUpdateAttendanceRules); err != nil {
		return people.AttendanceRules{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (people.AttendanceRules, error) {
		rules, err := people.LockRules(tx, a.Company.ID)
		if err != nil {
			return rules, err
		}
		kernel.Set(&rules.Enabled, in.Enabled)
		kernel.Set(&rules.FirstResponderTakesOwnership, in.FirstResponder)
		kernel.Set(&rules.Mode, in.Mode)
		kernel.Set(&rules.AutoClose.Enabled, in.AutoClose)
		kernel.Set(&rules.AutoClose.AfterMinutes, in.AfterMinutes)
		kernel.Set(&rules.GraceMinutes, in.GraceMinutes)
		kernel.Set(&rules.GraceForCustomers, in.GraceForCustomers)
		kernel.Set(&rules.KeepRevoked, in.KeepRevoked)
		if in.Hours.Set {
			rules.HoursID = in.Hours.Pointer()
			if err := people.KeepHours(tx, a.Company.ID, rules.HoursID); err != nil {
				return rules, err
			}
		}
		people.SaveAttendanceRules(tx, a.Company.ID, rules)
		return rules, nil
	})
}

// CloseIdle closes attendances that have been inactive for as long as the rules of their company say. It checks up to limit of
// those that are due and returns how many it checked. Several nodes may run it concurrently.
func (d *Talk) CloseIdle(ctx context.Context, now time.Time, limit int) (int, error) {
	if err := d.followRules(ctx); err != nil {
		return 0, err
	}
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]ConversationAt, error) { return dueChecks(tx, now, limit) })
	if err != nil {
		return 0, err
	}
	return len(due), d.ChangeEach(ctx, due, func(t *LockedConversation) error { return t.closeIfIdle(now) })
}

// followRules reschedules the open attendances of companies whose rule has changed.
func (d *Talk) followRules(ctx context.Context) error {
	stale, err := kernel.Read(ctx, d.Kernel, staleSchedules)
	for _, company := range stale {
		if err == nil {
			err = d.schedule(ctx, company)
		}
	}
	return err
}

// schedule reschedules a company's open attendances, many at a time. Each step locks the rules, so that no attendance is opened
// meanwhile. If the rules changed between two steps, it starts again.
func (d *Talk) schedule(ctx context.Context, company kernel.ID) error {
	const batch = 1000
	type progress struct {
		rule *people.AutoClose
		at   time.Time
		id   kernel.ID
	}
	var last progress
	for {
		next, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (progress, error) {
			p := last
			rules, err := people.LockRules(tx, company)
			if err != nil {
				return p, err
			}
			if p.rule == nil || *p.rule != rules.AutoClose {
				p = progress{&rules.AutoClose, tx.Now.AddDate(1000, 0, 0), kernel.MaxID}
			}
			p.at, p.id, err = scheduleChecks(tx, company, *p.rule, p.at, p.id, batch)
			if p.id.IsZero() && err == nil {
				markScheduled(tx, company)
			}
			return p, err
		})
		if err != nil || next.id.IsZero() {
			return err
		}
		last = next
	}
}

// closeIfIdle closes the attendance if it has been idle for long enough, or else schedules the next check. New messages do
// not reschedule the check, so the attendance may have been active since.
func (t *LockedConversation) closeIfIdle(now time.Time) error {
	if t.Attendance == nil {
		return nil
	}
	rules, err := people.ListAttendanceRules(t.Tx, t.Company)
	if err != nil {
		return err
	}
	if !rules.AutoClose.Enabled {
		scheduleCheck(t.Tx, t.Company, t.Attendance.ID, nil)
		return nil
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	lastActive := att.OpenedAt
	if t.LastMessage != nil && t.ActivityAt.After(lastActive) {
		lastActive = t.ActivityAt
	}
	if end := lastActive.Add(time.Duration(rules.AutoClose.AfterMinutes) * time.Minute); now.Before(end) {
		scheduleCheck(t.Tx, t.Company, att.ID, &end)
		return nil
	}
	if _, err := t.CloseAttendance(nil, new(CloseReasonAutomatic)); err != nil {
		return err
	}
	return t.Save()
}

// ReturnCase puts a distributed attendance that was not answered in time back into the queue. The time starts when the member
// got it, or when the customer wrote if that was later.
func (t *LockedConversation) ReturnCase(now time.Time) error {
	if t.Attendance == nil {
		return nil
	}
	id := t.Attendance.ID
	at, minutes, err := distributedAt(t.Tx, t.Company, id)
	if err != nil || at == nil {
		return err
	}
	if t.Assignee == nil || minutes == nil {
		keepDistributed(t.Tx, t.Company, id)
		return nil
	}
	since, waiting := *at, t.WaitingSince()
	switch {
	case waiting == nil:
		since = now // the customer is not waiting
	case waiting.After(since):
		since = *waiting
	}
	if now.Before(since.Add(time.Duration(*minutes) * time.Minute)) {
		MarkDistributed(t.Tx, t.Company, id, since)
		return nil
	}
	previous := *t.Assignee
	if err := t.Assign(nil, t.Sector, nil, nil); err != nil {
		return err
	}
	markReturned(t.Tx, t.Company, id, previous)
	return t.Save()
}
