package jobs

import (
	"context"
	"log/slog"
	"time"
)

const (
	maxBatch  = 256
	batchWait = 5 * time.Millisecond
)

// pending is a result that is not recorded yet.
type pending[R any] struct {
	result   R
	recorded func() // called when the result is recorded or given up
}

// batch records the results of all subjects of a pool together: those of 5 milliseconds, but at most 256 in one call. If
// recording fails, it keeps them, and add blocks if there are too many.
type batch[R any] struct {
	record  func(ctx context.Context, results []R) error
	log     *slog.Logger
	results chan pending[R]
	ended   chan struct{}
}

func newBatch[R any](record func(context.Context, []R) error, log *slog.Logger) *batch[R] {
	return &batch[R]{record: record, log: log, results: make(chan pending[R], 2*maxBatch), ended: make(chan struct{})}
}

func (b *batch[R]) add(result R, recorded func()) { b.results <- pending[R]{result, recorded} }

// close records the remaining results. No result may be added after it.
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
	for len(together) < maxBatch {
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
		b.log.Warn("cannot record results; retrying", slog.Int("results", len(results)), slog.Any("error", err))
		select {
		case <-time.After(retryDelay):
		case <-ctx.Done():
			return
		}
	}
}
