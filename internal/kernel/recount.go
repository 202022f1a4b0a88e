package kernel

import (
	"context"
)

// Recount counts figures again that depend on a setting: most of it in Begin, beside all other work, and the rest in the
// transaction that changes the setting.
type Recount interface {
	// Begin counts for a time zone. The caller calls end after the transaction, unless there is an error.
	Begin(ctx context.Context, zone string) (end func(), err error)
	Finish(tx *Tx) error
}
