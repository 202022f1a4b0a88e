package tasks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
)

// ErrCancelled is returned by Save and Done if the job was cancelled. The transaction must fail and Run must return it.
var ErrCancelled = errors.New("tasks: the job was cancelled")

// errLost is returned by Save and Done if another node may be running the job.
var errLost = errors.New("tasks: the lease of the company is lost")

// Run is one execution of a job.
type Run struct {
	d     *Tasks
	job   Job
	lease jobs.Lease // zero on a single node
}

// ID returns the id of the job.
func (r *Run) ID() kernel.ID { return r.job.ID }

// Company returns the company of the job.
func (r *Run) Company() kernel.ID { return r.job.company }

// Read decodes the input of the job into input, and the state that it saved last into state, which is left unchanged in the first
// execution. Both are pointers and may be nil.
func (r *Run) Read(input, state any) error {
	if input != nil {
		if err := json.Unmarshal([]byte(r.job.input), input); err != nil {
			return fmt.Errorf("tasks: the input of a job: %w", err)
		}
	}
	if state != nil && r.job.state != nil {
		if err := json.Unmarshal([]byte(*r.job.state), state); err != nil {
			return fmt.Errorf("tasks: the state of a job: %w", err)
		}
	}
	return nil
}

// Principal returns who started the job, with their present rights. It is an error if they have left the team or may not manage data
// any more.
func (r *Run) Principal(tx *kernel.Tx) (*kernel.Principal, error) {
	company, found, err := people.Company(tx, r.job.company)
	if err != nil || !found {
		return nil, kernel.ErrOr(err, kernel.NotFound("company"))
	}
	a, err := people.Acting(tx, company, r.job.CreatedBy, r.job.key)
	if err == nil {
		err = a.May(VerbJob)
	}
	return a, err
}

// Save stores the state after a batch, in the transaction of the batch and after its other statements. done and total are the
// progress; a total of 0 means that it is not known.
func (r *Run) Save(tx *kernel.Tx, state any, done, total int64) error {
	text, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return r.change(tx, `
		UPDATE jobs
		SET state = $3, done = $4, total = $5, tries = 0
		WHERE company = $1 AND id = $2 AND status = 'running'`, string(text), done, total)
}

// Progress is Save for a job that starts again from the beginning after a failure: it stores no state.
func (r *Run) Progress(tx *kernel.Tx, done, total int64) error {
	return r.change(tx, `UPDATE jobs SET done = $3, total = $4 WHERE company = $1 AND id = $2 AND status = 'running'`, done, total)
}

// Done ends the job with a result, which is encoded as a JSON object. file is the id of a file that Create returned, or nil; the
// result gets the fields url and expires_at with the link to it.
func (r *Run) Done(tx *kernel.Tx, result any, file *kernel.ID) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	err = r.change(tx, `
		UPDATE jobs
		SET status = 'done', done = CASE WHEN total > 0 THEN total ELSE done END, result = $3, file = $4, finished_at = $5, due_at = NULL,
			input = NULL, state = NULL, error = NULL
		WHERE company = $1 AND id = $2 AND status = 'running'`, string(text), file, tx.Now)
	expireFiles(tx, r.job.company, r.job.ID, file)
	return err
}

// change runs a statement on the job that must find it running.
func (r *Run) change(tx *kernel.Tx, sql string, args ...any) error {
	if r.lease.Epoch > 0 {
		if held, err := tx.HoldsLease(jobs.DeskLease(r.lease), r.lease.Owner); err != nil || !held {
			return kernel.ErrOr(err, errLost)
		}
	}
	n, err := tx.Exec(sql, append([]any{r.job.company, r.job.ID}, args...)...)
	if err == nil && n == 0 {
		err = ErrCancelled
	}
	return err
}

const (
	wakeJobs  = "jobs"
	leaseJobs = "jobs"

	jobPoll  = time.Second
	jobIdle  = time.Second
	jobGrace = 5 * time.Second
	jobLease = 20 * time.Second

	allJobs  = 4 // running on a node
	maxTries = 20
)

// Loop runs the jobs. The companies with due jobs are the subjects of the job pool: one node at a time works for a company.
type Loop struct {
	Desk   *Tasks
	Logger *slog.Logger
	Lease  time.Duration // default: 20 seconds
}

// Run runs jobs until ctx ends. Jobs that are not done by then continue at the next start or on another node.
func (l *Loop) Run(ctx context.Context) {
	if l.Lease <= 0 {
		l.Lease = jobLease
	}
	options := jobs.Options[struct{}]{
		Name: "jobs", Logger: l.Logger, Slots: jobs.SlotLimits{All: allJobs}, Poll: jobPoll, Idle: jobIdle, Grace: jobGrace, Lease: l.Lease,
		Leases: companyLeases{jobs.StoredLeases{Desk: l.Desk.Kernel, Kind: leaseJobs, Wake: wakeJobs}},
		Signal: l.Desk.Wakeup(wakeJobs).C,
	}
	if l.Desk.SingleNode() {
		options.Leases = nil
	}
	jobs.NewPool(l, options).Run(ctx)
}

type companyLeases struct{ jobs.StoredLeases }

// Take takes the lease of a company. It returns false while another node has it.
func (l companyLeases) Take(ctx context.Context, company, owner kernel.ID, length time.Duration) (epoch int64, taken bool, err error) {
	err = l.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		lease, ok, err := tx.TakeLease(leaseJobs, company, owner, length)
		epoch, taken = lease.Epoch, ok
		return err
	})
	return epoch, taken, err
}

// Due returns the companies with due jobs, except those for which another node works.
func (l *Loop) Due(ctx context.Context, owner kernel.ID) (companies []kernel.ID, next time.Duration, err error) {
	companies, err = kernel.ReadOne(ctx, l.Desk.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
		return tx.IDs(`
			SELECT DISTINCT /* all companies: due work */ j.company
			FROM jobs j
			WHERE j.due_at <= $1
				AND NOT EXISTS (SELECT 1 FROM lanes l WHERE l.subject = j.company AND l.owner <> $2 AND l.lease_until >= $1)`, tx.Now, owner)
	})
	return companies, 0, err
}

// Open returns the jobs of a company.
func (l *Loop) Open(company kernel.ID) jobs.Subject[due, struct{}] { return &companyJobs{l, company} }

// due is a job to run.
type due kernel.ID

// JobID returns the id of the job.
func (j due) JobID() kernel.ID { return kernel.ID(j) }

type companyJobs struct {
	*Loop
	company kernel.ID
}

// Free allows one job at a time.
func (c *companyJobs) Free(running int) (int, time.Duration) { return 1 - running, 0 }

// Group returns the company.
func (c *companyJobs) Group() (group kernel.ID, unproven bool) { return c.company, false }

// Step finds the first due job.
func (c *companyJobs) Step(ctx context.Context, step jobs.Step[struct{}]) (jobs.Claimed[due], error) {
	ids, err := kernel.ReadOne(ctx, c.Desk.Kernel, func(tx *kernel.Tx) ([]kernel.ID, error) {
		return tx.IDs(`
			SELECT id
			FROM jobs
			WHERE company = $1 AND due_at <= $2
			ORDER BY due_at, id
			LIMIT 2`, c.company, tx.Now)
	})
	claimed := jobs.Claimed[due]{}
	for _, id := range ids {
		if _, taken := step.InHand[id]; !taken && len(claimed.Jobs) == 0 {
			claimed.Jobs = []due{due(id)}
		}
	}
	return claimed, err
}

// Attempt runs a job until it ends or fails.
func (c *companyJobs) Attempt(ctx context.Context, held jobs.Held, id due) (none struct{}, record bool, err error) {
	r := &Run{d: c.Desk, lease: held.Lease}
	if r.job, err = kernel.Read(ctx, c.Desk.Kernel, func(tx *kernel.Tx) (Job, error) { return c.Desk.find(tx, c.company, kernel.ID(id)) }); err != nil {
		return none, false, err
	}
	if r.job.Status != StatusRunning {
		return none, false, nil
	}
	kind, known := c.Desk.kinds[r.job.Kind]
	switch {
	case !known:
		err = fmt.Errorf("tasks: the kind %q is not known to this version", r.job.Kind)
	default:
		err = safely(func() error { return kind.Run(kernel.ForCompany(ctx, c.company), r) })
	}
	switch {
	case errors.Is(err, ErrCancelled), errors.Is(err, errLost), err != nil && ctx.Err() != nil:
		return none, false, nil
	case err != nil:
		c.Logger.Warn("a job failed", slog.String("kind", r.job.Kind), slog.String("job", r.job.ID.String()), slog.Any("error", err))
	}
	return none, false, r.ended(context.WithoutCancel(ctx), err)
}

// Finished does nothing.
func (c *companyJobs) Finished(struct{}) {}

// Close does nothing.
func (c *companyJobs) Close() {}

// temporary lists the errors after which a job is tried again.
var temporary = []kernel.Code{
	kernel.CodeInternal, kernel.CodeUnavailable, kernel.CodeUncertain, kernel.CodeRateLimited, kernel.CodeStorageFull,
}

// ended records the outcome of an execution. Without an error the job is done, if it has not ended itself.
func (r *Run) ended(ctx context.Context, failed error) error {
	err := r.d.Store.Write(ctx, func(tx *kernel.Tx) error {
		if failed == nil {
			running, err := tx.One(`SELECT id FROM jobs WHERE company = $1 AND id = $2 AND status = 'running'`+tx.ForUpdate(),
				[]any{r.job.company, r.job.ID}, func(db.Row) {})
			if err != nil || !running {
				return err
			}
			return r.Done(tx, Result{}, nil)
		}
		known, isKnown := errors.AsType[*kernel.Error](failed)
		job, err := r.d.find(tx, r.job.company, r.job.ID)
		tries := job.tries + 1
		switch {
		case err != nil:
			return err
		case !job.Cancellable: // it has begun and must be completed
		case isKnown && !slices.Contains(temporary, known.Code):
			f := &Failure{Code: known.Code, Message: known.Message, Params: known.Params}
			if f.Params == nil {
				f.Params = kernel.Params{}
			}
			r.d.fail(tx, &r.job, f)
			return nil
		case tries >= maxTries:
			r.d.fail(tx, &r.job, &Failure{Code: kernel.CodeInternal, Message: "The server failed to do it. The log has the reason.", Params: kernel.Params{}})
			return nil
		}
		return r.change(tx, `UPDATE jobs SET tries = $3, due_at = $4 WHERE company = $1 AND id = $2 AND status = 'running'`,
			tries, tx.Now.Add(retryAfter(tries)))
	})
	if errors.Is(err, ErrCancelled) || errors.Is(err, errLost) {
		return nil
	}
	return err
}

// retryAfter returns the delay after a number of failures: a second, then twice as long each time, up to ten minutes.
func retryAfter(tries int64) time.Duration {
	return min(time.Second<<min(tries-1, 20), 10*time.Minute)
}

// safely calls f and returns its error or its panic as an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tasks: panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}
