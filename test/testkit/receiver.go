package testkit

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Receiver is an HTTP server that records webhook deliveries. It responds with 200 unless Answer or AnswerStatus
// changes that.
type Receiver struct {
	*httptest.Server

	mu       sync.Mutex
	handler  http.HandlerFunc
	received []Delivery
	returned int           // by Next
	arrived  chan struct{} // closed and replaced at every delivery
}

// Delivery is one request to a Receiver.
type Delivery struct {
	Path   string
	Header http.Header
	Body   string
}

// NewReceiver starts a receiver and stops it when the test ends.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{arrived: make(chan struct{})}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
	})
	return r
}

// serve records a request, unless it is incomplete, and responds.
func (r *Receiver) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	r.received = append(r.received, Delivery{Path: req.URL.Path, Header: req.Header, Body: string(body)})
	handler := r.handler
	close(r.arrived)
	r.arrived = make(chan struct{})
	r.mu.Unlock()
	if handler != nil {
		handler(w, req)
	}
}

// Answer sets the handler of further deliveries. The handler can read the body.
func (r *Receiver) Answer(h http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handler = h
}

// AnswerStatus sets the status of further responses.
func (r *Receiver) AnswerStatus(code int) {
	r.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
}

// Next returns the oldest delivery that it has not returned yet. It waits for one if necessary.
func (r *Receiver) Next(t testing.TB) Delivery {
	t.Helper()
	timeout := time.After(Patience)
	for {
		r.mu.Lock()
		arrived := r.arrived
		if r.returned < len(r.received) {
			d := r.received[r.returned]
			r.returned++
			r.mu.Unlock()
			return d
		}
		r.mu.Unlock()
		select {
		case <-arrived:
		case <-timeout:
			t.Fatalf("no delivery within %v", Patience)
		}
	}
}

// All returns the deliveries so far, oldest first.
func (r *Receiver) All() []Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.received)
}

// Waiting returns the number of deliveries that Next would return without waiting.
func (r *Receiver) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.received) - r.returned
}
