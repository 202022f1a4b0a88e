package people

import (
	"cmp"
	"context"
	"maps"
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

// DistributionChange lists the fields to change; nil fields stay as they are.
type DistributionChange struct {
	Mode               *string
	Capacity           *int64
	PreferLast         *bool
	ReturnAfterMinutes kernel.Optional[int64]
}

// apply validates and applies a change.
func (in *DistributionChange) apply(d *Distribution) error {
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
	if err == nil && !found {
		err = kernel.NoSuch("body.hours_id", "hours")
	}
	return err
}

// Sectors lists the company's sectors by name, with their members and non-empty queues.
func (d *People) Sectors(ctx context.Context, a *kernel.Principal) ([]Sector, error) {
	if err := a.May(VerbSectors); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Sector, error) {
		sectors, err := listSectors(tx, a.Company.ID)
		if err != nil {
			return nil, err
		}
		return sectors, fillQueues(tx, a, sectors)
	})
}

// Sector returns a sector of the company as in the list.
func (d *People) Sector(ctx context.Context, a *kernel.Principal, id kernel.ID) (Sector, error) {
	if err := a.May(VerbSector); err != nil {
		return Sector{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Sector, error) {
		s, err := findSector(tx, a.Company.ID, id, "")
		if err != nil {
			return s, err
		}
		one := []Sector{s}
		err = fillQueues(tx, a, one)
		return one[0], err
	})
}

// fillQueues sets the queues of sectors: one per public channel with waiting attendances.
func fillQueues(tx *kernel.Tx, a *kernel.Principal, sectors []Sector) error {
	lines, err := WaitingLines(tx, a.Company.ID)
	queues := map[kernel.ID][]Queue{}
	for _, line := range lines {
		queues[line.Sector] = append(queues[line.Sector], line.Queue)
	}
	for i := range sectors {
		sectors[i].Queues = append([]Queue{}, queues[sectors[i].ID]...)
	}
	return err
}

// WakeDistribute wakes the loop that distributes cases.
const WakeDistribute = "distribute"

// SectorChange lists the fields to change; nil fields stay as they are.
type SectorChange struct {
	Name    *string
	Members *[]kernel.ID
	Hours   kernel.Optional[kernel.ID]

	Distribution *DistributionChange
}

// CreateSector adds a sector. The name is required.
func (d *People) CreateSector(ctx context.Context, a *kernel.Principal, in SectorChange) (Sector, error) {
	if err := a.May(VerbCreateSector); err != nil {
		return Sector{}, err
	}
	return d.changeSector(ctx, a, nil, in)
}

// UpdateSector renames a sector, replaces its members or changes its rules.
func (d *People) UpdateSector(ctx context.Context, a *kernel.Principal, id kernel.ID, in SectorChange) (Sector, error) {
	if err := a.May(VerbUpdateSector); err != nil {
		return Sector{}, err
	}
	return d.changeSector(ctx, a, &id, in)
}

// changeSector changes a sector, or creates one if id is nil.
func (d *People) changeSector(ctx context.Context, a *kernel.Principal, id *kernel.ID, in SectorChange) (Sector, error) {
	if in.Distribution != nil {
		if err := in.Distribution.apply(&Distribution{}); err != nil { // validate before looking for the sector
			return Sector{}, err
		}
	}
	if err := cleanName(&in.Name); err != nil {
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
			setSectorMembers(tx, a.Company.ID, s.ID, s.Members)
		}
		if err := in.setRules(tx, a, &s); err != nil {
			return s, err
		}
		d.ForgetHolders(tx, a.Company.ID)
		tx.AfterCommit(d.Wakeup(WakeDistribute).Notify)
		one := []Sector{s}
		err = fillQueues(tx, a, one)
		return one[0], err
	})
}

// replaceMembers validates the members of a sector and sets them in s, by name. Those who join or leave lose their reset links.
func (d *People) replaceMembers(tx *kernel.Tx, a *kernel.Principal, s *Sector, isNew bool, ids []kernel.ID) error {
	before := refIDs(s.Members)
	if !isNew && slices.ContainsFunc(ids, func(id kernel.ID) bool { return !slices.Contains(before, id) }) {
		if err := mayShow(a, kernel.AccessSectors, []kernel.ID{s.ID}); err != nil {
			return err
		}
	}
	present, err := keepUsers(tx, a.Company.ID, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, found := present[id]; !found {
			return kernel.NoSuch("body.member_ids", "team_member")
		}
	}
	s.Members = slices.SortedFunc(maps.Values(present), func(a, b kernel.Ref) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), kernel.CompareIDs(a.ID, b.ID))
	})
	if err := d.checkMemberships(tx, a.Company.ID, len(before), len(s.Members)); err != nil {
		return err
	}
	after := refIDs(s.Members)
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
		setSectorHours(tx, a.Company.ID, s.ID, s.HoursID)
	}
	if in.Distribution != nil {
		if err := in.Distribution.apply(&s.Distribution); err != nil {
			return err
		}
		setDistribution(tx, a.Company.ID, s.ID, s.Distribution)
	}
	return nil
}

func refIDs(refs []kernel.Ref) []kernel.ID {
	ids := make([]kernel.ID, len(refs))
	for i, ref := range refs {
		ids[i] = ref.ID
	}
	return ids
}

// RemoveSector removes a sector. Its conversations and attendances then belong to no sector.
func (d *People) RemoveSector(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbRemoveSector); err != nil {
		return err
	}
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		if _, err := findSector(tx, a.Company.ID, id, tx.ForUpdate()); err != nil {
			return err
		}
		removeSector(tx, a.Company.ID, id)
		d.ForgetHolders(tx, a.Company.ID)
		return nil
	})
	if err != nil {
		return err
	}
	return d.notifyRemoved(ctx, a.Company.ID, &a.User)
}
