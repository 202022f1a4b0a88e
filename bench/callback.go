package main

import (
	"context"
	"fmt"
	"time"

	"recado/bench/load"
)

// leastReceived is how many messages a second must come in through the signed callback, on SQLite.
const leastReceived = 2_000

// runCallback lets WhatsApp call with one message, with a hundred and with a thousand at a time, each call answered
// when all of it is durable. Rates and processor time are per message, waits are per call.
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
		before, err := b.ask(ctx, s.at, countMessages)
		if err != nil {
			return err
		}
		var stored, failed int
		conns := max(1, min(b.conns, 2*b.conns/messages+4)) // Meta calls less often with more at a time
		outcomes, err := b.compare(ctx, contender{
			fmt.Sprintf("callbacks of %d, %d at a time", messages, conns), s.process,
			func(ctx context.Context, d time.Duration) (*load.Result, error) {
				n.run++ // no message comes twice
				result, err := load.Run(ctx, load.Plan{Address: s.address, Connections: conns, Duration: d, Request: n.callback(messages)})
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
		after, err := b.ask(ctx, s.at, countMessages)
		if err != nil {
			return err
		}
		if after-before != int64(stored) && failed == 0 {
			return fmt.Errorf("%d messages were answered with 200 and %d are stored", stored, after-before)
		}
		goal := 0.0
		if b.engine == "sqlite" {
			goal = leastReceived
		}
		b.addRate(outcomes[0], goal)
	}
	return nil
}

const countMessages = `SELECT COUNT(*) FROM messages`
