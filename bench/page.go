package main

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"zombiezen.com/go/sqlite"

	"recado/bench/load"
	"recado/internal/kernel"
)

const minPages = 0.50 // of the rate of the reference

// pagedTalk has conversations with more messages than a page.
var pagedTalk = talkSize{conversations: 200, messages: 20_000}

// runPage requests pages of 50 messages. The reference is the raw engine reading the same rows, then a bare handler
// writing the same bytes.
func runPage(ctx context.Context, b *bench) error {
	s, err := b.serveTalk(ctx, pagedTalk)
	if err != nil {
		return err
	}
	same, err := capture(ctx, s.testServer, "/v1/conversations/"+s.threads[0].String()+"/messages?limit=50")
	if err != nil {
		return err
	}
	bare, bareAddress, err := b.bare(same)
	if err != nil {
		return err
	}
	rows, err := b.rawPages(ctx, s)
	if err != nil {
		return err
	}
	outcomes, err := b.compare(ctx,
		contender{"page of 50 messages", s.process, b.drive(s.address, s.page)},
		rows,
		contender{"bare handler", bare, b.drive(bareAddress, s.page)},
	)
	if err != nil {
		return err
	}
	b.add(minPages, outcomes[0], oneAfterOther(&outcomes[1], &outcomes[2]), outcomes[1], outcomes[2])
	return nil
}

// oneAfterOther returns the outcome of doing one and then the other.
func oneAfterOther(one, other *outcome) outcome {
	both := outcome{name: "rows and bytes, one after the other"}
	for i := range one.rates {
		rate := 1 / (1/one.rates[i] + 1/other.rates[i])
		both.rates = append(both.rates, rate)
		both.result.Requests += int(rate)
		both.result.Elapsed += time.Second
	}
	return both
}

const selectPage = `
	SELECT m.conversation, m.seq, m.id, m.company, m.channel, m.private, m.client_id, m.direction, m.origin, m.type, m.text,
		m.media, m.reply_to, m.external_id, m.status, m.error_code, m.error_detail, m.sent_by, m.author, m.created_at, m.sent_at,
		m.delivered_at, m.read_at, m.edited_at, m.revoked_at, d.mime_type, d.file_name, d.size, u.name
	FROM messages m
	LEFT JOIN media d ON d.company = m.company AND d.id = m.media
	LEFT JOIN users u ON u.company = m.company AND u.id = m.sent_by
	WHERE m.company = $1 AND m.conversation = $2
	ORDER BY m.seq DESC
	LIMIT 50`

// rawPages reads the rows of pages with the raw engine.
func (b *bench) rawPages(ctx context.Context, s *talkServer) (contender, error) {
	company, _ := kernel.ParseID(s.demo.Companies[0].ID)
	var next atomic.Int64
	thread := func() kernel.ID { return s.threads[int(next.Add(1))*7919%len(s.threads)] }
	if s.at.database != "" {
		pool, err := b.rawPool(ctx, s.at)
		read := func(ctx context.Context, _ int) error { return readPostgresPage(ctx, pool, company, thread()) }
		return contender{name: fmt.Sprintf("raw engine, %d readers", b.conns), round: repeating(b.conns, read)}, err
	}
	readers := make([]*sqlite.Stmt, runtime.NumCPU())
	for i := range readers {
		conn, err := b.rawConn(s.at)
		if err != nil {
			return contender{}, err
		}
		if readers[i], err = conn.Prepare(selectPage); err != nil {
			return contender{}, err
		}
	}
	read := func(_ context.Context, worker int) error { return readSQLitePage(readers[worker], company, thread()) }
	return contender{name: fmt.Sprintf("raw engine, %d readers", len(readers)), round: repeating(len(readers), read)}, nil
}

// repeating returns a round in which workers call do in this process.
func repeating(workers int, do func(ctx context.Context, worker int) error) roundFunc {
	return func(ctx context.Context, d time.Duration) (*load.Result, error) {
		return load.Repeat(ctx, workers, d, 1, do)
	}
}

func readPostgresPage(ctx context.Context, pool *pgxpool.Pool, company, thread kernel.ID) error {
	rows, err := pool.Query(ctx, selectPage, [16]byte(company), [16]byte(thread))
	if err != nil {
		return err
	}
	defer rows.Close()
	count := 0
	for rows.Next() {
		_ = rows.RawValues()
		count++
	}
	return checkPage(count, rows.Err())
}

func readSQLitePage(query *sqlite.Stmt, company, thread kernel.ID) error {
	if err := query.Reset(); err != nil {
		return err
	}
	query.BindBytes(1, company[:])
	query.BindBytes(2, thread[:])
	var id kernel.ID
	count := 0
	for {
		more, err := query.Step()
		if err != nil || !more {
			return checkPage(count, err)
		}
		count++
		for i := range query.ColumnCount() {
			switch query.ColumnType(i) {
			case sqlite.TypeText:
				_ = query.ColumnText(i)
			case sqlite.TypeBlob:
				query.ColumnBytes(i, id[:])
			case sqlite.TypeInteger:
				_ = query.ColumnInt64(i)
			}
		}
	}
}

func checkPage(rows int, err error) error {
	if err == nil && rows != 50 {
		err = fmt.Errorf("got %d rows, want 50", rows)
	}
	return err
}
