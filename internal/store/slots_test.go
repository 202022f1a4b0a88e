package store

import (
	"context"
	"errors"
	"sync"
	"testing"

	"recado/internal/model"
	"recado/internal/slots"
)

func TestOneCompanyReadsOnAtMostHalfOfTheConnectionsWhileAnotherIsActive(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		mine, other := ForCompany(t.Context(), model.NewID()), ForCompany(t.Context(), model.NewID())
		stop := s.occupy(t, other, s.reads)
		half := s.db.Readers() / 2
		inside, leave, all := s.readers(t, mine, 3*half)
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
		stop()
		if n := len(inside); n != 2*half {
			t.Errorf("%d of the %d that waited were let in", n, 2*half)
		}
	})
}

func TestACompanyThatIsActiveAloneReadsOnThreeQuartersOfTheConnections(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		most := s.db.Readers() * 3 / 4
		inside, leave, all := s.readers(t, ForCompany(t.Context(), model.NewID()), 2*s.db.Readers())
		for range most {
			<-inside
		}
		if err := s.Read(ForCompany(t.Context(), model.NewID()), func(*Tx) error { return nil }); err != nil {
			t.Error(err)
		}
		close(leave)
		all.Wait()
	})
}

// readers starts n reads, each of which sends to inside and then waits until leave is closed.
func (s *Store) readers(t *testing.T, ctx context.Context, n int) (inside chan struct{}, leave chan struct{}, all *sync.WaitGroup) {
	inside, leave, all = make(chan struct{}, n), make(chan struct{}), &sync.WaitGroup{}
	for range n {
		all.Go(func() {
			err := s.Read(ctx, func(*Tx) error {
				inside <- struct{}{}
				<-leave
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	return inside, leave, all
}

// occupy takes a slot of the context's company.
func (s *Store) occupy(t *testing.T, ctx context.Context, limiter *slots.Limiter[model.ID]) (release func()) {
	t.Helper()
	release, err := s.slot(ctx, limiter)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func TestOneCompanyWritesWithAtMostHalfOfTheWritersWhileAnotherIsActive(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		mine, other := ForCompany(t.Context(), model.NewID()), ForCompany(t.Context(), model.NewID())
		defer s.occupy(t, other, s.writes)()
		for range s.db.Writers() / 2 {
			defer s.occupy(t, mine, s.writes)()
		}
		for _, ctx := range []context.Context{other, t.Context()} {
			if err := s.Write(ctx, func(*Tx) error { return nil }); err != nil {
				t.Error(err)
			}
		}
		ended, end := context.WithCancel(mine)
		end()
		ran := false
		if err := s.Write(ended, func(*Tx) error { ran = true; return nil }); !errors.Is(err, context.Canceled) || ran {
			t.Errorf("a write beyond half of the writers: got error %v, ran %v; want it to wait", err, ran)
		}
	})
}
