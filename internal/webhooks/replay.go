package webhooks

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/kernel"
)

const (
	replayBatch = 500 // events of the feed that one transaction of a replay looks at

	// replayAtLeast is how long a replay lasts at least: a transaction that began before the webhook became active
	// adds no delivery of its events and may still be running.
	replayAtLeast = 10 * time.Second
)

// ReplayMissed adds deliveries of events that a webhook missed while it was inactive, a batch at a time, oldest first. It
// reports whether the replay has to look at more events now.
func (d *Webhooks) ReplayMissed(ctx context.Context, company, webhook kernel.ID) (more bool, err error) {
	var horizon int64
	err = d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		horizon, err = feedHorizon(tx)
		return err
	})
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
			allowed, err := allowsBoard(tx, p.Company, p.BoardsOf, e.Board)
			if err != nil {
				return false, err
			}
			if allowed && !has {
				addReplayed(tx, p, e.ID, e.Type, e.CreatedAt)
			}
		}
		saveReplay(tx, p)
		if seen == 0 && tx.Now.Sub(p.Since) >= replayAtLeast {
			endReplay(tx, p)
		}
		return seen == replayBatch, nil
	})
}

// missedEvents returns the next events that a webhook asked for and moves the replay behind them. It also returns the number of
// events that it looked at.
func missedEvents(tx *kernel.Tx, p *Replay, horizon int64) (missed []FeedRow, seen int, err error) {
	oldest := tx.Now.Add(-EventRetention)
	err = findFeed(tx, p.Company, p.Position, p.ID, horizon, "", replayBatch, func(e FeedRow) {
		seen++
		p.Position, p.ID = e.Position, e.ID
		if p.Events.Has(e.Type) && !e.CreatedAt.Before(oldest) && (e.Conversation == nil || !e.Conversation.Private) && (e.Card == nil || !e.Card.Private && !e.Card.Hidden) {
			missed = append(missed, e)
		}
	})
	return missed, seen, err
}

// ContinueReplays goes on with the replays of all webhooks, in case the node that worked for one has ended. The replay of one that
// fails is left for the next call.
func (d *Webhooks) ContinueReplays(ctx context.Context) error {
	webhooks, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]webhookKey, error) { return replays(tx) })
	for _, w := range webhooks {
		if _, err := d.ReplayMissed(ctx, w.company, w.id); err != nil {
			d.Log.Warn("the replay of a webhook failed and will be tried again", slog.String("webhook", w.id.String()), slog.Any("error", err))
			continue
		}
		d.announce(w.company, w.id)
	}
	return err
}
