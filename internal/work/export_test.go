package work

import "context"

// RunUntilKilled is Run without the farewell: the lanes stay taken, as after a crash.
func (d *Deliver) RunUntilKilled(ctx context.Context) { d.run(ctx) }
