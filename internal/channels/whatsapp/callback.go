package whatsapp

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

// MaxCallback is the maximum size of a callback body. Meta sends up to 3 MB.
const MaxCallback = 3 << 20

// CallbackPattern is the path of callbacks, below the base path of the server.
const CallbackPattern = "/channels/{channel}/whatsapp"

// CallbackPath returns the callback path of one channel, below the base path of the server.
func CallbackPath(channel kernel.ID) string {
	return strings.Replace(CallbackPattern, "{channel}", channel.String(), 1)
}

// Credentials are used to verify a channel's callbacks.
type Credentials struct {
	AppSecrets  []string // any of them may have signed; several while a secret is being replaced
	VerifyToken string
	// PhoneNumberIDs are the numbers whose events these secrets may sign. Events of other numbers go through Route; otherwise one
	// company's secret could write to another company's conversations.
	PhoneNumberIDs []string
}

// Callback serves GET and POST at CallbackPattern. It responds with 200 only after Receive has returned without an error. Meta
// retries other responses for days.
type Callback struct {
	// Lookup returns a channel's credentials; false means that there is no such channel.
	Lookup func(ctx context.Context, channelID string) (Credentials, bool, error)
	// Receive stores the events of one callback that belong to a channel, at least one. The same events may arrive again.
	Receive func(ctx context.Context, channelID string, events []Event) error
	// Route returns the channel of another number that may be reported at this channel's address, with the credentials that must
	// have signed the callback as well; false means that there is none. Route may be nil.
	Route func(ctx context.Context, channelID, phoneNumberID string) (otherID string, credentials Credentials, found bool, err error)
	Log   *slog.Logger     // nil: slog.Default
	Now   func() time.Time // for events without a time; nil: time.Now
}

// ServeHTTP implements http.Handler.
func (c *Callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		c.handshake(w, r)
	case http.MethodPost:
		c.deliver(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		respond(w, http.StatusMethodNotAllowed, "method not allowed")
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
		respond(w, http.StatusForbidden, "wrong verify token")
		return
	}
	respond(w, http.StatusOK, challenge)
}

func (c *Callback) deliver(w http.ResponseWriter, r *http.Request) {
	ctx, channel := r.Context(), r.PathValue("channel")
	// Cheap checks come before the lookup, and both before the body is read.
	signature := r.Header.Get(signatureHeader)
	if _, ok := signatureBytes(signature); !ok {
		respond(w, http.StatusUnauthorized, "missing or malformed signature")
		return
	}
	if r.ContentLength > MaxCallback {
		respond(w, http.StatusRequestEntityTooLarge, "body too large")
		return
	}
	credentials, found, err := c.Lookup(ctx, channel)
	if err != nil {
		c.fail(w, r, "looking up the channel", err)
		return
	}
	if !found {
		respond(w, http.StatusUnauthorized, "wrong signature")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxCallback))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		respond(w, http.StatusRequestEntityTooLarge, "body too large")
		return
	}
	if err != nil {
		respond(w, http.StatusBadRequest, "body cut short")
		return
	}
	if !VerifySignature(credentials.AppSecrets, signature, body) {
		respond(w, http.StatusUnauthorized, "wrong signature")
		return
	}
	if err := c.store(ctx, channel, credentials, signature, body); err != nil {
		c.fail(w, r, "storing the callback", err)
		return
	}
	respond(w, http.StatusOK, "ok")
}

// store stores a callback with a valid signature. A callback that cannot be parsed or belongs to no channel is stored as a
// notice, because retries would not change it.
func (c *Callback) store(ctx context.Context, channel string, credentials Credentials, signature string, body []byte) error {
	events, err := ParseCallback(body)
	if err != nil {
		events = []Event{rawNotice("unreadable", err.Error(), body)}
	}
	own, others := c.sort(credentials, events)
	for _, number := range slices.Sorted(maps.Keys(others)) {
		routed, err := c.route(ctx, channel, number, signature, body, others[number])
		if err != nil {
			return err
		}
		if !routed {
			own = append(own, rawNotice("other_number",
				"a callback for the number with the id "+clip(number, 40)+", which is not connected here", body))
		}
	}
	if len(own) == 0 {
		return nil
	}
	return c.Receive(ctx, channel, own)
}

// rawNotice returns a notice with a whole callback.
func rawNotice(kind, line string, body []byte) Event {
	return Event{Incoming: provider.Incoming{Notice: &provider.IncomingNotice{Kind: kind, Text: line, Raw: body}}}
}

// sort sets missing times and separates the events of the credentials' own numbers from those of other numbers.
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
			// Meta leaves out the number only if there is just one.
			e.PhoneNumberID = credentials.PhoneNumberIDs[0]
			own = append(own, e)
		default:
			others[e.PhoneNumberID] = append(others[e.PhoneNumberID], e)
		}
	}
	return own, others
}

// route passes events to the channel of their number if its credentials signed the callback too.
func (c *Callback) route(ctx context.Context, channel, number, signature string, body []byte, events []Event) (bool, error) {
	if c.Route == nil || number == "" {
		return false, nil
	}
	other, credentials, found, err := c.Route(ctx, channel, number)
	if err != nil || !found || !slices.Contains(credentials.PhoneNumberIDs, number) ||
		!VerifySignature(credentials.AppSecrets, signature, body) {
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

// fail logs an error and makes Meta retry.
func (c *Callback) fail(w http.ResponseWriter, r *http.Request, doing string, err error) {
	cmp.Or(c.Log, slog.Default()).ErrorContext(r.Context(), "whatsapp: "+doing, "channel", r.PathValue("channel"), "error", err)
	respond(w, http.StatusInternalServerError, "try again later")
}

func respond(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, line)
}

const signatureHeader = "X-Hub-Signature-256"

// VerifySignature reports whether one of the app secrets signed the body. Empty secrets are ignored.
func VerifySignature(secrets []string, header string, body []byte) bool {
	got, ok := signatureBytes(header)
	if !ok {
		return false
	}
	return slices.ContainsFunc(secrets, func(secret string) bool {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		return secret != "" && hmac.Equal(mac.Sum(nil), got)
	})
}

func signatureBytes(header string) ([]byte, bool) {
	digits, ok := strings.CutPrefix(header, "sha256=")
	if !ok || len(digits) != 2*sha256.Size {
		return nil, false
	}
	sum, err := hex.DecodeString(digits)
	return sum, err == nil
}

// VerifyHandshake checks Meta's verification request for a callback address. If ok is true the response must be the challenge.
func VerifyHandshake(query url.Values, verifyToken string) (challenge string, ok bool) {
	challenge = query.Get("hub.challenge")
	same := subtle.ConstantTimeCompare([]byte(query.Get("hub.verify_token")), []byte(verifyToken)) == 1
	if !same || verifyToken == "" || challenge == "" || query.Get("hub.mode") != "subscribe" {
		return "", false
	}
	return challenge, true
}
