package webhooks

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// replay delivers the events that a webhook missed while it was inactive.
type replay struct {
	webhook  kernel.ID
	company  kernel.ID
	events   kernel.EventSet
	boardsOf *kernel.ID
	position int64 // of the last event that was read
	id       kernel.ID
	missedAt time.Time // when the webhook became inactive
	since    time.Time // when it became active again
}

// missEvents records that a webhook gets no events from now on. That includes its pending deliveries and the events that a
// replay has not reached.
func missEvents(tx *kernel.Tx, company, webhook kernel.ID) error {
	position, _, err := feedEnd(tx, company)
	if err != nil {
		return err
	}
	_, err = tx.One(`
		SELECT MIN(e.position) AS first_pending
		FROM deliveries d
		JOIN events e ON e.company = d.company AND e.id = d.event
		WHERE d.company = $1 AND d.webhook = $2 AND d.next_attempt_at IS NOT NULL`, []any{company, webhook}, func(r db.Row) {
		if first := r.NullInt("first_pending"); first != nil {
			position = min(position, *first-1)
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
		WHERE company = $1 AND id = $2`, company, webhook, position, tx.Now)
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
	found, err = tx.One(`
		SELECT events, boards_of, replay_position, replay_id, missed_at, replay_since
		FROM webhooks
		WHERE company = $1 AND id = $2 AND active AND replay_position IS NOT NULL`+tx.ForUpdate(),
		[]any{company, webhook}, func(r db.Row) {
			p = replay{
				webhook: webhook, company: company, events: kernel.StoredEvents(r.Text("events")), boardsOf: r.NullID("boards_of"),
				position: r.Int("replay_position"), id: r.ID("replay_id"), missedAt: r.Time("missed_at"), since: r.Time("replay_since"),
			}
		})
	return p, found, err
}

// replays returns the webhooks of all companies that have a replay.
func replays(tx *kernel.Tx) ([]webhookKey, error) {
	var out []webhookKey
	err := tx.Query(`
		SELECT /* all companies: due work */ company, id
		FROM webhooks
		WHERE active AND replay_position IS NOT NULL`, nil, func(r db.Row) error {
		out = append(out, webhookKey{r.ID("company"), r.ID("id")})
		return nil
	})
	return out, err
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

// saveReplay stores the progress of a replay.
func saveReplay(tx *kernel.Tx, p replay) {
	tx.Later(`UPDATE webhooks SET replay_position = $3, replay_id = $4 WHERE company = $1 AND id = $2`,
		p.company, p.webhook, p.position, p.id)
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
