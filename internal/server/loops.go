package server

import (
	"context"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Backlog is how much background work is left besides deliveries, on all nodes, each kind counted up to a
// hundred thousand.
func (d *Desk) Backlog(ctx context.Context) (backlog Backlog, err error) {
	err = d.Kernel.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		backlog, err = findBacklog(tx, 100_000)
		return err
	})
	return backlog, err
}

// Backlog is how much background work of all companies is left to do.
type Backlog struct {
	Sends  int64 // messages that have yet to reach their provider
	Files  int64 // files that have yet to be fetched from their provider
	Search int64 // conversations, contacts and cards whose text the search index does not have yet
}

// findBacklog counts each kind up to a number.
func findBacklog(tx *kernel.Tx, most int) (Backlog, error) {
	var b Backlog
	_, err := tx.One(`
		SELECT /* all companies: figures for the operator */
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM sends LIMIT $1) counted),
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM media WHERE fetch_at IS NOT NULL LIMIT $1) counted),
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM conversations WHERE unindexed LIMIT $1) counted) +
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM contacts WHERE unindexed LIMIT $1) counted) +
			(SELECT COUNT(*) FROM (SELECT 1 AS one FROM cards WHERE unindexed LIMIT $1) counted)`,
		[]any{most}, func(r db.Row) { b = Backlog{r.Int(0), r.Int(1), r.Int(2)} })
	return b, err
}
