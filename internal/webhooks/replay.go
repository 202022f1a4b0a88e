package webhooks

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
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
		var missed []FeedRow
		seen, oldest := 0, tx.Now.Add(-kernel.EventRetention)
		err = readFeed(tx, selectFeed, company, p.FeedPlace, horizon, 0, replayBatch, func(e FeedRow) {
			seen++
			p.FeedPlace = e.FeedPlace
			hidden := e.Conversation != nil && e.Conversation.Private || e.Card != nil && (e.Card.Private || e.Card.Hidden)
			if p.events.Has(e.Type) && !e.CreatedAt.Before(oldest) && !hidden {
				missed = append(missed, e)
			}
		})
		if err != nil {
			return false, err
		}
		for _, e := range missed {
			has, err := hasDelivery(tx, p, e.ID)
			if err != nil {
				return false, err
			}
			allowed, err := allowsBoard(tx, company, p.boardsOf, e.Board)
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

// replay delivers the events that a webhook missed while it was inactive.
type replay struct {
	webhook   kernel.ID
	company   kernel.ID
	events    kernel.EventSet
	boardsOf  *kernel.ID
	FeedPlace           // of the last event that was read
	missedAt  time.Time // when the webhook became inactive
	since     time.Time // when it became active again
}

// missEvents records that a webhook gets no events from now on. That includes its pending deliveries and the events that a
// replay has not reached.
func missEvents(tx *kernel.Tx, company, webhook kernel.ID) error {
	end, err := feedEnd(tx, company)
	if err != nil {
		return err
	}
	_, err = tx.One(`
		SELECT MIN(e.position) AS first_pending
		FROM deliveries d
		JOIN events e ON e.company = d.company AND e.id = d.event
		WHERE d.company = $1 AND d.webhook = $2 AND d.next_attempt_at IS NOT NULL`, []any{company, webhook}, func(r db.Row) {
		if first := r.NullInt("first_pending"); first != nil {
			end.Position = min(end.Position, *first-1)
		}
	})
	if err != nil {
		return err
	}
	tx.Later(`
		UPDATE webhooks
		SET missed_position = CASE WHEN replay_position < $3 THEN replay_position - 1 ELSE $3 END,
			missed_at = CASE WHEN replay_position IS NULL THEN $4 ELSE missed_at END,
			replay_position = NULL, replay_id = NULL, replay_since = NULL
		WHERE company = $1 AND id = $2`, company, webhook, end.Position, tx.Now)
	return nil
}

// startReplay starts the replay of a webhook unless one is running. It reports false if the webhook has missed nothing.
func startReplay(tx *kernel.Tx, company, webhook kernel.ID) (bool, error) {
	n, err := tx.Exec(`
		UPDATE webhooks
		SET replay_position = COALESCE(replay_position, missed_position),
			replay_id = CASE WHEN replay_position IS NULL THEN $3 ELSE replay_id END,
			replay_since = CASE WHEN replay_position IS NULL THEN $4 ELSE replay_since END
		WHERE company = $1 AND id = $2 AND missed_position IS NOT NULL`, company, webhook, kernel.MaxID, tx.Now)
	return n == 1, err
}

// lockReplay returns the replay of an active webhook and locks the webhook until the end of the transaction.
func lockReplay(tx *kernel.Tx, company, webhook kernel.ID) (p replay, found bool, err error) {
	return kernel.Row(tx, `
		SELECT events, boards_of, replay_position, replay_id, missed_at, replay_since
		FROM webhooks
		WHERE company = $1 AND id = $2 AND active AND replay_position IS NOT NULL`+tx.ForUpdate(),
		[]any{company, webhook}, func(r db.Row) replay {
			return replay{
				webhook: webhook, company: company, events: kernel.StoredEvents(r.Text("events")), boardsOf: r.NullID("boards_of"),
				FeedPlace: FeedPlace{r.Int("replay_position"), r.ID("replay_id")},
				missedAt:  r.Time("missed_at"), since: r.Time("replay_since"),
			}
		})
}

// replays returns the webhooks of all companies that have a replay.
func replays(tx *kernel.Tx) ([]webhookKey, error) {
	return kernel.Rows(tx, `
		SELECT /* all companies: due work */ company, id
		FROM webhooks
		WHERE active AND replay_position IS NOT NULL`, nil,
		func(r db.Row) webhookKey { return webhookKey{r.ID("company"), r.ID("id")} })
}

// maxTransaction is longer than any transaction that records an event.
const maxTransaction = time.Minute

// hasDelivery reports whether a webhook got an event, or will get it, other than by the replay: there is a delivery that was not
// given up when the webhook became inactive.
func hasDelivery(tx *kernel.Tx, p replay, event kernel.ID) (bool, error) {
	// A delivery is created in the transaction of its event, so their ids are close. There is no index by event.
	first, end := kernel.FirstIDOf(event.Time().Add(-maxTransaction)), kernel.FirstIDOf(event.Time().Add(maxTransaction))
	return tx.One(`
		SELECT 1
		FROM deliveries
		WHERE company = $1 AND webhook = $2 AND id >= $3 AND id < $4 AND event = $5 AND (status <> 'failed' OR finished_at < $6)
		LIMIT 1`, []any{p.company, p.webhook, first, end, event, p.missedAt}, func(db.Row) {})
}

// addReplayed adds the delivery of a missed event. It is due since the event, so it is sent before later events.
func addReplayed(tx *kernel.Tx, p replay, e FeedRow) {
	tx.Later(`
		INSERT INTO deliveries (company, webhook, id, event, event_type, status, attempts, next_attempt_at, created_at, log)
		VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6, $7, '')`,
		p.company, p.webhook, kernel.NewID(), e.ID, e.Type, e.CreatedAt, tx.Now)
}

func saveReplay(tx *kernel.Tx, p replay) {
	tx.Later(`UPDATE webhooks SET replay_position = $3, replay_id = $4 WHERE company = $1 AND id = $2`,
		p.company, p.webhook, p.Position, p.ID)
}

// endReplay ends a replay unless some of its deliveries are still pending.
func endReplay(tx *kernel.Tx, p replay) {
	tx.Later(`
		UPDATE webhooks
		SET missed_position = NULL, missed_at = NULL, replay_position = NULL, replay_id = NULL, replay_since = NULL
		WHERE company = $1 AND id = $2
			AND NOT EXISTS (
				SELECT 1
				FROM deliveries d
				WHERE d.company = $1 AND d.webhook = $2 AND d.next_attempt_at IS NOT NULL AND (d.next_attempt_at < $3 OR d.attempts > 0))`,
		p.company, p.webhook, p.since)
}

// allowsBoard reports whether a webhook gets the events of a board. boardsOf is the key whose list of boards limits it.
func allowsBoard(tx *kernel.Tx, company kernel.ID, boardsOf, board *kernel.ID) (bool, error) {
	if boardsOf == nil || board == nil {
		return true, nil
	}
	return tx.One(`SELECT 1 FROM key_boards WHERE company = $1 AND key_id = $2 AND board = $3`,
		[]any{company, *boardsOf, *board}, func(db.Row) {})
}
