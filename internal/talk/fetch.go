package talk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"recado/internal/blob"
	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/jobs"
	"recado/internal/kernel"
	"recado/internal/media"
)

// FetchLoop downloads the files that customers sent from WhatsApp, which keeps them for a few days only. All files are one
// subject of the job pool: every node may claim a file, except those of linked numbers that are connected to another node, and a
// slow download does not delay the others. A file and its result are stored together, so results are empty.
type FetchLoop struct {
	Desk     *Talk
	Provider *channels.Providers
	Logger   *slog.Logger
}

const (
	fetchAtOnce = 8
	fetchPoll   = 2 * time.Second
	fetchIdle   = 10 * time.Second
)

// Run downloads files until ctx ends and the current downloads have stopped.
func (f *FetchLoop) Run(ctx context.Context) {
	jobs.NewPool(f, jobs.Options[struct{}]{
		Name: "fetches", Logger: f.Logger, Slots: jobs.SlotLimits{All: fetchAtOnce},
		Poll: fetchPoll, Idle: fetchIdle, Signal: f.Desk.Wakeup(channels.WakeFetch).C,
	}).Run(ctx)
}

// Due always returns the only subject; Step finds out whether there is anything to do.
func (f *FetchLoop) Due(context.Context, kernel.ID) (subjects []kernel.ID, next time.Duration, err error) {
	return []kernel.ID{{}}, 0, nil
}

// Open returns the only subject.
func (f *FetchLoop) Open(kernel.ID) jobs.Subject[Fetch, struct{}] { return f }

// Free returns the number of free slots.
func (f *FetchLoop) Free(running int) (int, time.Duration) { return fetchAtOnce - running, 0 }

// Group returns the same group for all files.
func (f *FetchLoop) Group() (group kernel.ID, unproven bool) { return kernel.ID{}, false }

// Step claims due files.
func (f *FetchLoop) Step(ctx context.Context, step jobs.Step[struct{}]) (jobs.Claimed[Fetch], error) {
	here := f.Provider.LinkedHere()
	due, err := kernel.Read(ctx, f.Desk.Kernel, func(tx *kernel.Tx) ([]Fetch, error) { return dueFetches(tx, here, 1) })
	if err == nil && len(due) > 0 {
		due, err = kernel.Write(ctx, f.Desk.Kernel, func(tx *kernel.Tx) ([]Fetch, error) { return claimFetches(tx, here, step.Limit, fetchLease) })
	}
	return jobs.Claimed[Fetch]{Jobs: due, More: len(due) == step.Limit}, err
}

// Attempt downloads a file and stores it.
func (f *FetchLoop) Attempt(ctx context.Context, _ jobs.Held, job Fetch) (none struct{}, record bool, err error) {
	err = f.fetch(ctx, job)
	if err != nil && ctx.Err() == nil {
		f.Logger.Warn("a downloaded file was not stored", slog.String("media", job.Media.ID.String()), slog.Any("error", err))
	}
	return none, false, nil
}

func (f *FetchLoop) download(ctx context.Context, m *Media, w io.Writer) error {
	if m.Channel == nil {
		return &provider.SendError{Code: "media_unavailable", Message: "The message does not say where the file is."}
	}
	file := provider.IncomingMedia{ProviderID: m.Provider.ID, MimeType: m.MimeType, SHA256: m.Provider.SHA256}
	return f.Provider.Fetch(ctx, m.Company, *m.Channel, file, MaxMedia, w)
}

// Finished does nothing.
func (f *FetchLoop) Finished(struct{}) {}

// Close does nothing.
func (f *FetchLoop) Close() {}

// Fetch is a file of a customer's message to be fetched from the provider.
type Fetch struct {
	Media Media
	Tries int64
}

// JobID returns the id of the file.
func (f Fetch) JobID() kernel.ID { return f.Media.ID }

// fetchLease is how long a node may take to fetch a file: longer than any download.
const fetchLease = 15 * time.Minute

// fetch downloads a file and stores it, or the failure and the time of the next attempt.
func (f *FetchLoop) fetch(ctx context.Context, job Fetch) error {
	d, m := f.Desk, job.Media
	used, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (int64, error) { return mediaUsage(tx, m.Company) })
	if err != nil {
		return err
	}
	if used >= d.Limit(LimitMediaBytes) {
		return d.notFetched(ctx, job, d.errMediaQuota())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pipe, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := f.download(ctx, &job.Media, w)
		_ = w.CloseWithError(err) // nil means end of file
		done <- err
	}()
	var info blob.Info
	head, err := io.ReadAll(io.LimitReader(pipe, media.Bytes))
	if err == nil {
		info, err = d.blob.Put(ctx, m.ID, io.MultiReader(bytes.NewReader(head), pipe), MaxMedia)
	}
	_ = pipe.CloseWithError(err)
	if failed := <-done; failed != nil {
		err = failed
	}
	if ctx.Err() != nil {
		return ctx.Err() // the process is stopping; the lease will expire
	}
	if err != nil {
		return d.notFetched(ctx, job, err)
	}
	m.Size = info.Size
	m.MimeType, m.Kind = detectMedia(m, head)
	m.FileName = media.SafeName(m.FileName, m.MimeType)
	m.MediaShape = d.shapeOf(ctx, &m)
	kept, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { return d.mediaFetched(tx, &m, info.SHA256) })
	if kernel.CodeOf(err) == kernel.CodeLimitReached {
		return errors.Join(d.notFetched(ctx, job, err), d.blob.Delete(ctx, m.ID))
	}
	if err == nil && !kept {
		d.removeUpload(ctx, m.Company, m.ID)
	}
	return err
}

// notFetched stores a failed attempt, its reason and the time of the next one, unless the file is given up.
func (d *Talk) notFetched(ctx context.Context, f Fetch, cause error) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		var next *time.Time
		tries := f.Tries + 1
		if _, waits := waitsForTurn(cause); waits {
			tries = f.Tries
		}
		if wait, again := retryFetch(cause, tries, tx.Now.Sub(f.Media.CreatedAt)); again {
			next = new(tx.Now.Add(wait))
		}
		tx.Later(`
			UPDATE media
			SET fetch_at = $3, fetch_error = $4, fetch_tries = $5
			WHERE company = $1 AND id = $2 AND NOT stored`, f.Media.Company, f.Media.ID, next, fetchError(cause), tries)
		return nil
	})
	d.Log.Info("a customer's file could not be fetched", slog.String("media", f.Media.ID.String()),
		slog.Int64("tries", f.Tries+1), slog.Any("error", cause))
	return err
}

func fetchError(cause error) string {
	if known, ok := errors.AsType[*kernel.Error](cause); ok {
		return known.Message
	}
	if refused, ok := errors.AsType[*provider.SendError](cause); ok {
		return channels.Sentence(refused)
	}
	return ""
}

// detectMedia determines the type of a customer's file from its bytes if possible. A file that does not have the type that the
// provider announced becomes a document: it is downloaded and never shown.
func detectMedia(m Media, head []byte) (mime string, kind MediaKind) {
	mime, detected, known := media.Detect(head, m.FileName)
	kind = MediaKind(detected)
	switch {
	case m.Kind == MediaDocument && !known:
		return m.MimeType, m.Kind
	case m.Kind == MediaDocument, !known:
		return mime, MediaDocument
	case kind == m.Kind, m.Kind == MediaImage && kind == MediaSticker:
		return mime, m.Kind
	}
	return mime, MediaDocument
}

const (
	fetchFor       = 7 * 24 * time.Hour // WhatsApp keeps files for this long
	fetchFirstWait = 5 * time.Second
	fetchLongest   = time.Hour
	fetchTries     = 4 // a refusal or a wrong hash is final after this many
)

// retryFetch returns how long to wait after a number of failed tries to fetch a file of the given age. It reports false if the
// file is given up.
func retryFetch(cause error, tries int64, age time.Duration) (wait time.Duration, again bool) {
	if errors.Is(cause, blob.ErrTooLarge) || kernel.CodeOf(cause) == kernel.CodeLimitReached {
		return 0, false
	}
	if wait, waits := waitsForTurn(cause); waits {
		return wait, true
	}
	if refused, ok := errors.AsType[*provider.SendError](cause); ok {
		switch {
		case refused.Code == "media_unavailable", refused.Code == string(kernel.CodeMediaTooLarge):
			return 0, false
		case tries >= fetchTries && (refused.Code == "media_corrupt" || !refused.Retry && !refused.Disconnect):
			return 0, false
		}
	}
	wait = min(fetchLongest, fetchFirstWait<<min(2*(tries-1), 20))
	return wait, age+wait <= fetchFor || errors.Is(cause, channels.ErrNotHere) // the number may be linked again
}

// waitsForTurn reports whether the provider was not even asked for a file, because other files come first, and how long to wait.
func waitsForTurn(cause error) (wait time.Duration, waits bool) {
	refused, ok := errors.AsType[*provider.SendError](cause)
	if !ok || !refused.Offline || refused.RetryAfter == 0 || errors.Is(cause, channels.ErrNotHere) {
		return 0, false
	}
	return max(refused.RetryAfter, fetchFirstWait), true
}
