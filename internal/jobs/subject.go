package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/kernel"
)

// subject works for one subject. Its goroutine alone claims and starts jobs; attempts, the batch and the pool
// report to it through the fields below mu. How it gets and keeps its lease is in lease.go, how it
// claims and starts jobs in claim.go.
type subject[J Job, R any] struct {
	pool *Pool[J, R]
	id   kernel.ID
	work Subject[J, R]
	wake chan struct{}

	queue     []J                    // claimed, waiting for slots
	inHand    map[kernel.ID]struct{} // claimed, and the result is not recorded
	running   int                    // attempts under way
	results   []R                    // to be recorded by the next step
	resultsOf []kernel.ID            // their jobs
	slots     []slot                 // granted and not used yet
	claim     *claim                 // waits for a slot
	more      bool                   // jobs may be due that are not in hand
	lookAt    time.Time              // when more becomes true; zero: not known
	restUntil time.Time              // after a failure
	failures  int                    // of steps, in a row
	idleSince time.Time              // zero: not idle

	mu         sync.Mutex
	inbox      inbox[R]
	lease      Lease // written by the goroutine only
	leaseState leaseState
	cancel     context.CancelFunc // of the attempts
}

// inbox is what happened since the goroutine last looked.
type inbox[R any] struct {
	ended    []ended[R]
	recorded []kernel.ID // jobs whose results the batch has recorded
	more     bool        // something may be due
	tell     bool        // if another node holds the lease, it must be told
}

// ended is the end of an attempt.
type ended[R any] struct {
	job    kernel.ID
	result R
	record bool
	err    error
}

func newSubject[J Job, R any](p *Pool[J, R], id kernel.ID) *subject[J, R] {
	return &subject[J, R]{
		pool: p, id: id, work: p.worker.Open(id), wake: make(chan struct{}, 1), inHand: map[kernel.ID]struct{}{}, cancel: func() {},
	}
}

func (s *subject[J, R]) notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// lookAgain says that something may be due.
func (s *subject[J, R]) lookAgain(tell bool) {
	s.mu.Lock()
	s.inbox.more = true
	s.inbox.tell = s.inbox.tell || tell
	s.mu.Unlock()
	s.notify()
}

// run works until nothing has been due for a while, the lease is lost or ctx ends. All attempts have ended
// then, and their results are recorded or given up.
func (s *subject[J, R]) run(ctx, attempts context.Context) {
	defer s.work.Close()
	defer s.pool.remove(s)
	for s.take(ctx) {
		s.hold(ctx, attempts)
		if s.leave(ctx) {
			return
		}
	}
}

// hold works while the lease is held.
func (s *subject[J, R]) hold(ctx, attempts context.Context) {
	attempts, cancel := context.WithCancel(attempts)
	defer cancel()
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	for {
		s.collect(ctx)
		over := ctx.Err() != nil || s.lost()
		if over {
			s.drop()
		}
		if !time.Now().Before(s.restUntil) {
			s.restUntil = time.Time{}
			s.step(ctx, over)
			s.start(attempts)
		}
		if s.done(ctx, over || s.lost()) {
			break
		}
		s.wait(ctx, over)
	}
	if len(s.results) > 0 {
		s.pool.Logger.Error("results were not recorded before the end",
			slog.String("work", s.pool.Name), slog.String("subject", s.id.String()), slog.Int("results", len(s.results)))
	}
}

// collect takes what is in the inbox.
func (s *subject[J, R]) collect(ctx context.Context) {
	s.mu.Lock()
	in := s.inbox
	s.inbox = inbox[R]{tell: in.tell}
	s.mu.Unlock()
	s.more = s.more || in.more
	if !s.lookAt.IsZero() && !time.Now().Before(s.lookAt) {
		s.more, s.lookAt = true, time.Time{}
	}
	for _, id := range in.recorded {
		delete(s.inHand, id)
	}
	for _, e := range in.ended {
		s.running--
		s.finished(ctx, e)
	}
}

func (s *subject[J, R]) finished(ctx context.Context, e ended[R]) {
	switch {
	case e.err != nil:
		s.warn(ctx, "a job cannot be begun and will be tried again", e.err)
		s.backOff()
		s.more = true
		delete(s.inHand, e.job)
	case !e.record:
		delete(s.inHand, e.job)
	case s.pool.batch != nil:
		s.work.Finished(e.result)
		s.pool.batch.add(e.result, func() { s.recorded(e.job) })
	default:
		s.work.Finished(e.result)
		s.results, s.resultsOf = append(s.results, e.result), append(s.resultsOf, e.job)
	}
	s.more = s.more || s.pool.batch == nil // what waited for this job can be claimed
}

func (s *subject[J, R]) recorded(job kernel.ID) {
	s.mu.Lock()
	s.inbox.recorded = append(s.inbox.recorded, job)
	s.mu.Unlock()
	s.notify()
}

// done reports whether the subject is to be left: when it is over and all is recorded, when it stops and
// cannot be recorded, or when there has been nothing to do for a while.
func (s *subject[J, R]) done(ctx context.Context, over bool) bool {
	if over {
		return s.running == 0 && (len(s.inHand) == 0 || ctx.Err() != nil && s.failures >= stopTries)
	}
	if len(s.inHand) > 0 || s.more || !s.lookAt.IsZero() {
		s.idleSince = time.Time{}
		return false
	}
	if s.idleSince.IsZero() {
		s.idleSince = time.Now()
	}
	return time.Since(s.idleSince) >= s.pool.Idle
}

// wait returns when something has happened or is due. over says that the end of ctx was seen already: an end that came
// during the last step has to be seen yet.
func (s *subject[J, R]) wait(ctx context.Context, over bool) {
	timer := time.NewTimer(s.untilNext())
	defer timer.Stop()
	var granted chan struct{}
	if s.claim != nil {
		granted = s.claim.granted
	}
	stopped := ctx.Done()
	if over {
		stopped = nil
	}
	select {
	case <-s.wake:
	case <-granted:
	case <-stopped:
	case <-timer.C:
	}
}

// untilNext is the time until the end of a rest, the next look or the end of an idle subject.
func (s *subject[J, R]) untilNext() time.Duration {
	next := time.Now().Add(time.Minute)
	for _, at := range []time.Time{s.restUntil, s.lookAt} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if end := s.idleSince.Add(s.pool.Idle); !s.idleSince.IsZero() && end.Before(next) {
		next = end
	}
	return time.Until(next)
}
