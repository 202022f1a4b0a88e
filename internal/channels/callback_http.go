package channels

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
)

// lookupLife is how long a channel's callback secrets are cached, and so the delay until a new app secret takes effect.
const lookupLife = 3 * time.Second

// maxLookups limits the memory that callers who guess addresses can use.
const maxLookups = 4096

// Callbacks serves the addresses that Meta calls, one per channel. They need no key because Meta signs its calls.
type Callbacks struct {
	channels *Channels
	deliver  Deliver
	log      *slog.Logger

	mu    sync.Mutex
	known map[kernel.ID]callbackLookup
}

// Deliver stores the incoming items of a channel.
type Deliver func(ctx context.Context, company, channel kernel.ID, items []provider.Incoming) error

// NewCallbacks returns the handlers of callbacks, which pass incoming items to deliver.
func NewCallbacks(channels *Channels, deliver Deliver, log *slog.Logger) *Callbacks {
	return &Callbacks{channels: channels, deliver: deliver, log: log}
}

type callbackLookup struct {
	credentials whatsapp.Credentials
	company     kernel.ID
	found       bool
	until       time.Time
}

func (c *Callbacks) handler() http.Handler {
	callback := &whatsapp.Callback{Lookup: c.lookup, Receive: c.receive, Route: c.route, Log: c.log}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // a handshake may follow a change of the verify token
			c.forget(r.PathValue("channel"))
		}
		callback.ServeHTTP(w, r)
	})
}

func (c *Callbacks) forget(channel string) {
	if id, ok := kernel.ParseID(channel); ok {
		c.mu.Lock()
		delete(c.known, id)
		c.mu.Unlock()
	}
}

// lookup returns the credentials for checking a channel's callbacks. It works for disconnected channels too, so that no message
// of a customer is lost.
func (c *Callbacks) lookup(ctx context.Context, channel string) (whatsapp.Credentials, bool, error) {
	known, err := c.find(ctx, channel)
	return known.credentials, known.found, err
}

// find returns the cache entry of a channel, reading it if necessary.
func (c *Callbacks) find(ctx context.Context, channel string) (callbackLookup, error) {
	id, ok := kernel.ParseID(channel)
	if !ok {
		return callbackLookup{}, nil
	}
	now := time.Now()
	c.mu.Lock()
	known, fresh := c.known[id]
	c.mu.Unlock()
	if fresh && now.Before(known.until) {
		return known, nil
	}
	ch, access, found, err := c.channels.access(ctx, `ch.id = $1 /* all companies: a callback names only the channel */`, id)
	if err != nil {
		return callbackLookup{}, err
	}
	known = callbackLookup{company: ch.Company, found: found, until: now.Add(lookupLife)}
	if found {
		known.credentials = whatsapp.Credentials{AppSecrets: []string{access.AppSecret}, VerifyToken: access.VerifyToken}
		if ch.ArchivedAt == nil { // otherwise another channel may have its number now
			known.credentials.PhoneNumberIDs = []string{access.PhoneNumberID}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxLookups {
		c.known = map[kernel.ID]callbackLookup{}
	}
	c.known[id] = known
	return known, nil
}

// route returns the channel of the same company that has a number. Meta calls the address of an app for every number of the app
// that has no own address.
func (c *Callbacks) route(ctx context.Context, channel, phoneNumberID string) (string, whatsapp.Credentials, bool, error) {
	known, err := c.find(ctx, channel)
	if err != nil {
		return "", whatsapp.Credentials{}, false, err
	}
	var other Channel
	found := false
	err = c.channels.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		other, found, err = oneChannel(tx, `ch.company = $1 AND ch.phone_number_id = $2 AND ch.archived_at IS NULL`,
			known.company, phoneNumberID)
		return err
	})
	if err != nil || !found {
		return "", whatsapp.Credentials{}, false, err
	}
	credentials, found, err := c.lookup(ctx, other.ID.String())
	if err == nil && !slices.Contains(credentials.PhoneNumberIDs, phoneNumberID) { // cached before it got this number
		c.forget(other.ID.String())
		credentials, found, err = c.lookup(ctx, other.ID.String())
	}
	return other.ID.String(), credentials, found, err
}

func (c *Callbacks) receive(ctx context.Context, channel string, events []whatsapp.Event) error {
	known, err := c.find(ctx, channel)
	if err != nil {
		return err
	}
	id, _ := kernel.ParseID(channel)
	items := make([]provider.Incoming, len(events))
	for i, e := range events {
		items[i] = e.Incoming
	}
	if err := c.deliver(kernel.ForCompany(ctx, known.company), known.company, id, items); err != nil {
		c.forget(channel) // it may have been archived: the provider retries, and the retry is routed again
		return err
	}
	c.channels.NoteCallback(known.company, id)
	return nil
}
