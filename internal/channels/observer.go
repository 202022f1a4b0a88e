package channels

import (
	"context"

	"recado/internal/kernel"
)

// ChannelObserver has functions that are called when channels change. Nil functions are not called.
type ChannelObserver struct {
	// PrivacyChanges returns the recount for a channel that becomes private or public.
	PrivacyChanges func(ch Channel, private bool) kernel.Recount
	// PrivacyChanged runs after a channel became private or public.
	PrivacyChanged func(ctx context.Context, company, channel kernel.ID)
	// Archived runs after a channel was archived.
	Archived func(ctx context.Context, company, channel kernel.ID)
	// Connected runs in the transaction after which a channel can send again.
	Connected func(tx *kernel.Tx, ch *Channel)
}

// ObserveChannels adds an observer. It must be called before the first transaction.
func (d *Channels) ObserveChannels(o ChannelObserver) {
	d.observers = append(d.observers, o)
}
