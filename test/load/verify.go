package load

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// resolve repeats the request without a response, if it is repeatable.
func (c *worker) resolve(t *testing.T) {
	t.Helper()
	q := c.unanswered
	c.unanswered = nil
	if q == nil || q.key == "" && !q.client {
		return
	}
	a, ok := c.send(q)
	response := decode(a.Body)
	switch {
	case a.Status > 0 && a.Status < 300:
		q.onSuccess(response)
		c.repeats = append(c.repeats, repeat{*q, a.Status, a.Body, response["id"].(string)})
	case q.allowedCode != "" && response["code"] == q.allowedCode:
	case !ok:
		t.Errorf("%s %s: no response to a repeated request: %d %s", q.method, q.path, a.Status, a.Body)
	default:
		t.Errorf("%s %s: repeating a request without a response: %d %s", q.method, q.path, a.Status, a.Body)
	}
}

// repeatSome repeats requests, which must return the original response. verify finds second effects.
func (c *worker) repeatSome(t *testing.T) {
	t.Helper()
	for range min(10, len(c.repeats)) {
		q := c.repeats[len(c.repeats)-1-c.r.IntN(min(40, len(c.repeats)))]
		a, ok := c.send(&q.call)
		same := a.Status == q.status && decode(a.Body)["id"] == q.id && a.Header.Get("Idempotency-Replayed") == "true"
		if !ok || !same || q.key != "" && !bytes.Equal(a.Body, q.raw) {
			t.Errorf("%s %s %v: the response was\n%d %s\nand for the repeated request\n%d %s %v",
				q.method, q.path, q.body, q.status, q.raw, a.Status, a.Body, a.Header)
		}
	}
}

// verify compares the state of the server with the responses that the worker received.
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
	c.sector.resolve(t, sector)
	c.contactName.resolve(t, c.w.Must(t, "GET", "/contacts/"+c.contact, nil)["name"].(string))
	if labels := conversation["label_ids"].([]any); len(labels) > 0 {
		c.label.resolve(t, labels[0].(string))
	} else if c.label.value != "" {
		t.Errorf("%s: the label is gone", c.name)
	}
}

func (u *uncertain) resolve(t *testing.T, shown string) {
	t.Helper()
	if shown != u.value && (u.requested == "" || shown != u.requested) {
		t.Errorf("got %q, want %q (or %q, which was requested)", shown, u.value, u.requested)
	}
	*u = uncertain{value: shown}
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
				t.Errorf("an unknown or duplicate message: %v", m)
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
		case m == nil && !want.confirmed:
			delete(c.messages, text)
		case m == nil:
			t.Errorf("the message %q (%s) is lost", text, want.id)
		case !want.confirmed:
			c.received(text)(m)
		case m["id"] != want.id || want.client != "" && m["client_id"] != want.client:
			t.Errorf("%q: got %v, want %+v", text, m, want)
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
			t.Errorf("card: got %v, want %+v", shown, *k)
		}
	}
	for title, shown := range c.w.shown {
		if strings.HasPrefix(title, c.name+" ") && !known[title] {
			t.Errorf("an unknown card: %v", shown)
		}
	}
}

// verifyHistory checks transfers and closings by their reasons.
func (c *worker) verifyHistory(t *testing.T) {
	t.Helper()
	count := map[string]int{}
	for _, e := range c.w.Must(t, "GET", "/conversations/"+c.conversation+"/assignments", nil)["data"].([]any) {
		if reason, ok := e.(map[string]any)["reason"].(string); ok {
			count[reason]++
		}
	}
	verifyCounts(t, "transfer", c.transfers, count)
	count = map[string]int{}
	for _, a := range c.w.pages(t, "/attendances?conversation="+c.conversation) {
		if reason, ok := a["close_reason"].(string); ok {
			count[reason]++
			if !c.closings[reason] {
				c.expect("attendance.closed " + a["id"].(string))
			}
		}
	}
	verifyCounts(t, "closing", c.closings, count)
}

// verifyCounts fails the test unless everything with a response exists once, and nothing twice.
func verifyCounts(t *testing.T, what string, requested map[string]bool, count map[string]int) {
	t.Helper()
	for reason, confirmed := range requested {
		n := count[reason]
		if n > 1 || confirmed && n == 0 {
			t.Errorf("%s %q (confirmed: %v): got %d, want 1", what, reason, confirmed, n)
		}
		if n == 0 {
			delete(requested, reason)
		} else {
			requested[reason] = true
		}
	}
	for reason := range count {
		if !requested[reason] {
			t.Errorf("a %s without a request: %q", what, reason)
		}
	}
}
