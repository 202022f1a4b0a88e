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
	})
}

func TestOneCompanyWritesWithAtMostHalfOfTheWriters(t *testing.T) {
	eachDesk(t, func(t *testing.T, s *Store) {
		mine, other := ForCompany(t.Context(), model.NewID()), ForCompany(t.Context(), model.NewID())
		half := s.db.Writers() / 2
		for range half {
			release, err := s.slot(mine, s.writes)
			if err != nil {
				t.Fatal(err)
			}
			defer release()
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
