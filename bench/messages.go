package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"recado/bench/load"
	"recado/internal/kernel"
)

const (
	leastSends  = 0.20      // of the raw engine's grouped inserts, for durable sends
	mostSending = 150 << 20 // bytes resident at the end of them
	leastMixed  = 5_000     // requests a second
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
	var talks [2]*talking
	var servers [2]*servedBy
	for i, size := range []talkCorpus{muchTalk, littleTalk} {
		var err error
		if talks[i], err = b.serveTalk(ctx, size); err != nil {
			return err
		}
		servers[i] = talks[i].servedBy
	}
	list := func(query string) func(s *talking) asking {
		return func(s *talking) asking { return s.get("/v1/conversations" + query) }
	}
	for _, question := range []struct {
		name string
		ask  func(s *talking) asking
	}{
		{"page of 50 messages", func(s *talking) asking { return s.page }},
		{"conversations", list("")},
		{"conversations, rare q", list("?q=" + url.QueryEscape("conversa 777:"))},
		{"conversations, common q", list("?q=obrigado")},
		{"conversations, q of old ones only", list("?q=" + oldTalk)},
		{"conversations, q of two letters", list("?q=li")},
		{"conversations, label and assignee", func(s *talking) asking {
			own := s.demo.Companies[0]
			return list("?label=" + own.Labels[0] + "&assignee=" + own.User)(s)
		}},
		{"send", func(s *talking) asking { return s.send }},
	} {
		err := b.contrast(ctx, leastOfSmall, question.name, servers, func(i int) asking { return question.ask(talks[i]) })
		if err != nil {
			return err
		}
	}
	// No index finds this quickly: every conversation has all of its parts. It shows what the worst costs.
	return b.contrast(ctx, 0, "conversations, unknown q of common parts", servers, func(i int) asking {
		return list("?q=" + url.QueryEscape("obrigado pedido"))(talks[i])
	})
}

// runMixed is a working day: 60 % reads, 30 % sends and inbound messages, 10 % moves of cards.
func runMixed(ctx context.Context, b *bench) error {
	s, err := b.serveTalk(ctx, littleTalk)
	if err != nil {
		return err
	}
	mix, err := s.mix(ctx, b.conns)
	if err != nil {
		return err
	}
	outcomes, err := b.compare(ctx, contender{"mixed load", s.process, b.drive(s.address, mix.request)})
	if err != nil {
		return err
	}
	b.addRate(outcomes[0], leastMixed)
	return nil
}

// mix is the mixed load of that many workers.
type mix struct {
	*talking
	moves *moves
	list  asking
}

func (s *talking) mix(ctx context.Context, workers int) (*mix, error) {
	moves, err := s.newMoves(ctx, workers)
	return &mix{s, moves, s.get("/v1/conversations")}, err
}

func (m *mix) request(worker, i int, r *load.Request) {
	switch i % 10 {
	case 0, 1, 2:
		m.page(worker, i, r)
	case 3, 4, 5:
		m.list(worker, i, r)
	case 6, 7:
		m.send(worker, i, r)
	case 8:
		m.receive(worker, i, r)
	default:
		m.moves.move(worker, i, r)
	}
}

func (s *talking) thread(i int) string { return s.threads[i*7919%len(s.threads)].String() }

func (s *talking) page(_, i int, r *load.Request) {
	r.Path = "/v1/conversations/" + s.thread(i) + "/messages?limit=50"
	r.Set("Authorization", s.bearer())
}

func (s *talking) send(_, i int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/conversations/"+s.thread(i)+"/messages"
	r.Set("Authorization", s.bearer())
	r.Body = fmt.Appendf(r.Body, `{"client_id":"%s","text":"Seu pedido %d foi confirmado."}`, kernel.NewID(), i)
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
	threads := make([]kernel.ID, 1000)
	for i := range threads {
		threads[i] = kernel.NewID()
	}
	company, member, channel := kernel.NewID(), kernel.NewID(), kernel.NewID()
	return b.rawInserts(ctx, company, "messages", insertMessage, func(n int64) []any {
		id := kernel.NewID()
		return []any{
			threads[n%int64(len(threads))], n, id, company, channel, kernel.NewID(),
			"Seu pedido foi confirmado.", "sandbox." + id.String(), member, time.Now().UnixMilli(),
		}
	})
}
