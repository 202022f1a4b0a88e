package jobs

import (
	"cmp"
	"slices"
	"sync"

	"recado/internal/kernel"
)

// SlotLimits limits the concurrent attempts of a pool.
type SlotLimits struct {
	All      int // without the reserved ones
	Unproven int // of unproven subjects; zero: All
	Group    int // of one group; zero: All
	Reserved int // of each group, regardless of the others
	Most     int // including the reserved ones; zero: All
}

// slots distributes the attempts of a pool among groups. Each group has a few reserved slots. The other slots are granted to
// the waiting groups in turn, one at a time.
type slots struct {
	limits SlotLimits

	mu       sync.Mutex
	all      int                    // slots in use
	unproven int                    // by unproven subjects
	groups   map[kernel.ID]int      // by group
	waiting  map[kernel.ID][]*claim // by group, in order of arrival
	turns    []kernel.ID            // waiting groups, the next one first
}

// slot is the right to make one attempt.
type slot struct {
	group    kernel.ID
	unproven bool
}

// claim is a request for a slot.
type claim struct {
	slot
	granted chan struct{} // closed when the slot is granted
}

func newSlots(l SlotLimits) *slots {
	l.Unproven, l.Group, l.Most = cmp.Or(l.Unproven, l.All), cmp.Or(l.Group, l.All), cmp.Or(l.Most, l.All)
	return &slots{limits: l, groups: map[kernel.ID]int{}, waiting: map[kernel.ID][]*claim{}}
}

// request requests a slot. The caller must wait for the claim or withdraw it.
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

// more takes up to n further slots for a caller that has one, while no other claim waits.
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

func (s *slots) release(used slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(used)
	s.grant()
}

// withdraw cancels a claim, and releases its slot if it was granted.
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
	if s.groups[want.group] < s.limits.Reserved && s.all < s.limits.Most {
		return true
	}
	return s.all < s.limits.All && s.groups[want.group] < s.limits.Group && (!want.unproven || s.unproven < s.limits.Unproven)
}

// grant grants free slots, one to each group in turn.
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

// remove returns false if the claim is no longer waiting.
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
	s.groups[t.group]++
	if t.unproven {
		s.unproven++
	}
}

func (s *slots) put(t slot) {
	s.all--
	if t.unproven {
		s.unproven--
	}
	if s.groups[t.group]--; s.groups[t.group] == 0 {
		delete(s.groups, t.group)
	}
}
