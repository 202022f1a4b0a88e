package webhooks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/guard"
	"recado/internal/jobs"
	"recado/internal/kernel"
)

// deliverySlots limits the concurrent requests to webhooks. Companies share them, and webhooks whose last request was slow or
// failed take at most half of them.
var deliverySlots = jobs.SlotLimits{All: 256, Unproven: 128, Group: 128, Reserved: 4, Most: 512}

const (
	deliverPage  = 64                    // due deliveries of one webhook in memory
	deliverPoll  = time.Second           // besides signals, and for retries
	deliverGrace = time.Second           // for running requests when the server stops
	deliverIdle  = 10 * time.Second      // without work, until a lease is released
	replayPoll   = 10 * time.Millisecond // during a replay, for the end of the running request
	deliverSpare = 6 * time.Second       // of a lease beyond the longest request
)

// Deliver is the worker that sends events to webhooks. Each webhook with due deliveries belongs to one node, which sends them in
// order with a few concurrent requests; see deliverLimit.
type Deliver struct {
	Desk    *Webhooks
	Guard   *guard.Client
	Logger  *slog.Logger
	Timeout time.Duration // of one request
	Lease   time.Duration // default: Timeout and 6 seconds

	mu       sync.Mutex
	webhooks map[*webhookWork]struct{} // with work on this node
}

// Run delivers until ctx ends. Then it lets running requests finish for a moment, stores their results and releases its leases.
func (d *Deliver) Run(ctx context.Context) {
	d.run(ctx, webhookLeases{jobs.StoredLeases{Desk: d.Desk.Kernel, Kind: leaseWebhook, Wake: ChannelDeliver}, d.Desk})
}

func (d *Deliver) run(ctx context.Context, leases jobs.Leases) {
	if d.Timeout <= 0 {
		d.Timeout = WebhookTimeout
	}
	if d.Lease <= d.Timeout {
		d.Lease = d.Timeout + deliverSpare
	}
	options := jobs.Options[Outcome]{
		Name: "deliveries", Logger: d.Logger, Slots: deliverySlots, Prefetch: deliverPage,
		Poll: deliverPoll, Idle: deliverIdle, Grace: deliverGrace, Record: d.record,
		Leases: leases, Lease: d.Lease, Timeout: d.Timeout,
		Signal: d.Desk.Wakeup(WakeDeliver).C, Announced: d.Desk.TakeDue, Tell: d.Desk.TellDue, Listen: d.Desk.ListenDue,
	}
	if d.Desk.SingleNode() {
		options.Leases = nil
	}
	jobs.NewPool(d, options).Run(ctx)
}

// Due returns the webhooks with work and the time until the next check.
func (d *Deliver) Due(ctx context.Context, owner kernel.ID) (due []kernel.ID, next time.Duration, err error) {
	pending, err := d.Desk.PendingWebhooks(ctx, owner)
	now := d.Desk.Now()
	next = deliverPoll
	for _, p := range pending {
		if left := p.DueAt.Sub(now); left > 0 && p.Active {
			next = min(next, left)
			continue
		}
		due = append(due, p.Webhook)
	}
	return due, next, err
}

// Open returns the subject of one webhook.
func (d *Deliver) Open(webhook kernel.ID) jobs.Subject[deliveryJob, Outcome] {
	w := &webhookWork{d: d, company: d.Desk.companyOf(webhook), id: webhook, limit: newDeliverLimit()}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.webhooks == nil {
		d.webhooks = map[*webhookWork]struct{}{}
	}
	d.webhooks[w] = struct{}{}
	return w
}

// record stores the outcomes of several webhooks in one transaction.
func (d *Deliver) record(ctx context.Context, outcomes []Outcome) error {
	if err := d.Desk.SaveOutcomes(ctx, outcomes); err != nil {
		return err
	}
	for _, o := range outcomes {
		countOutcome(o)
	}
	return nil
}

type webhookLeases struct {
	jobs.StoredLeases
	desk *Webhooks
}

// Take takes the lease of a webhook.
func (l webhookLeases) Take(ctx context.Context, webhook, owner kernel.ID, length time.Duration) (int64, bool, error) {
	lease, taken, err := l.desk.TakeLease(ctx, webhook, owner, length)
	return lease.Epoch, taken, err
}
