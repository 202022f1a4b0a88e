package webhooks

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const deliveryColumns = `d.id, d.event, d.event_type, d.status, d.next_attempt_at, d.created_at, d.finished_at, d.log`

func scanDelivery(r db.Row) (Delivery, error) {
	d := Delivery{
		ID: r.ID(0), EventID: r.ID(1), Event: kernel.EventType(r.Text(2)), Status: r.Text(3), NextAttemptAt: r.NullTime(4),
		CreatedAt: r.Time(5), FinishedAt: r.NullTime(6), Attempts: []Attempt{},
	}
	if log := r.Text(7); log != "" {
		return d, json.Unmarshal([]byte("["+strings.TrimSuffix(log, ",")+"]"), &d.Attempts)
	}
	return d, nil
}

// attemptLog is one entry of a delivery's log.
func attemptLog(a Attempt) (string, error) {
	b, err := kernel.AppendJSON(nil, a)
	return string(append(b, ',')), err
}

// listDeliveries lists a webhook's deliveries, newest first, from the one before the given on; a zero id
// means from the newest.
func listDeliveries(tx *kernel.Tx, company, webhook, before kernel.ID, limit int) ([]Delivery, error) {
	if before.IsZero() {
		before = kernel.MaxID
	}
	var out []Delivery
	err := tx.Query(`
		SELECT `+deliveryColumns+`
		FROM deliveries d
		WHERE d.webhook = $1 AND d.id < $2 AND d.company = $3
		ORDER BY d.id DESC
		LIMIT $4`, []any{webhook, before, company, limit}, func(r db.Row) error {
		d, err := scanDelivery(r)
		out = append(out, d)
		return err
	})
	return out, err
}

// findDelivery gives one delivery of a webhook.
func findDelivery(tx *kernel.Tx, company, webhook, id kernel.ID) (Delivery, bool, error) {
	var d Delivery
	var broken error
	found, err := tx.One(`
		SELECT `+deliveryColumns+`
		FROM deliveries d
		WHERE d.webhook = $1 AND d.id = $2 AND d.company = $3`, []any{webhook, id, company}, func(r db.Row) {
		d, broken = scanDelivery(r)
	})
	if err == nil {
		err = broken
	}
	return d, found, err
}

// insertDelivery adds a delivery: pending and due at NextAttemptAt, or final with its attempts.
func insertDelivery(tx *kernel.Tx, company, webhook kernel.ID, d Delivery) error {
	var log strings.Builder
	for _, a := range d.Attempts {
		entry, err := attemptLog(a)
		if err != nil {
			return err
		}
		log.WriteString(entry)
	}
	tx.Later(`
		INSERT INTO deliveries (webhook, id, company, event, event_type, status, attempts, next_attempt_at, created_at, finished_at, log)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		webhook, d.ID, company, d.EventID, d.Event, d.Status, len(d.Attempts), d.NextAttemptAt, d.CreatedAt, d.FinishedAt, log.String())
	return nil
}

// Pending is a webhook with deliveries that are not final.
type Pending struct {
	Webhook kernel.ID
	DueAt   time.Time // of the one that is due first
	Active  bool      // false: inactive or deleted, so what is pending must be given up
}

// pendingWebhooks lists the webhooks that have pending deliveries, except those under the lease of
// another node than owner; a zero owner leaves out none. It goes from webhook to webhook through the index of due deliveries, so
// neither idle webhooks nor a long queue make it slow.
func pendingWebhooks(tx *kernel.Tx, owner kernel.ID) ([]Pending, error) {
	var out []Pending
	err := tx.Query(`
		WITH RECURSIVE hop (webhook) AS (
			SELECT (SELECT webhook FROM deliveries WHERE next_attempt_at IS NOT NULL ORDER BY webhook, next_attempt_at, id LIMIT 1)
			UNION ALL
			SELECT (
				SELECT d.webhook
				FROM deliveries d
				WHERE d.next_attempt_at IS NOT NULL AND d.webhook > hop.webhook
				ORDER BY d.webhook, d.next_attempt_at, d.id
				LIMIT 1)
			FROM hop
			WHERE hop.webhook IS NOT NULL
		)
		SELECT hop.webhook, w.active, (
			SELECT d.next_attempt_at
			FROM deliveries d
			WHERE d.webhook = hop.webhook AND d.next_attempt_at IS NOT NULL
			ORDER BY d.webhook, d.next_attempt_at, d.id
			LIMIT 1)
		FROM hop
		LEFT JOIN webhooks w ON w.id = hop.webhook
		LEFT JOIN lanes l ON l.subject = hop.webhook AND l.owner <> $1 AND l.lease_until >= $2
		WHERE hop.webhook IS NOT NULL AND l.subject IS NULL`, []any{owner, tx.Now}, func(r db.Row) error {
		if !r.Null(2) { // finished between two looks of one statement
			out = append(out, Pending{Webhook: r.ID(0), Active: !r.Null(1) && r.Bool(1), DueAt: r.Time(2)})
		}
		return nil
	})
	return out, err
}

// DueDeliveries is what a webhook has to do now.
type DueDeliveries struct {
	IDs       []kernel.ID // in the order in which they go out
	Company   kernel.ID
	Active    bool // false: nothing of it may go out
	Replaying bool // it gets events that it missed
	Missed    bool // during a replay: the first one is an event that was missed
	Retrying  bool // during a replay: an attempt failed, and nothing else goes out before the next one
}

// dueDeliveries returns up to limit due deliveries of a webhook.
func dueDeliveries(tx *kernel.Tx, webhook kernel.ID, now time.Time, limit int) (due DueDeliveries, err error) {
	err = tx.Query(`
		WITH hook AS (
			SELECT w.active, w.company, CASE WHEN w.replay_position IS NOT NULL THEN w.replay_since END AS replay_since, w.replay_position IS NOT NULL AND EXISTS (
				SELECT 1 FROM deliveries f WHERE f.webhook = $1 AND f.next_attempt_at >= w.replay_since AND f.attempts > 0) AS retrying
			FROM webhooks w
			WHERE w.id = $1
		)
		SELECT w.active, d.id, w.company, w.replay_since, w.retrying, d.next_attempt_at < w.replay_since
		FROM (SELECT 1 AS here) one
		LEFT JOIN hook w ON TRUE
		LEFT JOIN (
			SELECT id, next_attempt_at
			FROM deliveries
			WHERE webhook = $1 AND next_attempt_at <= $2 AND (attempts > 0 OR NOT (SELECT retrying FROM hook))
			ORDER BY next_attempt_at, id
			LIMIT $3
		) d ON w.active
		ORDER BY d.next_attempt_at, d.id`, []any{webhook, now, limit}, func(r db.Row) error {
		due.Active, due.Replaying = !r.Null(0) && r.Bool(0), !r.Null(3)
		due.Retrying = due.Replaying && r.Bool(4)
		if !r.Null(1) {
			due.Missed = due.Missed || due.Replaying && len(due.IDs) == 0 && r.Bool(5)
			due.IDs, due.Company = append(due.IDs, r.ID(1)), r.ID(2)
		}
		return nil
	})
	return due, err
}

// Outgoing is everything one attempt needs, as it is at this moment.
type Outgoing struct {
	Delivery kernel.ID
	Attempts int64 // made before
	Event    kernel.EventType
	EventID  kernel.ID
	Body     []byte // nil when the event is older than events are kept
	Withheld bool   // the event tells of a card that no key may see any more
	Webhook  WebhookRow
}

// outgoing reports false when the delivery is final, or its webhook inactive or deleted.
func outgoing(tx *kernel.Tx, webhook, delivery kernel.ID) (Outgoing, bool, error) {
	var o Outgoing
	found, err := tx.One(`
		SELECT`+webhookColumns+`, d.attempts, d.event_type, d.event, e.body, `+withheld+`
		FROM deliveries d
		JOIN webhooks w ON w.id = d.webhook
		LEFT JOIN events e ON e.id = d.event
		LEFT JOIN cards k ON k.id = e.card
		WHERE d.webhook = $1 AND d.id = $2 AND d.next_attempt_at IS NOT NULL AND w.active`, []any{webhook, delivery}, func(r db.Row) {
		o = Outgoing{
			Webhook: scanWebhook(r), Delivery: delivery,
			Attempts: r.Int(webhookWidth), Event: kernel.EventType(r.Text(webhookWidth + 1)), EventID: r.ID(webhookWidth + 2),
			Body: r.Bytes(webhookWidth + 3), Withheld: r.Bool(webhookWidth + 4),
		}
	})
	return o, found, err
}

// AttemptMade is the result of one attempt. It is stored only if the number of attempts is still the
// one it began with and, where nodes share the work, if the lease is still the one it was made under.
type AttemptMade struct {
	Webhook  kernel.ID
	Delivery kernel.ID
	Owner    kernel.ID
	Epoch    int64 // 0: no lease
	Before   int64 // attempts made before
	Attempt  Attempt
	Status   string     // delivered, failed, or pending for another attempt
	NextAt   *time.Time // when pending
}

const (
	finishDelivery = `
		UPDATE deliveries
		SET status = $4, finished_at = $5, next_attempt_at = NULL, attempts = attempts + 1, log = log || $6
		WHERE webhook = $1 AND id = $2 AND attempts = $3`

	// A delivery that was given up during the attempt stays final.
	retryDelivery = `
		UPDATE deliveries
		SET next_attempt_at = CASE WHEN next_attempt_at IS NULL THEN next_attempt_at ELSE $4 END, attempts = attempts + 1, log = log || $5
		WHERE webhook = $1 AND id = $2 AND attempts = $3`

	underFinishLease = ` AND EXISTS (SELECT 1 FROM lanes WHERE subject = $1 AND owner = $7 AND epoch = $8)`
	underRetryLease  = ` AND EXISTS (SELECT 1 FROM lanes WHERE subject = $1 AND owner = $6 AND epoch = $7)`
)

// saveAttempt writes a result down. With counted it waits for the outcome and tells whether the
// result was stored.
func saveAttempt(tx *kernel.Tx, m AttemptMade, counted bool) (stored bool, err error) {
	entry, err := attemptLog(m.Attempt)
	if err != nil {
		return false, err
	}
	var sql string
	var args []any
	if m.Status == DeliveryPending {
		sql, args = retryDelivery, []any{m.Webhook, m.Delivery, m.Before, m.NextAt, entry}
		if m.Epoch != 0 {
			sql, args = retryDelivery+underRetryLease, append(args, m.Owner, m.Epoch)
		}
	} else {
		sql, args = finishDelivery, []any{m.Webhook, m.Delivery, m.Before, m.Status, tx.Now, entry}
		if m.Epoch != 0 {
			sql, args = finishDelivery+underFinishLease, append(args, m.Owner, m.Epoch)
		}
	}
	if !counted {
		tx.Later(sql, args...)
		return true, nil
	}
	n, err := tx.Exec(sql, args...)
	return n == 1, err
}

// giveUpPending ends up to limit pending deliveries of a webhook as failed, for a reason that joins
// their log, and tells how many there were.
func giveUpPending(tx *kernel.Tx, webhook kernel.ID, reason string, limit int) (int64, error) {
	entry, err := attemptLog(Attempt{At: tx.Now, Error: &reason})
	if err != nil {
		return 0, err
	}
	return tx.Exec(`
		UPDATE deliveries
		SET status = 'failed', finished_at = $2, next_attempt_at = NULL, log = log || $3
		WHERE webhook = $1 AND id IN (
			SELECT id
			FROM deliveries
			WHERE webhook = $1 AND next_attempt_at IS NOT NULL
			ORDER BY webhook, next_attempt_at, id
			LIMIT $4)`, webhook, tx.Now, entry, limit)
}

// dropPending deletes up to limit pending deliveries of a webhook that is gone.
func dropPending(tx *kernel.Tx, webhook kernel.ID, limit int) (int64, error) {
	return tx.Exec(`
		DELETE FROM deliveries
		WHERE webhook = $1 AND id IN (
			SELECT id
			FROM deliveries
			WHERE webhook = $1 AND next_attempt_at IS NOT NULL
			ORDER BY webhook, next_attempt_at, id
			LIMIT $2)`, webhook, limit)
}

// purgeDeliveries deletes up to limit deliveries made before a moment, oldest first.
func purgeDeliveries(tx *kernel.Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(`
		DELETE FROM deliveries
		WHERE (webhook, id) IN (SELECT webhook, id FROM deliveries WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}

// countDue gives the number of due deliveries, counting no further than most.
func countDue(tx *kernel.Tx, most int) (int64, error) {
	var n int64
	_, err := tx.One(`
		SELECT COUNT(*)
		FROM (SELECT 1 AS due FROM deliveries WHERE next_attempt_at IS NOT NULL AND next_attempt_at <= $1 LIMIT $2) counted`,
		[]any{tx.Now, most}, func(r db.Row) { n = r.Int(0) })
	return n, err
}
