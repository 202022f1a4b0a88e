package channels

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
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
	access, found, err := w.access(ctx, company, channel)
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

// Graph is Meta's Cloud API for all channels of this installation. Tokens are sent to its address, so that only the operator
// can set it.
type Graph struct {
	BaseURL   string // "": Meta's
	PublicURL string // of this server with its base path, as Meta reaches it; "": unknown

	http *http.Client
}

// NewGraph returns a Graph with its own connections.
func NewGraph(baseURL string) *Graph {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 64
	transport.IdleConnTimeout = 50 * time.Second // less than the server's, so that no request uses a closing connection
	return &Graph{BaseURL: baseURL, http: &http.Client{Transport: transport}}
}

// Close closes idle connections.
func (g *Graph) Close() { g.http.CloseIdleConnections() }

// Client returns a client for one number.
func (g *Graph) Client(access Access) *whatsapp.Client {
	return &whatsapp.Client{
		BaseURL: g.BaseURL, Version: access.APIVersion, PhoneNumberID: access.PhoneNumberID, Token: access.Token, HTTP: g.http,
	}
}

// Check returns the state of a number; see Numbers.
func (g *Graph) Check(ctx context.Context, access Access) (NumberState, error) {
	n, err := g.Client(access).Number(ctx)
	return NumberState{Phone: n.Phone(), VerifiedName: n.VerifiedName, Status: n.Status, Quality: n.Quality}, err
}

// Subscribe makes Meta send callbacks about the account of a number.
func (g *Graph) Subscribe(ctx context.Context, access Access) error {
	return g.Client(access).SubscribeApp(ctx, access.WABAID)
}

// Templates returns the templates of a number's account.
func (g *Graph) Templates(ctx context.Context, access Access) ([]provider.ChannelTemplate, error) {
	return g.Client(access).Templates(ctx, access.WABAID)
}

// CreateTemplate creates a template in a number's account; see Numbers.
func (g *Graph) CreateTemplate(ctx context.Context, access Access, t provider.NewTemplate) (provider.ChannelTemplate, error) {
	return g.Client(access).CreateTemplate(ctx, access.WABAID, t)
}

// DeleteTemplates deletes the templates of a number's account with a name.
func (g *Graph) DeleteTemplates(ctx context.Context, access Access, name string) error {
	return g.Client(access).DeleteTemplates(ctx, access.WABAID, name)
}

// RequestImport requests data of the WhatsApp Business app for a number; see whatsapp.Client.
func (g *Graph) RequestImport(ctx context.Context, access Access, kind string) error {
	return g.Client(access).RequestImport(ctx, kind)
}

// CallHere sets the callback address of a number. Meta calls only public HTTPS addresses; the simulator calls any.
func (g *Graph) CallHere(ctx context.Context, access Access, channel kernel.ID) error {
	if g.PublicURL == "" || g.BaseURL == "" && !strings.HasPrefix(g.PublicURL, "https://") {
		return &provider.SendError{Code: "callback_unreachable", Detail: "not_public", Message: "It reaches only public addresses " +
			"with HTTPS: start this server with --public-url https://…, then connect the channel again."}
	}
	return g.Client(access).SetCallback(ctx, g.PublicURL+whatsapp.CallbackPath(channel), access.VerifyToken)
}

const (
	paceAsk     = time.Hour   // between requests for a number's rate
	paceLongest = time.Minute // between calls while WhatsApp cannot be reached
)

// pace keeps one number below Meta's rate limits. While Meta cannot be reached it makes one call at a time, with increasing
// pauses.
type pace struct {
	*whatsapp.Limiter

	mu     sync.Mutex
	rate   int
	high   bool      // Meta has raised the number's rate
	asked  time.Time // when the rate was last requested
	silent int       // pauses in a row
	until  time.Time // end of the current pause
}

func newPace() *pace {
	return &pace{Limiter: whatsapp.NewLimiter(whatsapp.StandardRate, nil), rate: whatsapp.StandardRate}
}

// set applies the known rate of the number. It reports whether it is time to request it again.
func (p *pace) set(coexistence bool) (ask bool) {
	rate := whatsapp.StandardRate
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case coexistence:
		rate = whatsapp.CoexistenceRate
	case p.high:
		rate = whatsapp.HighRate
	}
	if p.rate != rate {
		p.rate = rate
		p.SetRate(rate)
	}
	if coexistence || time.Since(p.asked) < paceAsk {
		return false
	}
	p.asked = time.Now()
	return true
}

// ask requests the number's rate from Meta. After a failure the next request is in an hour.
func (p *pace) ask(ctx context.Context, client *whatsapp.Client) {
	state, err := client.Number(ctx)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.high = state.Throughput == "HIGH"
	p.mu.Unlock()
	p.set(false)
}

// answered records the result of a call; nil means success. If the call certainly did not reach Meta the number pauses, for a
// second at first and up to a minute.
func (p *pace) answered(failure *provider.SendError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case failure == nil || failure.Fate == provider.Uncertain || !failure.Unreachable():
		p.silent = 0
		if failure != nil && failure.ProviderCode == upgrading {
			p.asked = time.Time{}
		}
		return
	case time.Now().After(p.until):
		wait := min(time.Second<<min(p.silent, 6), paceLongest)
		p.silent++
		p.until = time.Now().Add(wait)
		p.Hold("", wait)
	}
	failure.RetryAfter = max(failure.RetryAfter, time.Until(p.until))
}
