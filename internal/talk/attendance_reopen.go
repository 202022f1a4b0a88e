package talk

import (
	"context"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// ReopenWithin is how long after its closing an attendance can be reopened.
const ReopenWithin = time.Minute

// ReopenAttendance undoes the closing of a conversation's last attendance. A person must have closed it within ReopenWithin, and
// the conversation must not have been assigned, moved or opened again since. The person who closed it may reopen it even if they
// can no longer see the conversation.
func (d *Talk) ReopenAttendance(ctx context.Context, a *kernel.Principal, conversation kernel.ID) (Attendance, error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Attendance, error) {
		c, found, err := LockConversation(tx, a.Company.ID, conversation)
		if err != nil || !found || !a.Reaches(c.Private, c.Channel) {
			return Attendance{}, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		closed, found, err := lastAttendance(tx, c.Company, c.ID)
		if err != nil {
			return Attendance{}, err
		}
		if !MaySee(a, &c) && (!found || closed.ClosedBy == nil || closed.ClosedBy.ID != a.User.ID) {
			return Attendance{}, kernel.NotFound("conversation")
		}
		t := d.Locked(tx, c)
		if !found || !t.mayReopen(&closed) {
			return Attendance{}, kernel.Errorf(kernel.CodeReopenTooLate, "Only the last attendance can be reopened, within a minute after a person closed it.")
		}
		att, err := t.reopen(a, closed)
		if err != nil {
			return Attendance{}, err
		}
		return att, t.Save()
	})
}

// mayReopen reports whether an attendance was closed a moment ago and nothing has changed since.
func (t *LockedConversation) mayReopen(closed *Attendance) bool {
	return t.Attendance == nil && t.Assignee == nil && kernel.Same(t.Sector, closed.Sector) &&
		closed.ClosedBy != nil && t.Tx.Now.Sub(*closed.ClosedAt) <= ReopenWithin
}

func (t *LockedConversation) reopen(a *kernel.Principal, closed Attendance) (Attendance, error) {
	att := closed
	att.Status, att.ClosedAt, att.ClosedBy, att.CloseReason, att.CloseCause, att.Closing = AttendanceOpen, nil, nil, nil, nil, nil
	if att.Responsible != nil {
		if _, present, err := people.KeepUser(t.Tx, t.Company, att.Responsible.ID); err != nil || !present {
			return att, kernel.ErrOr(err, kernel.Errorf(kernel.CodeReopenTooLate, "The responsible person has been removed."))
		}
	}
	t.Assignee, t.Unanswered, t.attendanceChanged = kernel.RefID(att.Responsible), att.FirstResponseAt == nil, true
	t.Attendance = &OpenAttendance{ID: att.ID, Number: att.Number, Protocol: att.Protocol, OpenedAt: att.OpenedAt}
	if err := t.MayClose(a); err != nil {
		return att, err
	}
	var err error
	if t.Attendance.WaitingSince, err = waitingSince(t.Tx, &att); err != nil {
		return att, err
	}
	reopenAttendance(t.Tx, &att)
	err = t.d.tell(func(o *Observer) error { return o.Reopened(t, &closed, &att, &a.User) })
	return att, err
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

// waitingSince returns the time of the customer's first message after the team's last one in an attendance, or nil. Automatic
// messages are not from the team.
func waitingSince(tx *kernel.Tx, a *Attendance) (since *time.Time, err error) {
	_, err = tx.One(`
		SELECT MIN(created_at) AS since
		FROM messages
		WHERE company = $1 AND conversation = $2 AND direction = $3 AND created_at >= $4 AND seq > COALESCE((
			SELECT seq
			FROM messages
			WHERE company = $1 AND conversation = $2 AND direction = $5 AND origin <> $6
			ORDER BY seq DESC
			LIMIT 1), 0)`,
		[]any{a.Company, a.Conversation, provider.Inbound, a.OpenedAt, provider.Outbound, provider.OriginAutomation}, func(r db.Row) { since = r.NullTime("since") })
	return since, err
}

// reopenAttendance stores that an attendance is open again, and removes its closing from the timeline.
func reopenAttendance(tx *kernel.Tx, a *Attendance) {
	tx.Later(`
		UPDATE attendances
		SET responsible = $3, closed_at = NULL, closed_by = NULL, close_reason = NULL,
			closing_reason = NULL, closing_note = NULL,
			check_at = (SELECT CASE WHEN auto_close THEN $4 + auto_close_minutes * 60000 END FROM companies WHERE id = $1)
		WHERE company = $1 AND id = $2`, a.Company, a.ID, kernel.RefID(a.Responsible), tx.Now)
	tx.Later(`DELETE FROM attendance_marks WHERE company = $1 AND conversation = $2 AND kind = $3 AND attendance = $4`,
		a.Company, a.Conversation, RankClosed, a.ID)
}
