package main

import (
	"context"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/bench/corpus"
	"recado/internal/kernel"
	"recado/internal/server"
)

const (
	maxFinding = 50 * time.Millisecond // p50 of a search in 2,000,000 messages
	minIndexed = 1 / 1.3               // of the rate of sends without the message index
)

var manyMessages = talkSize{conversations: 200_000, messages: 2_000_000}

// runMessages measures searches in messages, and sends with and without the message index.
func runMessages(ctx context.Context, b *bench) error {
	s, err := b.serveSentences(ctx, manyMessages)
	if err != nil {
		return err
	}
	for _, question := range []struct{ name, q string }{
		{"a rare word", "jabuticaba"},
		{"a common word", "pedido"},
		{"an order number", "pedido 345"},
		{"unknown", "xyzzy"},
		{"common words, unknown together", "obrigado pedido preço prazo"},
		{"two letters", "li"},
	} {
		name := "GET messages, " + question.name + " of " + manyMessages.String()
		search := s.get("/v1/messages?q=" + url.QueryEscape(question.q))
		outcomes, err := b.compare(ctx, contender{name, s.process, drive(1, s.address, search)})
		if err != nil {
			return err
		}
		b.addLatency(outcomes[0], maxFinding, time.Second)
	}
	s.stop()
	with, err := b.serveTalk(ctx, smallTalk)
	if err != nil {
		return err
	}
	without, err := b.serveTalk(ctx, smallTalk)
	if err != nil {
		return err
	}
	if err := without.at.skipIndex(ctx); err != nil {
		return err
	}
	outcomes, err := b.compare(ctx,
		contender{"POST messages", with.process, b.drive(with.address, with.send)},
		contender{"POST messages without the index of messages", without.process, b.drive(without.address, without.send)},
	)
	if err != nil {
		return err
	}
	b.add(minIndexed, outcomes[0], outcomes[1])
	return nil
}

// serveSentences starts a server with indexed messages from the corpus.
func (b *bench) serveSentences(ctx context.Context, size talkSize) (*testServer, error) {
	texts := corpus.New()
	return b.serveOn(ctx, size.String(), func(at location, c company) error {
		w := newTalkWriter(c, size)
		if err := at.onStore(ctx, w.conversations); err != nil {
			return err
		}
		ids := make([]kernel.ID, size.messages)
		sentence := func(n int) []any {
			row := w.message(n)
			ids[n] = row[2].(kernel.ID)
			row[9] = texts.Sentence(n)
			return row
		}
		if err := at.fill(ctx, "messages", messageColumns, size.messages, sentence); err != nil {
			return err
		}
		waiting := func(n int) []any { return []any{w.company, ids[n]} }
		if err := at.fill(ctx, "messages_unindexed", []string{"company", "id"}, size.messages, waiting); err != nil {
			return err
		}
		return at.onStore(ctx, func(ctx context.Context, s *kernel.Store) error {
			return indexAll(ctx, server.New(server.Options{Store: s}))
		})
	})
}

// skipIndex excludes new messages from the index.
func (at location) skipIndex(ctx context.Context) error {
	if at.database != "" {
		conn, err := pgx.Connect(ctx, at.database)
		if err != nil {
			return err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		_, err = conn.Exec(ctx, `CREATE RULE skip AS ON INSERT TO messages_unindexed DO INSTEAD NOTHING`)
		return err
	}
	conn, err := openRaw(at)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetBlockOnBusy()
	const skip = `CREATE TRIGGER skip BEFORE INSERT ON messages_unindexed BEGIN SELECT RAISE(IGNORE); END`
	return sqlitex.ExecuteTransient(conn, skip, nil)
}
