package slots

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// call makes a call of 10 ms.
func call(t *testing.T, b *Budget[string], key string) {
	end, err := b.Begin(t.Context(), key)
	if err != nil {
		t.Error(err)
		return
	}
	time.Sleep(10 * time.Millisecond)
	end()
}

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
			calls.Go(func() { call(t, b, "a") })
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

func TestTheCallsOfSeveralBudgetsRunOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		together := New[string](1, math.MaxInt64)
		budgets := []*Budget[string]{NewBudget[string](10, time.Second).With(together), NewBudget[string](10, time.Second).With(together)}
		began := time.Now()
		var calls sync.WaitGroup
		for _, b := range budgets {
			b.Active("b")
			b.Active("a")
			for _, key := range []string{"a", "b"} {
				calls.Go(func() { call(t, b, key) })
			}
		}
		calls.Wait()
		if took := time.Since(began); took != 20*time.Millisecond {
			t.Errorf("two calls of 10 ms of each of two keys took: got %v, want %v", took, 20*time.Millisecond)
		}
	})
}

func TestACallThatGivesUpWaitingForAnotherBudgetLeavesNothingBehind(t *testing.T) {
	together := New[string](1, math.MaxInt64)
	release := acquire(t, together, "a")
	b := NewBudget[string](1, time.Second).With(together)
	b.Active("b")
	if _, err := b.Begin(ended(t), "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("error: got %v, want %v", err, context.Canceled)
	}
	release()
	end, err := b.Begin(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	end()
	if len(together.keys) != 0 || len(b.turns.keys) != 0 {
		t.Errorf("keys with a slot in use: got %d and %d, want 0", len(together.keys), len(b.turns.keys))
	}
}

func TestKeysThatWereUsedOnceAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[int](1, time.Second)
		for key := range 10 * leastForgotten {
			b.spend(key, time.Millisecond)
			time.Sleep(time.Millisecond)
		}
		if kept := len(b.accounts); kept > leastForgotten {
			t.Errorf("accounts: got %d, want at most %d", kept, leastForgotten)
		}
	})
}

func TestAKeyDoesNotPayForWhatItsCallWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		together := New[string](1, math.MaxInt64)
		b := NewBudget[string](0.1, time.Second).With(together)
		b.Active("b")
		end, err := b.BeginAfter(t.Context(), "a", func(context.Context) (func(), error) {
			time.Sleep(time.Minute)
			if used := together.Used("a"); used != 0 {
				t.Errorf("slots of other budgets in use while the call waits: got %d, want 0", used)
			}
			return func() {}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if used := together.Used("a"); used != 1 {
			t.Errorf("slots of other budgets in use during the call: got %d, want 1", used)
		}
		end()
		if left := b.left("a", time.Now()); left != time.Second {
			t.Errorf("left: got %v, want %v", left, time.Second)
		}
	})
}

func TestALongCallUsesItsShareInSmallSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[string](0.25, time.Second)
		steps := func(n int) (took time.Duration) {
			end, err := b.Begin(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			for range n {
				time.Sleep(time.Millisecond)
				b.Rest("a", time.Millisecond)
			}
			end()
			return time.Since(began)
		}
		if got, want := steps(200), 200*time.Millisecond; got != want {
			t.Errorf("while no key is active: got %v, want %v", got, want)
		}
		for _, active := range []string{"a", "b"} { // the time tells nothing about the key
			time.Sleep(time.Minute)
			b.Active(active)
			if got, want := steps(200), 800*time.Millisecond; got != want {
				t.Errorf("while %s is active: got %v, want %v", active, got, want)
			}
		}
		if got, want := b.left("a", time.Now()), 800*time.Millisecond; got != want { // it pays for the 200 ms that it ran
			t.Errorf("left: got %v, want %v", got, want)
		}
	})
}

func TestAPauseIsAsLongAsTheShareAsksFor(t *testing.T) {
	for name, c := range map[string]struct {
		share     float64
		ran, want time.Duration
	}{
		"three times the step with a quarter":                           {0.25, time.Millisecond, 3 * time.Millisecond},
		"not for the time that a step waited for a processor":           {0.25, time.Minute, 3 * longestStep},
		"none with a whole processor or more, where others have theirs": {2, time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := NewBudget[string](c.share, time.Second)
				b.Active("b")
				began := time.Now()
				b.Rest("a", c.ran)
				if got := time.Since(began); got != c.want {
					t.Errorf("rested: got %v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestCallsThatOverlapPayForWhatTheyRan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget[string](0.25, time.Second)
		var calls sync.WaitGroup
		for range 2 {
			end, err := b.Begin(t.Context(), "a") // the key is active alone: they need not take turns
			if err != nil {
				t.Fatal(err)
			}
			calls.Go(func() {
				defer end()
				for range 4 {
					time.Sleep(time.Millisecond)
					b.Rest("a", time.Millisecond)
				}
			})
		}
		b.Active("b")
		calls.Wait()
		if got, want := b.left("a", time.Now()), time.Second-8*time.Millisecond; got != want {
			t.Errorf("left: got %v, want %v", got, want)
		}
	})
}
