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
	minSends   = 0.20      // of grouped inserts into the raw engine
	maxSending = 150 << 20 // bytes resident after the sends
	minMixed   = 5_000     // requests a second
)

// runSend compares durable sends and inbound messages with grouped inserts into the raw engine.
func runSend(ctx context.Context, b *bench) error {
	s, err := b.serveTalk(ctx, smallTalk)
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
	b.add(minSends, outcomes[0], outcomes[1])
	b.addMemory("at the end of the sends", s.resident(), maxSending)
	outcomes, err = b.compare(ctx, contender{"POST simulate (receive)", s.process, b.drive(s.address, s.receive)}, raw)
	if err != nil {
		return err
	}
	b.add(0, outcomes[0], outcomes[1])
	return nil
}

// runTalk compares a large and a small database.
func runTalk(ctx context.Context, b *bench) error {
	talks, servers, err := b.serveTalks(ctx, largeTalk, smallTalk)
	if err != nil {
		return err
	}
	list := func(query string) func(s *talkServer) requestFunc {
		return func(s *talkServer) requestFunc { return s.get("/v1/conversations" + query) }
	}
	for _, question := range []struct {
		name string
		ask  func(s *talkServer) requestFunc
	}{
		{"page of 50 messages", func(s *talkServer) requestFunc { return s.page }},
		{"conversations", list("")},
		{"conversations, rare q", list("?q=" + url.QueryEscape("conversa 777:"))},
		{"conversations, common q", list("?q=obrigado")},
		{"conversations, q of old ones only", list("?q=" + oldTalk)},
		{"conversations, q of two letters", list("?q=li")},
		{"conversations, label and assignee", func(s *talkServer) requestFunc {
			own := s.demo.Companies[0]
			return list("?label=" + own.Labels[0] + "&assignee=" + own.User)(s)
		}},
		{"send", func(s *talkServer) requestFunc { return s.send }},
	} {
		err := b.compareServers(ctx, minOfSmall, question.name, servers, func(i int) requestFunc { return question.ask(talks[i]) })
		if err != nil {
			return err
		}
	}
	// The worst case: no index helps, because every conversation has all parts of the text.
	return b.compareServers(ctx, 0, "conversations, unknown q of common parts", servers, func(i int) requestFunc {
		return list("?q=" + url.QueryEscape("obrigado pedido"))(talks[i])
	})
}

// runMixed measures a typical mix of requests.
func runMixed(ctx context.Context, b *bench) error {
	s, err := b.serveTalk(ctx, smallTalk)
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
	b.addRate(outcomes[0], minMixed)
	return nil
}

// mix is a load of 60 % reads, 30 % sends and inbound messages, 10 % card moves.
type mix struct {
	*talkServer
	moves *moves
	list  requestFunc
}

func (s *talkServer) mix(ctx context.Context, workers int) (*mix, error) {
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

func (s *talkServer) thread(i int) string { return s.threads[i*7919%len(s.threads)].String() }

func (s *talkServer) page(_, i int, r *load.Request) {
	r.Path = "/v1/conversations/" + s.thread(i) + "/messages?limit=50"
	r.Set("Authorization", s.bearer())
}

func (s *talkServer) send(_, i int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/conversations/"+s.thread(i)+"/messages"
	r.Set("Authorization", s.bearer())
	r.Body = fmt.Appendf(r.Body, `{"client_id":"%s","text":"Seu pedido %d foi confirmado."}`, kernel.NewID(), i)
}

func (s *talkServer) receive(_, i int, r *load.Request) {
	r.Method, r.Path = "POST", "/v1/channels/"+s.demo.Companies[0].Channel+"/simulate"
	r.Set("Authorization", s.bearer())
	r.Body = fmt.Appendf(r.Body, `{"from":"+55119%08d","text":"Mensagem %d"}`, 90000000+i%500, i)
}

const insertMessage = `
	INSERT INTO messages (conversation, seq, id, company, channel, private, client_id, direction, origin, type, text,
		external_id, status, sent_by, created_at, sent_at)
	VALUES ($1, $2, $3, $4, $5, FALSE, $6, 'outbound', 'api', 'text', $7, $8, 'sent', $9, $10, $10)
	ON CONFLICT DO NOTHING`

// rawMessages inserts messages into the same table with the raw engine.
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
