package desk

import (
	"context"
	"slices"

	"recado/internal/model"
	"recado/internal/store"
)

// SaveOutcomes writes attempts down, counts the deliveries that failed for good one after another,
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

// lockHealth locks the webhooks that have a delivery that failed for good, in the order of their ids;
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
