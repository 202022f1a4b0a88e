package live

import (
	"bytes"
	"net"
	"time"
)

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
	s.schedule()
}

// end ends the stream after a last piece, or at once without one. What waits is not sent.
func (s *Stream) end(last []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.close(last)
	}
}

// fail ends the stream at once, also where it is about to end after a last piece.
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

// cut ends what is read and written on the connection, and with that the stream. The caller holds the lock.
func (s *Stream) cut() {
	s.broken = true
	if s.conn != nil { // otherwise it ends when it gets one
		_ = s.conn.SetDeadline(time.Unix(1, 0))
	}
}

// schedule has the queue written, unless that is under way. The caller holds the lock.
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

// writeReady writes to streams that have something to send, until stop is closed. It never waits for a client.
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

// flush writes the queue as far as the connection takes it at once. A goroutine of its own waits for a client that
// takes less.
func (s *Stream) flush() {
	for {
		frames, more := s.next()
		if !more {
			return
		}
		rest, err := writeNow(s.conn, joined(frames))
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

// writeQueue writes the queue and waits for the client to take it.
func (s *Stream) writeQueue() {
	for {
		frames, more := s.next()
		if !more || !s.write(frames...) {
			return
		}
	}
}

func joined(frames [][]byte) []byte {
	if len(frames) == 1 {
		return frames[0]
	}
	return bytes.Join(frames, nil)
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

// next is take for those that write until the queue is empty; it reports false then. The end of a stream that was
// closed is here.
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

// serveOn gives the stream its connection.
func (s *Stream) serveOn(conn net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn = conn
	if s.broken {
		s.cut()
	}
}

// write waits for the client to take the frames, for a while; otherwise it ends the stream.
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

// limitWrite says until when writes may last, unless the stream was cut off.
func (s *Stream) limitWrite(until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		_ = s.conn.SetWriteDeadline(until)
	}
	return !s.broken
}
