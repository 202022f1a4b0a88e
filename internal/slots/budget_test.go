package slots

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestAKeyUsesItsShareOfTheTimeThatPasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[string](0.25, time.Second)
		began, calls := time.Now(), 0
		for time.Since(began) < 40*time.Second {
			b.Active("a")
			b.Active("b")
			end, err := b.Begin(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
			end()
			calls++
		}
		if calls < 100 || calls > 115 { // 40 s * 0.25 / 0.1 s, and what it had saved
			t.Errorf("calls in 40 s: got %d, want 100 to 115", calls)
		}
	})
}

func TestAKeyDoesNotWaitForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[string](0.25, time.Second)
		b.Active("a")
		b.Active("b")
		b.spend("a", time.Minute)
		began := time.Now()
		end, err := b.Begin(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		defer end()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("waited: got %v, want 0", waited)
		}
	})
}

func TestWaitingForTheBudgetEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[string](0.25, time.Minute)
		b.Active("b")
		b.spend("a", time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), contention/2)
		defer cancel()
		if _, err := b.Begin(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error: got %v, want %v", err, context.DeadlineExceeded)
		}
	})
}

func TestTheCallsOfAKeyRunOneAfterTheOtherWhileAnotherIsActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[string](10, time.Second)
		b.Active("b")
		b.Active("a")
		began := time.Now()
		var calls sync.WaitGroup
		for range 4 {
			calls.Go(func() {
				end, err := b.Begin(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(10 * time.Millisecond)
				end()
			})
		}
		calls.Wait()
		if took := time.Since(began); took != 40*time.Millisecond {
			t.Errorf("four calls of 10 ms took: got %v, want %v", took, 40*time.Millisecond)
		}
	})
}

func TestAKeyThatIsActiveAloneIsNotLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[string](0.25, time.Second)
		b.Active("b")
		time.Sleep(2 * time.Second)
		began := time.Now()
		for range 100 {
			b.Active("a")
			end, err := b.Begin(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			end()
		}
		if took := time.Since(began); took != 100*time.Second {
			t.Errorf("100 calls of a second took: got %v, want %v", took, 100*time.Second)
		}
	})
}

func TestAKeySavesUpAndOwesNoMoreThanTheMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[string](0.25, time.Second)
		b.spend("a", time.Hour)
		if left := b.left("a", time.Now()); left != -time.Second {
			t.Errorf("left after an hour of calls: got %v, want %v", left, -time.Second)
		}
		time.Sleep(time.Hour)
		if left := b.left("a", time.Now()); left != time.Second {
			t.Errorf("left after an hour without calls: got %v, want %v", left, time.Second)
		}
	})
}
