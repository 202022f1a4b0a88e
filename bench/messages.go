package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"zombiezen.com/go/sqlite/sqlitex"

	"recado/bench/load"
	"recado/internal/model"
)

const (
	leastSends   = 0.20      // of the raw engine's grouped inserts, for durable sends
	mostSending  = 150 << 20 // bytes resident at the end of them
	leastOfSmall = 1 / 1.5   // of the rate with little data, with much
	leastMixed   = 5_000     // requests a second
)

// runSend lets 64 clients send, each answered after its commit, beside the raw engine inserting messages in groups.
func runSend(ctx context.Context, b *bench) error {
	s, err := b.serveTalk(ctx, littleTalk)
	if err != nil {
		return err
	}
	raw, err := b.rawMessages(ctx)
	if err != nil {
		return err
	}
	outcomes, err := b.compare(ctx, contender{"POST messages", s.process, b.drive(s.address, s.send)}, raw)
	if err != nil {
		return err
	}
	b.add(leastSends, outcomes[0], outcomes[1])
	b.addMemory("at the end of the sends", s.resident(), mostSending)
	outcomes, err = b.compare(ctx, contender{"POST simulate (receive)", s.process, b.drive(s.address, s.receive)}, raw)
	if err != nil {
		return err
	}
	b.add(0, outcomes[0], outcomes[1])
	return nil
}

// runTalk asks the same of a small and of a large database.
func runTalk(ctx context.Context, b *bench) error {
	var servers [2]*talking
	for i, size := range []talk{muchTalk, littleTalk} {
		var err error
		if servers[i], err = b.serveTalk(ctx, size); err != nil {
			return err
		}
	}
	for _, question := range []struct {
		name string
		ask  func(s *talking) func(worker, i int, r *load.Request)
	}{
		{"page of 50 messages", func(s *talking) func(int, int, *load.Request) { return s.page }},
		{"conversations", paths("/v1/conversations")},
		{"conversations, rare q", paths("/v1/conversations?q=" + url.QueryEscape("conversa 777:"))},
		{"conversations, common q", paths("/v1/conversations?q=obrigado")},
		{"conversations, q of two letters", paths("/v1/conversations?q=li")},
		{"conversations, label and assignee", func(s *talking) func(int, int, *load.Request) {
			own := s.demo.Companies[0]
			return paths("/v1/conversations?label=" + own.Labels[0] + "&assignee=" + own.User)(s)
		}},
		{"send", func(s *talking) func(int, int, *load.Request) { return s.send }},
	} {
		var contenders []contender
		for i, s := range servers {
			name := question.name + ", " + []string{"much", "little"}[i] + " data"
			contenders = append(contenders, contender{name, s.process, b.drive(s.address, question.ask(s))})
		}
		outcomes, err := b.compare(ctx, contenders...)
		if err != nil {
			return err
		}
		b.add(leastOfSmall, outcomes[0], outcomes[1])
	}
	return nil
}

// paths asks for one path over and over.
func paths(path string) func(s *talking) func(worker, i int, r *load.Request) {
	return func(s *talking) func(int, int, *load.Request) {
		return func(_, _ int, r *load.Request) {
			r.Path = path
			r.Set("Authorization", s.bearer())
		}
	}
}

// runMixed is a working day: 60 % reads, 30 % sends and inbound messages, 10 % moves of cards.
func runMixed(ctx context.Context, b *bench) error {
	s, err := b.serveTalk(ctx, littleTalk)
	if err != nil {
		return err
	}
	cards, stages, err := s.makeCards(ctx, b.conns)
	if err != nil {
		return err
	}
	moved := make([]int64, b.conns)
	mixed := func(worker, i int, r *load.Request) {
		switch i % 10 {
		case 0, 1, 2:
			s.page(worker, i, r)
		case 3, 4, 5:
			r.Path = "/v1/conversations"
			r.Set("Authorization", s.bearer())
		case 6, 7:
			s.send(worker, i, r)
		case 8:
			s.receive(worker, i, r)
		default:
			moved[worker]++
			r.Method, r.Path = "POST", "/v1/kanban/cards/"+cards[worker]+"/move"
			r.Set("Authorization", s.bearer())
			r.Set("Idempotency-Key", model.NewID().String())
			r.Body = fmt.Appendf(r.Body, `{"stage_id":"%s","version":%d}`, stages[moved[worker]%2], moved[worker])
		}
	}
	outcomes, err := b.compare(ctx, contender{"mixed load", s.process, b.drive(s.address, mixed)})
	if err != nil {
		return err
	}
	b.addRate(outcomes[0], leastMixed)
	return nil
}

// makeCards puts one card per worker on the demo board.
func (s *talking) makeCards(ctx context.Context, n int) (cards []string, stages [2]string, err error) {
	board := s.demo.Companies[0].Board
	call := func(method, path, body string, into any) error {
		_, err := load.Run(ctx, load.Plan{Address: s.address, Connections: 1, Count: 1, Request: func(_, _ int, r *load.Request) {
			r.Method, r.Path = method, path
			r.Set("Authorization", s.bearer())
			r.Set("Idempotency-Key", model.NewID().String())
			r.Body = append(r.Body, body...)
		}, Check: func(_, _ int, answer *load.Response) error {
			if answer.Status > 299 {
				return fmt.Errorf("%d: %s", answer.Status, answer.Body)
			}
			return json.Unmarshal(answer.Body, into)
		}})
		return err
	}
	var b struct{ Stages []struct{ ID string } }
	if err := call("GET", "/v1/kanban/boards/"+board, "", &b); err != nil {
		return nil, stages, err
	}
	stages = [2]string{b.Stages[0].ID, b.Stages[1].ID}
	for range n {
		var card struct{ ID string }
		if err := call("POST", "/v1/kanban/cards", `{"board_id":"`+board+`","title":"bench"}`, &card); err != nil {
			return nil, stages, err
		}
		cards = append(cards, card.ID)
	}
	return cards, stages, nil
}

func (s *talking) thread(i int) string { return s.threads[i*7919%len(s.threads)].String() }

func (s *talking) page(_, i int, r *load.Request) {
	r.Path = "/v1/conversations/" + s.thread(i) + "/messages?limit=50"
	r.Set("Authorization", s.bearer())
}

func (s *talking) send(_, i int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/conversations/"+s.thread(i)+"/messages"
	r.Set("Authorization", s.bearer())
	r.Body = fmt.Appendf(r.Body, `{"client_id":"%s","text":"Seu pedido %d foi confirmado."}`, model.NewID(), i)
}

func (s *talking) receive(_, i int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/channels/"+s.demo.Companies[0].Channel+"/simulate"
	r.Set("Authorization", s.bearer())
	r.Body = fmt.Appendf(r.Body, `{"from":"+55119%08d","text":"Mensagem %d"}`, 90000000+i%500, i)
}

const insertMessage = `
	INSERT INTO messages (conversation, seq, id, company, channel, private, client_id, direction, origin, type, text, external_id, status, sent_by, created_at, sent_at)
	VALUES ($1, $2, $3, $4, $5, FALSE, $6, 'outbound', 'api', 'text', $7, $8, 'sent', $9, $10, $10)
	ON CONFLICT DO NOTHING`

// rawMessages is the engine alone, writing the rows of messages into the same table with the same indexes.
func (b *bench) rawMessages(ctx context.Context) (contender, error) {
	company := model.NewID()
	s, at, err := b.openStore(ctx, company)
	if err != nil {
		return contender{}, err
	}
	if err := s.Close(); err != nil {
		return contender{}, err
	}
	threads := make([]model.ID, 1000)
	for i := range threads {
		threads[i] = model.NewID()
	}
	member, channel, written := model.NewID(), model.NewID(), int64(0)
	if b.engine != "sqlite" {
		return b.rawPostgresMessages(ctx, at, company, channel, member, threads)
	}
	conn, err := b.rawConn(at)
	if err != nil {
		return contender{}, err
	}
	insert, err := conn.Prepare(insertMessage)
	if err != nil {
		return contender{}, err
	}
	group := func(context.Context, int) (err error) {
		end, err := sqlitex.ImmediateTransaction(conn)
		if err != nil {
			return err
		}
		defer end(&err)
		for range b.conns {
			written++
			id, client := model.NewID(), model.NewID()
			thread := threads[written%int64(len(threads))]
			insert.BindBytes(1, thread[:])
			insert.BindInt64(2, written)
			insert.BindBytes(3, id[:])
			insert.BindBytes(4, company[:])
			insert.BindBytes(5, channel[:])
			insert.BindBytes(6, client[:])
			insert.BindText(7, "Seu pedido foi confirmado.")
			insert.BindText(8, "sandbox."+id.String())
			insert.BindBytes(9, member[:])
			insert.BindInt64(10, time.Now().UnixMilli())
			if _, err := insert.Step(); err != nil {
				return err
			}
			if err := insert.Reset(); err != nil {
				return err
			}
		}
		return nil
	}
	return contender{
		name: fmt.Sprintf("raw engine, %d messages a commit", b.conns),
		round: func(ctx context.Context, d time.Duration) (*load.Result, error) {
			return load.Repeat(ctx, 1, d, b.conns, group)
		},
	}, nil
}

func (b *bench) rawPostgresMessages(ctx context.Context, at place, company, channel, member model.ID, threads []model.ID) (contender, error) {
	pool, err := b.rawPool(ctx, at)
	if err != nil {
		return contender{}, err
	}
	insert := func(ctx context.Context, worker int) error {
		id, client := model.NewID(), model.NewID()
		thread := threads[int(id[15])%len(threads)]
		_, err := pool.Exec(ctx, insertMessage, [16]byte(thread), time.Now().UnixNano()*64+int64(worker), [16]byte(id), [16]byte(company), [16]byte(channel),
			[16]byte(client), "Seu pedido foi confirmado.", "sandbox."+id.String(), [16]byte(member), time.Now().UnixMilli())
		return err
	}
	return contender{
		name: fmt.Sprintf("raw engine, %d writers of messages", b.conns),
		round: func(ctx context.Context, d time.Duration) (*load.Result, error) {
			return load.Repeat(ctx, b.conns, d, 1, insert)
		},
	}, nil
}
