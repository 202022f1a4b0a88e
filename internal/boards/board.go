package boards

import (
	"context"
	"slices"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/rank"
)

// The kinds of stage, and the one system board.
const (
	StageOpen = "open"
	StageWon  = "won"
	StageLost = "lost"

	SystemAttendances = "attendances"
)

// Board is a Kanban board.
type Board struct {
	ID        kernel.ID `json:"id"`
	Name      string    `json:"name"`
	Archived  bool      `json:"archived"`
	System    *string   `json:"system" enum:"attendances"`
	Stages    []Stage   `json:"stages"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Subject is the board.
func (b *Board) Subject() kernel.Subject { return kernel.Subject{Kind: people.SubjectBoard, ID: b.ID} }

// Stage is one column of a board.
type Stage struct {
	ID       kernel.ID `json:"id"`
	Name     string    `json:"name"`
	Position int64     `json:"position" doc:"0 is the leftmost stage."`
	Kind     string    `json:"kind" enum:"open,won,lost"`
}

// StageCount is how many cards a stage holds.
type StageCount struct {
	Stage kernel.ID `json:"stage"`
	Cards int64     `json:"cards" doc:"Archived cards are excluded. 10,000 stands for 10,000 and more."`
}

// MaxStageCount is how far the cards of a stage are counted.
const MaxStageCount = 10_000

// createAttendancesBoard gives a new company the board whose cards follow its attendances.
func createAttendancesBoard(tx *kernel.Tx, of kernel.Company) error {
	company := of.ID
	system := SystemAttendances
	insertBoard(tx, company, Board{
		ID: kernel.NewID(), Name: "Attendances", System: &system, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		Stages: []Stage{
			{ID: kernel.NewID(), Name: "Waiting", Position: 0, Kind: StageOpen},
			{ID: kernel.NewID(), Name: "In progress", Position: 1, Kind: StageOpen},
			{ID: kernel.NewID(), Name: "Done", Position: 2, Kind: StageWon},
		},
	})
	return nil
}

// Boards lists the boards that the principal may see: archived ones, or the others.
func (d *Boards) Boards(ctx context.Context, a *kernel.Principal, archived bool) ([]Board, error) {
	if err := a.May(VerbBoards); err != nil {
		return nil, err
	}
	boards, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Board, error) { return listBoards(tx, a.Company.ID, archived) })
	return slices.DeleteFunc(boards, func(b Board) bool { return !a.MaySeeBoard(b.ID) }), err
}

// Board gives one board with its stages.
func (d *Boards) Board(ctx context.Context, a *kernel.Principal, id kernel.ID) (Board, error) {
	if err := a.May(VerbBoard); err != nil {
		return Board{}, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Board, error) {
		b, found, err := FindBoard(tx, a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBoard(id) {
			return b, kernel.ErrOr(err, kernel.NotFound("board"))
		}
		return b, nil
	})
}

// BoardCounts gives, for each stage of a board, the number of its cards that the principal may see, archived ones
// excluded and at most MaxStageCount.
func (d *Boards) BoardCounts(ctx context.Context, a *kernel.Principal, id kernel.ID) ([]StageCount, error) {
	if err := a.May(VerbBoardCounts); err != nil {
		return nil, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]StageCount, error) {
		b, found, err := FindBoard(tx, a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBoard(id) {
			return nil, kernel.ErrOr(err, kernel.NotFound("board"))
		}
		counts := make([]StageCount, len(b.Stages))
		for i, s := range b.Stages {
			n, err := countCards(tx, cardCriteria{Company: a.Company.ID, Stage: s.ID, Sight: a.Sight(), Unseen: unseenCards(a)}, MaxStageCount)
			if err != nil {
				return nil, err
			}
			counts[i] = StageCount{Stage: s.ID, Cards: n}
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
var defaultStages = []NewStage{{"To do", StageOpen}, {"Doing", StageOpen}, {"Done", StageWon}}

// CreateBoard adds a board. A key that is limited to a list of boards may see the ones it makes.
func (d *Boards) CreateBoard(ctx context.Context, a *kernel.Principal, name string, stages []NewStage) (Board, error) {
	if err := a.May(VerbCreateBoard); err != nil {
		return Board{}, err
	}
	name, invalid := kernel.Name("body.name", name, kernel.MaxName)
	if invalid != nil {
		return Board{}, invalid
	}
	if stages == nil {
		stages = defaultStages
	}
	stages, err := checkStages(stages)
	if err != nil {
		return Board{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Board, error) {
		b := Board{ID: kernel.NewID(), Name: name, CreatedAt: tx.Now, UpdatedAt: tx.Now}
		if int64(len(stages)) > d.Limit(limitStages) {
			return b, kernel.LimitReached("stages of a board", d.Limit(limitStages))
		}
		if err := kernel.CheckLimit(tx, a.Company.ID, countBoards, "boards, archived ones included,", d.Limit(limitBoards)); err != nil {
			return b, err
		}
		for i, s := range stages {
			b.Stages = append(b.Stages, Stage{ID: kernel.NewID(), Name: s.Name, Position: int64(i), Kind: s.Kind})
		}
		if err := boardNameFree(tx, a, b); err != nil {
			return b, err
		}
		insertBoard(tx, a.Company.ID, b)
		d.signalBoard(tx, a.Company.ID, b.ID, kernel.Audience{})
		if a.Boards != nil {
			allowBoard(tx, a.Company.ID, a.Key, b.ID)
			d.people.ForgetHolders(tx, a.Company.ID)
		}
		return b, nil
	})
}

// checkStages trims the names of a new board's stages and requires them to be different.
func checkStages(stages []NewStage) ([]NewStage, error) {
	stages = slices.Clone(stages)
	seen := map[string]bool{}
	for i := range stages {
		field := kernel.Indexed("body.stages", i) + ".name"
		name, invalid := kernel.Name(field, stages[i].Name, kernel.MaxName)
		if invalid != nil {
			return nil, invalid
		}
		if seen[fold.Text(name)] {
			return nil, kernel.Duplicate(field, "another stage has this name; choose another")
		}
		seen[fold.Text(name)] = true
		stages[i].Name = name
	}
	return stages, nil
}

// UpdateBoard renames a board, archives it or restores it.
func (d *Boards) UpdateBoard(ctx context.Context, a *kernel.Principal, id kernel.ID, name *string, archived *bool) (Board, error) {
	if err := a.May(VerbUpdateBoard); err != nil {
		return Board{}, err
	}
	if name != nil {
		clean, invalid := kernel.Name("body.name", *name, kernel.MaxName)
		if invalid != nil {
			return Board{}, invalid
		}
		name = &clean
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Board, error) {
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
				return b, kernel.Invalid("body.archived", ruleSystemBoard, "the attendances board cannot be archived")
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
		saveBoard(tx, a.Company.ID, b)
		d.signalBoard(tx, a.Company.ID, b.ID, kernel.Audience{})
		return b, nil
	})
}

// lockBoard opens a board that the principal may see, to change it or its stages.
func (d *Boards) lockBoard(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Board, error) {
	if !a.MaySeeBoard(id) {
		return Board{}, kernel.NotFound("board")
	}
	b, found, err := lockBoard(tx, a.Company.ID, id)
	if err != nil || !found {
		return b, kernel.ErrOr(err, kernel.NotFound("board"))
	}
	return b, nil
}

// boardNameFree refuses a name that another board in use has. A board that the principal may not see does not count:
// the refusal would disclose it.
func boardNameFree(tx *kernel.Tx, a *kernel.Principal, b Board) error {
	if b.Archived {
		return nil
	}
	named, err := boardsNamed(tx, a.Company.ID, b.Name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(named, func(id kernel.ID) bool { return id != b.ID && a.MaySeeBoard(id) }) {
		return kernel.Errorf(kernel.CodeNameTaken, "There is already a board called %q. Choose another name.", b.Name)
	}
	return nil
}

// CreateStage adds a stage to a board, at a position or, when that is nil, after the last.
func (d *Boards) CreateStage(ctx context.Context, a *kernel.Principal, board kernel.ID, in NewStage, position *int64) (Stage, error) {
	if err := a.May(VerbCreateStage); err != nil {
		return Stage{}, err
	}
	name, invalid := kernel.Name("body.name", in.Name, kernel.MaxName)
	if invalid != nil {
		return Stage{}, invalid
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Stage, error) {
		b, err := d.lockStages(tx, a, board)
		if err != nil {
			return Stage{}, err
		}
		s := Stage{ID: kernel.NewID(), Name: name, Kind: in.Kind, Position: int64(len(b.Stages))}
		if int64(len(b.Stages)) >= d.Limit(limitStages) {
			return s, kernel.LimitReached("stages of a board", d.Limit(limitStages))
		}
		if position != nil {
			s.Position = *position
		}
		if err := stageFits(&b, s, int64(len(b.Stages))); err != nil {
			return s, err
		}
		insertStage(tx, a.Company.ID, b.ID, s)
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
func (d *Boards) UpdateStage(ctx context.Context, a *kernel.Principal, board, id kernel.ID, in StageChange) (Stage, error) {
	if err := a.May(VerbUpdateStage); err != nil {
		return Stage{}, err
	}
	if in.Name != nil {
		clean, invalid := kernel.Name("body.name", *in.Name, kernel.MaxName)
		if invalid != nil {
			return Stage{}, invalid
		}
		in.Name = &clean
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Stage, error) {
		b, at, err := d.lockStageOf(tx, a, board, id)
		if err != nil {
			return Stage{}, err
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
		saveStage(tx, a.Company.ID, s)
		d.arrange(tx, a, &b, slices.Insert(slices.Delete(slices.Clone(b.Stages), at, at+1), int(s.Position), s))
		return s, nil
	})
}

// DeleteStage removes a stage that holds no cards.
func (d *Boards) DeleteStage(ctx context.Context, a *kernel.Principal, board, id kernel.ID) error {
	if err := a.May(VerbDeleteStage); err != nil {
		return err
	}
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		b, at, err := d.lockStageOf(tx, a, board, id)
		if err != nil {
			return struct{}{}, err
		}
		if len(b.Stages) == 1 {
			return struct{}{}, kernel.Invalid("path.stage_id", ruleLastStage, "a board must have at least one stage; add another one first")
		}
		unseen, err := d.lockEmptyStage(tx, a, id)
		if err != nil {
			return struct{}{}, err
		}
		rest := slices.Delete(slices.Clone(b.Stages), at, at+1)
		if err := d.moveUnseen(tx, a, unseen, rest[max(at-1, 0)].ID); err != nil {
			return struct{}{}, err
		}
		deleteStage(tx, a.Company.ID, id)
		d.arrange(tx, a, &b, rest)
		return struct{}{}, nil
	})
	return err
}

// lockEmptyStage locks a stage and refuses one with cards. The refusal must not disclose cards that no key may see:
// they are returned instead, locked, and the caller moves them.
func (d *Boards) lockEmptyStage(tx *kernel.Tx, a *kernel.Principal, stage kernel.ID) ([]Card, error) {
	if _, _, err := lockStage(tx, a.Company.ID, stage); err != nil {
		return nil, err
	}
	if full, err := stageHoldsCards(tx, a.Company.ID, stage); err != nil || full {
		return nil, kernel.ErrOr(err, kernel.Errorf(kernel.CodeStageNotEmpty, "This stage has cards. Move or delete them first, including archived cards."))
	}
	return hasUnseenCards(tx, a.Company.ID, stage)
}

// moveUnseen moves the unseen cards of a stage that is deleted to the end of its neighbour.
func (d *Boards) moveUnseen(tx *kernel.Tx, a *kernel.Principal, unseen []Card, to kernel.ID) error {
	if len(unseen) == 0 {
		return nil
	}
	stage, _, err := lockStage(tx, a.Company.ID, to)
	if err != nil {
		return err
	}
	last, err := lastRank(tx, a.Company.ID, to, unseen[0].ID)
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
func (d *Boards) changeKind(tx *kernel.Tx, a *kernel.Principal, s Stage) error {
	unseen, err := d.lockEmptyStage(tx, a, s.ID)
	for _, c := range unseen {
		d.follow(tx, c, s, c.Position)
	}
	return err
}

// follow puts an unseen card in a stage. An archived card stays archived.
func (d *Boards) follow(tx *kernel.Tx, was Card, s Stage, rank string) {
	c := was
	enter(&c, s, rank, tx.Now)
	if was.Status == CardArchived {
		c.Status = CardArchived
	}
	d.saveCard(tx, &was, &c)
}

// lockStages opens a board whose stages may be changed.
func (d *Boards) lockStages(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Board, error) {
	b, err := d.lockBoard(tx, a, id)
	if err != nil {
		return b, err
	}
	return b, stagesFixed(&b)
}

// Rules of boards.
var (
	ruleSystemBoard = kernel.NewRule("system_board") // the board of attendances cannot be changed
	ruleLastStage   = kernel.NewRule("last_stage")
	ruleKeepsLink   = kernel.NewRule("keeps_conversation") // of a private number
	ruleMoved       = kernel.NewRule("moved")              // name: who moved the card; stage: where to
)

func stagesFixed(b *Board) error {
	if b.System == nil {
		return nil
	}
	return kernel.Invalid("path.id", ruleSystemBoard, "the stages of the attendances board cannot be changed: its cards show the state of attendances")
}

// lockStageOf opens a board to change one of its stages, and gives its index.
func (d *Boards) lockStageOf(tx *kernel.Tx, a *kernel.Principal, board, id kernel.ID) (Board, int, error) {
	b, err := d.lockBoard(tx, a, board)
	if err != nil {
		return b, 0, err
	}
	at := slices.IndexFunc(b.Stages, func(s Stage) bool { return s.ID == id })
	if at < 0 {
		return b, 0, kernel.NotFound("stage")
	}
	return b, at, stagesFixed(&b)
}

// stageFits requires a name that no other stage of the board has, and a position among the others.
func stageFits(b *Board, s Stage, last int64) error {
	if s.Position > last {
		return kernel.Between("body.position", 0, int(last))
	}
	for _, other := range b.Stages {
		if other.ID != s.ID && fold.Text(other.Name) == fold.Text(s.Name) {
			return kernel.Errorf(kernel.CodeNameTaken, "This board already has a stage called %q. Choose another name.", s.Name)
		}
	}
	return nil
}

// arrange stores the new order of a board's stages.
func (d *Boards) arrange(tx *kernel.Tx, a *kernel.Principal, b *Board, stages []Stage) {
	for i, s := range stages {
		if s.Position != int64(i) {
			s.Position = int64(i)
			saveStage(tx, a.Company.ID, s)
		}
	}
	b.UpdatedAt = tx.Now
	saveBoard(tx, a.Company.ID, *b)
	d.signalBoard(tx, a.Company.ID, b.ID, kernel.Audience{})
}

// checkBoard reports an error when the principal may not see a board.
func checkBoard(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	found, err := boardExists(tx, a.Company.ID, id)
	if err != nil || !found || !a.MaySeeBoard(id) {
		return kernel.ErrOr(err, kernel.NotFound("board"))
	}
	return nil
}

// signalBoard tells the live streams of an audience, once the change is durable, that a board changed without an event.
func (d *Boards) signalBoard(tx *kernel.Tx, company, board kernel.ID, to kernel.Audience) {
	s := kernel.NewSignal("board", company, to, struct {
		Board kernel.ID `json:"board"`
	}{board})
	tx.AfterCommit(func() { d.Signal(s) })
}
