package jobs

import (
	"context"
	"math"
	"slices"
	"time"
)

// minWait is the shortest wait for a job to become due.
const minWait = 10 * time.Millisecond

// step records the collected results and claims jobs.
func (s *subject[J, R]) step(ctx context.Context, ending bool) {
	limit := 0
	switch {
	case ending || !s.more || len(s.queue) > 0:
	case s.pool.Prefetch > 0:
		limit = s.pool.Prefetch
	default:
		limit = s.reserve(math.MaxInt)
	}
	if limit == 0 && len(s.results) == 0 {
		return
	}
	// An interrupted step may have claimed jobs that the subject does not know about, so ctx does not cancel it.
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTimeout)
	defer cancel()
	began := time.Now()
	claimed, err := s.work.Step(writing, Step[R]{Lease: s.lease, Results: s.results, Limit: limit, InHand: s.inHand})
	if err != nil {
		s.warn(context.WithoutCancel(ctx), "cannot claim or record jobs; retrying", err)
		s.failures++
		s.backOff()
		return
	}
	s.failures = 0
	for _, id := range s.resultsOf {
		delete(s.inHand, id)
	}
	s.results, s.resultsOf = nil, nil
	s.checked(claimed.Lease, began)
	if limit > 0 {
		s.enqueue(claimed)
	}
}

func (s *subject[J, R]) enqueue(claimed Claimed[J]) {
	s.mu.Lock()
	s.inbox.isLocal = false
	s.mu.Unlock()
	if s.more = claimed.More; s.more {
		s.wake.Notify()
	}
	s.lookAt = time.Time{}
	if claimed.Next > 0 {
		s.lookAfter(max(claimed.Next, minWait))
	}
	for _, job := range claimed.Jobs {
		s.inHand[job.JobID()] = struct{}{}
		s.queue = append(s.queue, job)
	}
	if s.pool.Prefetch == 0 {
		s.returnSlots(len(claimed.Jobs))
	}
}

// lookAfter schedules a look for due jobs, unless an earlier one is scheduled.
func (s *subject[J, R]) lookAfter(wait time.Duration) {
	if at := time.Now().Add(wait); s.lookAt.IsZero() || at.Before(s.lookAt) {
		s.lookAt = at
	}
}

// start starts attempts at queued jobs while there are slots.
func (s *subject[J, R]) start(attempts context.Context) {
	for len(s.queue) > 0 && s.reserve(len(s.queue)) > 0 {
		job, slot := s.queue[0], s.slots[0]
		s.queue, s.slots = s.queue[1:], s.slots[1:]
		s.running++
		held := s.held()
		go func() {
			a := attempt[R]{job: job.JobID()}
			a.result, a.record, a.err = s.work.Attempt(attempts, held, job)
			s.pool.slots.release(slot)
			s.report(func(in *inbox[R]) { in.ended = append(in.ended, a) })
		}()
	}
}

// reserve reserves up to max slots, as many as the subject may use now, and returns the number of reserved ones. If no slot
// is free, it queues a claim.
func (s *subject[J, R]) reserve(max int) int {
	if len(s.slots) > 0 {
		return len(s.slots)
	}
	n, again := s.work.Free(s.running)
	if n <= 0 && again > 0 {
		s.more = false
		s.lookAfter(again)
	}
	if n = min(n, max); n <= 0 || !s.inTime() {
		s.withdraw()
		return 0
	}
	if s.claim == nil {
		group, unproven := s.work.Group()
		s.claim = s.pool.slots.request(slot{group, unproven})
	}
	select {
	case <-s.claim.granted:
	default:
		return 0
	}
	granted := s.claim.slot
	s.claim = nil
	s.slots = slices.Repeat([]slot{granted}, 1+s.pool.slots.more(granted, n-1))
	return len(s.slots)
}

// returnSlots returns all unused slots but the first keep ones.
func (s *subject[J, R]) returnSlots(keep int) {
	for _, unused := range s.slots[keep:] {
		s.pool.slots.release(unused)
	}
	s.slots = s.slots[:keep]
}

func (s *subject[J, R]) withdraw() {
	if s.claim != nil {
		s.pool.slots.withdraw(s.claim)
		s.claim = nil
	}
}

// backOff pauses claims and attempts after a failure.
func (s *subject[J, R]) backOff() {
	s.pausedUntil = time.Now().Add(retryDelay)
	s.withdraw()
	s.returnSlots(0)
}

// drop gives up the jobs that have not been started.
func (s *subject[J, R]) drop() {
	for _, job := range s.queue {
		delete(s.inHand, job.JobID())
	}
	s.queue = nil
	s.withdraw()
	s.returnSlots(0)
}
