package desk

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

const (
	replayBatch = 500 // events of the feed that one transaction of a replay looks at

	// replayAtLeast is how long a replay lasts at least: a transaction that began before the webhook became active
	// adds no delivery of its events and may still be running.
	replayAtLeast = 10 * time.Second
)

// ReplayMissed adds deliveries of events that a webhook missed while it was inactive, a batch at a time, oldest first. It
// reports whether the replay has to look at more events now.
func (d System) ReplayMissed(ctx context.Context, webhook model.ID) (more bool, err error) {
	var horizon int64
	err = d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		horizon, err = tx.FeedHorizon()
		return err
	})
	if err != nil {
		return false, err
	}
	return write(ctx, d.Desk, func(tx *store.Tx) (bool, error) {
		p, found, err := tx.LockReplay(webhook)
		if err != nil || !found {
			return false, err
		}
		missed, seen, err := missedEvents(tx, &p, horizon)
		if err != nil {
			return false, err
		}
		for _, e := range missed {
			has, err := tx.HasDelivery(p, e.ID)
			if err != nil {
				return false, err
			}
			allowed, err := tx.AllowsBoard(p.BoardsOf, e.Board)
			if err != nil {
				return false, err
			}
			if allowed && !has {
				tx.AddReplayed(p, e.ID, e.Type, e.CreatedAt)
			}
		}
		tx.SaveReplay(p)
		if seen == 0 && tx.Now.Sub(p.Since) >= replayAtLeast {
			tx.EndReplay(p)
		}
		return seen == replayBatch, nil
	})
}

// missedEvents returns the next events that a webhook asked for and moves the replay behind them. It also returns the number of
// events that it looked at.
func missedEvents(tx *store.Tx, p *store.Replay, horizon int64) (missed []store.FeedEvent, seen int, err error) {
	oldest := tx.Now.Add(-model.EventRetention)
	err = tx.Feed(p.Company, p.Position, p.ID, horizon, "", replayBatch, func(e store.FeedEvent) {
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
func (d System) ContinueReplays(ctx context.Context) error {
	webhooks, err := read(ctx, d.Desk, func(tx *store.Tx) ([]model.ID, error) { return tx.Replays() })
	for _, webhook := range webhooks {
		if _, err := d.ReplayMissed(ctx, webhook); err != nil {
			d.log.Warn("the replay of a webhook failed and will be tried again", slog.String("webhook", webhook.String()), slog.Any("error", err))
			continue
		}
		d.announce(webhook)
	}
	return err
}
