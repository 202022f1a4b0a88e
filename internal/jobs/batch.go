package jobs

import (
	"context"
	"log/slog"
	"time"
)

const (
	batchEnough = 64 // results that are not kept waiting for more
	batchMost   = 256
	batchWait   = 5 * time.Millisecond
)

// pending is a result that is not recorded yet.
type pending[R any] struct {
	result   R
	recorded func()
}

// batch records the results of all subjects of a pool together: those of 5 milliseconds, or 64 and what
// else is there, in one call. While recording fails it keeps them, and add blocks when it has too many.
type batch[R any] struct {
	record  func(ctx context.Context, results []R) error
	log     *slog.Logger
	results chan pending[R]
	ended   chan struct{}
}

func newBatch[R any](record func(context.Context, []R) error, log *slog.Logger) *batch[R] {
	return &batch[R]{record: record, log: log, results: make(chan pending[R], 2*batchMost), ended: make(chan struct{})}
}

// add takes a result; recorded is called once it is recorded or given up.
func (b *batch[R]) add(result R, recorded func()) { b.results <- pending[R]{result, recorded} }

// close records what is left. No result may be added after it.
func (b *batch[R]) close() {
	close(b.results)
	<-b.ended
}

// run records until close. Once ctx ends it gives up results that cannot be recorded.
func (b *batch[R]) run(ctx context.Context) {
	defer close(b.ended)
	for first := range b.results {
		together := b.gather(first)
		results := make([]R, len(together))
		for i, p := range together {
			results[i] = p.result
		}
		b.save(ctx, results)
		for _, p := range together {
			p.recorded()
		}
	}
}

func (b *batch[R]) gather(first pending[R]) []pending[R] {
	together := []pending[R]{first}
	wait := time.NewTimer(batchWait)
	defer wait.Stop()
	for len(together) < batchMost {
		if len(together) >= batchEnough && len(b.results) == 0 {
			return together
		}
		select {
		case p, open := <-b.results:
			if !open {
				return together
			}
			together = append(together, p)
		case <-wait.C:
			return together
		}
	}
	return together
}

func (b *batch[R]) save(ctx context.Context, results []R) {
	for {
		err := b.record(context.WithoutCancel(ctx), results)
		if err == nil {
			return
		}
		b.log.Warn("results cannot be recorded and will be tried again", slog.Int("results", len(results)), slog.Any("error", err))
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return
		}
	}
}
