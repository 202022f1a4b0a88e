package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/kernel"
)

const (
	rest          = time.Second     // after a failure of the database
	heldElsewhere = time.Second     // how long a lease that another node holds is not asked for again
	releaseIn     = 2 * time.Second // for giving up the leases at the end
	stepTimeout   = 10 * time.Second
	stopTries     = 3 // at recording results while the pool stops
)

// Options configure a Pool.
type Options[R any] struct {
	Name   string // of the kind of work, for the log
	Logger *slog.Logger
	Slots  SlotLimits

	Poll  time.Duration // how often Due is asked without a signal
	Idle  time.Duration // without work, before a subject is closed
	Grace time.Duration // for attempts under way when the pool stops

	// Prefetch is how many claimed jobs of a subject may wait for a slot. Zero: a job is claimed only when it
	// has a slot, for work that must not be in doubt because of a crash before its attempt.
	Prefetch int

	// Record records results of all subjects together. Nil: each Step records those of its subject.
	Record func(ctx context.Context, results []R) error

	Leases Leases        // nil: no other node can work on the same subjects
	Lease  time.Duration // how long a lease lasts without being renewed
	// Timeout is the longest that an attempt takes. No attempt starts that might outlast its lease, and a
	// lost lease ends the attempts under way. Zero: attempts may outlast it; see Held.Expired.
	Timeout time.Duration

	Signal    <-chan struct{}           // something may be due; nil: only the poll finds it
	Announced func() Announced          // says what the signal was about; nil: everything
	Tell      func(subject kernel.ID)   // tells other nodes that a subject has work; nil: they know
	Listen    func(ctx context.Context) // passes on signals of other nodes until ctx ends; nil: none
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
	elsewhere map[kernel.ID]time.Time // leases of other nodes, not asked for until then
	running   sync.WaitGroup
}

// NewPool makes a Pool. It runs once.
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

// Run works until ctx ends. Then no attempt starts, those under way have until the end of the grace period,
// their results are recorded and the leases given up.
func (p *Pool[J, R]) Run(ctx context.Context) {
	attempts, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var beside sync.WaitGroup
	if p.batch != nil {
		go p.batch.run(attempts)
	}
	if p.Listen != nil {
		beside.Go(func() { p.Listen(ctx) })
	}
	if p.Leases != nil {
		beside.Go(func() { p.renew(attempts) })
	}
	p.look(ctx, attempts)
	grace := time.AfterFunc(p.Grace, cancel)
	defer grace.Stop()
	p.running.Wait()
	if p.batch != nil {
		p.batch.close()
	}
	cancel()
	beside.Wait()
	p.releaseAll(ctx)
}

// look opens the subjects that have work: at once those that signals name, and all that are due at every
// poll, at the time of the earliest job, and at signals that name none.
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
			p.Logger.Warn("due work cannot be looked up", slog.String("work", p.Name), slog.Any("error", err))
		}
		return rest
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

// open starts a subject or wakes it. With tell, the node that holds its lease is told.
func (p *Pool[J, R]) open(ctx, attempts context.Context, id kernel.ID, tell bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.subjects[id]; s != nil {
		s.lookAgain(tell)
		return
	}
	if until, ok := p.elsewhere[id]; ok && time.Now().Before(until) {
		if tell {
			p.tell(id)
		}
		return
	}
	s := newSubject(p, id)
	s.lookAgain(tell)
	p.subjects[id] = s
	p.running.Go(func() { s.run(ctx, attempts) })
}

func (p *Pool[J, R]) tell(id kernel.ID) {
	if p.Tell != nil {
		p.Tell(id)
	}
}

// remove forgets a subject that has ended.
func (p *Pool[J, R]) remove(s *subject[J, R]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.subjects[s.id] == s {
		delete(p.subjects, s.id)
	}
}
