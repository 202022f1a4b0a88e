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
		WHERE d.company = $1 AND d.webhook = $2 AND d.id < $3
		ORDER BY d.id DESC
		LIMIT $4`, []any{company, webhook, before, limit}, func(r db.Row) error {
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
		WHERE d.company = $1 AND d.webhook = $2 AND d.id = $3`, []any{company, webhook, id}, func(r db.Row) {
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
		INSERT INTO deliveries (company, webhook, id, event, event_type, status, attempts, next_attempt_at, created_at, finished_at, log)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		company, webhook, d.ID, d.EventID, d.Event, d.Status, len(d.Attempts), d.NextAttemptAt, d.CreatedAt, d.FinishedAt, log.String())
	return nil
}

// Pending is a webhook with deliveries that are not final.
type Pending struct {
	Company kernel.ID
	Webhook kernel.ID
	DueAt   time.Time // of the one that is due first
	Active  bool      // false: inactive or deleted, so what is pending must be given up
}

// pendingWebhooks lists the webhooks that have pending deliveries, except those under the lease of
// another node than owner; a zero owner leaves out none. It goes from company to company and from webhook to webhook through the
// index of due deliveries, so neither idle webhooks nor a long queue make it slow.
func pendingWebhooks(tx *kernel.Tx, owner kernel.ID) ([]Pending, error) {
	var out []Pending
	err := tx.Query(`
		WITH RECURSIVE busy (company) AS ( /* all companies: due work */
			SELECT (SELECT d.company FROM deliveries d WHERE d.next_attempt_at IS NOT NULL`+firstDue+`)
			UNION ALL
			SELECT (SELECT d.company FROM deliveries d WHERE d.next_attempt_at IS NOT NULL AND d.company > busy.company`+firstDue+`)
			FROM busy
			WHERE busy.company IS NOT NULL
		), hop (company, webhook) AS (
			SELECT busy.company, (SELECT d.webhook FROM deliveries d WHERE d.next_attempt_at IS NOT NULL AND d.company = busy.company`+firstDue+`)
			FROM busy
			WHERE busy.company IS NOT NULL
			UNION ALL
			SELECT hop.company, (
				SELECT d.webhook
				FROM deliveries d
				WHERE d.next_attempt_at IS NOT NULL AND d.company = hop.company AND d.webhook > hop.webhook`+firstDue+`)
			FROM hop
			WHERE hop.webhook IS NOT NULL
		)
		SELECT hop.company, hop.webhook, w.active, (
			SELECT d.next_attempt_at
			FROM deliveries d
			WHERE d.next_attempt_at IS NOT NULL AND d.company = hop.company AND d.webhook = hop.webhook`+firstDue+`)
		FROM hop
		LEFT JOIN webhooks w ON w.company = hop.company AND w.id = hop.webhook
		LEFT JOIN lanes l ON l.subject = hop.webhook AND l.owner <> $1 AND l.lease_until >= $2
		WHERE hop.webhook IS NOT NULL AND l.subject IS NULL`, []any{owner, tx.Now}, func(r db.Row) error {
		if !r.Null(3) { // finished between two looks of one statement
			out = append(out, Pending{Company: r.ID(0), Webhook: r.ID(1), Active: !r.Null(2) && r.Bool(2), DueAt: r.Time(3)})
		}
		return nil
	})
	return out, err
}

// firstDue is the order of the index of due deliveries.
const firstDue = ` ORDER BY d.company, d.webhook, d.next_attempt_at, d.id LIMIT 1`

// DueDeliveries is what a webhook has to do now.
type DueDeliveries struct {
	IDs       []kernel.ID // in the order in which they go out
	Active    bool        // false: nothing of it may go out
	Replaying bool        // it gets events that it missed
	Missed    bool        // during a replay: the first one is an event that was missed
	Retrying  bool        // during a replay: an attempt failed, and nothing else goes out before the next one
}

// dueDeliveries returns up to limit due deliveries of a webhook.
func dueDeliveries(tx *kernel.Tx, company, webhook kernel.ID, now time.Time, limit int) (due DueDeliveries, err error) {
	err = tx.Query(`
		WITH hook AS (
			SELECT w.active, CASE WHEN w.replay_position IS NOT NULL THEN w.replay_since END AS replay_since, w.replay_position IS NOT NULL AND EXISTS (
				SELECT 1 FROM deliveries f WHERE f.company = $1 AND f.webhook = $2 AND f.next_attempt_at >= w.replay_since AND f.attempts > 0) AS retrying
			FROM webhooks w
			WHERE w.company = $1 AND w.id = $2
		)
		SELECT w.active, d.id, w.replay_since, w.retrying, d.next_attempt_at < w.replay_since
		FROM (SELECT 1 AS here) one
		LEFT JOIN hook w ON TRUE
		LEFT JOIN (
			SELECT id, next_attempt_at
			FROM deliveries
			WHERE company = $1 AND webhook = $2 AND next_attempt_at <= $3 AND (attempts > 0 OR NOT (SELECT retrying FROM hook))
			ORDER BY next_attempt_at, id
			LIMIT $4
		) d ON w.active
		ORDER BY d.next_attempt_at, d.id`, []any{company, webhook, now, limit}, func(r db.Row) error {
		due.Active, due.Replaying = !r.Null(0) && r.Bool(0), !r.Null(2)
		due.Retrying = due.Replaying && r.Bool(3)
		if !r.Null(1) {
			due.Missed = due.Missed || due.Replaying && len(due.IDs) == 0 && r.Bool(4)
			due.IDs = append(due.IDs, r.ID(1))
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
func outgoing(tx *kernel.Tx, company, webhook, delivery kernel.ID) (Outgoing, bool, error) {
	var o Outgoing
	found, err := tx.One(`
		SELECT`+webhookColumns+`, d.attempts, d.event_type, d.event, e.body, `+withheld+`
		FROM deliveries d
		JOIN webhooks w ON w.company = d.company AND w.id = d.webhook
		LEFT JOIN events e ON e.company = d.company AND e.id = d.event
		LEFT JOIN cards k ON k.company = e.company AND k.id = e.card
		WHERE d.company = $1 AND d.webhook = $2 AND d.id = $3 AND d.next_attempt_at IS NOT NULL AND w.active`, []any{company, webhook, delivery}, func(r db.Row) {
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
	Company  kernel.ID
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
		SET status = $5, finished_at = $6, next_attempt_at = NULL, attempts = attempts + 1, log = log || $7
		WHERE company = $1 AND webhook = $2 AND id = $3 AND attempts = $4`

	// A delivery that was given up during the attempt stays final.
	retryDelivery = `
		UPDATE deliveries
		SET next_attempt_at = CASE WHEN next_attempt_at IS NULL THEN next_attempt_at ELSE $5 END, attempts = attempts + 1, log = log || $6
		WHERE company = $1 AND webhook = $2 AND id = $3 AND attempts = $4`

	underFinishLease = ` AND EXISTS (SELECT 1 FROM lanes WHERE subject = $2 AND owner = $8 AND epoch = $9)`
	underRetryLease  = ` AND EXISTS (SELECT 1 FROM lanes WHERE subject = $2 AND owner = $7 AND epoch = $8)`
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
		sql, args = retryDelivery, []any{m.Company, m.Webhook, m.Delivery, m.Before, m.NextAt, entry}
		if m.Epoch != 0 {
			sql, args = retryDelivery+underRetryLease, append(args, m.Owner, m.Epoch)
		}
	} else {
		sql, args = finishDelivery, []any{m.Company, m.Webhook, m.Delivery, m.Before, m.Status, tx.Now, entry}
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
func giveUpPending(tx *kernel.Tx, company, webhook kernel.ID, why attemptFailure, limit int) (int64, error) {
	given := Attempt{At: tx.Now}
	given.fail(why, kernel.Params{})
	entry, err := attemptLog(given)
	if err != nil {
		return 0, err
	}
	return tx.Exec(`
		UPDATE deliveries
		SET status = 'failed', finished_at = $3, next_attempt_at = NULL, log = log || $4
		WHERE company = $1 AND webhook = $2 AND id IN (
			SELECT id
			FROM deliveries
			WHERE company = $1 AND webhook = $2 AND next_attempt_at IS NOT NULL
			ORDER BY company, webhook, next_attempt_at, id
			LIMIT $5)`, company, webhook, tx.Now, entry, limit)
}

// dropPending deletes up to limit pending deliveries of a webhook that is gone.
func dropPending(tx *kernel.Tx, company, webhook kernel.ID, limit int) (int64, error) {
	return tx.Exec(`
		DELETE FROM deliveries
		WHERE company = $1 AND webhook = $2 AND id IN (
			SELECT id
			FROM deliveries
			WHERE company = $1 AND webhook = $2 AND next_attempt_at IS NOT NULL
			ORDER BY company, webhook, next_attempt_at, id
			LIMIT $3)`, company, webhook, limit)
}

// purgeDeliveries deletes up to limit deliveries made before a moment, oldest first.
func purgeDeliveries(tx *kernel.Tx, before time.Time, limit int) (int64, error) {
	return tx.Exec(`
		DELETE /* all companies: by age */ FROM deliveries
		WHERE (company, webhook, id) IN (SELECT company, webhook, id FROM deliveries WHERE created_at < $1 ORDER BY created_at LIMIT $2)`, before, limit)
}

// countDue gives the number of due deliveries, counting no further than most.
func countDue(tx *kernel.Tx, most int) (int64, error) {
	var n int64
	_, err := tx.One(`
		SELECT /* all companies: a metric */ COUNT(*)
		FROM (SELECT 1 AS due FROM deliveries WHERE next_attempt_at IS NOT NULL AND next_attempt_at <= $1 LIMIT $2) counted`,
		[]any{tx.Now, most}, func(r db.Row) { n = r.Int(0) })
	return n, err
}
