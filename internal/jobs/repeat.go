package jobs

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Repeat runs step when the signal comes, when the interval has passed, and again at once while step
// says that more is waiting. After an error, which is logged, it waits for a moment; an error never ends the loop.
func Repeat(ctx context.Context, log *slog.Logger, name string, signal <-chan struct{}, interval time.Duration, step func(context.Context) (more bool, err error)) {
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
			log.Warn("background work failed and will be tried again", slog.String("loop", name), slog.Any("error", err))
			wait = time.Second + rand.N(time.Second)
		case more:
			wait = 0
		}
		timer.Reset(wait)
	}
}
