package desk

import (
	"context"
	"fmt"

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
	return write(ctx, d, func(tx *store.Tx) (model.Attendance, error) {
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
// is open. opener is the member who started the conversation, nil when the customer wrote. Numbering
// makes the company's other openings wait until the end of the transaction, so it belongs near its end.
func (t *lockedConversation) openAttendance(opener *Principal) error {
	if t.Attendance != nil || t.silent {
		return nil
	}
	att := &model.Attendance{
		ID: model.NewID(), Company: t.Company, Private: t.Private, Status: model.AttendanceOpen,
		Conversation: t.ID, Channel: t.Channel, Contact: model.AttendanceContact{ID: t.Contact, Name: t.Name, Phone: t.Phone},
		Sector: t.Sector, OpenedAt: t.tx.Now, OpenedBy: model.OpenedByCustomer,
	}
	if opener != nil {
		att.OpenedBy = model.OpenedByTeam
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
// responsible. Where nobody is and the first responder becomes it, answering is the way to do so.
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
	return model.Errorf(model.CodeAttendanceRestricted, "Only the responsible person, or a manager and above, may answer or close this attendance.")
}

// answered notes an outbound message: the first response, and the first responder's ownership. member
// is nil when the message came from the phone, where nobody knows who typed it. An attendance that has
// been answered and has somebody responsible costs nothing here.
func (t *lockedConversation) answered(member *model.Ref) error {
	t.awaits = nil
	if t.Attendance == nil {
		return nil
	}
	t.SetWaiting(nil)
	takes, err := t.takesOver(member)
	if err != nil || !takes && !t.Unanswered {
		return err
	}
	att, err := t.openOne()
	if err != nil {
		return err
	}
	if takes {
		t.note(model.ActionTookOver, member, t.Sector, member, nil)
		if err := t.move(att, member, t.Sector, member); err != nil {
			return err
		}
	}
	if !t.Unanswered {
		return nil
	}
	t.Unanswered = false
	att.Answered(t.tx.Now)
	t.tx.SaveAttendance(att)
	return t.d.reportAnswered(t.tx, att)
}

// takesOver reports whether the member who answers becomes responsible by doing so.
func (t *lockedConversation) takesOver(member *model.Ref) (bool, error) {
	if member == nil || t.Assignee != nil {
		return false, nil
	}
	rules, err := t.tx.AttendanceRules(t.Company)
	if err != nil || !rules.FirstResponderTakesOwnership {
		return false, err
	}
	_, present, err := t.tx.KeepUser(t.Company, member.ID)
	return present, err
}

// openOne gives the open attendance of the conversation, which has one.
func (t *lockedConversation) openOne() (*model.Attendance, error) {
	att, found, err := t.tx.Attendance(t.Company, t.Attendance.ID)
	if err != nil || !found {
		return nil, errOr(err, errAttendanceLost(t.Attendance.ID))
	}
	return &att, nil
}

// closeAttendance ends the open attendance of the conversation, which has one. by is nil for the system.
func (t *lockedConversation) closeAttendance(by *model.Ref, reason *string) (*model.Attendance, error) {
	att, err := t.openOne()
	if err != nil {
		return nil, err
	}
	now := t.tx.Now
	att.Status, att.ClosedAt, att.ClosedBy, att.CloseReason = model.AttendanceClosed, &now, by, reason
	t.Attendance, t.Unanswered, t.Assignee = nil, false, nil
	t.tx.SaveAttendance(att)
	t.tx.InsertAttendanceMark(t.ID, t.next(), store.MarkClosed, att.ID)
	if err := t.attendanceCardMoved(att, by); err != nil {
		return nil, err
	}
	if err := t.d.reportClosed(t.tx, att); err != nil {
		return nil, err
	}
	return att, t.emitWith(model.EventAttendanceClosed, "attendance", att)
}

// reasonOf checks a reason; one that says nothing is none.
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
