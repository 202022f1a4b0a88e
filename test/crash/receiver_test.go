package crash

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/model"
)

// receiver is a customer's webhook. It keeps every event and what it tells of.
type receiver struct {
	*httptest.Server
	secret atomic.Value
	t      *testing.T

	mu     sync.Mutex
	bodies map[string][]byte              // by event id
	about  map[string]map[string]struct{} // event ids by what they tell of
	heard  chan struct{}                  // closed and replaced at every delivery
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{t: t, bodies: map[string][]byte{}, about: map[string]map[string]struct{}{}, heard: make(chan struct{})}
	r.Server = httptest.NewServer(http.HandlerFunc(r.hear))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) hear(rw http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the sender died in the middle; it will come again
	}
	h := req.Header
	if err := model.VerifyService(r.secret.Load().(string), h.Get("X-Service-Signature"), h.Get("X-Service-Timestamp"), body, time.Now()); err != nil {
		r.t.Errorf("a delivery that cannot be believed: %v", err)
	}
	event := decode(body)
	id, _ := event["id"].(string)
	if id == "" || id != h.Get("X-Service-Event-Id") {
		r.t.Errorf("the event %q came under the id %q", id, h.Get("X-Service-Event-Id"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if earlier, ok := r.bodies[id]; ok && !bytes.Equal(earlier, body) {
		r.t.Errorf("the event %s came with two bodies:\n%s\n%s", id, earlier, body)
	}
	r.bodies[id] = body
	for _, what := range about(event) {
		if r.about[what] == nil {
			r.about[what] = map[string]struct{}{}
		}
		r.about[what][id] = struct{}{}
	}
	close(r.heard)
	r.heard = make(chan struct{})
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

// about says what an event tells of, in the words of the clerks' expectations.
func about(event map[string]any) []string {
	kind, _ := event["type"].(string)
	data, _ := event["data"].(map[string]any)
	part := func(name string) map[string]any { m, _ := data[name].(map[string]any); return m }
	switch {
	case strings.HasPrefix(kind, "message."):
		return []string{kind + " " + part("message")["id"].(string)}
	case strings.HasPrefix(kind, "attendance."):
		return []string{kind + " " + part("attendance")["id"].(string)}
	case strings.HasPrefix(kind, "kanban."):
		card := part("card")
		return []string{fmt.Sprintf("%s %v %v", kind, card["id"], card["version"])}
	case kind == string(model.EventConversationUpdated):
		c := part("conversation")
		return []string{fmt.Sprintf("%s %v %v", kind, c["id"], c["updated_at"])}
	}
	return nil
}

// feed is the durable feed, read on from where the last round ended.
type feed struct {
	cursor string
	ids    map[string]bool
}

// hearsEverything waits until every event of everything that happened has come, and finds it in the feed.
func (w *world) hearsEverything(t *testing.T) {
	t.Helper()
	var expected []string
	for _, c := range w.clerks {
		expected = append(expected, c.expected...)
	}
	for _, a := range w.pages(t, "/attendances?from=2020-01-01") {
		if c := w.clerkOf(a["conversation"]); c != nil {
			expected = append(expected, "attendance.opened "+a["id"].(string))
		}
	}
	late := time.After(eventLimit)
	for {
		w.receiver.mu.Lock()
		missing, heard := w.receiver.missing(expected), w.receiver.heard
		w.receiver.mu.Unlock()
		if len(missing) == 0 {
			break
		}
		select {
		case <-heard:
		case <-late:
			t.Errorf("%d of %d events never came, such as %s", len(missing), len(expected), missing[0])
			return
		}
	}
	w.readFeed(t)
	w.receiver.mu.Lock()
	defer w.receiver.mu.Unlock()
	for _, what := range expected {
		ids := w.receiver.about[what]
		if len(ids) != 1 && !strings.HasPrefix(what, string(model.EventConversationUpdated)) {
			t.Errorf("%s was told under %d ids", what, len(ids))
		}
		for id := range ids {
			if !w.feed.ids[id] {
				t.Errorf("the feed lacks the event %s: %s", id, what)
			}
		}
	}
}

func (r *receiver) missing(expected []string) (missing []string) {
	for _, what := range expected {
		if len(r.about[what]) == 0 {
			missing = append(missing, what)
		}
	}
	return missing
}

// readFeed goes on from the last cursor, which outlived the server.
func (w *world) readFeed(t *testing.T) {
	t.Helper()
	if w.feed.ids == nil {
		w.feed.ids = map[string]bool{}
	}
	for {
		path := "/events?limit=100"
		if w.feed.cursor != "" {
			path += "&after=" + w.feed.cursor
		}
		page := w.must(t, "GET", path, nil)
		for _, e := range page["data"].([]any) {
			id := e.(map[string]any)["id"].(string)
			if w.feed.ids[id] {
				t.Errorf("the feed shows the event %s twice", id)
			}
			w.feed.ids[id] = true
		}
		w.feed.cursor = page["next_cursor"].(string)
		if len(page["data"].([]any)) == 0 {
			return
		}
	}
}
