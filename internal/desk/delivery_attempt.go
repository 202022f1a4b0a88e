package desk

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"recado/internal/guard"
	"recado/internal/model"
	"recado/internal/retry"
	"recado/internal/signature"
	"recado/internal/store"
)

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
	reasonDisabled = "not sent: the webhook was disabled after too many deliveries that failed for good"
	reasonHidden   = "not sent: the card was made private or deleted"
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
		if err := d.giveUp(tx, webhook, reasonDisabled); err != nil {
			return err
		}
		tx.AfterCommit(func() {
			d.log.Warn("webhook disabled: too many deliveries in a row failed for good", "webhook", webhook)
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
