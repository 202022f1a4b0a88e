package people

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// The modes of a sector's distribution.
const (
	DistributeManual     = "manual"
	DistributeRoundRobin = "round_robin"
	DistributeLeastBusy  = "least_busy"
)

// Distribution configures how waiting cases of a sector get a responsible person.
type Distribution struct {
	Mode               string `json:"mode" enum:"manual,round_robin,least_busy" doc:"round_robin assigns a case to the person who has waited longest for one, least_busy to the person with the fewest open cases."`
	Capacity           int64  `json:"capacity" minimum:"1" maximum:"100" doc:"The maximum number of open cases per member, across all sectors. A member's own capacity takes precedence."`
	PreferLast         bool   `json:"prefer_last" doc:"Whether a new case is assigned, if possible, to the person who had the previous case of the same conversation."`
	ReturnAfterMinutes *int64 `json:"return_after_minutes" doc:"The number of minutes after which a distributed case without an answer returns to the queue and is assigned to another person, or null for never."`
}

// DefaultDistribution is the distribution of a new sector.
var DefaultDistribution = Distribution{Mode: DistributeManual, Capacity: DefaultCapacity}

// Limits of distribution.
const (
	DefaultCapacity = 10
	MaxCapacity     = 100
	MaxReturnAfter  = 24 * 60 // minutes
)

// checkMemberships returns an error if a change adds memberships in sectors beyond the company's limit.
func (d *People) checkMemberships(tx *kernel.Tx, company kernel.ID, before, after int) error {
	return kernel.CheckGrowth(tx, company, countMemberships, "memberships in sectors", d.Limit(limitMemberships), before, after)
}

// DistributionBody lists the fields of a distribution to change; nil fields stay as they are, or have their default.
type DistributionBody struct {
	Mode               *string                `json:"mode,omitempty" enum:"manual,round_robin,least_busy"`
	Capacity           *int64                 `json:"capacity,omitempty" minimum:"1" maximum:"100"`
	PreferLast         *bool                  `json:"prefer_last,omitempty"`
	ReturnAfterMinutes kernel.Optional[int64] `json:"return_after_minutes,omitempty" required:"false" doc:"The number of minutes, from 1 to 1440, or null for never."`
}

// apply validates and applies a change. It does nothing if in is nil.
func (in *DistributionBody) apply(d *Distribution) error {
	if in == nil {
		return nil
	}
	kernel.Set(&d.Mode, in.Mode)
	kernel.Set(&d.Capacity, in.Capacity)
	kernel.Set(&d.PreferLast, in.PreferLast)
	if in.ReturnAfterMinutes.Set {
		d.ReturnAfterMinutes = in.ReturnAfterMinutes.Pointer()
	}
	if after := d.ReturnAfterMinutes; after != nil && (*after < 1 || *after > MaxReturnAfter) {
		return kernel.Between("body.distribution.return_after_minutes", 1, MaxReturnAfter)
	}
	return nil
}

// KeepHours returns an error if the company does not have the opening hours of hours_id. It keeps them from being deleted until
// the transaction ends.
func KeepHours(tx *kernel.Tx, company kernel.ID, id *kernel.ID) error {
	if id == nil {
		return nil
	}
	found, err := tx.One(`SELECT 1 FROM hours WHERE company = $1 AND id = $2`+tx.ForShare(), []any{company, *id}, func(db.Row) {})
	if err != nil || !found {
		return kernel.ErrOr(err, kernel.NoSuch("body.hours_id", "hours"))
	}
	return nil
}

// MarkServiceLevels marks the service levels of a company's open attendances to be computed again, because its policies or
// opening hours change. HoursChanged, after the commit, does it at once for companies with few.
func MarkServiceLevels(tx *kernel.Tx, company kernel.ID) {
	tx.Later(`
		UPDATE companies
		SET sla_stale = $2
		WHERE id = $1 AND EXISTS (SELECT 1 FROM sla_policies WHERE company = $1)`, company, kernel.NewID())
}

// HoursChanged notifies the observers after opening hours were changed, or chosen for the company, a channel or a sector.
func (d *People) HoursChanged(ctx context.Context, company kernel.ID) {
	for _, o := range d.observers {
		if o.HoursChanged != nil {
			o.HoursChanged(ctx, company)
		}
	}
}

// Sectors lists the company's sectors by name, with their members and non-empty queues.
func (d *People) Sectors(ctx context.Context, a *kernel.Principal) ([]Sector, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Sector, error) {
		sectors, err := listSectors(tx, a.Company.ID)
		if err != nil {
			return nil, err
		}
		return withQueues(tx, a, sectors...)
	})
}

// Sector returns a sector of the company as in the list.
func (d *People) Sector(ctx context.Context, a *kernel.Principal, id kernel.ID) (Sector, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Sector, error) {
		s, err := findSector(tx, a.Company.ID, id, "")
		if err != nil {
			return s, err
		}
		one, err := withQueues(tx, a, s)
		return one[0], err
	})
}

// withQueues sets the queues of sectors: one per public channel with waiting attendances.
func withQueues(tx *kernel.Tx, a *kernel.Principal, sectors ...Sector) ([]Sector, error) {
	lines, err := WaitingLines(tx, a.Company.ID)
	queues := map[kernel.ID][]Queue{}
	for _, line := range lines {
		queues[line.Sector] = append(queues[line.Sector], line.Queue)
	}
	for i := range sectors {
		sectors[i].Queues = append([]Queue{}, queues[sectors[i].ID]...)
	}
	return sectors, err
}

// WakeDistribute wakes the loop that distributes cases.
const WakeDistribute = "distribute"

// SectorChange lists the fields to change; nil fields stay as they are.
type SectorChange struct {
	Name         *string                    `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Members      *[]kernel.ID               `json:"member_ids,omitempty" maxItems:"1000" doc:"Replaces all members."`
	Hours        kernel.Optional[kernel.ID] `json:"hours_id,omitempty" required:"false" doc:"The sector's own opening hours; if null, the opening hours of the channel or the company apply."`
	Distribution *DistributionBody          `json:"distribution,omitempty" doc:"How waiting cases are assigned. Omitted fields do not change."`
}

// CreateSector adds a sector. The name is required.
func (d *People) CreateSector(ctx context.Context, a *kernel.Principal, in SectorChange) (Sector, error) {
	return d.changeSector(ctx, a, nil, in)
}

// UpdateSector renames a sector, replaces its members or changes its rules.
func (d *People) UpdateSector(ctx context.Context, a *kernel.Principal, id kernel.ID, in SectorChange) (Sector, error) {
	return d.changeSector(ctx, a, &id, in)
}

// changeSector changes a sector, or creates one if id is nil.
func (d *People) changeSector(ctx context.Context, a *kernel.Principal, id *kernel.ID, in SectorChange) (Sector, error) {
	s, err := d.saveSector(ctx, a, id, in)
	if err != nil || !in.Hours.Set {
		return s, err
	}
	d.HoursChanged(ctx, a.Company.ID)
	return s, nil
}

func (d *People) saveSector(ctx context.Context, a *kernel.Principal, id *kernel.ID, in SectorChange) (Sector, error) {
	// Validate before looking for the sector.
	if err := kernel.ErrOr(in.Distribution.apply(&Distribution{}), kernel.CleanName("body.name", &in.Name)); err != nil {
		return Sector{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Sector, error) {
		s := Sector{ID: kernel.NewID(), Members: []kernel.Ref{}, Distribution: DefaultDistribution}
		var err error
		if id != nil {
			if s, err = findSector(tx, a.Company.ID, *id, tx.ForUpdate()); err != nil {
				return s, err
			}
		}
		before := s
		if in.Members != nil {
			if err := d.replaceMembers(tx, a, &s, id == nil, *in.Members); err != nil {
				return s, err
			}
		}
		if id == nil {
			if err := kernel.CheckLimit(tx, a.Company.ID, countSectors, "sectors", d.Limit(limitSectors)); err != nil {
				return s, err
			}
		}
		if in.Name != nil {
			s.Name = *in.Name
			store := renameSector
			if id == nil {
				store = insertSector
			}
			if free, err := store(tx, a.Company.ID, s.ID, s.Name); err != nil || !free {
				taken := kernel.Errorf(kernel.CodeNameTaken, "There is already a sector called %q. Choose another name.", s.Name)
				return s, kernel.ErrOr(err, taken)
			}
		}
		if in.Members != nil {
			tx.Later(`DELETE FROM sector_members WHERE company = $1 AND sector = $2`, a.Company.ID, s.ID)
			insertMemberships(tx, a.Company.ID, []kernel.ID{s.ID}, refIDs(s.Members))
		}
		if err := in.setRules(tx, a, &s); err != nil {
			return s, err
		}
		d.ForgetHolders(tx, a.Company.ID)
		tx.AfterCommit(d.Wakeup(WakeDistribute).Notify)
		if id == nil {
			tx.AuditNoun(a, s.subject(), nil, s, "queues")
		} else {
			tx.AuditNoun(a, s.subject(), before, s, "queues")
		}
		one, err := withQueues(tx, a, s)
		return one[0], err
	})
}

// subject returns the sector as the subject of an audit entry.
func (s *Sector) subject() kernel.AuditSubject { return kernel.NewAuditSubject("sector", s.ID, s.Name) }

// replaceMembers validates the members of a sector and sets them in s, by name. Those who join or leave lose their reset links.
func (d *People) replaceMembers(tx *kernel.Tx, a *kernel.Principal, s *Sector, isNew bool, ids []kernel.ID) error {
	before := refIDs(s.Members)
	if !isNew && slices.ContainsFunc(ids, func(id kernel.ID) bool { return !slices.Contains(before, id) }) {
		if err := mayShow(a, kernel.AccessSectors, []kernel.ID{s.ID}); err != nil {
			return err
		}
	}
	var err error
	if s.Members, err = keepUsers(tx, a.Company.ID, ids); err != nil {
		return err
	}
	slices.SortFunc(s.Members, func(a, b kernel.Ref) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), kernel.CompareIDs(a.ID, b.ID))
	})
	after := refIDs(s.Members)
	if slices.ContainsFunc(ids, func(id kernel.ID) bool { return !slices.Contains(after, id) }) {
		return kernel.NoSuch("body.member_ids", "team_member")
	}
	if err := d.checkMemberships(tx, a.Company.ID, len(before), len(after)); err != nil {
		return err
	}
	for _, id := range slices.Concat(before, after) {
		if slices.Contains(before, id) != slices.Contains(after, id) {
			removeResetLinks(tx, a.Company.ID, id)
		}
	}
	return nil
}

// setRules stores the opening hours and the distribution.
func (in *SectorChange) setRules(tx *kernel.Tx, a *kernel.Principal, s *Sector) error {
	if in.Hours.Set {
		s.HoursID = in.Hours.Pointer()
		if err := KeepHours(tx, a.Company.ID, s.HoursID); err != nil {
			return err
		}
		tx.Later(`UPDATE sectors SET hours = $3 WHERE company = $1 AND id = $2`, a.Company.ID, s.ID, s.HoursID)
		MarkServiceLevels(tx, a.Company.ID)
	}
	d := &s.Distribution
	if err := in.Distribution.apply(d); err != nil {
		return err
	}
	tx.Later(`
		UPDATE sectors
		SET distribution = $3, capacity = $4, prefer_last = $5, return_minutes = $6
		WHERE company = $1 AND id = $2`, a.Company.ID, s.ID, d.Mode, d.Capacity, d.PreferLast, d.ReturnAfterMinutes)
	return nil
}

func refIDs(refs []kernel.Ref) []kernel.ID {
	ids := make([]kernel.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	return ids
}

// RemoveSector removes a sector. Its conversations and attendances are moved out later: see Orphans.
func (d *People) RemoveSector(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		s, err := findSector(tx, a.Company.ID, id, tx.ForUpdate())
		if err != nil {
			return err
		}
		tx.AuditNoun(a, s.subject(), s, nil, "queues")
		tx.Later(`UPDATE sectors SET removed_at = $3 WHERE company = $1 AND id = $2`, a.Company.ID, id, tx.Now)
		tx.Later(`DELETE FROM sector_members WHERE company = $1 AND sector = $2`, a.Company.ID, id)
		d.ForgetHolders(tx, a.Company.ID)
		return nil
	})
	if err != nil {
		return err
	}
	return d.notifyRemoved(ctx, a.Company.ID, &a.User)
}
