package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/kernel"
)

const (
	retryDelay     = time.Second // after a failure of the database
	heldElsewhere  = time.Second // before a lease of another node is requested again
	releaseTimeout = 2 * time.Second
	stepTimeout    = 10 * time.Second
	stopTries      = 3 // attempts to record results while the pool stops
)

// Options configure a Pool.
type Options[R any] struct {
	Name   string // of the kind of work, for the log
	Logger *slog.Logger
	Slots  SlotLimits

	Poll  time.Duration // the interval of calls to Due without a signal
	Idle  time.Duration // before a subject without work is closed
	Grace time.Duration // for running attempts when the pool stops

	// Prefetch is the number of claimed jobs of a subject that may wait for a slot. Zero: a job is claimed only when it has a
	// slot, so that a crash leaves no claimed jobs whose attempts have not started.
	Prefetch int

	// Record records results of all subjects together. Nil: each Step records those of its subject.
	Record func(ctx context.Context, results []R) error

	Leases Leases        // nil: no other node can work for the same subjects
	Lease  time.Duration // how long a lease lasts if it is not renewed
	// Timeout is the maximum duration of an attempt. No attempt starts that might outlast its lease, and if a lease is lost, its
	// attempts are canceled. Zero: attempts may outlast the lease; see Held.Expired.
	Timeout time.Duration

	Signal    <-chan struct{}           // jobs may be due; nil: the pool only polls
	Announced func() Announced          // returns the subjects of the signal; nil: all
	Tell      func(subject kernel.ID)   // notifies other nodes that a subject has work; may be nil
	Listen    func(ctx context.Context) // forwards signals of other nodes until ctx ends; may be nil
}

// Pool runs a Worker: one goroutine for each subject that has work, and one for each attempt.
type Pool[J Job, R any] struct {
	Options[R]
	worker Worker[J, R]
	owner  kernel.ID
	slots  *slots
	batch  *batch[R] // nil: steps record

	mu        sync.Mutex
	subjects  map[kernel.ID]*subject[J, R]
	elsewhere map[kernel.ID]time.Time // when to request leases of other nodes again
	running   sync.WaitGroup
}

// NewPool returns a Pool. It can be run once.
func NewPool[J Job, R any](worker Worker[J, R], o Options[R]) *Pool[J, R] {
	p := &Pool[J, R]{
		Options: o, worker: worker, owner: kernel.NewID(), slots: newSlots(o.Slots),
		subjects: map[kernel.ID]*subject[J, R]{}, elsewhere: map[kernel.ID]time.Time{},
	}
	if o.Record != nil {
		p.batch = newBatch(o.Record, o.Logger)
	}
	return p
}

// Run works until ctx ends. Then it starts no more attempts, waits for the running ones up to the grace period, records
// their results and releases the leases.
func (p *Pool[J, R]) Run(ctx context.Context) {
	attempts, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var background sync.WaitGroup
	if p.batch != nil {
		go p.batch.run(attempts)
	}
	if p.Listen != nil {
		background.Go(func() { p.Listen(ctx) })
	}
	if p.Leases != nil {
		background.Go(func() { p.renew(attempts) })
	}
	p.look(ctx, attempts)
	grace := time.AfterFunc(p.Grace, cancel)
	defer grace.Stop()
	p.running.Wait()
	if p.batch != nil {
		p.batch.close()
	}
	cancel()
	background.Wait()
	p.releaseAll(ctx)
}

// look opens subjects that have work. Signals may name subjects; all due subjects are opened at every poll, when the next job
// is due, and after signals that name none.
func (p *Pool[J, R]) look(ctx, attempts context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		all := true
		select {
		case <-ctx.Done():
			return
		case <-p.Signal:
			all = p.openAnnounced(ctx, attempts)
		case <-timer.C:
		}
		if all {
			timer.Reset(p.openDue(ctx, attempts))
		}
	}
}

func (p *Pool[J, R]) openAnnounced(ctx, attempts context.Context) (all bool) {
	if p.Announced == nil {
		return true
	}
	announced := p.Announced()
	for _, subject := range announced.Here {
		p.open(ctx, attempts, subject, true)
	}
	for _, subject := range announced.There {
		p.open(ctx, attempts, subject, false)
	}
	return announced.All || len(announced.Here) == 0 && len(announced.There) == 0
}

// openDue opens all subjects with something due and returns the time until the next look.
func (p *Pool[J, R]) openDue(ctx, attempts context.Context) time.Duration {
	due, next, err := p.worker.Due(ctx, p.owner)
	if err != nil {
		if ctx.Err() == nil {
			p.Logger.Warn("cannot look up due work", slog.String("work", p.Name), slog.Any("error", err))
		}
		return retryDelay
	}
	p.mu.Lock()
	clear(p.elsewhere)
	p.mu.Unlock()
	for _, subject := range due {
		p.open(ctx, attempts, subject, false)
	}
	if next > 0 {
		return min(next, p.Poll)
	}
	return p.Poll
}

// open starts a subject or wakes it. isLocal means that this process created the work, so that another node that holds the
// lease must be notified.
func (p *Pool[J, R]) open(ctx, attempts context.Context, id kernel.ID, isLocal bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.subjects[id]; s != nil {
		s.lookAgain(isLocal)
		return
	}
	if until, ok := p.elsewhere[id]; ok && time.Now().Before(until) {
		if isLocal {
			p.tell(id)
		}
		return
	}
	s := &subject[J, R]{
		pool: p, id: id, work: p.worker.Open(id), wake: kernel.Wakeup{C: make(chan struct{}, 1)},
		inHand: map[kernel.ID]struct{}{}, cancel: func() {},
	}
	s.lookAgain(isLocal)
	p.subjects[id] = s
	p.running.Go(func() { s.run(ctx, attempts) })
}

func (p *Pool[J, R]) tell(id kernel.ID) {
	if p.Tell != nil {
		p.Tell(id)
	}
}

func (p *Pool[J, R]) remove(s *subject[J, R]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.subjects[s.id] == s {
		delete(p.subjects, s.id)
	}
}
