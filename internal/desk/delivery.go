package desk

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"recado/internal/cursor"
	"recado/internal/guard"
	"recado/internal/model"
	"recado/internal/retry"
	"recado/internal/signature"
	"recado/internal/store"
)

// How many webhook tests may wait for their receivers at once, of a company and of all: each holds a call for up to eight
// seconds.
const (
	companyTests = 8
	maxTests     = 64
)

// Deliveries lists what was sent to a webhook, with every attempt, the newest first. next is "" on the last
// page.
func (d *Desk) Deliveries(ctx context.Context, a *Principal, webhook model.ID, limit int, after string) (page []model.Delivery, next string, err error) {
	if err := a.May(VerbDeliveries); err != nil {
		return nil, "", err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return nil, "", err
	}
	filter := "deliveries " + webhook.String()
	var before model.ID
	if after != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, filter, after)
		if invalid == nil {
			_, before, invalid = cursor.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	page, err = read(ctx, d, func(tx *store.Tx) ([]model.Delivery, error) {
		if _, found, err := tx.Webhook(a.Company.ID, webhook); err != nil || !found {
			return nil, errOr(err, model.NotFound("webhook"))
		}
		return tx.Deliveries(a.Company.ID, webhook, before, limit+1)
	})
	if len(page) > limit {
		page = page[:limit]
		next = d.cursors.Seal(a.Company.ID, filter, cursor.IntID(0, page[limit-1].ID))
	}
	return page, next, err
}

// Delivery gives one delivery with the body that was sent, byte for byte. The body is nil when the event is no
// longer kept, or is about a card that the caller may not see.
func (d *Desk) Delivery(ctx context.Context, a *Principal, webhook, delivery model.ID) (model.Delivery, *string, error) {
	if err := a.May(VerbDelivery); err != nil {
		return model.Delivery{}, nil, err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return model.Delivery{}, nil, err
	}
	var sent *string
	found, err := read(ctx, d, func(tx *store.Tx) (model.Delivery, error) {
		if _, found, err := tx.Webhook(a.Company.ID, webhook); err != nil || !found {
			return model.Delivery{}, errOr(err, model.NotFound("webhook"))
		}
		one, found, err := tx.Delivery(a.Company.ID, webhook, delivery)
		if err != nil || !found {
			return one, errOr(err, model.NotFound("delivery"))
		}
		body, board, kept, err := tx.EventBody(a.Company.ID, one.EventID)
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
func (d *Desk) Redeliver(ctx context.Context, a *Principal, webhook, delivery model.ID) (model.Delivery, error) {
	if err := a.May(VerbRedeliver); err != nil {
		return model.Delivery{}, err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return model.Delivery{}, err
	}
	return writeAnswer(ctx, d, func(tx *store.Tx) (model.Delivery, error) {
		w, found, err := tx.Webhook(a.Company.ID, webhook)
		if err != nil || !found {
			return model.Delivery{}, errOr(err, model.NotFound("webhook"))
		}
		old, found, err := tx.Delivery(a.Company.ID, webhook, delivery)
		if err != nil || !found {
			return old, errOr(err, model.NotFound("delivery"))
		}
		if found, err = tx.EventKept(a.Company.ID, old.EventID); err != nil || !found {
			return old, errOr(err, model.NotFound("event"))
		}
		if !w.Active {
			return old, model.Errorf(model.CodeInvalidRequest, "The webhook is inactive. Activate it first.")
		}
		again := model.Delivery{
			ID: model.NewID(), EventID: old.EventID, Event: old.Event, Status: model.DeliveryPending,
			Attempts: []model.Attempt{}, NextAttemptAt: &tx.Now, CreatedAt: tx.Now,
		}
		tx.AfterCommit(func() { d.announce(webhook) })
		return again, tx.InsertDelivery(a.Company.ID, webhook, again)
	})
}

// TestWebhook makes one attempt with an event of type webhook.test at once, also while the webhook is
// inactive. It is not repeated and counts for nothing.
func (d *Desk) TestWebhook(ctx context.Context, a *Principal, webhook model.ID) (model.Delivery, error) {
	if err := a.May(VerbTestWebhook); err != nil {
		return model.Delivery{}, err
	}
	if err := a.maySeeEveryEvent(); err != nil {
		return model.Delivery{}, err
	}
	w, err := read(ctx, d, func(tx *store.Tx) (store.Webhook, error) {
		w, found, err := tx.Webhook(a.Company.ID, webhook)
		if err == nil && !found {
			err = model.NotFound("webhook")
		}
		return w, err
	})
	if err != nil {
		return model.Delivery{}, err
	}
	leave, err := d.tests.Acquire(ctx, a.Company.ID)
	if err != nil {
		return model.Delivery{}, errBusy("webhook tests", companyTests)
	}
	defer leave()
	leaveAll, err := d.testing.Acquire(ctx, struct{}{})
	if err != nil {
		return model.Delivery{}, &model.Error{
			Code: model.CodeUnavailable, Message: "Too many webhook tests are running. Try again in a moment.", RetryAfter: 2 * time.Second,
		}
	}
	defer leaveAll()
	test := store.Outgoing{Delivery: model.NewID(), Event: model.WebhookTest, EventID: model.NewID(), Webhook: w}
	began := d.now().UTC().Truncate(time.Millisecond)
	test.Body, err = eventBody(test.EventID, a.Company.ID, test.Event, began, func(b []byte) ([]byte, error) {
		b = append(b, `{"webhook":{"id":"`...)
		b = webhook.AppendText(b)
		b = append(b, `","name":`...)
		b, err := model.AppendJSON(b, w.Name)
		return append(b, `}}`...), err
	})
	if err != nil {
		return model.Delivery{}, err
	}
	attempt, status := d.postTest(context.WithoutCancel(ctx), test)
	return writeAnswer(context.WithoutCancel(ctx), d, func(tx *store.Tx) (model.Delivery, error) {
		delivery := model.Delivery{
			ID: test.Delivery, EventID: test.EventID, Event: test.Event, Status: status,
			Attempts: []model.Attempt{attempt}, CreatedAt: began, FinishedAt: &tx.Now,
		}
		tx.InsertTestEvent(store.Event{ID: test.EventID, Company: a.Company.ID, Type: test.Event, Body: test.Body})
		return delivery, tx.InsertDelivery(a.Company.ID, webhook, delivery)
	})
}

// postTest posts once, and returns the attempt and what became of the delivery.
func (d *Desk) postTest(ctx context.Context, test store.Outgoing) (made model.Attempt, status string) {
	a := d.deliveryAttempt(test)
	var answer guard.Result
	var failed error
	if a.Refused == "" {
		answer, failed = d.guard.Post(ctx, a.URL, a.Header, a.Body)
	}
	made, ok := a.answered(answer, failed)
	status, _ = retry.Delivery(d.retries, 1, ok, true)
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
	// Refused says why nothing is to be posted; "": it is.
	Refused string

	at  time.Time
	out store.Outgoing
}

// Outcome is an attempt that was made and is not recorded yet.
type Outcome struct {
	store.AttemptMade
	OK       bool
	Withheld bool // nothing was sent, so it counts neither for the webhook nor against it
}

// What becomes of deliveries without an attempt.
const (
	reasonInactive = "not sent: the webhook is inactive"
	reasonDisabled = "not sent: the webhook was disabled after too many deliveries that failed permanently"
	reasonHidden   = "not sent: the card or the number was made private, or the card was deleted"
	errorNoEvent   = "the event is older than events are kept"
	errorNoSecret  = "the signing secret cannot be read: rotate it"
)

// BeginDelivery gives the next attempt of a delivery. It reports false when there is nothing to do any more.
func (d System) BeginDelivery(ctx context.Context, webhook, delivery model.ID) (DeliveryAttempt, bool, error) {
	var out store.Outgoing
	var found bool
	err := d.store.ReadOne(ctx, func(tx *store.Tx) (err error) {
		out, found, err = tx.Outgoing(webhook, delivery)
		return err
	})
	if err != nil || !found {
		return DeliveryAttempt{}, false, err
	}
	return d.deliveryAttempt(out), true, nil
}

// EndDelivery says what became of an attempt, for SaveOutcomes. A refused attempt has no answer.
func (d System) EndDelivery(a DeliveryAttempt, answer guard.Result, failed error) Outcome {
	attempt, ok := a.answered(answer, failed)
	o := Outcome{OK: ok, Withheld: a.out.Withheld, AttemptMade: store.AttemptMade{
		Webhook: a.out.Webhook.ID, Delivery: a.out.Delivery, Before: a.out.Attempts, Attempt: attempt,
	}}
	final := a.out.Withheld || a.out.Body == nil
	var wait time.Duration
	if o.Status, wait = retry.Delivery(d.retries, int(a.out.Attempts)+1, ok, final); o.Status == model.DeliveryPending {
		o.NextAt = new(d.now().Add(wait))
	}
	return o
}

// deliveryAttempt signs what is to be posted.
func (d *Desk) deliveryAttempt(out store.Outgoing) DeliveryAttempt {
	a := DeliveryAttempt{URL: out.Webhook.URL, Body: out.Body, at: d.now().UTC().Truncate(time.Millisecond), out: out}
	switch {
	case out.Withheld:
		a.Refused = reasonHidden
		return a
	case out.Body == nil:
		a.Refused = errorNoEvent
		return a
	}
	var err error
	if a.Header, err = d.sign(out, a.at); err != nil {
		d.log.Error("a webhook's secret cannot be opened", "webhook", out.Webhook.ID, "error", err)
		a.Refused = errorNoSecret
	}
	return a
}

// answered gives the attempt as it is shown, and whether the receiver answered in time with a 2xx.
func (a *DeliveryAttempt) answered(answer guard.Result, failed error) (model.Attempt, bool) {
	made := model.Attempt{At: a.at, DurationMS: answer.Duration.Milliseconds()}
	if answer.StatusCode != 0 {
		made.StatusCode = new(int64(answer.StatusCode))
	}
	var reason string
	switch status := answer.StatusCode; {
	case a.Refused != "":
		reason = a.Refused
	case failed != nil:
		reason = failed.Error()
	case status >= 300 && status < 400:
		reason = fmt.Sprintf("answered %d: redirects are not followed", status)
	case status < 200 || status > 299:
		reason = fmt.Sprintf("answered %d, not 2xx", status)
	default:
		return made, true
	}
	made.Error = &reason
	return made, false
}

// sign makes the headers of one attempt. The body is the event's stored bytes, so every attempt signs
// the same ones, with the time of the attempt.
func (d *Desk) sign(out store.Outgoing, at time.Time) (http.Header, error) {
	w := out.Webhook
	secret, err := d.vault.Open(w.Secret, w.Company, w.ID)
	if err != nil {
		return nil, err
	}
	seconds := at.Unix()
	id, timestamp := out.EventID.String(), strconv.FormatInt(seconds, 10)
	standard := signature.Standard(string(secret), id, seconds, out.Body)
	if w.OldSecret != nil && w.OldSecretUntil != nil && at.Before(*w.OldSecretUntil) {
		old, err := d.vault.Open(w.OldSecret, w.Company, w.ID)
		if err != nil {
			return nil, err
		}
		standard += " " + signature.Standard(string(old), id, seconds, out.Body)
	}
	return http.Header{
		"Content-Type":      {"application/json"},
		d.brand.event:       {string(out.Event)},
		d.brand.eventID:     {id},
		d.brand.delivery:    {out.Delivery.String()},
		d.brand.timestamp:   {timestamp},
		d.brand.signature:   {signature.Service(string(secret), seconds, out.Body)},
		"Webhook-Id":        {id},
		"Webhook-Timestamp": {timestamp},
		"Webhook-Signature": {standard},
	}, nil
}

// SaveOutcomes records attempts, counts the deliveries in a row that failed permanently,
// and disables a webhook at the tenth. An outcome under a lease that was lost meanwhile is dropped.
func (d System) SaveOutcomes(ctx context.Context, outcomes []Outcome) error {
	_, err := write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		health, err := lockHealth(tx, outcomes)
		if err != nil {
			return struct{}{}, err
		}
		for _, o := range outcomes {
			h := health[o.Webhook]
			stored, err := tx.SaveAttempt(o.AttemptMade, h != nil && o.failedForGood())
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

func (o *Outcome) failedForGood() bool { return o.Status == model.DeliveryFailed && !o.Withheld }

// counter is a webhook's health while outcomes are being counted.
type counter struct {
	store.WebhookHealth
	disabled bool
}

func (h *counter) count(status string) {
	switch status {
	case model.DeliveryDelivered:
		h.Failures = 0
	case model.DeliveryFailed:
		h.Failures++
		if h.Failures >= model.MaxWebhookFailures {
			h.Active, h.disabled = false, true
		}
	}
}

// lockHealth locks the webhooks that have a delivery that failed permanently, in the order of their ids;
// for the others a success only resets the count.
func lockHealth(tx *store.Tx, outcomes []Outcome) (map[model.ID]*counter, error) {
	failed, delivered := map[model.ID]bool{}, map[model.ID]bool{}
	for _, o := range outcomes {
		failed[o.Webhook] = failed[o.Webhook] || o.failedForGood()
		delivered[o.Webhook] = delivered[o.Webhook] || o.OK
	}
	health := map[model.ID]*counter{}
	for _, webhook := range sortedIDs(failed) {
		switch {
		case failed[webhook]:
			h, found, err := tx.LockWebhookHealth(webhook)
			if err != nil {
				return nil, err
			}
			if found {
				health[webhook] = &counter{WebhookHealth: h}
			}
		case delivered[webhook]:
			tx.ResetWebhookFailures(webhook)
		}
	}
	return health, nil
}

func (d *Desk) saveHealth(tx *store.Tx, health map[model.ID]*counter) error {
	for _, webhook := range sortedIDs(health) {
		h := health[webhook]
		tx.SaveWebhookHealth(webhook, h.WebhookHealth)
		if !h.disabled {
			continue
		}
		if err := tx.MissEvents(h.Company, webhook); err != nil {
			return err
		}
		if err := d.giveUp(tx, webhook, reasonDisabled); err != nil {
			return err
		}
		tx.AfterCommit(func() {
			d.log.Warn("webhook disabled: too many deliveries in a row failed permanently", "webhook", webhook)
		})
	}
	return nil
}

func sortedIDs[T any](m map[model.ID]T) []model.ID {
	ids := make([]model.ID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b model.ID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// giveUpStep is how many deliveries one transaction gives up: a long queue must not hold up others.
const giveUpStep = 500

// giveUp ends what is pending for a webhook that is inactive now. Where that is much, the delivering
// loop does the rest.
func (d *Desk) giveUp(tx *store.Tx, webhook model.ID, reason string) error {
	n, err := tx.GiveUpPending(webhook, reason, giveUpStep)
	if n == giveUpStep {
		tx.AfterCommit(func() { d.announce(webhook) })
	}
	return err
}

// Settle ends what is still pending for a webhook that is inactive or gone, a step at a time. It
// reports whether there may be more.
func (d System) Settle(ctx context.Context, webhook model.ID) (more bool, err error) {
	return write(ctx, d.Desk, func(tx *store.Tx) (bool, error) {
		h, found, err := tx.LockWebhookHealth(webhook)
		if err != nil || found && h.Active {
			return false, err
		}
		var n int64
		if found {
			n, err = tx.GiveUpPending(webhook, reasonInactive, giveUpStep)
		} else {
			n, err = tx.DropPending(webhook, giveUpStep)
		}
		return n == giveUpStep, err
	})
}
