package work

import (
	"context"
	"sync"

	"recado/internal/model"
)

// deliverySlots limits the requests to webhooks that are under way, and shares them among companies: each has
// a few that no other company can take, and the rest goes round the companies, one request at a time.
type deliverySlots struct {
	mu       sync.Mutex
	all      int                   // under way
	unproven int                   // of them, to addresses that have not answered well and soon
	held     map[model.ID]int      // by company
	waiting  map[model.ID][]*claim // by company, in the order of their coming
	ring     []model.ID            // companies that wait, in the order of their turns
}

// claim is one address that waits to start a request.
type claim struct {
	unproven bool
	granted  chan struct{}
}

func newDeliverySlots() *deliverySlots {
	return &deliverySlots{held: map[model.ID]int{}, waiting: map[model.ID][]*claim{}}
}

// acquire waits for a slot. It reports false when ctx ends first.
func (s *deliverySlots) acquire(ctx context.Context, company model.ID, unproven bool) (release func(), ok bool) {
	c := &claim{unproven: unproven, granted: make(chan struct{})}
	s.mu.Lock()
	if len(s.waiting[company]) == 0 {
		s.ring = append(s.ring, company)
	}
	s.waiting[company] = append(s.waiting[company], c)
	s.grant()
	s.mu.Unlock()
	release = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.put(company, unproven)
		s.grant()
	}
	select {
	case <-c.granted:
		return release, true
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.withdraw(company, c) { // it was granted at the same moment
		s.put(company, unproven)
		s.grant()
	}
	return nil, false
}

// fits reports whether a company may start one more request now.
func (s *deliverySlots) fits(company model.ID, unproven bool) bool {
	if s.held[company] < deliverReserved && s.all < deliverMost {
		return true
	}
	return s.all < deliverSlots && s.held[company] < deliverCompany && (!unproven || s.unproven < deliverUnproven)
}

// grant starts what may start: one request of each company in turn.
func (s *deliverySlots) grant() {
	for passed := 0; passed < len(s.ring); {
		company := s.ring[0]
		s.ring = s.ring[1:]
		if c := s.next(company); c != nil {
			passed = 0
			s.all++
			s.held[company]++
			if c.unproven {
				s.unproven++
			}
			close(c.granted)
		} else {
			passed++
		}
		if len(s.waiting[company]) > 0 {
			s.ring = append(s.ring, company)
		}
	}
}

// next takes the first claim of a company that may start, or nil.
func (s *deliverySlots) next(company model.ID) *claim {
	for _, c := range s.waiting[company] {
		if s.fits(company, c.unproven) {
			s.remove(company, c)
			return c
		}
	}
	return nil
}

func (s *deliverySlots) remove(company model.ID, c *claim) bool {
	claims := s.waiting[company]
	for i := range claims {
		if claims[i] == c {
			claims = append(claims[:i:i], claims[i+1:]...)
			if s.waiting[company] = claims; len(claims) == 0 {
				delete(s.waiting, company)
			}
			return true
		}
	}
	return false
}

// withdraw takes back a claim that waits, and reports false when it does not wait any more.
func (s *deliverySlots) withdraw(company model.ID, c *claim) bool {
	if !s.remove(company, c) {
		return false
	}
	if len(s.waiting[company]) == 0 {
		for i := range s.ring {
			if s.ring[i] == company {
				s.ring = append(s.ring[:i:i], s.ring[i+1:]...)
				break
			}
		}
	}
	return true
}

// put returns the slot of a request that has ended.
func (s *deliverySlots) put(company model.ID, unproven bool) {
	s.all--
	if unproven {
		s.unproven--
	}
	if s.held[company]--; s.held[company] == 0 {
		delete(s.held, company)
	}
}
