package work

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

const (
	deliverSlots    = 256 // requests under way at once
	deliverUnproven = 128 // of them, to addresses that have not just answered well and soon
	deliverCompany  = 128 // of them, of one company
	deliverReserved = 4   // of each company, whatever the others do
	deliverMost     = 512 // with the reserved ones
	deliverEach     = 8   // to one address
	deliverSlowEach = 2   // to one address that answers slowly
	deliverPage     = 64  // due deliveries of one address kept in memory

	deliverSlow = time.Second // an answer that takes longer makes an address slow

	deliverPoll  = time.Second      // behind all bells, and for retries
	deliverRest  = time.Second      // after the database failed
	deliverGrace = time.Second      // for requests under way when the server stops
	laneIdle     = 10 * time.Second // without work, before a lane is given up
	laneMargin   = 6 * time.Second  // of a lease beyond the longest request
	laneForeign  = time.Second      // how long another node is believed to be in a lane
)

// Deliver brings events to webhooks. Each address that has something due gets a lane: one goroutine,
// on one node, that takes the due deliveries in order and keeps a few requests under way. Lanes queue
// for request slots one request at a time, so that each gets its turn however long the others' queues
// are. An address starts with one request at a time, doubles that with each success and falls back to
// one with a failure; one that answers slowly keeps two. Slots are shared among companies, and those
// whose addresses do not answer well and soon take at most half of them: see deliverySlots.
type Deliver struct {
	Desk    desk.System
	Logger  *slog.Logger
	Timeout time.Duration // of one request
	Lease   time.Duration // of a lane; default: Timeout and 6 seconds

	node    model.ID
	slots   *deliverySlots
	results chan outcome
	writing chan struct{} // closed when the last result is written

	mu      sync.Mutex
	lanes   map[model.ID]*lane
	foreign map[model.ID]time.Time // lanes of other nodes, believed until then
	running sync.WaitGroup
}

// Run ends with ctx: requests under way get a moment to finish, results are written, lanes given up.
func (d *Deliver) Run(ctx context.Context) {
	d.run(ctx)
	if d.Desk.SingleNode() {
		return
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := d.Desk.ReleaseLeases(last, d.node); err != nil {
		d.Logger.Warn("the lanes were not given up; other nodes wait for their leases to end", slog.Any("error", err))
	}
}

func (d *Deliver) run(ctx context.Context) {
	d.prepare()
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	go d.write(requests)

	var beside sync.WaitGroup
	beside.Go(func() { d.Desk.ListenDue(ctx) })
	if !d.Desk.SingleNode() {
		beside.Go(func() { d.renew(ctx) })
	}
	d.look(ctx, requests)

	time.AfterFunc(deliverGrace, cancel)
	d.running.Wait() // lanes, each with its requests
	close(d.results)
	<-d.writing
	beside.Wait()
}

func (d *Deliver) prepare() {
	if d.Timeout <= 0 {
		d.Timeout = model.WebhookTimeout
	}
	if d.Lease <= d.Timeout {
		d.Lease = d.Timeout + laneMargin
	}
	d.node = model.NewID()
	d.slots = newDeliverySlots()
	d.results = make(chan outcome, deliverMost)
	d.writing = make(chan struct{})
	d.lanes = map[model.ID]*lane{}
	d.foreign = map[model.ID]time.Time{}
}

// look opens lanes for what is due: at once for what transactions of this process and notes of other
// nodes name, and through the table of deliveries every second, when the earliest retry is due, and
// when somebody rings without saying why.
func (d *Deliver) look(ctx, requests context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	bell := d.Desk.Bells().Deliver.C
	for {
		all := false
		select {
		case <-ctx.Done():
			return
		case <-bell:
			due := d.Desk.TakeDue()
			for _, webhook := range due.Here {
				d.open(ctx, requests, webhook, true)
			}
			for _, webhook := range due.There {
				d.open(ctx, requests, webhook, false)
			}
			all = due.All
		case <-timer.C:
			all = true
		}
		if all {
			timer.Reset(d.lookAtAll(ctx, requests))
		}
	}
}

// lookAtAll opens a lane for every webhook with something to do and gives the time until the next look.
func (d *Deliver) lookAtAll(ctx, requests context.Context) time.Duration {
	pending, err := d.Desk.PendingWebhooks(ctx, d.node)
	if err != nil {
		if ctx.Err() == nil {
			d.Logger.Warn("due deliveries cannot be looked up", slog.Any("error", err))
		}
		return deliverRest
	}
	d.forgetForeign()
	wait, now := deliverPoll, d.Desk.Now()
	for _, p := range pending {
		if left := p.DueAt.Sub(now); left > 0 && p.Active {
			wait = min(wait, left)
			continue
		}
		d.open(ctx, requests, p.Webhook, false)
	}
	return wait
}

func (d *Deliver) forgetForeign() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.foreign)
}

// open wakes the lane of a webhook or starts it. With tell, a lane that another node is in is passed
// on to that node.
func (d *Deliver) open(ctx, requests context.Context, webhook model.ID, tell bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := d.lanes[webhook]; l != nil {
		l.wake(true, tell)
		return
	}
	if until, ok := d.foreign[webhook]; ok && time.Now().Before(until) {
		if tell {
			d.Desk.TellDue(webhook)
		}
		return
	}
	l := newLane(d, webhook)
	l.wake(true, tell)
	d.lanes[webhook] = l
	d.running.Go(func() { l.run(ctx, requests) })
}

// renew keeps the leases of this node's lanes long, and ends the lanes that it lost.
func (d *Deliver) renew(ctx context.Context) {
	every := time.NewTicker((d.Lease - d.Timeout) / 3)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		started := time.Now()
		if !d.holdsAny() {
			continue
		}
		held, err := d.Desk.RenewLeases(ctx, d.node, d.Lease)
		if err != nil {
			if ctx.Err() == nil {
				d.Logger.Warn("leases cannot be renewed", slog.Any("error", err))
			}
			continue
		}
		epochs := make(map[model.ID]int64, len(held))
		for _, lane := range held {
			epochs[lane.Subject] = lane.Epoch
		}
		d.mu.Lock()
		for webhook, l := range d.lanes {
			l.renewed(epochs[webhook], started, started.Add(d.Lease))
		}
		d.mu.Unlock()
	}
}

// slack is the part of a lease that a request may lose before it starts.
func (d *Deliver) slack() time.Duration { return (d.Lease - d.Timeout) / 6 }

func (d *Deliver) holdsAny() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.lanes) > 0
}
