package store

import (
	"context"
	"errors"
	"sync"
	"testing"

	"recado/internal/model"
)

func TestOneCompanyReadsOnAtMostHalfOfTheConnections(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		mine, other := ForCompany(t.Context(), model.NewID()), ForCompany(t.Context(), model.NewID())
		half := s.db.Readers() / 2
		inside, leave := make(chan struct{}, 10*half), make(chan struct{})
		var all sync.WaitGroup
		for range 3 * half {
			all.Go(func() {
				err := s.Read(mine, func(*Tx) error {
					inside <- struct{}{}
					<-leave
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		for range half {
			<-inside
		}
		// The other company, and what belongs to none, find free connections though many wait.
		for _, ctx := range []context.Context{other, t.Context()} {
			if err := s.Read(ctx, func(*Tx) error { return nil }); err != nil {
				t.Error(err)
			}
		}
		if n := len(inside); n != 0 {
			t.Errorf("%d reads more than half of the connections", n)
		}
		close(leave)
		all.Wait()
		if n := len(inside); n != 2*half {
			t.Errorf("%d of the %d that waited were let in", n, 2*half)
		}
		if len(s.slots.taken) != 0 || len(s.slots.waiting) != 0 {
			t.Errorf("%d taken and %d queues are left", len(s.slots.taken), len(s.slots.waiting))
		}
	})
}

func TestACallerThatGivesUpWaitingTakesNoSlot(t *testing.T) {
	slots, company := newReadSlots(2), model.NewID()
	free, err := slots.take(ForCompany(t.Context(), company))
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(ForCompany(t.Context(), company))
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := slots.take(gone); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
	cancel()
	all.Wait()
	free()
	if free, err = slots.take(ForCompany(t.Context(), company)); err != nil {
		t.Fatal(err)
	}
	free()
	if len(slots.taken) != 0 || len(slots.waiting) != 0 {
		t.Errorf("%d taken and %d queues are left", len(slots.taken), len(slots.waiting))
	}
}
