package limits

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestAKeyGetsItsSlotsAndNoMore(t *testing.T) {
	l := NewConcurrency[string](2, 0)
	first := acquire(t, l, "a")
	acquire(t, l, "a")
	if _, err := l.Acquire(t.Context(), "a"); !errors.Is(err, ErrFull) {
		t.Fatalf("the third of two: %v", err)
	}
	acquire(t, l, "b")
	first()
	acquire(t, l, "a")
}

func TestWaitingCallersGetSlotsInOrder(t *testing.T) {
	l := NewConcurrency[string](1, 2)
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
	l := NewConcurrency[string](1, 1)
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

func TestALimitOfZeroRefusesCallers(t *testing.T) {
	if _, err := NewConcurrency[string](0, 10).Acquire(t.Context(), "a"); !errors.Is(err, ErrFull) {
		t.Errorf("got %v", err)
	}
}

func TestManyCallersNeverExceedTheSize(t *testing.T) {
	const size = 3
	l := NewConcurrency[int](size, 1000)
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

func acquire(t *testing.T, l *Concurrency[string], key string) func() {
	t.Helper()
	release, err := l.Acquire(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return release
}
