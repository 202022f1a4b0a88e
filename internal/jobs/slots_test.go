package jobs

import (
	"testing"

	"recado/internal/kernel"
)

var testLimits = SlotLimits{All: 256, Unproven: 128, Group: 128, Reserved: 4, Most: 512}

func isGranted(c *claim) bool {
	select {
	case <-c.granted:
		return true
	default:
		return false
	}
}

// fill requests slots until one is not granted, and returns the ones that are.
func fill(s *slots, want slot) (granted int) {
	for isGranted(s.request(want)) {
		granted++
	}
	return granted
}

func TestAGroupWithManySlowSubjectsLeavesSlotsToTheOthers(t *testing.T) {
	s := newSlots(testLimits)
	for range 5 {
		greedy := slot{group: kernel.NewID()}
		for range 100 { // more than there are slots; none is released
			s.request(greedy)
		}
		if got := s.groups[greedy.group]; got > testLimits.Group {
			t.Errorf("a group holds %d slots, want at most %d", got, testLimits.Group)
		}
	}
	if s.all < testLimits.All {
		t.Fatalf("%d slots are in use, want at least %d", s.all, testLimits.All)
	}
	other := kernel.NewID()
	for i := range testLimits.Reserved {
		if !isGranted(s.request(slot{group: other, unproven: i%2 == 0})) {
			t.Errorf("another group did not get reserved slot %d", i)
		}
	}
}

func TestUnprovenSubjectsTakeAtMostTheirShare(t *testing.T) {
	s := newSlots(testLimits)
	first, second := slot{group: kernel.NewID(), unproven: true}, slot{group: kernel.NewID(), unproven: true}
	if got := fill(s, first); got != testLimits.Unproven {
		t.Errorf("unproven subjects got %d slots, want %d", got, testLimits.Unproven)
	}
	if got := fill(s, second); got != testLimits.Reserved {
		t.Errorf("those of another group got %d slots, want the %d reserved ones", got, testLimits.Reserved)
	}
	if got, want := fill(s, slot{group: kernel.NewID()}), testLimits.All-testLimits.Unproven-testLimits.Reserved; got != want {
		t.Errorf("proven subjects got %d slots, want the other %d", got, want)
	}
}

func TestGroupsGetSlotsInTurn(t *testing.T) {
	s := newSlots(SlotLimits{All: 1})
	first, second := slot{group: kernel.NewID()}, slot{group: kernel.NewID()}
	inUse := s.request(first).slot
	waiting := []*claim{s.request(first), s.request(first), s.request(second), s.request(first)}
	for turn, want := range []int{0, 2, 1, 3} { // the groups in turn, in each group the order of arrival
		s.release(inUse)
		for i, c := range waiting {
			if c != nil && isGranted(c) != (i == want) {
				t.Fatalf("turn %d: claim %d is granted: %v; want claim %d", turn, i, isGranted(c), want)
			}
		}
		inUse, waiting[want] = waiting[want].slot, nil
	}
}

func TestAClaimThatIsWithdrawnTakesNoSlot(t *testing.T) {
	s := newSlots(SlotLimits{All: 2})
	want := slot{group: kernel.NewID(), unproven: true}
	granted := s.request(want)
	s.request(want)
	s.withdraw(s.request(want))
	if len(s.turns) != 0 || len(s.waiting) != 0 {
		t.Errorf("%d groups and %d claims wait, want none", len(s.turns), len(s.waiting))
	}
	s.withdraw(granted)
	if s.all != 1 || s.unproven != 1 {
		t.Errorf("%d slots are in use, %d unproven; want 1 and 1", s.all, s.unproven)
	}
}

func TestFurtherSlotsAreGrantedOnlyWhileNoOtherClaimWaits(t *testing.T) {
	s := newSlots(SlotLimits{All: 8, Group: 4})
	mine, other := slot{group: kernel.NewID()}, slot{group: kernel.NewID()}
	s.request(mine)
	if got := s.more(mine, 10); got != 3 {
		t.Errorf("got %d further slots, want 3: a group has 4", got)
	}
	fill(s, other) // and one claim waits
	s.release(mine)
	if got := s.more(mine, 1); got != 0 {
		t.Errorf("got %d further slots while another claim waits, want none", got)
	}
}
