package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"recado/bench/load"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

const (
	livePeople    = 1_000
	liveFollowers = 500 // streams that receive messages
	liveSilent    = 5_000
	livePerSecond = 5 // inbound messages
	maxLiveMemory = 200 << 20
	maxLive       = 50 * time.Millisecond // p50
	maxLiveLate   = 250 * time.Millisecond
	liveText      = "sent at "
)

// runLive measures the latency from an inbound message to live streams, and the memory of idle streams.
func runLive(ctx context.Context, b *bench) error {
	s, err := b.serveOn(ctx, fmt.Sprintf("%d people", livePeople), func(at location, c company) error {
		return at.makePeople(ctx, c, livePeople, nil)
	})
	if err != nil {
		return err
	}
	before := s.resident()
	followers := &followers{opened: make(chan struct{}, liveSilent)}
	defer followers.close()
	if err := followers.open(ctx, s, liveFollowers, 0); err != nil {
		return err
	}
	o, err := b.notifyFollowers(ctx, s, followers)
	if err != nil {
		return err
	}
	b.addLatency(*o, maxLive, maxLiveLate)
	if err := followers.open(ctx, s, liveSilent-liveFollowers, liveFollowers); err != nil {
		return err
	}
	if err := pause(ctx, settling+15*time.Second); err != nil { // includes a heartbeat
		return err
	}
	b.addMemory("before the first stream", before, 0)
	b.addMemory(fmt.Sprintf("%d silent streams", liveSilent), s.resident(), maxLiveMemory)
	return nil
}

func personToken(person int) string { return fmt.Sprintf("bench-%d", person) }

// makePeople adds people with a session. hash is the password hash of all of them, or nil.
func (at location) makePeople(ctx context.Context, c company, count int, hash *string) error {
	company, _ := kernel.ParseID(c.ID)
	return at.onStore(ctx, func(ctx context.Context, s *kernel.Store) error {
		return s.Write(ctx, func(tx *kernel.Tx) error {
			for i := range count {
				u := people.User{PasswordHash: hash, Member: people.Member{
					ID: kernel.NewID(), Name: fmt.Sprintf("Person %d", i), Email: fmt.Sprintf("person-%d@bench.example", i),
					Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll,
				}}
				if _, err := people.InsertUser(tx, company, u); err != nil {
					return err
				}
				token := sha256.Sum256([]byte(personToken(i)))
				people.InsertSession(tx, company, u.ID, kernel.NewID(), token, "127.0.0.1", "bench")
			}
			return nil
		})
	})
}

// followers are open streams and the latencies of their messages.
type followers struct {
	opened chan struct{}
	count  atomic.Int64

	mu      sync.Mutex
	conns   []net.Conn
	latency load.Histogram
}

// open opens count streams of the people from first.
func (f *followers) open(ctx context.Context, s *testServer, count, first int) error {
	var opening errgroup.Group
	opening.SetLimit(32)
	for i := range count {
		opening.Go(func() error {
			conn, err := net.Dial("tcp", s.address)
			if err != nil {
				return err
			}
			f.mu.Lock()
			f.conns = append(f.conns, conn)
			f.mu.Unlock()
			_, err = fmt.Fprintf(conn, "GET /v1/live HTTP/1.1\r\nHost: %s\r\nCookie: recado=%s\r\n\r\n",
				s.address, personToken((first+i)%livePeople))
			go f.follow(conn)
			return err
		})
	}
	if err := opening.Wait(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for range count {
		select {
		case <-f.opened:
		case <-ctx.Done():
			return fmt.Errorf("not all streams were opened: %w", ctx.Err())
		}
	}
	return nil
}

// follow records the latency of messages, whose text contains the time of sending.
func (f *followers) follow(conn net.Conn) {
	lines := bufio.NewReaderSize(conn, 2<<10)
	event := ""
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		switch {
		case strings.HasPrefix(line, "retry: "):
			f.opened <- struct{}{}
		case strings.HasPrefix(line, "event: "):
			event = strings.TrimSpace(line[len("event: "):])
		case strings.HasPrefix(line, "data: ") && event == string(talk.EventMessageReceived):
			_, rest, found := strings.Cut(line, liveText)
			digits, _, _ := strings.Cut(rest, `"`)
			sent, err := strconv.ParseInt(digits, 10, 64)
			if !found || err != nil {
				continue
			}
			took := time.Since(time.Unix(0, sent))
			f.mu.Lock()
			f.latency.Record(took)
			f.mu.Unlock()
			f.count.Add(1)
		}
	}
}

func (f *followers) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, conn := range f.conns {
		_ = conn.Close()
	}
}

// notifyFollowers sends inbound messages at a constant rate and waits until every follower has received them.
func (b *bench) notifyFollowers(ctx context.Context, s *testServer, f *followers) (*outcome, error) {
	count := max(1, int(b.total.Seconds())*livePerSecond)
	tick := time.NewTicker(time.Second / livePerSecond)
	defer tick.Stop()
	started, before := time.Now(), s.cpuTime()
	for i := range count {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		body := fmt.Sprintf(`{"from":"+55119%08d","text":"%s%d"}`, i, liveText, time.Now().UnixNano())
		if err := s.call(ctx, "POST", "/channels/"+s.demo.Companies[0].Channel+"/simulate", body, nil); err != nil {
			return nil, err
		}
	}
	want := int64(count * liveFollowers)
	for end := time.Now().Add(time.Minute); f.count.Load() < want; {
		if time.Now().After(end) {
			return nil, fmt.Errorf("%d of %d messages arrived", f.count.Load(), want)
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return &outcome{
		name: fmt.Sprintf("a customer's message to the streams of %d people, %d a second", liveFollowers, livePerSecond),
		cpu:  s.cpuTime() - before, memory: s.resident(),
		result: load.Result{Requests: int(want), Elapsed: time.Since(started), Latency: f.latency},
	}, nil
}
