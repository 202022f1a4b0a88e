package store

import (
	"context"
	"sync"

	"recado/internal/model"
)

// companyKey is that of the company in a context.
type companyKey struct{}

// ForCompany says for whom Read and ReadOne are called with the context. Of the connections that read, one company
// has at most half at a time; its further reads wait for one another. Reads for no company are not bounded.
func ForCompany(ctx context.Context, company model.ID) context.Context {
	return context.WithValue(ctx, companyKey{}, company)
}

// readSlots counts the reads under way of each company.
type readSlots struct {
	most int // of one company

	mu      sync.Mutex
	taken   map[model.ID]int
	waiting map[model.ID][]chan struct{} // in the order of arrival; closed to hand over a slot
}

func newReadSlots(connections int) *readSlots {
	return &readSlots{most: max(1, connections/2), taken: map[model.ID]int{}, waiting: map[model.ID][]chan struct{}{}}
}

// take waits for a slot of the context's company. The function that it gives back frees the slot.
func (s *readSlots) take(ctx context.Context) (free func(), err error) {
	company, ok := ctx.Value(companyKey{}).(model.ID)
	if !ok {
		return func() {}, nil
	}
	free = func() { s.free(company) }
	s.mu.Lock()
	if s.taken[company] < s.most {
		s.taken[company]++
		s.mu.Unlock()
		return free, nil
	}
	next := make(chan struct{})
	s.waiting[company] = append(s.waiting[company], next)
	s.mu.Unlock()
	select {
	case <-next:
		return free, nil
	case <-ctx.Done():
	}
	if !s.leave(company, next) {
		s.free(company) // it was handed over meanwhile
	}
	return nil, ctx.Err()
}

// free hands the slot to the next of the company, if there is one.
func (s *readSlots) free(company model.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if queue := s.waiting[company]; len(queue) > 0 {
		close(queue[0])
		s.setQueue(company, queue[1:])
		return
	}
	if s.taken[company]--; s.taken[company] == 0 {
		delete(s.taken, company)
	}
}

// leave ends the waiting of one, and reports false when its slot was handed to it already.
func (s *readSlots) leave(company model.ID, next chan struct{}) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.waiting[company] {
		if other == next {
			s.setQueue(company, append(s.waiting[company][:i], s.waiting[company][i+1:]...))
			return true
		}
	}
	return false
}

func (s *readSlots) setQueue(company model.ID, queue []chan struct{}) {
	if s.waiting[company] = queue; len(queue) == 0 {
		delete(s.waiting, company)
	}
}
