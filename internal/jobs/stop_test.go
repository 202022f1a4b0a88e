package jobs

import (
	"testing"
	"testing/synctest"
	"time"

	"recado/internal/kernel"
)

func TestStoppingRecordsRunningAttemptsAndStartsNoOthers(t *testing.T) {
	testKinds(t, func(t *testing.T, k *kind, o Options[result]) {
		k.free = 1
		k.attempt = func(job) { time.Sleep(500 * time.Millisecond) }
		k.add(kernel.NewID(), "under way", "not begun")
		stop := start(t, k, o)
		time.Sleep(100 * time.Millisecond)
		stop()
		want(t, k, "under way")
	})
}

func TestStoppingDuringAStepEndsAfterThatStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKind()
		k.stepTime = time.Second
		k.add(kernel.NewID(), "job")
		stop := start(t, k, options(nil))
		time.Sleep(1500 * time.Millisecond) // the first step has claimed the job, the second records it and finds no other
		began := time.Now()
		stop()
		// Where the second step began before the attempt had ended, a third one records it.
		if took := time.Since(began); took > 1500*time.Millisecond {
			t.Errorf("stopping took %v, want the rest of the step and at most one more", took)
		}
		want(t, k, "job")
	})
}

func TestStoppingEndsWhileTheDatabaseIsUnavailable(t *testing.T) {
	testKinds(t, func(t *testing.T, k *kind, o Options[result]) {
		k.attempt = func(job) { time.Sleep(500 * time.Millisecond) }
		k.add(kernel.NewID(), "lost")
		stop := start(t, k, o)
		time.Sleep(100 * time.Millisecond)
		k.mu.Lock()
		k.failures = 1000
		k.mu.Unlock()
		stop() // or the test never ends
		want(t, k)
	})
}

func TestStoppingRetriesToRecordResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKind()
		k.attempt = func(job) { time.Sleep(500 * time.Millisecond) }
		k.add(kernel.NewID(), "job")
		stop := start(t, k, options(nil))
		time.Sleep(100 * time.Millisecond)
		k.mu.Lock()
		k.failures = stopTries - 1
		k.mu.Unlock()
		stop()
		want(t, k, "job")
	})
}

func TestStoppingReleasesTheLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, leases, subject := newKind(), &table{rows: map[kernel.ID]*row{}}, kernel.NewID()
		k.add(subject, "job")
		stop := start(t, k, options(leases))
		time.Sleep(100 * time.Millisecond)
		if !leases.row(subject).until.After(time.Now()) {
			t.Error("the lease is not held")
		}
		stop()
		if leases.row(subject).until.After(time.Now()) {
			t.Error("the lease is held after the end")
		}
	})
}
