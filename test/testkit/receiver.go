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

// Receiver is an HTTP server that takes webhook deliveries and keeps them. It answers 200 until Answer says
// otherwise.
type Receiver struct {
	*httptest.Server

	mu     sync.Mutex
	answer http.HandlerFunc
	got    []Delivery
	taken  int           // how many Next has given
	heard  chan struct{} // closed and replaced at every delivery
}

// Delivery is one request that a Receiver got.
type Delivery struct {
	Path   string
	Header http.Header
	Body   string
}

// NewReceiver starts a receiver, which ends with the test.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{heard: make(chan struct{})}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(func() {
		r.CloseClientConnections()
		r.Close()
	})
	return r
}

// serve keeps a request before it is answered. A request whose sender ended in the middle is not kept.
func (r *Receiver) serve(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	r.got = append(r.got, Delivery{Path: req.URL.Path, Header: req.Header, Body: string(body)})
	answer := r.answer
	close(r.heard)
	r.heard = make(chan struct{})
	r.mu.Unlock()
	if answer != nil {
		answer(w, req)
	}
}

// Answer decides how the receiver answers from now on. The handler can read the body.
func (r *Receiver) Answer(h http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = h
}

// AnswerStatus has the receiver answer with a status from now on.
func (r *Receiver) AnswerStatus(code int) {
	r.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
}

// Next gives the oldest delivery that it has not given yet, and waits for one where there is none.
func (r *Receiver) Next(t testing.TB) Delivery {
	t.Helper()
	late := time.After(Patience)
	for {
		r.mu.Lock()
		heard := r.heard
		if r.taken < len(r.got) {
			d := r.got[r.taken]
			r.taken++
			r.mu.Unlock()
			return d
		}
		r.mu.Unlock()
		select {
		case <-heard:
		case <-late:
			t.Fatalf("no delivery came within %v", Patience)
		}
	}
}

// All gives the deliveries so far, oldest first.
func (r *Receiver) All() []Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// Waiting is the number of deliveries that Next would give at once.
func (r *Receiver) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.got) - r.taken
}
