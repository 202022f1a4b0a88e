package webhooks

import (
	"cmp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

const deliveryColumns = `d.id, d.event, d.event_type, d.status, d.next_attempt_at, d.created_at, d.finished_at, d.log`

func scanDelivery(r db.Row) (Delivery, error) {
	d := Delivery{
		ID: r.ID("id"), EventID: r.ID("event"), Event: kernel.EventType(r.Text("event_type")), Status: r.Text("status"),
		NextAttemptAt: r.NullTime("next_attempt_at"), CreatedAt: r.Time("created_at"), FinishedAt: r.NullTime("finished_at"),
		Attempts: []Attempt{},
	}
	if log := r.Text("log"); log != "" {
		return d, json.Unmarshal([]byte("["+strings.TrimSuffix(log, ",")+"]"), &d.Attempts)
	}
	return d, nil
}

func attemptLog(a Attempt) (string, error) {
	b, err := kernel.EncodeJSON(a)
	return string(append(b, ',')), err
}

// listDeliveries returns a webhook's deliveries before an id, newest first. A zero id means from the newest on.
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

// findDelivery returns a delivery of a webhook, or a not-found error.
func findDelivery(tx *kernel.Tx, company, webhook, id kernel.ID) (d Delivery, err error) {
	var scanErr error
	found, err := tx.One(`
		SELECT `+deliveryColumns+`
		FROM deliveries d
		WHERE d.company = $1 AND d.webhook = $2 AND d.id = $3`, []any{company, webhook, id}, func(r db.Row) {
		d, scanErr = scanDelivery(r)
	})
	if err == nil && !found {
		err = kernel.NotFound("delivery")
	}
	return d, cmp.Or(err, scanErr)
}

// insertDelivery stores a delivery that is due at NextAttemptAt, or final with its attempts.
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
	DueAt   time.Time // of the first delivery
	Active  bool      // false: the webhook is inactive or deleted, so its pending deliveries must be given up
}

// pendingWebhooks returns the webhooks with pending deliveries, except those whose lease belongs to a node other than owner. A
// zero owner means no exceptions. It jumps from company to company and from webhook to webhook through the index of due
// deliveries, so neither idle webhooks nor a long queue slow it down.
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
			SELECT busy.company, (
				SELECT d.webhook FROM deliveries d WHERE d.next_attempt_at IS NOT NULL AND d.company = busy.company`+firstDue+`)
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
			WHERE d.next_attempt_at IS NOT NULL AND d.company = hop.company AND d.webhook = hop.webhook`+firstDue+`) AS due_at
		FROM hop
		LEFT JOIN webhooks w ON w.company = hop.company AND w.id = hop.webhook
		LEFT JOIN lanes l ON l.subject = hop.webhook AND l.owner <> $1 AND l.lease_until >= $2
		WHERE hop.webhook IS NOT NULL AND l.subject IS NULL`, []any{owner, tx.Now}, func(r db.Row) error {
		if !r.Null("due_at") { // otherwise finished while the statement was running
			out = append(out, Pending{
				Company: r.ID("company"), Webhook: r.ID("webhook"), Active: !r.Null("active") && r.Bool("active"), DueAt: r.Time("due_at"),
			})
		}
		return nil
	})
	return out, err
}

// firstDue is the order of the index of due deliveries.
const firstDue = ` ORDER BY d.company, d.webhook, d.next_attempt_at, d.id LIMIT 1`

// dueDeliveries are the deliveries that a webhook has to make now.
type dueDeliveries struct {
	ids       []kernel.ID // in sending order
	active    bool        // false: nothing may be sent
	replaying bool        // the webhook gets events that it missed
	missed    bool        // during a replay: the first delivery is of a missed event
	retrying  bool        // during a replay: an attempt failed, and nothing else is sent before its retry
}

// findDue returns up to limit due deliveries of a webhook.
func findDue(tx *kernel.Tx, company, webhook kernel.ID, limit int) (due dueDeliveries, err error) {
	err = tx.Query(`
		WITH hook AS (
			SELECT w.active, CASE WHEN w.replay_position IS NOT NULL THEN w.replay_since END AS replay_since,
				w.replay_position IS NOT NULL AND EXISTS (
					SELECT 1
					FROM deliveries f
					WHERE f.company = $1 AND f.webhook = $2 AND f.next_attempt_at >= w.replay_since AND f.attempts > 0) AS retrying
			FROM webhooks w
			WHERE w.company = $1 AND w.id = $2
		)
		SELECT w.active, d.id, w.replay_since, w.retrying, d.next_attempt_at < w.replay_since AS missed
		FROM (SELECT 1 AS here) one
		LEFT JOIN hook w ON TRUE
		LEFT JOIN (
			SELECT id, next_attempt_at
			FROM deliveries
			WHERE company = $1 AND webhook = $2 AND next_attempt_at <= $3 AND (attempts > 0 OR NOT (SELECT retrying FROM hook))
			ORDER BY next_attempt_at, id
			LIMIT $4
		) d ON w.active
		ORDER BY d.next_attempt_at, d.id`, []any{company, webhook, tx.Now, limit}, func(r db.Row) error {
		due.active, due.replaying = !r.Null("active") && r.Bool("active"), !r.Null("replay_since")
		due.retrying = due.replaying && r.Bool("retrying")
		if !r.Null("id") {
			due.missed = due.missed || due.replaying && len(due.ids) == 0 && r.Bool("missed")
			due.ids = append(due.ids, r.ID("id"))
		}
		return nil
	})
	return due, err
}

// outgoing is everything that one attempt needs.
type outgoing struct {
	delivery kernel.ID
	attempts int64 // made before
	event    kernel.EventType
	eventID  kernel.ID
	body     []byte // nil: the event has been deleted
	withheld bool   // no key may see the event any more
	webhook  WebhookRow
}

// findOutgoing reports false if the delivery is final or its webhook is inactive or deleted.
func findOutgoing(tx *kernel.Tx, company, webhook, delivery kernel.ID) (o outgoing, found bool, err error) {
	return kernel.Row(tx, `
		SELECT`+webhookColumns+`, d.attempts, d.event_type, d.event, e.body, `+withheld+` AS withheld
		FROM deliveries d
		JOIN webhooks w ON w.company = d.company AND w.id = d.webhook
		LEFT JOIN events e ON e.company = d.company AND e.id = d.event
		LEFT JOIN cards k ON k.company = e.company AND k.id = e.card
		WHERE d.company = $1 AND d.webhook = $2 AND d.id = $3 AND d.next_attempt_at IS NOT NULL AND w.active`,
		[]any{company, webhook, delivery}, func(r db.Row) outgoing {
			return outgoing{
				webhook: scanWebhook(r), delivery: delivery, attempts: r.Int("attempts"), event: kernel.EventType(r.Text("event_type")),
				eventID: r.ID("event"), body: r.Bytes("body"), withheld: r.Bool("withheld"),
			}
		})
}

// saveAttempt stores a result and, if wait is set, reports whether it was stored. A delivery that was given up during the
// attempt stays final.
func saveAttempt(tx *kernel.Tx, m Outcome, wait bool) (stored bool, err error) {
	entry, err := attemptLog(m.Attempt)
	if err != nil {
		return false, err
	}
	args := []any{m.Company, m.Webhook, m.Delivery, m.Before, m.Owner, m.Epoch, entry}
	sql := finishDelivery
	if m.Status == DeliveryPending {
		sql, args = retryDelivery, append(args, m.NextAt)
	} else {
		args = append(args, m.Status, tx.Now)
	}
	if !wait {
		tx.Later(sql, args...)
		return true, nil
	}
	n, err := tx.Exec(sql, args...)
	return n == 1, err
}

const (
	finishDelivery = `
		UPDATE deliveries
		SET status = $8, finished_at = $9, next_attempt_at = NULL, attempts = attempts + 1, log = log || $7` + whereUnchanged

	retryDelivery = `
		UPDATE deliveries
		SET next_attempt_at = CASE WHEN next_attempt_at IS NULL THEN next_attempt_at ELSE $8 END,
			attempts = attempts + 1, log = log || $7` + whereUnchanged

	whereUnchanged = `
		WHERE company = $1 AND webhook = $2 AND id = $3 AND attempts = $4
			AND (EXISTS (SELECT 1 FROM lanes WHERE subject = $2 AND owner = $5 AND epoch = $6) OR $6 = 0)`
)

// giveUpPending marks up to limit pending deliveries of a webhook as failed, adds the reason to their logs, and returns their
// number.
func giveUpPending(tx *kernel.Tx, company, webhook kernel.ID, reason attemptFailure, limit int) (int64, error) {
	entry, err := attemptLog(Attempt{At: tx.Now, Code: &reason.code, Params: kernel.Params{}, Error: &reason.text})
	if err != nil {
		return 0, err
	}
	return tx.Exec(`
		UPDATE deliveries
		SET status = 'failed', finished_at = $4, next_attempt_at = NULL, log = log || $5
		WHERE `+somePending, company, webhook, limit, tx.Now, entry)
}

const somePending = `company = $1 AND webhook = $2 AND id IN (
	SELECT id
	FROM deliveries
	WHERE company = $1 AND webhook = $2 AND next_attempt_at IS NOT NULL
	ORDER BY company, webhook, next_attempt_at, id
	LIMIT $3)`

// dropPending deletes up to limit pending deliveries of a deleted webhook.
func dropPending(tx *kernel.Tx, company, webhook kernel.ID, limit int) (int64, error) {
	return tx.Exec(`DELETE FROM deliveries WHERE `+somePending, company, webhook, limit)
}

const deleteOldDeliveries = `
	DELETE /* all companies: by age */ FROM deliveries
	WHERE (company, webhook, id) IN (SELECT company, webhook, id FROM deliveries WHERE created_at < $1 ORDER BY created_at LIMIT $2)`

// countDue returns the number of due deliveries, counting no further than most.
func countDue(tx *kernel.Tx, most int) (int64, error) {
	var n int64
	_, err := tx.One(`
		SELECT /* all companies: a metric */ COUNT(*) AS total
		FROM (SELECT 1 AS due FROM deliveries WHERE next_attempt_at IS NOT NULL AND next_attempt_at <= $1 LIMIT $2) counted`,
		[]any{tx.Now, most}, func(r db.Row) { n = r.Int("total") })
	return n, err
}
