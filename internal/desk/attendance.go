package desk

import (
	"context"
	"fmt"
	"time"

	"recado/internal/cursor"
	"recado/internal/model"
	"recado/internal/store"
)

// CloseAttendance ends the open attendance of a conversation. An empty reason is none.
func (d *Desk) CloseAttendance(ctx context.Context, a *Principal, conversation model.ID, reason string) (model.Attendance, error) {
	if err := a.May(VerbCloseAttendance); err != nil {
		return model.Attendance{}, err
	}
	why, invalid := reasonOf(reason)
	if invalid != nil {
		return model.Attendance{}, invalid
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Attendance, error) {
		t, err := d.lock(tx, a, conversation)
		if err != nil {
			return model.Attendance{}, err
		}
		if t.Attendance == nil {
			return model.Attendance{}, model.Errorf(model.CodeAttendanceNotOpen, "This conversation has no open attendance.")
		}
		if err := t.mayClose(a); err != nil {
			return model.Attendance{}, err
		}
		att, err := t.closeAttendance(&a.User, why)
		if err != nil {
			return model.Attendance{}, err
		}
		return *att, t.save()
	})
}

// openAttendance opens an attendance of the conversation where the company has them enabled and none
// is open. by is model.OpenedByCustomer or model.OpenedByTeam. Numbering makes the company's other openings
// wait until the end of the transaction, so it belongs near its end.
func (t *lockedConversation) openAttendance(by string) error {
	if t.Attendance != nil || t.silent {
		return nil
	}
	att := &model.Attendance{
		ID: model.NewID(), Company: t.Company, Private: t.Private, Status: model.AttendanceOpen,
		Conversation: t.ID, Channel: t.Channel, Contact: model.AttendanceContact{ID: t.Contact, Name: t.Name, Phone: t.Phone},
		Sector: t.Sector, OpenedAt: t.tx.Now, OpenedBy: by,
	}
	if err := t.resolvePeople(att); err != nil {
		return err
	}
	number, enabled, err := t.tx.NextProtocol(t.Company, t.Private)
	if err != nil || !enabled {
		return err
	}
	att.Number, att.Protocol = number, model.FormatProtocol(number)
	t.Attendance, t.Unanswered = &model.OpenAttendance{ID: att.ID, Number: number, Protocol: att.Protocol, OpenedAt: att.OpenedAt, WaitingSince: t.awaits}, true
	t.tx.InsertAttendance(att)
	t.tx.InsertAttendanceMark(t.ID, t.next(), store.MarkOpened, att.ID)
	if err := t.attendanceCardOpened(att); err != nil {
		return err
	}
	if err := t.d.reportOpened(t.tx, att); err != nil {
		return err
	}
	return t.emitWith(model.EventAttendanceOpened, "attendance", att)
}

// resolvePeople looks up the people of a new attendance where the conversation alone does not name them.
func (t *lockedConversation) resolvePeople(att *model.Attendance) error {
	if t.Assignee != nil {
		ref, found, err := t.tx.RemovedOrPresentUserRef(t.Company, *t.Assignee)
		if err != nil {
			return err
		}
		if found {
			att.Responsible = &ref
		}
	}
	if t.Contact != nil && t.Renamed {
		contact, found, err := t.tx.Contact(t.Company, *t.Contact)
		if err != nil {
			return err
		}
		if found {
			att.Contact.Name = contact.Name
		}
	}
	return nil
}

// mayAnswer refuses a member whom restricted mode keeps from answering: one below manager who is not
// responsible. Without a responsible person, where the first responder becomes it, every member may answer.
func (t *lockedConversation) mayAnswer(a *Principal) error {
	return t.restrict(a, func(rules model.AttendanceRules) bool {
		return t.Assignee == nil && rules.FirstResponderTakesOwnership
	})
}

// mayClose refuses a member whom restricted mode keeps from closing.
func (t *lockedConversation) mayClose(a *Principal) error {
	return t.restrict(a, func(model.AttendanceRules) bool { return false })
}

func (t *lockedConversation) restrict(a *Principal, except func(model.AttendanceRules) bool) error {
	if t.Attendance == nil || t.Assignee != nil && *t.Assignee == a.User.ID || a.Role.AtLeast(model.RoleManager) {
		return nil
	}
	rules, err := t.tx.AttendanceRules(t.Company)
	if err != nil || rules.Mode != model.ModeRestricted || except(rules) {
		return err
	}
	return model.Errorf(model.CodeAttendanceRestricted, "Only the responsible person and members with the role manager or above may answer or close this attendance.")
}

// teamWrote applies a message of the team to the attendance: it answers the open one, or opens one. member is nil
// when the message came from the phone, where the author is not known.
func (t *lockedConversation) teamWrote(member *model.Ref) error {
	if t.Attendance != nil || t.Kind != model.KindDirect {
		return t.answered(member)
	}
	t.awaits = nil
	rules, err := t.tx.AttendanceRules(t.Company)
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
	err = t.openAttendance(model.OpenedByTeam)
	switch {
	case !takes || err != nil:
	case t.Attendance == nil: // attendances were disabled meanwhile
		t.Assignee = nil
	default:
		t.note(&model.AssignmentEntry{Action: model.ActionTookOver, User: member, By: member, Sector: t.Sector})
	}
	return err
}

// justClosed reports whether the last attendance of the conversation was closed so recently that messages still belong to it.
func (t *lockedConversation) justClosed(rules model.AttendanceRules) (bool, error) {
	if rules.GraceMinutes == 0 {
		return false, nil
	}
	closed, err := t.tx.LastClosed(t.Company, t.ID)
	return closed != nil && t.tx.Now.Before(closed.Add(time.Duration(rules.GraceMinutes)*time.Minute)), err
}

// answered notes an outbound message: the first response, and the first responder's ownership. In an attendance that the team
// opened, nothing is a response before the customer has written. member
// is nil when the message came from the phone, where the author is not known. An attendance that has
// been answered and has a responsible person costs no query here, in a sector one statement without a result.
func (t *lockedConversation) answered(member *model.Ref) error {
	t.awaits = nil
	t.endMenu()
	if t.Attendance == nil {
		return nil
	}
	waited := t.WaitingSince() != nil
	t.SetWaiting(nil)
	if t.Assignee != nil && t.Sector != nil {
		t.tx.KeepDistributed(t.Company, t.Attendance.ID)
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
		t.note(&model.AssignmentEntry{Action: model.ActionTookOver, User: member, By: member, Sector: t.Sector})
		if err := t.move(att, member, t.Sector, member); err != nil {
			return err
		}
	}
	if !t.Unanswered || att.OpenedBy == model.OpenedByTeam && !waited {
		return nil
	}
	t.Unanswered = false
	att.Answered(t.tx.Now)
	t.tx.SaveAttendance(att)
	return t.d.reportAnswered(t.tx, att)
}

// takesOver reports whether the member who writes becomes responsible by doing so. rules are the company's, read here if nil.
func (t *lockedConversation) takesOver(member *model.Ref, rules *model.AttendanceRules) (bool, error) {
	if member == nil || t.Assignee != nil {
		return false, nil
	}
	if rules == nil {
		read, err := t.tx.AttendanceRules(t.Company)
		if err != nil {
			return false, err
		}
		rules = &read
	}
	if !rules.FirstResponderTakesOwnership {
		return false, nil
	}
	_, present, err := t.tx.KeepUser(t.Company, member.ID)
	return present, err
}

// openOne gives the open attendance of a conversation that has one.
func (t *lockedConversation) openOne() (*model.Attendance, error) {
	att, found, err := t.tx.Attendance(t.Company, t.Attendance.ID)
	if err != nil || !found {
		return nil, errOr(err, errAttendanceLost(t.Attendance.ID))
	}
	return &att, nil
}

// closeAttendance ends the open attendance of the conversation, which has one, and leaves the conversation without a
// responsible person. by is nil for the system.
func (t *lockedConversation) closeAttendance(by *model.Ref, reason *string) (*model.Attendance, error) {
	att, err := t.openOne()
	if err != nil {
		return nil, err
	}
	now := t.tx.Now
	att.Status, att.ClosedAt, att.ClosedBy, att.CloseReason = model.AttendanceClosed, &now, by, reason
	t.Attendance, t.Unanswered, t.Assignee = nil, false, nil
	t.endMenu()
	t.tx.SaveAttendance(att)
	t.tx.InsertAttendanceMark(t.ID, t.next(), store.MarkClosed, att.ID)
	t.tx.AfterCommit(t.d.wakeups.Distribute.Notify)
	if err := t.attendanceCardMoved(att, by); err != nil {
		return nil, err
	}
	if err := t.d.reportClosed(t.tx, att); err != nil {
		return nil, err
	}
	return att, t.emitWith(model.EventAttendanceClosed, "attendance", att)
}

// reasonOf checks a reason; a blank one becomes nil.
func reasonOf(text string) (*string, *model.Error) {
	text, invalid := model.OptionalText("body.reason", text, model.MaxReason)
	if invalid != nil || text == "" {
		return nil, invalid
	}
	return &text, nil
}

func errAttendanceLost(id model.ID) error {
	return fmt.Errorf("the attendance %s of a conversation does not exist", id)
}

// AttendanceFilter chooses attendances of a list. Zero values choose all.
type AttendanceFilter struct {
	Status       string // "", open or closed
	Unassigned   bool   // those without a responsible person
	Responsible  model.ID
	Sector       model.ID
	Conversation model.ID
	Protocol     string // with or without the prefix and leading zeros
	From         string // RFC 3339, or a day of the company's: opened then or later
	To           string // likewise: opened before
	Limit        int
	Cursor       string
}

// Attendances lists the attendances that the principal may see, the newest first. A page continues where the
// one before it ended, whatever was opened or closed meanwhile. next is "" on the last page.
func (d *Desk) Attendances(ctx context.Context, a *Principal, f AttendanceFilter) (page []model.Attendance, next string, err error) {
	if err := a.May(VerbAttendances); err != nil {
		return nil, "", err
	}
	chosen, err := f.chosen(a)
	if err != nil {
		return nil, "", err
	}
	name := f.name()
	var openedAt int64
	var after model.ID
	if f.Cursor != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, name, f.Cursor)
		if invalid == nil {
			openedAt, after, invalid = cursor.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	var more bool
	look, sight := d.store.ReadOne, a.sight()
	if len(sight.Sectors) > 0 || len(sight.Private) > 0 {
		look = d.store.Read // counts first what lies in the sectors; private ones are read apart
	}
	err = look(ctx, func(tx *store.Tx) (err error) {
		page, more, err = tx.Attendances(a.Company.ID, chosen, sight, openedAt, after, f.Limit)
		return err
	})
	if err == nil && more {
		last := page[f.Limit-1]
		next = d.cursors.Seal(a.Company.ID, name, cursor.IntID(last.OpenedAt.UnixMilli(), last.ID))
	}
	return page, next, err
}

// chosen reads the parts of the filter that are text.
func (f *AttendanceFilter) chosen(a *Principal) (store.AttendanceFilter, error) {
	out := store.AttendanceFilter{
		Status: f.Status, Unassigned: f.Unassigned, Responsible: f.Responsible, Sector: f.Sector, Conversation: f.Conversation,
	}
	if f.Protocol != "" {
		number, ok := model.ParseProtocol(f.Protocol)
		if !ok && len(a.Views) > 0 {
			number, ok = model.ParsePrivateProtocol(f.Protocol)
		}
		if !ok {
			return out, model.Invalid("query.protocol", "must be a protocol number such as "+model.FormatProtocol(123))
		}
		out.Number = number
	}
	var err error
	out.From, out.To, err = a.period(f.From, f.To)
	return out, err
}

// period reads the bounds of a list: RFC 3339, or days of the company.
func (a *Principal) period(from, to string) (begin, end *time.Time, err error) {
	zone, invalid := model.LoadZone("timezone", a.Company.Timezone)
	if invalid != nil {
		return nil, nil, fmt.Errorf("company %s: %s", a.Company.ID, invalid.Message)
	}
	for _, bound := range []struct {
		field, text string
		to          **time.Time
	}{{"query.from", from, &begin}, {"query.to", to, &end}} {
		if bound.text == "" {
			continue
		}
		at, err := model.ParseMoment(bound.text, zone)
		if err != nil {
			return nil, nil, model.Invalid(bound.field, err.Error())
		}
		*bound.to = &at
	}
	if begin != nil && end != nil && begin.After(*end) {
		return nil, nil, model.Invalid("query.from", "must not be after to")
	}
	return begin, end, nil
}

// name tells the list that a cursor belongs to from all others.
func (f *AttendanceFilter) name() string {
	return fmt.Sprintf("attendances %q %t %s %s %s %q %q %q",
		f.Status, f.Unassigned, f.Responsible, f.Sector, f.Conversation, f.Protocol, f.From, f.To)
}

// Attendance gives one attendance whose conversation the principal may see.
func (d *Desk) Attendance(ctx context.Context, a *Principal, id model.ID) (model.Attendance, error) {
	if err := a.May(VerbAttendance); err != nil {
		return model.Attendance{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.Attendance, error) {
		att, found, err := tx.Attendance(a.Company.ID, id)
		if err != nil || !found {
			return att, errOr(err, model.NotFound("attendance"))
		}
		c, found, err := tx.Conversation(a.Company.ID, att.Conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return att, errOr(err, model.NotFound("attendance"))
		}
		return att, nil
	})
}

// CurrentAttendance gives the open attendance of a conversation, or nil.
func (d *Desk) CurrentAttendance(ctx context.Context, a *Principal, conversation model.ID) (*model.Attendance, error) {
	if err := a.May(VerbCurrentAttendance); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) (*model.Attendance, error) {
		c, found, err := tx.Conversation(a.Company.ID, conversation)
		if err != nil || !found || !a.MaySee(&c) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		if c.Attendance == nil {
			return nil, nil
		}
		att, found, err := tx.Attendance(a.Company.ID, c.Attendance.ID)
		if err != nil || !found {
			return nil, errOr(err, errAttendanceLost(c.Attendance.ID))
		}
		return &att, nil
	})
}

// AttendanceRules gives the company's rules of attendances.
func (d *Desk) AttendanceRules(ctx context.Context, a *Principal) (model.AttendanceRules, error) {
	if err := a.May(VerbAttendanceRules); err != nil {
		return model.AttendanceRules{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.AttendanceRules, error) { return tx.AttendanceRules(a.Company.ID) })
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
	Hours             model.Optional[model.ID]
}

// UpdateAttendanceRules changes the company's rules. They hold at once, for open attendances too;
// switching attendances off opens no new ones and leaves the open ones to be closed.
func (d *Desk) UpdateAttendanceRules(ctx context.Context, a *Principal, in RulesChange) (model.AttendanceRules, error) {
	if err := a.May(VerbUpdateAttendanceRules); err != nil {
		return model.AttendanceRules{}, err
	}
	return write(ctx, d, func(tx *store.Tx) (model.AttendanceRules, error) {
		rules, err := tx.LockRules(a.Company.ID)
		if err != nil {
			return rules, err
		}
		set(&rules.Enabled, in.Enabled)
		set(&rules.FirstResponderTakesOwnership, in.FirstResponder)
		set(&rules.Mode, in.Mode)
		set(&rules.AutoClose.Enabled, in.AutoClose)
		set(&rules.AutoClose.AfterMinutes, in.AfterMinutes)
		set(&rules.GraceMinutes, in.GraceMinutes)
		set(&rules.GraceForCustomers, in.GraceForCustomers)
		set(&rules.KeepRevoked, in.KeepRevoked)
		if in.Hours.Set {
			rules.HoursID = in.Hours.Pointer()
			if err := keepHours(tx, a.Company.ID, rules.HoursID); err != nil {
				return rules, err
			}
		}
		tx.SaveAttendanceRules(a.Company.ID, rules)
		return rules, nil
	})
}

// CloseIdle closes attendances without a message for as long as their company's rule says. It looks at up
// to limit of those that are due by now and gives how many it looked at. Any number of nodes may do this
// at the same time: each attendance is closed once.
func (d System) CloseIdle(ctx context.Context, now time.Time, limit int) (int, error) {
	if err := d.followRules(ctx); err != nil {
		return 0, err
	}
	due, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.ConversationAt, error) { return tx.DueChecks(now, limit) })
	if err != nil {
		return 0, err
	}
	return len(due), d.changeEach(ctx, due, func(t *lockedConversation) error { return t.closeIfIdle(now) })
}

// followRules schedules the open attendances of companies whose rule has changed, some at a time, because
// there may be very many.
func (d *Desk) followRules(ctx context.Context) error {
	stale, err := read(ctx, d, func(tx *store.Tx) ([]model.ID, error) { return tx.StaleSchedules() })
	for _, company := range stale {
		if err == nil {
			err = d.schedule(ctx, company)
		}
	}
	return err
}

// schedule goes through a company's open attendances. No other transaction opens one or changes the rules during a
// step; where the rules changed in between, it begins again.
func (d *Desk) schedule(ctx context.Context, company model.ID) error {
	const step = 1000
	type place struct {
		rule *model.AutoClose
		at   time.Time
		id   model.ID
	}
	var reached place
	for {
		next, err := write(ctx, d, func(tx *store.Tx) (place, error) {
			p := reached
			rules, err := tx.LockRules(company)
			if err != nil {
				return p, err
			}
			if p.rule == nil || *p.rule != rules.AutoClose {
				p = place{&rules.AutoClose, tx.Now.AddDate(1000, 0, 0), model.MaxID}
			}
			p.at, p.id, err = tx.ScheduleChecks(company, *p.rule, p.at, p.id, step)
			if p.id.IsZero() && err == nil {
				tx.ScheduleFresh(company)
			}
			return p, err
		})
		if err != nil || next.id.IsZero() {
			return err
		}
		reached = next
	}
}

// closeIfIdle closes the attendance under the rule as it is now, or says when to look again: messages
// that came since do not change the schedule.
func (t *lockedConversation) closeIfIdle(now time.Time) error {
	if t.Attendance == nil {
		return nil
	}
	rules, err := t.tx.AttendanceRules(t.Company)
	if err != nil {
		return err
	}
	if !rules.AutoClose.Enabled {
		t.tx.ScheduleCheck(t.Attendance.ID, nil)
		return nil
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	active := att.OpenedAt
	if t.LastMessage != nil && t.ActivityAt.After(active) {
		active = t.ActivityAt
	}
	if end := active.Add(time.Duration(rules.AutoClose.AfterMinutes) * time.Minute); now.Before(end) {
		t.tx.ScheduleCheck(att.ID, &end)
		return nil
	}
	reason := model.CloseReasonAutomatic
	if _, err := t.closeAttendance(nil, &reason); err != nil {
		return err
	}
	return t.save()
}
