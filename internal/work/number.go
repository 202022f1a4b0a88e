package work

import (
	"context"
	"errors"
	"sync"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/whatsapp"
)

// longestWait is how long a message may wait in place for its turn. One that has to wait longer goes
// back to the queue, so that messages to others pass it.
const longestWait = 500 * time.Millisecond

// WhatsApp is the Provider of channels that are WhatsApp numbers. It keeps each number below the rates
// at which Meta would refuse.
type WhatsApp struct {
	Desk  *desk.Desk
	Graph *Graph

	mu       sync.Mutex
	limiters map[model.ID]*limiter
}

type limiter struct {
	*whatsapp.Limiter
	rate int
}

// For reads the channel's credentials anew each time: a token that was replaced counts at once.
func (w *WhatsApp) For(ctx context.Context, channel model.ID) (Sender, error) {
	_, access, found, err := w.Desk.Access(ctx, channel)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, &model.SendError{Code: "not_connected", Message: "The channel has no credentials. Connect it.", Disconnect: true}
	}
	return &number{w: w, channel: channel, access: access, client: w.Graph.client(access), limiter: w.limiter(channel, access)}, nil
}

// Room asks the number's limiter; a number that has not sent yet has room for a burst.
func (w *WhatsApp) Room(channel model.ID) (n int, wait time.Duration) {
	w.mu.Lock()
	l := w.limiters[channel]
	w.mu.Unlock()
	if l == nil {
		return whatsapp.CoexistenceRate / 10, 0
	}
	return l.Room()
}

// limiter gives the one limiter of a number, at the number's present rate.
func (w *WhatsApp) limiter(channel model.ID, access model.Access) *whatsapp.Limiter {
	rate := whatsapp.StandardRate
	if access.Coexistence {
		rate = whatsapp.CoexistenceRate
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.limiters[channel]
	if l == nil {
		if w.limiters == nil {
			w.limiters = map[model.ID]*limiter{}
		}
		l = &limiter{whatsapp.NewLimiter(rate, nil), rate}
		w.limiters[channel] = l
	}
	if l.rate != rate {
		l.rate = rate
		l.SetRate(rate)
	}
	return l.Limiter
}

// number sends through one WhatsApp number.
type number struct {
	w       *WhatsApp
	channel model.ID
	access  model.Access
	client  *whatsapp.Client
	limiter *whatsapp.Limiter
}

// Send hands one message to WhatsApp when it is its turn.
func (n *number) Send(ctx context.Context, out model.Outgoing) (model.SendResult, error) {
	to := address(out)
	if err := n.turn(ctx, to); err != nil {
		return model.SendResult{}, err
	}
	result, err := n.client.Send(ctx, out)
	refused, ok := errors.AsType[*model.SendError](err)
	switch {
	case !ok:
	case refused.Code == "rate_limited" && refused.ProviderCode == pairRefused:
		n.limiter.Hold(to, refused.RetryAfter)
	case refused.Code == "rate_limited":
		n.limiter.Hold("", refused.RetryAfter)
	case refused.Disconnect && n.mended(ctx):
		refused.Disconnect, refused.Retry = false, true
	}
	return result, err
}

// pairRefused is Meta's code for too many messages to one person.
const pairRefused = 131056

// turn waits until one more message to the receiver is within the rates, or says that it is to be
// tried later: nothing has been sent then.
func (n *number) turn(ctx context.Context, to string) error {
	for end := time.Now().Add(longestWait); ; {
		wait := n.limiter.Take(to)
		if wait == 0 {
			return nil
		}
		if time.Now().Add(wait).After(end) {
			return &model.SendError{
				Code: "rate_limited", Message: "The message waits for its turn: WhatsApp limits how fast a number may send.", Retry: true, RetryAfter: wait,
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return &model.SendError{Code: "unavailable", Message: "Sending was interrupted before it began.", Retry: true, Cause: ctx.Err()}
		}
	}
}

// mended reports whether the credentials that were just refused are no longer the channel's.
func (n *number) mended(ctx context.Context) bool {
	_, now, found, err := n.w.Desk.Access(ctx, n.channel)
	return err == nil && found && (now.Token != n.access.Token || now.PhoneNumberID != n.access.PhoneNumberID)
}

// address is what the rate per person is counted by.
func address(out model.Outgoing) string {
	for _, s := range []string{out.GroupID, out.To.WAID, out.To.Phone, out.To.UserID} {
		if s != "" {
			return s
		}
	}
	return ""
}
