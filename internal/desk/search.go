package desk

import (
	"context"

	"recado/internal/store"
)

// indexBatch is how many texts one transaction indexes: few, so that writers wait for a moment only.
const indexBatch = 250

// IndexSearch indexes a batch of changed texts and reports whether more may be waiting. A search finds
// them before that too, only not as fast.
func (d System) IndexSearch(ctx context.Context) (more bool, err error) {
	err = d.store.Write(ctx, func(tx *store.Tx) error {
		done, err := tx.IndexText(indexBatch)
		more = done == indexBatch
		return err
	})
	return more, err
}
