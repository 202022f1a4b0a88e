package talk

import (
	"context"
	"io"
	"log/slog"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/jobs"
	"recado/internal/kernel"
)

// FetchLoop downloads the files that customers sent from WhatsApp, which keeps them for a few days only. All files are one
// subject of the job pool: every node may claim a file, and a slow download does not delay the others. A file and its result
// are stored together, so results are empty.
type FetchLoop struct {
	Desk   *Talk
	Graph  *channels.Graph
	Logger *slog.Logger
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
		Poll: fetchPoll, Idle: fetchIdle, Signal: f.Desk.Wakeup(WakeFetch).C,
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
	due, err := f.Desk.DueFetches(ctx, step.Limit)
	return jobs.Claimed[Fetch]{Jobs: due, More: len(due) == step.Limit}, err
}

// Attempt downloads a file and stores it.
func (f *FetchLoop) Attempt(ctx context.Context, _ jobs.Held, job Fetch) (none struct{}, record bool, err error) {
	err = f.Desk.KeepFetched(ctx, job, func(ctx context.Context, w io.Writer) error { return f.download(ctx, &job.Media, w) })
	if err != nil && ctx.Err() == nil {
		f.Logger.Warn("a downloaded file was not stored", slog.String("media", job.Media.ID.String()), slog.Any("error", err))
	}
	return none, false, nil
}

func (f *FetchLoop) download(ctx context.Context, m *Media, w io.Writer) error {
	unavailable := &provider.SendError{Code: "media_unavailable", Message: "The message does not say where the file is."}
	if m.Channel == nil {
		return unavailable
	}
	_, access, found, err := f.Desk.channels.Access(ctx, m.Company, *m.Channel)
	if err != nil || !found {
		return kernel.ErrOr(err, unavailable)
	}
	file := provider.IncomingMedia{ProviderID: m.Provider.ID, MimeType: m.MimeType, SHA256: m.Provider.SHA256}
	_, err = f.Graph.Client(access).FetchMedia(ctx, file, MaxMedia, w)
	return err
}

// Finished does nothing.
func (f *FetchLoop) Finished(struct{}) {}

// Close does nothing.
func (f *FetchLoop) Close() {}
