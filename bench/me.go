package main

import (
	"context"
	"time"

	"recado/bench/load"
)

const (
	minOfBare = 0.50     // of the rate of the bare handler
	maxIdle   = 40 << 20 // bytes resident
	settling  = 5 * time.Second
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
	get := s.get("/v1/me")
	outcomes, err := b.compare(ctx,
		contender{"GET /v1/me", s.process, b.drive(s.address, get)},
		contender{"bare handler", bare, b.drive(bareAddress, get)},
	)
	if err != nil {
		return err
	}
	b.add(minOfBare, outcomes[0], outcomes[1])
	return nil
}

// drive returns a round of HTTP requests over -conns connections.
func (b *bench) drive(address string, request requestFunc) roundFunc {
	return drive(b.conns, address, request)
}

func drive(conns int, address string, request requestFunc) roundFunc {
	return func(ctx context.Context, d time.Duration) (*load.Result, error) {
		return load.Run(ctx, load.Plan{Address: address, Connections: conns, Duration: d, Request: request})
	}
}

// runIdle measures a server that has just created the demo, and one that found it.
func runIdle(ctx context.Context, b *bench) error {
	at, err := b.newLocation(ctx)
	if err != nil {
		return err
	}
	for _, moment := range []struct {
		subject string
		most    int64
	}{
		{"having made the demo", 0},
		{"started on existing data", maxIdle},
	} {
		s, err := b.serve(ctx, at)
		if err != nil {
			return err
		}
		if err := pause(ctx, settling); err != nil {
			return err
		}
		b.addMemory(moment.subject, s.resident(), moment.most)
		s.stop()
	}
	return nil
}
