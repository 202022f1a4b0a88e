package webhooks

import (
	"context"
	"sync"
	"time"

	"recado/internal/jobs"
	"recado/internal/kernel"
)

// deliveryJob is the next attempt of a delivery.
type deliveryJob kernel.ID

// JobID returns the id of the delivery.
func (d deliveryJob) JobID() kernel.ID { return kernel.ID(d) }

// webhookWork delivers to one webhook.
type webhookWork struct {
	d       *Deliver
	company kernel.ID
	id      kernel.ID
	replays bool // the webhook gets events that it missed, in order

	mu    sync.Mutex // guards limit, which metrics read
	limit deliverLimit
}

// Free returns the number of requests that may start now. A replay makes one at a time.
func (w *webhookWork) Free(running int) (int, time.Duration) {
	if w.replays {
		return 1 - running, 0
	}
	return w.limit.requests - running, 0
}

// Group returns the company, which shares the slots with others.
func (w *webhookWork) Group() (company kernel.ID, unproven bool) {
	return w.company, w.limit.unproven()
}

// Step returns due deliveries that are not in hand. Those in hand are still due in the database, so it reads that many more. If
// the webhook is inactive or deleted it gives up the pending deliveries.
func (w *webhookWork) Step(ctx context.Context, step jobs.Step[Outcome]) (claimed jobs.Claimed[deliveryJob], err error) {
	if w.replays && len(step.InHand) > 0 {
		claimed.Next = replayPoll
		return claimed, nil
	}
	page := step.Limit + len(step.InHand)
	due, err := w.d.Desk.DueDeliveries(ctx, w.company, w.id, page)
	if err == nil && due.Replaying && !due.Missed && !due.Retrying {
		// Later events are due already, so missed events must be added first.
		if claimed.More, err = w.d.Desk.ReplayMissed(ctx, w.company, w.id); err == nil {
			due, err = w.d.Desk.DueDeliveries(ctx, w.company, w.id, page)
		}
	}
	if err != nil {
		return claimed, err
	}
	w.replays = due.Replaying
	if due.Replaying && len(due.IDs) > 0 { // one at a time, oldest first
		due.IDs, claimed.Next = due.IDs[:min(1, step.Limit-len(step.InHand))], replayPoll
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

// Attempt sends a delivery once. If the end of ctx interrupted the attempt, it is not recorded.
func (w *webhookWork) Attempt(ctx context.Context, lease jobs.Held, job deliveryJob) (o Outcome, record bool, err error) {
	inFlight.Inc()
	defer inFlight.Dec()
	var found bool
	out, err := kernel.ReadOne(ctx, w.d.Desk.Kernel, func(tx *kernel.Tx) (out outgoing, err error) {
		out, found, err = findOutgoing(tx, w.company, w.id, job.JobID())
		return out, err
	})
	if err != nil || !found {
		return o, false, err
	}
	attempt, took, ok := w.d.Desk.attempt(ctx, w.d.Guard, out)
	o = w.d.Desk.outcome(out, attempt, ok)
	if !o.OK && !o.Withheld && ctx.Err() != nil {
		return o, false, nil
	}
	if !o.Withheld {
		attemptSeconds.Observe(took.Seconds())
	}
	o.Owner, o.Epoch = lease.Owner, lease.Epoch
	return o, true, nil
}

// Finished adjusts the limit of the webhook.
func (w *webhookWork) Finished(o Outcome) {
	if o.Withheld {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit = w.limit.after(o.OK, time.Duration(o.Attempt.DurationMS)*time.Millisecond)
}

// Close removes the webhook from the metrics.
func (w *webhookWork) Close() {
	w.d.mu.Lock()
	defer w.d.mu.Unlock()
	delete(w.d.webhooks, w)
}
