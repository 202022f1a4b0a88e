package people

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"recado/internal/kernel"
)

// The modes of a sector's distribution.
const (
	DistributeManual     = "manual"
	DistributeRoundRobin = "round_robin"
	DistributeLeastBusy  = "least_busy"
)

// Distribution says how the waiting cases of a sector get a responsible person.
type Distribution struct {
	Mode               string `json:"mode" enum:"manual,round_robin,least_busy" doc:"round_robin: the person who has waited longest for a case. least_busy: the person with the fewest open cases."`
	Capacity           int64  `json:"capacity" minimum:"1" maximum:"100" doc:"How many open cases a member may have, over all sectors; members may have a capacity of their own."`
	PreferLast         bool   `json:"prefer_last" doc:"The person who had the last case of the same conversation gets the next one, where they can."`
	ReturnAfterMinutes *int64 `json:"return_after_minutes" doc:"A case that was distributed and is not answered for so long goes back to the queue, and next to another person; null: never."`
}

// DefaultDistribution is that of a new sector.
var DefaultDistribution = Distribution{Mode: DistributeManual, Capacity: DefaultCapacity}

// The limits of distribution.
const (
	DefaultCapacity = 10
	MaxCapacity     = 100
	MaxReturnAfter  = 24 * 60 // minutes
)

// checkMemberships refuses a change after which the company has more memberships in sectors than its limit, unless
// it has fewer than before. Lists of the team and of the sectors show each of them.
func (d *People) checkMemberships(tx *kernel.Tx, company kernel.ID, before, after int) error {
	return kernel.CheckGrowth(tx, company, countMemberships, "memberships in sectors", d.Limit(limitMemberships), before, after)
}

// DistributionChange is what of a sector's distribution is to change; nil leaves a part as it is.
type DistributionChange struct {
	Mode               *string
	Capacity           *int64
	PreferLast         *bool
	ReturnAfterMinutes kernel.Optional[int64]
}

// apply checks a change and makes it.
func (in *DistributionChange) apply(d *Distribution) error {
	kernel.Set(&d.Mode, in.Mode)
	kernel.Set(&d.Capacity, in.Capacity)
	kernel.Set(&d.PreferLast, in.PreferLast)
	if in.ReturnAfterMinutes.Set {
		d.ReturnAfterMinutes = in.ReturnAfterMinutes.Pointer()
	}
	if after := d.ReturnAfterMinutes; after != nil && (*after < 1 || *after > MaxReturnAfter) {
		return kernel.Between("body.distribution.return_after_minutes", 1, 1440)
	}
	return nil
}

// checkCapacity checks a member's own capacity.
func checkCapacity(capacity kernel.Optional[int64]) error {
	if c := capacity.Pointer(); c != nil && (*c < 1 || *c > MaxCapacity) {
		return kernel.Between("body.capacity", 1, 100)
	}
	return nil
}

// KeepHours refuses hours_id where the company has no such opening hours.
func KeepHours(tx *kernel.Tx, company kernel.ID, id *kernel.ID) error {
	if id == nil {
		return nil
	}
	found, err := keepHours(tx, company, *id)
	if err == nil && !found {
		err = kernel.NoSuch("body.hours_id", "hours")
	}
	return err
}

// Sectors lists the company's sectors by name, with their members and the queues that are not empty.
func (d *People) Sectors(ctx context.Context, a *kernel.Principal) ([]Sector, error) {
	if err := a.May(VerbSectors); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Sector, error) {
		sectors, err := listSectors(tx, a.Company.ID)
		if err != nil {
			return nil, err
		}
		return sectors, d.fillQueues(tx, a, sectors)
	})
}

// Sector gives one sector of the company, as the list shows it.
func (d *People) Sector(ctx context.Context, a *kernel.Principal, id kernel.ID) (Sector, error) {
	if err := a.May(VerbSector); err != nil {
		return Sector{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Sector, error) {
		s, found, err := sectorWithMembers(tx, a.Company.ID, id)
		if err != nil || !found {
			return s, kernel.ErrOr(err, kernel.NotFound("sector"))
		}
		one := []Sector{s}
		err = d.fillQueues(tx, a, one)
		return one[0], err
	})
}

// fillQueues gives every sector its queues: one per public channel with attendances that wait. The cost
// grows with those alone, not with sectors and channels.
func (d *People) fillQueues(tx *kernel.Tx, a *kernel.Principal, sectors []Sector) error {
	lines, err := WaitingLines(tx, a.Company.ID)
	waiting := map[kernel.ID][]Queue{}
	for _, line := range lines {
		waiting[line.Sector] = append(waiting[line.Sector], line.Queue)
	}
	for i := range sectors {
		if sectors[i].Queues = waiting[sectors[i].ID]; sectors[i].Queues == nil {
			sectors[i].Queues = []Queue{}
		}
	}
	return err
}

// WakeDistribute wakes the loop that gives cases to people: a case may wait for a person, or a person for a case.
const WakeDistribute = "distribute"

// SectorChange is what of a sector is to change; nil leaves a part as it is.
type SectorChange struct {
	Name    *string
	Members *[]kernel.ID
	Hours   kernel.Optional[kernel.ID]

	Distribution *DistributionChange
}

// CreateSector adds a sector. Its name must be given.
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

func (d *People) changeSector(ctx context.Context, a *kernel.Principal, id *kernel.ID, in SectorChange) (Sector, error) {
	name, members := in.Name, in.Members
	if in.Distribution != nil {
		if err := in.Distribution.apply(&Distribution{}); err != nil { // the form comes before the id
			return Sector{}, err
		}
	}
	if name != nil {
		clean, invalid := kernel.Name("body.name", *name, kernel.MaxName)
		if invalid != nil {
			return Sector{}, invalid
		}
		name = &clean
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Sector, error) {
		s, err := openSector(tx, a, id)
		if err != nil {
			return s, err
		}
		if members != nil && id != nil && slices.ContainsFunc(*members, func(id kernel.ID) bool { return !hasRef(s.Members, id) }) {
			if err := mayShow(a, kernel.AccessSectors, []kernel.ID{*id}); err != nil {
				return s, err
			}
		}
		if members != nil {
			before := s.Members
			if s.Members, err = sectorMembers(tx, a, *members); err != nil {
				return s, err
			}
			if err := d.checkMemberships(tx, a.Company.ID, len(before), len(s.Members)); err != nil {
				return s, err
			}
			for _, m := range slices.Concat(before, s.Members) {
				if hasRef(before, m.ID) != hasRef(s.Members, m.ID) {
					removeResetLinks(tx, a.Company.ID, m.ID)
				}
			}
		}
		if id == nil {
			if err := kernel.CheckLimit(tx, a.Company.ID, countSectors, "sectors", d.Limit(limitSectors)); err != nil {
				return s, err
			}
		}
		if free, err := nameSector(tx, a, &s, id == nil, name); err != nil || !free {
			return s, kernel.ErrOr(err, kernel.Errorf(kernel.CodeNameTaken, "There is already a sector called %q. Choose another name.", s.Name))
		}
		if members != nil {
			setSectorMembers(tx, a.Company.ID, s.ID, s.Members)
		}
		if err := in.setRules(tx, a, &s); err != nil {
			return s, err
		}
		d.ForgetHolders(tx, a.Company.ID)
		tx.AfterCommit(d.Wakeup(WakeDistribute).Notify)
		one := []Sector{s}
		err = d.fillQueues(tx, a, one)
		return one[0], err
	})
}

// setRules writes what a change says beside name and members.
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

func hasRef(refs []kernel.Ref, id kernel.ID) bool {
	return slices.ContainsFunc(refs, func(r kernel.Ref) bool { return r.ID == id })
}

// openSector locks a sector that there is; a nil id means a new one.
func openSector(tx *kernel.Tx, a *kernel.Principal, id *kernel.ID) (Sector, error) {
	if id == nil {
		return Sector{ID: kernel.NewID(), Members: []kernel.Ref{}, Distribution: DefaultDistribution}, nil
	}
	s, found, err := lockSector(tx, a.Company.ID, *id)
	if err == nil && !found {
		err = kernel.NotFound("sector")
	}
	return s, err
}

// sectorMembers looks the people of a sector up, each once, in the order of their names.
func sectorMembers(tx *kernel.Tx, a *kernel.Principal, ids []kernel.ID) ([]kernel.Ref, error) {
	present, err := keepUsers(tx, a.Company.ID, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if _, found := present[id]; !found {
			return nil, kernel.NoSuch("body.member_ids", "team_member")
		}
	}
	members := slices.Collect(maps.Values(present))
	slices.SortFunc(members, func(a, b kernel.Ref) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), kernel.CompareIDs(a.ID, b.ID))
	})
	return members, nil
}

// nameSector inserts or renames a sector and reports whether its name is free.
func nameSector(tx *kernel.Tx, a *kernel.Principal, s *Sector, fresh bool, name *string) (bool, error) {
	if name == nil {
		return true, nil
	}
	s.Name = *name
	if fresh {
		return insertSector(tx, a.Company.ID, s.ID, s.Name)
	}
	return renameSector(tx, a.Company.ID, s.ID, s.Name)
}

// RemoveSector ends a sector; what lay in it is in no sector then.
func (d *People) RemoveSector(ctx context.Context, a *kernel.Principal, id kernel.ID) error {
	if err := a.May(VerbRemoveSector); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		if _, found, err := lockSector(tx, a.Company.ID, id); err != nil || !found {
			return struct{}{}, kernel.ErrOr(err, kernel.NotFound("sector"))
		}
		removeSector(tx, a.Company.ID, id)
		d.ForgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	if err != nil {
		return err
	}
	return d.removed(ctx, a.Company.ID, &a.User)
}
