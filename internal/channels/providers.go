package channels

import (
	"context"
	"io"
	"slices"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// Provider sends and fetches for the channels of one provider.
type Provider interface {
	// For returns the sender of a channel.
	For(ctx context.Context, company, channel kernel.ID) (NumberSender, error)
	// Free returns how many messages the channel may send now, and the time until it may send one more. Other messages stay in
	// the queue, where a crash does not make them uncertain.
	Free(channel kernel.ID) (n int, wait time.Duration)
	// Fetch downloads a file of at most limit bytes.
	Fetch(ctx context.Context, company, channel kernel.ID, file provider.IncomingMedia, limit int64, w io.Writer) error
	// MarkRead tells a customer that messages were read.
	MarkRead(ctx context.Context, company, channel kernel.ID, read provider.ReadMessages) error
}

// Linked is the provider of linked numbers. Each of them is connected to one node.
type Linked interface {
	Provider
	// Here returns the channels that are connected to this node.
	Here() []kernel.ID
	// Run holds connections until ctx is done.
	Run(ctx context.Context)
}

// Fetch downloads a file from WhatsApp.
func (w *WhatsApp) Fetch(
	ctx context.Context, company, channel kernel.ID, file provider.IncomingMedia, limit int64, to io.Writer,
) error {
	access, found, err := w.access(ctx, company, channel)
	if err != nil || !found {
		return kernel.ErrOr(err, &provider.SendError{Code: "media_unavailable", Message: "The message does not say where the file is."})
	}
	_, err = w.Graph.Client(access).FetchMedia(ctx, file, limit, to)
	return err
}

// MarkRead tells a customer that messages were read. WhatsApp includes all earlier ones.
func (w *WhatsApp) MarkRead(ctx context.Context, company, channel kernel.ID, read provider.ReadMessages) error {
	access, found, err := w.access(ctx, company, channel)
	if err == nil && found {
		err = w.Graph.Client(access).MarkRead(ctx, read.ExternalIDs[len(read.ExternalIDs)-1])
	}
	return err
}

// Providers chooses the provider of a channel.
type Providers struct {
	WhatsApp *WhatsApp
	Linked   Linked // nil: this build has none
}

func (p *Providers) of(channel kernel.ID) Provider {
	if p.Here(channel) {
		return p.Linked
	}
	return p.WhatsApp
}

// Here reports whether a linked number is connected to this node.
func (p *Providers) Here(channel kernel.ID) bool {
	return slices.Contains(p.LinkedHere(), channel)
}

// LinkedHere returns the linked numbers that are connected to this node.
func (p *Providers) LinkedHere() []kernel.ID {
	if p.Linked == nil {
		return nil
	}
	return p.Linked.Here()
}

// For returns the sender of a channel.
func (p *Providers) For(ctx context.Context, company, channel kernel.ID) (NumberSender, error) {
	return p.of(channel).For(ctx, company, channel)
}

// Free returns how many messages a channel may send now; see Provider.
func (p *Providers) Free(channel kernel.ID) (n int, wait time.Duration) {
	return p.of(channel).Free(channel)
}

// Fetch downloads a file; see Provider.
func (p *Providers) Fetch(
	ctx context.Context, company, channel kernel.ID, file provider.IncomingMedia, limit int64, w io.Writer,
) error {
	return p.of(channel).Fetch(ctx, company, channel, file, limit, w)
}

// MarkRead tells a customer that messages were read.
func (p *Providers) MarkRead(ctx context.Context, company, channel kernel.ID, read provider.ReadMessages) error {
	return p.of(channel).MarkRead(ctx, company, channel, read)
}

// ErrNotHere is the error of a linked number that is not connected to this node.
var ErrNotHere = &provider.SendError{
	Code: provider.CodeSendUnavailable, Message: "The number is not connected to this server at the moment.", Retry: true, RetryAfter: time.Second, Offline: true,
}

// errLinkRemoved is the error of a linked number that was removed.
var errLinkRemoved = &provider.SendError{Code: "media_unavailable", Message: "The number was removed, so its files cannot be fetched."}

// access returns the credentials of a WhatsApp number.
func (w *WhatsApp) access(ctx context.Context, company, channel kernel.ID) (Access, bool, error) {
	ch, access, found, err := w.Desk.Access(ctx, company, channel)
	if err == nil && ch.Provider == ProviderLinked {
		err = ErrNotHere
		if ch.ArchivedAt != nil {
			err = errLinkRemoved
		}
	}
	return access, found, err
}
