package load

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/talk"
	"recado/internal/webhooks"
	"recado/test/testkit"
)

// Receiver is a webhook receiver that records every event.
type Receiver struct {
	*testkit.Receiver
	Webhook string // its id
	secret  atomic.Value
	t       *testing.T

	mu         sync.Mutex
	onDelivery func(brand, event string)
	bodies     map[string][]byte          // by event id
	events     map[string]map[string]bool // event ids by subject
	arrived    chan struct{}              // closed and replaced at every delivery
}

func newReceiver(t *testing.T) *Receiver {
	r := &Receiver{t: t, bodies: map[string][]byte{}, events: map[string]map[string]bool{}, arrived: make(chan struct{})}
	r.Receiver = testkit.NewReceiver(t)
	r.Answer(r.receive)
	return r
}

// OnDelivery sets a function that is called for every delivery before the response, with the brand of the node.
func (r *Receiver) OnDelivery(f func(brand, event string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onDelivery = f
}

func (r *Receiver) receive(rw http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // incomplete; it will be retried
	}
	brand := brandOf(req.Header)
	header := func(name string) string { return req.Header.Get("X-" + brand + "-" + name) }
	// A node that was paused may send an old timestamp.
	seconds, _ := strconv.ParseInt(header("Timestamp"), 10, 64)
	secret := r.secret.Load().(string)
	err = webhooks.VerifyService(secret, header("Signature"), header("Timestamp"), body, time.Unix(seconds, 0))
	if err != nil {
		r.t.Errorf("a delivery with an invalid signature: %v", err)
	}
	event := decode(body)
	id, _ := event["id"].(string)
	if id == "" || id != header("Event-Id") {
		r.t.Errorf("the event %q has the header id %q", id, header("Event-Id"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.onDelivery != nil {
		r.onDelivery(brand, id)
	}
	if earlier, ok := r.bodies[id]; ok && !bytes.Equal(earlier, body) {
		r.t.Errorf("the event %s has two bodies:\n%s\n%s", id, earlier, body)
	}
	r.bodies[id] = body
	if subject := subjectOf(event); subject != "" {
		if r.events[subject] == nil {
			r.events[subject] = map[string]bool{}
		}
		r.events[subject][id] = true
	}
	close(r.arrived)
	r.arrived = make(chan struct{})
}

// brandOf returns the brand in the X-<Brand>-* headers.
func brandOf(h http.Header) string {
	for name := range h {
		if brand, ok := strings.CutSuffix(name, "-Event-Id"); ok {
			return strings.TrimPrefix(brand, "X-")
		}
	}
	return ""
}

// Count returns the number of events.
func (r *Receiver) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

// subjectOf returns the type and the object of an event, in the format of worker.expected.
func subjectOf(event map[string]any) string {
	kind, _ := event["type"].(string)
	data, _ := event["data"].(map[string]any)
	part := func(name string) map[string]any { m, _ := data[name].(map[string]any); return m }
	switch {
	case strings.HasPrefix(kind, "message."):
		return kind + " " + part("message")["id"].(string)
	case strings.HasPrefix(kind, "attendance."):
		return kind + " " + part("attendance")["id"].(string)
	case strings.HasPrefix(kind, "kanban."):
		card := part("card")
		return fmt.Sprintf("%s %v %v", kind, card["id"], card["version"])
	case kind == string(talk.EventConversationUpdated):
		c := part("conversation")
		return fmt.Sprintf("%s %v %v", kind, c["id"], c["updated_at"])
	}
	return ""
}

// feed is the part of the event feed that was read.
type feed struct {
	cursor string
	ids    map[string]bool
}

// HearsEverything waits until every expected event has arrived and checks that the feed contains it.
func (c *Load) HearsEverything(t *testing.T) {
	t.Helper()
	var expected []string
	for _, k := range c.workers {
		expected = append(expected, k.expected...)
	}
	for _, a := range c.pages(t, "/attendances?from=2020-01-01") {
		if c.workerOf(a["conversation"]) != nil {
			expected = append(expected, "attendance.opened "+a["id"].(string))
		}
	}
	timeout := time.After(eventLimit)
	for {
		c.Receiver.mu.Lock()
		missing, arrived := c.Receiver.missing(expected), c.Receiver.arrived
		c.Receiver.mu.Unlock()
		if len(missing) == 0 {
			break
		}
		select {
		case <-arrived:
		case <-timeout:
			t.Errorf("%d of %d events did not arrive, such as %s", len(missing), len(expected), missing[0])
			return
		}
	}
	c.readFeed(t)
	c.Receiver.mu.Lock()
	defer c.Receiver.mu.Unlock()
	for _, subject := range expected {
		ids := c.Receiver.events[subject]
		if len(ids) != 1 && !strings.HasPrefix(subject, string(talk.EventConversationUpdated)) {
			t.Errorf("%s has %d event ids, want 1", subject, len(ids))
		}
		for id := range ids {
			if !c.feed.ids[id] {
				t.Errorf("the feed does not contain the event %s: %s", id, subject)
			}
		}
	}
}

func (r *Receiver) missing(expected []string) (missing []string) {
	for _, subject := range expected {
		if len(r.events[subject]) == 0 {
			missing = append(missing, subject)
		}
	}
	return missing
}

// readFeed continues from the last cursor, which stays valid when the server restarts.
func (c *Load) readFeed(t *testing.T) {
	t.Helper()
	if c.feed.ids == nil {
		c.feed.ids = map[string]bool{}
	}
	for {
		path := "/events?limit=100"
		if c.feed.cursor != "" {
			path += "&after=" + c.feed.cursor
		}
		page := c.Must(t, "GET", path, nil)
		for _, e := range page["data"].([]any) {
			id := e.(map[string]any)["id"].(string)
			if c.feed.ids[id] {
				t.Errorf("the feed contains the event %s twice", id)
			}
			c.feed.ids[id] = true
		}
		if next, ok := page["next_cursor"].(string); ok {
			c.feed.cursor = next
		}
		if len(page["data"].([]any)) == 0 {
			return
		}
	}
}
