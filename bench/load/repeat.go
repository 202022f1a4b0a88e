package load

import (
	"context"
	"sync"
	"time"
)

// Repeat measures other work: the workers call do repeatedly for the duration d. A call counts as weight operations with
// the latency of the call.
func Repeat(
	ctx context.Context, workers int, d time.Duration, weight int, do func(ctx context.Context, worker int) error,
) (*Result, error) {
	start := time.Now()
	end := start.Add(d)
	results := make([]Result, workers)
	var running sync.WaitGroup
	for worker := range workers {
		running.Go(func() {
			own := &results[worker]
			for last := start; last.Before(end) && ctx.Err() == nil; {
				began := time.Now()
				err := do(ctx, worker)
				last = time.Now()
				if err != nil {
					own.Errors += weight
					if own.FirstError == nil {
						own.FirstError = err
					}
					continue
				}
				own.Requests += weight
				for range weight {
					own.Latency.Record(last.Sub(began))
				}
			}
		})
	}
	running.Wait()
	whole := &Result{Elapsed: time.Since(start)}
	for i := range results {
		whole.Add(&results[i])
	}
	return whole, ctx.Err()
}
