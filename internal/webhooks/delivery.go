package webhooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"recado/internal/guard"
	"recado/internal/kernel"
)

// The states of a Delivery.
const (
	DeliveryPending   = "pending"
	DeliveryDelivered = "delivered"
	DeliveryFailed    = "failed"
)

// Delivery is the delivery of one event to one webhook, with all its attempts.
type Delivery struct {
	ID            kernel.ID        `json:"id"`
	EventID       kernel.ID        `json:"event_id"`
	Event         kernel.EventType `json:"event"`
	Status        string           `json:"status" enum:"pending,delivered,failed"`
	Attempts      []Attempt        `json:"attempts"`
	NextAttemptAt *time.Time       `json:"next_attempt_at"`
	CreatedAt     time.Time        `json:"created_at"`
	FinishedAt    *time.Time       `json:"finished_at"`
}

// Subject returns the subject of responses about the delivery.
func (d *Delivery) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectWebhook, ID: d.ID}
}

// Attempt is one attempt of a delivery. StatusCode is nil if there was no response.
type Attempt struct {
	At         time.Time      `json:"at"`
	StatusCode *int64         `json:"status_code"`
	Code       *string        `json:"code" doc:"A stable identifier of the reason why the attempt failed; null if it succeeded. Newer versions may add values." example:"timeout"`
	Params     map[string]any `json:"params" doc:"Values that accompany the code; {} if there are none. answered and redirected: status. tls, connection_failed and refused_address: reason, a more specific identifier."`
	Error      *string        `json:"error" doc:"A description in English, for logs. The wording may change at any time."`
	DurationMS int64          `json:"duration_ms"`
}

// AttemptCodes returns the codes of failed attempts, each with its reasons.
func AttemptCodes() map[string][]string {
	out := guard.Codes()
	for _, f := range []attemptFailure{
		failureInactive, failureDisabled, failureHidden, failureNoEvent, failureNoSecret, failureAnswered, failureRedirected,
	} {
		out[f.code] = nil
	}
	return out
}

// The maximum numbers of concurrent webhook tests, of a company and in all. Each holds a call for up to eight seconds.
const (
	companyTests = 8
	maxTests     = 64
)

// Deliveries returns a page of the deliveries to a webhook, newest first. next is "" on the last page.
func (d *Webhooks) Deliveries(
	ctx context.Context, a *kernel.Principal, webhook kernel.ID, limit int, after string,
) (page []Delivery, next string, err error) {
	filter := "deliveries " + webhook.String()
	var before kernel.ID
	if after != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, filter, after)
		if invalid == nil {
			_, before, invalid = kernel.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	page, err = kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]Delivery, error) {
		if _, err := findWebhook(tx, a.Company.ID, webhook); err != nil {
			return nil, err
		}
		return listDeliveries(tx, a.Company.ID, webhook, before, limit+1)
	})
	if len(page) > limit {
		page = page[:limit]
		next = d.Cursors.Seal(a.Company.ID, filter, kernel.IntID(0, page[limit-1].ID))
	}
	return page, next, err
}

// Delivery returns one delivery with the exact body that was sent. The body is nil if the event has been purged, or is about a
// card that the caller may not see.
func (d *Webhooks) Delivery(ctx context.Context, a *kernel.Principal, webhook, delivery kernel.ID) (Delivery, *string, error) {
	var sent *string
	found, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Delivery, error) {
		if _, err := findWebhook(tx, a.Company.ID, webhook); err != nil {
			return Delivery{}, err
		}
		one, err := findDelivery(tx, a.Company.ID, webhook, delivery)
		if err != nil {
			return one, err
		}
		body, board, kept, err := eventBody(tx, a.Company.ID, one.EventID)
		if kept && (board == nil || a.MaySeeBoard(*board)) {
			sent = new(string(body))
		}
		return one, err
	})
	return found, sent, err
}

// Redeliver sends the event of a delivery again, with the same event id and body, as a new delivery.
func (d *Webhooks) Redeliver(ctx context.Context, a *kernel.Principal, webhook, delivery kernel.ID) (Delivery, error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Delivery, error) {
		w, err := findWebhook(tx, a.Company.ID, webhook)
		if err != nil {
			return Delivery{}, err
		}
		old, err := findDelivery(tx, a.Company.ID, webhook, delivery)
		if err != nil {
			return old, err
		}
		if _, _, kept, err := eventBody(tx, a.Company.ID, old.EventID); err != nil || !kept {
			return old, kernel.ErrOr(err, kernel.NotFound("event"))
		}
		if !w.Active {
			return old, kernel.Errorf(kernel.CodeInvalidRequest, "The webhook is inactive. Activate it first.")
		}
		again := Delivery{
			ID: kernel.NewID(), EventID: old.EventID, Event: old.Event, Status: DeliveryPending,
			Attempts: []Attempt{}, NextAttemptAt: &tx.Now, CreatedAt: tx.Now,
		}
		tx.AfterCommit(func() { d.announce(a.Company.ID, webhook) })
		return again, insertDelivery(tx, a.Company.ID, webhook, again)
	})
}

// TestWebhook sends an event of type webhook.test at once, even if the webhook is inactive. It is not retried and does not affect
// the count of failures.
func (d *Webhooks) TestWebhook(ctx context.Context, a *kernel.Principal, webhook kernel.ID) (Delivery, error) {
	w, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (WebhookRow, error) { return findWebhook(tx, a.Company.ID, webhook) })
	if err != nil {
		return Delivery{}, err
	}
	release, err := d.tests.Acquire(ctx, a.Company.ID)
	if err != nil {
		return Delivery{}, kernel.ErrBusy("webhook tests", companyTests)
	}
	defer release()
	releaseAll, err := d.allTests.Acquire(ctx, struct{}{})
	if err != nil {
		return Delivery{}, &kernel.Error{
			Code: kernel.CodeUnavailable, Message: "Too many webhook tests are running. Try again in a moment.",
			RetryAfter: 2 * time.Second,
		}
	}
	defer releaseAll()
	test := outgoing{delivery: kernel.NewID(), event: WebhookTest, eventID: kernel.NewID(), webhook: w}
	began := d.Now().UTC().Truncate(time.Millisecond)
	test.body, err = kernel.EventBody(&kernel.Event{ID: test.eventID, Company: a.Company.ID, Type: test.event}, began,
		map[string]any{"webhook": kernel.Ref{ID: webhook, Name: w.Name}})
	if err != nil {
		return Delivery{}, err
	}
	ctx = context.WithoutCancel(ctx)
	attempt, _, ok := d.attempt(ctx, d.guard, test)
	status, _ := nextAttempt(d.retries, 1, ok, true)
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Delivery, error) {
		delivery := Delivery{
			ID: test.delivery, EventID: test.eventID, Event: test.event, Status: status,
			Attempts: []Attempt{attempt}, CreatedAt: began, FinishedAt: &tx.Now,
		}
		tx.InsertSilentEvent(&kernel.Event{ID: test.eventID, Company: a.Company.ID, Type: test.event, Body: test.body})
		return delivery, insertDelivery(tx, a.Company.ID, webhook, delivery)
	})
}

// brand holds the names of the headers that contain the service's name.
type brand struct{ event, eventID, delivery, timestamp, signature string }

func newBrand(name string) brand {
	name = cmp.Or(name, "Service")
	header := func(suffix string) string { return http.CanonicalHeaderKey("X-" + name + "-" + suffix) }
	return brand{header("Event"), header("Event-Id"), header("Delivery"), header("Timestamp"), header("Signature")}
}

// Outcome is the result of an attempt. It is stored only if no other attempt was made meanwhile and, where nodes share the
// work, if this node still has the lease.
type Outcome struct {
	Company  kernel.ID
	Webhook  kernel.ID
	Delivery kernel.ID
	Owner    kernel.ID
	Epoch    int64 // 0: no lease
	Before   int64 // attempts made before
	Attempt  Attempt
	Status   string     // delivered, failed, or pending for another attempt
	NextAt   *time.Time // when pending
	OK       bool
	Withheld bool // nothing was sent, so it affects neither the limit nor the health of the webhook
}

// attemptFailure is the reason why an attempt failed: a code for programs and a text for logs.
type attemptFailure struct{ code, text string }

// The failures of attempts, besides those of package guard.
var (
	failureInactive = attemptFailure{"inactive", "not sent: the webhook is inactive"}
	failureDisabled = attemptFailure{"disabled", "not sent: the webhook was disabled after too many deliveries that failed " +
		"permanently"}
	failureHidden     = attemptFailure{"hidden", "not sent: the card or the number was made private, or the card was deleted"}
	failureNoEvent    = attemptFailure{"event_gone", "not sent: the event was deleted, because it is too old or about an erased person"}
	failureNoSecret   = attemptFailure{"secret_unreadable", "the signing secret cannot be read: rotate it"}
	failureAnswered   = attemptFailure{"answered", "the response status was %d, not 2xx"}
	failureRedirected = attemptFailure{"redirected", "the response status was %d: redirects are not followed"}
)

// attempt makes one attempt of a delivery. It reports whether the receiver responded in time with a 2xx, and how long it took.
func (d *Webhooks) attempt(ctx context.Context, client *guard.Client, out outgoing) (a Attempt, took time.Duration, ok bool) {
	a = Attempt{At: d.Now().UTC().Truncate(time.Millisecond), Params: kernel.Params{}}
	fail := func(f attemptFailure, params kernel.Params) (Attempt, time.Duration, bool) {
		a.Code, a.Error, a.Params = &f.code, &f.text, params
		return a, took, false
	}
	switch {
	case out.withheld:
		return fail(failureHidden, kernel.Params{})
	case out.body == nil:
		return fail(failureNoEvent, kernel.Params{})
	}
	header, err := d.sign(out, a.At)
	if err != nil {
		d.Log.Error("cannot open the secret of a webhook", "webhook", out.webhook.ID, "error", err)
		return fail(failureNoSecret, kernel.Params{})
	}
	response, err := client.Post(ctx, out.webhook.URL, header, out.body)
	took, a.DurationMS = response.Duration, response.Duration.Milliseconds()
	status := response.StatusCode
	if status != 0 {
		a.StatusCode = new(int64(status))
	}
	switch {
	case err != nil:
		if known, ok := errors.AsType[*guard.Error](err); ok {
			return fail(attemptFailure{known.Code(), err.Error()}, known.Params())
		}
		return fail(attemptFailure{guard.KindConnectionFailed.Code(), err.Error()}, kernel.Params{})
	case status >= 200 && status < 300:
		return a, took, true
	}
	failure := failureAnswered
	if status >= 300 && status < 400 {
		failure = failureRedirected
	}
	failure.text = fmt.Sprintf(failure.text, status)
	return fail(failure, kernel.Params{"status": status})
}

// outcome decides what happens to a delivery after an attempt.
func (d *Webhooks) outcome(out outgoing, attempt Attempt, ok bool) Outcome {
	o := Outcome{
		Company: out.webhook.Company, Webhook: out.webhook.ID, Delivery: out.delivery, Before: out.attempts, Attempt: attempt,
		OK: ok, Withheld: out.withheld || out.body == nil,
	}
	var wait time.Duration
	if o.Status, wait = nextAttempt(d.retries, int(out.attempts)+1, ok, o.Withheld); o.Status == DeliveryPending {
		o.NextAt = new(d.Now().Add(wait))
	}
	return o
}

// sign returns the headers of one attempt. The time of the attempt is part of the signature.
func (d *Webhooks) sign(out outgoing, at time.Time) (http.Header, error) {
	w := out.webhook
	secret, err := d.Vault.Open(w.Secret, w.Company, w.ID)
	if err != nil {
		return nil, err
	}
	seconds := at.Unix()
	id, timestamp := out.eventID.String(), strconv.FormatInt(seconds, 10)
	standard := SignStandard(string(secret), id, seconds, out.body)
	if w.OldSecret != nil && w.OldSecretUntil != nil && at.Before(*w.OldSecretUntil) {
		old, err := d.Vault.Open(w.OldSecret, w.Company, w.ID)
		if err != nil {
			return nil, err
		}
		standard += " " + SignStandard(string(old), id, seconds, out.body)
	}
	return http.Header{
		"Content-Type":      {"application/json"},
		d.brand.event:       {string(out.event)},
		d.brand.eventID:     {id},
		d.brand.delivery:    {out.delivery.String()},
		d.brand.timestamp:   {timestamp},
		d.brand.signature:   {SignService(string(secret), seconds, out.body)},
		"Webhook-Id":        {id},
		"Webhook-Timestamp": {timestamp},
		"Webhook-Signature": {standard},
	}, nil
}

// saveOutcomes stores the results of attempts and counts the deliveries in a row that failed permanently. It disables a webhook
// after MaxWebhookFailures of them. The outcome of a lost lease is dropped.
func (d *Webhooks) saveOutcomes(ctx context.Context, outcomes []Outcome) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		health, err := lockHealth(tx, outcomes)
		if err != nil {
			return err
		}
		for _, o := range outcomes {
			h := health[o.key()]
			stored, err := saveAttempt(tx, o, h != nil && o.failedPermanently())
			if err != nil {
				return err
			}
			if h != nil && stored && h.active && !o.Withheld {
				h.count(o.Status)
			}
		}
		return d.saveHealth(tx, health)
	})
}

func (o *Outcome) key() webhookKey { return webhookKey{o.Company, o.Webhook} }

func (o *Outcome) failedPermanently() bool { return o.Status == DeliveryFailed && !o.Withheld }

func (h *webhookHealth) count(status string) {
	switch status {
	case DeliveryDelivered:
		h.failures = 0
	case DeliveryFailed:
		h.failures++
		if h.failures >= MaxWebhookFailures {
			h.active, h.disabled = false, true
		}
	}
}

// lockHealth locks the webhooks with a delivery that failed permanently, in the order of their keys. It resets the failures of
// the others that have a success.
func lockHealth(tx *kernel.Tx, outcomes []Outcome) (map[webhookKey]*webhookHealth, error) {
	failed, delivered := map[webhookKey]bool{}, map[webhookKey]bool{}
	for _, o := range outcomes {
		failed[o.key()] = failed[o.key()] || o.failedPermanently()
		delivered[o.key()] = delivered[o.key()] || o.OK
	}
	health := map[webhookKey]*webhookHealth{}
	for _, key := range sortedKeys(failed) {
		switch {
		case failed[key]:
			h, found, err := lockWebhookHealth(tx, key)
			if err != nil {
				return nil, err
			}
			if found {
				health[key] = &h
			}
		case delivered[key]:
			resetWebhookFailures(tx, key)
		}
	}
	return health, nil
}

func (d *Webhooks) saveHealth(tx *kernel.Tx, health map[webhookKey]*webhookHealth) error {
	for _, key := range sortedKeys(health) {
		saveWebhookHealth(tx, key, health[key])
		if !health[key].disabled {
			continue
		}
		w := Webhook{ID: key.id, Name: health[key].name}
		tx.Audit(nil, kernel.AuditEntry{
			Action: "webhook.updated", Subject: w.subject(), Company: key.company,
			Changes: []kernel.AuditChange{{Field: "active", From: true, To: false}},
		})
		if err := missEvents(tx, key.company, key.id); err != nil {
			return err
		}
		if err := d.giveUp(tx, key.company, key.id, failureDisabled); err != nil {
			return err
		}
		tx.AfterCommit(func() {
			d.Log.Warn("webhook disabled: too many deliveries in a row failed permanently", "webhook", key.id)
		})
	}
	return nil
}

func sortedKeys[T any](m map[webhookKey]T) []webhookKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b webhookKey) int {
		return cmp.Or(kernel.CompareIDs(a.company, b.company), kernel.CompareIDs(a.id, b.id))
	})
}

// giveUpStep is the number of deliveries that one transaction gives up. A long queue must not block other transactions.
const giveUpStep = 500

// giveUp gives up the pending deliveries of a webhook that has become inactive. The delivery loop continues if there are many.
func (d *Webhooks) giveUp(tx *kernel.Tx, company, webhook kernel.ID, reason attemptFailure) error {
	n, err := giveUpPending(tx, company, webhook, reason, giveUpStep)
	if n == giveUpStep {
		tx.AfterCommit(func() { d.announce(company, webhook) })
	}
	return err
}

// Settle gives up or drops some pending deliveries of a webhook that is inactive or deleted. It reports whether there may be
// more.
func (d *Webhooks) Settle(ctx context.Context, company, webhook kernel.ID) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		h, found, err := lockWebhookHealth(tx, webhookKey{company, webhook})
		if err != nil || found && h.active {
			return false, err
		}
		var n int64
		if found {
			n, err = giveUpPending(tx, company, webhook, failureInactive, giveUpStep)
		} else {
			n, err = dropPending(tx, company, webhook, giveUpStep)
		}
		return n == giveUpStep, err
	})
}

// PurgeWebhooks deletes old deliveries and events, and reports whether there are more.
func (d *Webhooks) PurgeWebhooks(ctx context.Context) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		deliveries, err := tx.Exec(deleteOldDeliveries, tx.Now.Add(-DeliveryRetention), kernel.PurgeStep)
		if err != nil {
			return false, err
		}
		events, err := tx.Exec(deleteOldEvents, tx.Now.Add(-kernel.EventRetention), kernel.PurgeStep)
		return deliveries >= kernel.PurgeStep || events >= kernel.PurgeStep, err
	})
}

// nextAttempt returns the status of a delivery after an attempt with the given number and, while it is pending, the time until
// the next one. A final failure is not retried.
func nextAttempt(schedule kernel.Retries, attempts int, ok, final bool) (status string, wait time.Duration) {
	if ok {
		return DeliveryDelivered, 0
	}
	wait, again := schedule.Next(attempts)
	if !again || final {
		return DeliveryFailed, 0
	}
	return DeliveryPending, wait
}
