// Package imports brings contacts from tables and conversations from WhatsApp's chat exports into a company, in the background.
package imports

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json"

	"recado/internal/blob"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/media"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/internal/tasks"
)

// Imports has the verbs of the package.
type Imports struct {
	*kernel.Kernel
	talk  *talk.Talk
	tasks *tasks.Tasks
}

// New returns the verbs of imports and registers their jobs.
func New(t *talk.Talk, jobs *tasks.Tasks) *Imports {
	d := &Imports{t.Kernel, t, jobs}
	jobs.Register(tasks.Kind{Name: jobContacts, Run: d.runContacts, Personal: true, Shared: []string{"errors"}})
	jobs.Register(tasks.Kind{Name: jobChat, Run: d.runChat, Personal: true, Shared: []string{"errors"}})
	return d
}

// VerbImport starts an import.
var VerbImport = kernel.Listed(kernel.Verb{Name: "Import", Scope: people.ScopeDataManage})

// The kinds of import and of their jobs.
const (
	kindContacts = "contacts"
	kindChat     = "chat"

	jobContacts = "contacts_import"
	jobChat     = "chat_import"
)

// Limits of imports.
const (
	MaxLines = 100_000   // of contacts
	MaxTable = 50 << 20  // bytes of a table
	MaxChat  = 500 << 20 // bytes of a chat with its files

	maxErrors    = 1000 // lines in a result; the file has all
	previewLines = 10
)

// HTTP returns the routes of the package.
func (d *Imports) HTTP() httpserver.Capability {
	return httpserver.Capability{
		Tags: []httpserver.Tag{{Name: "imports", Description: "Contacts and conversations from files.", Words: []string{"imports"}}},
		Routes: []*httpserver.Route{
			httpserver.Post("/imports", VerbImport, "Import contacts or a chat", d.create, httpserver.Accepted, httpserver.Named("importFile"),
				httpserver.Fails(kernel.CodeLimitReached, kernel.CodeBodyTooLarge, kernel.CodeChannelArchived),
				httpserver.UploadsForm(MaxChat,
					httpserver.FormField{Name: "kind", Required: true, Values: []string{kindContacts, kindChat}, About: "What the file contains."},
					httpserver.FormField{Name: "dry_run", Values: []string{"true", "false", "1", "0"}, About: "true: change nothing; the result says what would change. Defaults to false."},
					httpserver.FormField{Name: "mapping", About: "For contacts: a JSON object with the field of a column, or null to leave the column out, by the number of the column from 0 or by its header. " +
						"The fields are name, phone, company, city, labels, opted_out and fields.KEY. Columns that it does not mention are recognised by their header."},
					httpserver.FormField{Name: "channel", About: "For a chat: the id of the channel whose conversation it becomes part of."},
					httpserver.FormField{Name: "phone", About: "For a chat: the phone number of the customer. A contact is created if there is none with this number."},
					httpserver.FormField{Name: "contact", About: "For a chat: the id of the contact, instead of phone."},
					httpserver.FormField{Name: "me", About: "For a chat: the name that the team has in the chat. Needed unless the contact or the name of the file tells who the other person is. If only the customer wrote, any other name."},
					httpserver.FormField{Name: "timezone", About: "For a chat: the time zone of the phone that exported it. Defaults to that of the company."},
					httpserver.FormField{Name: "date_order", Values: []string{"dmy", "mdy", "ymd"}, About: "For a chat: the order of day, month and year. Detected from all dates by default."},
				),
				httpserver.About("Send multipart/form-data. The response is a job; GET /jobs/{id} returns its progress and result. Imports raise no events and send nothing. "+
					"A line that cannot be imported is listed in `result.errors` (the first 1,000; `errors_total` counts all) and in the CSV file at `result.url`, and the others are imported.\n\n"+
					"`contacts`: a CSV file with headers in the first line, at most 100,000 lines and 50 MiB. The separator may be a semicolon, a comma or a tab, the encoding UTF-8 or Windows-1252. "+
					"A contact with the same phone number is updated in the columns that are not empty. "+
					"The result has `created`, `updated` and `skipped` (lines); that of a dry run also has `columns` and `preview`.\n\n"+
					"`chat`: a chat with one person that WhatsApp exported on Android or an iPhone in Portuguese, English or Spanish: the .txt file, or the .zip file with the text and the files, at most 500 MiB. "+
					"It becomes part of the conversation of `channel` with `phone` or `contact`; both are created if they do not exist. Importing a chat again adds what is new. "+
					"The result has `created`, `existing` and `skipped` (messages), `files`, `files_missing`, `first_at`, `last_at`, `conversation` and `contact`; that of a dry run, which needs no `channel`, "+
					"also has `senders`, `me`, `preview`, and `date_order_certain`: false if the dates can be read in two ways.")),
		},
	}
}

// upload is a file that was sent, with the fields of the form.
type upload struct {
	kind   string
	fields map[string]string
	dryRun bool
	file   tasks.File
}

func (d *Imports) create(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[tasks.Job], error) {
	var u upload
	form, err := httpserver.ReadForm(ctx, func(name string, before map[string]string, file io.Reader) (err error) {
		limit := int64(MaxChat)
		if before["kind"] == kindContacts {
			limit = MaxTable
		}
		u.file, err = d.tasks.Upload(ctx, a.Company.ID, media.SafeName(name, "application/octet-stream"), file, limit)
		if errors.Is(err, blob.ErrTooLarge) {
			err = errTooLarge(limit)
		}
		return err
	})
	if err == nil {
		u.fields, u.kind, u.dryRun = form, form["kind"], httpserver.IsTrue(form["dry_run"])
		var job tasks.Job
		if job, err = d.Import(ctx, a, u); err == nil {
			return &httpserver.Reply[tasks.Job]{Body: job}, nil
		}
	}
	if !u.file.ID.IsZero() && kernel.CodeOf(err) != kernel.CodeUncertain {
		d.tasks.Discard(ctx, a.Company.ID, u.file)
	}
	return nil, err
}

func errTooLarge(limit int64) error {
	return kernel.Errorf(kernel.CodeBodyTooLarge, "The file may have at most %s.", kernel.SizeText(limit))
}

// Import checks an uploaded file and starts the job that imports it.
func (d *Imports) Import(ctx context.Context, a *kernel.Principal, u upload) (tasks.Job, error) {
	job := tasks.NewJob{Files: []kernel.ID{u.file.ID}, DryRun: u.dryRun}
	var err error
	var chat chatInput
	switch u.kind {
	case kindContacts:
		job.Kind = jobContacts
		job.Input, err = d.checkContacts(ctx, a, u)
	case kindChat:
		job.Kind = jobChat
		chat, err = d.checkChat(ctx, a, u)
	default:
		err = kernel.OneOf("body.kind", kindContacts, kindChat)
	}
	if err != nil {
		return tasks.Job{}, err
	}
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (tasks.Job, error) {
		if u.kind == kindChat {
			chat := chat
			if !u.dryRun {
				if err := d.openTarget(tx, a, &chat); err != nil {
					return tasks.Job{}, err
				}
				job.Subject = &chat.Contact
			}
			if !u.dryRun || slices.Contains(a.Views, chat.Channel) { // a dry run does not check the channel
				job.Channel = chat.Channel
			}
			job.Input = chat
		}
		started, err := d.tasks.Start(tx, a, job)
		if err != nil {
			return started, err
		}
		if !u.dryRun {
			tx.Audit(a, kernel.AuditEntry{
				Action:  "import.created",
				Subject: kernel.NewAuditSubject("job", started.ID, ""),
				Channel: chat.Channel, // zero for contacts
				Changes: []kernel.AuditChange{{Field: "kind", To: u.kind}},
			})
		}
		return started, nil
	})
}

// notAllowed returns an error if the form has a field that belongs to another kind.
func (u *upload) notAllowed(names ...string) error {
	for _, name := range names {
		if u.fields[name] != "" {
			return kernel.Invalid("body."+name, kernel.RuleNotAllowed, "has no meaning for "+u.kind)
		}
	}
	return nil
}

// open opens the uploaded file of a job. The caller closes it.
func open(ctx context.Context, run *tasks.Run) (io.ReadSeekCloser, int64, error) {
	files, err := run.Files(ctx)
	if err != nil || len(files) == 0 {
		return nil, 0, kernel.ErrOr(err, kernel.NotFound("file"))
	}
	return run.Open(ctx, files[0].ID)
}

// LineError is a line that is not imported.
type LineError struct {
	Line    int64         `json:"line"`
	Field   *string       `json:"field"`
	Code    string        `json:"code"`
	Message string        `json:"message"`
	Params  kernel.Params `json:"params"`
}

// lineError returns the error of a line for the first wrong field.
func lineError(line int, invalid *kernel.Error) LineError {
	f := invalid.Fields[0]
	e := LineError{Line: int64(line), Field: kernel.TextOrNil(f.Field), Code: f.Code, Message: f.Message, Params: f.Params}
	if e.Params == nil {
		e.Params = kernel.Params{}
	}
	return e
}

func insertErrors(tx *kernel.Tx, run *tasks.Run, errors []LineError) {
	for _, e := range errors {
		tx.Later(`
			INSERT INTO import_errors (company, job, line, field, code, message, params)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT DO NOTHING`, run.Company(), run.ID(), e.Line, e.Field, e.Code, e.Message, *kernel.WriteJSON(&e.Params))
	}
}

// listErrors returns up to n errors after a line.
func listErrors(tx *kernel.Tx, run *tasks.Run, after int64, n int) ([]LineError, error) {
	return kernel.Rows(tx, `
		SELECT line, field, code, message, params
		FROM import_errors
		WHERE company = $1 AND job = $2 AND line > $3
		ORDER BY line
		LIMIT $4`, []any{run.Company(), run.ID(), after, n}, func(r db.Row) LineError {
		e := LineError{Line: r.Int("line"), Field: r.NullText("field"), Code: r.Text("code"), Message: r.Text("message"), Params: kernel.Params{}}
		_ = json.Unmarshal([]byte(r.Text("params")), &e.Params) // it was written by insertErrors
		return e
	})
}

func deleteErrors(tx *kernel.Tx, run *tasks.Run) {
	tx.Later(`DELETE FROM import_errors WHERE company = $1 AND job = $2`, run.Company(), run.ID())
}

// errorPages calls each with the errors of a job in the order of lines.
func (d *Imports) errorPages(ctx context.Context, run *tasks.Run, each func(e LineError) error) error {
	for last := int64(-1); ; {
		page, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]LineError, error) { return listErrors(tx, run, last, maxErrors) })
		for _, e := range page {
			if err == nil {
				err = each(e)
			}
			last = e.Line
		}
		if err != nil || len(page) < maxErrors {
			return err
		}
	}
}

// end writes the file with the lines that were left out, if there are any, and ends the job. result returns the result with the first
// of them.
func (d *Imports) end(ctx context.Context, run *tasks.Run, wrong int, writeLines func(w io.Writer) error, result func(first []LineError) any) error {
	var file *kernel.ID
	if wrong > 0 {
		f, err := run.Create(ctx, "lines-with-errors.csv", "text/csv; charset=utf-8", writeLines)
		if err != nil {
			return err
		}
		file = &f.ID
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		first, err := listErrors(tx, run, -1, maxErrors)
		if err != nil {
			return err
		}
		deleteErrors(tx, run)
		return run.Done(tx, result(append([]LineError{}, first...)), file)
	})
}

// newLineWriter returns a writer for the file with the lines that were left out.
func newLineWriter(to io.Writer, separator rune) (*csv.Writer, error) {
	_, err := io.WriteString(to, "\uFEFF")
	w := csv.NewWriter(to)
	w.Comma, w.UseCRLF = separator, true
	return w, err
}
