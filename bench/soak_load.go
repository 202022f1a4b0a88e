package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"

	"recado/bench/load"
	"recado/internal/kernel"
)

// kind is one sort of request in the steady mixture. It has connections and a clock of its own, so that the waits of
// one sort do not depend on those of another.
type kind struct {
	name    string
	percent float64
	request asking
	check   func(worker, i int, response *load.Response) error // nil: any 2xx

	asked int         // so far
	first load.Result // of the window that is not in the report, but must be accounted for
	whole load.Result // of the others
}

const kindConns = 8 // connections of each kind

// mixture is the load of a company during its working hours: 60 % reads, 30 % messages, 10 % cards, transfers and
// closings. A read is never of something that another request made up just for it.
func (k *soak) mixture(ctx context.Context) ([]*kind, error) {
	s := k.server
	moves, err := s.newMoves(ctx, kindConns)
	if err != nil {
		return nil, err
	}
	number, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	customers, err := number.customers(ctx)
	if err != nil {
		return nil, err
	}
	own := s.demo.Companies[0]
	get := func(paths ...string) asking {
		return func(_, i int, r *load.Request) {
			r.Path = "/v1" + paths[i%len(paths)]
			r.Set("Authorization", s.bearer())
		}
	}
	cases := &caseload{talking: s, conversations: make([]string, kindConns)}
	return []*kind{
		{name: "page of messages", percent: 25, request: s.page},
		{name: "conversations", percent: 15, request: get("/conversations", "/conversations?unread=true", "/conversations?label="+own.Labels[0])},
		{name: "searches", percent: 5, request: get("/conversations?q="+url.QueryEscape("conversa 77"), "/conversations?q=obrigado", "/contacts?q=cliente", "/kanban/cards?q=bench")},
		{name: "cards, attendances, contacts", percent: 10, request: get("/kanban/cards", "/attendances", "/contacts", "/attendances?status=open")},
		{name: "feed of events", percent: 4, request: get("/events", "/events?limit=100")},
		{name: "report", percent: 1, request: get("/reports/attendance")},
		{name: "sends, sandbox", percent: 15, request: s.send},
		{name: "sends, WhatsApp", percent: 4, request: sendTo(s, customers)},
		{name: "inbound, sandbox", percent: 7, request: s.receive},
		{name: "inbound, WhatsApp", percent: 4, request: number.callback(1)},
		{name: "moves of cards", percent: 5, request: moves.move},
		{name: "transfers", percent: 3, request: cases.transfer},
		{name: "openings and closings", percent: 2, request: cases.openOrClose, check: cases.note},
	}, nil
}

// load is one window: all kinds at once, with a look at the server now and then.
func (k *soak) load(ctx context.Context) (m minute, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	before := k.server.cpuTime()
	results, errs := make([]*load.Result, len(k.kinds)), make([]error, len(k.kinds))
	var running sync.WaitGroup
	for n, kind := range k.kinds {
		base := kind.asked
		running.Go(func() {
			results[n], errs[n] = load.Run(ctx, load.Plan{
				Address: k.server.address, Connections: kindConns, Duration: k.window, Rate: k.rate * kind.percent / 100, Check: kind.check,
				Request: func(worker, i int, r *load.Request) { kind.request(worker, base+i, r) },
			})
		})
	}
	watched := make(chan error, 1)
	over := make(chan struct{})
	go func() {
		samples, err := k.watch(ctx, over)
		m.samples = samples
		watched <- err
	}()
	followed := make(chan int, 1)
	go func() { followed <- k.follow(ctx) }()
	running.Wait()
	close(over)
	err = errors.Join(append(errs, <-watched)...)
	cancel() // ends the follower
	k.end.followed += <-followed
	if err != nil {
		return m, err
	}
	for n, kind := range k.kinds {
		m.result.Add(results[n])
		kind.whole.Add(results[n])
		kind.asked += results[n].Requests + results[n].Errors
	}
	m.result.Elapsed = k.window // they ran side by side
	m.cpu = k.server.cpuTime() - before
	return m, nil
}

// customers lets the number's customers write once and gives their conversations.
func (n *number) customers(ctx context.Context) ([]string, error) {
	n.run++
	first, err := load.Run(ctx, load.Plan{Address: n.address, Connections: 1, Count: 1, Request: n.callback(callers)})
	n.run++
	if err == nil {
		err = first.FirstError
	}
	var ids []string
	for more := err == nil; more; {
		var page struct {
			Data    []struct{ ID string }
			HasMore bool `json:"has_more"`
		}
		if err = n.call(ctx, "GET", fmt.Sprintf("/conversations?channel=%s&limit=100&offset=%d", n.channel, len(ids)), "", &page); err != nil {
			return nil, err
		}
		for _, c := range page.Data {
			ids = append(ids, c.ID)
		}
		more = page.HasMore
	}
	if err == nil && len(ids) != callers {
		err = fmt.Errorf("%d of %d customers have a conversation", len(ids), callers)
	}
	return ids, err
}

func sendTo(s *talking, conversations []string) asking {
	return func(_, i int, r *load.Request) {
		r.Method, r.Path = "POST", "/v1/conversations/"+conversations[i*7919%len(conversations)]+"/messages"
		r.Set("Authorization", s.bearer())
		r.Body = fmt.Appendf(r.Body, `{"client_id":"%s","text":"Seu pedido %d saiu para entrega."}`, kernel.NewID(), i)
	}
}

// caseload is attendances that are opened, handed over and closed, a conversation for each worker.
type caseload struct {
	*talking
	conversations []string // of open attendances; empty: the customer has yet to write
}

// openOrClose lets a customer write, and with the worker's next request closes what that opened.
func (c *caseload) openOrClose(worker, i int, r *load.Request) {
	r.Method = "POST"
	r.Set("Authorization", c.bearer())
	if open := c.conversations[worker]; open != "" {
		r.Path = "/v1/conversations/" + open + "/attendance/close"
		r.Body = fmt.Appendf(r.Body, `{"reason":"resolvido %d"}`, i)
		return
	}
	r.Path = "/v1/channels/" + c.demo.Companies[0].Channel + "/simulate"
	r.Body = fmt.Appendf(r.Body, `{"from":"+55119%08d","text":"Preciso de ajuda, %d"}`, 70000000+worker, i)
}

func (c *caseload) note(worker, _ int, response *load.Response) error {
	if response.Status > 299 {
		return fmt.Errorf("status %d: %.200s", response.Status, response.Body)
	}
	if c.conversations[worker] != "" {
		c.conversations[worker] = ""
		return nil
	}
	var message struct{ Conversation string }
	err := json.Unmarshal(response.Body, &message)
	c.conversations[worker] = message.Conversation
	return err
}

// transfer hands one of a hundred conversations from one sector to the other.
func (c *caseload) transfer(_, i int, r *load.Request) {
	own := c.demo.Companies[0]
	r.Method, r.Path = "POST", "/v1/conversations/"+c.threads[i%100].String()+"/transfer"
	r.Set("Authorization", c.bearer())
	r.Body = fmt.Appendf(r.Body, `{"user_id":"%s","sector_id":"%s","reason":"rodízio %d"}`, own.User, own.Sectors[i/100%2], i)
}
