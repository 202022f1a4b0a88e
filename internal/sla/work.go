package sla

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/talk"
)

// Check warns of targets that are nearly due and announces those that were missed, for up to limit attendances. It returns the
// number that it checked. Several nodes may call it concurrently: each target is announced once.
func (d *Levels) Check(ctx context.Context, limit int) (int, error) {
	now := d.Now()
	due, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]talk.ConversationAt, error) {
		return kernel.Rows(tx, `
			SELECT /* all companies: due work */ company, conversation AS id
			FROM attendances
			WHERE sla_check_at <= $1
			ORDER BY sla_check_at
			LIMIT $2`, []any{now, limit}, scanAt)
	})
	if err != nil || len(due) == 0 {
		return 0, err
	}
	return len(due), d.talk.ChangeEach(ctx, due, func(t *talk.LockedConversation) error {
		if err := d.refreshOpen(t); err != nil {
			return err
		}
		// The next check of what was refreshed is later than now. Nothing else is left to check, and would be found again and again.
		t.Tx.Later(`UPDATE attendances SET sla_check_at = NULL WHERE company = $1 AND conversation = $2 AND sla_check_at <= $3`,
			t.Company, t.ID, t.Tx.Now)
		return nil
	})
}

func scanAt(r db.Row) talk.ConversationAt {
	return talk.ConversationAt{Company: r.ID("company"), ID: r.ID("id")}
}

// refreshOpen brings the service level of the open attendance of a conversation up to date and saves it.
func (d *Levels) refreshOpen(t *talk.LockedConversation) error {
	if t.Attendance == nil {
		return nil
	}
	before := *t.Attendance
	att, err := t.OpenAttendance()
	if err != nil {
		return err
	}
	old := att.SLA
	if err := d.refresh(t, att, momentOf(t)); err != nil {
		return err
	}
	if old == att.SLA && kernel.Same(before.Policy, t.Attendance.Policy) && kernel.Same(before.SLA, t.Attendance.SLA) {
		return nil
	}
	return t.Save()
}

const (
	recomputeBatch  = 200
	recomputeAtOnce = 1000 // the open attendances that a request computes again; the loop computes more
)

// recomputeNow computes the newest open attendances of a company again after a change of policies or opening hours. If there are
// more, or if it fails, Recompute continues. It goes on if ctx is canceled.
func (d *Levels) recomputeNow(ctx context.Context, company kernel.ID) {
	if err := d.recompute(context.WithoutCancel(ctx), company, recomputeAtOnce); err != nil {
		d.Log.Warn("cannot compute service levels at once; the loop will", slog.String("company", company.String()), slog.Any("error", err))
	}
}

// Recompute computes the open attendances of companies again whose policies or opening hours have changed.
func (d *Levels) Recompute(ctx context.Context) (more bool, err error) {
	stale, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
		return tx.IDs(`SELECT id FROM companies WHERE sla_stale IS NOT NULL`)
	})
	for _, company := range stale {
		if err == nil {
			err = d.recompute(ctx, company, 0)
		}
	}
	return false, err
}

// recompute computes the open attendances of a company again if its policies or opening hours have changed, from the newest to the
// oldest. It stops after limit of them; 0 means no limit. If there is another change meanwhile, the mark stays, and the next call
// starts again.
func (d *Levels) recompute(ctx context.Context, company kernel.ID, limit int) error {
	stale, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (stale *kernel.ID, err error) {
		if _, err := people.LockRules(tx, company); err != nil { // waits for attendances that are being opened with what was before
			return nil, err
		}
		_, err = tx.One(`SELECT sla_stale FROM companies WHERE id = $1`, []any{company}, func(r db.Row) { stale = r.NullID("sla_stale") })
		return stale, err
	})
	if err != nil || stale == nil {
		return err
	}
	openedAt, after := d.Now().AddDate(1000, 0, 0), kernel.MaxID
	for done := 0; limit == 0 || done < limit; done += recomputeBatch {
		var batch []talk.ConversationAt
		var last struct {
			openedAt time.Time
			id       kernel.ID
		}
		err := d.Store.Read(ctx, func(tx *kernel.Tx) error {
			batch = nil
			return tx.Query(`
				SELECT company, conversation AS id, opened_at, id AS attendance
				FROM attendances
				WHERE company = $1 AND closed_at IS NULL AND (opened_at, id) < ($2, $3)
				ORDER BY opened_at DESC, id DESC
				LIMIT $4`, []any{company, openedAt, after, recomputeBatch}, func(r db.Row) error {
				batch = append(batch, scanAt(r))
				last.openedAt, last.id = r.Time("opened_at"), r.ID("attendance")
				return nil
			})
		})
		if err != nil {
			return err
		}
		if err := d.talk.ChangeEach(ctx, batch, d.refreshOpen); err != nil {
			return err
		}
		if len(batch) < recomputeBatch {
			return d.Store.Write(ctx, func(tx *kernel.Tx) error {
				tx.Later(`UPDATE companies SET sla_stale = NULL WHERE id = $1 AND sla_stale = $2`, company, *stale)
				return nil
			})
		}
		openedAt, after = last.openedAt, last.id
	}
	return nil
}
