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

// Delivery is one event on its way to one webhook, with every attempt made.
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

// Subject is the webhooks of the company.
func (d *Delivery) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectWebhook, ID: d.ID}
}

// Attempt is one try at a delivery. StatusCode is null when no answer came.
type Attempt struct {
	At         time.Time      `json:"at"`
	StatusCode *int64         `json:"status_code"`
	Code       *string        `json:"code" doc:"The stable name of why the attempt failed; null when it did not. Newer versions may have more." example:"timeout"`
	Params     map[string]any `json:"params" doc:"What a program needs beside the code; {} where the code says it all. answered and redirected: status. tls, connection_failed and refused_address: reason, a more precise name."`
	Error      *string        `json:"error" doc:"The same in English, for people who read logs. It may change at any time."`
	DurationMS int64          `json:"duration_ms"`
}

// AttemptCodes returns the codes of failed attempts, each with its reasons.
func AttemptCodes() map[string][]string {
	out := guard.Codes()
	for _, r := range []attemptFailure{failureInactive, failureDisabled, failureHidden, failureNoEvent, failureNoSecret, failureAnswered, failureRedirected} {
		out[r.code] = nil
	}
	return out
}

// How many webhook tests may wait for their receivers at once, of a company and of all: each holds a call for up to eight
// seconds.
const (
	companyTests = 8
	maxTests     = 64
)

// Deliveries lists what was sent to a webhook, with every attempt, the newest first. next is "" on the last
// page.
func (d *Webhooks) Deliveries(ctx context.Context, a *kernel.Principal, webhook kernel.ID, limit int, after string) (page []Delivery, next string, err error) {
	if err := a.May(VerbDeliveries); err != nil {
		return nil, "", err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return nil, "", err
	}
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
		if _, found, err := findWebhook(tx, a.Company.ID, webhook); err != nil || !found {
			return nil, kernel.ErrOr(err, kernel.NotFound("webhook"))
		}
		return listDeliveries(tx, a.Company.ID, webhook, before, limit+1)
	})
	if len(page) > limit {
		page = page[:limit]
		next = d.Cursors.Seal(a.Company.ID, filter, kernel.IntID(0, page[limit-1].ID))
	}
	return page, next, err
}

// Delivery gives one delivery with the body that was sent, byte for byte. The body is nil when the event is no
// longer kept, or is about a card that the caller may not see.
func (d *Webhooks) Delivery(ctx context.Context, a *kernel.Principal, webhook, delivery kernel.ID) (Delivery, *string, error) {
	if err := a.May(VerbDelivery); err != nil {
		return Delivery{}, nil, err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return Delivery{}, nil, err
	}
	var sent *string
	found, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Delivery, error) {
		if _, found, err := findWebhook(tx, a.Company.ID, webhook); err != nil || !found {
			return Delivery{}, kernel.ErrOr(err, kernel.NotFound("webhook"))
		}
		one, found, err := findDelivery(tx, a.Company.ID, webhook, delivery)
		if err != nil || !found {
			return one, kernel.ErrOr(err, kernel.NotFound("delivery"))
		}
		body, board, kept, err := eventBody(tx, a.Company.ID, one.EventID)
		if kept && (board == nil || a.MaySeeBoard(*board)) {
			text := string(body)
			sent = &text
		}
		return one, err
	})
	return found, sent, err
}

// Redeliver sends the event of one delivery again, byte for byte and with the same event id, as a
// delivery of its own.
func (d *Webhooks) Redeliver(ctx context.Context, a *kernel.Principal, webhook, delivery kernel.ID) (Delivery, error) {
	if err := a.May(VerbRedeliver); err != nil {
		return Delivery{}, err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return Delivery{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Delivery, error) {
		w, found, err := findWebhook(tx, a.Company.ID, webhook)
		if err != nil || !found {
			return Delivery{}, kernel.ErrOr(err, kernel.NotFound("webhook"))
		}
		old, found, err := findDelivery(tx, a.Company.ID, webhook, delivery)
		if err != nil || !found {
			return old, kernel.ErrOr(err, kernel.NotFound("delivery"))
		}
		if found, err = eventKept(tx, a.Company.ID, old.EventID); err != nil || !found {
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

// TestWebhook makes one attempt with an event of type webhook.test at once, also while the webhook is
// inactive. It is not repeated and counts for nothing.
func (d *Webhooks) TestWebhook(ctx context.Context, a *kernel.Principal, webhook kernel.ID) (Delivery, error) {
	if err := a.May(VerbTestWebhook); err != nil {
		return Delivery{}, err
	}
	if err := maySeeEveryEvent(a); err != nil {
		return Delivery{}, err
	}
	w, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (WebhookRow, error) {
		w, found, err := findWebhook(tx, a.Company.ID, webhook)
		if err == nil && !found {
			err = kernel.NotFound("webhook")
		}
		return w, err
	})
	if err != nil {
		return Delivery{}, err
	}
	leave, err := d.tests.Acquire(ctx, a.Company.ID)
	if err != nil {
		return Delivery{}, kernel.ErrBusy("webhook tests", companyTests)
	}
	defer leave()
	leaveAll, err := d.testing.Acquire(ctx, struct{}{})
	if err != nil {
		return Delivery{}, &kernel.Error{
			Code: kernel.CodeUnavailable, Message: "Too many webhook tests are running. Try again in a moment.", RetryAfter: 2 * time.Second,
		}
	}
	defer leaveAll()
	test := Outgoing{Delivery: kernel.NewID(), Event: WebhookTest, EventID: kernel.NewID(), Webhook: w}
	began := d.Now().UTC().Truncate(time.Millisecond)
	test.Body, err = kernel.EventBody(test.EventID, a.Company.ID, test.Event, began, func(b []byte) ([]byte, error) {
		b = append(b, `{"webhook":{"id":"`...)
		b = webhook.AppendText(b)
		b = append(b, `","name":`...)
		b, err := kernel.AppendJSON(b, w.Name)
		return append(b, `}}`...), err
	})
	if err != nil {
		return Delivery{}, err
	}
	attempt, status := d.postTest(context.WithoutCancel(ctx), test)
	return kernel.WriteAnswer(context.WithoutCancel(ctx), d.Kernel, func(tx *kernel.Tx) (Delivery, error) {
		delivery := Delivery{
			ID: test.Delivery, EventID: test.EventID, Event: test.Event, Status: status,
			Attempts: []Attempt{attempt}, CreatedAt: began, FinishedAt: &tx.Now,
		}
		tx.InsertSilentEvent(&kernel.Event{ID: test.EventID, Company: a.Company.ID, Type: test.Event, Body: test.Body})
		return delivery, insertDelivery(tx, a.Company.ID, webhook, delivery)
	})
}

// postTest posts once, and returns the attempt and what became of the delivery.
func (d *Webhooks) postTest(ctx context.Context, test Outgoing) (made Attempt, status string) {
	a := d.deliveryAttempt(test)
	var answer guard.Result
	var failed error
	if a.Refused == nil {
		answer, failed = d.guard.Post(ctx, a.URL, a.Header, a.Body)
	}
	made, ok := a.answered(answer, failed)
	status, _ = nextAttempt(d.retries, 1, ok, true)
	return made, status
}

// brand holds the names of the headers that carry the service's name.
type brand struct{ event, eventID, delivery, timestamp, signature string }

func newBrand(name string) brand {
	if name == "" {
		name = "Service"
	}
	header := func(what string) string { return http.CanonicalHeaderKey("X-" + name + "-" + what) }
	return brand{header("Event"), header("Event-Id"), header("Delivery"), header("Timestamp"), header("Signature")}
}

// DeliveryAttempt is the next attempt of a delivery: what is to be posted to the webhook as it is now.
type DeliveryAttempt struct {
	URL    string
	Header http.Header
	Body   []byte
	// Refused says why nothing is to be posted; nil: it is.
	Refused *attemptFailure

	at  time.Time
	out Outgoing
}

// Outcome is an attempt that was made and is not recorded yet.
type Outcome struct {
	AttemptMade
	OK       bool
	Withheld bool // nothing was sent, so it counts neither for the webhook nor against it
}

// attemptFailure is why an attempt failed: a code for programs and a text for logs.
type attemptFailure struct{ code, text string }

// Why attempts fail, apart from the failures of guard.
var (
	failureInactive   = attemptFailure{"inactive", "not sent: the webhook is inactive"}
	failureDisabled   = attemptFailure{"disabled", "not sent: the webhook was disabled after too many deliveries that failed permanently"}
	failureHidden     = attemptFailure{"hidden", "not sent: the card or the number was made private, or the card was deleted"}
	failureNoEvent    = attemptFailure{"event_gone", "the event is older than events are kept"}
	failureNoSecret   = attemptFailure{"secret_unreadable", "the signing secret cannot be read: rotate it"}
	failureAnswered   = attemptFailure{"answered", "answered %d, not 2xx"}
	failureRedirected = attemptFailure{"redirected", "answered %d: redirects are not followed"}
)

// fail says on an attempt why it failed.
func (a *Attempt) fail(why attemptFailure, params kernel.Params) {
	a.Code, a.Params, a.Error = &why.code, params, &why.text
}

// BeginDelivery gives the next attempt of a delivery. It reports false when there is nothing to do any more.
func (d *Webhooks) BeginDelivery(ctx context.Context, company, webhook, delivery kernel.ID) (DeliveryAttempt, bool, error) {
	var out Outgoing
	var found bool
	err := d.Store.ReadOne(ctx, func(tx *kernel.Tx) (err error) {
		out, found, err = outgoing(tx, company, webhook, delivery)
		return err
	})
	if err != nil || !found {
		return DeliveryAttempt{}, false, err
	}
	return d.deliveryAttempt(out), true, nil
}

// EndDelivery says what became of an attempt, for SaveOutcomes. A refused attempt has no answer.
func (d *Webhooks) EndDelivery(a DeliveryAttempt, answer guard.Result, failed error) Outcome {
	attempt, ok := a.answered(answer, failed)
	o := Outcome{OK: ok, Withheld: a.out.Withheld, AttemptMade: AttemptMade{
		Company: a.out.Webhook.Company, Webhook: a.out.Webhook.ID, Delivery: a.out.Delivery, Before: a.out.Attempts, Attempt: attempt,
	}}
	final := a.out.Withheld || a.out.Body == nil
	var wait time.Duration
	if o.Status, wait = nextAttempt(d.retries, int(a.out.Attempts)+1, ok, final); o.Status == DeliveryPending {
		o.NextAt = new(d.Now().Add(wait))
	}
	return o
}

// deliveryAttempt signs what is to be posted.
func (d *Webhooks) deliveryAttempt(out Outgoing) DeliveryAttempt {
	a := DeliveryAttempt{URL: out.Webhook.URL, Body: out.Body, at: d.Now().UTC().Truncate(time.Millisecond), out: out}
	switch {
	case out.Withheld:
		a.Refused = &failureHidden
		return a
	case out.Body == nil:
		a.Refused = &failureNoEvent
		return a
	}
	var err error
	if a.Header, err = d.sign(out, a.at); err != nil {
		d.Log.Error("a webhook's secret cannot be opened", "webhook", out.Webhook.ID, "error", err)
		a.Refused = &failureNoSecret
	}
	return a
}

// answered gives the attempt as it is shown, and whether the receiver answered in time with a 2xx.
func (a *DeliveryAttempt) answered(answer guard.Result, failed error) (Attempt, bool) {
	made := Attempt{At: a.at, Params: kernel.Params{}, DurationMS: answer.Duration.Milliseconds()}
	if answer.StatusCode != 0 {
		made.StatusCode = new(int64(answer.StatusCode))
	}
	status := answer.StatusCode
	if a.Refused == nil && failed == nil && status >= 200 && status <= 299 {
		return made, true
	}
	why, params := failureAnswered, kernel.Params{"status": status}
	switch {
	case a.Refused != nil:
		why, params = *a.Refused, kernel.Params{}
	case failed != nil:
		why, params = attemptFailure{guard.KindConnectionFailed.Code(), failed.Error()}, kernel.Params{}
		if known, ok := errors.AsType[*guard.Error](failed); ok {
			why.code, params = known.Code(), known.Params()
		}
	case status >= 300 && status < 400:
		why = failureRedirected
		fallthrough
	default:
		why.text = fmt.Sprintf(why.text, status)
	}
	made.fail(why, params)
	return made, false
}

// sign makes the headers of one attempt. The body is the event's stored bytes, so every attempt signs
// the same ones, with the time of the attempt.
func (d *Webhooks) sign(out Outgoing, at time.Time) (http.Header, error) {
	w := out.Webhook
	secret, err := d.Vault.Open(w.Secret, w.Company, w.ID)
	if err != nil {
		return nil, err
	}
	seconds := at.Unix()
	id, timestamp := out.EventID.String(), strconv.FormatInt(seconds, 10)
	standard := SignStandard(string(secret), id, seconds, out.Body)
	if w.OldSecret != nil && w.OldSecretUntil != nil && at.Before(*w.OldSecretUntil) {
		old, err := d.Vault.Open(w.OldSecret, w.Company, w.ID)
		if err != nil {
			return nil, err
		}
		standard += " " + SignStandard(string(old), id, seconds, out.Body)
	}
	return http.Header{
		"Content-Type":      {"application/json"},
		d.brand.event:       {string(out.Event)},
		d.brand.eventID:     {id},
		d.brand.delivery:    {out.Delivery.String()},
		d.brand.timestamp:   {timestamp},
		d.brand.signature:   {SignService(string(secret), seconds, out.Body)},
		"Webhook-Id":        {id},
		"Webhook-Timestamp": {timestamp},
		"Webhook-Signature": {standard},
	}, nil
}

// SaveOutcomes records attempts, counts the deliveries in a row that failed permanently,
// and disables a webhook at the tenth. An outcome under a lease that was lost meanwhile is dropped.
func (d *Webhooks) SaveOutcomes(ctx context.Context, outcomes []Outcome) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		health, err := lockHealth(tx, outcomes)
		if err != nil {
			return struct{}{}, err
		}
		for _, o := range outcomes {
			h := health[webhookKey{o.Company, o.Webhook}]
			stored, err := saveAttempt(tx, o.AttemptMade, h != nil && o.failedForGood())
			if err != nil {
				return struct{}{}, err
			}
			if h != nil && stored && h.Active && !o.Withheld {
				h.count(o.Status)
			}
		}
		return struct{}{}, d.saveHealth(tx, health)
	})
	return err
}

func (o *Outcome) failedForGood() bool { return o.Status == DeliveryFailed && !o.Withheld }

// counter is a webhook's health while outcomes are being counted.
type counter struct {
	WebhookHealth
	disabled bool
}

func (h *counter) count(status string) {
	switch status {
	case DeliveryDelivered:
		h.Failures = 0
	case DeliveryFailed:
		h.Failures++
		if h.Failures >= MaxWebhookFailures {
			h.Active, h.disabled = false, true
		}
	}
}

// lockHealth locks the webhooks that have a delivery that failed permanently, in the order of their keys;
// for the others a success only resets the count.
func lockHealth(tx *kernel.Tx, outcomes []Outcome) (map[webhookKey]*counter, error) {
	failed, delivered := map[webhookKey]bool{}, map[webhookKey]bool{}
	for _, o := range outcomes {
		webhook := webhookKey{o.Company, o.Webhook}
		failed[webhook] = failed[webhook] || o.failedForGood()
		delivered[webhook] = delivered[webhook] || o.OK
	}
	health := map[webhookKey]*counter{}
	for _, webhook := range sortedKeys(failed) {
		switch {
		case failed[webhook]:
			h, found, err := lockWebhookHealth(tx, webhook.company, webhook.id)
			if err != nil {
				return nil, err
			}
			if found {
				health[webhook] = &counter{WebhookHealth: h}
			}
		case delivered[webhook]:
			resetWebhookFailures(tx, webhook.company, webhook.id)
		}
	}
	return health, nil
}

func (d *Webhooks) saveHealth(tx *kernel.Tx, health map[webhookKey]*counter) error {
	for _, webhook := range sortedKeys(health) {
		h := health[webhook]
		saveWebhookHealth(tx, webhook.company, webhook.id, h.WebhookHealth)
		if !h.disabled {
			continue
		}
		if err := missEvents(tx, webhook.company, webhook.id); err != nil {
			return err
		}
		if err := d.giveUp(tx, webhook.company, webhook.id, failureDisabled); err != nil {
			return err
		}
		tx.AfterCommit(func() {
			d.Log.Warn("webhook disabled: too many deliveries in a row failed permanently", "webhook", webhook.id)
		})
	}
	return nil
}

func sortedKeys[T any](m map[webhookKey]T) []webhookKey {
	return slices.SortedFunc(maps.Keys(m), func(a, b webhookKey) int {
		return cmp.Or(slices.Compare(a.company[:], b.company[:]), slices.Compare(a.id[:], b.id[:]))
	})
}

// giveUpStep is how many deliveries one transaction gives up: a long queue must not hold up others.
const giveUpStep = 500

// giveUp ends what is pending for a webhook that is inactive now. Where that is much, the delivering
// loop does the rest.
func (d *Webhooks) giveUp(tx *kernel.Tx, company, webhook kernel.ID, why attemptFailure) error {
	n, err := giveUpPending(tx, company, webhook, why, giveUpStep)
	if n == giveUpStep {
		tx.AfterCommit(func() { d.announce(company, webhook) })
	}
	return err
}

// Settle ends what is still pending for a webhook that is inactive or gone, a step at a time. It
// reports whether there may be more.
func (d *Webhooks) Settle(ctx context.Context, company, webhook kernel.ID) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		h, found, err := lockWebhookHealth(tx, company, webhook)
		if err != nil || found && h.Active {
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

// TakeLease takes the lease of a webhook, and reports false while another node holds it.
func (d *Webhooks) TakeLease(ctx context.Context, webhook, owner kernel.ID, length time.Duration) (lease kernel.Lease, taken bool, err error) {
	err = d.Store.Write(ctx, func(tx *kernel.Tx) (err error) {
		lease, taken, err = tx.TakeLease(leaseWebhook, webhook, owner, length)
		return err
	})
	return lease, taken, err
}

// PurgeWebhooks deletes old deliveries and events, and reports whether there are more.
func (d *Webhooks) PurgeWebhooks(ctx context.Context) (more bool, err error) {
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
		deliveries, err := purgeDeliveries(tx, tx.Now.Add(-DeliveryRetention), kernel.PurgeStep)
		if err != nil {
			return false, err
		}
		events, err := purgeEvents(tx, tx.Now.Add(-EventRetention), kernel.PurgeStep)
		return deliveries >= kernel.PurgeStep || events >= kernel.PurgeStep, err
	})
}
