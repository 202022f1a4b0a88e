package load

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"recado/internal/kernel"
)

// worker works alone on one conversation, its contact and some cards, and remembers every answer. So it
// knows, but for the one call that got none, exactly what the server has to show.
type worker struct {
	w     *Load
	r     *rand.Rand
	n     int    // makes texts differ
	name  string // of everything it makes
	phone string

	conversation, contact string
	messages              map[string]*sent // by text
	cards                 []*card
	transfers             map[string]bool // reasons of transfers: whether they were answered
	closings              map[string]bool // reasons of closings, likewise
	contactName           maybe
	label, sector         maybe // the conversation's
	repeats               []repeat
	expected              []string // events
	open                  *call    // the call that got no answer
	failures              []string // answers that should never be given
}

type sent struct {
	id, client string
	sure       bool
}

type card struct {
	id, title, stage string
	version          float64
}

// maybe is a value that the last call set, or that it left as it was.
type maybe struct {
	is      string
	perhaps string // "" when there is no doubt
}

// call is one request and what to do with its answer.
type call struct {
	method, path string
	body         map[string]any
	key          string // Idempotency-Key
	client       bool   // repeated by client_id
	then         func(answer map[string]any)
	refused      string // a code that may come instead, and changes nothing
	doubt        func() // what is not known while there is no answer
}

// repeat is a call that was answered, and that has to be answered the same again.
type repeat struct {
	call
	status int
	raw    []byte
	id     string
}

func newWorker(t *testing.T, w *Load, n int, seed uint64) *worker {
	t.Helper()
	c := &worker{
		w: w, r: rand.New(rand.NewPCG(seed, uint64(n)+100)), name: fmt.Sprintf("worker %d", n), phone: fmt.Sprintf("+5511977%06d", n),
		messages: map[string]*sent{}, transfers: map[string]bool{}, closings: map[string]bool{},
	}
	text := c.text()
	first := w.Must(t, "POST", "/channels/"+w.channel+"/simulate", map[string]any{"from": c.phone, "name": c.name, "text": text})
	c.heard(text)(first)
	c.conversation = first["conversation"].(string)
	c.contact = w.Must(t, "GET", "/conversations/"+c.conversation, nil)["contact"].(string)
	c.contactName.is = c.name
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

// work makes one call after the other until it is told to stop, or until one gets no answer.
func (c *worker) work(stop <-chan struct{}) {
	tick := time.NewTicker(max(c.w.pace, time.Nanosecond))
	defer tick.Stop()
	for c.open == nil {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		if q := c.choose(); q != nil {
			c.make(q)
		}
	}
}

func (c *worker) make(q *call) {
	a, ok := c.send(q)
	answer := decode(a.Body)
	switch {
	case !ok:
		c.w.Lost.Add(1)
		c.open = q
		if q.doubt != nil {
			q.doubt()
		}
		return
	case a.Status < 300:
		q.then(answer)
		if id, _ := answer["id"].(string); q.key != "" || q.client {
			c.repeats = append(c.repeats, repeat{*q, a.Status, a.Body, id})
		}
	case q.refused != "" && answer["code"] == q.refused:
	case answer["code"] == string(kernel.CodeUnavailable): // it certainly did not happen
	default:
		c.failures = append(c.failures, fmt.Sprintf("%s %s %v: %d %s", q.method, q.path, q.body, a.Status, a.Body))
	}
	c.w.answered()
}

// send makes the request of a call.
func (c *worker) send(q *call) (Answer, bool) {
	var headers []string
	if q.key != "" {
		headers = []string{"Idempotency-Key", q.key}
	}
	return c.w.call(q.method, q.path, q.body, headers...)
}

// choose makes up the next call.
func (c *worker) choose() *call {
	at := "/conversations/" + c.conversation
	text := c.text()
	switch c.r.IntN(12) {
	case 0, 1, 2:
		client := kernel.NewID().String()
		return &call{
			method: "POST", path: at + "/messages", body: map[string]any{"client_id": client, "text": text}, client: true,
			then: func(m map[string]any) {
				c.messages[text] = &sent{m["id"].(string), client, true}
				c.expect("message.sent " + m["id"].(string))
			},
		}
	case 3, 4:
		return &call{
			method: "POST", path: "/channels/" + c.w.channel + "/simulate", body: map[string]any{"from": c.phone, "text": text},
			then: c.heard(text), doubt: func() { c.messages[text] = &sent{} },
		}
	case 5, 6:
		k := &card{title: text, stage: c.w.stages[c.r.IntN(len(c.w.stages))], version: 1}
		return &call{
			method: "POST", path: "/kanban/cards", body: map[string]any{"title": text, "board_id": c.w.board, "stage_id": k.stage}, key: kernel.NewID().String(),
			then: func(m map[string]any) {
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
		return c.sometimesOnce(&call{
			method: "POST", path: at + "/attendance/close", body: map[string]any{"reason": text}, refused: string(kernel.CodeAttendanceNotOpen),
			then: func(a map[string]any) {
				c.closings[text] = true
				c.expect("attendance.closed " + a["id"].(string))
			}, doubt: func() { c.closings[text] = false },
		})
	}
	if c.n%2 == 0 {
		return &call{
			method: "PATCH", path: "/contacts/" + c.contact, body: map[string]any{"name": text},
			then: func(map[string]any) { c.contactName = maybe{is: text} }, doubt: func() { c.contactName.perhaps = text },
		}
	}
	label := c.w.labels[c.n%len(c.w.labels)]
	if label == c.label.is {
		return nil
	}
	return &call{
		method: "PATCH", path: at, body: map[string]any{"label_ids": []string{label}},
		then: func(conversation map[string]any) {
			c.label = maybe{is: label}
			c.expect(fmt.Sprintf("conversation.updated %s %v", c.conversation, conversation["updated_at"]))
		},
		doubt: func() { c.label.perhaps = label },
	}
}

// transfer hands the conversation to the owner, who is in both sectors, in the other one of them.
func (c *worker) transfer(reason string) *call {
	to := c.w.sectors[0]
	if to == c.sector.is {
		to = c.w.sectors[1]
	}
	return c.sometimesOnce(&call{
		method: "POST", path: "/conversations/" + c.conversation + "/transfer",
		body: map[string]any{"user_id": c.w.owner, "sector_id": to, "reason": reason},
		then: func(conversation map[string]any) {
			c.transfers[reason], c.sector = true, maybe{is: to}
			c.expect(fmt.Sprintf("conversation.updated %s %v", c.conversation, conversation["updated_at"]))
		},
		doubt: func() { c.transfers[reason], c.sector.perhaps = false, to },
	})
}

// sometimesOnce gives every other call an Idempotency-Key. There is no doubt about such a call: a repeat tells what it did.
func (c *worker) sometimesOnce(q *call) *call {
	if c.n%2 == 0 {
		q.key, q.doubt = kernel.NewID().String(), nil
	}
	return q
}

// move takes one of the worker's cards to another stage.
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
		method: "POST", path: "/kanban/cards/" + k.id + "/move", body: map[string]any{"stage_id": to, "version": k.version}, key: kernel.NewID().String(),
		then: func(m map[string]any) {
			k.stage, k.version = to, k.version+1
			c.expect(fmt.Sprintf("kanban.card.moved %s %v", k.id, k.version))
		},
	}
}

func (c *worker) heard(text string) func(map[string]any) {
	return func(m map[string]any) {
		c.messages[text] = &sent{id: m["id"].(string), sure: true}
		c.expect("message.received " + m["id"].(string))
	}
}

func (c *worker) expect(event string) { c.expected = append(c.expected, event) }
