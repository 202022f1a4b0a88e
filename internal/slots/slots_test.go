package slots

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAKeyGetsItsSlotsAndNoMore(t *testing.T) {
	l := New[string](2, 0)
	first := acquire(t, l, "a")
	acquire(t, l, "a")
	if _, err := l.Acquire(t.Context(), "a"); !errors.Is(err, ErrFull) {
		t.Fatalf("the third of two: %v", err)
	}
	acquire(t, l, "b")
	first()
	acquire(t, l, "a")
}

func TestThoseWhoWaitAreServedInTheirOrder(t *testing.T) {
	l := New[string](1, 2)
	release := acquire(t, l, "a")
	var turns []chan struct{}
	for range 2 {
		turn, err := l.enter("a")
		if err != nil || turn == nil {
			t.Fatalf("no place to wait: %v", err)
		}
		turns = append(turns, turn)
	}
	if _, err := l.enter("a"); !errors.Is(err, ErrFull) {
		t.Fatalf("the third of two places: %v", err)
	}
	release()
	<-turns[0]
	select {
	case <-turns[1]:
		t.Fatal("one slot was given to two callers")
	default:
	}
	l.release("a")
	<-turns[1]
}

func TestACallerThatGivesUpLeavesNothingBehind(t *testing.T) {
	l := New[string](1, 1)
	release := acquire(t, l, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Acquire(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	release()
	acquire(t, l, "a")()
	if len(l.keys) != 0 {
		t.Errorf("%d keys are kept without a slot in use", len(l.keys))
	}
}

func TestNoSlotsMeansARefusalAtOnce(t *testing.T) {
	if _, err := New[string](0, 10).Acquire(t.Context(), "a"); !errors.Is(err, ErrFull) {
		t.Errorf("got %v", err)
	}
}

func TestManyCallersNeverExceedTheSize(t *testing.T) {
	const size = 3
	l := New[int](size, 1000)
	var running, most atomic.Int64
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			release, err := l.Acquire(t.Context(), 1)
			if err != nil {
				t.Error(err)
				return
			}
			n := running.Add(1)
			for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			running.Add(-1)
			release()
		})
	}
	all.Wait()
	if most.Load() > size || len(l.keys) != 0 {
		t.Errorf("%d at once, want at most %d; %d keys left, want 0", most.Load(), size, len(l.keys))
	}
}

func acquire(t *testing.T, l *Limiter[string], key string) func() {
	t.Helper()
	release, err := l.Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func TestTheSlotsInUseAreCounted(t *testing.T) {
	l := New[string](3, 0)
	first := acquire(t, l, "a")
	acquire(t, l, "a")
	if used := l.Used("a"); used != 2 {
		t.Errorf("used of a: got %d, want 2", used)
	}
	first()
	if used := l.Used("a"); used != 1 {
		t.Errorf("used of a after a release: got %d, want 1", used)
	}
	if used := l.Used("b"); used != 0 {
		t.Errorf("used of b: got %d, want 0", used)
	}
}

func TestAKeyThatIsActiveAloneGetsMoreThanItsShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewShared[string](2, 4)
		var mine []func()
		for range 4 {
			mine = append(mine, acquire(t, l, "a"))
		}
		turn, err := l.enter("a")
		if err != nil || turn == nil {
			t.Fatalf("the fifth of four: got turn %v and error %v, want a place to wait", turn, err)
		}
		other := acquire(t, l, "b") // at once, though a has more than its share
		for i, want := range []bool{false, false, true} {
			mine[i]()
			if got := l.given(turn); got != want {
				t.Errorf("a slot for the caller that waits after %d releases while b is active: got %v, want %v", i+1, got, want)
			}
		}
		other()
		if _, err := l.Acquire(ended(t), "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("the third slot of a at the moment of b's release: got %v, want it to wait", err)
		}
		time.Sleep(contention + time.Millisecond)
		acquire(t, l, "a")
		acquire(t, l, "a")
	})
}

func TestCallersThatWaitGetTheSlotsOfAKeyThatIsActiveNoLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewShared[string](1, 3)
		acquire(t, l, "b")()
		first := acquire(t, l, "a")
		var turns []chan struct{}
		for range 3 {
			turn, err := l.enter("a")
			if err != nil || turn == nil {
				t.Fatalf("the second of one: got turn %v and error %v, want a place to wait", turn, err)
			}
			turns = append(turns, turn)
		}
		time.Sleep(contention + time.Millisecond)
		first()
		for i, turn := range turns {
			if !l.given(turn) {
				t.Errorf("caller %d got no slot though a is active alone", i+1)
			}
		}
	})
}

func TestANewCallerDoesNotOvertakeThoseWhoWaitWhenTheShareGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := NewShared[string](1, 3)
		acquire(t, l, "b")()
		acquire(t, l, "a")
		var turns []chan struct{}
		for range 2 {
			turn, err := l.enter("a")
			if err != nil || turn == nil {
				t.Fatalf("the second of one: got turn %v and error %v, want a place to wait", turn, err)
			}
			turns = append(turns, turn)
		}
		time.Sleep(contention + time.Millisecond) // a is active alone and has three slots
		last, err := l.enter("a")
		if err != nil || last == nil {
			t.Errorf("the fourth caller of three: got turn %v and error %v, want a place to wait", last, err)
		}
		for i, turn := range turns {
			if !l.given(turn) {
				t.Errorf("caller %d got no slot though a later one asked for it", i+1)
			}
		}
	})
}

// given reports whether a caller that waited has got its slot.
func (l *Limiter[K]) given(turn chan struct{}) bool {
	select {
	case <-turn:
		return true
	default:
		return false
	}
}

// ended is a context that has ended.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
