package desk

import (
	"context"
	"fmt"
	"slices"

	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/once"
	"recado/internal/rank"
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

// BoardCounts gives, for each stage of a board, the number of its cards that the principal may see, archived ones
// excluded and at most model.MaxStageCount.
func (d *Desk) BoardCounts(ctx context.Context, a *Principal, id model.ID) ([]model.StageCount, error) {
	if err := a.May(VerbBoardCounts); err != nil {
		return nil, err
	}
	return read(ctx, d, func(tx *store.Tx) ([]model.StageCount, error) {
		b, found, err := tx.Board(a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBoard(id) {
			return nil, errOr(err, model.NotFound("board"))
		}
		counts := make([]model.StageCount, len(b.Stages))
		for i, s := range b.Stages {
			n, err := tx.CountCards(store.CardFilter{Company: a.Company.ID, Stage: s.ID, Sight: a.sight(), Unseen: a.unseenCards()}, model.MaxStageCount)
			if err != nil {
				return nil, err
			}
			counts[i] = model.StageCount{Stage: s.ID, Cards: n}
		}
		return counts, nil
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
func (d *Desk) CreateBoard(ctx context.Context, a *Principal, name string, stages []NewStage, once *once.Call) (model.Board, error) {
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
		if err := checkLimit(tx, a.Company.ID, store.CountBoards, "boards, archived ones included,", d.limits.Boards); err != nil {
			return b, err
		}
		for i, s := range stages {
			b.Stages = append(b.Stages, model.Stage{ID: model.NewID(), Name: s.Name, Position: int64(i), Kind: s.Kind})
		}
		if err := boardNameFree(tx, a, b); err != nil {
			return b, err
		}
		tx.InsertBoard(a.Company.ID, b)
		d.signalBoard(tx, a.Company.ID, b.ID, nil)
		if a.Boards != nil {
			tx.AllowBoard(a.Key, b.ID)
			d.forgetHolders(tx, a.Company.ID)
		}
		return b, nil
	})
}

// checkStages trims the names of a new board's stages and requires them to be different.
func checkStages(stages []NewStage) ([]NewStage, error) {
	stages = slices.Clone(stages)
	seen := map[string]bool{}
	for i := range stages {
		field := indexed("body.stages", i) + ".name"
		name, invalid := model.Name(field, stages[i].Name, model.MaxName)
		if invalid != nil {
			return nil, invalid
		}
		if seen[fold.Text(name)] {
			return nil, model.Invalid(field, "another stage has this name; choose another")
		}
		seen[fold.Text(name)] = true
		stages[i].Name = name
	}
	return stages, nil
}

// UpdateBoard renames a board, archives it or restores it.
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
		d.signalBoard(tx, a.Company.ID, b.ID, nil)
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

// boardNameFree refuses a name that another board in use has. A board that the principal may not see does not count:
// the refusal would disclose it.
func boardNameFree(tx *store.Tx, a *Principal, b model.Board) error {
	if b.Archived {
		return nil
	}
	named, err := tx.BoardsNamed(a.Company.ID, b.Name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(named, func(id model.ID) bool { return id != b.ID && a.MaySeeBoard(id) }) {
		return model.Errorf(model.CodeNameTaken, "There is already a board called %q. Choose another name.", b.Name)
	}
	return nil
}

// CreateStage adds a stage to a board, at a position or, when that is nil, after the last.
func (d *Desk) CreateStage(ctx context.Context, a *Principal, board model.ID, in NewStage, position *int64, once *once.Call) (model.Stage, error) {
	if err := a.May(VerbCreateStage); err != nil {
		return model.Stage{}, err
	}
	name, invalid := model.Name("body.name", in.Name, model.MaxName)
	if invalid != nil {
		return model.Stage{}, invalid
	}
	return writeOnce(ctx, d, a, once, func(tx *store.Tx) (model.Stage, error) {
		b, err := d.lockStages(tx, a, board)
		if err != nil {
			return model.Stage{}, err
		}
		s := model.Stage{ID: model.NewID(), Name: name, Kind: in.Kind, Position: int64(len(b.Stages))}
		if int64(len(b.Stages)) >= d.limits.Stages {
			return s, model.LimitReached("stages of a board", d.limits.Stages)
		}
		if position != nil {
			s.Position = *position
		}
		if err := stageFits(&b, s, int64(len(b.Stages))); err != nil {
			return s, err
		}
		tx.InsertStage(a.Company.ID, b.ID, s)
		d.arrange(tx, a, &b, slices.Insert(slices.Clone(b.Stages), int(s.Position), s))
		return s, nil
	})
}

// StageChange is what can change about a stage; nil leaves it as it is.
type StageChange struct {
	Name     *string
	Kind     *string
	Position *int64
}

// UpdateStage renames a stage, moves it among its neighbours, or changes its kind while it is empty.
func (d *Desk) UpdateStage(ctx context.Context, a *Principal, board, id model.ID, in StageChange) (model.Stage, error) {
	if err := a.May(VerbUpdateStage); err != nil {
		return model.Stage{}, err
	}
	if in.Name != nil {
		clean, invalid := model.Name("body.name", *in.Name, model.MaxName)
		if invalid != nil {
			return model.Stage{}, invalid
		}
		in.Name = &clean
	}
	return write(ctx, d, func(tx *store.Tx) (model.Stage, error) {
		b, at, err := d.lockStageOf(tx, a, board, id)
		if err != nil {
			return model.Stage{}, err
		}
		was := b.Stages[at]
		s := was
		if in.Name != nil {
			s.Name = *in.Name
		}
		if in.Kind != nil {
			s.Kind = *in.Kind
		}
		if in.Position != nil {
			s.Position = *in.Position
		}
		if err := stageFits(&b, s, int64(len(b.Stages)-1)); err != nil || s == was {
			return s, err
		}
		if s.Kind != was.Kind {
			if err := d.changeKind(tx, a, s); err != nil {
				return s, err
			}
		}
		tx.SaveStage(a.Company.ID, s)
		d.arrange(tx, a, &b, slices.Insert(slices.Delete(slices.Clone(b.Stages), at, at+1), int(s.Position), s))
		return s, nil
	})
}

// DeleteStage removes a stage that holds no cards.
func (d *Desk) DeleteStage(ctx context.Context, a *Principal, board, id model.ID) error {
	if err := a.May(VerbDeleteStage); err != nil {
		return err
	}
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		b, at, err := d.lockStageOf(tx, a, board, id)
		if err != nil {
			return struct{}{}, err
		}
		if len(b.Stages) == 1 {
			return struct{}{}, model.Invalid("", "A board must have at least one stage. Add another stage first.")
		}
		unseen, err := d.lockEmptyStage(tx, a, id)
		if err != nil {
			return struct{}{}, err
		}
		rest := slices.Delete(slices.Clone(b.Stages), at, at+1)
		if err := d.moveUnseen(tx, a, unseen, rest[max(at-1, 0)].ID); err != nil {
			return struct{}{}, err
		}
		tx.DeleteStage(a.Company.ID, id)
		d.arrange(tx, a, &b, rest)
		return struct{}{}, nil
	})
	return err
}

// lockEmptyStage locks a stage and refuses one with cards. The refusal must not disclose cards that no key may see:
// they are returned instead, locked, and the caller moves them.
func (d *Desk) lockEmptyStage(tx *store.Tx, a *Principal, stage model.ID) ([]model.Card, error) {
	if _, _, err := tx.LockStage(a.Company.ID, stage); err != nil {
		return nil, err
	}
	if full, err := tx.StageHoldsCards(a.Company.ID, stage); err != nil || full {
		return nil, errOr(err, model.Errorf(model.CodeStageNotEmpty, "This stage has cards. Move or delete them first, including archived cards."))
	}
	return tx.UnseenCards(a.Company.ID, stage)
}

// moveUnseen moves the unseen cards of a stage that is deleted to the end of its neighbour.
func (d *Desk) moveUnseen(tx *store.Tx, a *Principal, unseen []model.Card, to model.ID) error {
	if len(unseen) == 0 {
		return nil
	}
	stage, _, err := tx.LockStage(a.Company.ID, to)
	if err != nil {
		return err
	}
	last, err := tx.LastRank(to, unseen[0].ID)
	for _, c := range unseen {
		if err != nil {
			return err
		}
		if last, err = rank.Between(last, ""); err == nil {
			d.follow(tx, c, stage.Stage, last)
		}
	}
	return err
}

// changeKind lets the cards of a stage that no key may see follow its new kind.
func (d *Desk) changeKind(tx *store.Tx, a *Principal, s model.Stage) error {
	unseen, err := d.lockEmptyStage(tx, a, s.ID)
	for _, c := range unseen {
		d.follow(tx, c, s, c.Position)
	}
	return err
}

// follow puts an unseen card in a stage. An archived card stays archived.
func (d *Desk) follow(tx *store.Tx, was model.Card, s model.Stage, rank string) {
	c := was
	enter(&c, s, rank, tx.Now)
	if was.Status == model.CardArchived {
		c.Status = model.CardArchived
	}
	d.saveCard(tx, &was, &c)
}

// lockStages opens a board whose stages may be changed.
func (d *Desk) lockStages(tx *store.Tx, a *Principal, id model.ID) (model.Board, error) {
	b, err := d.lockBoard(tx, a, id)
	if err != nil {
		return b, err
	}
	return b, stagesFixed(&b)
}

func stagesFixed(b *model.Board) error {
	if b.System == nil {
		return nil
	}
	return model.Invalid("", "The stages of the attendances board cannot be changed: its cards show the state of attendances.")
}

// lockStageOf opens a board to change one of its stages, and gives its index.
func (d *Desk) lockStageOf(tx *store.Tx, a *Principal, board, id model.ID) (model.Board, int, error) {
	b, err := d.lockBoard(tx, a, board)
	if err != nil {
		return b, 0, err
	}
	at := slices.IndexFunc(b.Stages, func(s model.Stage) bool { return s.ID == id })
	if at < 0 {
		return b, 0, model.NotFound("stage")
	}
	return b, at, stagesFixed(&b)
}

// stageFits requires a name that no other stage of the board has, and a position among the others.
func stageFits(b *model.Board, s model.Stage, last int64) error {
	if s.Position > last {
		return model.Invalid("body.position", fmt.Sprintf("must be from 0 to %d", last))
	}
	for _, other := range b.Stages {
		if other.ID != s.ID && fold.Text(other.Name) == fold.Text(s.Name) {
			return model.Errorf(model.CodeNameTaken, "This board already has a stage called %q. Choose another name.", s.Name)
		}
	}
	return nil
}

// arrange stores the new order of a board's stages.
func (d *Desk) arrange(tx *store.Tx, a *Principal, b *model.Board, stages []model.Stage) {
	for i, s := range stages {
		if s.Position != int64(i) {
			s.Position = int64(i)
			tx.SaveStage(a.Company.ID, s)
		}
	}
	b.UpdatedAt = tx.Now
	tx.SaveBoard(a.Company.ID, *b)
	d.signalBoard(tx, a.Company.ID, b.ID, nil)
}
