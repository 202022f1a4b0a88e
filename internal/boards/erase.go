package boards

import (
	"recado/internal/fields"
	"recado/internal/fold"
	"recado/internal/kernel"
	"recado/internal/search"
	"recado/internal/talk"
)

// ErasableCards returns the cards about a person: those of the contact and of its conversations.
func ErasableCards(tx *kernel.Tx, e *kernel.Erasure) ([]kernel.ID, error) {
	return tx.IDs(`
		SELECT id
		FROM cards
		WHERE company = $1 AND (
			contact = $2 OR conversation IN (SELECT o.id FROM conversations o WHERE o.company = $1 AND o.contact = $2))
		ORDER BY id`, e.Company, e.Contact)
}

// EraseCards removes the texts, the values of fields and the contact of the cards in e. The cards themselves stay.
func (d *Boards) EraseCards(tx *kernel.Tx, e *kernel.Erasure) error {
	for _, id := range e.Others {
		tx.Later(`
			UPDATE cards
			SET title = $3, description = NULL, folded = $4, unindexed = TRUE, contact = NULL, erased = TRUE, version = version + 1, updated_at = $5
			WHERE company = $1 AND id = $2`, e.Company, id, talk.ErasedName, fold.Text(talk.ErasedName), tx.Now)
		fields.Forget(tx, e.Company, id)
		if err := search.Forget(tx.Tx, &search.Cards, e.Company, id); err != nil {
			return err
		}
	}
	return nil
}
