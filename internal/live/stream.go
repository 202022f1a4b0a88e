package live

import (
	"context"
	"net/http"
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
	actor    *desk.Principal
	attached bool
	after    desk.FeedPlace // events up to here were sent before it was attached

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
		hub: h, id: model.NewID(), session: a.Session, person: a.User.ID, actor: a, wake: make(chan struct{}, 1),
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

// Serve writes the stream until the client goes, does not keep up, is replaced, loses the session, or the
// server stops.
func (s *Stream) Serve(w http.ResponseWriter, r *http.Request) {
	defer s.hub.remove(s)
	control := http.NewResponseController(w)
	s.mu.Lock()
	s.cut = func() { _ = control.SetWriteDeadline(time.Now()) }
	s.mu.Unlock()
	out := &writer{w: w, control: control, stream: s}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	_ = control.SetReadDeadline(time.Time{}) // the time for reading a request does not end a stream
	if !out.write(s.firstFrame()) || !s.catchUp(r.Context(), out) {
		return
	}
	for {
		select {
		case <-s.wake:
			frames, open := s.take()
			if !out.write(frames...) || !open {
				return
			}
		case <-r.Context().Done():
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
		actor := s.actor
		s.company.mu.Unlock()
		var frames [][]byte
		for i := range events {
			place = events[i].Place()
			if events[i].VisibleTo(actor) {
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
	if !s.actor.SeesTheSame(now) {
		s.push(signalFrame("reset", struct{}{}))
	}
	s.actor = now
}

// writer writes to the client within a time.
type writer struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stream  *Stream
}

// mayWrite gives the next write its time, unless the stream was cut off.
func (s *Stream) mayWrite(control *http.ResponseController) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		_ = control.SetWriteDeadline(time.Now().Add(writeTime))
	}
	return !s.broken
}

func (o *writer) write(frames ...[]byte) bool {
	if len(frames) == 0 {
		return true
	}
	if !o.stream.mayWrite(o.control) {
		return false
	}
	for _, f := range frames {
		if _, err := o.w.Write(f); err != nil {
			return false
		}
	}
	return o.control.Flush() == nil
}
