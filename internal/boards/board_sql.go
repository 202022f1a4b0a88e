package boards

import (
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// FindBoard finds a board of the company with its stages.
func FindBoard(tx *kernel.Tx, company, id kernel.ID) (Board, bool, error) {
	boards, err := selectBoards(tx, `b.id = $2`, company, id)
	if err != nil || len(boards) == 0 {
		return Board{}, false, err
	}
	return boards[0], true, nil
}

// lockBoard is visibleBoard and locks the board with its stages.
func lockBoard(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Board, error) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT 1 FROM boards WHERE company = $1 AND id = $2 FOR UPDATE`, a.Company.ID, id)
	}
	return visibleBoard(tx, a, id)
}

// selectBoards lists the boards of the company $1 that meet a further condition, oldest first. A row has one stage of a board.
func selectBoards(tx *kernel.Tx, condition string, args ...any) (boards []Board, err error) {
	err = tx.Query(`
		SELECT b.id, b.name, b.archived, b.system, b.created_at, b.updated_at,
			s.id AS stage, s.name AS stage_name, s.position, s.kind
		FROM boards b
		JOIN stages s ON s.company = b.company AND s.board = b.id
		WHERE b.company = $1 AND `+condition+`
		ORDER BY b.id, s.position`, args, func(r db.Row) error {
		if id := r.ID("id"); len(boards) == 0 || boards[len(boards)-1].ID != id {
			boards = append(boards, Board{
				ID: id, Name: r.Text("name"), Archived: r.Bool("archived"), System: r.NullText("system"),
				CreatedAt: r.Time("created_at"), UpdatedAt: r.Time("updated_at"),
			})
		}
		b := &boards[len(boards)-1]
		b.Stages = append(b.Stages, scanStage(r))
		return nil
	})
	return boards, err
}

func scanStage(r db.Row) Stage {
	return Stage{ID: r.ID("stage"), Name: r.Text("stage_name"), Position: r.Int("position"), Kind: r.Text("kind")}
}

func insertBoard(tx *kernel.Tx, company kernel.ID, b Board) {
	tx.Later(`
		INSERT INTO boards (company, id, name, folded, archived, system, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, b.ID, b.Name, fold.Text(b.Name), b.Archived, b.System, b.CreatedAt, b.UpdatedAt)
	for _, s := range b.Stages {
		insertStage(tx, company, b.ID, s)
	}
}

// saveBoard stores a board without its stages.
func saveBoard(tx *kernel.Tx, company kernel.ID, b Board) {
	tx.Later(`
		UPDATE boards
		SET name = $3, folded = $4, archived = $5, updated_at = $6
		WHERE company = $1 AND id = $2`,
		company, b.ID, b.Name, fold.Text(b.Name), b.Archived, b.UpdatedAt)
}

// StageRow is a stage with the id of its board.
type StageRow struct {
	Stage
	Board kernel.ID
}

// lockStage finds and locks a stage of the company. Other transactions cannot place cards in it.
func lockStage(tx *kernel.Tx, company, id kernel.ID) (StageRow, bool, error) {
	return kernel.Row(tx, `
		SELECT id AS stage, name AS stage_name, position, kind, board
		FROM stages
		WHERE company = $1 AND id = $2`+tx.ForUpdate(), []any{company, id}, func(r db.Row) StageRow {
		return StageRow{scanStage(r), r.ID("board")}
	})
}

func insertStage(tx *kernel.Tx, company, board kernel.ID, s Stage) {
	tx.Later(`
		INSERT INTO stages (company, id, board, name, folded, position, kind, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, s.ID, board, s.Name, fold.Text(s.Name), s.Position, s.Kind, tx.Now)
}

func saveStage(tx *kernel.Tx, company kernel.ID, s Stage) {
	tx.Later(`UPDATE stages SET name = $3, folded = $4, position = $5, kind = $6 WHERE company = $1 AND id = $2`,
		company, s.ID, s.Name, fold.Text(s.Name), s.Position, s.Kind)
}
