package jobs

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Repeat calls step at every signal and after every interval, and again immediately while step returns more. It logs errors
// and retries after a short delay.
func Repeat(
	ctx context.Context, log *slog.Logger, name string, signal <-chan struct{}, interval time.Duration,
	step func(context.Context) (more bool, err error),
) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-signal:
		case <-timer.C:
		}
		more, err := step(ctx)
		wait := interval
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Warn("background work failed; retrying", slog.String("loop", name), slog.Any("error", err))
			wait = time.Second + rand.N(time.Second)
		case more:
			wait = 0
		}
		timer.Reset(wait)
	}
}
