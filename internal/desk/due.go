package desk

import (
	"context"
	"sync"

	"recado/internal/model"
)

// due remembers which webhooks got something to do since the delivering loop last looked.
type due struct {
	mu       sync.Mutex
	here     map[model.ID]struct{} // by a transaction of this process
	there    map[model.ID]struct{} // by another node
	anything bool                  // another node knows more than it said
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
