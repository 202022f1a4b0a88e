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

	"recado/internal/desk"
	"recado/internal/model"
)

const (
	maxQueue   = 1_024            // pieces that wait for a reader
	maxWaiting = 4 << 20          // their bytes, which streams share
	writeTime  = 10 * time.Second // for a reader to take what was written
)

// Stream is one open stream.
type Stream struct {
	hub     *Hub
	company *company
	id      model.ID // grows with the time of opening
	session model.ID
	person  model.ID
	begin   desk.FeedPlace
	resumes bool // behind a cursor of the client
	reset   bool // the cursor that the client gave is of no use

	// Under the lock of the company.
	principal *desk.Principal
	attached  bool
	after     desk.FeedPlace // events up to here were sent before it was attached

	mu      sync.Mutex
	queue   [][]byte
	waiting int    // bytes
	closed  bool   // nothing more is added
	broken  bool   // nothing more is written
	cut     func() // ends a write that is under way
	wake    chan struct{}
}

// Open makes a stream for a person that begins behind a cursor, or now without one. The caller serves it at
// once. A person's oldest stream ends when there are too many.
func (h *Hub) Open(ctx context.Context, a *desk.Principal, cursor string) (*Stream, error) {
	place, usable, err := h.desk.Live(ctx, a, cursor)
	if err != nil {
		return nil, err
	}
	s := &Stream{
		hub: h, id: model.NewID(), session: a.Session, person: a.User.ID, principal: a, wake: make(chan struct{}, 1),
		begin: place, resumes: cursor != "" && usable, reset: !usable,
	}
	if err := h.add(s, a.Company); err != nil {
		return nil, err
	}
	// From here on the end of the session ends the stream; it may have ended just before.
	fresh, err := h.system.LiveSession(ctx, a.Company.ID, a.Session)
	if err == nil && fresh == nil {
		err = model.Errorf(model.CodeSessionMissing, "Your session has ended. Sign in again.")
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
	h.system.MarkLive(s.session, s.person)
	h.checkSoon() // the person may have come online
	h.tellAll(s, fresh)
	h.tellStreams(s.company, s.person, true)
	return s, nil
}

// Serve takes the connection over and returns: the stream is written in the background until the client goes, does
// not keep up, is replaced, loses the session, or the server stops. net/http would keep a deep stack and two
// buffers for each connection, which is most of what a silent stream costs.
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
	defer func() { // net/http does not look after this goroutine
		if p := recover(); p != nil {
			s.hub.log.Error("a live stream failed", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Time{}) // the time for a request does not end a stream
	s.mu.Lock()
	s.cut = func() { _ = conn.SetWriteDeadline(time.Now()) }
	s.mu.Unlock()
	go func() { // a client says nothing more; reading ends when it goes
		var ignored [256]byte
		for {
			if _, err := conn.Read(ignored[:]); err != nil {
				cancel()
				return
			}
		}
	}()
	out := &writer{conn: conn, stream: s}
	if !out.write(head, s.firstFrame()) || !s.catchUp(ctx, out) {
		return
	}
	for {
		select {
		case <-s.wake:
			frames, open := s.take()
			if !out.write(frames...) || !open {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// firstFrame tells the client its place, and to reload where the one that it gave is of no use.
func (s *Stream) firstFrame() []byte {
	first := "retry: 1000\nid: " + s.hub.system.LiveCursor(s.company.of.ID, s.begin) + "\n"
	if s.reset {
		first += "event: reset\ndata: {}\n"
	}
	return []byte(first + "\n")
}

// catchUp sends the events that happened before the stream was opened, until it is where the others are.
func (s *Stream) catchUp(ctx context.Context, out *writer) bool {
	place, behind := s.begin, s.resumes
	for behind || !s.company.attach(s, place) {
		events, err := s.hub.system.LiveEvents(ctx, s.company.of.ID, place, feedPage)
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
			if events[i].VisibleTo(principal) {
				frames = append(frames, eventFrame(&events[i]))
			}
		}
		signals, open := s.take()
		if !out.write(append(frames, signals...)...) || !open {
			return false
		}
		if len(events) == 0 { // what the others have seen will be there in a moment
			select {
			case <-time.After(feedSoon):
			case <-ctx.Done():
				return false
			}
		}
	}
	return true
}

// push has something written to the client, and never waits for it.
func (s *Stream) push(f []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if len(s.queue) == maxQueue || s.waiting+len(f) > maxWaiting {
		s.close(nil)
		return
	}
	s.queue = append(s.queue, f)
	s.waiting += len(f)
	s.ring()
}

// end ends the stream after a last piece, or at once without one. What waits is not sent.
func (s *Stream) end(last []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.close(last)
	}
}

func (s *Stream) close(last []byte) {
	s.closed, s.queue, s.waiting = true, nil, 0
	if last != nil {
		s.queue = [][]byte{last}
	} else if s.broken = true; s.cut != nil {
		s.cut()
	}
	s.ring()
}

func (s *Stream) ring() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Stream) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// take gives what waits, and whether more may come.
func (s *Stream) take() (frames [][]byte, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, s.queue, s.waiting = s.queue, nil, 0
	return frames, !s.closed
}

// renew gives the stream the rights that its session has now, none when it has ended. The caller holds the
// company's lock.
func (s *Stream) renew(now *desk.Principal) {
	if now == nil || now.May(desk.VerbLive) != nil {
		s.end(signalFrame("session", state{"ended"}))
		return
	}
	if !s.principal.SeesTheSame(now) {
		s.push(signalFrame("reset", struct{}{}))
	}
	s.principal = now
}

// writer writes to the client within a time.
type writer struct {
	conn   net.Conn
	stream *Stream
}

func (o *writer) write(frames ...[]byte) bool {
	if len(frames) == 0 {
		return true
	}
	if !o.stream.mayWrite(o.conn) {
		return false
	}
	all := net.Buffers(frames)
	_, err := all.WriteTo(o.conn)
	return err == nil
}

// mayWrite gives the next write its time, unless the stream was cut off.
func (s *Stream) mayWrite(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		_ = conn.SetWriteDeadline(time.Now().Add(writeTime))
	}
	return !s.broken
}
