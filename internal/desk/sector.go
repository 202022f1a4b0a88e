package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"recado/internal/model"
	"recado/internal/store"
)

// Sectors lists the company's sectors by name, with their members and the queues that are not empty.
func (d *Desk) Sectors(ctx context.Context, a *Principal) ([]model.Sector, error) {
	if err := a.May(VerbSectors); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.Sector, error) {
		sectors, err := tx.Sectors(a.Company.ID)
		if err != nil {
			return nil, err
		}
		return sectors, d.fillQueues(tx, a, sectors)
	})
}

// Sector gives one sector of the company, as the list shows it.
func (d *Desk) Sector(ctx context.Context, a *Principal, id model.ID) (model.Sector, error) {
	if err := a.May(VerbSector); err != nil {
		return model.Sector{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.Sector, error) {
		s, found, err := tx.SectorWithMembers(a.Company.ID, id)
		if err != nil || !found {
			return s, errOr(err, model.NotFound("sector"))
		}
		one := []model.Sector{s}
		err = d.fillQueues(tx, a, one)
		return one[0], err
	})
}

// fillQueues gives every sector its queues: one per public channel with attendances that wait. The cost
// grows with those alone, not with sectors and channels.
func (d *Desk) fillQueues(tx *store.Tx, a *Principal, sectors []model.Sector) error {
	lines, err := tx.WaitingLines(a.Company.ID)
	waiting := map[model.ID][]model.Queue{}
	for _, line := range lines {
		waiting[line.Sector] = append(waiting[line.Sector], line.Queue)
	}
	for i := range sectors {
		if sectors[i].Queues = waiting[sectors[i].ID]; sectors[i].Queues == nil {
			sectors[i].Queues = []model.Queue{}
		}
	}
	return err
}

// SectorChange is what of a sector is to change; nil leaves a part as it is.
type SectorChange struct {
	Name    *string
	Members *[]model.ID
	Hours   model.Optional[model.ID]

	Distribution *DistributionChange
}

// CreateSector adds a sector. Its name must be given.
func (d *Desk) CreateSector(ctx context.Context, a *Principal, in SectorChange) (model.Sector, error) {
	if err := a.May(VerbCreateSector); err != nil {
		return model.Sector{}, err
	}
	return d.changeSector(ctx, a, nil, in)
}

// UpdateSector renames a sector, replaces its members or changes its rules.
func (d *Desk) UpdateSector(ctx context.Context, a *Principal, id model.ID, in SectorChange) (model.Sector, error) {
	if err := a.May(VerbUpdateSector); err != nil {
		return model.Sector{}, err
	}
	return d.changeSector(ctx, a, &id, in)
}

func (d *Desk) changeSector(ctx context.Context, a *Principal, id *model.ID, in SectorChange) (model.Sector, error) {
	name, members := in.Name, in.Members
	if in.Distribution != nil {
		if err := in.Distribution.apply(&model.Distribution{}); err != nil { // the form comes before the id
			return model.Sector{}, err
		}
	}
	if name != nil {
		clean, invalid := model.Name("body.name", *name, model.MaxName)
		if invalid != nil {
			return model.Sector{}, invalid
		}
		name = &clean
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Sector, error) {
		s, err := openSector(tx, a, id)
		if err != nil {
			return s, err
		}
		if members != nil && id != nil && slices.ContainsFunc(*members, func(id model.ID) bool { return !hasRef(s.Members, id) }) {
			if err := a.mayShow(model.AccessSectors, []model.ID{*id}); err != nil {
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
					tx.RemoveResetLinks(a.Company.ID, m.ID)
				}
			}
		}
		if id == nil {
			if err := checkLimit(tx, a.Company.ID, store.CountSectors, "sectors", d.limits.Sectors); err != nil {
				return s, err
			}
		}
		if free, err := nameSector(tx, a, &s, id == nil, name); err != nil || !free {
			return s, errOr(err, model.Errorf(model.CodeNameTaken, "There is already a sector called %q. Choose another name.", s.Name))
		}
		if members != nil {
			tx.SetSectorMembers(a.Company.ID, s.ID, s.Members)
		}
		if err := in.setRules(tx, a, &s); err != nil {
			return s, err
		}
		d.forgetHolders(tx, a.Company.ID)
		tx.AfterCommit(d.wakeups.Distribute.Notify)
		one := []model.Sector{s}
		err = d.fillQueues(tx, a, one)
		return one[0], err
	})
}

// setRules writes what a change says beside name and members.
func (in *SectorChange) setRules(tx *store.Tx, a *Principal, s *model.Sector) error {
	if in.Hours.Set {
		s.HoursID = in.Hours.Pointer()
		if err := keepHours(tx, a.Company.ID, s.HoursID); err != nil {
			return err
		}
		tx.SetSectorHours(a.Company.ID, s.ID, s.HoursID)
	}
	if in.Distribution != nil {
		if err := in.Distribution.apply(&s.Distribution); err != nil {
			return err
		}
		tx.SetDistribution(a.Company.ID, s.ID, s.Distribution)
	}
	return nil
}

func hasRef(refs []model.Ref, id model.ID) bool {
	return slices.ContainsFunc(refs, func(r model.Ref) bool { return r.ID == id })
}

// openSector locks a sector that there is; a nil id means a new one.
func openSector(tx *store.Tx, a *Principal, id *model.ID) (model.Sector, error) {
	if id == nil {
		return model.Sector{ID: model.NewID(), Members: []model.Ref{}, Distribution: model.DefaultDistribution}, nil
	}
	s, found, err := tx.LockSector(a.Company.ID, *id)
	if err == nil && !found {
		err = model.NotFound("sector")
	}
	return s, err
}

// sectorMembers looks the people of a sector up, each once, in the order of their names.
func sectorMembers(tx *store.Tx, a *Principal, ids []model.ID) ([]model.Ref, error) {
	present, err := tx.KeepUsers(a.Company.ID, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if _, found := present[id]; !found {
			return nil, model.Invalid("body.member_ids", "there is no such team member: "+id.String())
		}
	}
	members := slices.Collect(maps.Values(present))
	slices.SortFunc(members, func(a, b model.Ref) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), compareIDs(a.ID, b.ID))
	})
	return members, nil
}

// nameSector inserts or renames a sector and reports whether its name is free.
func nameSector(tx *store.Tx, a *Principal, s *model.Sector, fresh bool, name *string) (bool, error) {
	if name == nil {
		return true, nil
	}
	s.Name = *name
	if fresh {
		return tx.InsertSector(a.Company.ID, s.ID, s.Name)
	}
	return tx.RenameSector(a.Company.ID, s.ID, s.Name)
}

// RemoveSector ends a sector; what lay in it is in no sector then.
func (d *Desk) RemoveSector(ctx context.Context, a *Principal, id model.ID) error {
	if err := a.May(VerbRemoveSector); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		if _, found, err := tx.LockSector(a.Company.ID, id); err != nil || !found {
			return struct{}{}, errOr(err, model.NotFound("sector"))
		}
		tx.RemoveSector(a.Company.ID, id)
		d.forgetHolders(tx, a.Company.ID)
		return struct{}{}, nil
	})
	if err != nil {
		return err
	}
	return d.System().FinishRemovals(ctx, a.Company.ID, &a.User)
}
