package webhooks

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/kernel"
)

const (
	replayBatch = 500 // events that one transaction of a replay reads

	// replayAtLeast is the minimum duration of a replay: a transaction that began before the webhook became active
	// adds no deliveries for it and may still be running.
	replayAtLeast = 10 * time.Second
)

// ReplayMissed adds deliveries for a batch of the events that a webhook missed while it was inactive, oldest first. It reports
// whether there are more.
func (d *Webhooks) ReplayMissed(ctx context.Context, company, webhook kernel.ID) (more bool, err error) {
	horizon, err := kernel.ReadOne(ctx, d.Kernel, feedHorizon)
	if err != nil {
		return false, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		p, found, err := lockReplay(tx, company, webhook)
		if err != nil || !found {
			return false, err
		}
		missed, seen, err := missedEvents(tx, &p, horizon)
		if err != nil {
			return false, err
		}
		for _, e := range missed {
			has, err := hasDelivery(tx, p, e.ID)
			if err != nil {
				return false, err
			}
			allowed, err := allowsBoard(tx, p.company, p.boardsOf, e.Board)
			if err != nil {
				return false, err
			}
			if allowed && !has {
				addReplayed(tx, p, e)
			}
		}
		saveReplay(tx, p)
		if seen == 0 && tx.Now.Sub(p.since) >= replayAtLeast {
			endReplay(tx, p)
		}
		return seen == replayBatch, nil
	})
}

// missedEvents returns the next events that a webhook subscribed to and advances the replay past them. It also returns the number
// of events that it read.
func missedEvents(tx *kernel.Tx, p *replay, horizon int64) (missed []FeedRow, seen int, err error) {
	oldest := tx.Now.Add(-EventRetention)
	err = findFeed(tx, p.company, p.position, p.id, horizon, "", replayBatch, func(e FeedRow) {
		seen++
		p.position, p.id = e.Position, e.ID
		hidden := e.Conversation != nil && e.Conversation.Private || e.Card != nil && (e.Card.Private || e.Card.Hidden)
		if p.events.Has(e.Type) && !e.CreatedAt.Before(oldest) && !hidden {
			missed = append(missed, e)
		}
	})
	return missed, seen, err
}

// ContinueReplays continues the replays of all webhooks, in case the node that ran one has ended. It logs a replay that fails
// and leaves it to the next call.
func (d *Webhooks) ContinueReplays(ctx context.Context) error {
	webhooks, err := kernel.Read(ctx, d.Kernel, replays)
	for _, w := range webhooks {
		if _, err := d.ReplayMissed(ctx, w.company, w.id); err != nil {
			d.Log.Warn("the replay of a webhook failed and will be retried", slog.String("webhook", w.id.String()), slog.Any("error", err))
			continue
		}
		d.announce(w.company, w.id)
	}
	return err
}
