package live

import (
	"fmt"
	"net"
	"slices"
	"time"

	"recado/internal/webhooks"
)

// comment keeps a connection alive.
var comment = []byte(": \n\n")

// eventFrame encodes an event of the feed. Its id is the cursor after it.
func eventFrame(e *webhooks.LiveEvent) []byte {
	return fmt.Appendf(nil, "id: %s\nevent: %s\ndata: %s\n\n", e.Cursor, e.Type(), e.Body())
}

// frame encodes a signal, which has no id.
func frame(event string, data []byte) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", event, data)
}

// push queues a frame for the client. It never blocks.
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
	s.schedule()
}

// end ends the stream after a last frame, or immediately if it is nil. Queued frames are not sent.
func (s *Stream) end(last []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.close(last)
	}
}

// fail ends the stream immediately, even if a last frame is still to be sent.
func (s *Stream) fail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close(nil)
}

func (s *Stream) close(last []byte) {
	s.closed, s.queue, s.waiting = true, nil, 0
	if last == nil {
		s.cut()
		return
	}
	s.queue = [][]byte{last}
	s.schedule()
}

// cut interrupts reads and writes on the connection, which ends the stream. The caller holds mu.
func (s *Stream) cut() {
	s.broken = true
	if s.conn != nil { // otherwise serveOn cuts it
		_ = s.conn.SetDeadline(time.Unix(1, 0))
	}
}

// schedule lets writeReady write the queue, unless it is being written. The caller holds mu.
func (s *Stream) schedule() {
	if s.writing {
		return
	}
	s.writing = true
	select {
	case s.hub.ready <- s:
	default:
		go s.flush()
	}
}

// writeReady writes the queues of streams until stop is closed. It never waits for a client.
func (h *Hub) writeReady(stop <-chan struct{}) {
	for {
		select {
		case s := <-h.ready:
			s.flush()
		case <-stop:
			return
		}
	}
}

// flush writes as much of the queue as the connection accepts without blocking. If that is not all, a goroutine writes the rest.
func (s *Stream) flush() {
	for {
		frames, more := s.next()
		if !more {
			return
		}
		rest, err := writeNow(s.conn, slices.Concat(frames...))
		switch {
		case err != nil:
			s.fail()
			return
		case len(rest) > 0:
			go func() {
				if s.write(rest) {
					s.writeQueue()
				}
			}()
			return
		}
	}
}

// writeQueue writes the queue and waits for the client.
func (s *Stream) writeQueue() {
	for {
		frames, more := s.next()
		if !more || !s.write(frames...) {
			return
		}
	}
}

func (s *Stream) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// take empties the queue, and reports whether the stream is open.
func (s *Stream) take() (frames [][]byte, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, s.queue, s.waiting = s.queue, nil, 0
	return frames, !s.closed
}

// next empties the queue to write it. If there is nothing to write, it returns false and ends a stream that was closed.
func (s *Stream) next() (frames [][]byte, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, s.queue, s.waiting = s.queue, nil, 0
	if len(frames) > 0 && !s.broken {
		return frames, true
	}
	s.writing = false
	if s.closed {
		s.cut()
	}
	return nil, false
}

// serveOn sets the connection.
func (s *Stream) serveOn(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = conn
	if s.broken {
		s.cut()
	}
}

// write writes frames and waits for the client. After the timeout it ends the stream.
func (s *Stream) write(frames ...[]byte) bool {
	if len(frames) == 0 {
		return true
	}
	if !s.limitWrite(time.Now().Add(time.Duration(s.hub.writeTime.Load()))) {
		return false
	}
	all := net.Buffers(frames)
	if _, err := all.WriteTo(s.conn); err != nil {
		s.fail()
		return false
	}
	return s.limitWrite(time.Time{})
}

// limitWrite sets the deadline of writes. It returns false if the stream was cut.
func (s *Stream) limitWrite(until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		_ = s.conn.SetWriteDeadline(until)
	}
	return !s.broken
}
