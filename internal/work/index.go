package work

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/desk"
)

// Index keeps the search index up to date. It lets changes gather for a second, because a conversation
// that changes ten times in it is then indexed once.
type Index struct {
	Desk   desk.System
	Logger *slog.Logger

	looked time.Time
}

// indexIdle is how often it looks without a signal: for what a crash or another node left behind.
const indexIdle = time.Minute

// Run ends with ctx.
func (x *Index) Run(ctx context.Context) {
	repeat(ctx, x.Logger, "index", nil, time.Second, func(ctx context.Context) (bool, error) {
		return x.step(ctx, time.Now())
	})
}

func (x *Index) step(ctx context.Context, now time.Time) (more bool, err error) {
	select {
	case <-x.Desk.Wakeups().Index.C:
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
