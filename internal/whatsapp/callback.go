package whatsapp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"recado/internal/model"
)

// MaxCallback is the largest callback body that is read. Meta sends up to 3 MB.
const MaxCallback = 3 << 20

// Credentials are what a channel's callbacks are checked with.
type Credentials struct {
	AppSecrets  []string // any of them may have signed; several while a secret is being replaced
	VerifyToken string
	// PhoneNumberIDs are the numbers that these secrets may speak for. Events of other numbers are
	// dropped, or one company's secret could write into another's conversations.
	PhoneNumberIDs []string
}

// Callback serves the address that Meta calls for a channel. Mount it, for GET and POST, at a pattern
// whose {channel} names the channel. Meta is answered 200 only when Receive has returned without an
// error, and repeats for days what was answered otherwise.
type Callback struct {
	// Lookup finds a channel's credentials; false means that there is no such channel.
	Lookup func(ctx context.Context, channelID string) (Credentials, bool, error)
	// Receive stores everything of one callback. It is called once for each, with at least one event,
	// and must expect to see the same events again.
	Receive func(ctx context.Context, channelID string, events []Event) error
	Log     *slog.Logger     // slog.Default when nil
	Now     func() time.Time // time.Now when nil; dates events that Meta left undated
}

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
	events, err := ParseCallback(body)
	if err != nil {
		// Sent again it would be just as unreadable, for seven days.
		c.log().WarnContext(ctx, "whatsapp: unreadable callback", "channel", channel, "error", err, "body", clip(string(body), 500))
	}
	events = c.own(ctx, channel, credentials, events)
	if len(events) > 0 {
		if err := c.Receive(ctx, channel, events); err != nil {
			c.fail(w, r, "storing the callback", err)
			return
		}
	}
	answer(w, http.StatusOK, "ok")
}

// own keeps the events of the numbers that the credentials vouch for, and dates them all.
func (c *Callback) own(ctx context.Context, channel string, credentials Credentials, events []Event) []Event {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	foreign := map[string]int{}
	kept := events[:0]
	for _, e := range events {
		if e.PhoneNumberID != "" && !slices.Contains(credentials.PhoneNumberIDs, e.PhoneNumberID) {
			foreign[e.PhoneNumberID]++
			continue
		}
		if e.PhoneNumberID == "" && e.Incoming.Notice == nil {
			// Meta names the number in all that concerns one; without a name it can only be the sole one.
			if len(credentials.PhoneNumberIDs) != 1 {
				foreign[""]++
				continue
			}
			e.PhoneNumberID = credentials.PhoneNumberIDs[0]
		}
		date(e.Incoming, now)
		kept = append(kept, e)
	}
	for number, count := range foreign {
		c.log().WarnContext(ctx, "whatsapp: callback for a number that is not this channel's", "channel", channel, "phone_number_id", clip(number, 40), "events", count)
	}
	return kept
}

func date(in model.Incoming, now func() time.Time) {
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
