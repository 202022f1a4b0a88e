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

// deliverySlots limits the requests to webhooks that are under way. Companies share them, and addresses whose
// last answer was not both a success and quick take at most half of them.
var deliverySlots = jobs.SlotLimits{All: 256, Unproven: 128, Group: 128, Reserved: 4, Most: 512}

const (
	deliverPage  = 64                    // due deliveries of one address kept in memory
	deliverPoll  = time.Second           // beside the signals, and for retries
	deliverGrace = time.Second           // for requests under way when the server stops
	deliverIdle  = 10 * time.Second      // without work, before a lease is given up
	replayLook   = 10 * time.Millisecond // during a replay, after which it is looked whether the request under way has ended
	deliverSpare = 6 * time.Second       // of a lease beyond the longest request
)

// Deliver is the worker that brings events to webhooks: one subject for each address that has something due,
// on one node, which takes the due deliveries in order and keeps a few requests under way; see deliverLimit.
type Deliver struct {
	Desk    *Webhooks
	Guard   *guard.Client
	Logger  *slog.Logger
	Timeout time.Duration // of one request
	Lease   time.Duration // default: Timeout and 6 seconds

	mu       sync.Mutex
	webhooks map[*webhookWork]struct{} // that are being worked for
}

// Run ends with ctx: requests under way get a moment to finish, results are written, leases given up.
func (d *Deliver) Run(ctx context.Context) {
	d.run(ctx, webhookLeases{jobs.StoredLeases{Desk: d.Desk.Kernel, Kind: leaseWebhook, Wake: ChannelDeliver}, d.Desk})
}

func (d *Deliver) run(ctx context.Context, held jobs.Leases) {
	if d.Timeout <= 0 {
		d.Timeout = WebhookTimeout
	}
	if d.Lease <= d.Timeout {
		d.Lease = d.Timeout + deliverSpare
	}
	options := jobs.Options[Outcome]{
		Name: "deliveries", Logger: d.Logger, Slots: deliverySlots, Prefetch: deliverPage,
		Poll: deliverPoll, Idle: deliverIdle, Grace: deliverGrace, Record: d.record,
		Leases: held, Lease: d.Lease, Timeout: d.Timeout,
		Signal: d.Desk.Wakeup(WakeDeliver).C, Announced: d.announced, Tell: d.Desk.TellDue, Listen: d.Desk.ListenDue,
	}
	if d.Desk.SingleNode() {
		options.Leases = nil
	}
	jobs.NewPool(d, options).Run(ctx)
}

// Due lists the webhooks that have something to do.
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

// Open returns the work of one webhook.
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

func (d *Deliver) announced() jobs.Announced { return jobs.Announced(d.Desk.TakeDue()) }

// record writes the outcomes of several webhooks in one transaction.
func (d *Deliver) record(ctx context.Context, outcomes []Outcome) error {
	if err := d.Desk.SaveOutcomes(ctx, outcomes); err != nil {
		return err
	}
	for _, o := range outcomes {
		count(o)
	}
	return nil
}

// webhookLeases are the leases of webhooks.
type webhookLeases struct {
	jobs.StoredLeases
	desk *Webhooks
}

// Take takes the lease of a webhook.
func (l webhookLeases) Take(ctx context.Context, webhook, owner kernel.ID, length time.Duration) (int64, bool, error) {
	lease, taken, err := l.desk.TakeLease(ctx, webhook, owner, length)
	return lease.Epoch, taken, err
}
