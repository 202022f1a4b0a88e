package desk

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

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

// closeIfIdle closes the attendance under the rule as it is now, or says when to look again: messages that
// came since it was scheduled did not stop to say so.
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

// FinishRemovals takes people and sectors that were removed off the conversations that still name them.
// The verb that removes one does this at once; after a crash in between, the sweep does it. company zero
// means all, by is nil for the system.
func (d System) FinishRemovals(ctx context.Context, company model.ID, by *model.Ref) error {
	const batch = 200
	for {
		orphans, err := read(ctx, d.Desk, func(tx *store.Tx) ([]store.ConversationAt, error) { return tx.Orphans(company, batch) })
		if err != nil || len(orphans) == 0 {
			return err
		}
		if err := d.changeEach(ctx, orphans, func(t *lockedConversation) error { return t.release(by) }); err != nil {
			return err
		}
	}
}

// release hands the conversation back from a person who is gone, and takes it out of a sector that is.
func (t *lockedConversation) release(by *model.Ref) error {
	holder, sector := (*model.Ref)(nil), t.Sector
	if t.Assignee != nil {
		ref, present, err := t.tx.UserRef(t.Company, *t.Assignee)
		if err != nil {
			return err
		}
		if present {
			holder = &ref
		}
	}
	if sector != nil {
		exists, err := t.tx.SectorExists(t.Company, *sector)
		if err != nil {
			return err
		}
		if !exists {
			sector = nil
		}
	}
	if same(refID(holder), t.Assignee) && same(sector, t.Sector) {
		return nil
	}
	if err := t.assign(holder, sector, by, nil); err != nil {
		return err
	}
	return t.save()
}

// changeEach changes conversations, regardless of visibility, each in a transaction of its own, a few at a
// time: where commits are shared, several cost little more than one. One that fails keeps no other from
// being changed.
func (d *Desk) changeEach(ctx context.Context, conversations []store.ConversationAt, change func(t *lockedConversation) error) error {
	var g errgroup.Group
	g.SetLimit(8)
	for _, at := range conversations {
		g.Go(func() error {
			return d.store.Write(ctx, func(tx *store.Tx) error {
				c, found, err := tx.LockConversation(at.Company, at.ID)
				if err != nil || !found {
					return err
				}
				return change(d.locked(tx, c))
			})
		})
	}
	return g.Wait()
}
