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

// leastOfOther is the part of the other build's rate that this one must reach.
const leastOfOther = 0.90

// heardEach is how many messages a conversation of builds has: more than a page.
const heardEach = 60

// runBuilds asks the same of this build and of another one (-other), with one client, on data that both got over HTTP. The
// processor time is also that of PostgreSQL, which the builds take turns to use.
func runBuilds(ctx context.Context, b *bench) error {
	if b.other == "" {
		fmt.Fprintln(os.Stderr, "  left out: it needs -other")
		return nil
	}
	var talks [2]*talking
	var err error
	for i, binary := range []string{b.binary, b.other} {
		if talks[i], err = b.serveBuild(ctx, binary); err != nil {
			return err
		}
	}
	for _, question := range []struct {
		name string
		ask  func(s *talking) asking
	}{
		{"GET me", func(s *talking) asking { return s.get("/v1/me") }},
		{"page of 50 messages", func(s *talking) asking { return s.page }},
		{"conversations", func(s *talking) asking { return s.get("/v1/conversations") }},
		{"conversations, common q", func(s *talking) asking { return s.get("/v1/conversations?q=mensagem") }},
		{"POST messages", func(s *talking) asking { return s.send }},
		{"POST simulate (receive)", func(s *talking) asking { return s.receive }},
	} {
		err := b.contrastBuilds(ctx, question.name, talks, func(i int) roundFunc { return b.drive(talks[i].address, question.ask(talks[i])) })
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
	return b.contrastBuilds(ctx, "deliveries to 1 address while sending", talks, func(i int) roundFunc { return b.flood(talks[i], receivers[i]) })
}

// contrastBuilds lets both builds take turns.
func (b *bench) contrastBuilds(ctx context.Context, what string, talks [2]*talking, round func(i int) roundFunc) error {
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
		do, servers := round(i), []*servedBy{s.servedBy}
		contenders = append(contenders, contender{what + ", " + s.size, s.process, func(ctx context.Context, d time.Duration) (*load.Result, error) {
			before := look(servers, database)
			result, err := do(ctx, d)
			if result != nil {
				spent[i].add(look(servers, database), before, result.Requests)
			}
			return result, err
		}})
	}
	outcomes, err := b.compare(ctx, contenders...)
	if err != nil {
		return err
	}
	rows := len(b.report.rows)
	b.add(leastOfOther, outcomes[0], outcomes[1])
	for i := range spent {
		b.report.rows[rows+i].cpu = spent[i].String()
	}
	return nil
}

// serveBuild is a server of that binary on a company that got its messages over HTTP.
func (b *bench) serveBuild(ctx context.Context, binary string) (*talking, error) {
	built := b.binary
	defer func() { b.binary = built }()
	b.binary = binary
	first, err := b.fresh(ctx)
	if err != nil {
		return nil, err
	}
	// Over HTTP, because an older build may have another schema.
	threads, err := first.hear(ctx, max(1, b.messages/heardEach))
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
	return &talking{s, threads}, nil
}

// hear lets that many customers write messages, and gives their conversations.
func (s *servedBy) hear(ctx context.Context, customers int) ([]kernel.ID, error) {
	threads := make([]kernel.ID, customers)
	channel := "/v1/channels/" + s.demo.Companies[0].Channel + "/simulate"
	result, err := load.Run(ctx, load.Plan{
		Address: s.address, Connections: pooled, Count: customers * heardEach,
		Request: func(_, i int, r *load.Request) {
			r.Method, r.Path = "POST", channel
			r.Set("Authorization", s.bearer())
			r.Body = fmt.Appendf(r.Body, `{"from":"+55119%08d","text":"Mensagem %d: obrigado pelo retorno, aguardo a confirmação do pedido."}`, 80000000+i%customers, i)
		},
		Check: func(_, i int, answer *load.Response) error {
			if answer.Status > 299 {
				return fmt.Errorf("%d: %s", answer.Status, answer.Body)
			}
			if i/customers < heardEach-1 { // the last message of each tells
				return nil
			}
			var message struct{ Conversation kernel.ID }
			err := json.Unmarshal(answer.Body, &message)
			threads[i%customers] = message.Conversation
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return threads, result.FirstError
}

// flood is deliverAll in rounds: sends for a while, until every event has arrived.
func (b *bench) flood(s *talking, r *receiver) roundFunc {
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
