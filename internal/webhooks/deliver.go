package webhooks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

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
	d.run(ctx, webhookLeases{jobs.StoredLeases{Desk: d.Desk.Kernel, Kind: leaseWebhook, Wake: ChannelDeliver}})
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
	pending, err := kernel.ReadOne(ctx, d.Desk.Kernel, func(tx *kernel.Tx) ([]Pending, error) { return pendingWebhooks(tx, owner) })
	if err != nil {
		return nil, 0, err
	}
	d.Desk.due.mu.Lock()
	defer d.Desk.due.mu.Unlock()
	clear(d.Desk.due.companies)
	now := d.Desk.Now()
	next = deliverPoll
	for _, p := range pending {
		d.Desk.due.companies[p.Webhook] = p.Company
		if left := p.DueAt.Sub(now); left > 0 && p.Active {
			next = min(next, left)
			continue
		}
		due = append(due, p.Webhook)
	}
	return due, next, nil
}

// Open returns the subject of one webhook.
func (d *Deliver) Open(webhook kernel.ID) jobs.Subject[deliveryJob, Outcome] {
	w := &webhookWork{d: d, id: webhook, limit: newDeliverLimit()}
	w.company, _ = d.Desk.companyOf(webhook)
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
	if err := d.Desk.saveOutcomes(ctx, outcomes); err != nil {
		return err
	}
	for _, o := range outcomes {
		switch {
		case o.OK:
			attempts.WithLabelValues("ok").Inc()
		case !o.Withheld:
			attempts.WithLabelValues("failed").Inc()
		}
		if o.Status != DeliveryPending {
			finished.WithLabelValues(o.Status).Inc()
		}
	}
	return nil
}

type webhookLeases struct{ jobs.StoredLeases }

// Take takes the lease of a webhook. It reports false while another node has it.
func (l webhookLeases) Take(
	ctx context.Context, webhook, owner kernel.ID, length time.Duration,
) (epoch int64, taken bool, err error) {
	err = l.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		lease, ok, err := tx.TakeLease(leaseWebhook, webhook, owner, length)
		epoch, taken = lease.Epoch, ok
		return err
	})
	return epoch, taken, err
}

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
	find := func(tx *kernel.Tx) (dueDeliveries, error) { return findDue(tx, w.company, w.id, page) }
	due, err := kernel.ReadOne(ctx, w.d.Desk.Kernel, find)
	if err == nil && due.replaying && !due.missed && !due.retrying {
		// Later events are due already, so missed events must be added first.
		if claimed.More, err = w.d.Desk.ReplayMissed(ctx, w.company, w.id); err == nil {
			due, err = kernel.ReadOne(ctx, w.d.Desk.Kernel, find)
		}
	}
	if err != nil {
		return claimed, err
	}
	w.replays = due.replaying
	if due.replaying && len(due.ids) > 0 { // one at a time, oldest first
		due.ids, claimed.Next = due.ids[:min(1, step.Limit-len(step.InHand))], replayPoll
	}
	claimed.More = claimed.More || len(due.ids) == page
	if !due.active {
		more, err := w.d.Desk.Settle(ctx, w.company, w.id)
		claimed.More = claimed.More || more
		if err != nil {
			return claimed, err
		}
	}
	for _, id := range due.ids {
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

const (
	deliverEach     = 8           // concurrent requests to one webhook
	deliverSlowEach = 2           // to one webhook that responds slowly
	deliverSlow     = time.Second // a response that takes longer is slow
)

// deliverLimit is the maximum number of concurrent requests to one webhook.
type deliverLimit struct {
	requests int
	proven   bool // the last request succeeded
	slow     bool // the last request was slow
}

// newDeliverLimit returns the limit of a webhook before its first request.
func newDeliverLimit() deliverLimit { return deliverLimit{requests: 1} }

// after returns the limit after a request. It doubles with each success up to eight, is two while the webhook responds slowly,
// and one after a failure.
func (l deliverLimit) after(ok bool, took time.Duration) deliverLimit {
	switch {
	case ok && took >= deliverSlow:
		return deliverLimit{requests: deliverSlowEach, proven: true, slow: true}
	case ok:
		return deliverLimit{requests: min(2*l.requests, deliverEach), proven: true}
	}
	return deliverLimit{requests: 1, slow: l.slow}
}

// unproven reports whether the last request was slow or failed.
func (l deliverLimit) unproven() bool { return !l.proven || l.slow }

var (
	inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "recado_webhook_requests_in_flight", Help: "Webhook requests in progress on this node.",
	})
	attempts = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recado_webhook_attempts_total", Help: "Attempts at deliveries by this node, by result: ok or failed.",
	}, []string{"result"})
	finished = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "recado_webhook_deliveries_total", Help: "Deliveries that became final on this node, by status: delivered or failed.",
	}, []string{"status"})
	attemptSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "recado_webhook_attempt_seconds", Help: "Response time of webhook receivers.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	})

	dueNow = prometheus.NewDesc("recado_webhook_deliveries_due",
		"Deliveries that are due and not final, on all nodes; counted up to 100000.", nil, nil)
	oldestDue = prometheus.NewDesc("recado_webhook_oldest_due_seconds",
		"How long the oldest due delivery has been waiting.", nil, nil)
	addresses = prometheus.NewDesc("recado_webhooks",
		"Registered addresses by state: healthy, failing (its last delivery failed permanently), inactive.", []string{"state"}, nil)
	// Dashboards depend on the names of this metric and of its states.
	leasesNow = prometheus.NewDesc("recado_webhook_lanes",
		"Addresses this node is working for, by state: answering, or shy (new, or its last request failed or took longer than a "+
			"second).", []string{"state"}, nil)
)

// Collectors returns the metrics of deliveries.
func (d *Deliver) Collectors() []prometheus.Collector {
	return []prometheus.Collector{inFlight, attempts, finished, attemptSeconds, d}
}

// Describe implements prometheus.Collector for the metrics that Collect reads.
func (d *Deliver) Describe(ch chan<- *prometheus.Desc) {
	ch <- dueNow
	ch <- oldestDue
	ch <- addresses
	ch <- leasesNow
}

// Collect reads metrics from the database. It leaves out those that take longer than five seconds.
func (d *Deliver) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	if n, oldest, err := d.dueCount(ctx); err == nil {
		gauge(dueNow, float64(n))
		gauge(oldestDue, oldest.Seconds())
	}
	if states, err := kernel.ReadOne(ctx, d.Desk.Kernel, webhookCounts); err == nil {
		for state, n := range states {
			gauge(addresses, float64(n), state)
		}
	}
	states := map[bool]int{}
	d.mu.Lock()
	for w := range d.webhooks {
		w.mu.Lock()
		states[w.limit.unproven()]++
		w.mu.Unlock()
	}
	d.mu.Unlock()
	gauge(leasesNow, float64(states[false]), "answering")
	gauge(leasesNow, float64(states[true]), "shy")
}

// dueCount returns the number of due deliveries, counted up to 100,000, and for how long the oldest has been due.
func (d *Deliver) dueCount(ctx context.Context) (n int64, oldest time.Duration, err error) {
	err = d.Desk.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		if n, err = countDue(tx, 100_000); err != nil {
			return err
		}
		pending, err := pendingWebhooks(tx, kernel.ID{})
		for _, p := range pending {
			oldest = max(oldest, tx.Now.Sub(p.DueAt))
		}
		return err
	})
	return n, oldest, err
}
