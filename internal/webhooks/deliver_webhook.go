package webhooks

import (
	"context"
	"sync"
	"time"

	"recado/internal/guard"
	"recado/internal/jobs"
	"recado/internal/kernel"
)

// delivery is the job of making the next attempt of a delivery.
type deliveryJob kernel.ID

// JobID is the id of the delivery.
func (d deliveryJob) JobID() kernel.ID { return kernel.ID(d) }

// webhookWork delivers to one webhook.
type webhookWork struct {
	d       *Deliver
	company kernel.ID
	id      kernel.ID
	replays bool // it gets events that it missed, in their order

	mu    sync.Mutex // metrics read limit
	limit deliverLimit
}

// Free is up to the limit of the address, and one during a replay.
func (w *webhookWork) Free(running int) (int, time.Duration) {
	if w.replays {
		return 1 - running, 0
	}
	return w.limit.requests - running, 0
}

// Group shares the slots among companies.
func (w *webhookWork) Group() (company kernel.ID, unproven bool) {
	return w.company, w.limit.unproven()
}

// Step reads what is due and not in hand. What is in hand still counts as due in the database, so it reads
// more by that much. What is pending for a webhook that is inactive or gone is ended.
func (w *webhookWork) Step(ctx context.Context, step jobs.Step[Outcome]) (claimed jobs.Claimed[deliveryJob], err error) {
	if w.replays && len(step.InHand) > 0 {
		claimed.Next = replayLook
		return claimed, nil
	}
	page := step.Limit + len(step.InHand)
	due, err := w.d.Desk.DueDeliveries(ctx, w.company, w.id, page)
	if err == nil && due.Replaying && !due.Missed && !due.Retrying {
		// Later events are among those due, so what was missed has to be there first.
		if claimed.More, err = w.d.Desk.ReplayMissed(ctx, w.company, w.id); err == nil {
			due, err = w.d.Desk.DueDeliveries(ctx, w.company, w.id, page)
		}
	}
	if err != nil {
		return claimed, err
	}
	w.replays = due.Replaying
	if due.Replaying && len(due.IDs) > 0 { // one at a time, the oldest first
		due.IDs, claimed.Next = due.IDs[:min(1, step.Limit-len(step.InHand))], replayLook
	}
	claimed.More = claimed.More || len(due.IDs) == page
	if !due.Active {
		more, err := w.d.Desk.Settle(ctx, w.company, w.id)
		claimed.More = claimed.More || more
		if err != nil {
			return claimed, err
		}
	}
	for _, id := range due.IDs {
		if _, inHand := step.InHand[id]; !inHand {
			claimed.Jobs = append(claimed.Jobs, deliveryJob(id))
		}
	}
	return claimed, nil
}

// Attempt posts once. An attempt that the end of ctx cut off is not recorded.
func (w *webhookWork) Attempt(ctx context.Context, held jobs.Held, job deliveryJob) (o Outcome, record bool, err error) {
	inFlight.Inc()
	defer inFlight.Dec()
	attempt, found, err := w.d.Desk.BeginDelivery(ctx, w.company, w.id, job.JobID())
	if err != nil || !found {
		return o, false, err
	}
	var answer guard.Result
	var failed error
	if attempt.Refused == nil {
		answer, failed = w.d.Guard.Post(ctx, attempt.URL, attempt.Header, attempt.Body)
	}
	o = w.d.Desk.EndDelivery(attempt, answer, failed)
	if !o.OK && !o.Withheld && ctx.Err() != nil {
		return o, false, nil
	}
	if !o.Withheld {
		attemptSeconds.Observe(answer.Duration.Seconds())
	}
	o.Owner, o.Epoch = held.Owner, held.Epoch
	return o, true, nil
}

// Finished adapts the limit of the address.
func (w *webhookWork) Finished(o Outcome) {
	if o.Withheld {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit = w.limit.after(o.OK, time.Duration(o.Attempt.DurationMS)*time.Millisecond)
}

// Close ends the work for the webhook.
func (w *webhookWork) Close() {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	delete(w.d.webhooks, w)
}
