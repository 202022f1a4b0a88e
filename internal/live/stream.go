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
	maxQueue   = 1_024   // frames that wait for a client
	maxWaiting = 4 << 20 // their bytes, which streams share
)

// Stream is one open stream.
type Stream struct {
	hub     *Hub
	company *company
	id      kernel.ID // grows with the time of opening
	session kernel.ID
	person  kernel.ID
	begin   webhooks.FeedPlace
	resumes bool // behind a cursor of the client
	reset   bool // the cursor of the client cannot be used

	types   kernel.EventSet // the events that it sends
	renewal Renewal         // reads the rights of an integration again; nil for a live stream
	leave   func()          // releases its slot

	// Under the lock of the company.
	principal *kernel.Principal
	attached  bool
	after     webhooks.FeedPlace // events up to here were sent before it was attached

	mu      sync.Mutex
	conn    net.Conn // nil before it is served
	queue   [][]byte
	waiting int  // bytes
	writing bool // something takes from the queue until it is empty; true before it is served
	closed  bool // nothing more is added
	broken  bool // nothing more is written
}

// Open makes a stream for a person that begins behind a cursor, or now without one. The caller serves it at
// once. A person's oldest stream ends when there are too many.
func (h *Hub) Open(ctx context.Context, a *kernel.Principal, cursor string) (*Stream, error) {
	place, usable, err := h.desk.webhooks.Live(ctx, a, cursor)
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
	// From here on the end of the session ends the stream; it may have ended just before.
	fresh, err := h.system.people.LiveSession(ctx, a.Company.ID, a.Session)
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
	h.system.people.MarkLive(a.Company.ID, s.session, s.person)
	h.checkSoon(a.Company.ID) // the person may have come online
	h.system.Greet(fresh, func(greeting kernel.Signal) { s.push(frame(greeting.Kind, greeting.Data)) })
	h.tellStreams(s.company, s.person, true)
	return s, nil
}

// Renewal authenticates the caller of a stream again.
type Renewal func(ctx context.Context) (*kernel.Principal, error)

// Follow opens a stream of events for an integration, which begins after a cursor, or now without one. The caller serves it at
// once.
func (h *Hub) Follow(ctx context.Context, a *kernel.Principal, after string, types kernel.EventSet, renewal Renewal) (*Stream, error) {
	leave, err := h.enter(ctx, a)
	if err != nil {
		return nil, err
	}
	place, err := h.system.webhooks.FeedStart(ctx, a, after)
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

// enter counts a stream of events until leave is called, or refuses it.
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

// Serve takes the connection over and returns: the stream goes on in the background until the client goes, does not
// keep up, is replaced, loses the session, or the server stops. net/http would keep a deep stack and two buffers for
// each connection. A silent stream has one goroutine, which waits for the client to go.
func (s *Stream) Serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		s.hub.remove(s)
		w.Header().Set("Content-Type", contentType)
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		s.hub.remove(s)
		s.hub.log.Error("a live stream cannot have its connection", slog.Any("error", err))
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	head := responseHead(w.Header())
	go s.run(conn, head)
}

const contentType = "text/event-stream"

// responseHead is the beginning of the answer. Its end is that of the connection.
func responseHead(h http.Header) []byte {
	h.Set("Content-Type", contentType)
	h.Set("X-Accel-Buffering", "no")
	h.Set("Connection", "close")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = h.Write(&b) // a buffer takes everything
	b.WriteString("\r\n")
	return b.Bytes()
}

func (s *Stream) run(conn net.Conn, head []byte) {
	defer s.hub.remove(s)
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithCancel(context.Background())
	_ = conn.SetDeadline(time.Time{}) // the time for a request does not end a stream
	begun := make(chan struct{})
	go func() { // its stack grows with what it reads, and goes with it
		defer close(begun)
		s.start(ctx, conn, head)
	}()
	var ignored [16]byte
	for { // a client says nothing more; reading ends when it goes
		if _, err := conn.Read(ignored[:]); err != nil {
			break
		}
	}
	s.fail()
	cancel()
	<-begun
}

// start sends what comes before the first event that all streams get together.
func (s *Stream) start(ctx context.Context, conn net.Conn, head []byte) {
	defer func() { // net/http does not look after this goroutine
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

// firstFrame tells the client its place, and to reload where the one that it gave is of no use.
func (s *Stream) firstFrame() []byte {
	first := "retry: 1000\nid: " + s.hub.system.webhooks.LiveCursor(s.company.of.ID, s.begin) + "\n"
	if s.reset {
		first += "event: reset\ndata: {}\n"
	}
	return []byte(first + "\n")
}

// catchUp sends the events that happened before the stream was opened, until it is where the others are.
func (s *Stream) catchUp(ctx context.Context) bool {
	place, behind := s.begin, s.resumes
	for behind || !s.company.attach(s, place) {
		read := s.hub.system.webhooks.LiveEvents
		if behind {
			read = s.hub.system.webhooks.PastEvents
		}
		published := s.company.published()
		events, err := read(ctx, s.company.of.ID, place, feedPage)
		if err != nil {
			return false // the client comes back with the id of the last event it has
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

// renew gives the stream the rights that its session has now, none when it has ended. The caller holds the
// company's lock.
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
