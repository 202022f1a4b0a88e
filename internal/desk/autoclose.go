package desk

import (
	"context"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

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
