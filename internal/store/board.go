package store

import (
	"recado/internal/model"
)

// InsertBoard adds a board with its stages.
func (tx *Tx) InsertBoard(company model.ID, b model.Board) error {
	_, err := tx.exec(`
		INSERT INTO boards (id, company, name, folded, archived, system, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		b.ID, company, b.Name, model.Fold(b.Name), b.Archived, b.System, b.CreatedAt, b.UpdatedAt)
	for _, s := range b.Stages {
		tx.later(`
			INSERT INTO stages (id, board, company, name, folded, position, kind, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			s.ID, b.ID, company, s.Name, model.Fold(s.Name), s.Position, s.Kind, tx.Now)
	}
	return err
}

// BoardExists reports whether the company has a board.
func (tx *Tx) BoardExists(company, id model.ID) (bool, error) {
	return tx.one(`SELECT 1 FROM boards WHERE company = $1 AND id = $2`, []any{company, id}, func(Row) {})
}
