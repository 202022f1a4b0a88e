package channels

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/channels/whatsapp"
	"recado/internal/kernel"
)

// lookupLife is how long a channel's callback secrets are taken from memory: a replaced app secret
// counts after this long at the latest.
const lookupLife = 3 * time.Second

// maxLookups bounds the memory that callers who guess addresses can take.
const maxLookups = 4096

// Callbacks serves the addresses that Meta calls, one per channel. They need no key: Meta signs its calls.
type Callbacks struct {
	channels *Channels
	deliver  func(ctx context.Context, company, channel kernel.ID, items []provider.Incoming) error // stores what came in
	log      *slog.Logger

	mu    sync.Mutex
	known map[kernel.ID]callbackLookup
}

// NewCallbacks returns the handlers of callbacks, which pass what came in to deliver.
func NewCallbacks(channels *Channels, deliver func(ctx context.Context, company, channel kernel.ID, items []provider.Incoming) error, log *slog.Logger) *Callbacks {
	return &Callbacks{channels: channels, deliver: deliver, log: log}
}

// callbackLookup is what is remembered of one channel.
type callbackLookup struct {
	credentials whatsapp.Credentials
	company     kernel.ID
	found       bool
	until       time.Time
}

// handler is to be mounted at whatsapp.CallbackPattern.
func (c *Callbacks) handler() http.Handler {
	callback := &whatsapp.Callback{Lookup: c.lookup, Receive: c.receive, Route: c.route, Log: c.log}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // a handshake follows the change of its own token
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

// lookup finds what a channel's callbacks are checked with, also while the channel is disconnected: what
// customers write must not be lost because the team cannot answer.
func (c *Callbacks) lookup(ctx context.Context, channel string) (whatsapp.Credentials, bool, error) {
	known, err := c.find(ctx, channel)
	return known.credentials, known.found, err
}

// find returns what is known of a channel, from memory for a while.
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
	ch, access, found, err := c.channels.access(ctx, func(tx *kernel.Tx) (Channel, SealedAccess, bool, error) { return callbackAccess(tx, id) })
	if err != nil {
		return callbackLookup{}, err
	}
	known = callbackLookup{company: ch.Company, found: found, until: now.Add(lookupLife)}
	if found {
		known.credentials = whatsapp.Credentials{AppSecrets: []string{access.AppSecret}, VerifyToken: access.VerifyToken}
		if ch.ArchivedAt == nil { // else its number may be that of another channel by now
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

// route finds the channel of the same company that has a number. Meta calls the address of an app for every
// number of the app that has no address of its own.
func (c *Callbacks) route(ctx context.Context, channel, phoneNumberID string) (string, whatsapp.Credentials, bool, error) {
	known, err := c.find(ctx, channel)
	if err != nil {
		return "", whatsapp.Credentials{}, false, err
	}
	other, found, err := c.channels.ChannelOfNumber(ctx, known.company, phoneNumberID)
	if err != nil || !found {
		return "", whatsapp.Credentials{}, false, err
	}
	credentials, found, err := c.lookup(ctx, other.String())
	return other.String(), credentials, found, err
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
	if err := c.deliver(c.channels.Bind(ctx, known.company), known.company, id, items); err != nil {
		c.forget(channel) // it may have been archived: the provider repeats the call, and it is routed anew
		return err
	}
	c.channels.NoteCallback(known.company, id)
	return nil
}
