package desk

import (
	"context"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// createAttendancesBoard gives a new company the board whose cards follow its attendances.
func createAttendancesBoard(tx *store.Tx, company model.ID) {
	system := model.SystemAttendances
	tx.InsertBoard(company, model.Board{
		ID: model.NewID(), Name: "Attendances", System: &system, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		Stages: []model.Stage{
			{ID: model.NewID(), Name: "Waiting", Position: 0, Kind: model.StageOpen},
			{ID: model.NewID(), Name: "In progress", Position: 1, Kind: model.StageOpen},
			{ID: model.NewID(), Name: "Done", Position: 2, Kind: model.StageWon},
		},
	})
}

// Boards lists the boards that the principal may see: archived ones, or the others.
func (d *Desk) Boards(ctx context.Context, a *Principal, archived bool) ([]model.Board, error) {
	if err := a.May(VerbBoards); err != nil {
		return nil, err
	}
	boards, err := readOne(ctx, d, func(tx *store.Tx) ([]model.Board, error) { return tx.Boards(a.Company.ID, archived) })
	return slices.DeleteFunc(boards, func(b model.Board) bool { return !a.MaySeeBoard(b.ID) }), err
}

// Board gives one board with its stages.
func (d *Desk) Board(ctx context.Context, a *Principal, id model.ID) (model.Board, error) {
	if err := a.May(VerbBoard); err != nil {
		return model.Board{}, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (model.Board, error) {
		b, found, err := tx.Board(a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBoard(id) {
			return b, errOr(err, model.NotFound("board"))
		}
		return b, nil
	})
}

// NewStage is what a stage is made of.
type NewStage struct {
	Name string
	Kind string
}

// defaultStages are those of a board that is made without any.
var defaultStages = []NewStage{{"To do", model.StageOpen}, {"Doing", model.StageOpen}, {"Done", model.StageWon}}

// CreateBoard adds a board. A key that is limited to a list of boards may see the ones it makes.
func (d *Desk) CreateBoard(ctx context.Context, a *Principal, name string, stages []NewStage, once *Once) (model.Board, error) {
	if err := a.May(VerbCreateBoard); err != nil {
		return model.Board{}, err
	}
	name, invalid := model.Name("body.name", name, model.MaxName)
	if invalid != nil {
		return model.Board{}, invalid
	}
	if stages == nil {
		stages = defaultStages
	}
	stages, err := checkStages(stages)
	if err != nil {
		return model.Board{}, err
	}
	return writeOnce(ctx, d, a, once, func(tx *store.Tx) (model.Board, error) {
		b := model.Board{ID: model.NewID(), Name: name, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if int64(len(stages)) > d.limits.Stages {
			return b, model.LimitReached("stages of a board", d.limits.Stages)
		}
		if err := checkRoom(tx, a.Company.ID, store.CountBoards, "boards, archived ones included,", d.limits.Boards); err != nil {
			return b, err
		}
		for i, s := range stages {
			b.Stages = append(b.Stages, model.Stage{ID: model.NewID(), Name: s.Name, Position: int64(i), Kind: s.Kind})
		}
		if err := boardNameFree(tx, a, b); err != nil {
			return b, err
		}
		tx.InsertBoard(a.Company.ID, b)
		if a.Boards != nil {
			tx.AllowBoard(a.Key, b.ID)
			tx.AfterCommit(d.forgetHolders)
		}
		return b, nil
	})
}

// checkStages trims the names of a new board's stages and wants them all different.
func checkStages(stages []NewStage) ([]NewStage, error) {
	stages = slices.Clone(stages)
	seen := map[string]bool{}
	for i := range stages {
		field := indexed("body.stages", i) + ".name"
		name, invalid := model.Name(field, stages[i].Name, model.MaxName)
		if invalid != nil {
			return nil, invalid
		}
		if seen[model.Fold(name)] {
			return nil, model.Invalid(field, "another stage has this name")
		}
		seen[model.Fold(name)] = true
		stages[i].Name = name
	}
	return stages, nil
}

// UpdateBoard renames a board, archives it or brings it back.
func (d *Desk) UpdateBoard(ctx context.Context, a *Principal, id model.ID, name *string, archived *bool) (model.Board, error) {
	if err := a.May(VerbUpdateBoard); err != nil {
		return model.Board{}, err
	}
	if name != nil {
		clean, invalid := model.Name("body.name", *name, model.MaxName)
		if invalid != nil {
			return model.Board{}, invalid
		}
		name = &clean
	}
	return write(ctx, d, func(tx *store.Tx) (model.Board, error) {
		b, err := d.lockBoard(tx, a, id)
		if err != nil {
			return b, err
		}
		was := b
		if name != nil {
			b.Name = *name
		}
		if archived != nil {
			if *archived && b.System != nil {
				return b, model.Invalid("body.archived", "the attendances board cannot be archived")
			}
			b.Archived = *archived
		}
		if b.Name == was.Name && b.Archived == was.Archived {
			return b, nil
		}
		if err := boardNameFree(tx, a, b); err != nil {
			return b, err
		}
		b.UpdatedAt = tx.Now
		tx.SaveBoard(a.Company.ID, b)
		return b, nil
	})
}

// lockBoard opens a board that the principal may see, to change it or its stages.
func (d *Desk) lockBoard(tx *store.Tx, a *Principal, id model.ID) (model.Board, error) {
	if !a.MaySeeBoard(id) {
		return model.Board{}, model.NotFound("board")
	}
	b, found, err := tx.LockBoard(a.Company.ID, id)
	if err != nil || !found {
		return b, errOr(err, model.NotFound("board"))
	}
	return b, nil
}

// boardNameFree keeps apart the names of boards that are in use. One that the principal may not see does
// not count: the refusal would tell of it.
func boardNameFree(tx *store.Tx, a *Principal, b model.Board) error {
	if b.Archived {
		return nil
	}
	named, err := tx.BoardsNamed(a.Company.ID, b.Name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(named, func(id model.ID) bool { return id != b.ID && a.MaySeeBoard(id) }) {
		return model.Errorf(model.CodeNameTaken, "There is already a board called %q.", b.Name)
	}
	return nil
}
