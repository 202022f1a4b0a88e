package load

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// settle repeats the call that got no answer, where it can be repeated. A repeat has to give the one
// and only effect.
func (c *worker) settle(t *testing.T) {
	t.Helper()
	q := c.open
	c.open = nil
	if q == nil || q.key == "" && !q.client {
		return
	}
	a, ok := c.send(q)
	answer := decode(a.Body)
	switch {
	case a.Status > 0 && a.Status < 300:
		q.then(answer)
		c.repeats = append(c.repeats, repeat{*q, a.Status, a.Body, answer["id"].(string)})
	case q.refused != "" && answer["code"] == q.refused:
	case !ok:
		t.Errorf("%s %s: no answer to a repeat: %d %s", q.method, q.path, a.Status, a.Body)
	default:
		t.Errorf("%s %s: the repeat of a call without an answer: %d %s", q.method, q.path, a.Status, a.Body)
	}
}

// again repeats answered calls: the original comes back, and verify finds no second effect.
func (c *worker) again(t *testing.T) {
	t.Helper()
	for range min(10, len(c.repeats)) {
		q := c.repeats[len(c.repeats)-1-c.r.IntN(min(40, len(c.repeats)))]
		a, ok := c.send(&q.call)
		same := a.Status == q.status && decode(a.Body)["id"] == q.id && a.Header.Get("Idempotency-Replayed") == "true"
		if !ok || !same || q.key != "" && !bytes.Equal(a.Body, q.raw) {
			t.Errorf("%s %s %v was answered\n%d %s\nand then\n%d %s %v", q.method, q.path, q.body, q.status, q.raw, a.Status, a.Body, a.Header)
		}
	}
}

// verify compares everything the server shows of the worker's work with what the worker has noted.
func (c *worker) verify(t *testing.T) {
	t.Helper()
	for _, failure := range c.failures {
		t.Error(failure)
	}
	c.failures = nil
	c.verifyMessages(t)
	c.verifyCards(t)
	c.verifyHistory(t)
	conversation := c.w.Must(t, "GET", "/conversations/"+c.conversation, nil)
	sector, _ := conversation["sector"].(string)
	c.sector.settle(t, sector)
	c.contactName.settle(t, c.w.Must(t, "GET", "/contacts/"+c.contact, nil)["name"].(string))
	if labels := conversation["label_ids"].([]any); len(labels) > 0 {
		c.label.settle(t, labels[0].(string))
	} else if c.label.is != "" {
		t.Errorf("%s: the label is gone", c.name)
	}
}

func (m *maybe) settle(t *testing.T, shown string) {
	t.Helper()
	if shown != m.is && (m.perhaps == "" || shown != m.perhaps) {
		t.Errorf("%q is shown where %q was answered (and %q was asked for)", shown, m.is, m.perhaps)
	}
	*m = maybe{is: shown}
}

func (c *worker) verifyMessages(t *testing.T) {
	t.Helper()
	shown := map[string]map[string]any{}
	cursor := ""
	for {
		page := c.w.Must(t, http.MethodGet, "/conversations/"+c.conversation+"/messages?limit=100"+cursor, nil)
		for _, element := range page["data"].([]any) {
			m := element.(map[string]any)
			text := m["text"].(string)
			if shown[text] != nil || c.messages[text] == nil {
				t.Errorf("a message that was not written, or a second time: %v", m)
			}
			shown[text] = m
		}
		before, _ := page["before"].(string)
		if before == "" {
			break
		}
		cursor = "&before=" + before
	}
	for text, want := range c.messages {
		m := shown[text]
		switch {
		case m == nil && !want.sure:
			delete(c.messages, text) // it got no answer and did not happen
		case m == nil:
			t.Errorf("the message %q (%s) was answered and is lost", text, want.id)
		case !want.sure:
			c.heard(text)(m)
		case m["id"] != want.id || want.client != "" && m["client_id"] != want.client:
			t.Errorf("%q was answered as %+v and is %v", text, want, m)
		}
	}
}

func (c *worker) verifyCards(t *testing.T) {
	t.Helper()
	known := map[string]bool{}
	for _, k := range c.cards {
		known[k.title] = true
		shown := c.w.shown[k.title]
		if len(shown) != 1 || shown[0]["id"] != k.id || shown[0]["stage_id"] != k.stage || shown[0]["version"] != k.version {
			t.Errorf("a card that was answered as %+v is %v", *k, shown)
		}
	}
	for title, shown := range c.w.shown {
		if strings.HasPrefix(title, c.name+" ") && !known[title] {
			t.Errorf("a card that was never answered, not even a repeat: %v", shown)
		}
	}
}

// verifyHistory looks at transfers and closings through the reasons given for them.
func (c *worker) verifyHistory(t *testing.T) {
	t.Helper()
	count := map[string]int{}
	for _, e := range c.w.Must(t, "GET", "/conversations/"+c.conversation+"/assignments", nil)["data"].([]any) {
		if reason, ok := e.(map[string]any)["reason"].(string); ok {
			count[reason]++
		}
	}
	settle(t, "transfer", c.transfers, count)
	count = map[string]int{}
	for _, a := range c.w.pages(t, "/attendances?conversation="+c.conversation) {
		if reason, ok := a["close_reason"].(string); ok {
			count[reason]++
			if !c.closings[reason] {
				c.expect("attendance.closed " + a["id"].(string))
			}
		}
	}
	settle(t, "closing", c.closings, count)
}

// settle fails the test unless everything that was answered is there once, and nothing twice.
func settle(t *testing.T, what string, asked map[string]bool, count map[string]int) {
	t.Helper()
	for reason, sure := range asked {
		n := count[reason]
		if n > 1 || sure && n == 0 {
			t.Errorf("the %s %q (answered: %v) is there %d times", what, reason, sure, n)
		}
		if n == 0 {
			delete(asked, reason)
		} else {
			asked[reason] = true
		}
	}
	for reason := range count {
		if !asked[reason] {
			t.Errorf("a %s without a request: %q", what, reason)
		}
	}
}
