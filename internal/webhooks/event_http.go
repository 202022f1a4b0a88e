package webhooks

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/limits"
)

// FeedInput is what the feed and the stream of it take. It is exported because inputs embed it.
type FeedInput struct {
	After string `query:"after" doc:"A cursor of this feed; the response has the events that follow it in the given order."`
	Types string `query:"types" doc:"Event types, separated by commas. Absent: all." example:"message.received,message.sent"`
}

func (f FeedInput) types() (kernel.EventSet, error) {
	if f.Types == "" {
		return kernel.EveryEvent, nil
	}
	set, invalid := kernel.ParseEvents("query.types", strings.Split(f.Types, ","))
	if invalid != nil {
		return 0, invalid
	}
	return set, nil
}

type listEventsInput struct {
	FeedInput
	Order string `query:"order" enum:"asc,desc" default:"asc" doc:"asc: oldest first, to follow what happens. desc: newest first; next_cursor leads to older events."`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
}

// eventFeed is a page of the feed.
type eventFeed struct {
	Data       []feedEvent `json:"data"`
	NextCursor *string     `json:"next_cursor" doc:"Send it as after to get the next events, now or later. null: there is no event after the after of this call, so keep that one; with order=desc, the oldest event has been read."`
}

func (s *handlers) listEvents(ctx context.Context, a *kernel.Principal, in *listEventsInput) (*httpserver.Reply[eventFeed], error) {
	types, err := in.types()
	if err != nil {
		return nil, err
	}
	newest := in.Order == "desc"
	page, err := s.verbs.Events(ctx, a, FeedQuery{After: in.After, Types: types, Limit: in.Limit, Newest: newest})
	if err != nil {
		return nil, err
	}
	out := eventFeed{Data: []feedEvent{}}
	if newest && page.More || !newest && !page.Still {
		out.NextCursor = &page.Next
	}
	for _, e := range page.Events {
		out.Data = append(out.Data, feedEvent(e.Body))
	}
	return &httpserver.Reply[eventFeed]{Body: out}, nil
}

// feedEvent is an event's exact bytes: the same that a webhook receives.
type feedEvent []byte

// MarshalJSONTo writes them.
func (e feedEvent) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(jsontext.Value(e))
}

// Schema documents them.
func (feedEvent) Schema(r huma.Registry) *huma.Schema {
	text := func(format string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: format} }
	var names []any
	for _, e := range kernel.AllEvents {
		names = append(names, string(e))
	}
	return &huma.Schema{
		Type:     huma.TypeObject,
		Required: []string{"id", "type", "created_at", "tenant_id", "data"},
		Properties: map[string]*huma.Schema{
			"id":         text("uuid"),
			"type":       {Type: huma.TypeString, Enum: names},
			"created_at": text("date-time"),
			"tenant_id":  {Type: huma.TypeString, Format: "uuid", Description: "The company."},
			"data":       {Type: huma.TypeObject, Description: "What happened; its members depend on the type.", AdditionalProperties: true},
		},
	}
}

const (
	streamPage     = 50                   // events in memory per stream
	streamLook     = time.Second          // how often a stream without events looks at the key and the feed
	streamHeldLook = 5 * time.Millisecond // the first time while an event is held back, then twice as long each time
	streamsPerKey  = 20
	streamsInAll   = 2_000
)

const (
	streamHeartbeat = 14 * time.Second // looked at once a second, so 15 at most
	streamWrite     = 10 * time.Second // for a client to take a page; a slower one is dropped
)

type streamEventsInput struct {
	FeedInput
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event received; it takes precedence over after."`
}

// follow opens a stream of the feed. What can be refused is refused before the first byte.
func (s *EventStreams) follow(ctx context.Context, a *kernel.Principal, in *streamEventsInput) (*httpserver.StreamReply, error) {
	types, err := in.types()
	if err != nil {
		return nil, err
	}
	leave, err := s.enter(ctx, a.Company.ID, a.ID())
	if err != nil {
		return nil, err
	}
	after, err := s.start(ctx, a, in, types)
	if err != nil {
		leave()
		return nil, err
	}
	return &httpserver.StreamReply{Body: func(ctx huma.Context) {
		defer leave()
		r, w := humago.Unwrap(ctx)
		(&stream{of: s, principal: a, after: after, types: types, r: r, w: w, control: http.NewResponseController(w)}).run()
	}}, nil
}

// start is the cursor behind which a stream begins.
func (s *EventStreams) start(ctx context.Context, a *kernel.Principal, in *streamEventsInput, types kernel.EventSet) (string, error) {
	after := in.After
	if in.LastEventID != "" {
		after = in.LastEventID
	}
	if after == "" {
		return s.webhooks.FeedEnd(ctx, a)
	}
	_, err := s.webhooks.Events(ctx, a, FeedQuery{After: after, Types: types, Limit: 1})
	return after, err
}

// stream is one client that follows the feed.
type stream struct {
	of        *EventStreams
	principal *kernel.Principal
	after     string
	types     kernel.EventSet
	r         *http.Request
	w         http.ResponseWriter
	control   *http.ResponseController
	buf       []byte
}

// run ends when the client goes, is too slow, loses its key, or the server stops.
func (st *stream) run() {
	h := st.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	_ = st.control.SetReadDeadline(time.Time{}) // the time for reading a request does not end a stream
	if st.send("retry: 1000\n"+st.checkpoint()) != nil {
		return
	}
	look := time.NewTimer(streamLook)
	defer look.Stop()
	rest, written, looked := streamLook, time.Now(), time.Now()
	behind, fresh := true, time.Time{}
	for {
		if time.Since(looked) >= streamLook { // however many events come
			if !st.mayGoOn() {
				return
			}
			looked = time.Now()
		}
		changed, err := st.of.webhooks.FeedChanged(st.r.Context(), st.principal)
		if err != nil {
			return
		}
		page, err := st.read(behind, changed, fresh)
		if err != nil {
			return // the client comes back with the id of the last event it has
		}
		st.after = page.Next
		switch {
		case len(page.Events) > 0:
			err = st.events(page.Events)
			written = time.Now()
		case time.Since(written) >= st.of.heartbeat:
			err = st.send(": still here\n" + st.checkpoint())
			written = time.Now()
		}
		if err != nil {
			return
		}
		if behind = page.More; behind {
			continue
		}
		switch {
		case !page.Held:
			rest = streamLook
		case rest == streamLook:
			rest = streamHeldLook
		}
		look.Reset(rest)
		select {
		case <-changed:
			rest = streamLook
			fresh = time.Time{} // a read after the change is new enough
		case <-look.C:
			fresh = time.Now().Add(-rest / 2)
			rest = min(2*rest, streamLook)
		case <-st.r.Context().Done():
			return
		case <-st.of.ended:
			return
		}
	}
}

// read gives the next events: from a read of its own while the stream is behind, and from one that all streams
// of the company share once it has caught up.
func (st *stream) read(behind bool, changed <-chan struct{}, fresh time.Time) (FeedPage, error) {
	if behind {
		return st.of.webhooks.Events(st.r.Context(), st.principal, FeedQuery{After: st.after, Types: st.types, Limit: streamPage})
	}
	return st.of.webhooks.Follow(st.r.Context(), st.principal, st.after, st.types, changed, fresh)
}

// mayGoOn looks at the key or session again: it may have been revoked, or see less by now.
func (st *stream) mayGoOn() bool {
	principal, err := httpserver.Reauthenticate(st.r)
	if err != nil || principal.May(VerbEvents) != nil {
		return false
	}
	st.principal = principal
	return true
}

func (st *stream) events(events []FeedEvent) error {
	st.buf = st.buf[:0]
	for _, e := range events {
		st.buf = append(st.buf, "id: "...)
		st.buf = append(st.buf, e.Cursor...)
		st.buf = append(st.buf, "\nevent: "...)
		st.buf = append(st.buf, e.Type...)
		st.buf = append(st.buf, "\ndata: "...)
		st.buf = append(st.buf, e.Body...)
		st.buf = append(st.buf, "\n\n"...)
	}
	return st.send(string(st.buf))
}

// checkpoint is a message without data: it raises nothing in the client, but moves its last event id.
func (st *stream) checkpoint() string { return "id: " + st.after + "\n\n" }

func (st *stream) send(text string) error {
	_ = st.control.SetWriteDeadline(time.Now().Add(st.of.write))
	if _, err := io.WriteString(st.w, text); err != nil {
		return err
	}
	return st.control.Flush()
}

// EventStreams serves the feed as streams, and counts the open ones of this node: by key, by company and in all.
type EventStreams struct {
	webhooks *Webhooks

	byKey, byCompany *limits.Concurrency[kernel.ID]
	all              *limits.Concurrency[struct{}]
	ended            chan struct{}
	once             sync.Once

	heartbeat time.Duration
	write     time.Duration
}

// NewEventStreams returns the streams of events, at most perCompany at once for each company.
func NewEventStreams(webhooks *Webhooks, perCompany int64) *EventStreams {
	return &EventStreams{
		webhooks: webhooks,
		byKey:    limits.NewConcurrency[kernel.ID](streamsPerKey, 0), byCompany: limits.NewConcurrency[kernel.ID](perCompany, 0), all: limits.NewConcurrency[struct{}](streamsInAll, 0),
		ended: make(chan struct{}), heartbeat: streamHeartbeat, write: streamWrite,
	}
}

// enter counts a stream until leave is called, or refuses it.
func (s *EventStreams) enter(ctx context.Context, company, holder kernel.ID) (leave func(), err error) {
	refuse := func(who string) error {
		refused := kernel.Errorf(kernel.CodeRateLimited, "%s has reached its limit of open streams. Close one first.", who)
		refused.RetryAfter = 5 * time.Second
		return refused
	}
	leaveKey, err := s.byKey.Acquire(ctx, holder)
	if err != nil {
		return nil, refuse("This key or session")
	}
	leaveCompany, err := s.byCompany.Acquire(ctx, company)
	if err != nil {
		leaveKey()
		return nil, refuse("This company")
	}
	leaveAll, err := s.all.Acquire(ctx, struct{}{})
	if err != nil {
		leaveKey()
		leaveCompany()
		return nil, refuse("This server")
	}
	return func() {
		leaveKey()
		leaveCompany()
		leaveAll()
	}, nil
}

// SetTimes sets how often a quiet stream gets a heartbeat, and how long a client may take to read what was written.
// It is called before the first stream.
func (s *EventStreams) SetTimes(heartbeat, write time.Duration) {
	s.heartbeat, s.write = heartbeat, write
}

// End ends every stream: a server that stops does not wait for clients that never leave.
func (s *EventStreams) End() { s.once.Do(func() { close(s.ended) }) }
