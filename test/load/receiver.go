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

// Receiver is a customer's webhook. It keeps every event and what it tells of.
type Receiver struct {
	*testkit.Receiver
	Webhook string // its id
	secret  atomic.Value
	t       *testing.T

	mu     sync.Mutex
	tell   func(brand, event string)
	bodies map[string][]byte              // by event id
	about  map[string]map[string]struct{} // event ids by what they tell of
	heard  chan struct{}                  // closed and replaced at every delivery
}

func newReceiver(t *testing.T) *Receiver {
	r := &Receiver{t: t, bodies: map[string][]byte{}, about: map[string]map[string]struct{}{}, heard: make(chan struct{})}
	r.Receiver = testkit.NewReceiver(t)
	r.Answer(r.hear)
	return r
}

// OnDelivery has tell called with every delivery before it is answered, and with the brand of the node that
// made it.
func (r *Receiver) OnDelivery(tell func(brand, event string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tell = tell
}

func (r *Receiver) hear(rw http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the sender died in the middle; it will come again
	}
	brand := brandOf(req.Header)
	header := func(name string) string { return req.Header.Get("X-" + brand + "-" + name) }
	// A node that was paused may come with an old one; that it is old is for the receiver to say.
	seconds, _ := strconv.ParseInt(header("Timestamp"), 10, 64)
	if err := webhooks.VerifyService(r.secret.Load().(string), header("Signature"), header("Timestamp"), body, time.Unix(seconds, 0)); err != nil {
		r.t.Errorf("a delivery that cannot be believed: %v", err)
	}
	event := decode(body)
	id, _ := event["id"].(string)
	if id == "" || id != header("Event-Id") {
		r.t.Errorf("the event %q came under the id %q", id, header("Event-Id"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tell != nil {
		r.tell(brand, id)
	}
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

// brandOf finds the name in the X-<Brand>-* headers.
func brandOf(h http.Header) string {
	for name := range h {
		if brand, ok := strings.CutSuffix(name, "-Event-Id"); ok {
			return strings.TrimPrefix(brand, "X-")
		}
	}
	return ""
}

// Count is how many events came.
func (r *Receiver) Count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.bodies)
}

// about says what an event tells of, in the words of the workers' expectations.
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
	case kind == string(talk.EventConversationUpdated):
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

// HearsEverything waits until every event of everything that happened has come, and finds it in the feed.
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
	late := time.After(eventLimit)
	for {
		c.Receiver.mu.Lock()
		missing, heard := c.Receiver.missing(expected), c.Receiver.heard
		c.Receiver.mu.Unlock()
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
	c.readFeed(t)
	c.Receiver.mu.Lock()
	defer c.Receiver.mu.Unlock()
	for _, what := range expected {
		ids := c.Receiver.about[what]
		if len(ids) != 1 && !strings.HasPrefix(what, string(talk.EventConversationUpdated)) {
			t.Errorf("%s was told under %d ids", what, len(ids))
		}
		for id := range ids {
			if !c.feed.ids[id] {
				t.Errorf("the feed lacks the event %s: %s", id, what)
			}
		}
	}
}

func (r *Receiver) missing(expected []string) (missing []string) {
	for _, what := range expected {
		if len(r.about[what]) == 0 {
			missing = append(missing, what)
		}
	}
	return missing
}

// readFeed goes on from the last cursor, which outlived the server.
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
				t.Errorf("the feed shows the event %s twice", id)
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
