package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/load"
	"recado/test/testkit"
)

// balancer is a client of several nodes. It uses them in turn, skips those that are down, and retries only requests
// that are safe to retry: those that reached no node, those that certainly changed nothing, and idempotent ones.
type balancer struct {
	t       *testing.T
	repeats atomic.Int64

	mu     sync.Mutex
	turn   int
	nodes  []string
	away   map[string]bool
	counts map[string]int // error responses and failures, by kind
}

func (b *balancer) add(url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes = append(b.nodes, url)
}

// leave takes a node out of rotation; back returns it.
func (b *balancer) leave(url string) { b.mark(url, true) }

func (b *balancer) back(url string) { b.mark(url, false) }

func (b *balancer) mark(url string, away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away == nil {
		b.away = map[string]bool{}
	}
	b.away[url] = away
}

func (b *balancer) next() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.nodes {
		b.turn++
		if url := b.nodes[b.turn%len(b.nodes)]; !b.away[url] {
			return url
		}
	}
	return b.nodes[b.turn%len(b.nodes)]
}

// Call sends the request, trying other nodes if necessary.
func (b *balancer) Call(r load.Request) (load.Answer, bool) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); ; <-tick.C {
		url := b.next()
		a, err := load.Send(url, r)
		again, open := b.judge(url, r, a, err)
		if !again || time.Now().After(end) {
			return a, !open
		}
		b.repeats.Add(1)
	}
}

// judge reports whether to retry a request and, if not, whether its outcome is unknown.
func (b *balancer) judge(url string, r load.Request, a load.Answer, err error) (again, open bool) {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		b.count("connection refused")
		return true, true
	case err != nil:
		b.count(fmt.Sprintf("no answer: %v", trimmed(err)))
		return r.Repeatable, true
	}
	if a.Header.Get("Connection") == "close" { // the node is about to stop
		b.leave(url)
	}
	if a.Status != http.StatusServiceUnavailable {
		return false, false
	}
	b.count("503 " + code(a))
	b.proper(r, a)
	return r.Repeatable, code(a) != string(kernel.CodeUnavailable)
}

// proper checks that a 503 is as documented.
func (b *balancer) proper(r load.Request, a load.Answer) {
	if strings.HasPrefix(r.Path, "/channels/") { // the provider's callback, which is not part of the API
		return
	}
	var e struct {
		Code      string
		Message   string
		RequestID string `json:"request_id"`
		Details   []any
	}
	err := json.Unmarshal(a.Body, &e)
	known := e.Code == string(kernel.CodeUnavailable) || e.Code == string(kernel.CodeUncertain)
	if err != nil || !known || e.Message == "" || e.RequestID == "" || e.Details == nil || a.Header.Get("Retry-After") == "" {
		b.t.Errorf("%s %s: got a 503 that is not as documented: %v %s", r.Method, r.Path, a.Header, a.Body)
	}
}

func (b *balancer) count(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.counts == nil {
		b.counts = map[string]int{}
	}
	b.counts[what]++
}

// failures returns the counts of failed requests, without those refused because the server was shutting down.
func (b *balancer) failures() map[string]int {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := maps.Clone(b.counts)
	delete(out, "connection refused")
	return out
}

func (b *balancer) tally() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(b.counts)) {
		parts = append(parts, fmt.Sprintf("%d x %s", b.counts[what], what))
	}
	return strings.Join(parts, ", ")
}

// front is an address for WhatsApp's callbacks. It forwards them to the nodes in turn and retries them.
func (b *balancer) front(t *testing.T) string {
	t.Helper()
	return testkit.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		call := load.Request{Method: r.Method, Path: r.URL.RequestURI(), Header: map[string]string{}, Body: body, Repeatable: true}
		for name := range r.Header {
			call.Header[name] = r.Header.Get(name)
		}
		a, ok := b.Call(call)
		if !ok {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body)
	}))
}

func code(a load.Answer) string {
	var e struct{ Code string }
	_ = json.Unmarshal(a.Body, &e)
	return e.Code
}

// trimmed returns the text of an error without addresses, which differ from call to call.
func trimmed(err error) string {
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+1:]
}
