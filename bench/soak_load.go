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

// kind is one type of request. It has separate connections, so that the latencies of types are independent.
type kind struct {
	name    string
	percent float64
	request requestFunc
	check   func(worker, i int, response *load.Response) error // nil accepts any 2xx

	asked int         // requests so far
	first load.Result // of the first window, which is not in the report
	whole load.Result // of the other windows
}

const kindConns = 8 // connections of each kind

// mixture returns 60 % reads, 30 % messages, 10 % card moves, transfers and closings.
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
	get := func(paths ...string) requestFunc {
		return func(_, i int, r *load.Request) {
			r.Path = "/v1" + paths[i%len(paths)]
			r.Set("Authorization", s.bearer())
		}
	}
	cases := &caseload{talkServer: s, conversations: make([]string, kindConns)}
	return []*kind{
		{name: "page of messages", percent: 25, request: s.page},
		{name: "conversations", percent: 15, request: get(
			"/conversations", "/conversations?unread=true", "/conversations?label="+own.Labels[0])},
		{name: "searches", percent: 5, request: get("/conversations?q="+url.QueryEscape("conversa 77"),
			"/conversations?q=obrigado", "/contacts?q=cliente", "/kanban/cards?q=bench")},
		{name: "cards, attendances, contacts", percent: 10, request: get(
			"/kanban/cards", "/attendances", "/contacts", "/attendances?status=open")},
		{name: "feed of events", percent: 4, request: get("/events", "/events?limit=100")},
		{name: "report", percent: 1, request: get("/reports/attendance")},
		{name: "sends, sandbox", percent: 15, request: s.send},
		{name: "sends, WhatsApp", percent: 4, request: sendTo(s, customers)},
		{name: "inbound, sandbox", percent: 7, request: s.receive},
		{name: "inbound, WhatsApp", percent: 4, request: number.callback(1)},
		{name: "moves of cards", percent: 5, request: moves.move},
		{name: "transfers", percent: 3, request: cases.transfer},
		{name: "openings and closings", percent: 2, request: cases.openOrClose, check: cases.remember},
	}, nil
}

// load runs one window of all kinds and samples the server.
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
				Address: k.server.address, Connections: kindConns, Duration: k.window,
				Rate: k.rate * kind.percent / 100, Check: kind.check,
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
	cancel() // stops the follower
	k.end.followed += <-followed
	if err != nil {
		return m, err
	}
	for n, kind := range k.kinds {
		m.result.Add(results[n])
		kind.whole.Add(results[n])
		kind.asked += results[n].Requests + results[n].Errors
	}
	m.result.Elapsed = k.window // they ran in parallel
	m.cpu = k.server.cpuTime() - before
	return m, nil
}

// customers receives one message from each customer and returns their conversations.
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
		path := fmt.Sprintf("/conversations?channel=%s&limit=100&offset=%d", n.channel, len(ids))
		if err = n.call(ctx, "GET", path, "", &page); err != nil {
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

func sendTo(s *talkServer, conversations []string) requestFunc {
	return func(_, i int, r *load.Request) {
		r.Method, r.Path = "POST", "/v1/conversations/"+conversations[i*7919%len(conversations)]+"/messages"
		r.Set("Authorization", s.bearer())
		r.Body = fmt.Appendf(r.Body, `{"client_id":"%s","text":"Seu pedido %d saiu para entrega."}`, kernel.NewID(), i)
	}
}

// caseload opens, transfers and closes attendances, one conversation per worker.
type caseload struct {
	*talkServer
	conversations []string // of open attendances; empty if there is none
}

// openOrClose receives a message and, with the next request, closes the attendance.
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

func (c *caseload) remember(worker, _ int, response *load.Response) error {
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

// transfer transfers one of a hundred conversations to the other sector.
func (c *caseload) transfer(_, i int, r *load.Request) {
	own := c.demo.Companies[0]
	r.Method, r.Path = "POST", "/v1/conversations/"+c.threads[i%100].String()+"/transfer"
	r.Set("Authorization", c.bearer())
	r.Body = fmt.Appendf(r.Body, `{"user_id":"%s","sector_id":"%s","reason":"rodízio %d"}`, own.User, own.Sectors[i/100%2], i)
}
