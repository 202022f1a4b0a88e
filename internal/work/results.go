package work

import (
	"context"
	"log/slog"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

const (
	resultsEnough = 64 // not to wait for more
	resultsMost   = 256
	resultsWait   = 5 * time.Millisecond
)

// outcome is an attempt and the lane it was made in.
type outcome struct {
	desk.Outcome
	lane *lane
}

// write stores results, those of 5 milliseconds or 64 and what else is there in one transaction, until
// the channel is closed. While the database fails it holds on to them: requests then wait for it with their slots.
func (d *Deliver) write(ctx context.Context) {
	defer close(d.writing)
	batch := make([]outcome, 0, resultsMost)
	made := make([]desk.Outcome, 0, resultsMost)
	for first := range d.results {
		batch = append(batch[:0], first)
		batch = gather(batch, d.results)
		made = made[:0]
		for _, o := range batch {
			made = append(made, o.Outcome)
		}
		d.store(ctx, made)
		for _, o := range batch {
			count(o.Outcome)
			o.lane.done(o.Delivery)
		}
	}
}

func gather(batch []outcome, results <-chan outcome) []outcome {
	wait := time.NewTimer(resultsWait)
	defer wait.Stop()
	for len(batch) < resultsMost {
		if len(batch) >= resultsEnough && len(results) == 0 {
			return batch
		}
		select {
		case o, open := <-results:
			if !open {
				return batch
			}
			batch = append(batch, o)
		case <-wait.C:
			return batch
		}
	}
	return batch
}

// store tries until the database takes the results. When the server stops meanwhile they are dropped:
// then the attempts are made again after the next start.
func (d *Deliver) store(ctx context.Context, made []desk.Outcome) {
	for {
		err := d.Desk.SaveOutcomes(context.WithoutCancel(ctx), made)
		if err == nil {
			return
		}
		d.Logger.Warn("results of deliveries cannot be written and will be tried again", slog.Int("results", len(made)), slog.Any("error", err))
		select {
		case <-time.After(deliverRest):
		case <-ctx.Done():
			return
		}
	}
}

func count(o desk.Outcome) {
	switch {
	case o.OK:
		attempts.WithLabelValues("ok").Inc()
	case !o.Withheld:
		attempts.WithLabelValues("failed").Inc()
	}
	if o.Status != model.DeliveryPending {
		finished.WithLabelValues(o.Status).Inc()
	}
}
