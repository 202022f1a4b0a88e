package desk

import (
	"context"
	"sync"
	"time"

	"recado/internal/cursor"
	"recado/internal/guard"
	"recado/internal/model"
	"recado/internal/retry"
	"recado/internal/store"
)

// maxTests is how many webhook tests may wait for their receivers at once: each holds a call for up
// to eight seconds.
const maxTests = 64

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
	return write(ctx, d, func(tx *store.Tx) (model.Delivery, error) {
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
	select {
	case d.testing <- struct{}{}:
		defer func() { <-d.testing }()
	default:
		return model.Delivery{}, &model.Error{
			Code: model.CodeUnavailable, Message: "Too many webhook tests are running. Try again in a moment.", RetryAfter: 2 * time.Second,
		}
	}
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
	return write(context.WithoutCancel(ctx), d, func(tx *store.Tx) (model.Delivery, error) {
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

// due remembers which webhooks got something to do since the delivering loop last looked.
type due struct {
	mu       sync.Mutex
	here     map[model.ID]struct{} // by a transaction of this process
	there    map[model.ID]struct{} // by another node
	anything bool                  // another node named no webhook: all are to be looked at
}

// DueWebhooks is what became due. If it names no webhook, all are to be looked at.
type DueWebhooks struct {
	Here  []model.ID // through this process: other nodes do not know yet
	There []model.ID // through another node, which says so to all
	All   bool
}

// announce wakes the delivering loop for webhooks that a durable transaction gave work.
func (d *Desk) announce(webhooks ...model.ID) {
	d.due.mu.Lock()
	if d.due.here == nil {
		d.due.here = map[model.ID]struct{}{}
	}
	for _, w := range webhooks {
		d.due.here[w] = struct{}{}
	}
	d.due.mu.Unlock()
	d.wakeups.Deliver.Notify()
}

// TakeDue gives what was announced since the last call.
func (d System) TakeDue() DueWebhooks {
	d.due.mu.Lock()
	defer d.due.mu.Unlock()
	out := DueWebhooks{All: d.due.anything}
	for w := range d.due.here {
		out.Here = append(out.Here, w)
	}
	for w := range d.due.there {
		out.There = append(out.There, w)
	}
	if len(out.Here) == 0 && len(out.There) == 0 {
		out.All = true
	}
	clear(d.due.here)
	clear(d.due.there)
	d.due.anything = false
	return out
}

// TellDue lets the other nodes know that a webhook has work: one of them holds its lease. A zero id
// means: look at everything.
func (d System) TellDue(webhook model.ID) {
	text := ""
	if !webhook.IsZero() {
		text = webhook.String()
	}
	d.store.Notify(channelDeliver, text)
}

// ListenDue passes on what other nodes tell, until ctx ends.
func (d System) ListenDue(ctx context.Context) {
	d.store.Listen(ctx, channelDeliver, func(payload string) {
		webhook, ok := model.ParseID(payload)
		d.due.mu.Lock()
		if ok {
			if d.due.there == nil {
				d.due.there = map[model.ID]struct{}{}
			}
			d.due.there[webhook] = struct{}{}
		} else {
			d.due.anything = true
		}
		d.due.mu.Unlock()
		d.wakeups.Deliver.Notify()
	})
}
