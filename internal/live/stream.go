package live

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"recado/internal/kernel"
	"recado/internal/webhooks"
)

const (
	maxQueue   = 1_024   // frames
	maxWaiting = 4 << 20 // bytes of queued frames
)

// Stream is one open stream.
type Stream struct {
	hub     *Hub
	company *company
	id      kernel.ID // ids increase in the order of opening
	session kernel.ID
	person  kernel.ID
	begin   webhooks.FeedPlace
	resumes bool // after a cursor of the client
	reset   bool // the cursor of the client is invalid

	types   kernel.EventSet // the events to send
	renewal Renewal         // of an integration; nil for a member
	leave   func()          // releases the slot of an integration

	// Protected by the mutex of the company.
	principal *kernel.Principal
	attached  bool
	after     webhooks.FeedPlace // of the last event that was sent before it was attached

	mu      sync.Mutex
	conn    net.Conn // nil until it is served
	queue   [][]byte
	waiting int  // bytes
	writing bool // the queue is being written, or the stream is not served yet
	closed  bool // no more frames are queued
	broken  bool // nothing more is written
}

// Open returns a stream of a member that begins after a cursor, or now if it is "". The caller must serve it. If the member has
// too many streams, the oldest one ends.
func (h *Hub) Open(ctx context.Context, a *kernel.Principal, cursor string) (*Stream, error) {
	place, usable, err := h.webhooks.Live(ctx, a, cursor)
	if err != nil {
		return nil, err
	}
	s := &Stream{
		hub: h, id: kernel.NewID(), session: a.Session, person: a.User.ID, principal: a, writing: true,
		begin: place, resumes: cursor != "" && usable, reset: !usable, types: kernel.EveryEvent,
	}
	if err := h.add(s, a.Company); err != nil {
		return nil, err
	}
	// The end of the session ends the stream from now on, but it may have ended before.
	fresh, err := h.people.LiveSession(ctx, a.Company.ID, a.Session)
	if err == nil && fresh == nil {
		err = kernel.Errorf(kernel.CodeSessionMissing, "Your session has ended. Sign in again.")
	}
	s.company.known.Do(func() {
		if err == nil {
			err = s.company.refresh(ctx)
		}
	})
	if err != nil {
		h.remove(s)
		return nil, err
	}
	h.people.MarkLive(a.Company.ID, s.session, s.person)
	h.checkSoon(a.Company.ID) // the person may have come online
	h.kernel.Greet(fresh, func(greeting kernel.Signal) { s.push(frame(greeting.Kind, greeting.Data)) })
	h.reportStreams(s.company, s.person, true)
	return s, nil
}

// Renewal authenticates the caller of a stream again.
type Renewal func(ctx context.Context) (*kernel.Principal, error)

// Follow returns a stream of events for an integration that begins after a cursor, or now if it is "". The caller must serve it.
func (h *Hub) Follow(ctx context.Context, a *kernel.Principal, after string, types kernel.EventSet, renewal Renewal) (*Stream, error) {
	leave, err := h.enter(ctx, a)
	if err != nil {
		return nil, err
	}
	place, err := h.webhooks.FeedStart(ctx, a, after)
	if err != nil {
		leave()
		return nil, err
	}
	s := &Stream{
		hub: h, id: kernel.NewID(), principal: a, writing: true, begin: place, resumes: after != "", types: types, renewal: renewal, leave: leave,
	}
	if err := h.add(s, a.Company); err != nil {
		leave()
		return nil, err
	}
	return s, nil
}

// enter takes a slot for a stream of events. Unless there is an error, leave releases it.
func (h *Hub) enter(ctx context.Context, a *kernel.Principal) (leave func(), err error) {
	refuse := func(who string) error {
		refused := kernel.Errorf(kernel.CodeRateLimited, "%s has reached its limit of open streams. Close one first.", who)
		refused.RetryAfter = 5 * time.Second
		return refused
	}
	leaveKey, err := h.byKey.Acquire(ctx, a.ID())
	if err != nil {
		return nil, refuse("This key or session")
	}
	leaveCompany, err := h.byCompany.Acquire(ctx, a.Company.ID)
	if err != nil {
		leaveKey()
		return nil, refuse("This company")
	}
	return func() {
		leaveKey()
		leaveCompany()
	}, nil
}

// Serve takes over the connection and returns. The stream runs in the background until the client disconnects or does not keep
// up, the stream is replaced, the session ends or the server stops. net/http would keep a deep stack and two buffers for each
// connection. A silent stream has one goroutine, which waits until the client disconnects.
func (s *Stream) Serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		s.hub.remove(s)
		w.Header().Set("Content-Type", contentType)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.hub.remove(s)
		s.hub.log.Error("cannot take over the connection of a live stream", slog.Any("error", err))
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	go s.run(conn, responseHead(w.Header()))
}

const contentType = "text/event-stream"

// responseHead returns the status line and the headers. The response ends with the connection.
func responseHead(h http.Header) []byte {
	h.Set("Content-Type", contentType)
	h.Set("X-Accel-Buffering", "no")
	h.Set("Connection", "close")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&b) // to memory
	b.WriteString("\r\n")
	return b.Bytes()
}

func (s *Stream) run(conn net.Conn, head []byte) {
	defer s.hub.remove(s)
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	_ = conn.SetDeadline(time.Time{}) // removes the timeout of requests
	begun := make(chan struct{})
	go func() { // with a stack of its own, which is freed when it ends
		defer close(begun)
		s.start(ctx, conn, head)
	}()
	var ignored [16]byte
	for { // until the client disconnects
		if _, err := conn.Read(ignored[:]); err != nil {
			break
		}
	}
	s.fail()
	cancel()
	<-begun
}

// start sends the headers and the events up to the current place of the company.
func (s *Stream) start(ctx context.Context, conn net.Conn, head []byte) {
	defer func() { // net/http does not recover panics of this goroutine
		if p := recover(); p != nil {
			s.hub.log.Error("a live stream failed", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			s.fail()
		}
	}()
	s.serveOn(conn)
	if !s.write(head, s.firstFrame()) || !s.catchUp(ctx) {
		s.fail()
		return
	}
	s.writeQueue()
}

// firstFrame returns a frame with the cursor of the stream. It tells the client to reload if its cursor is invalid.
func (s *Stream) firstFrame() []byte {
	first := "retry: 1000\nid: " + s.hub.webhooks.LiveCursor(s.company.of.ID, s.begin) + "\n"
	if s.reset {
		first += "event: reset\ndata: {}\n"
	}
	return []byte(first + "\n")
}

// catchUp sends past events until the stream is attached to its company.
func (s *Stream) catchUp(ctx context.Context) bool {
	place, behind := s.begin, s.resumes
	for behind || !s.company.attach(s, place) {
		read := s.hub.webhooks.LiveEvents
		if behind {
			read = s.hub.webhooks.PastEvents
		}
		published := s.company.published()
		events, err := read(ctx, s.company.of.ID, place, feedPage)
		if err != nil {
			return false // the client reconnects with the id of its last event
		}
		behind = len(events) == feedPage
		s.company.mu.Lock()
		principal := s.principal
		s.company.mu.Unlock()
		var frames [][]byte
		for i := range events {
			place = events[i].Place()
			if s.sends(&events[i], principal) {
				frames = append(frames, eventFrame(&events[i]))
			}
		}
		signals, open := s.take()
		if !s.write(append(frames, signals...)...) || !open {
			return false
		}
		if len(events) == 0 && published.After(place) {
			place = published // there is no event in between
		}
	}
	return true
}

// sends reports whether the stream sends an event to its principal.
func (s *Stream) sends(e *webhooks.LiveEvent, a *kernel.Principal) bool {
	return s.types.Has(e.Type()) && e.VisibleTo(a)
}

// renew updates the principal of the stream; nil means that the session has ended. The caller holds the company's mutex.
func (s *Stream) renew(now *kernel.Principal) {
	if now == nil || now.May(webhooks.VerbLive) != nil {
		s.end(frame("session", []byte(`{"state":"ended"}`)))
		return
	}
	if !s.principal.SeesTheSame(now) {
		s.push(frame("reset", []byte(`{}`)))
	}
	s.principal = now
}
