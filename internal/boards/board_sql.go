package boards

import (
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const boardsWithStages = `
	SELECT b.id, b.name, b.archived, b.system, b.created_at, b.updated_at, s.id AS stage, s.name AS stage_name, s.position, s.kind
	FROM boards b
	JOIN stages s ON s.company = b.company AND s.board = b.id `

// listBoards lists the company's archived or other boards with their stages, oldest first.
func listBoards(tx *kernel.Tx, company kernel.ID, archived bool) ([]Board, error) {
	return selectBoards(tx, boardsWithStages+`
		WHERE b.company = $1 AND b.archived = $2
		ORDER BY b.id, s.position`, company, archived)
}

// FindBoard finds a board of the company with its stages.
func FindBoard(tx *kernel.Tx, company, id kernel.ID) (Board, bool, error) {
	return selectBoard(tx, boardsWithStages+`
		WHERE b.company = $1 AND b.id = $2
		ORDER BY s.position`, company, id)
}

// lockBoard is FindBoard and locks the board with its stages.
func lockBoard(tx *kernel.Tx, company, id kernel.ID) (Board, bool, error) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT 1 FROM boards WHERE company = $1 AND id = $2 FOR UPDATE`, company, id)
	}
	return FindBoard(tx, company, id)
}

// findAttendancesBoard finds the company's board for attendances.
func findAttendancesBoard(tx *kernel.Tx, company kernel.ID) (Board, bool, error) {
	return selectBoard(tx, boardsWithStages+`
		WHERE b.company = $1 AND b.system = $2
		ORDER BY s.position`, company, SystemAttendances)
}

func selectBoard(tx *kernel.Tx, sql string, args ...any) (Board, bool, error) {
	boards, err := selectBoards(tx, sql, args...)
	if err != nil || len(boards) == 0 {
		return Board{}, false, err
	}
	return boards[0], true, nil
}

// selectBoards reads rows of one stage each. The rows of a board must be adjacent.
func selectBoards(tx *kernel.Tx, sql string, args ...any) (boards []Board, err error) {
	err = tx.Query(sql, args, func(r db.Row) error {
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

func boardExists(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM boards WHERE company = $1 AND id = $2`, []any{company, id}, func(db.Row) {})
}

// boardIDs lists the company's boards that are not archived.
func boardIDs(tx *kernel.Tx, company kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT id FROM boards WHERE company = $1 AND NOT archived ORDER BY id`, company)
}

// boardsNamed lists the boards with a name that are not archived. No other transaction can name a board of the company until
// this one ends.
func boardsNamed(tx *kernel.Tx, company kernel.ID, name string) ([]kernel.ID, error) {
	if tx.Dialect().ConcurrentWrites() {
		tx.Later(`SELECT 1 FROM companies WHERE id = $1 FOR NO KEY UPDATE`, company)
	}
	return tx.IDs(`SELECT id FROM boards WHERE company = $1 AND folded = $2 AND NOT archived`, company, fold.Text(name))
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

func allowBoard(tx *kernel.Tx, company, key, board kernel.ID) {
	tx.Later(`INSERT INTO key_boards (company, key_id, board) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, key, board)
}

// StageRow is a stage with the id of its board.
type StageRow struct {
	Stage
	Board kernel.ID
}

// lockStage finds and locks a stage of the company. Other transactions cannot place cards in it.
func lockStage(tx *kernel.Tx, company, id kernel.ID) (s StageRow, found bool, err error) {
	found, err = tx.One(`
		SELECT id AS stage, name AS stage_name, position, kind, board
		FROM stages
		WHERE company = $1 AND id = $2`+tx.ForUpdate(), []any{company, id}, func(r db.Row) {
		s = StageRow{scanStage(r), r.ID("board")}
	})
	return s, found, err
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

func deleteStage(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM stages WHERE company = $1 AND id = $2`, company, id)
}

// stageHasCards reports whether a stage has cards that a key may see, including archived ones.
func stageHasCards(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`
		SELECT 1
		FROM cards c
		WHERE c.company = $1 AND c.stage = $2 AND NOT c.private AND NOT `+cardHidden+`
		LIMIT 1`, []any{company, id}, func(db.Row) {})
}

// lockUnseenCards returns and locks the cards of a stage that no key may see, in order.
func lockUnseenCards(tx *kernel.Tx, company, stage kernel.ID) (cards []Card, err error) {
	err = tx.Query(`
		SELECT`+cardColumns+`
		FROM cards c
		WHERE c.company = $1 AND c.stage = $2 AND (c.private OR `+cardHidden+`)
		ORDER BY c.rank, c.id`+tx.ForUpdate(), []any{company, stage}, func(r db.Row) error {
		cards = append(cards, scanCard(r))
		return nil
	})
	return cards, err
}
