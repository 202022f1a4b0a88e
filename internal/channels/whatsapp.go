package channels

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// NumberSender sends one message to a provider, once. Its errors are *provider.SendError; after any other error it is not known
// whether the message was sent.
type NumberSender interface {
	Send(ctx context.Context, out provider.Outgoing) (provider.SendResult, error)
}

// longestWait is how long a message may wait for the rate limit. A message that has to wait longer goes back to the queue, so
// that messages to others can pass it.
const longestWait = 500 * time.Millisecond

// WhatsApp is the provider of WhatsApp numbers. It keeps each number below Meta's rate limits.
type WhatsApp struct {
	Desk  *Channels
	Graph *Graph

	mu    sync.Mutex
	paces map[kernel.ID]*pace
}

// For returns the sender of a channel. It reads the credentials each time, so that a new token takes effect at once.
func (w *WhatsApp) For(ctx context.Context, company, channel kernel.ID) (NumberSender, error) {
	_, access, found, err := w.Desk.Access(ctx, company, channel)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, &provider.SendError{Code: "not_connected", Message: "The channel has no credentials. Connect it.", Disconnect: true}
	}
	n := &number{w: w, company: company, channel: channel, access: access, client: w.Graph.Client(access), pace: w.pace(channel)}
	if n.pace.set(access.Coexistence) {
		go n.pace.ask(ctx, n.client)
	}
	return n, nil
}

// Free returns how many messages the number may send now, or else how long to wait. A number that has not sent yet may send a
// burst.
func (w *WhatsApp) Free(channel kernel.ID) (n int, wait time.Duration) {
	w.mu.Lock()
	p := w.paces[channel]
	w.mu.Unlock()
	if p == nil {
		return whatsapp.CoexistenceRate / 10, 0
	}
	return p.Free()
}

// pace returns the pace of a number.
func (w *WhatsApp) pace(channel kernel.ID) *pace {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.paces[channel]
	if p == nil {
		if w.paces == nil {
			w.paces = map[kernel.ID]*pace{}
		}
		p = newPace()
		w.paces[channel] = p
	}
	return p
}

// number sends through one WhatsApp number.
type number struct {
	w       *WhatsApp
	company kernel.ID
	channel kernel.ID
	access  Access
	client  *whatsapp.Client
	pace    *pace
}

// Send sends one message when the rate limit allows it.
func (n *number) Send(ctx context.Context, out provider.Outgoing) (provider.SendResult, error) {
	to := address(out)
	if err := n.turn(ctx, to); err != nil {
		return provider.SendResult{}, err
	}
	result, err := n.client.Send(ctx, out)
	refused, ok := errors.AsType[*provider.SendError](err)
	other, known := phone.OtherForm(out.To.Phone)
	if ok && known && refused.ProviderCode == notReached && out.GroupID == "" && out.To.WAID == "" {
		return n.sendTo(ctx, out, other, result.MediaID, refused)
	}
	n.pace.answered(refused)
	switch {
	case !ok:
	case refused.Code == "rate_limited" && refused.ProviderCode == pairRefused:
		n.pace.Hold(to, refused.RetryAfter)
	case refused.Code == "rate_limited":
		n.pace.Hold("", refused.RetryAfter)
	case refused.Disconnect && n.credentialsChanged(ctx):
		refused.Disconnect, refused.Retry = false, true
	}
	return result, err
}

// sendTo tries the other spelling of a Brazilian mobile number after WhatsApp rejected the first. A successful response
// contains the address, so this happens only once for each person.
func (n *number) sendTo(
	ctx context.Context, out provider.Outgoing, address, media string, first *provider.SendError,
) (provider.SendResult, error) {
	out.To.WAID = address
	if out.Media != nil {
		uploaded := *out.Media
		uploaded.ProviderID = media
		out.Media = &uploaded
	}
	result, err := n.Send(ctx, out)
	if second, ok := errors.AsType[*provider.SendError](err); ok && second.ProviderCode == notReached {
		err = first
	}
	return result, err
}

// Error codes of Meta that this package handles.
const (
	notReached  = 131026 // the number is not on WhatsApp
	pairRefused = 131056 // too many messages to one person
	upgrading   = 131057 // the number is getting a higher rate
)

// turn waits until the rate limit allows one more message to the receiver, or returns an error if that takes too long.
func (n *number) turn(ctx context.Context, to string) error {
	for end := time.Now().Add(longestWait); ; {
		wait := n.pace.Take(to)
		if wait == 0 {
			return nil
		}
		if time.Now().Add(wait).After(end) {
			return &provider.SendError{
				Code: "rate_limited", Message: "The message waits for its turn: WhatsApp limits how fast a number may send.",
				Retry: true, RetryAfter: wait,
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return &provider.SendError{Code: "unavailable", Message: "Sending was interrupted before it " +
				"began.", Retry: true, Cause: ctx.Err()}
		}
	}
}

// credentialsChanged reports whether the channel has other credentials than those that were just rejected.
func (n *number) credentialsChanged(ctx context.Context) bool {
	_, current, found, err := n.w.Desk.Access(ctx, n.company, n.channel)
	return err == nil && found && (current.Token != n.access.Token || current.PhoneNumberID != n.access.PhoneNumberID)
}

// address returns the key of the rate limit per person.
func address(out provider.Outgoing) string {
	return cmp.Or(out.GroupID, out.To.WAID, out.To.Phone, out.To.UserID)
}
