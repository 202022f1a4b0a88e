package whatsapp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// MaxCallback is the largest callback body that is read. Meta sends up to 3 MB.
const MaxCallback = 3 << 20

// CallbackPattern is where the callbacks of all channels arrive, below the base path of the server.
const CallbackPattern = "/channels/{channel}/whatsapp"

// CallbackPath is the callback path of one channel, below the base path.
func CallbackPath(channel kernel.ID) string {
	return strings.Replace(CallbackPattern, "{channel}", channel.String(), 1)
}

// Credentials are what a channel's callbacks are checked with.
type Credentials struct {
	AppSecrets  []string // any of them may have signed; several while a secret is being replaced
	VerifyToken string
	// PhoneNumberIDs are the numbers whose events these secrets may sign. Events of other numbers go through
	// Route, or one company's secret could write into another's conversations.
	PhoneNumberIDs []string
}

// Callback serves the address that Meta calls for a channel. Mount it, for GET and POST, at
// CallbackPattern. Meta is answered 200 only when Receive has returned without an
// error, and repeats for days what was answered otherwise.
type Callback struct {
	// Lookup finds a channel's credentials; false means that there is no such channel.
	Lookup func(ctx context.Context, channelID string) (Credentials, bool, error)
	// Receive stores everything of one callback that belongs to a channel, which is at least one event. It
	// must expect to see the same events again.
	Receive func(ctx context.Context, channelID string, events []Event) error
	// Route finds the channel of another number that may be reported at this channel's address, with the
	// credentials that must have signed the callback as well; false means that there is none. Without
	// Route there never is one.
	Route func(ctx context.Context, channelID, phoneNumberID string) (otherID string, credentials Credentials, found bool, err error)
	Log   *slog.Logger     // slog.Default when nil
	Now   func() time.Time // time.Now when nil; dates events that Meta left undated
}

// ServeHTTP answers a request.
func (c *Callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		c.handshake(w, r)
	case http.MethodPost:
		c.deliver(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		answer(w, http.StatusMethodNotAllowed, "method not allowed")
	}
}

func (c *Callback) handshake(w http.ResponseWriter, r *http.Request) {
	credentials, found, err := c.Lookup(r.Context(), r.PathValue("channel"))
	if err != nil {
		c.fail(w, r, "looking up the channel", err)
		return
	}
	challenge, ok := VerifyHandshake(r.URL.Query(), credentials.VerifyToken)
	if !found || !ok {
		answer(w, http.StatusForbidden, "wrong verify token")
		return
	}
	answer(w, http.StatusOK, challenge)
}

func (c *Callback) deliver(w http.ResponseWriter, r *http.Request) {
	ctx, channel := r.Context(), r.PathValue("channel")
	// The cheap refusals come before the look-up, and both before the body is read.
	signature := r.Header.Get(signatureHeader)
	if _, ok := signatureBytes(signature); !ok {
		answer(w, http.StatusUnauthorized, "missing or malformed signature")
		return
	}
	if r.ContentLength > MaxCallback {
		answer(w, http.StatusRequestEntityTooLarge, "body too large")
		return
	}
	credentials, found, err := c.Lookup(ctx, channel)
	if err != nil {
		c.fail(w, r, "looking up the channel", err)
		return
	}
	if !found {
		answer(w, http.StatusUnauthorized, "wrong signature")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxCallback))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		answer(w, http.StatusRequestEntityTooLarge, "body too large")
		return
	}
	if err != nil {
		answer(w, http.StatusBadRequest, "body cut short")
		return
	}
	if !VerifySignature(credentials.AppSecrets, signature, body) {
		answer(w, http.StatusUnauthorized, "wrong signature")
		return
	}
	if err := c.take(ctx, channel, credentials, signature, body); err != nil {
		c.fail(w, r, "storing the callback", err)
		return
	}
	answer(w, http.StatusOK, "ok")
}

// take stores a callback whose signature is good. What cannot be read or belongs to no channel is kept as
// it came: sent again, for seven days, it would be the same.
func (c *Callback) take(ctx context.Context, channel string, credentials Credentials, signature string, body []byte) error {
	events, err := ParseCallback(body)
	if err != nil {
		events = []Event{kept("unreadable", err.Error(), body)}
	}
	own, others := c.sort(credentials, events)
	for _, number := range slices.Sorted(maps.Keys(others)) {
		routed, err := c.route(ctx, channel, number, signature, body, others[number])
		if err != nil {
			return err
		}
		if !routed {
			own = append(own, kept("other_number", "a callback for the number with the id "+clip(number, 40)+", which is not connected here", body))
		}
	}
	if len(own) == 0 {
		return nil
	}
	return c.Receive(ctx, channel, own)
}

// kept makes a notice of a whole callback.
func kept(kind, line string, body []byte) Event {
	return Event{Incoming: provider.Incoming{Notice: &provider.IncomingNotice{Kind: kind, Text: line, Raw: body}}}
}

// sort dates the events and separates those of the credentials' own numbers from those of other numbers.
func (c *Callback) sort(credentials Credentials, events []Event) (own []Event, others map[string][]Event) {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	others = map[string][]Event{}
	for _, e := range events {
		date(e.Incoming, now)
		account := e.Incoming.Notice != nil || e.Incoming.Account != nil
		switch {
		case slices.Contains(credentials.PhoneNumberIDs, e.PhoneNumberID), e.PhoneNumberID == "" && account:
			own = append(own, e)
		case e.PhoneNumberID == "" && len(credentials.PhoneNumberIDs) == 1:
			// Meta names the number in all that concerns one; without a name it can only be the sole one.
			e.PhoneNumberID = credentials.PhoneNumberIDs[0]
			own = append(own, e)
		default:
			others[e.PhoneNumberID] = append(others[e.PhoneNumberID], e)
		}
	}
	return own, others
}

// route hands events to the channel of their number, where its credentials signed the callback too.
func (c *Callback) route(ctx context.Context, channel, number, signature string, body []byte, events []Event) (bool, error) {
	if c.Route == nil || number == "" {
		return false, nil
	}
	other, credentials, found, err := c.Route(ctx, channel, number)
	if err != nil || !found || !slices.Contains(credentials.PhoneNumberIDs, number) || !VerifySignature(credentials.AppSecrets, signature, body) {
		return false, err
	}
	return true, c.Receive(ctx, other, events)
}

func date(in provider.Incoming, now func() time.Time) {
	var at *time.Time
	switch {
	case in.Message != nil:
		at = &in.Message.At
	case in.Status != nil:
		at = &in.Status.At
	case in.Edit != nil:
		at = &in.Edit.At
	case in.Revoke != nil:
		at = &in.Revoke.At
	case in.Reaction != nil:
		at = &in.Reaction.At
	case in.Identity != nil:
		at = &in.Identity.At
	}
	if at != nil && at.IsZero() {
		*at = now().UTC()
	}
}

// fail makes Meta try again later.
func (c *Callback) fail(w http.ResponseWriter, r *http.Request, doing string, err error) {
	c.log().ErrorContext(r.Context(), "whatsapp: "+doing, "channel", r.PathValue("channel"), "error", err)
	answer(w, http.StatusInternalServerError, "try again later")
}

func (c *Callback) log() *slog.Logger {
	if c.Log != nil {
		return c.Log
	}
	return slog.Default()
}

func answer(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, line)
}
