package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite/sqlitex"

	"recado/bench/corpus"
	"recado/bench/load"
	"recado/internal/kernel"
	"recado/internal/server"
)

const (
	mostFinding  = 50 * time.Millisecond // to find a word of 2,000,000 messages, at p50
	leastIndexed = 1 / 1.3               // of the rate of sends without the index of messages
)

// manyMessages are those that are searched: sentences of the corpus.
var manyMessages = talkCorpus{conversations: 200_000, messages: 2_000_000}

// runMessages searches in messages, and sends with and without their index.
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
		outcomes, err := b.compare(ctx, contender{"GET messages, " + question.name + " of " + manyMessages.String(), s.process, b.driveOne(s.address, s.get("/v1/messages?q="+url.QueryEscape(question.q)))})
		if err != nil {
			return err
		}
		b.addLatency(outcomes[0], mostFinding, time.Second)
	}
	s.stop()
	with, err := b.serveTalk(ctx, littleTalk)
	if err != nil {
		return err
	}
	without, err := b.serveTalk(ctx, littleTalk)
	if err != nil {
		return err
	}
	if err := without.at.skipIndex(ctx); err != nil {
		return err
	}
	outcomes, err := b.compare(ctx, contender{"POST messages", with.process, b.drive(with.address, with.send)},
		contender{"POST messages without the index of messages", without.process, b.drive(without.address, without.send)})
	if err != nil {
		return err
	}
	b.add(leastIndexed, outcomes[0], outcomes[1])
	return nil
}

// serveSentences is a server with messages from the corpus, all of them indexed.
func (b *bench) serveSentences(ctx context.Context, size talkCorpus) (*servedBy, error) {
	texts := corpus.New()
	return b.serveOn(ctx, size.String(), func(at place, c company) error {
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

// skipIndex keeps new messages out of the index.
func (at place) skipIndex(ctx context.Context) error {
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
	if err := sqlitex.ExecuteTransient(conn, `CREATE TRIGGER skip BEFORE INSERT ON messages_unindexed BEGIN SELECT RAISE(IGNORE); END`, nil); err != nil {
		return fmt.Errorf("keep messages out of the index: %w", err)
	}
	return nil
}

// driveOne lets one client ask, which waits for no other.
func (b *bench) driveOne(address string, request asking) func(context.Context, time.Duration) (*load.Result, error) {
	return func(ctx context.Context, d time.Duration) (*load.Result, error) {
		return load.Run(ctx, load.Plan{Address: address, Connections: 1, Duration: d, Request: request})
	}
}
