package kernel

import "context"

// Recount recomputes figures that depend on a setting.
type Recount interface {
	// Begin does most of the work for a new time zone, before the transaction that changes the setting. Unless there is an
	// error, the caller must call end after that transaction.
	Begin(ctx context.Context, zone string) (end func(), err error)
	// Finish does the rest in the transaction.
	Finish(tx *Tx) error
}
