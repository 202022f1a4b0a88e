package talk

import (
	"context"
	"log/slog"
	"math"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/search"
)

const (
	indexBatch = 250         // texts that one transaction indexes; few, so that writers do not wait long
	indexTurn  = 40          // batches of messages before other texts are indexed again
	indexIdle  = time.Minute // between runs without a wakeup, for what a crash or another node left behind
)

// IndexSearch indexes changed texts of conversations, contacts and cards, then those of messages. Searches find unindexed texts
// too, but more slowly. Messages have many batches in a row, because a conversation that changes with each of them then has
// to be indexed only once.
func (d *Talk) IndexSearch(ctx context.Context) error {
	for {
		if _, err := d.indexBatches(ctx, findIndexText, math.MaxInt); err != nil {
			return err
		}
		if more, err := d.indexBatches(ctx, indexMessages, indexTurn); err != nil || !more {
			return err
		}
	}
}

func findIndexText(tx *kernel.Tx, n int) (int, error) { return search.Update(tx.On, n) }

func indexMessages(tx *kernel.Tx, n int) (int, error) { return search.UpdateMessages(tx.On, n) }

// NewSearchText returns the text to search for.
func NewSearchText(q string) search.Text { return search.NewText(q) }

// indexBatches indexes up to limit batches and reports whether there may be more.
func (d *Talk) indexBatches(ctx context.Context, index func(tx *kernel.Tx, n int) (int, error), limit int) (more bool, err error) {
	more = true
	for i := 0; i < limit && more && err == nil; i++ {
		err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
			done, err := index(tx, indexBatch)
			more = done == indexBatch
			return err
		})
	}
	return more, err
}

// Index keeps the search index up to date. It runs once a second, so that a conversation that changes often is indexed only
// once.
type Index struct {
	Desk   *Talk
	Logger *slog.Logger

	lastRun time.Time
}

func (x *Index) step(ctx context.Context, now time.Time) (more bool, err error) {
	select {
	case <-x.Desk.Wakeup(WakeIndex).C:
	default:
		if now.Sub(x.lastRun) < indexIdle {
			return false, nil
		}
	}
	x.lastRun = now
	if err = x.Desk.IndexSearch(ctx); err != nil {
		x.lastRun = time.Time{} // retry without waiting for a wakeup
	}
	return false, err
}

// Run updates the index until ctx is done.
func (x *Index) Run(ctx context.Context) {
	jobs.Repeat(ctx, x.Logger, "index", nil, time.Second, func(ctx context.Context) (bool, error) {
		return x.step(ctx, time.Now())
	})
}
