package boards

import (
	"context"
	"slices"
	"time"

	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/internal/rank"
)

// Kinds of stages, and the value of Board.System.
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

// Subject returns the subject of responses about the board.
func (b *Board) Subject() kernel.Subject { return kernel.Subject{Kind: people.SubjectBoard, ID: b.ID} }

// Stage is a column of a board.
type Stage struct {
	ID       kernel.ID `json:"id"`
	Name     string    `json:"name"`
	Position int64     `json:"position" doc:"The stage's position, counted from 0 at the left."`
	Kind     string    `json:"kind" enum:"open,won,lost"`
}

// auditSubject returns the board as the subject of an audit entry.
func (b *Board) auditSubject() kernel.AuditSubject {
	return kernel.NewAuditSubject("board", b.ID, b.Name)
}

// audit records a change of the board or one of its stages.
func (b *Board) audit(tx *kernel.Tx, a *kernel.Principal, e kernel.AuditEntry) {
	e.Board = b.ID
	tx.AuditUpdate(a, e)
}

// subject returns the stage as the subject of an audit entry.
func (s *Stage) subject() kernel.AuditSubject { return kernel.NewAuditSubject("stage", s.ID, s.Name) }

// stageOn is a stage with the name of its board, for the audit.
type stageOn struct {
	Board string `json:"board"`
	Stage
}

// StageCount is the number of cards in a stage.
type StageCount struct {
	Stage kernel.ID `json:"stage"`
	Cards int64     `json:"cards" doc:"The number of cards, excluding archived ones. 10,000 means 10,000 or more."`
}

// MaxStageCount is the number up to which the cards of a stage are counted.
const MaxStageCount = 10_000

// createAttendancesBoard creates the board whose cards follow the attendances of a new company.
func createAttendancesBoard(tx *kernel.Tx, company kernel.Company) error {
	system := SystemAttendances
	insertBoard(tx, company.ID, Board{
		ID: kernel.NewID(), Name: "Attendances", System: &system, CreatedAt: tx.Now, UpdatedAt: tx.Now,
		Stages: []Stage{
			{ID: kernel.NewID(), Name: "Waiting", Position: 0, Kind: StageOpen},
			{ID: kernel.NewID(), Name: "In progress", Position: 1, Kind: StageOpen},
			{ID: kernel.NewID(), Name: "Done", Position: 2, Kind: StageWon},
		},
	})
	return nil
}

// Boards lists the archived or other boards that the principal may see.
func (d *Boards) Boards(ctx context.Context, a *kernel.Principal, archived bool) ([]Board, error) {
	boards, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]Board, error) {
		return selectBoards(tx, `b.archived = $2`, a.Company.ID, archived)
	})
	return slices.DeleteFunc(boards, func(b Board) bool { return !a.MaySeeBoard(b.ID) }), err
}

// Board returns a board with its stages.
func (d *Boards) Board(ctx context.Context, a *kernel.Principal, id kernel.ID) (Board, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (Board, error) { return visibleBoard(tx, a, id) })
}

// visibleBoard returns a board that the principal may see.
func visibleBoard(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Board, error) {
	b, found, err := FindBoard(tx, a.Company.ID, id)
	if err != nil || !found || !a.MaySeeBoard(id) {
		return Board{}, kernel.ErrOr(err, kernel.NotFound("board"))
	}
	return b, nil
}

// BoardCounts returns the number of visible cards of each stage, without archived ones and up to MaxStageCount.
func (d *Boards) BoardCounts(ctx context.Context, a *kernel.Principal, id kernel.ID) ([]StageCount, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]StageCount, error) {
		b, err := visibleBoard(tx, a, id)
		if err != nil {
			return nil, err
		}
		counts := make([]StageCount, len(b.Stages))
		for i, s := range b.Stages {
			criteria := cardCriteria{CardFilter: CardFilter{Stage: s.ID}, Company: a.Company.ID, Sight: a.Sight(), Unseen: unseenCards(a)}
			counts[i].Stage = s.ID
			if counts[i].Cards, err = countCards(tx, criteria, MaxStageCount); err != nil {
				return nil, err
			}
		}
		return counts, nil
	})
}

// StageBody describes a stage to create.
type StageBody struct {
	Name string `json:"name" minLength:"1" maxLength:"120"`
	Kind string `json:"kind,omitempty" enum:"open,won,lost" default:"open" doc:"Cards that enter a won stage are completed; cards that enter a lost stage are lost."`
}

var defaultStages = []StageBody{{"To do", StageOpen}, {"Doing", StageOpen}, {"Done", StageWon}}

// CreateBoard adds a board. A key that is limited to a list of boards may see those that it creates.
func (d *Boards) CreateBoard(ctx context.Context, a *kernel.Principal, name string, stages []StageBody) (Board, error) {
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
		err := kernel.CheckLimit(tx, a.Company.ID, countBoards, "boards, including archived ones,", d.Limit(limitBoards))
		if err != nil {
			return b, err
		}
		for i, s := range stages {
			b.Stages = append(b.Stages, Stage{ID: kernel.NewID(), Name: s.Name, Position: int64(i), Kind: s.Kind})
		}
		if err := checkBoardName(tx, a, b); err != nil {
			return b, err
		}
		insertBoard(tx, a.Company.ID, b)
		d.signalBoard(tx, a.Company.ID, b.ID, kernel.Audience{})
		if a.Boards != nil {
			tx.Later(`INSERT INTO key_boards (company, key_id, board) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, a.Company.ID, a.Key, b.ID)
			d.people.ForgetHolders(tx, a.Company.ID)
		}
		b.audit(tx, a, kernel.NewAuditEntry(b.auditSubject(), nil, b))
		return b, nil
	})
}

// checkStages trims the names of stages and returns an error if they are invalid or not unique.
func checkStages(stages []StageBody) ([]StageBody, error) {
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
func (d *Boards) UpdateBoard(
	ctx context.Context, a *kernel.Principal, id kernel.ID, name *string, archived *bool,
) (Board, error) {
	if err := kernel.CleanName("body.name", &name); err != nil {
		return Board{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Board, error) {
		b, err := lockBoard(tx, a, id)
		if err != nil {
			return b, err
		}
		old := b
		kernel.Set(&b.Name, name)
		kernel.Set(&b.Archived, archived)
		if b.Archived && b.System != nil {
			return b, kernel.Invalid("body.archived", ruleSystemBoard, "the attendances board cannot be archived")
		}
		if b.Name == old.Name && b.Archived == old.Archived {
			return b, nil
		}
		if err := checkBoardName(tx, a, b); err != nil {
			return b, err
		}
		b.UpdatedAt = tx.Now
		saveBoard(tx, a.Company.ID, b)
		b.audit(tx, a, kernel.NewAuditEntry(b.auditSubject(), old, b, "stages"))
		d.signalBoard(tx, a.Company.ID, b.ID, kernel.Audience{})
		return b, nil
	})
}

// checkBoardName returns an error if another board that is not archived has the name. It ignores boards that the principal may
// not see, because the error would disclose them.
func checkBoardName(tx *kernel.Tx, a *kernel.Principal, b Board) error {
	if b.Archived {
		return nil
	}
	if tx.Dialect().ConcurrentWrites() { // no other transaction can name a board until the end of this one
		tx.Later(`SELECT 1 FROM companies WHERE id = $1 FOR NO KEY UPDATE`, a.Company.ID)
	}
	named, err := tx.IDs(`SELECT id FROM boards WHERE company = $1 AND folded = $2 AND NOT archived`, a.Company.ID, fold.Text(b.Name))
	if err != nil || !slices.ContainsFunc(named, func(id kernel.ID) bool { return id != b.ID && a.MaySeeBoard(id) }) {
		return err
	}
	return kernel.Errorf(kernel.CodeNameTaken, "There is already a board called %q. Choose another name.", b.Name)
}

// CreateStage adds a stage to a board, at a position or, if that is nil, at the end.
func (d *Boards) CreateStage(
	ctx context.Context, a *kernel.Principal, board kernel.ID, in StageBody, position *int64,
) (Stage, error) {
	name, invalid := kernel.Name("body.name", in.Name, kernel.MaxName)
	if invalid != nil {
		return Stage{}, invalid
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Stage, error) {
		b, err := lockBoard(tx, a, board)
		if err = kernel.ErrOr(err, checkEditable(&b)); err != nil {
			return Stage{}, err
		}
		s := Stage{ID: kernel.NewID(), Name: name, Kind: in.Kind, Position: int64(len(b.Stages))}
		if int64(len(b.Stages)) >= d.Limit(limitStages) {
			return s, kernel.LimitReached("stages of a board", d.Limit(limitStages))
		}
		kernel.Set(&s.Position, position)
		if err := checkStage(&b, s, int64(len(b.Stages))); err != nil {
			return s, err
		}
		insertStage(tx, a.Company.ID, b.ID, s)
		b.audit(tx, a, kernel.NewAuditEntry(s.subject(), nil, stageOn{b.Name, s}))
		d.arrange(tx, a, &b, slices.Insert(slices.Clone(b.Stages), int(s.Position), s))
		return s, nil
	})
}

// StageChange lists the fields to change; nil fields stay as they are.
type StageChange struct {
	Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
	Kind     *string `json:"kind,omitempty" enum:"open,won,lost"`
	Position *int64  `json:"position,omitempty" minimum:"0"`
}

// UpdateStage renames or moves a stage, or changes its kind if it is empty.
func (d *Boards) UpdateStage(ctx context.Context, a *kernel.Principal, board, id kernel.ID, in StageChange) (Stage, error) {
	if err := kernel.CleanName("body.name", &in.Name); err != nil {
		return Stage{}, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Stage, error) {
		b, index, err := lockStageOf(tx, a, board, id)
		if err != nil {
			return Stage{}, err
		}
		old := b.Stages[index]
		s := old
		kernel.Set(&s.Name, in.Name)
		kernel.Set(&s.Kind, in.Kind)
		kernel.Set(&s.Position, in.Position)
		if err := checkStage(&b, s, int64(len(b.Stages)-1)); err != nil || s == old {
			return s, err
		}
		if s.Kind != old.Kind {
			unseen, err := lockEmptyStage(tx, a, s.ID)
			if err != nil {
				return s, err
			}
			for _, c := range unseen {
				d.moveUnseen(tx, c, s, c.Position)
			}
		}
		saveStage(tx, a.Company.ID, s)
		b.audit(tx, a, kernel.NewAuditEntry(s.subject(), stageOn{b.Name, old}, stageOn{b.Name, s}))
		d.arrange(tx, a, &b, slices.Insert(slices.Delete(slices.Clone(b.Stages), index, index+1), int(s.Position), s))
		return s, nil
	})
}

// DeleteStage deletes a stage without cards.
func (d *Boards) DeleteStage(ctx context.Context, a *kernel.Principal, board, id kernel.ID) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		b, index, err := lockStageOf(tx, a, board, id)
		if err != nil {
			return err
		}
		if len(b.Stages) == 1 {
			return kernel.Invalid("path.stage_id", ruleLastStage, "a board must have at least one stage; add another one first")
		}
		unseen, err := lockEmptyStage(tx, a, id)
		if err != nil {
			return err
		}
		rest := slices.Delete(slices.Clone(b.Stages), index, index+1)
		if err := d.moveAllUnseen(tx, a, unseen, rest[max(index-1, 0)].ID); err != nil {
			return err
		}
		tx.Later(`DELETE FROM stages WHERE company = $1 AND id = $2`, a.Company.ID, id)
		b.audit(tx, a, kernel.NewAuditEntry(b.Stages[index].subject(), stageOn{b.Name, b.Stages[index]}, nil))
		d.arrange(tx, a, &b, rest)
		return nil
	})
}

// lockEmptyStage locks a stage and returns an error if it has cards. The error must not disclose cards that no key may see:
// these are locked and returned instead, and the caller moves them.
func lockEmptyStage(tx *kernel.Tx, a *kernel.Principal, stage kernel.ID) ([]Card, error) {
	if _, _, err := lockStage(tx, a.Company.ID, stage); err != nil {
		return nil, err
	}
	full, err := tx.One(`
		SELECT 1
		FROM cards c
		WHERE c.company = $1 AND c.stage = $2 AND NOT c.private AND NOT `+cardHidden+`
		LIMIT 1`, []any{a.Company.ID, stage}, func(db.Row) {})
	if err != nil || full {
		const message = "This stage has cards. Move or delete them first, including archived cards."
		return nil, kernel.ErrOr(err, kernel.Errorf(kernel.CodeStageNotEmpty, message))
	}
	return kernel.Rows(tx, `
		SELECT`+cardColumns+`
		FROM cards c
		WHERE c.company = $1 AND c.stage = $2 AND (c.private OR `+cardHidden+`)
		ORDER BY c.rank, c.id`+tx.ForUpdate(), []any{a.Company.ID, stage}, scanCard)
}

// moveAllUnseen moves the unseen cards of a deleted stage to the end of its neighbour.
func (d *Boards) moveAllUnseen(tx *kernel.Tx, a *kernel.Principal, unseen []Card, to kernel.ID) error {
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
			d.moveUnseen(tx, c, stage.Stage, last)
		}
	}
	return err
}

// moveUnseen moves an unseen card to a stage. An archived card stays archived.
func (d *Boards) moveUnseen(tx *kernel.Tx, old Card, s Stage, rank string) {
	c := old
	enter(&c, s, rank, tx.Now)
	if old.Status == CardArchived {
		c.Status = CardArchived
	}
	d.saveCard(tx, &old, &c)
}

// Rules of boards.
var (
	ruleSystemBoard = kernel.NewRule("system_board") // the attendances board cannot be changed
	ruleLastStage   = kernel.NewRule("last_stage")
	ruleKeepsLink   = kernel.NewRule("keeps_conversation") // of a private number
	ruleMoved       = kernel.NewRule("moved")              // name: who moved the card; stage: where to
)

// checkEditable returns an error if the stages of a board cannot be changed.
func checkEditable(b *Board) error {
	if b.System == nil {
		return nil
	}
	return kernel.Invalid("path.id", ruleSystemBoard,
		"the stages of the attendances board cannot be changed: its cards show the state of attendances")
}

// lockStageOf locks a board to change one of its stages, and returns the index of the stage.
func lockStageOf(tx *kernel.Tx, a *kernel.Principal, board, id kernel.ID) (Board, int, error) {
	b, err := lockBoard(tx, a, board)
	if err != nil {
		return b, 0, err
	}
	index := slices.IndexFunc(b.Stages, func(s Stage) bool { return s.ID == id })
	if index < 0 {
		return b, 0, kernel.NotFound("stage")
	}
	return b, index, checkEditable(&b)
}

// checkStage returns an error if another stage of the board has the name or if the position is too high.
func checkStage(b *Board, s Stage, last int64) error {
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

// signalBoard notifies the live streams of an audience after the commit that a board changed. It is for changes without an event.
func (d *Boards) signalBoard(tx *kernel.Tx, company, board kernel.ID, to kernel.Audience) {
	s := kernel.NewSignal("board", company, to, struct {
		Board kernel.ID `json:"board"`
	}{board})
	tx.AfterCommit(func() { d.Signal(s) })
}
