package main

import (
	"context"
	"fmt"
	"time"

	"recado/bench/load"
)

// minReceived is the minimum rate of messages on SQLite.
const minReceived = 2_000

// runCallback sends callbacks of WhatsApp with 1, 100 and 1,000 messages. The server responds when all are durable. Rates
// and CPU time are per message, latencies per callback.
func runCallback(ctx context.Context, b *bench) error {
	if _, err := b.graph(); err != nil {
		return err
	}
	s, err := b.fresh(ctx)
	if err != nil {
		return err
	}
	n, err := s.connect(ctx)
	if err != nil {
		return err
	}
	for _, messages := range []int{1, 100, 1000} {
		before, err := b.queryInt(ctx, s.at, countMessages)
		if err != nil {
			return err
		}
		var stored, failed int
		conns := max(1, min(b.conns, 2*b.conns/messages+4)) // Meta sends fewer callbacks if they are larger
		outcomes, err := b.compare(ctx, contender{
			fmt.Sprintf("callbacks of %d, %d at a time", messages, conns), s.process,
			func(ctx context.Context, d time.Duration) (*load.Result, error) {
				n.run++ // for new message ids
				result, err := load.Run(ctx, load.Plan{
					Address: s.address, Connections: conns, Duration: d, Request: n.callback(messages),
				})
				if result != nil {
					result.Requests *= messages
					stored += result.Requests
					failed += result.Errors
				}
				return result, err
			},
		})
		if err != nil {
			return err
		}
		after, err := b.queryInt(ctx, s.at, countMessages)
		if err != nil {
			return err
		}
		if after-before != int64(stored) && failed == 0 {
			return fmt.Errorf("%d messages were accepted and %d are stored", stored, after-before)
		}
		goal := 0.0
		if b.engine == "sqlite" {
			goal = minReceived
		}
		b.addRate(outcomes[0], goal)
	}
	return nil
}

const countMessages = `SELECT COUNT(*) FROM messages`
