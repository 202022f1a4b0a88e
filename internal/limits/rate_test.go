package limits_test

import (
	"testing"
	"time"

	"recado/internal/limits"
	"recado/test/testkit"
)

func wait(d time.Duration, _ float64) time.Duration { return d }

func TestTakeReturnsTheRemainingTokens(t *testing.T) {
	b, now := limits.NewRate[string](), time.Now()
	for _, want := range []float64{2, 1, 0, 0} {
		_, left := b.Take("ana", 1, 3, now)
		testkit.Equal(t, "left", left, want)
	}
	_, left := b.Take("ana", 1, 3, now.Add(2*time.Second))
	testkit.Equal(t, "left two seconds later", left, 1)
}

func TestACallerHasItsBurstAndThenItsRate(t *testing.T) {
	b, now := limits.NewRate[string](), time.Now()
	for range 3 {
		testkit.Equal(t, "wait within the burst", wait(b.Take("ana", 0.5, 3, now)), 0)
	}
	testkit.Equal(t, "wait after the burst", wait(b.Take("ana", 0.5, 3, now)), 2*time.Second)
	testkit.Equal(t, "wait of another caller", wait(b.Take("bia", 0.5, 3, now)), 0)
	testkit.Equal(t, "wait two seconds later", wait(b.Take("ana", 0.5, 3, now.Add(2*time.Second))), 0)
	testkit.Equal(t, "wait right after that", wait(b.Take("ana", 0.5, 3, now.Add(2*time.Second))), 2*time.Second)
}

func TestTheWaitIsAtLeastASecond(t *testing.T) {
	b, now := limits.NewRate[string](), time.Now()
	b.Take("ana", 100, 1, now)
	testkit.Equal(t, "wait", wait(b.Take("ana", 100, 1, now)), time.Second)
}

func TestANewRateAppliesImmediately(t *testing.T) {
	b, now := limits.NewRate[string](), time.Now()
	b.Take("ana", 0.1, 1, now)
	testkit.Equal(t, "wait at the old rate", wait(b.Take("ana", 0.1, 1, now)), 10*time.Second)
	testkit.Equal(t, "wait at the new rate", wait(b.Take("ana", 0.5, 1, now)), 2*time.Second)
	testkit.Equal(t, "wait two seconds later", wait(b.Take("ana", 0.5, 1, now.Add(2*time.Second))), 0)
}
