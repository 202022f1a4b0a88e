package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"recado/bench/load"
	"recado/internal/kernel"
)

// minOfOther is the minimum rate compared with the other build.
const minOfOther = 0.90

// messagesEach is the number of messages of a conversation: more than a page.
const messagesEach = 60

// runBuilds compares this build with another one (-other) on data that both received over HTTP. The CPU time includes
// PostgreSQL, which the builds use in turns.
func runBuilds(ctx context.Context, b *bench) error {
	if b.other == "" {
		fmt.Fprintln(os.Stderr, "  skipped: it needs -other")
		return nil
	}
	var talks [2]*talkServer
	var err error
	for i, binary := range []string{b.binary, b.other} {
		if talks[i], err = b.serveBuild(ctx, binary); err != nil {
			return err
		}
	}
	for _, question := range []struct {
		name string
		ask  func(s *talkServer) requestFunc
	}{
		{"GET me", func(s *talkServer) requestFunc { return s.get("/v1/me") }},
		{"page of 50 messages", func(s *talkServer) requestFunc { return s.page }},
		{"conversations", func(s *talkServer) requestFunc { return s.get("/v1/conversations") }},
		{"conversations, common q", func(s *talkServer) requestFunc { return s.get("/v1/conversations?q=mensagem") }},
		{"POST messages", func(s *talkServer) requestFunc { return s.send }},
		{"POST simulate (receive)", func(s *talkServer) requestFunc { return s.receive }},
	} {
		err := b.compareBuilds(ctx, question.name, talks, func(i int) roundFunc {
			return b.drive(talks[i].address, question.ask(talks[i]))
		})
		if err != nil {
			return err
		}
	}
	var receivers [2]*receiver
	for i, s := range talks {
		if receivers[i], err = b.receiveFrom(ctx, s, 1); err != nil {
			return err
		}
	}
	return b.compareBuilds(ctx, "deliveries to 1 address while sending", talks, func(i int) roundFunc {
		return b.sendAndDeliver(talks[i], receivers[i])
	})
}

func (b *bench) compareBuilds(ctx context.Context, what string, talks [2]*talkServer, round func(i int) roundFunc) error {
	database := 0
	if b.engine == "postgres" {
		var err error
		if database, err = postmaster(ctx, talks[0].at); err != nil {
			return err
		}
	}
	var contenders []contender
	spent := make([]spending, len(talks))
	for i, s := range talks {
		do, servers := round(i), []*testServer{s.testServer}
		round := spent[i].measure(servers, database, do)
		contenders = append(contenders, contender{what + ", " + s.size, s.process, round})
	}
	outcomes, err := b.compare(ctx, contenders...)
	if err != nil {
		return err
	}
	rows := len(b.report.rows)
	b.add(minOfOther, outcomes[0], outcomes[1])
	for i := range spent {
		b.report.rows[rows+i].cpu = spent[i].String()
	}
	return nil
}

// serveBuild starts a server of a binary with messages that it received over HTTP.
func (b *bench) serveBuild(ctx context.Context, binary string) (*talkServer, error) {
	built := b.binary
	defer func() { b.binary = built }()
	b.binary = binary
	first, err := b.fresh(ctx)
	if err != nil {
		return nil, err
	}
	// Over HTTP, because an older build may have another schema.
	threads, err := first.receiveAll(ctx, max(1, b.messages/messagesEach))
	if err != nil {
		return nil, err
	}
	first.stop()
	if err := first.at.tidy(ctx); err != nil {
		return nil, err
	}
	s, err := b.serve(ctx, first.at)
	if err != nil {
		return nil, err
	}
	s.size = "this build"
	if binary == b.other {
		s.size = "other build"
	}
	return &talkServer{s, threads}, nil
}

// receiveAll receives messages from that many customers and returns their conversations.
func (s *testServer) receiveAll(ctx context.Context, customers int) ([]kernel.ID, error) {
	threads := make([]kernel.ID, customers)
	channel := "/v1/channels/" + s.demo.Companies[0].Channel + "/simulate"
	result, err := load.Run(ctx, load.Plan{
		Address: s.address, Connections: pooled, Count: customers * messagesEach,
		Request: func(_, i int, r *load.Request) {
			r.Method, r.Path = "POST", channel
			r.Set("Authorization", s.bearer())
			r.Body = fmt.Appendf(r.Body,
				`{"from":"+55119%08d","text":"Mensagem %d: obrigado pelo retorno, aguardo a confirmação do pedido."}`,
				80000000+i%customers, i)
		},
		Check: func(_, i int, response *load.Response) error {
			if response.Status > 299 {
				return fmt.Errorf("%d: %s", response.Status, response.Body)
			}
			if i/customers < messagesEach-1 { // only the last message of each is needed
				return nil
			}
			var message struct{ Conversation kernel.ID }
			err := json.Unmarshal(response.Body, &message)
			threads[i%customers] = message.Conversation
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return threads, result.FirstError
}

// sendAndDeliver sends messages and waits until every event has arrived.
func (b *bench) sendAndDeliver(s *talkServer, r *receiver) roundFunc {
	return func(ctx context.Context, d time.Duration) (*load.Result, error) {
		started, before := time.Now(), r.count.Load()
		result, err := load.Run(ctx, load.Plan{Address: s.address, Connections: b.conns, Duration: d, Request: s.send})
		if err != nil {
			return nil, err
		}
		err = r.await(ctx, before+int64(result.Requests))
		result.Elapsed = time.Since(started)
		return result, err
	}
}
