package jobs

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"recado/internal/kernel"
)

func TestOneNodeAtATimeWorksForASubject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, leases, subject := newKind(), &table{rows: map[kernel.ID]*row{}}, kernel.NewID()
		k.free = 1
		k.attempt = func(job) { time.Sleep(time.Second) }
		k.add(subject, "1", "2", "3", "4", "5", "6")
		first, second := start(t, k, options(leases)), start(t, k, options(leases))
		time.Sleep(3500 * time.Millisecond)
		k.mu.Lock()
		if k.most[subject] != 1 {
			t.Errorf("%d attempts were under way together, want 1", k.most[subject])
		}
		k.mu.Unlock()
		first()
		time.Sleep(10 * time.Second)
		want(t, k, "1", "2", "3", "4", "5", "6")
		second()
	})
}

func TestALeaseIsRenewedDuringALongAttemptAndReleasedWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, leases, subject := newKind(), &table{rows: map[kernel.ID]*row{}}, kernel.NewID()
		k.attempt = func(job) { time.Sleep(time.Minute) }
		k.add(subject, "long")
		stop := start(t, k, options(leases))
		time.Sleep(50 * time.Second)
		if held := leases.row(subject); !held.until.After(time.Now()) || held.epoch != 1 {
			t.Errorf("the lease of epoch %d has ended, want a renewed one of epoch 1", held.epoch)
		}
		time.Sleep(20 * time.Second)
		want(t, k, "long")
		if held := leases.row(subject); held.until.After(time.Now()) {
			t.Error("the lease is held while there is nothing to do")
		}
		stop()
	})
}

func (l *table) row(subject kernel.ID) row {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.rows[subject]
}

// takeAway gives a lease to another owner, as if this node had been suspended until it expired.
func (l *table) takeAway(subject kernel.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[subject]
	r.owner, r.epoch, r.until = kernel.NewID(), r.epoch+1, time.Now().Add(time.Hour)
}

func TestAfterALeaseIsLostNoAttemptStartsAndResultsHaveTheOldEpoch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, leases, subject := newKind(), &table{rows: map[kernel.ID]*row{}}, kernel.NewID()
		k.free = 1
		k.attempt = func(job) { time.Sleep(20 * time.Second) }
		k.add(subject, "under way", "next")
		stop := start(t, k, options(leases))
		time.Sleep(time.Second)
		leases.takeAway(subject)
		time.Sleep(time.Minute)
		want(t, k, "under way")
		if epoch := k.results()[0].epoch; epoch != 1 {
			t.Errorf("the result has epoch %d, want 1", epoch)
		}
		stop()
	})
}

func TestAttemptsThatMustNotOutlastTheLeaseEndWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leases, subject := &table{rows: map[kernel.ID]*row{}}, kernel.NewID()
		k := &cancelled{kind: newKind(), ended: make(chan struct{})}
		k.add(subject, "long")
		o := options(leases)
		o.Timeout = 3 * time.Second
		ctx, cancel := context.WithCancel(t.Context())
		pool := NewPool(k, o)
		done := make(chan struct{})
		go func() {
			defer close(done)
			pool.Run(ctx)
		}()
		time.Sleep(time.Second)
		leases.takeAway(subject)
		<-k.ended // or the test never ends
		cancel()
		<-done
	})
}

// cancelled is a kind whose attempts last until their context ends.
type cancelled struct {
	*kind
	ended chan struct{}
}

func (c *cancelled) Open(subject kernel.ID) Subject[job, result] {
	return &cancelledQueue{queue: &queue{c.kind, subject}, ended: c.ended}
}

type cancelledQueue struct {
	*queue
	ended chan struct{}
}

func (q *cancelledQueue) Attempt(ctx context.Context, _ Held, _ job) (result, bool, error) {
	<-ctx.Done()
	close(q.ended)
	return result{}, false, nil
}

func TestANodeNotifiesTheHolderOfALeaseAboutNewWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, leases, subject := newKind(), &table{rows: map[kernel.ID]*row{}}, kernel.NewID()
		_, _, _ = leases.Take(t.Context(), subject, kernel.NewID(), time.Hour)
		signal, told := make(chan struct{}, 1), make(chan kernel.ID, 10)
		o := options(leases)
		o.Signal = signal
		o.Announced = func() Announced { return Announced{Here: []kernel.ID{subject}} }
		o.Tell = func(id kernel.ID) { told <- id }
		stop := start(t, k, o)
		for range 2 { // the second without asking for the lease
			signal <- struct{}{}
			if got := <-told; got != subject {
				t.Errorf("told of %s, want %s", got, subject)
			}
		}
		stop()
	})
}

func TestASubjectLimitedByARateIsAskedAgainInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, o := newKind(), options(nil)
		o.Poll = time.Hour
		k.free, k.again = 0, 200*time.Millisecond
		k.add(kernel.NewID(), "job")
		stop := start(t, k, o)
		time.Sleep(time.Second)
		want(t, k)
		k.mu.Lock()
		k.free = 1
		k.mu.Unlock()
		time.Sleep(200 * time.Millisecond)
		want(t, k, "job")
		stop()
	})
}

func TestNoAttemptStartsThatMightOutlastItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, leases, subject := newKind(), &table{rows: map[kernel.ID]*row{}, away: true}, kernel.NewID()
		k.free = 1
		k.attempt = func(job) { time.Sleep(time.Second) }
		k.add(subject, "1", "2", "3", "4", "5", "6", "7", "8", "9")
		o := options(leases) // a lease of 9 seconds
		o.Timeout = 3 * time.Second
		stop := start(t, k, o)
		time.Sleep(time.Minute)
		want(t, k, "1", "2", "3", "4", "5") // the last ends a second of reserve and a timeout before the lease
		leases.mu.Lock()
		leases.away = false
		leases.mu.Unlock()
		time.Sleep(time.Minute)
		want(t, k, "1", "2", "3", "4", "5", "6", "7", "8", "9")
		stop()
	})
}

func TestAnAttemptCanSeeThatItsLeaseHasExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, leases, subject := newKind(), &table{rows: map[kernel.ID]*row{}, away: true}, kernel.NewID()
		var before, after bool
		k.underLease = func(held Held) {
			time.Sleep(8 * time.Second)
			before = held.Expired()
			time.Sleep(2 * time.Second)
			after = held.Expired()
		}
		k.add(subject, "job")
		stop := start(t, k, options(leases)) // a lease of 9 seconds
		time.Sleep(time.Minute)
		want(t, k, "job")
		if before || !after {
			t.Errorf("expired before its end: %t, after it: %t; want false, true", before, after)
		}
		stop()
	})
}
