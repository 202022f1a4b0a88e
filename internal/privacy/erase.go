package privacy

import (
	"context"
	"strings"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/phone"
	"recado/internal/talk"
	"recado/internal/tasks"
)

// KindErase is the kind of job that erases a person's data.
const KindErase = "contact_erase"

// actionErased is the audit entry of an erasure, which keeps its reason.
const actionErased = "contact.erased"

// MaxEraseReason is the length of the reason of an erasure, in characters.
const MaxEraseReason = 500

// ruleOtherPhone refuses an erasure: it names another phone than that of the contact.
var ruleOtherPhone = kernel.NewRule("other_phone")

// Eraser removes what a capability stores about a person. Nil functions are not called.
type Eraser struct {
	// Others returns further rows about the person for kernel.Erasure, before anything is removed.
	Others func(tx *kernel.Tx, e *kernel.Erasure) ([]kernel.ID, error)
	// Begin removes what must go together with the contact.
	Begin func(tx *kernel.Tx, e *kernel.Erasure) error
	// Erase removes the rest in small batches. after is "" in the first call and then the result of the previous one; "" ends it. A
	// call may be repeated after a crash.
	Erase func(ctx context.Context, e *kernel.Erasure, after string) (next string, err error)
}

// AddEraser adds an eraser. They are called in the order of AddEraser. Call it before the first erasure.
func (d *Privacy) AddEraser(e Eraser) { d.erasers = append(d.erasers, e) }

// ErasePreview counts what an erasure removes.
type ErasePreview struct {
	Conversations     int64 `json:"conversations" doc:"Conversations that lose their name and content."`
	OpenAttendances   int64 `json:"open_attendances" doc:"Open attendances, which are closed first."`
	Messages          int64 `json:"messages" doc:"Messages, including those that the person wrote in groups."`
	Files             int64 `json:"files"`
	FileBytes         int64 `json:"file_bytes"`
	Notes             int64 `json:"notes"`
	Drafts            int64 `json:"drafts" doc:"Drafts of all members."`
	ScheduledMessages int64 `json:"scheduled_messages"`
	Cards             int64 `json:"cards" doc:"Cards that lose their texts."`
}

// PreviewErase counts what an erasure of a contact would remove.
func (d *Privacy) PreviewErase(ctx context.Context, a *kernel.Principal, id kernel.ID) (ErasePreview, error) {
	if _, err := d.talk.Contact(ctx, a, id); err != nil {
		return ErasePreview{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (ErasePreview, error) {
		_, p, err := d.plan(tx, a.Company.ID, id)
		return p, err
	})
}

// plan returns what an erasure of a contact is about, and counts what it removes.
func (d *Privacy) plan(tx *kernel.Tx, company, contact kernel.ID) (e kernel.Erasure, p ErasePreview, err error) {
	if e, err = talk.ErasureOf(tx, company, contact); err != nil {
		return e, p, err
	}
	for _, eraser := range d.erasers {
		if eraser.Others == nil {
			continue
		}
		others, err := eraser.Others(tx, &e)
		if err != nil {
			return e, p, err
		}
		e.Others = append(e.Others, others...)
	}
	n, err := talk.CountErasable(tx, &e)
	return e, ErasePreview{
		Conversations: int64(len(e.Conversations)), OpenAttendances: n.Open, Messages: n.Messages, Files: n.Files, FileBytes: n.FileBytes,
		Notes: n.Notes, Drafts: n.Drafts, ScheduledMessages: n.Scheduled, Cards: int64(len(e.Others)),
	}, err
}

// EraseInput is the body of a request for an erasure.
type EraseInput struct {
	ConfirmPhone string `json:"confirm_phone" minLength:"1" maxLength:"120" doc:"The phone of the contact, typed again; of a contact without a phone, its name." example:"+5511912345678"`
	Reason       string `json:"reason" minLength:"1" maxLength:"500" doc:"Why the person is erased. The audit keeps it; do not name the person." example:"Request of 2026-11-18"`
}

// eraseInput is the input of the job.
type eraseInput struct {
	Contact kernel.ID     `json:"contact"`
	Reason  string        `json:"reason"`
	Caller  kernel.Caller `json:"caller"` // of the request
}

// EraseContact starts a job that erases a person.
func (d *Privacy) EraseContact(ctx context.Context, a *kernel.Principal, id kernel.ID, in EraseInput) (tasks.Job, error) {
	reason, invalid := kernel.Text("body.reason", strings.TrimSpace(in.Reason), MaxEraseReason)
	if invalid != nil {
		return tasks.Job{}, invalid
	}
	c, err := d.talk.Contact(ctx, a, id)
	if err != nil {
		return tasks.Job{}, err
	}
	if !confirms(&c, in.ConfirmPhone) {
		return tasks.Job{}, kernel.Invalid("body.confirm_phone", ruleOtherPhone, "is not the phone of this contact")
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (tasks.Job, error) {
		return d.tasks.Start(tx, a, tasks.NewJob{
			Kind: KindErase, Input: eraseInput{id, reason, kernel.CallerOf(ctx)}, Subject: &id, Channel: c.PrivateChannel(),
		})
	})
}

// confirms reports whether a text is the phone of a contact, or its name if it has no phone.
func confirms(c *talk.Contact, text string) bool {
	if c.Phone == nil {
		return strings.TrimSpace(text) == c.Name
	}
	number, ok := phone.Normalize(text)
	return ok && phone.Key(number) == phone.Key(*c.Phone)
}

func erasedEntry(c *talk.Contact, reason string) kernel.AuditEntry {
	return kernel.AuditEntry{
		Action: actionErased, Company: c.Company, Subject: kernel.NewAuditSubject("contact", c.ID, ""), Channel: c.PrivateChannel(),
		Changes: []kernel.AuditChange{{Field: "reason", To: reason}},
	}
}

// erasure is the state of an erasure in progress.
type erasure struct {
	kernel.Erasure
	Removes ErasePreview `json:"removes"`
	Eraser  int          `json:"eraser"` // the index of the present one
	After   string       `json:"after"`  // its position
}

// begin removes the contact, which is known by some identities. by closes an open attendance; nil: the server.
func (d *Privacy) begin(tx *kernel.Tx, c *talk.Contact, known []talk.Identity, by *kernel.Ref) (s *erasure, err error) {
	s = &erasure{}
	if s.Erasure, s.Removes, err = d.plan(tx, c.Company, c.ID); err != nil {
		return nil, err
	}
	for _, eraser := range d.erasers {
		if eraser.Begin != nil {
			if err := eraser.Begin(tx, &s.Erasure); err != nil {
				return nil, err
			}
		}
	}
	people.EraseAudit(tx, &s.Erasure, actionErased)
	return s, d.talk.BeginErasure(tx, c, known, by)
}

// step removes a batch and reports whether everything is removed.
func (d *Privacy) step(ctx context.Context, s *erasure) (done bool, err error) {
	for s.Eraser < len(d.erasers) && d.erasers[s.Eraser].Erase == nil {
		s.Eraser++
	}
	if s.Eraser == len(d.erasers) {
		return true, nil
	}
	next, err := d.erasers[s.Eraser].Erase(ctx, &s.Erasure, s.After)
	if err != nil {
		return false, err
	}
	if s.After = next; next == "" {
		s.Eraser++
	}
	return false, nil
}

// runErase erases a person. From the first transaction on it cannot be cancelled.
func (d *Privacy) runErase(ctx context.Context, run *tasks.Run) error {
	var in eraseInput
	var s *erasure
	if err := run.Read(&in, &s); err != nil {
		return err
	}
	steps := int64(len(d.erasers) + 1)
	if s == nil {
		err := d.Store.Write(kernel.WithCaller(ctx, in.Caller), func(tx *kernel.Tx) error {
			a, err := run.Principal(tx)
			if err != nil {
				return err
			}
			c, err := talk.LockErasable(tx, a, a.Company.ID, in.Contact)
			if err != nil {
				return err
			}
			tx.Audit(a, erasedEntry(&c, in.Reason))
			known, err := d.talk.KnownBy(tx, &c)
			if err != nil {
				return err
			}
			key, err := d.newKey(tx)
			if err != nil {
				return err
			}
			if err := key.remember(tx, &c, known, tx.Now); err != nil {
				return err
			}
			if s, err = d.begin(tx, &c, known, &a.User); err != nil {
				return err
			}
			return run.Save(tx, s, 0, steps)
		})
		if err != nil {
			return err
		}
		if _, err := d.KeepList(ctx); err != nil {
			return err
		}
	}
	for done := false; !done; {
		var err error
		if done, err = d.step(ctx, s); err != nil {
			return err
		}
		err = d.Store.Write(ctx, func(tx *kernel.Tx) error { return run.Save(tx, s, int64(s.Eraser), steps) })
		if err != nil {
			return err
		}
	}
	if err := d.tasks.EraseSubject(ctx, s.Company, s.Contact, run.ID()); err != nil {
		return err
	}
	if err := d.cleanUp(ctx); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error { return run.Done(tx, s.Removes, nil) })
}

// cleanUp removes the texts from the search index and from the free space of the database files.
func (d *Privacy) cleanUp(ctx context.Context) error {
	if err := d.talk.IndexSearch(ctx); err != nil {
		return err
	}
	if err := d.talk.TidySearch(ctx); err != nil {
		return err
	}
	return d.Store.EmptyLog(ctx)
}

type eraseRequest struct {
	httpserver.AtID
	Body EraseInput
}

func (d *Privacy) eraseContact(ctx context.Context, a *kernel.Principal, in *eraseRequest) (*httpserver.Reply[tasks.Job], error) {
	return httpserver.Body(d.EraseContact(ctx, a, kernel.ID(in.ID), in.Body))
}
