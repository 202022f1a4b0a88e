// Package tasks does long work in the background that a request started, such as imports and the export of a person's data. The
// API calls it jobs.
//
// A capability registers each kind of job in its New:
//
//	t.Register(tasks.Kind{Name: "contacts_import", Run: d.runImport})
//
// A verb starts a job in the transaction of its request and returns it with the status 202:
//
//	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (tasks.Job, error) {
//		return d.tasks.Start(tx, a, tasks.NewJob{Kind: "contacts_import", Input: input{...}, Files: []kernel.ID{file.ID}})
//	})
//
// From the commit on the job is done, whatever happens to the process. One job of a company runs at a time, on the node that holds
// the lease of the company. Run is called with the state that the job last saved, and again after a crash:
//
//	func (d *Imports) runImport(ctx context.Context, run *tasks.Run) error {
//		var in input
//		var at state
//		if err := run.Read(&in, &at); err != nil {
//			return err
//		}
//		for more := true; more; {
//			err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
//				a, err := run.Principal(tx) // the present rights of who started it
//				... // a batch of at most a few hundred rows
//				if more {
//					return run.Save(tx, next, done, total) // in the same transaction, so that the batch happens once
//				}
//				return run.Done(tx, result{...}, nil)
//			})
//			if err != nil {
//				return err
//			}
//		}
//		return nil
//	}
//
// The function of a transaction may run more than once, so it computes the next state and assigns it after the commit. Save and Done
// return an error if the job was cancelled or another node has taken it over; Run returns that error. If Run returns another
// kernel.Error, the job fails with its code, unless it is temporary. Other errors are logged and the job is tried again later.
//
// The input, the state and uploaded files are deleted when a job ends. The result stays for 30 days and the file of the result for 24
// hours; EraseSubject removes what they say about a person. Inputs hold ids and settings, not names or texts of people.
package tasks

import (
	"context"
	"time"

	"recado/internal/blob"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
)

// Tasks has the verbs of the package.
type Tasks struct {
	*kernel.Kernel
	blob  blob.Store
	kinds map[string]Kind
}

// New returns the verbs of jobs.
func New(p *people.People, files blob.Store) *Tasks {
	return &Tasks{Kernel: p.Kernel, blob: files, kinds: map[string]Kind{}}
}

// Kind is a kind of job.
type Kind struct {
	Name string
	// Run does the rest of the job. It may be called several times for a job; see the package comment.
	Run func(ctx context.Context, run *Run) error
	// Irrevocable says that the job cannot be cancelled after its first Save and is tried until it is done.
	Irrevocable bool
	// Personal says that results and their files may contain data of any person, so that every erasure removes them. A job that begins
	// after an erasure leaves the person out.
	Personal bool
	// Shared lists the fields of the result, besides numbers and truth values, that say nothing about people: everybody who sees the
	// job sees them, and erasures keep them.
	Shared []string
}

// Register adds a kind of job. Call it before the server runs.
func (d *Tasks) Register(k Kind) { d.kinds[k.Name] = k }

// Limits of jobs.
const (
	MaxRunning = 100 // of a company, with those that wait

	JobRetention  = 30 * 24 * time.Hour // of jobs that have ended
	FileRetention = 24 * time.Hour      // of files, and of the links to them
)

// The verbs of jobs.
var (
	VerbJobs      = kernel.Listed(kernel.Verb{Name: "Jobs", Scope: people.ScopeDataManage})
	VerbJob       = kernel.Listed(kernel.Verb{Name: "Job", Scope: people.ScopeDataManage})
	VerbCancelJob = kernel.Listed(kernel.Verb{Name: "CancelJob", Scope: people.ScopeDataManage})
)

// fileLinks is the path of signed links below the base path.
const fileLinks = "/files/"

// HTTP returns the routes of the package.
func (d *Tasks) HTTP() httpserver.Capability {
	return httpserver.Capability{
		Tags: []httpserver.Tag{{
			Name:        "jobs",
			Description: "Long work that runs in the background, such as imports and the export of a person's data.",
			Words:       []string{"jobs"},
		}},
		Handlers: d.handlers(),
		Shared:   []string{fileLinks},
		Routes: []*httpserver.Route{
			httpserver.Get("/jobs", VerbJobs, "List jobs", httpserver.ListCursor(d.Jobs),
				httpserver.About("Returns the jobs of the last 30 days, newest first. One job of a company runs at a time. The others wait: they are running too, with a progress of 0. Jobs about a private number are listed only for its viewers.")),
			httpserver.Get("/jobs/{id}", VerbJob, "Get a job", httpserver.ByID(d.Job),
				httpserver.About("Returns a job and its progress. Jobs continue after a restart of the server. A job is deleted 30 days after its end. "+
					"If the result is a file, `result.url` is a link to it that requires no key and works for 24 hours; only the person who started the job gets it.")),
			httpserver.Post("/jobs/{id}/cancel", VerbCancelJob, "Cancel a job", httpserver.ByID(d.CancelJob),
				httpserver.Fails(kernel.CodeJobFinished, kernel.CodeJobNotCancellable),
				httpserver.About("Stops a job. Its status becomes `failed` with the error code `cancelled`. What it has done so far stays done. "+
					"Whether a job can be cancelled is in `cancellable`.")),
		},
	}
}
