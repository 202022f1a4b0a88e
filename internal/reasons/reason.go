package reasons

import (
	"context"
	"slices"
	"time"

	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/talk"
)

// ClosingReason is a closing reason, which a person can choose when closing a case.
type ClosingReason struct {
	ID          kernel.ID   `json:"id"`
	Name        string      `json:"name"`
	SectorIDs   []kernel.ID `json:"sector_ids" doc:"The sectors whose cases can be closed with the reason; empty: all cases."`
	RequireNote bool        `json:"require_note" doc:"Whether closing with the reason requires a note."`
	Active      bool        `json:"active" doc:"Whether the reason can be chosen. It becomes false when the last of its sectors is removed."`
	Position    int64       `json:"position" doc:"The place of the reason in the list."`
	CreatedAt   time.Time   `json:"created_at"`
	UpdatedAt   time.Time   `json:"updated_at"`
}

// Limits of closing reasons.
const (
	MaxReasons = 100 // of a company
	MaxName    = 60  // characters
)

const countReasons kernel.Countable = `SELECT COUNT(*) FROM closing_reasons WHERE company = $1 AND deleted_at IS NULL`

// ReasonChange lists the fields to change; nil fields stay as they are.
type ReasonChange struct {
	Name        *string      `json:"name,omitempty" minLength:"1" maxLength:"60"`
	SectorIDs   *[]kernel.ID `json:"sector_ids,omitempty" maxItems:"1000" doc:"Replaces the sectors. [] means all cases."`
	RequireNote *bool        `json:"require_note,omitempty"`
	Active      *bool        `json:"active,omitempty"`
	Position    *int64       `json:"position,omitempty" minimum:"0" maximum:"1000000"`
}

// Reasons returns the company's closing reasons by position, then by name.
func (d *Reasons) Reasons(ctx context.Context, a *kernel.Principal) ([]ClosingReason, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]ClosingReason, error) { return listReasons(tx, a.Company.ID) })
}

// CreateReason adds a closing reason. It is active, for all sectors and the last one, unless in says otherwise.
func (d *Reasons) CreateReason(ctx context.Context, a *kernel.Principal, in ReasonChange) (ClosingReason, error) {
	if err := in.clean(); err != nil {
		return ClosingReason{}, err
	}
	if in.Name == nil {
		return ClosingReason{}, kernel.Required("body.name")
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (ClosingReason, error) {
		r := ClosingReason{ID: kernel.NewID(), SectorIDs: []kernel.ID{}, Active: true, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if err := kernel.CheckLimit(tx, a.Company.ID, countReasons, "closing reasons", MaxReasons); err != nil {
			return r, err
		}
		others, err := listReasons(tx, a.Company.ID)
		if err != nil {
			return r, err
		}
		if len(others) > 0 {
			r.Position = others[len(others)-1].Position + 1
		}
		if err := in.apply(tx, a.Company.ID, &r, others); err != nil {
			return r, err
		}
		if slices.ContainsFunc(others, func(o ClosingReason) bool { return o.Position == r.Position }) {
			shift(tx, a.Company.ID, 1, r.Position, others[len(others)-1].Position)
		}
		insertReason(tx, a.Company.ID, &r)
		tx.AuditNoun(a, r.subject(), nil, r)
		return r, nil
	})
}

// UpdateReason changes a closing reason. Changes of a company's reasons wait for each other.
func (d *Reasons) UpdateReason(ctx context.Context, a *kernel.Principal, id kernel.ID, in ReasonChange) (ClosingReason, error) {
	if err := in.clean(); err != nil {
		return ClosingReason{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (ClosingReason, error) {
		tx.LockCompany(a.Company.ID)
		others, err := listReasons(tx, a.Company.ID)
		if err != nil {
			return ClosingReason{}, err
		}
		i := slices.IndexFunc(others, func(o ClosingReason) bool { return o.ID == id })
		if i < 0 {
			return ClosingReason{}, kernel.NotFound("closing reason")
		}
		old := others[i]
		r := old
		if err := in.apply(tx, a.Company.ID, &r, slices.Delete(others, i, i+1)); err != nil {
			return r, err
		}
		switch {
		case r.Position < old.Position:
			shift(tx, a.Company.ID, 1, r.Position, old.Position-1)
		case r.Position > old.Position:
			shift(tx, a.Company.ID, -1, old.Position+1, r.Position)
		}
		r.UpdatedAt = tx.Now
		updateReason(tx, a.Company.ID, &r)
		tx.AuditNoun(a, r.subject(), old, r)
		return r, nil
	})
}

// DeleteReason deletes a closing reason. The cases that were closed with it keep its name.
func (d *Reasons) DeleteReason(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		all, err := listReasons(tx, a.Company.ID)
		if err != nil {
			return err
		}
		n, err := tx.Exec(`UPDATE closing_reasons SET deleted_at = $3 WHERE company = $1 AND id = $2 AND deleted_at IS NULL`,
			a.Company.ID, id, tx.Now)
		i := slices.IndexFunc(all, func(r ClosingReason) bool { return r.ID == id })
		if err != nil || n == 0 || i < 0 {
			return kernel.ErrOr(err, kernel.NotFound("closing reason"))
		}
		tx.AuditNoun(a, all[i].subject(), all[i], nil)
		return nil
	})
}

// subject returns the reason as the subject of an audit entry.
func (r *ClosingReason) subject() kernel.AuditSubject {
	return kernel.NewAuditSubject("reason", r.ID, r.Name)
}

// clean validates the parts of a change that do not depend on stored rows.
func (in *ReasonChange) clean() error {
	if in.Name != nil {
		name, invalid := kernel.Name("body.name", *in.Name, MaxName)
		if invalid != nil {
			return invalid
		}
		in.Name = &name
	}
	return nil
}

// apply makes a change. others are the company's other reasons.
func (in *ReasonChange) apply(tx *kernel.Tx, company kernel.ID, r *ClosingReason, others []ClosingReason) error {
	kernel.Set(&r.Name, in.Name)
	kernel.Set(&r.RequireNote, in.RequireNote)
	kernel.Set(&r.Active, in.Active)
	kernel.Set(&r.Position, in.Position)
	if slices.ContainsFunc(others, func(o ClosingReason) bool { return fold.Text(o.Name) == fold.Text(r.Name) }) {
		return kernel.Errorf(kernel.CodeNameTaken, "There is already a closing reason called %q. Choose another name.", r.Name)
	}
	if in.SectorIDs == nil {
		return nil
	}
	existing, err := people.SectorIDs(tx, company)
	if err != nil {
		return err
	}
	r.SectorIDs = []kernel.ID{}
	for i, sector := range *in.SectorIDs {
		if !slices.Contains(existing, sector) {
			return kernel.NoSuch(kernel.Indexed("body.sector_ids", i), "sector")
		}
		if !slices.Contains(r.SectorIDs, sector) {
			r.SectorIDs = append(r.SectorIDs, sector)
		}
	}
	return nil
}

// choose sets the closing reason of a case that a person closes. It takes no lock: if the reason is deleted at the same time, the
// case is closed as if that had happened before, because a deleted reason keeps its name.
func choose(t *talk.LockedConversation, att *talk.Attendance, reason *kernel.ID) error {
	if reason == nil {
		rules, err := people.ListAttendanceRules(t.Tx, t.Company)
		if err != nil || !rules.RequireReason {
			return err
		}
		required := kernel.Errorf(kernel.CodeReasonRequired, "Choose a closing reason: send its id as reason_id.")
		required.Fields = kernel.Required("body.reason_id").Fields
		return required
	}
	r, found, err := findReason(t.Tx, t.Company, *reason)
	if err != nil || !found {
		return kernel.ErrOr(err, kernel.NoSuch("body.reason_id", "closing_reason"))
	}
	if !r.Active {
		return kernel.Invalid("body.reason_id", kernel.RuleNoSuch, "this closing reason is not active", kernel.Params{"noun": "closing_reason"})
	}
	if len(r.SectorIDs) > 0 && (att.Sector == nil || !slices.Contains(r.SectorIDs, *att.Sector)) {
		return kernel.Invalid("body.reason_id", kernel.RuleNotAllowed, "this closing reason is for other sectors")
	}
	if r.RequireNote {
		var note string
		kernel.Set(&note, att.Closing.Note)
		if _, invalid := kernel.Text("body.note", note, talk.MaxClosingNote); invalid != nil {
			return invalid
		}
	}
	att.Closing.Reason = &kernel.Ref{ID: r.ID, Name: r.Name}
	return nil
}

type createReasonInput struct {
	Body struct {
		Name        string       `json:"name" minLength:"1" maxLength:"60"`
		SectorIDs   *[]kernel.ID `json:"sector_ids,omitempty" maxItems:"1000" doc:"[] means all cases, the default."`
		RequireNote *bool        `json:"require_note,omitempty"`
		Active      *bool        `json:"active,omitempty" doc:"Defaults to true."`
		Position    *int64       `json:"position,omitempty" minimum:"0" maximum:"1000000"`
	}
}

func (d *Reasons) createReason(ctx context.Context, a *kernel.Principal, in *createReasonInput) (*httpserver.Reply[ClosingReason], error) {
	b := &in.Body
	return httpserver.Body(d.CreateReason(ctx, a, ReasonChange{&b.Name, b.SectorIDs, b.RequireNote, b.Active, b.Position}))
}

type updateReasonInput struct {
	httpserver.AtID
	Body ReasonChange `required:"false"`
}

func (d *Reasons) updateReason(ctx context.Context, a *kernel.Principal, in *updateReasonInput) (*httpserver.Reply[ClosingReason], error) {
	return httpserver.Body(d.UpdateReason(ctx, a, kernel.ID(in.ID), in.Body))
}

const reasonColumns = `id, name, sectors, require_note, active, position, created_at, updated_at`

// scanReason returns a function that reads a reason. Sectors that do not exist any more are left out; a reason that had only such
// sectors is not active.
func scanReason(existing []kernel.ID) func(r db.Row) ClosingReason {
	return func(r db.Row) ClosingReason {
		reason := ClosingReason{
			ID: r.ID("id"), Name: r.Text("name"), SectorIDs: []kernel.ID{}, RequireNote: r.Bool("require_note"), Active: r.Bool("active"),
			Position: r.Int("position"), CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"),
		}
		if stored := kernel.UnpackIDs(r.Bytes("sectors")); len(stored) > 0 {
			reason.SectorIDs = slices.DeleteFunc(stored, func(id kernel.ID) bool { return !slices.Contains(existing, id) })
			reason.Active = reason.Active && len(reason.SectorIDs) > 0
		}
		return reason
	}
}

func listReasons(tx *kernel.Tx, company kernel.ID) ([]ClosingReason, error) {
	sectors, err := people.SectorIDs(tx, company)
	if err != nil {
		return nil, err
	}
	return kernel.Rows(tx, `
		SELECT `+reasonColumns+`
		FROM closing_reasons
		WHERE company = $1 AND deleted_at IS NULL
		ORDER BY position, folded, id`, []any{company}, scanReason(sectors))
}

func findReason(tx *kernel.Tx, company, id kernel.ID) (ClosingReason, bool, error) {
	sectors, err := people.SectorIDs(tx, company)
	if err != nil {
		return ClosingReason{}, false, err
	}
	return kernel.Row(tx, `SELECT `+reasonColumns+` FROM closing_reasons WHERE company = $1 AND id = $2 AND deleted_at IS NULL`,
		[]any{company, id}, scanReason(sectors))
}

func insertReason(tx *kernel.Tx, company kernel.ID, r *ClosingReason) {
	tx.Later(`
		INSERT INTO closing_reasons (company, id, name, folded, sectors, require_note, active, position, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		company, r.ID, r.Name, fold.Text(r.Name), kernel.PackIDs(r.SectorIDs), r.RequireNote, r.Active, r.Position, r.CreatedAt, r.UpdatedAt)
}

func updateReason(tx *kernel.Tx, company kernel.ID, r *ClosingReason) {
	tx.Later(`
		UPDATE closing_reasons
		SET name = $3, folded = $4, sectors = $5, require_note = $6, active = $7, position = $8, updated_at = $9
		WHERE company = $1 AND id = $2`,
		company, r.ID, r.Name, fold.Text(r.Name), kernel.PackIDs(r.SectorIDs), r.RequireNote, r.Active, r.Position, r.UpdatedAt)
}

// shift moves the reasons at the positions first to last by a number of places.
func shift(tx *kernel.Tx, company kernel.ID, by, first, last int64) {
	tx.Later(`
		UPDATE closing_reasons
		SET position = position + $2, updated_at = $5
		WHERE company = $1 AND position BETWEEN $3 AND $4 AND deleted_at IS NULL`, company, by, first, last, tx.Now)
}
