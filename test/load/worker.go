package load

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"recado/internal/kernel"
)

// worker changes one conversation, its contact and some cards, and remembers every response. So it knows the exact state
// of the server, except for one request without a response.
type worker struct {
	w     *Load
	r     *rand.Rand
	n     int    // number of texts
	name  string // prefix of all texts
	phone string

	conversation, contact string
	messages              map[string]*sent // by text
	cards                 []*card
	transfers             map[string]bool // by reason: whether there was a response
	closings              map[string]bool // likewise
	contactName           uncertain
	label, sector         uncertain // of the conversation
	repeats               []repeat
	expected              []string // events
	unanswered            *call    // the request without a response
	failures              []string // unexpected responses
}

type sent struct {
	id, client string
	confirmed  bool
}

type card struct {
	id, title, stage string
	version          float64
}

// uncertain is a value that a request without a response may have changed.
type uncertain struct {
	value     string
	requested string // "" if the value is certain
}

// call is a request and the handling of its response.
type call struct {
	method, path string
	body         map[string]any
	key          string // Idempotency-Key
	client       bool   // repeated by client_id
	onSuccess    func(response map[string]any)
	allowedCode  string // of an error that may be returned and changes nothing
	onUnknown    func() // called if there is no response
}

// repeat is a call whose repetition must return the same response.
type repeat struct {
	call
	status int
	raw    []byte
	id     string
}

func newWorker(t *testing.T, w *Load, n int, seed uint64) *worker {
	t.Helper()
	c := &worker{
		w: w, r: rand.New(rand.NewPCG(seed, uint64(n)+100)),
		name: fmt.Sprintf("worker %d", n), phone: fmt.Sprintf("+5511977%06d", n),
		messages: map[string]*sent{}, transfers: map[string]bool{}, closings: map[string]bool{},
	}
	text := c.text()
	first := w.Must(t, "POST", "/channels/"+w.channel+"/simulate", map[string]any{"from": c.phone, "name": c.name, "text": text})
	c.received(text)(first)
	c.conversation = first["conversation"].(string)
	c.contact = w.Must(t, "GET", "/conversations/"+c.conversation, nil)["contact"].(string)
	c.contactName.value = c.name
	return c
}

func (c *Load) workerOf(conversation any) *worker {
	for _, k := range c.workers {
		if k.conversation == conversation {
			return k
		}
	}
	return nil
}

func (c *worker) text() string {
	c.n++
	return fmt.Sprintf("%s says %d", c.name, c.n)
}

// work sends requests until stop is closed or a request gets no response.
func (c *worker) work(stop <-chan struct{}) {
	tick := time.NewTicker(max(c.w.pace, time.Nanosecond))
	defer tick.Stop()
	for c.unanswered == nil {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if q := c.nextCall(); q != nil {
			c.execute(q)
		}
	}
}

func (c *worker) execute(q *call) {
	a, ok := c.send(q)
	response := decode(a.Body)
	switch {
	case !ok:
		c.w.Lost.Add(1)
		c.unanswered = q
		if q.onUnknown != nil {
			q.onUnknown()
		}
		return
	case a.Status < 300:
		q.onSuccess(response)
		if id, _ := response["id"].(string); q.key != "" || q.client {
			c.repeats = append(c.repeats, repeat{*q, a.Status, a.Body, id})
		}
	case q.allowedCode != "" && response["code"] == q.allowedCode:
	case response["code"] == string(kernel.CodeUnavailable): // it had no effect
	default:
		c.failures = append(c.failures, fmt.Sprintf("%s %s %v: %d %s", q.method, q.path, q.body, a.Status, a.Body))
	}
	c.w.answered()
}

func (c *worker) send(q *call) (Answer, bool) {
	var headers []string
	if q.key != "" {
		headers = []string{"Idempotency-Key", q.key}
	}
	return c.w.call(q.method, q.path, q.body, headers...)
}

// nextCall returns a random call, or nil.
func (c *worker) nextCall() *call {
	at := "/conversations/" + c.conversation
	text := c.text()
	switch c.r.IntN(12) {
	case 0, 1, 2:
		client := kernel.NewID().String()
		return &call{
			method: "POST", path: at + "/messages", body: map[string]any{"client_id": client, "text": text}, client: true,
			onSuccess: func(m map[string]any) {
				c.messages[text] = &sent{m["id"].(string), client, true}
				c.expect("message.sent " + m["id"].(string))
			},
		}
	case 3, 4:
		return &call{
			method: "POST", path: "/channels/" + c.w.channel + "/simulate", body: map[string]any{"from": c.phone, "text": text},
			onSuccess: c.received(text), onUnknown: func() { c.messages[text] = &sent{} },
		}
	case 5, 6:
		k := &card{title: text, stage: c.w.stages[c.r.IntN(len(c.w.stages))], version: 1}
		return &call{
			method: "POST", path: "/kanban/cards", key: kernel.NewID().String(),
			body: map[string]any{"title": text, "board_id": c.w.board, "stage_id": k.stage},
			onSuccess: func(m map[string]any) {
				k.id = m["id"].(string)
				c.cards = append(c.cards, k)
				c.expect(fmt.Sprintf("kanban.card.created %s 1", k.id))
			},
		}
	case 7, 8:
		return c.move()
	case 9:
		return c.transfer(text)
	case 10:
		return c.sometimesWithKey(&call{
			method: "POST", path: at + "/attendance/close", body: map[string]any{"reason": text},
			allowedCode: string(kernel.CodeAttendanceNotOpen),
			onSuccess: func(a map[string]any) {
				c.closings[text] = true
				c.expect("attendance.closed " + a["id"].(string))
			},
			onUnknown: func() { c.closings[text] = false },
		})
	}
	if c.n%2 == 0 {
		return &call{
			method: "PATCH", path: "/contacts/" + c.contact, body: map[string]any{"name": text},
			onSuccess: func(map[string]any) { c.contactName = uncertain{value: text} },
			onUnknown: func() { c.contactName.requested = text },
		}
	}
	label := c.w.labels[c.n%len(c.w.labels)]
	if label == c.label.value {
		return nil
	}
	return &call{
		method: "PATCH", path: at, body: map[string]any{"label_ids": []string{label}},
		onSuccess: func(conversation map[string]any) {
			c.label = uncertain{value: label}
			c.expect(fmt.Sprintf("conversation.updated %s %v", c.conversation, conversation["updated_at"]))
		},
		onUnknown: func() { c.label.requested = label },
	}
}

// transfer assigns the conversation to the owner, a member of both sectors, in the other sector.
func (c *worker) transfer(reason string) *call {
	to := c.w.sectors[0]
	if to == c.sector.value {
		to = c.w.sectors[1]
	}
	return c.sometimesWithKey(&call{
		method: "POST", path: "/conversations/" + c.conversation + "/transfer",
		body: map[string]any{"user_id": c.w.owner, "sector_id": to, "reason": reason},
		onSuccess: func(conversation map[string]any) {
			c.transfers[reason], c.sector = true, uncertain{value: to}
			c.expect(fmt.Sprintf("conversation.updated %s %v", c.conversation, conversation["updated_at"]))
		},
		onUnknown: func() { c.transfers[reason], c.sector.requested = false, to },
	})
}

// sometimesWithKey adds an Idempotency-Key to every other call. The outcome of such a call is known after a repetition.
func (c *worker) sometimesWithKey(q *call) *call {
	if c.n%2 == 0 {
		q.key, q.onUnknown = kernel.NewID().String(), nil
	}
	return q
}

// move moves one of the worker's cards to another stage.
func (c *worker) move() *call {
	if len(c.cards) == 0 {
		return nil
	}
	k := c.cards[c.r.IntN(len(c.cards))]
	to := c.w.stages[c.r.IntN(len(c.w.stages))]
	if to == k.stage {
		return nil
	}
	return &call{
		method: "POST", path: "/kanban/cards/" + k.id + "/move", key: kernel.NewID().String(),
		body: map[string]any{"stage_id": to, "version": k.version},
		onSuccess: func(m map[string]any) {
			k.stage, k.version = to, k.version+1
			c.expect(fmt.Sprintf("kanban.card.moved %s %v", k.id, k.version))
		},
	}
}

func (c *worker) received(text string) func(map[string]any) {
	return func(m map[string]any) {
		c.messages[text] = &sent{id: m["id"].(string), confirmed: true}
		c.expect("message.received " + m["id"].(string))
	}
}

func (c *worker) expect(event string) { c.expected = append(c.expected, event) }
