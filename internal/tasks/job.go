package tasks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// The values of Job.Status.
const (
	StatusRunning = "running" // or waiting
	StatusDone    = "done"
	StatusFailed  = "failed"
)

// CodeCancelled is the error code of a job that was cancelled.
const CodeCancelled = "cancelled"

// Job is long work in the background.
type Job struct {
	ID          kernel.ID  `json:"id"`
	Kind        string     `json:"kind" doc:"What the job does. Newer versions may add values." example:"contact_export"`
	Status      string     `json:"status" enum:"running,done,failed" doc:"A job that waits for its turn is running too."`
	Progress    Progress   `json:"progress"`
	Result      *Result    `json:"result" doc:"Null until the job is done. The fields depend on the kind. Only the caller who started the job sees all of it: for others texts are null and lists are empty, except for the errors of an import."`
	Error       *Failure   `json:"error" doc:"Why the job failed; null if it has not failed."`
	DryRun      bool       `json:"dry_run" doc:"Whether the job only checks an import and changes nothing."`
	Cancellable bool       `json:"cancellable" doc:"Whether the job can be cancelled now."`
	CreatedBy   kernel.Ref `json:"created_by"`
	CreatedAt   time.Time  `json:"created_at"`
	FinishedAt  *time.Time `json:"finished_at"`

	company  kernel.ID
	key      *kernel.ID
	channel  kernel.ID // or zero
	input    string
	state    *string
	file     *kernel.ID
	fileEnds *time.Time // nil: the file was deleted
	tries    int64
}

// Progress is how much of a job is done, in units that depend on the kind, such as lines of a file.
type Progress struct {
	Done  int64 `json:"done"`
	Total int64 `json:"total" doc:"0 while it is not known."`
}

// Result is the result of a job.
type Result map[string]any

// anonymize removes from the result of a job what may be about people: numbers, truth values and the Shared fields of its kind stay,
// lists become empty, and the rest becomes null.
func (d *Tasks) anonymize(j *Job) {
	if j.Result == nil {
		return
	}
	result := *j.Result
	for name, v := range result {
		if slices.Contains(d.kinds[j.Kind].Shared, name) {
			continue
		}
		switch v.(type) {
		case float64, bool:
		case []any:
			result[name] = []any{}
		default:
			result[name] = nil
		}
	}
}

// Failure is the reason why a job failed.
type Failure struct {
	Code    kernel.Code    `json:"code" doc:"A stable identifier, such as cancelled. Newer versions may add values."`
	Message string         `json:"message" doc:"A description in English, for logs. The wording may change at any time."`
	Params  map[string]any `json:"params" doc:"Values that accompany the code; {} if there are none."`
}

// NewJob describes a job to start.
type NewJob struct {
	Kind    string
	Input   any         // as JSON; read it with Run.Read
	Subject *kernel.ID  // the contact that the job is about, if any; see EraseSubject
	Channel kernel.ID   // the number that the job is about, or zero; while it is private, only its viewers see the job
	Files   []kernel.ID // of Upload
	DryRun  bool        // it changes nothing
}

const countRunning kernel.Countable = `SELECT COUNT(*) FROM jobs WHERE company = $1 AND due_at IS NOT NULL`

// Start starts a job in the transaction of a request. It runs after the commit, when the earlier jobs of the company have ended.
func (d *Tasks) Start(tx *kernel.Tx, a *kernel.Principal, in NewJob) (Job, error) {
	if _, known := d.kinds[in.Kind]; !known {
		return Job{}, fmt.Errorf("tasks: the kind %q is not registered", in.Kind)
	}
	if err := kernel.CheckLimit(tx, a.Company.ID, countRunning, "running jobs", MaxRunning); err != nil {
		return Job{}, err
	}
	input, err := json.Marshal(in.Input)
	if err != nil {
		return Job{}, err
	}
	j := Job{
		ID: kernel.NewID(), Kind: in.Kind, Status: StatusRunning, DryRun: in.DryRun, Cancellable: true, CreatedBy: a.User, CreatedAt: tx.Now,
		company: a.Company.ID, channel: in.Channel,
	}
	if a.Kind() == kernel.KindKey {
		j.key = &a.Key
	}
	tx.Later(`
		INSERT INTO jobs (company, id, kind, member, key_id, subject, channel, input, dry_run, done, total, status, tries, due_at, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, 0, 'running', 0, $10, $10)`,
		j.company, j.ID, j.Kind, j.CreatedBy.ID, j.key, in.Subject, j.channel, string(input), j.DryRun, tx.Now)
	for _, file := range in.Files { // it expires when the job ends
		n, err := tx.Exec(`
			UPDATE job_files
			SET job = $3, expires_at = $4
			WHERE company = $1 AND id = $2 AND job IS NULL AND stored`, j.company, file, j.ID, tx.Now.Add(JobRetention))
		if err != nil || n == 0 {
			return Job{}, kernel.ErrOr(err, kernel.NotFound("file"))
		}
	}
	tx.AfterCommit(d.Wakeup(wakeJobs).Notify)
	return j, nil
}

// JobFilter selects jobs. Empty fields select all.
type JobFilter struct {
	Kind   string `query:"kind" maxLength:"60" doc:"Only jobs of this kind."`
	Status string `query:"status" enum:"running,done,failed" doc:"Only jobs with this status."`
	DryRun string `query:"dry_run" enum:"true,false,1,0" doc:"Only jobs that check an import (true) or that do not (false). Defaults to both."`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"next_cursor of the previous page."`
}

// Jobs lists the company's jobs that the principal may see, newest first. next is "" on the last page.
func (d *Tasks) Jobs(ctx context.Context, a *kernel.Principal, f *JobFilter) (page []Job, next string, err error) {
	list, before := "jobs "+f.Kind+" "+f.Status, kernel.MaxID
	dryRun := httpserver.BoolOrNil(f.DryRun)
	if dryRun != nil {
		list += fmt.Sprintf(" %t", *dryRun)
	}
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, list, f.Cursor)
		if invalid != nil {
			return nil, "", invalid
		}
		before = kernel.ID(payload)
	}
	more := false
	err = d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		s := tx.Statement()
		s.WriteString(selectJobs + ` WHERE j.company = ` + s.Arg(a.Company.ID) + ` AND j.id < ` + s.Arg(before))
		a.AndReaches(s, "j.channel", "j.company")
		if f.Kind != "" {
			s.And("j.kind = " + s.Arg(f.Kind))
		}
		if f.Status != "" {
			s.And("j.status = " + s.Arg(f.Status))
		}
		if dryRun != nil {
			s.And("j.dry_run = " + s.Arg(*dryRun))
		}
		s.WriteString("\n\tORDER BY j.id DESC")
		tx.Page(s, f.Limit, 0)
		page, more, err = kernel.Collect(tx, s, f.Limit, d.scanJob)
		return err
	})
	if err == nil && more {
		next = d.Cursors.Seal(a.Company.ID, list, page[f.Limit-1].ID[:])
	}
	for i := range page {
		d.show(ctx, a, &page[i])
	}
	return page, next, err
}

// Job returns a job that the principal may see.
func (d *Tasks) Job(ctx context.Context, a *kernel.Principal, id kernel.ID) (Job, error) {
	j, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Job, error) { return d.findVisible(tx, a, id) })
	d.show(ctx, a, &j)
	return j, err
}

// CancelJob ends a job that has not ended. A batch that is being written is completed or has no effect.
func (d *Tasks) CancelJob(ctx context.Context, a *kernel.Principal, id kernel.ID) (Job, error) {
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Job, error) {
		tx.Later(`SELECT id FROM jobs WHERE company = $1 AND id = $2`+tx.ForUpdate(), a.Company.ID, id)
		j, err := d.findVisible(tx, a, id)
		switch {
		case err != nil:
			return j, err
		case j.Status != StatusRunning:
			return j, kernel.Errorf(kernel.CodeJobFinished, "The job has ended: it is %s.", j.Status)
		case !j.Cancellable:
			return j, kernel.Errorf(kernel.CodeJobNotCancellable, "A job of this kind cannot be cancelled after it has begun.")
		}
		if !j.DryRun {
			tx.Audit(a, kernel.AuditEntry{Action: "job.cancelled", Subject: kernel.NewAuditSubject("job", j.ID, j.Kind), Channel: j.channel})
		}
		d.fail(tx, &j, &Failure{Code: CodeCancelled, Message: "The job was cancelled.", Params: kernel.Params{}})
		return j, nil
	})
}

// fail ends a job with an error.
func (d *Tasks) fail(tx *kernel.Tx, j *Job, f *Failure) {
	j.Status, j.Error, j.FinishedAt, j.Cancellable = StatusFailed, f, &tx.Now, false
	tx.Later(`
		UPDATE jobs
		SET status = 'failed', error = $3, finished_at = $4, due_at = NULL, input = NULL, state = NULL
		WHERE company = $1 AND id = $2 AND status = 'running'`, j.company, j.ID, kernel.WriteJSON(f), tx.Now)
	expireFiles(tx, j.company, j.ID, nil)
	tx.AfterCommit(d.Wakeup(wakeJobs).Notify)
}

// EraseSubject removes what ended jobs know about a contact: their subject, results and files, and the results and files of all jobs
// of the kinds that are Personal. Their results keep only numbers, truth values and the Shared fields. The waiting jobs about the
// contact are cancelled, except for the one that calls it, if any, and so are the waiting Personal jobs that may know the person: those
// that have begun, and dry runs. It may be called again after a crash.
func (d *Tasks) EraseSubject(ctx context.Context, company, subject, except kernel.ID) error {
	var files []kernel.ID
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		files = nil
		jobs, err := kernel.Rows(tx, selectJobs+` WHERE j.company = $1 AND j.subject = $2 AND j.id <> $3`, []any{company, subject, kernel.OrFirst(except)}, d.scanJob)
		if err != nil {
			return err
		}
		for kind := range maps.Keys(d.kinds) {
			if !d.kinds[kind].Personal {
				continue
			}
			personal, err := kernel.Rows(tx, selectJobs+` WHERE j.company = $1 AND j.kind = $2 AND (j.due_at IS NULL OR j.state IS NOT NULL OR j.dry_run)`,
				[]any{company, kind}, d.scanJob)
			if err != nil {
				return err
			}
			jobs = append(jobs, personal...)
		}
		for i := range jobs {
			j := &jobs[i]
			if j.Status == StatusRunning {
				d.fail(tx, j, &Failure{Code: CodeCancelled, Message: "The person was erased.", Params: kernel.Params{}})
			}
			if j.Error != nil { // messages may name the person
				j.Error.Message, j.Error.Params = "", kernel.Params{}
			}
			d.anonymize(j)
			tx.Later(`UPDATE jobs SET subject = NULL, result = $3, error = $4, file = NULL WHERE company = $1 AND id = $2`,
				company, j.ID, kernel.WriteJSON(j.Result), kernel.WriteJSON(j.Error))
			expireFiles(tx, company, j.ID, nil) // after a crash, Purge removes them
			of, err := tx.IDs(`SELECT id FROM job_files WHERE company = $1 AND job = $2`, company, j.ID)
			if err != nil {
				return err
			}
			files = append(files, of...)
		}
		return nil
	})
	for _, file := range files {
		if err == nil {
			err = d.removeFile(ctx, company, file)
		}
	}
	return err
}

const selectJobs = `
	SELECT j.company, j.id, j.kind, j.member, u.name AS member_name, j.key_id, j.channel, j.input, j.state, j.dry_run, j.done, j.total, j.status, j.result,
		j.file, j.error, j.tries, j.created_at, j.finished_at, f.expires_at
	FROM jobs j
	JOIN users u ON u.company = j.company AND u.id = j.member
	LEFT JOIN job_files f ON f.company = j.company AND f.id = j.file`

func (d *Tasks) scanJob(r db.Row) Job {
	j := Job{
		ID: r.ID("id"), Kind: r.Text("kind"), Status: r.Text("status"), DryRun: r.Bool("dry_run"), Progress: Progress{r.Int("done"), r.Int("total")},
		Result: kernel.ReadJSON[Result](r, "result"), Error: kernel.ReadJSON[Failure](r, "error"),
		CreatedBy: kernel.Ref{ID: r.ID("member"), Name: r.Text("member_name")},
		CreatedAt: r.Time("created_at"), FinishedAt: r.NullTime("finished_at"),
		company: r.ID("company"), key: r.NullID("key_id"), channel: r.ID("channel"), input: r.Text("input"), state: r.NullText("state"),
		file: r.NullID("file"), fileEnds: r.NullTime("expires_at"), tries: r.Int("tries"),
	}
	j.Cancellable = j.Status == StatusRunning && (j.state == nil || !d.kinds[j.Kind].Irrevocable)
	return j
}

func (d *Tasks) find(tx *kernel.Tx, company, id kernel.ID) (Job, error) {
	return kernel.Find(tx, "job", selectJobs+` WHERE j.company = $1 AND j.id = $2`, []any{company, id}, d.scanJob)
}

// findVisible returns a job that the principal may see.
func (d *Tasks) findVisible(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Job, error) {
	s := tx.Statement()
	s.WriteString(selectJobs + ` WHERE j.company = ` + s.Arg(a.Company.ID) + ` AND j.id = ` + s.Arg(id))
	a.AndReaches(s, "j.channel", "j.company")
	return kernel.Find(tx, "job", s.String(), s.Args, d.scanJob)
}
