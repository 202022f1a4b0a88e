package work

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

// lane works for one webhook. Its goroutine alone pulls and starts; requests and the writer of
// results report back through the fields below mu. How it gets and keeps the right to do so, where there
// are other nodes, is in lane_lease.go.
type lane struct {
	d       *Deliver
	webhook model.ID
	company model.ID // known once due deliveries were read
	held    desk.Lease
	bell    chan struct{}
	queue   []model.ID            // due, in order
	busy    map[model.ID]struct{} // queued, under way, or waiting to be written

	mu       sync.Mutex
	more     bool       // there may be due deliveries that are not in the queue
	tell     bool       // if the lane is another node's, that one must hear of it
	finished []model.ID // to leave busy
	flying   int        // requests under way
	limit    int        // of them
	proven   bool       // the last request went well
	slow     bool       // the last request took long
	takenAt  time.Time  // zero: not in the lane
	until    time.Time  // the end of the lease by this machine's clock
	lost     bool       // another node is in the lane
	cancel   context.CancelFunc
}

func newLane(d *Deliver, webhook model.ID) *lane {
	return &lane{d: d, webhook: webhook, bell: make(chan struct{}, 1), busy: map[model.ID]struct{}{}, limit: 1}
}

// wake tells the lane to look around, and with more that something may be due.
func (l *lane) wake(more, tell bool) {
	l.mu.Lock()
	l.more = l.more || more
	l.tell = l.tell || tell
	l.mu.Unlock()
	l.ring()
}

func (l *lane) ring() {
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

// run works until nothing has been due for a while, the lane is lost, or ctx ends; then it waits for
// its requests.
func (l *lane) run(ctx, requests context.Context) {
	requests, l.cancel = context.WithCancel(requests)
	defer l.cancel()
	var flights sync.WaitGroup
	for l.take(ctx) {
		for l.next(ctx) {
			release, ok := l.slot(ctx)
			if !ok {
				continue
			}
			id := l.queue[0]
			l.queue = l.queue[1:]
			flights.Go(func() {
				defer release()
				l.fly(requests, id)
			})
		}
		flights.Wait()
		if l.leave(ctx) {
			return
		}
	}
	l.remove()
}

// next waits until the first of the queue may start. It reports false when the lane is to be left.
func (l *lane) next(ctx context.Context) bool {
	var idle *time.Timer
	for ctx.Err() == nil {
		ready, pull, gone := l.state()
		switch {
		case gone:
			return false
		case ready:
			return true
		case pull:
			l.pull(ctx)
			continue
		}
		if idle == nil {
			idle = time.NewTimer(laneIdle)
			defer idle.Stop()
		}
		select {
		case <-l.bell:
		case <-ctx.Done():
		case <-idle.C:
			if len(l.busy) == 0 {
				return false
			}
			idle.Reset(laneIdle)
		}
	}
	return false
}

// state takes in what happened elsewhere and tells what can be done.
func (l *lane) state() (ready, pull, gone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range l.finished {
		delete(l.busy, id)
	}
	l.finished = l.finished[:0]
	// A request must end before the lease does, or the next owner could be sending at the same time.
	inTime := l.takenAt.IsZero() || time.Now().Add(l.d.Timeout+l.d.slack()).Before(l.until)
	ready = len(l.queue) > 0 && l.flying < l.limit && inTime
	pull = len(l.queue) == 0 && l.more
	return ready, pull, l.lost
}

// pull fills the queue with what is due and not in hand. What is in hand still counts as due in the
// database, so the page is longer by that much.
func (l *lane) pull(ctx context.Context) {
	l.mu.Lock()
	l.more, l.tell = false, false
	l.mu.Unlock()
	page := deliverPage + len(l.busy)
	ids, company, active, err := l.d.Desk.DueDeliveries(ctx, l.webhook, page)
	if err == nil && !active {
		var more bool
		if more, err = l.d.Desk.Settle(ctx, l.webhook); err == nil && more {
			l.wake(true, false)
		}
	}
	if err != nil {
		l.troubled(ctx, "due deliveries cannot be read", err)
		l.wake(true, false)
		return
	}
	l.company = company
	for _, id := range ids {
		if _, inHand := l.busy[id]; !inHand {
			l.busy[id] = struct{}{}
			l.queue = append(l.queue, id)
		}
	}
	if len(ids) == page {
		l.wake(true, false)
	}
}

// slot waits for its turn among all lanes. It reports false when the request may not start any more.
func (l *lane) slot(ctx context.Context) (release func(), ok bool) {
	l.mu.Lock()
	unproven := !l.proven || l.slow
	l.mu.Unlock()
	free, ok := l.d.slots.acquire(ctx, l.company, unproven)
	if !ok {
		return nil, false
	}
	release = func() {
		free()
		l.ring()
	}
	if ready, _, _ := l.state(); !ready {
		release()
		return nil, false
	}
	l.mu.Lock()
	l.flying++
	l.mu.Unlock()
	return release, true
}

// fly makes one attempt and hands its result to the writer.
func (l *lane) fly(ctx context.Context, id model.ID) {
	inFlight.Inc()
	made, ok, err := l.d.Desk.Attempt(ctx, l.webhook, id)
	inFlight.Dec()
	if err != nil {
		l.troubled(ctx, "a delivery cannot be read", err)
		l.wake(true, false)
	}
	l.landed(ok && !made.Withheld, made.OK, time.Duration(made.Attempt.DurationMS)*time.Millisecond)
	if !ok {
		l.done(id)
		return
	}
	if !made.Withheld {
		attemptSeconds.Observe(float64(made.Attempt.DurationMS) / 1000)
	}
	made.Owner, made.Epoch = l.d.node, l.held.Epoch
	l.d.results <- outcome{made, l}
}

// landed notes the end of a request: how many may be under way from now on depends on how it went.
func (l *lane) landed(made, well bool, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flying--
	switch {
	case !made:
	case well && took >= deliverSlow:
		l.proven, l.slow, l.limit = true, true, deliverSlowEach
	case well:
		l.proven, l.slow, l.limit = true, false, min(2*l.limit, deliverEach)
	default:
		l.proven, l.limit = false, 1
	}
}

// done takes a delivery out of hand: from now on the database alone knows of it.
func (l *lane) done(id model.ID) {
	l.mu.Lock()
	l.finished = append(l.finished, id)
	l.mu.Unlock()
	l.ring()
}

// troubled rests after a failure of the database.
func (l *lane) troubled(ctx context.Context, what string, err error) {
	if ctx.Err() != nil {
		return
	}
	l.d.Logger.Warn(what+" and will be tried again", slog.String("webhook", l.webhook.String()), slog.Any("error", err))
	select {
	case <-time.After(deliverRest):
	case <-ctx.Done():
	}
}
