package main

import (
	"context"
	"time"

	"recado/bench/load"
)

const (
	leastOfBare = 0.50     // of the bare handler's rate, for GET /v1/me
	mostIdle    = 40 << 20 // bytes resident
	settling    = 5 * time.Second
)

func runMe(ctx context.Context, b *bench) error {
	s, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	same, err := capture(ctx, s, "/v1/me")
	if err != nil {
		return err
	}
	bare, bareAddress, err := b.bare(same)
	if err != nil {
		return err
	}
	get := func(_, _ int, request *load.Request) {
		request.Path = "/v1/me"
		request.Set("Authorization", s.bearer())
	}
	outcomes, err := b.compare(ctx,
		contender{"GET /v1/me", s.process, b.drive(s.address, get)},
		contender{"bare handler", bare, b.drive(bareAddress, get)},
	)
	if err != nil {
		return err
	}
	b.add(leastOfBare, outcomes[0], outcomes[1])
	return nil
}

// drive is the round of a contender that is called over HTTP.
func (b *bench) drive(address string, request func(worker, i int, r *load.Request)) func(context.Context, time.Duration) (*load.Result, error) {
	return func(ctx context.Context, d time.Duration) (*load.Result, error) {
		return load.Run(ctx, load.Plan{Address: address, Connections: b.conns, Duration: d, Request: request})
	}
}

// runIdle looks twice: at a server that has just made the demo, and at one that merely opened it.
func runIdle(ctx context.Context, b *bench) error {
	at, err := b.place(ctx)
	if err != nil {
		return err
	}
	for _, moment := range []struct {
		subject string
		most    int64
	}{
		{"having made the demo", 0},
		{"started on existing data", mostIdle},
	} {
		s, err := b.serve(ctx, at)
		if err != nil {
			return err
		}
		select {
		case <-time.After(settling):
		case <-ctx.Done():
			return ctx.Err()
		}
		b.addMemory(moment.subject, s.resident(), moment.most)
		s.stop()
	}
	return nil
}
