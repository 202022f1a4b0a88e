package work

import (
	"context"
	"testing"

	"recado/internal/model"
)

func TestACompanyWithManySlowReceiversLeavesSlotsToTheOthers(t *testing.T) {
	s := newDeliverySlots()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	greedy := make([]model.ID, 5)
	for i := range greedy {
		greedy[i] = model.NewID()
		for range 100 { // more than there are slots; none is released
			go s.acquire(ctx, greedy[i], false)
		}
	}
	for full := false; !full; {
		s.mu.Lock()
		full = s.all >= deliverSlots
		s.mu.Unlock()
	}
	s.mu.Lock()
	for _, company := range greedy {
		if s.held[company] > deliverCompany {
			t.Errorf("a company holds %d slots, want at most %d", s.held[company], deliverCompany)
		}
	}
	s.mu.Unlock()
	other := model.NewID()
	for i := range deliverReserved {
		if _, ok := s.acquire(t.Context(), other, i%2 == 0); !ok {
			t.Fatal("another company did not get a slot of its own")
		}
	}
}

func TestSlotsGoRoundTheCompaniesAndTheirAddresses(t *testing.T) {
	s := newDeliverySlots()
	busy := model.NewID()
	var releases []func()
	for s.fits(busy, false) {
		release, _ := s.acquire(t.Context(), busy, false)
		releases = append(releases, release)
	}
	order := make(chan int)
	for i := range 3 {
		go func() {
			s.acquire(t.Context(), busy, false)
			order <- i
		}()
		for waits := false; !waits; {
			s.mu.Lock()
			waits = len(s.waiting[busy]) == i+1
			s.mu.Unlock()
		}
	}
	for i := range 3 {
		releases[i]()
		if got := <-order; got != i {
			t.Errorf("address %d was served as number %d", got, i)
		}
	}
}

func TestAClaimThatIsWithdrawnTakesNoSlot(t *testing.T) {
	s := newDeliverySlots()
	company := model.NewID()
	var release func()
	for s.fits(company, true) {
		release, _ = s.acquire(t.Context(), company, true)
	}
	held := s.all
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := s.acquire(ctx, company, true); ok {
		t.Fatal("a slot beyond the limit was given")
	}
	release()
	if s.all != held-1 || len(s.ring) != 0 || len(s.waiting) != 0 {
		t.Errorf("%d held, %d and %d waiting; want %d, 0 and 0", s.all, len(s.ring), len(s.waiting), held-1)
	}
}
