package jobs

import (
	"context"
	"math"
	"time"
)

// soonest is the shortest wait for a job that becomes due.
const soonest = 10 * time.Millisecond

// step records the results that are there and claims jobs.
func (s *subject[J, R]) step(ctx context.Context, over bool) {
	limit := 0
	switch {
	case over || !s.more || len(s.queue) > 0:
	case s.pool.Prefetch > 0:
		limit = s.pool.Prefetch
	default:
		limit = s.reserve(math.MaxInt)
	}
	if limit == 0 && len(s.results) == 0 {
		return
	}
	// A step that is cut off may have claimed jobs that are not in hand, so ctx does not end it.
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepTimeout)
	defer cancel()
	began := time.Now()
	claimed, err := s.work.Step(writing, Step[R]{Lease: s.lease, Results: s.results, Limit: limit, InHand: s.inHand})
	if err != nil {
		s.warn(context.WithoutCancel(ctx), "jobs cannot be claimed or recorded and will be tried again", err)
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
		s.took(claimed)
	}
}

// took queues claimed jobs.
func (s *subject[J, R]) took(claimed Claimed[J]) {
	s.mu.Lock()
	s.inbox.tell = false
	s.mu.Unlock()
	if s.more = claimed.More; s.more {
		s.notify()
	}
	s.lookAt = time.Time{}
	if claimed.Next > 0 {
		s.lookAfter(max(claimed.Next, soonest))
	}
	for _, job := range claimed.Jobs {
		s.inHand[job.JobID()] = struct{}{}
		s.queue = append(s.queue, job)
	}
	if s.pool.Prefetch == 0 {
		s.returnSlots(len(claimed.Jobs))
	}
}

// lookAfter looks for due jobs after a time, or earlier if that was planned.
func (s *subject[J, R]) lookAfter(wait time.Duration) {
	if at := time.Now().Add(wait); s.lookAt.IsZero() || at.Before(s.lookAt) {
		s.lookAt = at
	}
}

// start makes attempts at the jobs in the queue that have slots.
func (s *subject[J, R]) start(attempts context.Context) {
	for len(s.queue) > 0 && s.reserve(len(s.queue)) > 0 {
		job, slot := s.queue[0], s.slots[0]
		s.queue, s.slots = s.queue[1:], s.slots[1:]
		s.running++
		held := s.held()
		go func() {
			e := ended[R]{job: job.JobID()}
			e.result, e.record, e.err = s.work.Attempt(attempts, held, job)
			s.pool.slots.release(slot)
			s.mu.Lock()
			s.inbox.ended = append(s.inbox.ended, e)
			s.mu.Unlock()
			s.notify()
		}()
	}
}

// reserve gets up to most slots, as many as the subject may use now, and returns how many there are to use.
// If there is none it waits for one, with the other subjects of the pool.
func (s *subject[J, R]) reserve(most int) int {
	if len(s.slots) > 0 {
		return len(s.slots)
	}
	n, again := s.work.Free(s.running)
	if n <= 0 && again > 0 {
		s.more = false
		s.lookAfter(again)
	}
	if n = min(n, most); n <= 0 || !s.inTime() {
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
	got := s.claim.slot
	s.claim = nil
	s.slots = append(s.slots, got)
	for range s.pool.slots.more(got, n-1) {
		s.slots = append(s.slots, got)
	}
	return len(s.slots)
}

// returnSlots gives back all unused slots but some.
func (s *subject[J, R]) returnSlots(but int) {
	for _, unused := range s.slots[but:] {
		s.pool.slots.release(unused)
	}
	s.slots = s.slots[:but]
}

func (s *subject[J, R]) withdraw() {
	if s.claim != nil {
		s.pool.slots.withdraw(s.claim)
		s.claim = nil
	}
}

// backOff claims and starts nothing for a while after a failure.
func (s *subject[J, R]) backOff() {
	s.restUntil = time.Now().Add(rest)
	s.withdraw()
	s.returnSlots(0)
}

// drop gives up the jobs that have not started.
func (s *subject[J, R]) drop() {
	for _, job := range s.queue {
		delete(s.inHand, job.JobID())
	}
	s.queue = nil
	s.withdraw()
	s.returnSlots(0)
}
