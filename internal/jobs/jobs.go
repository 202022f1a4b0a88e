// Package jobs runs background work. Work belongs to subjects, such as a webhook or a channel. A pool takes the lease of each
// subject with due jobs, claims the jobs, makes attempts outside of transactions, records the results and backs off after
// failures. A Worker defines the jobs and decides when each is retried.
package jobs

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"recado/internal/kernel"
)

// Job is a unit of work.
type Job interface {
	JobID() kernel.ID
}

// Worker does one kind of work. J is the type of its jobs, R the type of the results of attempts.
type Worker[J Job, R any] interface {
	// Due lists the subjects that may have due jobs for owner. next is the time until more jobs are due, if that is sooner than
	// the pool's next poll, and zero otherwise.
	Due(ctx context.Context, owner kernel.ID) (subjects []kernel.ID, next time.Duration, err error)
	// Open returns the work of a subject. The pool opens each subject at most once at a time.
	Open(subject kernel.ID) Subject[J, R]
}

// Subject is the work of one subject. All methods but Attempt are called from one goroutine.
type Subject[J Job, R any] interface {
	// Free returns the number of attempts that may start in addition to the running ones. If a rate limits it, Free also
	// returns when to ask again.
	Free(running int) (n int, again time.Duration)
	// Group returns the group whose slots the attempts take, and whether the subject is unproven; see SlotLimits.
	Group() (group kernel.ID, unproven bool)
	// Step records results, unless the pool records them in batches, and claims up to Limit jobs that are
	// not in hand. If it fails, it is called again with the same results.
	Step(ctx context.Context, step Step[R]) (Claimed[J], error)
	// Attempt does a job once. record is false if there is nothing to record. An error means that the attempt could not start;
	// then the job is claimed again later.
	Attempt(ctx context.Context, held Held, job J) (result R, record bool, err error)
	// Finished gets every result before it is recorded.
	Finished(result R)
	// Close is called when the subject has no more work.
	Close()
}

// Step lists what a Subject should record and claim.
type Step[R any] struct {
	Lease   Lease
	Results []R
	Limit   int
	InHand  map[kernel.ID]struct{} // claimed jobs whose results are not recorded yet
}

// Claimed is the result of a Step.
type Claimed[J Job] struct {
	Jobs  []J
	More  bool          // more jobs may be due
	Next  time.Duration // until the next job is due; zero: not known
	Lease LeaseState
}

// LeaseState is the state of the lease after a Step.
type LeaseState int

// Values of LeaseState.
const (
	LeaseUnchecked LeaseState = iota
	LeaseRenewed
	LeaseLost
)

// Lease is the right of an owner to work for a subject. The epoch grows with every change of owner, so that results of an
// earlier owner can be refused.
type Lease struct {
	Subject, Owner kernel.ID
	Epoch          int64
}

// Held is the lease of an attempt.
type Held struct {
	Lease
	// Expired reports whether the lease has expired by this machine's clock. Then another owner may have taken it.
	Expired func() bool
}

// Leases prevents nodes from working for the same subject at the same time.
type Leases interface {
	// Take returns false while another owner holds the lease.
	Take(ctx context.Context, subject, owner kernel.ID, length time.Duration) (epoch int64, taken bool, err error)
	// Renew extends all leases of owner and returns the epochs of those that it still holds.
	Renew(ctx context.Context, owner kernel.ID, length time.Duration) (epochs map[kernel.ID]int64, err error)
	// Release releases a lease if it is still held.
	Release(ctx context.Context, lease Lease) error
	// ReleaseAll releases all leases of owner.
	ReleaseAll(ctx context.Context, owner kernel.ID) error
}

// Announced lists the subjects of a signal. If Here and There are empty, all subjects may have work.
type Announced struct {
	Here  []kernel.ID // subjects that got work in this process; other nodes have not been notified
	There []kernel.ID // subjects that got work on another node
	All   bool        // other subjects may have work too
}

// Repeat calls step at every signal and after every interval, and again immediately while step returns more. It logs errors
// and retries after a short delay.
func Repeat(
	ctx context.Context, log *slog.Logger, name string, signal <-chan struct{}, interval time.Duration,
	step func(context.Context) (more bool, err error),
) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-signal:
		case <-timer.C:
		}
		more, err := step(ctx)
		wait := interval
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Warn("background work failed; retrying", slog.String("loop", name), slog.Any("error", err))
			wait = time.Second + rand.N(time.Second)
		case more:
			wait = 0
		}
		timer.Reset(wait)
	}
}
