// Package jobs runs background work. Work belongs to subjects, such as a webhook or a channel: a pool takes
// the lease of each subject that has something due, claims its jobs, makes attempts outside of any
// transaction, records the results and backs off from failures. It knows no noun: a Worker says what the
// jobs are and records when each is tried again.
package jobs

import (
	"context"
	"time"

	"recado/internal/kernel"
)

// Job is one thing to do.
type Job interface {
	JobID() kernel.ID
}

// Worker does one kind of work. J is its jobs, R the results of attempts.
type Worker[J Job, R any] interface {
	// Due lists the subjects that owner may have work for now, and how long to wait before asking again if
	// some work becomes due sooner than the pool's poll; zero: none does.
	Due(ctx context.Context, owner kernel.ID) (subjects []kernel.ID, next time.Duration, err error)
	// Open returns the work of one subject. The pool has at most one open for each subject.
	Open(subject kernel.ID) Subject[J, R]
}

// Subject is the work of one subject. All methods but Attempt are called from one goroutine.
type Subject[J Job, R any] interface {
	// Free returns how many attempts may start besides those under way. If that is less than the subject's
	// own limit, because of a rate, it also returns when to ask again.
	Free(running int) (n int, again time.Duration)
	// Group returns whose slots the attempts take, and whether they take those for unproven subjects; see
	// SlotLimits.
	Group() (group kernel.ID, unproven bool)
	// Step records results, unless the pool records them in batches, and claims up to Limit jobs that are
	// not in hand. A step that fails is repeated with the same results.
	Step(ctx context.Context, step Step[R]) (Claimed[J], error)
	// Attempt does a job once. It reports false if there is nothing to record, and an error if the job
	// could not be begun: then it is claimed again after a rest.
	Attempt(ctx context.Context, held Held, job J) (result R, record bool, err error)
	// Finished gets every result before it is recorded.
	Finished(result R)
	// Close is called when the subject has no more work.
	Close()
}

// Step is what a Subject is to record and to claim.
type Step[R any] struct {
	Lease   Lease
	Results []R
	Limit   int
	InHand  map[kernel.ID]struct{} // jobs that were claimed and whose results are not recorded
}

// Claimed is what came of a Step.
type Claimed[J Job] struct {
	Jobs  []J
	More  bool          // more jobs may be due
	Next  time.Duration // until the next job is due; zero: not known
	Lease LeaseState
}

// LeaseState is what a Step found out about its lease.
type LeaseState int

// The states of a lease after a step.
const (
	LeaseUnchecked LeaseState = iota // the step did not look
	LeaseRenewed
	LeaseLost
)

// Lease is the right of one owner to work for a subject. The epoch grows with every change of owner, so that
// the results of an earlier owner can be refused.
type Lease struct {
	Subject, Owner kernel.ID
	Epoch          int64
}

// Held is a lease that attempts are made under.
type Held struct {
	Lease
	// Expired reports whether the lease has ended by this machine's clock: another owner may have it.
	Expired func() bool
}

// Leases keeps one node from working for a subject while another does.
type Leases interface {
	// Take reports false while another owner holds the lease.
	Take(ctx context.Context, subject, owner kernel.ID, length time.Duration) (epoch int64, taken bool, err error)
	// Renew lengthens all leases of owner and returns the epochs of those that it still holds.
	Renew(ctx context.Context, owner kernel.ID, length time.Duration) (epochs map[kernel.ID]int64, err error)
	// Release gives up one lease, if it is still held.
	Release(ctx context.Context, lease Lease) error
	// ReleaseAll gives up every lease of owner.
	ReleaseAll(ctx context.Context, owner kernel.ID) error
}

// Announced is what a signal was about. With neither Here nor There it is about everything.
type Announced struct {
	Here  []kernel.ID // subjects that this process gave work: other nodes do not know
	There []kernel.ID // subjects that another node gave work
	All   bool        // there may be more
}
