package webhooks

import (
	"time"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// Replay is the delivery of events that a webhook missed while it was inactive.
type Replay struct {
	Webhook  kernel.ID
	Company  kernel.ID
	Events   kernel.EventSet
	BoardsOf *kernel.ID
	Position int64 // of the last event that was looked at
	ID       kernel.ID
	MissedAt time.Time // when the webhook became inactive
	Since    time.Time // when it became active again
}

// missEvents remembers that a webhook gets no events from now on, including those that are pending for it and those
// that a replay has not reached.
func missEvents(tx *kernel.Tx, company, webhook kernel.ID) error {
	position, _, err := feedEnd(tx, company)
	if err != nil {
		return err
	}
	_, err = tx.One(`
		SELECT MIN(e.position)
		FROM deliveries d
		JOIN events e ON e.company = d.company AND e.id = d.event
		WHERE d.company = $1 AND d.webhook = $2 AND d.next_attempt_at IS NOT NULL`, []any{company, webhook}, func(r db.Row) {
		if !r.Null(0) {
			position = min(position, r.Int(0)-1)
		}
	})
	if err != nil {
		return err
	}
	tx.Later(`
		UPDATE webhooks
		SET missed_position = CASE WHEN replay_position < $3 THEN replay_position - 1 ELSE $3 END,
			missed_at = CASE WHEN replay_position IS NULL THEN $4 ELSE missed_at END, replay_position = NULL, replay_id = NULL, replay_since = NULL
		WHERE company = $1 AND id = $2`, company, webhook, position, tx.Now)
	return nil
}

// startReplay begins to deliver what a webhook missed, unless that is going on. It reports false when it is not known that the webhook
// missed anything.
func startReplay(tx *kernel.Tx, company, webhook kernel.ID) (bool, error) {
	n, err := tx.Exec(`
		UPDATE webhooks
		SET replay_position = COALESCE(replay_position, missed_position),
			replay_id = CASE WHEN replay_position IS NULL THEN $3 ELSE replay_id END, replay_since = CASE WHEN replay_position IS NULL THEN $4 ELSE replay_since END
		WHERE company = $1 AND id = $2 AND missed_position IS NOT NULL`, company, webhook, kernel.MaxID, tx.Now)
	return n == 1, err
}

const replayColumns = `id, company, events, boards_of, replay_position, replay_id, missed_at, replay_since`

func scanReplay(r db.Row) Replay {
	return Replay{
		Webhook: r.ID(0), Company: r.ID(1), Events: kernel.StoredEvents(r.Text(2)), BoardsOf: r.NullID(3),
		Position: r.Int(4), ID: r.ID(5), MissedAt: r.Time(6), Since: r.Time(7),
	}
}

// lockReplay returns the replay of an active webhook for a transaction that goes on with it.
func lockReplay(tx *kernel.Tx, company, webhook kernel.ID) (p Replay, found bool, err error) {
	found, err = tx.One(`SELECT `+replayColumns+` FROM webhooks WHERE company = $1 AND id = $2 AND active AND replay_position IS NOT NULL`+tx.ForUpdate(),
		[]any{company, webhook}, func(r db.Row) { p = scanReplay(r) })
	return p, found, err
}

// replays lists the webhooks of all companies that have a replay.
func replays(tx *kernel.Tx) ([]webhookKey, error) {
	var out []webhookKey
	err := tx.Query(`SELECT /* all companies: due work */ company, id FROM webhooks WHERE active AND replay_position IS NOT NULL`, nil, func(r db.Row) error {
		out = append(out, webhookKey{r.ID(0), r.ID(1)})
		return nil
	})
	return out, err
}

// hasDelivery reports whether a webhook got an event, or will get it, in another way than by the replay: its delivery was
// not given up because the webhook became inactive.
func hasDelivery(tx *kernel.Tx, p Replay, event kernel.ID) (bool, error) {
	// A delivery is made in the transaction of its event, so its id is close to the event's; there is no index of events.
	at := event.Time()
	return tx.One(`
		SELECT 1
		FROM deliveries
		WHERE company = $1 AND webhook = $2 AND id >= $3 AND id < $4 AND event = $5 AND (status <> 'failed' OR finished_at < $6)
		LIMIT 1`,
		[]any{p.Company, p.Webhook, kernel.FirstIDOf(at.Add(-transactionLength)), kernel.FirstIDOf(at.Add(transactionLength)), event, p.MissedAt}, func(db.Row) {})
}

// transactionLength is longer than any transaction that raises an event takes.
const transactionLength = time.Minute

// addReplayed adds the delivery of an event that the webhook missed. It is due since the event, so it goes out before later events.
func addReplayed(tx *kernel.Tx, p Replay, event kernel.ID, kind kernel.EventType, at time.Time) {
	tx.Later(`
		INSERT INTO deliveries (company, webhook, id, event, event_type, status, attempts, next_attempt_at, created_at, log)
		VALUES ($1, $2, $3, $4, $5, 'pending', 0, $6, $7, '')`,
		p.Company, p.Webhook, kernel.NewID(), event, kind, at, tx.Now)
}

// saveReplay stores how far a replay has come.
func saveReplay(tx *kernel.Tx, p Replay) {
	tx.Later(`UPDATE webhooks SET replay_position = $3, replay_id = $4 WHERE company = $1 AND id = $2`, p.Company, p.Webhook, p.Position, p.ID)
}

// endReplay ends a replay unless deliveries of it are still pending.
func endReplay(tx *kernel.Tx, p Replay) {
	tx.Later(`
		UPDATE webhooks
		SET missed_position = NULL, missed_at = NULL, replay_position = NULL, replay_id = NULL, replay_since = NULL
		WHERE company = $1 AND id = $2
			AND NOT EXISTS (
				SELECT 1
				FROM deliveries d
				WHERE d.company = $1 AND d.webhook = $2 AND d.next_attempt_at IS NOT NULL AND (d.next_attempt_at < $3 OR d.attempts > 0))`, p.Company, p.Webhook, p.Since)
}

// allowsBoard reports whether the events of a board go to a webhook that a key registered, which may have a list of boards.
func allowsBoard(tx *kernel.Tx, company kernel.ID, boardsOf, board *kernel.ID) (bool, error) {
	if boardsOf == nil || board == nil {
		return true, nil
	}
	return tx.One(`SELECT 1 FROM key_boards WHERE company = $1 AND key_id = $2 AND board = $3`, []any{company, *boardsOf, *board}, func(db.Row) {})
}
