package store

import (
	"recado/internal/fold"
	"recado/internal/model"
)

const boardsWithStages = `
	SELECT b.id, b.name, b.archived, b.system, b.created_at, b.updated_at, s.id, s.name, s.position, s.kind
	FROM boards b
	JOIN stages s ON s.company = b.company AND s.board = b.id `

// Boards lists the company's boards with their stages, oldest first: archived ones, or the others.
func (tx *Tx) Boards(company model.ID, archived bool) ([]model.Board, error) {
	return tx.boards(boardsWithStages+`
		WHERE b.company = $1 AND b.archived = $2
		ORDER BY b.id, s.position`, company, archived)
}

// Board gives one board of the company with its stages.
func (tx *Tx) Board(company, id model.ID) (model.Board, bool, error) {
	return tx.board(boardsWithStages+`
		WHERE b.company = $1 AND b.id = $2
		ORDER BY s.position`, company, id)
}

// LockBoard is Board, and keeps other transactions from changing the board or its stages until the end of
// the transaction.
func (tx *Tx) LockBoard(company, id model.ID) (model.Board, bool, error) {
	if tx.dialect().ConcurrentWrites() {
		found, err := tx.one(`SELECT 1 FROM boards WHERE company = $1 AND id = $2 FOR UPDATE`, []any{company, id}, func(Row) {})
		if err != nil || !found {
			return model.Board{}, false, err
		}
	}
	return tx.Board(company, id)
}

// SystemBoard gives the board that the company has by itself.
func (tx *Tx) SystemBoard(company model.ID, system string) (model.Board, bool, error) {
	return tx.board(boardsWithStages+`
		WHERE b.company = $1 AND b.system = $2
		ORDER BY s.position`, company, system)
}

func (tx *Tx) board(sql string, args ...any) (model.Board, bool, error) {
	boards, err := tx.boards(sql, args...)
	if err != nil || len(boards) == 0 {
		return model.Board{}, false, err
	}
	return boards[0], true, nil
}

// boards gathers rows of one stage each; a board's rows follow one another.
func (tx *Tx) boards(sql string, args ...any) ([]model.Board, error) {
	var out []model.Board
	err := tx.query(sql, args, func(r Row) error {
		if id := r.ID(0); len(out) == 0 || out[len(out)-1].ID != id {
			out = append(out, model.Board{
				ID: id, Name: r.Text(1), Archived: r.Bool(2), System: r.NullText(3), CreatedAt: r.Time(4), UpdatedAt: r.Time(5),
			})
		}
		b := &out[len(out)-1]
		b.Stages = append(b.Stages, model.Stage{ID: r.ID(6), Name: r.Text(7), Position: r.Int(8), Kind: r.Text(9)})
		return nil
	})
	return out, err
}

// BoardExists reports whether the company has a board.
func (tx *Tx) BoardExists(company, id model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM boards WHERE company = $1 AND id = $2`, []any{company, id}, func(Row) {})
}

// BoardIDs lists the company's boards that are in use.
func (tx *Tx) BoardIDs(company model.ID) ([]model.ID, error) {
	return tx.ids(`SELECT id FROM boards WHERE company = $1 AND NOT archived ORDER BY id`, company)
}

// BoardsNamed lists the boards in use that have a name, and keeps others from naming a board of the
// company until the end of the transaction.
func (tx *Tx) BoardsNamed(company model.ID, name string) ([]model.ID, error) {
	if tx.dialect().ConcurrentWrites() {
		if _, err := tx.one(`SELECT 1 FROM companies WHERE id = $1 FOR NO KEY UPDATE`, []any{company}, func(Row) {}); err != nil {
			return nil, err
		}
	}
	return tx.ids(`SELECT id FROM boards WHERE company = $1 AND folded = $2 AND NOT archived`, company, fold.Text(name))
}

// InsertBoard adds a board with its stages.
func (tx *Tx) InsertBoard(company model.ID, b model.Board) {
	tx.later(`
		INSERT INTO boards (id, company, name, folded, archived, system, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		b.ID, company, b.Name, fold.Text(b.Name), b.Archived, b.System, b.CreatedAt, b.UpdatedAt)
	for _, s := range b.Stages {
		tx.InsertStage(company, b.ID, s)
	}
}

// SaveBoard writes a board's own fields, without its stages.
func (tx *Tx) SaveBoard(company model.ID, b model.Board) {
	tx.later(`
		UPDATE boards
		SET name = $3, folded = $4, archived = $5, updated_at = $6
		WHERE company = $1 AND id = $2`,
		company, b.ID, b.Name, fold.Text(b.Name), b.Archived, b.UpdatedAt)
}

// AllowBoard adds a board to the list of a key that has one.
func (tx *Tx) AllowBoard(key, board model.ID) {
	tx.later(`INSERT INTO key_boards (key_id, board) VALUES ($1, $2) ON CONFLICT DO NOTHING`, key, board)
}

// Stage is a stage and the board it belongs to.
type Stage struct {
	model.Stage
	Board model.ID
}

// LockStage finds a stage of the company and keeps other transactions from placing cards in it, or
// changing it, until the end of the transaction.
func (tx *Tx) LockStage(company, id model.ID) (Stage, bool, error) {
	var s Stage
	found, err := tx.one(`SELECT id, name, position, kind, board FROM stages WHERE company = $1 AND id = $2`+tx.forUpdate(),
		[]any{company, id}, func(r Row) {
			s = Stage{model.Stage{ID: r.ID(0), Name: r.Text(1), Position: r.Int(2), Kind: r.Text(3)}, r.ID(4)}
		})
	return s, found, err
}

// InsertStage adds a stage to a board.
func (tx *Tx) InsertStage(company, board model.ID, s model.Stage) {
	tx.later(`
		INSERT INTO stages (id, board, company, name, folded, position, kind, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		s.ID, board, company, s.Name, fold.Text(s.Name), s.Position, s.Kind, tx.Now)
}

// SaveStage writes a stage's name, position and kind.
func (tx *Tx) SaveStage(company model.ID, s model.Stage) {
	tx.later(`UPDATE stages SET name = $3, folded = $4, position = $5, kind = $6 WHERE company = $1 AND id = $2`,
		company, s.ID, s.Name, fold.Text(s.Name), s.Position, s.Kind)
}

// DeleteStage removes a stage that holds no cards.
func (tx *Tx) DeleteStage(company, id model.ID) {
	tx.later(`DELETE FROM stages WHERE company = $1 AND id = $2`, company, id)
}

// StageHoldsCards reports whether a stage holds cards that a key may see, archived ones included.
func (tx *Tx) StageHoldsCards(company, id model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM cards c WHERE c.company = $1 AND c.stage = $2 AND NOT c.private AND NOT `+cardHidden+` LIMIT 1`,
		[]any{company, id}, func(Row) {})
}

// UnseenCards locks and gives the cards of a stage that no key may see, in their order.
func (tx *Tx) UnseenCards(company, stage model.ID) ([]model.Card, error) {
	var out []model.Card
	err := tx.query(`
		SELECT`+cardColumns+`
		FROM cards c
		WHERE c.company = $1 AND c.stage = $2 AND (c.private OR `+cardHidden+`)
		ORDER BY c.rank, c.id`+tx.forUpdate(), []any{company, stage}, func(r Row) error {
		out = append(out, scanCard(r))
		return nil
	})
	return out, err
}
