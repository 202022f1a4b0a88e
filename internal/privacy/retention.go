package privacy

import (
	"context"
	"errors"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/talk"
)

// Retention says after how many days data are deleted. Nil means never.
type Retention struct {
	MessagesDays *int64 `json:"messages_days" doc:"After how many days messages and notes are deleted with their files; null: never."`
	MediaDays    *int64 `json:"media_days" doc:"After how many days files are deleted; null: never. Their messages stay."`
	AuditDays    *int64 `json:"audit_days" doc:"After how many days audit entries are deleted; null: never."`
}

// Limits of Retention.
const (
	DefaultAuditDays = 365
	minDays          = 30
	maxDays          = 36500
	minAuditDays     = 90
	maxAuditDays     = 3650
)

// RetentionChange lists the settings to change; absent fields stay as they are.
type RetentionChange struct {
	MessagesDays kernel.Optional[int64] `json:"messages_days,omitempty" required:"false" doc:"30 to 36500, or null for no limit."`
	MediaDays    kernel.Optional[int64] `json:"media_days,omitempty" required:"false" doc:"30 to 36500, or null for no limit."`
	AuditDays    kernel.Optional[int64] `json:"audit_days,omitempty" required:"false" doc:"90 to 3650, or null for no limit."`
}

// apply validates a change and makes it.
func (in *RetentionChange) apply(r *Retention) error {
	for _, days := range []struct {
		field    string
		in       kernel.Optional[int64]
		set      **int64
		min, max int64
	}{
		{"body.messages_days", in.MessagesDays, &r.MessagesDays, minDays, maxDays},
		{"body.media_days", in.MediaDays, &r.MediaDays, minDays, maxDays},
		{"body.audit_days", in.AuditDays, &r.AuditDays, minAuditDays, maxAuditDays},
	} {
		if !days.in.Set {
			continue
		}
		n := days.in.Pointer()
		if n != nil && (*n < days.min || *n > days.max) {
			return kernel.Between(days.field, int(days.min), int(days.max))
		}
		*days.set = n
	}
	return nil
}

// RetentionPreview counts what a retention would delete now.
type RetentionPreview struct {
	Messages   int64 `json:"messages"`
	Notes      int64 `json:"notes" doc:"Internal notes, which are deleted like messages."`
	Media      int64 `json:"media" doc:"Files, including those of the messages."`
	MediaBytes int64 `json:"media_bytes"`
	Audit      int64 `json:"audit" doc:"Audit entries."`
}

// Retention returns the company's settings.
func (d *Privacy) Retention(ctx context.Context, a *kernel.Principal) (Retention, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Retention, error) { return findRetention(tx, a.Company.ID) })
}

// UpdateRetention changes the company's settings. What has expired is deleted from then on.
func (d *Privacy) UpdateRetention(ctx context.Context, a *kernel.Principal, in RetentionChange) (Retention, error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Retention, error) {
		tx.LockCompany(a.Company.ID)
		before, err := findRetention(tx, a.Company.ID)
		if err != nil {
			return before, err
		}
		r := before
		if err := in.apply(&r); err != nil {
			return r, err
		}
		tx.Later(`
			INSERT INTO retention_settings (company, messages_days, media_days, audit_days)
			VALUES ($1, $2, $3, $4)
			ON CONFLICT (company) DO UPDATE
			SET messages_days = excluded.messages_days, media_days = excluded.media_days, audit_days = excluded.audit_days`,
			a.Company.ID, r.MessagesDays, r.MediaDays, r.AuditDays)
		tx.AuditUpdate(a, kernel.AuditEntry{
			Action: "retention.updated", Subject: kernel.NewAuditSubject("company", a.Company.ID, a.Company.Name), Changes: kernel.AuditChanges(before, r),
		})
		tx.AfterCommit(d.Wakeup(WakeRetention).Notify)
		return r, nil
	})
}

// PreviewRetention counts what the company's settings, with changes, would delete now.
func (d *Privacy) PreviewRetention(ctx context.Context, a *kernel.Principal, in RetentionChange) (RetentionPreview, error) {
	release, err := d.Searches.Begin(ctx, a)
	if err != nil {
		return RetentionPreview{}, err
	}
	defer release()
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (p RetentionPreview, err error) {
		r, err := findRetention(tx, a.Company.ID)
		if err == nil {
			err = in.apply(&r)
		}
		if err != nil {
			return p, err
		}
		expired, err := talk.CountExpired(tx, a.Company.ID, cutoff(tx.Now, r.MessagesDays), cutoff(tx.Now, r.MediaDays))
		if err != nil {
			return p, err
		}
		p.Messages, p.Notes, p.Media, p.MediaBytes = expired.Messages, expired.Notes, expired.Files, expired.FileBytes
		if before := cutoff(tx.Now, r.AuditDays); before != nil {
			p.Audit, err = people.CountAudit(tx, a.Company.ID, *before)
		}
		return p, err
	})
}

// cutoff returns the time before which data has expired, or nil.
func cutoff(now time.Time, days *int64) *time.Time {
	if days == nil {
		return nil
	}
	return new(now.Add(-time.Duration(*days) * 24 * time.Hour))
}

func findRetention(tx *kernel.Tx, company kernel.ID) (Retention, error) {
	r, found, err := kernel.Row(tx, `SELECT messages_days, media_days, audit_days FROM retention_settings WHERE company = $1`, []any{company}, scanRetention)
	if err == nil && !found {
		r.AuditDays = new(int64(DefaultAuditDays))
	}
	return r, err
}

func scanRetention(r db.Row) Retention {
	return Retention{MessagesDays: r.NullInt("messages_days"), MediaDays: r.NullInt("media_days"), AuditDays: r.NullInt("audit_days")}
}

// WakeRetention is the name of the wakeup of the loop that calls Expire.
const WakeRetention = "retention"

// auditBatch is the number of audit entries that a transaction deletes.
const auditBatch = 500

// Expire deletes a batch of each company's messages, files and audit entries that have expired. It reports whether there may be more.
// Any number of nodes may call it.
func (d *Privacy) Expire(ctx context.Context) (more bool, err error) {
	type due struct {
		company kernel.ID
		Retention
	}
	now := d.Now()
	companies, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]due, error) {
		const auditDays = `CASE WHEN s.company IS NULL THEN $2 ELSE s.audit_days END`
		return kernel.Rows(tx, `
			SELECT /* all companies: purge by age */ c.id, s.messages_days, s.media_days, `+auditDays+` AS audit_days
			FROM companies c
			LEFT JOIN retention_settings s ON s.company = c.id
			WHERE s.messages_days IS NOT NULL OR s.media_days IS NOT NULL
				OR EXISTS (SELECT 1 FROM audit a WHERE a.company = c.id AND a.at < $1 - `+auditDays+` * 86400000)
			ORDER BY c.id`, []any{now, int64(DefaultAuditDays)}, func(r db.Row) due { return due{r.ID("id"), scanRetention(r)} })
	})
	for _, c := range companies {
		further, failed := d.expire(kernel.ForCompany(ctx, c.company), c.company, now, c.Retention)
		more, err = more || further, errors.Join(err, failed) // the others do not wait
	}
	return more, err
}

// expire deletes a batch of a company.
func (d *Privacy) expire(ctx context.Context, company kernel.ID, now time.Time, r Retention) (more bool, err error) {
	if before := cutoff(now, r.MessagesDays); before != nil {
		if more, err = d.talk.ExpireMessages(ctx, company, *before); err != nil {
			return false, err
		}
	}
	if before := cutoff(now, r.MediaDays); before != nil {
		further, err := d.talk.ExpireFiles(ctx, company, *before)
		if err != nil {
			return false, err
		}
		more = more || further
	}
	if before := cutoff(now, r.AuditDays); before != nil {
		n, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (int64, error) { return people.PurgeAudit(tx, company, *before, auditBatch) })
		if err != nil {
			return false, err
		}
		more = more || n == auditBatch
	}
	return more, nil
}

type retentionInput struct {
	Body RetentionChange `required:"false"`
}

func (d *Privacy) updateRetention(ctx context.Context, a *kernel.Principal, in *retentionInput) (*httpserver.Reply[Retention], error) {
	return httpserver.Body(d.UpdateRetention(ctx, a, in.Body))
}

func (d *Privacy) previewRetention(ctx context.Context, a *kernel.Principal, in *retentionInput) (*httpserver.Reply[RetentionPreview], error) {
	return httpserver.Body(d.PreviewRetention(ctx, a, in.Body))
}
