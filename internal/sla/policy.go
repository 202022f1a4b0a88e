package sla

import (
	"context"
	"slices"
	"time"

	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// SLAPolicy is a service level that the team promises to the customers of some sectors.
type SLAPolicy struct {
	ID            kernel.ID   `json:"id"`
	Name          string      `json:"name"`
	SectorIDs     []kernel.ID `json:"sector_ids" doc:"The sectors whose cases have this policy. Empty: all cases for which no other policy applies."`
	FirstResponse *int64      `json:"first_response_minutes" doc:"The time from when a case waits for a person, which is after the menu, until the first response; null: no target."`
	NextResponse  *int64      `json:"next_response_minutes" doc:"The time from a customer's message after the first response until the team's reply; null: no target."`
	Resolution    *int64      `json:"resolution_minutes" doc:"The time from the opening of a case until it is closed; null: no target."`
	Clock         string      `json:"clock" enum:"always,hours" doc:"hours: only minutes within the opening hours of the sector, or else of the channel or the company, count."`
	WarnPercent   int64       `json:"warn_percent" minimum:"50" maximum:"95" doc:"The share of the time of a target after which a warning is given."`
	CreatedAt     time.Time   `json:"created_at"`
	UpdatedAt     time.Time   `json:"updated_at"`
}

// Values of Policy.Clock.
const (
	ClockAlways = "always"
	ClockHours  = "hours"
)

// The limits and defaults of policies.
const (
	MaxPolicies        = 100 // of a company
	MaxMinutes         = 365 * 24 * 60
	DefaultWarnPercent = 80
)

const countPolicies kernel.Countable = `SELECT COUNT(*) FROM sla_policies WHERE company = $1 AND deleted_at IS NULL`

// PolicyChange lists the fields to change; absent fields stay as they are.
type PolicyChange struct {
	Name          *string                `json:"name,omitempty" minLength:"1" maxLength:"120"`
	SectorIDs     *[]kernel.ID           `json:"sector_ids,omitempty" maxItems:"1000" doc:"Replaces all sectors. Empty: all cases for which no other policy applies."`
	FirstResponse kernel.Optional[int64] `json:"first_response_minutes,omitempty" required:"false" doc:"1 to 525600, or null for no target."`
	NextResponse  kernel.Optional[int64] `json:"next_response_minutes,omitempty" required:"false" doc:"1 to 525600, or null for no target."`
	Resolution    kernel.Optional[int64] `json:"resolution_minutes,omitempty" required:"false" doc:"1 to 525600, or null for no target."`
	Clock         *string                `json:"clock,omitempty" enum:"always,hours"`
	WarnPercent   *int64                 `json:"warn_percent,omitempty" minimum:"50" maximum:"95"`
}

// apply validates a change and makes it.
func (in *PolicyChange) apply(p *SLAPolicy) error {
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return err
	}
	kernel.Set(&p.Name, in.Name)
	kernel.Set(&p.Clock, in.Clock)
	kernel.Set(&p.WarnPercent, in.WarnPercent)
	for _, target := range []struct {
		field string
		in    kernel.Optional[int64]
		set   **int64
	}{
		{"body.first_response_minutes", in.FirstResponse, &p.FirstResponse},
		{"body.next_response_minutes", in.NextResponse, &p.NextResponse},
		{"body.resolution_minutes", in.Resolution, &p.Resolution},
	} {
		if !target.in.Set {
			continue
		}
		minutes := target.in.Pointer()
		if minutes != nil && (*minutes < 1 || *minutes > MaxMinutes) {
			return kernel.Between(target.field, 1, MaxMinutes)
		}
		*target.set = minutes
	}
	if in.SectorIDs != nil {
		p.SectorIDs = []kernel.ID{}
		for _, id := range *in.SectorIDs {
			if !slices.Contains(p.SectorIDs, id) {
				p.SectorIDs = append(p.SectorIDs, id)
			}
		}
	}
	return nil
}

// Policies lists the company's policies by name.
func (d *Levels) Policies(ctx context.Context, a *kernel.Principal) ([]SLAPolicy, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]SLAPolicy, error) {
		policies, err := listPolicies(tx, a.Company.ID)
		if err != nil {
			return nil, err
		}
		return policies, leaveOutRemoved(tx, a.Company.ID, policies)
	})
}

// leaveOutRemoved removes sectors that no longer exist. A policy none of whose sectors exists keeps them, because it applies to no
// case, and not to those without another policy.
func leaveOutRemoved(tx *kernel.Tx, company kernel.ID, policies []SLAPolicy) error {
	present, err := people.SectorIDs(tx, company)
	for i := range policies {
		p := &policies[i]
		isPresent := func(id kernel.ID) bool { return slices.Contains(present, id) }
		if slices.ContainsFunc(p.SectorIDs, isPresent) {
			p.SectorIDs = slices.DeleteFunc(p.SectorIDs, func(id kernel.ID) bool { return !isPresent(id) })
		}
	}
	return err
}

// CreatePolicy adds a policy. The name is required.
func (d *Levels) CreatePolicy(ctx context.Context, a *kernel.Principal, in PolicyChange) (SLAPolicy, error) {
	p := SLAPolicy{ID: kernel.NewID(), SectorIDs: []kernel.ID{}, Clock: ClockAlways, WarnPercent: DefaultWarnPercent}
	if err := in.apply(&p); err != nil {
		return p, err
	}
	created, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (SLAPolicy, error) {
		p := p
		p.CreatedAt, p.UpdatedAt = tx.Now, tx.Now
		if err := kernel.CheckLimit(tx, a.Company.ID, countPolicies, "service level policies", MaxPolicies); err != nil {
			return p, err
		}
		tx.AuditNoun(a, p.subject(), nil, p)
		return p, d.savePolicy(tx, a, &p, &in)
	})
	if err != nil {
		return created, err
	}
	d.recomputeNow(ctx, a.Company.ID)
	return created, nil
}

// UpdatePolicy changes a policy.
func (d *Levels) UpdatePolicy(ctx context.Context, a *kernel.Principal, id kernel.ID, in PolicyChange) (SLAPolicy, error) {
	if err := in.apply(&SLAPolicy{}); err != nil { // validate before looking for the id
		return SLAPolicy{}, err
	}
	updated, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (SLAPolicy, error) {
		tx.LockCompany(a.Company.ID)
		p, err := findPolicy(tx, a.Company.ID, id)
		before := p
		if err = kernel.ErrOr(err, in.apply(&p)); err != nil {
			return p, err
		}
		p.UpdatedAt = tx.Now
		tx.AuditNoun(a, p.subject(), before, p)
		if err := d.savePolicy(tx, a, &p, &in); err != nil {
			return p, err
		}
		one := []SLAPolicy{p}
		err = leaveOutRemoved(tx, a.Company.ID, one)
		return one[0], err
	})
	if err != nil {
		return updated, err
	}
	d.recomputeNow(ctx, a.Company.ID)
	return updated, nil
}

// subject returns the policy as the subject of an audit entry.
func (p *SLAPolicy) subject() kernel.AuditSubject {
	return kernel.NewAuditSubject("sla_policy", p.ID, p.Name)
}

// DeletePolicy deletes a policy. Its row stays, because closed cases show its name.
func (d *Levels) DeletePolicy(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.LockCompany(a.Company.ID)
		p, err := findPolicy(tx, a.Company.ID, id)
		if err != nil {
			return err
		}
		tx.AuditNoun(a, p.subject(), p, nil)
		tx.Later(`UPDATE sla_policies SET deleted_at = $3 WHERE company = $1 AND id = $2`, a.Company.ID, id, tx.Now)
		people.MarkServiceLevels(tx, a.Company.ID)
		return nil
	})
	if err != nil {
		return err
	}
	d.recomputeNow(ctx, a.Company.ID)
	return nil
}

// savePolicy checks a policy against the company's others and stores it. The transaction has locked the company.
func (d *Levels) savePolicy(tx *kernel.Tx, a *kernel.Principal, p *SLAPolicy, in *PolicyChange) error {
	if in.SectorIDs != nil {
		for i, id := range *in.SectorIDs {
			if found, err := people.KeepSector(tx, a.Company.ID, id); err != nil || !found {
				return kernel.ErrOr(err, kernel.NoSuch(kernel.Indexed("body.sector_ids", i), "sector"))
			}
		}
	}
	others, err := listPolicies(tx, a.Company.ID)
	if err != nil {
		return err
	}
	for i := range others {
		if o := &others[i]; o.ID != p.ID {
			if err := p.conflict(o); err != nil {
				return err
			}
		}
	}
	tx.Later(`
		INSERT INTO sla_policies (company, id, name, folded, sectors, first_response_minutes, next_response_minutes, resolution_minutes,
			clock, warn_percent, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (company, id) DO UPDATE
		SET name = excluded.name, folded = excluded.folded, sectors = excluded.sectors,
			first_response_minutes = excluded.first_response_minutes, next_response_minutes = excluded.next_response_minutes,
			resolution_minutes = excluded.resolution_minutes, clock = excluded.clock, warn_percent = excluded.warn_percent,
			updated_at = excluded.updated_at`,
		a.Company.ID, p.ID, p.Name, fold.Text(p.Name), kernel.PackIDs(p.SectorIDs), p.FirstResponse, p.NextResponse, p.Resolution,
		p.Clock, p.WarnPercent, p.CreatedAt, p.UpdatedAt)
	people.MarkServiceLevels(tx, a.Company.ID)
	return nil
}

// conflict returns an error if another policy has the same name or applies to the same cases.
func (p *SLAPolicy) conflict(o *SLAPolicy) error {
	switch {
	case fold.Text(o.Name) == fold.Text(p.Name):
		return kernel.Errorf(kernel.CodeNameTaken, "There is already a service level policy called %q. Choose another name.", o.Name)
	case len(o.SectorIDs) == 0 && len(p.SectorIDs) == 0:
		return kernel.Errorf(kernel.CodeNameTaken, "The policy %q already applies to all other cases. Choose sectors for one of the two.", o.Name)
	case slices.ContainsFunc(p.SectorIDs, func(id kernel.ID) bool { return slices.Contains(o.SectorIDs, id) }):
		return kernel.Errorf(kernel.CodeNameTaken, "The policy %q already applies to one of these sectors.", o.Name)
	}
	return nil
}

const policyColumns = `
	id, name, sectors, first_response_minutes, next_response_minutes, resolution_minutes, clock, warn_percent, created_at, updated_at`

func scanPolicy(r db.Row) SLAPolicy {
	return SLAPolicy{
		ID: r.ID("id"), Name: r.Text("name"), SectorIDs: kernel.UnpackIDs(r.Bytes("sectors")),
		FirstResponse: r.NullInt("first_response_minutes"), NextResponse: r.NullInt("next_response_minutes"),
		Resolution: r.NullInt("resolution_minutes"), Clock: r.Text("clock"), WarnPercent: r.Int("warn_percent"),
		CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"),
	}
}

func listPolicies(tx *kernel.Tx, company kernel.ID) ([]SLAPolicy, error) {
	return kernel.Rows(tx, `SELECT`+policyColumns+` FROM sla_policies WHERE company = $1 AND deleted_at IS NULL ORDER BY folded, id`,
		[]any{company}, scanPolicy)
}

func findPolicy(tx *kernel.Tx, company, id kernel.ID) (SLAPolicy, error) {
	return kernel.Find(tx, "service level policy", `
		SELECT`+policyColumns+`
		FROM sla_policies
		WHERE company = $1 AND id = $2 AND deleted_at IS NULL`, []any{company, id}, scanPolicy)
}

// policyOf returns the policy of the cases of a sector, which may be nil, or nil if there is none.
func policyOf(tx *kernel.Tx, company kernel.ID, sector *kernel.ID) (*SLAPolicy, error) {
	policies, err := listPolicies(tx, company)
	var rest *SLAPolicy
	for i := range policies {
		p := &policies[i]
		if len(p.SectorIDs) == 0 {
			rest = p
		} else if sector != nil && slices.Contains(p.SectorIDs, *sector) {
			return p, err
		}
	}
	return rest, err
}

type createPolicyInput struct {
	Body struct {
		Name          string                 `json:"name" minLength:"1" maxLength:"120"`
		SectorIDs     []kernel.ID            `json:"sector_ids,omitempty" maxItems:"1000" doc:"The sectors whose cases have this policy. Empty: all cases for which no other policy applies."`
		FirstResponse kernel.Optional[int64] `json:"first_response_minutes,omitempty" required:"false" doc:"1 to 525600, or null for no target."`
		NextResponse  kernel.Optional[int64] `json:"next_response_minutes,omitempty" required:"false" doc:"1 to 525600, or null for no target."`
		Resolution    kernel.Optional[int64] `json:"resolution_minutes,omitempty" required:"false" doc:"1 to 525600, or null for no target."`
		Clock         *string                `json:"clock,omitempty" enum:"always,hours" default:"always"`
		WarnPercent   *int64                 `json:"warn_percent,omitempty" minimum:"50" maximum:"95" default:"80"`
	}
}

func (s *handlers) createPolicy(ctx context.Context, a *kernel.Principal, in *createPolicyInput) (*httpserver.Reply[SLAPolicy], error) {
	b := &in.Body
	return httpserver.Body(s.verbs.CreatePolicy(ctx, a, PolicyChange{
		Name: &b.Name, SectorIDs: &b.SectorIDs, FirstResponse: b.FirstResponse, NextResponse: b.NextResponse, Resolution: b.Resolution,
		Clock: b.Clock, WarnPercent: b.WarnPercent,
	}))
}

type updatePolicyInput struct {
	httpserver.AtID
	Body struct{ PolicyChange } `required:"false"`
}

func (s *handlers) updatePolicy(ctx context.Context, a *kernel.Principal, in *updatePolicyInput) (*httpserver.Reply[SLAPolicy], error) {
	return httpserver.Body(s.verbs.UpdatePolicy(ctx, a, kernel.ID(in.ID), in.Body.PolicyChange))
}
