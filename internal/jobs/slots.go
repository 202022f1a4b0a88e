package jobs

import (
	"slices"
	"sync"

	"recado/internal/kernel"
)

// SlotLimits limits the attempts under way in a pool.
type SlotLimits struct {
	All      int // in all
	Unproven int // of them, of subjects that are unproven; zero: All
	Group    int // of one group; zero: All
	Reserved int // of each group, whatever the others use
	Most     int // with the reserved ones; zero: All
}

func (l SlotLimits) withDefaults() SlotLimits {
	for _, limit := range []*int{&l.Unproven, &l.Group, &l.Most} {
		if *limit == 0 {
			*limit = l.All
		}
	}
	return l
}

// slots shares the attempts of a pool among groups: each has a few that no other group can take, and the
// rest is granted to the waiting groups in turn, one slot at a time.
type slots struct {
	limits SlotLimits

	mu       sync.Mutex
	all      int                    // in use
	unproven int                    // of them, by unproven subjects
	held     map[kernel.ID]int      // by group
	waiting  map[kernel.ID][]*claim // by group, in order of arrival
	turns    []kernel.ID            // groups that wait, the next one first
}

// slot is the right to make one attempt.
type slot struct {
	group    kernel.ID
	unproven bool
}

// claim waits for a slot; granted is closed when the claim has it.
type claim struct {
	slot
	granted chan struct{}
}

func newSlots(limits SlotLimits) *slots {
	return &slots{limits: limits.withDefaults(), held: map[kernel.ID]int{}, waiting: map[kernel.ID][]*claim{}}
}

// request asks for a slot. The caller either waits for the claim or withdraws it.
func (s *slots) request(want slot) *claim {
	c := &claim{slot: want, granted: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting[want.group]) == 0 {
		s.turns = append(s.turns, want.group)
	}
	s.waiting[want.group] = append(s.waiting[want.group], c)
	s.grant()
	return c
}

// more gives up to n further slots to a caller that has been granted one, while no other claim waits.
func (s *slots) more(want slot, n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := 0
	for got < n && len(s.turns) == 0 && s.fits(want) {
		s.take(want)
		got++
	}
	return got
}

// release returns the slot of an attempt that has ended.
func (s *slots) release(held slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(held)
	s.grant()
}

// withdraw ends a claim, and returns its slot if it was granted.
func (s *slots) withdraw(c *claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.remove(c) {
		s.put(c.slot)
		s.grant()
		return
	}
	if len(s.waiting[c.group]) == 0 {
		s.turns = slices.DeleteFunc(s.turns, func(g kernel.ID) bool { return g == c.group })
	}
}

// fits reports whether one more attempt may start now.
func (s *slots) fits(want slot) bool {
	if s.held[want.group] < s.limits.Reserved && s.all < s.limits.Most {
		return true
	}
	return s.all < s.limits.All && s.held[want.group] < s.limits.Group && (!want.unproven || s.unproven < s.limits.Unproven)
}

// grant gives out what can be given: one slot to each group in turn.
func (s *slots) grant() {
	for passed := 0; passed < len(s.turns); {
		group := s.turns[0]
		s.turns = s.turns[1:]
		if c := s.next(group); c != nil {
			passed = 0
			s.take(c.slot)
			close(c.granted)
		} else {
			passed++
		}
		if len(s.waiting[group]) > 0 {
			s.turns = append(s.turns, group)
		}
	}
}

// next removes and returns the first claim of a group that may be granted, or nil.
func (s *slots) next(group kernel.ID) *claim {
	for _, c := range s.waiting[group] {
		if s.fits(c.slot) {
			s.remove(c)
			return c
		}
	}
	return nil
}

// remove reports false if the claim does not wait any more.
func (s *slots) remove(c *claim) bool {
	claims := s.waiting[c.group]
	i := slices.Index(claims, c)
	if i < 0 {
		return false
	}
	if s.waiting[c.group] = slices.Delete(claims, i, i+1); len(s.waiting[c.group]) == 0 {
		delete(s.waiting, c.group)
	}
	return true
}

func (s *slots) take(t slot) {
	s.all++
	s.held[t.group]++
	if t.unproven {
		s.unproven++
	}
}

func (s *slots) put(t slot) {
	s.all--
	if t.unproven {
		s.unproven--
	}
	if s.held[t.group]--; s.held[t.group] == 0 {
		delete(s.held, t.group)
	}
}
