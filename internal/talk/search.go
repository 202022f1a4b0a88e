package talk

import (
	"context"
	"log/slog"
	"math"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
)

// indexBatch is how many texts one transaction indexes: few, so that writers wait for a moment only. After indexTurn
// batches of messages it is the turn of the other texts again.
const (
	indexBatch = 250
	indexTurn  = 40
)

// IndexSearch indexes the texts that have changed: those of conversations, contacts and cards, then those of messages. A
// search finds them before that too, only not as fast. Each kind has transactions of its own, and messages have many in
// turn: a conversation that changes with each of them is then indexed once.
func (d *Talk) IndexSearch(ctx context.Context) error {
	for {
		if _, err := d.indexBatches(ctx, func(tx *kernel.Tx, n int) (int, error) { return findIndexText(tx, n) }, math.MaxInt); err != nil {
			return err
		}
		if more, err := d.indexBatches(ctx, func(tx *kernel.Tx, n int) (int, error) { return indexMessages(tx, n) }, indexTurn); err != nil || !more {
			return err
		}
	}
}

// indexBatches indexes up to limit batches of one kind of text, and reports whether more may be waiting.
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

// Index keeps the search index up to date. It lets changes gather for a second, because a conversation
// that changes ten times in it is then indexed once.
type Index struct {
	Desk   *Talk
	Logger *slog.Logger

	looked time.Time
}

func (x *Index) step(ctx context.Context, now time.Time) (more bool, err error) {
	select {
	case <-x.Desk.Wakeup(WakeIndex).C:
	default:
		if now.Sub(x.looked) < indexIdle {
			return false, nil
		}
	}
	x.looked = now
	if err = x.Desk.IndexSearch(ctx); err != nil {
		x.looked = time.Time{} // look again without waiting for the signal
	}
	return false, err
}

// Run ends with ctx.
func (x *Index) Run(ctx context.Context) {
	jobs.Repeat(ctx, x.Logger, "index", nil, time.Second, func(ctx context.Context) (bool, error) {
		return x.step(ctx, time.Now())
	})
}

// indexIdle is how often it looks without a signal: for what a crash or another node left behind.
const indexIdle = time.Minute
