package jobs

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"recado/internal/kernel"
)

// subject works for one subject. Only its goroutine claims and starts jobs. Attempts, the batch and the pool report to it
// through the fields below mu.
type subject[J Job, R any] struct {
	pool *Pool[J, R]
	id   kernel.ID
	work Subject[J, R]
	wake kernel.Wakeup

	queue       []J                    // claimed jobs that wait for slots
	inHand      map[kernel.ID]struct{} // claimed jobs whose results are not recorded
	running     int                    // attempts
	results     []R                    // to be recorded by the next step
	resultsOf   []kernel.ID            // the jobs of results
	slots       []slot                 // granted and not used yet
	claim       *claim                 // waits for a slot
	more        bool                   // jobs may be due that are not in hand
	lookAt      time.Time              // when more becomes true; zero: not known
	pausedUntil time.Time              // after a failure
	failures    int                    // consecutive failures of steps
	idleSince   time.Time              // zero: not idle

	mu         sync.Mutex
	inbox      inbox[R]
	lease      Lease // written by the goroutine only
	leaseState leaseState
	cancel     context.CancelFunc // of the attempts
}

// inbox contains what happened since the goroutine last collected it.
type inbox[R any] struct {
	ended    []attempt[R]
	recorded []kernel.ID // jobs whose results the batch has recorded
	more     bool        // jobs may be due
	isLocal  bool        // this process created them; see Pool.open
}

// attempt is an attempt that has ended.
type attempt[R any] struct {
	job    kernel.ID
	result R
	record bool
	err    error
}

// report changes the inbox and wakes the goroutine.
func (s *subject[J, R]) report(change func(in *inbox[R])) {
	s.mu.Lock()
	change(&s.inbox)
	s.mu.Unlock()
	s.wake.Notify()
}

// lookAgain makes the subject look for due jobs.
func (s *subject[J, R]) lookAgain(isLocal bool) {
	s.report(func(in *inbox[R]) { in.more, in.isLocal = true, in.isLocal || isLocal })
}

// run works until the subject has been idle for a while, the lease is lost or ctx ends. It waits for all attempts and records
// their results or gives them up.
func (s *subject[J, R]) run(ctx, attempts context.Context) {
	defer s.work.Close()
	defer s.pool.remove(s)
	for s.take(ctx) {
		s.workUnderLease(ctx, attempts)
		if s.leave(ctx) {
			return
		}
	}
}

func (s *subject[J, R]) workUnderLease(ctx, attempts context.Context) {
	attempts, cancel := context.WithCancel(attempts)
	defer cancel()
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	for {
		s.collect(ctx)
		ending := ctx.Err() != nil || s.lost()
		if ending {
			s.drop()
		}
		if !time.Now().Before(s.pausedUntil) {
			s.pausedUntil = time.Time{}
			s.step(ctx, ending)
			s.start(attempts)
		}
		if s.done(ctx, ending || s.lost()) {
			break
		}
		s.wait(ctx, ending)
	}
	if len(s.results) > 0 {
		s.pool.Logger.Error("some results could not be recorded",
			slog.String("work", s.pool.Name), slog.String("subject", s.id.String()), slog.Int("results", len(s.results)))
	}
}

// collect empties the inbox.
func (s *subject[J, R]) collect(ctx context.Context) {
	s.mu.Lock()
	in := s.inbox
	s.inbox = inbox[R]{isLocal: in.isLocal}
	s.mu.Unlock()
	s.more = s.more || in.more
	if !s.lookAt.IsZero() && !time.Now().Before(s.lookAt) {
		s.more, s.lookAt = true, time.Time{}
	}
	for _, id := range in.recorded {
		delete(s.inHand, id)
	}
	for _, a := range in.ended {
		s.running--
		s.finished(ctx, a)
	}
}

func (s *subject[J, R]) finished(ctx context.Context, a attempt[R]) {
	switch {
	case a.err != nil:
		s.warn(ctx, "cannot start a job; retrying", a.err)
		s.backOff()
		s.more = true
		delete(s.inHand, a.job)
	case !a.record:
		delete(s.inHand, a.job)
	case s.pool.batch != nil:
		s.work.Finished(a.result)
		s.pool.batch.add(a.result, func() {
			s.report(func(in *inbox[R]) { in.recorded = append(in.recorded, a.job) })
		})
	default:
		s.work.Finished(a.result)
		s.results, s.resultsOf = append(s.results, a.result), append(s.resultsOf, a.job)
	}
	s.more = s.more || s.pool.batch == nil // jobs that waited for this one can be claimed
}

// done reports whether to stop: if the subject is ending and all results are recorded or cannot be recorded, or if it has
// been idle for a while.
func (s *subject[J, R]) done(ctx context.Context, ending bool) bool {
	if ending {
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

// wait returns when there is something to do. It also waits for the end of ctx, unless the subject is already ending.
func (s *subject[J, R]) wait(ctx context.Context, ending bool) {
	timer := time.NewTimer(s.untilNext())
	defer timer.Stop()
	var granted chan struct{}
	if s.claim != nil {
		granted = s.claim.granted
	}
	stopped := ctx.Done()
	if ending {
		stopped = nil
	}
	select {
	case <-s.wake.C:
	case <-granted:
	case <-stopped:
	case <-timer.C:
	}
}

// untilNext returns the time until the pause ends, jobs are due or the idle timeout is over, but at most a minute.
func (s *subject[J, R]) untilNext() time.Duration {
	next := time.Now().Add(time.Minute)
	for _, at := range []time.Time{s.pausedUntil, s.lookAt} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if end := s.idleSince.Add(s.pool.Idle); !s.idleSince.IsZero() && end.Before(next) {
		next = end
	}
	return time.Until(next)
}
