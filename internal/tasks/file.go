package tasks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"recado/internal/blob"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
)

// File is a file that was uploaded for a job or that it created.
type File struct {
	ID   kernel.ID
	Name string
	Size int64

	mimeType  string
	createdAt time.Time
	expiresAt time.Time
}

// Upload stores a file for a job that Start begins within a day. If it is larger than limit bytes, the error is blob.ErrTooLarge.
func (d *Tasks) Upload(ctx context.Context, company kernel.ID, name string, r io.Reader, limit int64) (File, error) {
	return d.store(ctx, company, nil, File{ID: kernel.NewID(), Name: name, mimeType: "application/octet-stream"}, r, limit)
}

// OpenUpload opens a file that Upload stored. The caller closes it.
func (d *Tasks) OpenUpload(ctx context.Context, f File) (io.ReadSeekCloser, error) {
	content, _, err := d.blob.Open(ctx, f.ID)
	return content, err
}

// Discard removes a file that Upload stored and no job uses. If that fails, it is removed when it expires.
func (d *Tasks) Discard(ctx context.Context, company kernel.ID, f File) {
	if err := d.removeFile(context.WithoutCancel(ctx), company, f.ID); err != nil {
		d.Log.Warn("the file of a job could not be removed", slog.String("file", f.ID.String()), slog.Any("error", err))
	}
}

// store stores the row of a file, then its bytes. What a crash leaves is removed when the file expires.
func (d *Tasks) store(ctx context.Context, company kernel.ID, job *kernel.ID, f File, r io.Reader, limit int64) (File, error) {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.Later(`
			INSERT INTO job_files (company, id, job, name, mime_type, size, stored, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, 0, FALSE, $6, $7)`, company, f.ID, job, f.Name, f.mimeType, tx.Now, tx.Now.Add(FileRetention))
		return nil
	})
	if err != nil {
		return File{}, err
	}
	info, err := d.blob.Put(ctx, f.ID, r, limit)
	if err == nil {
		f.Size = info.Size
		err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
			n, err := tx.Exec(`UPDATE job_files SET size = $3, sha256 = $4, stored = TRUE WHERE company = $1 AND id = $2`,
				company, f.ID, info.Size, info.SHA256[:])
			if err == nil && n == 0 { // it took more than a day
				err = errLost
			}
			return err
		})
	}
	if err != nil {
		if removed := d.removeFile(context.WithoutCancel(ctx), company, f.ID); removed != nil {
			d.Log.Warn("the file of a job could not be removed", slog.String("file", f.ID.String()), slog.Any("error", removed))
		}
		return File{}, err
	}
	return f, nil
}

// Create stores what write writes as a file of the job. Pass its id to Done.
func (r *Run) Create(ctx context.Context, name, mimeType string, write func(w io.Writer) error) (File, error) {
	read, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = w.CloseWithError(safely(func() error { return write(w) })) // never fails
	}()
	f, err := r.d.store(ctx, r.job.company, &r.job.ID, File{ID: kernel.NewID(), Name: name, mimeType: mimeType}, read, math.MaxInt64-1)
	_ = read.CloseWithError(errLost) // ends write if it was not read to its end; never fails
	<-written
	return f, err
}

// Files returns the files that were uploaded for the job, in the order of NewJob.Files.
func (r *Run) Files(ctx context.Context) ([]File, error) {
	return kernel.Read(ctx, r.d.Kernel, func(tx *kernel.Tx) ([]File, error) {
		return kernel.Rows(tx, selectFiles+` WHERE company = $1 AND job = $2 AND created_at <= $3 AND stored ORDER BY id`,
			[]any{r.job.company, r.job.ID, r.job.CreatedAt}, scanFile)
	})
}

// Open opens a file of the job. The caller closes it.
func (r *Run) Open(ctx context.Context, file kernel.ID) (io.ReadSeekCloser, int64, error) {
	f, size, err := r.d.blob.Open(ctx, file)
	if errors.Is(err, blob.ErrNotFound) {
		err = kernel.NotFound("file")
	}
	return f, size, err
}

const selectFiles = `SELECT id, name, mime_type, size, created_at, expires_at FROM job_files`

func scanFile(r db.Row) File {
	return File{
		ID: r.ID("id"), Name: r.Text("name"), Size: r.Int("size"), mimeType: r.Text("mime_type"),
		createdAt: r.Time("created_at"), expiresAt: r.Time("expires_at"),
	}
}

// expireFiles makes the files of a job that has ended expire, except for the file of its result.
func expireFiles(tx *kernel.Tx, company, job kernel.ID, result *kernel.ID) {
	if result == nil {
		result = &kernel.MaxID
	}
	tx.Later(`UPDATE job_files SET expires_at = $4 WHERE company = $1 AND job = $2 AND id <> $3`, company, job, result, tx.Now)
	tx.Later(`UPDATE job_files SET expires_at = $3 WHERE company = $1 AND id = $2`, company, result, tx.Now.Add(FileRetention))
}

// reasonPrivate is the reason in the error of a job that HideFiles cancelled.
const reasonPrivate = "number_private"

// knownThrough is a condition on a job j: its subject is a contact that is known through the channel $3, or has been merged or deleted.
const knownThrough = `(
	NOT EXISTS (SELECT 1 FROM contacts ct WHERE ct.company = j.company AND ct.id = j.subject AND (ct.channel IS NULL OR ct.channel <> $3))
	OR EXISTS (SELECT 1 FROM conversations c WHERE c.company = j.company AND c.channel = $3 AND c.contact = j.subject)
	OR EXISTS (SELECT 1 FROM messages m WHERE m.company = j.company AND m.author = j.subject AND m.channel = $3)
	OR EXISTS (
		SELECT 1
		FROM cards k
		JOIN conversations c ON c.company = k.company AND c.id = k.conversation
		WHERE k.company = j.company AND k.contact = j.subject AND c.channel = $3))`

// HideFiles ends the links to the files of the jobs about a channel, which has just become private, and of the jobs of a kind about
// contacts that are known through it. It cancels those that run: their files would have what only the viewers of the channel may see.
func (d *Tasks) HideFiles(tx *kernel.Tx, kind string, company, channel kernel.ID) error {
	running, err := kernel.Rows(tx, selectJobs+` WHERE j.company = $1 AND j.kind = $2 AND j.due_at IS NOT NULL AND `+knownThrough,
		[]any{company, kind, channel}, d.scanJob)
	for i := range running {
		d.fail(tx, &running[i], &Failure{Code: CodeCancelled, Message: "A number became private.", Params: kernel.Params{"reason": reasonPrivate}})
	}
	tx.Later(`
		UPDATE job_files
		SET expires_at = $4
		WHERE company = $1 AND expires_at > $4
			AND id IN (SELECT j.file FROM jobs j WHERE j.company = $1 AND j.file IS NOT NULL AND (j.channel = $3 OR j.kind = $2 AND `+knownThrough+`))`,
		company, kind, channel, tx.Now)
	return err
}

// removeFile deletes the bytes and then the row of a file.
func (d *Tasks) removeFile(ctx context.Context, company, id kernel.ID) error {
	if err := d.blob.Delete(ctx, id); err != nil {
		return err
	}
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.Later(`DELETE FROM job_files WHERE company = $1 AND id = $2`, company, id)
		return nil
	})
}

const purgeBatch = 100

// Purge removes a batch of expired files, and the jobs that ended more than 30 days ago. It reports whether there may be more.
func (d *Tasks) Purge(ctx context.Context) (more bool, err error) {
	type row struct{ company, id kernel.ID }
	list := func(sql string, before time.Time) ([]row, error) {
		return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) ([]row, error) {
			return kernel.Rows(tx, sql, []any{before, purgeBatch}, func(r db.Row) row { return row{r.ID("company"), r.ID("id")} })
		})
	}
	files, err := list(`
		SELECT /* all companies: purge by age */ company, id
		FROM job_files
		WHERE expires_at <= $1
		ORDER BY expires_at
		LIMIT $2`, d.Now())
	for _, file := range files {
		if err == nil {
			err = d.removeFile(ctx, file.company, file.id)
		}
	}
	if err != nil {
		return false, err
	}
	jobs, err := list(`
		SELECT /* all companies: purge by age */ company, id
		FROM jobs
		WHERE finished_at <= $1
		ORDER BY finished_at
		LIMIT $2`, d.Now().Add(-JobRetention))
	if err == nil && len(jobs) > 0 {
		err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
			for _, j := range jobs {
				tx.Later(`DELETE FROM jobs WHERE company = $1 AND id = $2`, j.company, j.id)
			}
			return nil
		})
	}
	return max(len(files), len(jobs)) == purgeBatch, err
}

// show completes the result of a job for a principal. The person who started the job gets the link to its file. Others, who may see
// less, get only what says nothing about people. So does a key if the job was started by a session, which may see private channels.
func (d *Tasks) show(ctx context.Context, a *kernel.Principal, j *Job) {
	mine := a.User.ID == j.CreatedBy.ID && (a.Kind() != kernel.KindKey || kernel.Same(j.key, &a.Key))
	if !mine {
		d.anonymize(j)
	}
	if j.file == nil || j.Result == nil {
		return
	}
	result := *j.Result
	result["url"], result["expires_at"] = nil, nil
	if j.fileEnds == nil {
		return
	}
	result["expires_at"] = j.fileEnds
	if !mine || !d.Now().Before(*j.fileEnds) {
		return
	}
	query := url.Values{
		"company": {j.company.String()}, "expires": {strconv.FormatInt(j.fileEnds.Unix(), 10)},
		"signature": {d.sign(j.company, *j.file, j.fileEnds.Unix())},
	}
	result["url"] = httpserver.PublicURL(ctx) + fileLinks + j.file.String() + "?" + query.Encode()
}

func (d *Tasks) sign(company, file kernel.ID, expires int64) string {
	key := d.Vault.Derive("job-file-link")
	mac := hmac.New(sha256.New, key[:])
	mac.Write(company[:])
	mac.Write(file[:])
	mac.Write(strconv.AppendInt(nil, expires, 10))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// openLink opens the file of a link. The caller closes it.
func (d *Tasks) openLink(ctx context.Context, company, id kernel.ID, expires, signature string) (File, io.ReadSeekCloser, error) {
	expired := kernel.Errorf(kernel.CodeNotFound, "This link has expired or is incomplete. Get a new one from GET /jobs/{id}.")
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !hmac.Equal([]byte(signature), []byte(d.sign(company, id, at))) {
		return File{}, nil, expired
	}
	found := false
	f, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (f File, err error) {
		f, found, err = kernel.Row(tx, selectFiles+` WHERE company = $1 AND id = $2 AND stored`, []any{company, id}, scanFile)
		return f, err
	})
	if err != nil || !found || !d.Now().Before(f.expiresAt) {
		return File{}, nil, kernel.ErrOr(err, expired)
	}
	content, _, err := d.blob.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		err = expired
	}
	return f, content, err
}

// downloadTimeout is longer than the timeout of other requests, for large files.
const downloadTimeout = time.Hour

func (d *Tasks) handlers() map[string]http.Handler {
	return map[string]http.Handler{"GET " + fileLinks + "{id}": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		id, _ := kernel.ParseID(r.PathValue("id"))
		company, _ := kernel.ParseID(query.Get("company"))
		f, content, err := d.openLink(r.Context(), company, id, query.Get("expires"), query.Get("signature"))
		if err != nil {
			httpserver.WriteError(w, r, err)
			return
		}
		defer func() { _ = content.Close() }()
		h := w.Header()
		h.Set("Content-Type", f.mimeType)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "private, no-store")
		h.Set("ETag", `"`+f.ID.String()+`"`)
		h.Set("Content-Disposition", `attachment; filename="`+asciiName(f.Name)+`"; filename*=UTF-8''`+strings.ReplaceAll(url.QueryEscape(f.Name), "+", "%20"))
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTimeout))
		http.ServeContent(w, r, "", f.createdAt, content)
	})}
}

// asciiName returns a file name for clients that know only ASCII.
func asciiName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, name)
}
