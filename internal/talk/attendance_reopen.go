package talk

import (
	"context"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
)

// ReopenWithin is how long after its closing an attendance can be reopened.
const ReopenWithin = time.Minute

// ReopenAttendance undoes the closing of a conversation's last attendance. A person must have closed it within ReopenWithin, and
// no other attendance may have been opened since.
func (d *Talk) ReopenAttendance(ctx context.Context, a *kernel.Principal, conversation kernel.ID) (Attendance, error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Attendance, error) {
		t, err := d.Lock(tx, a, conversation)
		if err != nil {
			return Attendance{}, err
		}
		att, err := t.reopen(a)
		if err != nil {
			return Attendance{}, err
		}
		return att, t.Save()
	})
}

func (t *LockedConversation) reopen(a *kernel.Principal) (Attendance, error) {
	closed, found, err := lastAttendance(t.Tx, t.Company, t.ID)
	if err != nil {
		return closed, err
	}
	if !found || t.Attendance != nil || closed.ClosedBy == nil || t.Tx.Now.Sub(*closed.ClosedAt) > ReopenWithin {
		return closed, kernel.Errorf(kernel.CodeReopenTooLate, "Only the last attendance can be reopened, within a minute after a person closed it.")
	}
	att := closed
	att.Status, att.ClosedAt, att.ClosedBy, att.CloseReason, att.CloseCause = AttendanceOpen, nil, nil, nil, nil
	if att.Responsible != nil {
		_, present, err := people.KeepUser(t.Tx, t.Company, att.Responsible.ID)
		if err != nil {
			return att, err
		}
		if !present {
			att.Responsible = nil
		}
	}
	t.Assignee, t.Unanswered = kernel.RefID(att.Responsible), att.FirstResponseAt == nil
	t.Attendance = &OpenAttendance{ID: att.ID, Number: att.Number, Protocol: att.Protocol, OpenedAt: att.OpenedAt}
	if last := t.LastMessage; last != nil && last.Direction == provider.Inbound {
		t.Attendance.WaitingSince = &last.CreatedAt
	}
	if err := t.MayClose(a); err != nil {
		return att, err
	}
	reopenAttendance(t.Tx, &att)
	if err := t.d.tell(func(o *Observer) error { return o.Reopened(t, &closed, &att, &a.User) }); err != nil {
		return att, err
	}
	return att, t.emit(EventConversationUpdated, member{"conversation", &t.Conversation}, member{"changed", []string{"attendance"}})
}

// lastAttendance returns the attendance of a conversation that was opened last.
func lastAttendance(tx *kernel.Tx, company, conversation kernel.ID) (Attendance, bool, error) {
	return kernel.Row(tx, `
		SELECT`+attendanceColumns+`
		FROM attendances a`+attendanceNames+`
		WHERE a.company = $1 AND a.conversation = $2
		ORDER BY a.opened_at DESC, a.id DESC
		LIMIT 1`, []any{company, conversation}, scanAttendance)
}

// reopenAttendance stores that an attendance is open again, and removes its closing from the timeline.
func reopenAttendance(tx *kernel.Tx, a *Attendance) {
	tx.Later(`
		UPDATE attendances
		SET responsible = $3, closed_at = NULL, closed_by = NULL, close_reason = NULL,
			check_at = (SELECT CASE WHEN auto_close THEN $4 + auto_close_minutes * 60000 END FROM companies WHERE id = $1)
		WHERE company = $1 AND id = $2`, a.Company, a.ID, kernel.RefID(a.Responsible), tx.Now)
	tx.Later(`DELETE FROM attendance_marks WHERE company = $1 AND conversation = $2 AND kind = $3 AND attendance = $4`,
		a.Company, a.Conversation, RankClosed, a.ID)
}
