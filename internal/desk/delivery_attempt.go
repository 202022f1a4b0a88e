package desk

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"recado/internal/guard"
	"recado/internal/model"
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

// Outcome is an attempt that was made and is not written down yet.
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
	if o.Status, wait = afterDelivery(d.retries, int(a.out.Attempts)+1, ok, final); o.Status == model.DeliveryPending {
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
	standard := model.StandardSignature(string(secret), id, seconds, out.Body)
	if w.OldSecret != nil && w.OldSecretUntil != nil && at.Before(*w.OldSecretUntil) {
		old, err := d.vault.Open(w.OldSecret, w.Company, w.ID)
		if err != nil {
			return nil, err
		}
		standard += " " + model.StandardSignature(string(old), id, seconds, out.Body)
	}
	return http.Header{
		"Content-Type":      {"application/json"},
		d.brand.event:       {string(out.Event)},
		d.brand.eventID:     {id},
		d.brand.delivery:    {out.Delivery.String()},
		d.brand.timestamp:   {timestamp},
		d.brand.signature:   {model.ServiceSignature(string(secret), seconds, out.Body)},
		"Webhook-Id":        {id},
		"Webhook-Timestamp": {timestamp},
		"Webhook-Signature": {standard},
	}, nil
}
