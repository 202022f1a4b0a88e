package jobs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"recado/internal/kernel"
)

type job struct {
	id   kernel.ID
	name string
}

func (j job) JobID() kernel.ID { return j.id }

type result struct {
	name  string
	epoch int64
}

// kind is a Worker with queues in memory. Its fields are guarded by mu. Its tests use the fake clock of synctest.
type kind struct {
	mu         sync.Mutex
	queues     map[kernel.ID][]job
	running    map[kernel.ID]int
	most       map[kernel.ID]int // attempts of a subject that were under way together
	recorded   []result
	failures   int         // of steps and records, still to come
	attempt    func(j job) // what an attempt does
	underLease func(Held)
	free       int           // of each subject
	again      time.Duration // see Subject.Free
	ordered    bool          // a job is claimed only when those before it are recorded
	empty      int           // steps that claim nothing although there is more, still to come
	stepTime   time.Duration // that a step takes
	prefetch   bool          // claimed jobs stay due until they are recorded, as deliveries do
}

func newKind() *kind {
	return &kind{queues: map[kernel.ID][]job{}, running: map[kernel.ID]int{}, most: map[kernel.ID]int{}, attempt: func(job) {}, free: 4}
}

func (k *kind) add(subject kernel.ID, names ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, name := range names {
		k.queues[subject] = append(k.queues[subject], job{kernel.NewID(), name})
	}
}

func (k *kind) Due(context.Context, kernel.ID) (due []kernel.ID, next time.Duration, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for subject, queue := range k.queues {
		if len(queue) > 0 {
			due = append(due, subject)
		}
	}
	return due, 0, nil
}

func (k *kind) Open(subject kernel.ID) Subject[job, result] { return &queue{kind: k, id: subject} }

func (k *kind) record(results []result) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.failures > 0 {
		k.failures--
		return errors.New("the database is away")
	}
	k.recorded = append(k.recorded, results...)
	return nil
}

func (k *kind) results() []result {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.recorded)
}

func (k *kind) names() (names []string) {
	for _, r := range k.results() {
		names = append(names, r.name)
	}
	return names
}

// queue is the Subject of a kind.
type queue struct {
	*kind
	id kernel.ID
}

func (q *queue) Free(running int) (int, time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.free - running, q.again
}

func (q *queue) Group() (kernel.ID, bool) { return q.id, false }

func (q *queue) Step(_ context.Context, step Step[result]) (claimed Claimed[job], err error) {
	time.Sleep(q.stepTime)
	if err := q.record(step.Results); err != nil {
		return claimed, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.empty > 0 {
		q.empty--
		return Claimed[job]{More: true}, nil
	}
	if q.ordered {
		step.Limit = min(step.Limit, 1-len(step.InHand)+len(step.Results))
	}
	for _, j := range q.queues[q.id] {
		if _, inHand := step.InHand[j.id]; !inHand && len(claimed.Jobs) < step.Limit {
			claimed.Jobs = append(claimed.Jobs, j)
		}
	}
	claimed.More = len(claimed.Jobs) == step.Limit && !q.ordered
	if !q.prefetch {
		q.queues[q.id] = q.queues[q.id][len(claimed.Jobs):]
	}
	return claimed, nil
}

func (q *queue) Attempt(_ context.Context, held Held, j job) (result, bool, error) {
	q.mu.Lock()
	q.running[q.id]++
	q.most[q.id] = max(q.most[q.id], q.running[q.id])
	attempt, underLease := q.attempt, q.underLease
	q.mu.Unlock()
	attempt(j)
	if underLease != nil {
		underLease(held)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running[q.id]--
	if q.prefetch {
		q.queues[q.id] = slices.DeleteFunc(q.queues[q.id], func(due job) bool { return due.id == j.id })
	}
	return result{j.name, held.Epoch}, true, nil
}

func (q *queue) Finished(result) {}

func (q *queue) Close() {}

// table contains the leases of all nodes, like a database.
type table struct {
	mu   sync.Mutex
	rows map[kernel.ID]*row
	away bool // renewing fails
}

type row struct {
	owner kernel.ID
	epoch int64
	until time.Time
}

func (l *table) Take(_ context.Context, subject, owner kernel.ID, length time.Duration) (int64, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[subject]
	switch {
	case r == nil:
		r = &row{owner: owner, epoch: 1}
		l.rows[subject] = r
	case r.owner != owner && time.Now().Before(r.until):
		return 0, false, nil
	case r.owner != owner:
		r.owner, r.epoch = owner, r.epoch+1
	}
	r.until = time.Now().Add(length)
	return r.epoch, true, nil
}

func (l *table) Renew(_ context.Context, owner kernel.ID, length time.Duration) (map[kernel.ID]int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return nil, errors.New("the database is away")
	}
	epochs := map[kernel.ID]int64{}
	for subject, r := range l.rows {
		if r.owner == owner {
			r.until = time.Now().Add(length)
			epochs[subject] = r.epoch
		}
	}
	return epochs, nil
}

func (l *table) Release(_ context.Context, lease Lease) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.rows[lease.Subject]; r.owner == lease.Owner && r.epoch == lease.Epoch {
		r.until = time.Time{}
	}
	return nil
}

func (l *table) ReleaseAll(_ context.Context, owner kernel.ID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.rows {
		if r.owner == owner {
			r.until = time.Time{}
		}
	}
	return nil
}

// options returns options with leases if a table is given.
func options(leases *table) Options[result] {
	o := Options[result]{
		Name: "tests", Logger: slog.New(slog.DiscardHandler), Slots: SlotLimits{All: 8},
		Poll: time.Second, Idle: 5 * time.Second, Grace: time.Second,
	}
	if leases != nil {
		o.Leases, o.Lease = leases, 9*time.Second
	}
	return o
}

// start runs a pool and returns a function that stops it.
func start(t *testing.T, k *kind, o Options[result]) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	pool := NewPool(k, o)
	go func() {
		defer close(ended)
		pool.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
		if pool.slots.all != 0 || len(pool.slots.turns) != 0 {
			t.Errorf("%d slots are in use and %d groups wait after the end, want none", pool.slots.all, len(pool.slots.turns))
		}
	}
}

// testKinds runs a test with results recorded by steps and with results recorded in batches.
func testKinds(t *testing.T, test func(t *testing.T, k *kind, o Options[result])) {
	for name, batched := range map[string]bool{"recorded by steps": false, "recorded in batches": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k, o := newKind(), options(nil)
				if batched {
					k.prefetch, o.Prefetch = true, 16
					o.Record = func(_ context.Context, results []result) error { return k.record(results) }
				}
				test(t, k, o)
			})
		})
	}
}

func want(t *testing.T, k *kind, names ...string) {
	t.Helper()
	synctest.Wait()
	got := k.names()
	slices.Sort(got)
	if slices.Sort(names); !slices.Equal(got, names) {
		t.Errorf("recorded %v, want %v", got, names)
	}
}

func TestEveryJobIsDoneOnce(t *testing.T) {
	testKinds(t, func(t *testing.T, k *kind, o Options[result]) {
		a, b := kernel.NewID(), kernel.NewID()
		k.add(a, "1", "2", "3", "4", "5", "6", "7", "8", "9")
		k.add(b, "x", "y")
		stop := start(t, k, o)
		time.Sleep(100 * time.Millisecond)
		want(t, k, "1", "2", "3", "4", "5", "6", "7", "8", "9", "x", "y")
		k.add(a, "later")
		time.Sleep(o.Poll)
		want(t, k, "1", "2", "3", "4", "5", "6", "7", "8", "9", "x", "y", "later")
		stop()
	})
}

func TestAttemptsStayWithinTheLimitsOfTheSubjectAndThePool(t *testing.T) {
	testKinds(t, func(t *testing.T, k *kind, o Options[result]) {
		o.Slots = SlotLimits{All: 6}
		k.attempt = func(job) { time.Sleep(time.Second) }
		a, b := kernel.NewID(), kernel.NewID()
		k.add(a, "1", "2", "3", "4", "5", "6", "7", "8")
		k.add(b, "1", "2", "3", "4", "5", "6", "7", "8")
		stop := start(t, k, o)
		time.Sleep(500 * time.Millisecond)
		k.mu.Lock()
		if got := k.running[a] + k.running[b]; got != 6 || k.most[a] > 4 || k.most[b] > 4 {
			t.Errorf("%d attempts are under way, %d and %d of a subject; want 6, at most 4 of each", got, k.most[a], k.most[b])
		}
		k.mu.Unlock()
		time.Sleep(10 * time.Second)
		if got := len(k.names()); got != 16 {
			t.Errorf("%d jobs were done, want 16", got)
		}
		stop()
	})
}

func TestResultsOfManySubjectsAreRecordedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, o := newKind(), options(nil)
		o.Slots, o.Prefetch, k.prefetch = SlotLimits{All: 50}, 16, true
		batches := 0
		o.Record = func(_ context.Context, results []result) error {
			batches++
			return k.record(results)
		}
		for range 50 {
			k.add(kernel.NewID(), "job")
		}
		stop := start(t, k, o)
		time.Sleep(100 * time.Millisecond)
		if got := len(k.names()); got != 50 || batches != 1 {
			t.Errorf("%d results were recorded in %d batches, want 50 in 1", got, batches)
		}
		stop()
	})
}

func TestAFailureOfTheDatabaseLosesNoResultAndRepeatsNoJob(t *testing.T) {
	testKinds(t, func(t *testing.T, k *kind, o Options[result]) {
		k.attempt = func(job) { time.Sleep(100 * time.Millisecond) }
		k.add(kernel.NewID(), "1", "2")
		stop := start(t, k, o)
		time.Sleep(50 * time.Millisecond)
		k.mu.Lock()
		k.failures = 3
		k.mu.Unlock()
		time.Sleep(3 * retryDelay)
		want(t, k)
		time.Sleep(retryDelay)
		want(t, k, "1", "2")
		stop()
	})
}

func TestASubjectThatBacksOffLeavesItsSlotsToTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, o := newKind(), options(nil)
		o.Slots = SlotLimits{All: 1}
		k.failures = 1 // of whichever comes first
		k.add(kernel.NewID(), "job")
		k.add(kernel.NewID(), "job")
		stop := start(t, k, o)
		time.Sleep(retryDelay / 2)
		want(t, k, "job")
		time.Sleep(retryDelay)
		want(t, k, "job", "job")
		stop()
	})
}

func TestAStepWithMoreJobsIsRepeatedImmediately(t *testing.T) {
	testKinds(t, func(t *testing.T, k *kind, o Options[result]) {
		o.Poll = time.Hour
		k.empty = 3
		k.add(kernel.NewID(), "job")
		stop := start(t, k, o)
		time.Sleep(100 * time.Millisecond)
		want(t, k, "job")
		stop()
	})
}

func TestAJobThatWaitsForAnotherIsClaimedAfterItsResultIsRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, o := newKind(), options(nil)
		o.Poll = time.Hour
		k.ordered = true
		k.add(kernel.NewID(), "1", "2", "3")
		stop := start(t, k, o)
		time.Sleep(100 * time.Millisecond)
		if got := k.names(); !slices.Equal(got, []string{"1", "2", "3"}) {
			t.Errorf("recorded %v, want 1, 2 and 3 in order", got)
		}
		stop()
	})
}
