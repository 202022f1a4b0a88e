package work

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/desk"
)

// Distribute gives waiting cases to people: as soon as something on this node may have made that possible, and every second, because
// people come online, hours begin and cases go back with time, and other nodes change things too.
type Distribute struct {
	Desk   desk.System
	Logger *slog.Logger
}

const distributeEvery = time.Second

// Run ends with ctx.
func (d *Distribute) Run(ctx context.Context) {
	repeat(ctx, d.Logger, "distribute", d.Desk.Wakeups().Distribute.C, distributeEvery, d.Desk.Distribute)
}
