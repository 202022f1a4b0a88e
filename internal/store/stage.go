package store

import (
	"recado/internal/model"
)

// Stage is a stage and the board it belongs to.
type Stage struct {
	model.Stage
	Board model.ID
}

// LockStage finds a stage of the company and keeps every other hand from placing cards in it, or
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
		s.ID, board, company, s.Name, model.Fold(s.Name), s.Position, s.Kind, tx.Now)
}

// SaveStage writes a stage's name, position and kind.
func (tx *Tx) SaveStage(company model.ID, s model.Stage) {
	tx.later(`UPDATE stages SET name = $3, folded = $4, position = $5, kind = $6 WHERE company = $1 AND id = $2`,
		company, s.ID, s.Name, model.Fold(s.Name), s.Position, s.Kind)
}

// DeleteStage removes a stage that holds no cards.
func (tx *Tx) DeleteStage(company, id model.ID) {
	tx.later(`DELETE FROM stages WHERE company = $1 AND id = $2`, company, id)
}

// StageHoldsCards reports whether a stage holds cards that a key may see, archived ones included.
func (tx *Tx) StageHoldsCards(company, id model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM cards WHERE company = $1 AND stage = $2 AND NOT private AND NOT hidden LIMIT 1`,
		[]any{company, id}, func(Row) {})
}

// UnseenCards locks and gives the cards of a stage that no key may see, in their order.
func (tx *Tx) UnseenCards(company, stage model.ID) ([]model.Card, error) {
	var out []model.Card
	err := tx.query(`
		SELECT`+cardColumns+`
		FROM cards c
		WHERE c.company = $1 AND c.stage = $2 AND (c.private OR c.hidden)
		ORDER BY c.rank, c.id`+tx.forUpdate(), []any{company, stage}, func(r Row) error {
		out = append(out, scanCard(r))
		return nil
	})
	return out, err
}
