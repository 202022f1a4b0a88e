package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"recado/internal/kernel"
	"recado/internal/server"
	"recado/internal/talk"
)

const (
	measuredCases = 100_000
	levelSteps    = 200
	maxLevelStep  = 20 * time.Millisecond // of every second
)

// runLevels measures the step that looks for due service levels every second, with 100,000 open cases of which none is due.
func runLevels(ctx context.Context, b *bench) error {
	s, err := b.serveOn(ctx, fmt.Sprintf("%d open cases with a policy", measuredCases), func(at location, c company) error {
		return at.makeLevels(ctx, c)
	})
	if err != nil {
		return err
	}
	s.stop()
	return s.at.onStore(ctx, func(ctx context.Context, store *kernel.Store) error {
		d := server.New(server.Options{Store: store})
		steps := make([]time.Duration, levelSteps)
		for i := range steps {
			started := time.Now()
			if n, err := d.Levels.Check(ctx, 200); err != nil || n != 0 {
				return fmt.Errorf("%d cases were due: %w", n, err)
			}
			if _, err := d.Levels.Recompute(ctx); err != nil {
				return err
			}
			steps[i] = time.Since(started)
		}
		slices.Sort(steps)
		shown := func(i int) float64 { return float64(steps[i].Microseconds()) }
		b.addFigure(figure{
			Subject: fmt.Sprintf("look for due service levels, %d open cases", measuredCases), Unit: "µs",
			P50: shown(levelSteps / 2), P95: shown(levelSteps * 95 / 100), Max: shown(levelSteps - 1),
			Goal: "max 20 ms", Met: steps[levelSteps-1] < maxLevelStep,
		})
		return nil
	})
}

// makeLevels creates a policy and open cases, each in a conversation of its own, while the server is stopped.
func (at location) makeLevels(ctx context.Context, c company) error {
	company, _ := kernel.ParseID(c.ID)
	channel, _ := kernel.ParseID(c.Channel)
	policy, now := kernel.NewID(), time.Now()
	threads := make([]kernel.ID, measuredCases)
	err := at.onStore(ctx, func(ctx context.Context, s *kernel.Store) error {
		for from := 0; from < measuredCases; from += fillAtOnce {
			err := s.Write(ctx, func(tx *kernel.Tx) error {
				for i := from; i < from+fillAtOnce; i++ {
					group := fmt.Sprintf("bench-%d", i)
					threads[i] = kernel.NewID()
					t := talk.Conversation{
						ID: threads[i], Company: company, Channel: channel, Kind: talk.KindGroup, Name: group, GroupID: &group, CreatedAt: now,
					}
					if _, err := talk.InsertConversation(tx, &t); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return s.Write(ctx, func(tx *kernel.Tx) error {
			tx.Later(`
				INSERT INTO sla_policies (company, id, name, folded, first_response_minutes, clock, warn_percent, created_at, updated_at)
				VALUES ($1, $2, 'Bench', 'bench', 10000, 'always', 80, $3, $3)`, company, policy, now)
			return nil
		})
	})
	if err != nil {
		return err
	}
	columns := []string{
		"id", "company", "number", "conversation", "channel", "private", "opened_at", "opened_by", "sla_policy", "sla", "sla_state", "sla_check_at",
	}
	return at.fill(ctx, "attendances", columns, measuredCases, func(i int) []any {
		warn := now.Add(24*time.Hour + time.Duration(i)*time.Second).UnixMilli()
		return []any{
			kernel.NewID(), company, int64(10_000_000 + i), threads[i], channel, false, now.UnixMilli(), talk.OpenedByCustomer, policy,
			fmt.Sprintf(`{"first":{"due":%d,"warn":%d,"state":"pending"}}`, warn+3_600_000, warn), talk.TargetPending, warn,
		}
	})
}
