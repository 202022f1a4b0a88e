package boards

import (
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const boardsWithStages = `
	SELECT b.id, b.name, b.archived, b.system, b.created_at, b.updated_at, s.id, s.name, s.position, s.kind
	FROM boards b
	JOIN stages s ON s.company = b.company AND s.board = b.id `

// listBoards lists the company's boards with their stages, oldest first: archived ones, or the others.
func listBoards(tx *kernel.Tx, company kernel.ID, archived bool) ([]Board, error) {
	return selectBoards(tx, boardsWithStages+`
		WHERE b.company = $1 AND b.archived = $2
		ORDER BY b.id, s.position`, company, archived)
}

// FindBoard gives one board of the company with its stages.
func FindBoard(tx *kernel.Tx, company, id kernel.ID) (Board, bool, error) {
	return selectBoard(tx, boardsWithStages+`
		WHERE b.company = $1 AND b.id = $2
		ORDER BY s.position`, company, id)
}

// lockBoard is Board, and keeps other transactions from changing the board or its stages until the end of
// the transaction.
func lockBoard(tx *kernel.Tx, company, id kernel.ID) (Board, bool, error) {
	if tx.Dialect().ConcurrentWrites() {
		found, err := tx.One(`SELECT 1 FROM boards WHERE company = $1 AND id = $2 FOR UPDATE`, []any{company, id}, func(db.Row) {})
		if err != nil || !found {
			return Board{}, false, err
		}
	}
	return FindBoard(tx, company, id)
}

// systemBoard gives the board that the company has by itself.
func systemBoard(tx *kernel.Tx, company kernel.ID, system string) (Board, bool, error) {
	return selectBoard(tx, boardsWithStages+`
		WHERE b.company = $1 AND b.system = $2
		ORDER BY s.position`, company, system)
}

func selectBoard(tx *kernel.Tx, sql string, args ...any) (Board, bool, error) {
	boards, err := selectBoards(tx, sql, args...)
	if err != nil || len(boards) == 0 {
		return Board{}, false, err
	}
	return boards[0], true, nil
}

// selectBoards gathers rows of one stage each; a board's rows follow one another.
func selectBoards(tx *kernel.Tx, sql string, args ...any) ([]Board, error) {
	var out []Board
	err := tx.Query(sql, args, func(r db.Row) error {
		if id := r.ID(0); len(out) == 0 || out[len(out)-1].ID != id {
			out = append(out, Board{
				ID: id, Name: r.Text(1), Archived: r.Bool(2), System: r.NullText(3), CreatedAt: r.Time(4), UpdatedAt: r.Time(5),
			})
		}
		b := &out[len(out)-1]
		b.Stages = append(b.Stages, Stage{ID: r.ID(6), Name: r.Text(7), Position: r.Int(8), Kind: r.Text(9)})
		return nil
	})
	return out, err
}

// boardExists reports whether the company has a board.
func boardExists(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM boards WHERE company = $1 AND id = $2`, []any{company, id}, func(db.Row) {})
}

// boardIDs lists the company's boards that are in use.
func boardIDs(tx *kernel.Tx, company kernel.ID) ([]kernel.ID, error) {
	return tx.IDs(`SELECT id FROM boards WHERE company = $1 AND NOT archived ORDER BY id`, company)
}

// boardsNamed lists the boards in use that have a name, and keeps others from naming a board of the
// company until the end of the transaction.
func boardsNamed(tx *kernel.Tx, company kernel.ID, name string) ([]kernel.ID, error) {
	if tx.Dialect().ConcurrentWrites() {
		if _, err := tx.One(`SELECT 1 FROM companies WHERE id = $1 FOR NO KEY UPDATE`, []any{company}, func(db.Row) {}); err != nil {
			return nil, err
		}
	}
	return tx.IDs(`SELECT id FROM boards WHERE company = $1 AND folded = $2 AND NOT archived`, company, fold.Text(name))
}

// insertBoard adds a board with its stages.
func insertBoard(tx *kernel.Tx, company kernel.ID, b Board) {
	tx.Later(`
		INSERT INTO boards (company, id, name, folded, archived, system, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, b.ID, b.Name, fold.Text(b.Name), b.Archived, b.System, b.CreatedAt, b.UpdatedAt)
	for _, s := range b.Stages {
		insertStage(tx, company, b.ID, s)
	}
}

// saveBoard writes a board's own fields, without its stages.
func saveBoard(tx *kernel.Tx, company kernel.ID, b Board) {
	tx.Later(`
		UPDATE boards
		SET name = $3, folded = $4, archived = $5, updated_at = $6
		WHERE company = $1 AND id = $2`,
		company, b.ID, b.Name, fold.Text(b.Name), b.Archived, b.UpdatedAt)
}

// allowBoard adds a board to the list of a key that has one.
func allowBoard(tx *kernel.Tx, company, key, board kernel.ID) {
	tx.Later(`INSERT INTO key_boards (company, key_id, board) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, company, key, board)
}

// StageRow is a stage and the board it belongs to.
type StageRow struct {
	Stage
	Board kernel.ID
}

// lockStage finds a stage of the company and keeps other transactions from placing cards in it, or
// changing it, until the end of the transaction.
func lockStage(tx *kernel.Tx, company, id kernel.ID) (StageRow, bool, error) {
	var s StageRow
	found, err := tx.One(`SELECT id, name, position, kind, board FROM stages WHERE company = $1 AND id = $2`+tx.ForUpdate(),
		[]any{company, id}, func(r db.Row) {
			s = StageRow{Stage{ID: r.ID(0), Name: r.Text(1), Position: r.Int(2), Kind: r.Text(3)}, r.ID(4)}
		})
	return s, found, err
}

// insertStage adds a stage to a board.
func insertStage(tx *kernel.Tx, company, board kernel.ID, s Stage) {
	tx.Later(`
		INSERT INTO stages (company, id, board, name, folded, position, kind, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		company, s.ID, board, s.Name, fold.Text(s.Name), s.Position, s.Kind, tx.Now)
}

// saveStage writes a stage's name, position and kind.
func saveStage(tx *kernel.Tx, company kernel.ID, s Stage) {
	tx.Later(`UPDATE stages SET name = $3, folded = $4, position = $5, kind = $6 WHERE company = $1 AND id = $2`,
		company, s.ID, s.Name, fold.Text(s.Name), s.Position, s.Kind)
}

// deleteStage removes a stage that holds no cards.
func deleteStage(tx *kernel.Tx, company, id kernel.ID) {
	tx.Later(`DELETE FROM stages WHERE company = $1 AND id = $2`, company, id)
}

// stageHoldsCards reports whether a stage holds cards that a key may see, archived ones included.
func stageHoldsCards(tx *kernel.Tx, company, id kernel.ID) (bool, error) {
	return tx.One(`SELECT 1 FROM cards c WHERE c.company = $1 AND c.stage = $2 AND NOT c.private AND NOT `+cardHidden+` LIMIT 1`,
		[]any{company, id}, func(db.Row) {})
}

// hasUnseenCards locks and gives the cards of a stage that no key may see, in their order.
func hasUnseenCards(tx *kernel.Tx, company, stage kernel.ID) ([]Card, error) {
	var out []Card
	err := tx.Query(`
		SELECT`+cardColumns+`
		FROM cards c
		WHERE c.company = $1 AND c.stage = $2 AND (c.private OR `+cardHidden+`)
		ORDER BY c.rank, c.id`+tx.ForUpdate(), []any{company, stage}, func(r db.Row) error {
		out = append(out, scanCard(r))
		return nil
	})
	return out, err
}
