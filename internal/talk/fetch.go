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

// FetchLoop is the worker that brings the files that customers sent from WhatsApp to the media store: WhatsApp keeps them for
// a few days only. A slow file does not hold up the others. All files are one subject: each is claimed by
// itself, so that every node may fetch, and its outcome is stored with its bytes.
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

// fetched is a result without content: see Fetch.
type fetched struct{}

// Run ends with ctx, after the downloads under way have been ended.
func (f *FetchLoop) Run(ctx context.Context) {
	jobs.NewPool(f, jobs.Options[fetched]{
		Name: "fetches", Logger: f.Logger, Slots: jobs.SlotLimits{All: fetchAtOnce},
		Poll: fetchPoll, Idle: fetchIdle, Signal: f.Desk.Wakeup(WakeFetch).C,
	}).Run(ctx)
}

// Due gives the one subject; its first step finds out whether there is anything to do.
func (f *FetchLoop) Due(context.Context, kernel.ID) (subjects []kernel.ID, next time.Duration, err error) {
	return []kernel.ID{{}}, 0, nil
}

// Open returns the work of all files.
func (f *FetchLoop) Open(kernel.ID) jobs.Subject[Fetch, fetched] { return f }

// Free is up to the slots.
func (f *FetchLoop) Free(running int) (int, time.Duration) { return fetchAtOnce - running, 0 }

// Group is the same for all files.
func (f *FetchLoop) Group() (group kernel.ID, unproven bool) { return kernel.ID{}, false }

// Step claims due files.
func (f *FetchLoop) Step(ctx context.Context, step jobs.Step[fetched]) (jobs.Claimed[Fetch], error) {
	due, err := f.Desk.DueFetches(ctx, step.Limit)
	return jobs.Claimed[Fetch]{Jobs: due, More: len(due) == step.Limit}, err
}

// Attempt downloads one file and stores it with its outcome, so there is nothing left to record.
func (f *FetchLoop) Attempt(ctx context.Context, _ jobs.Held, one Fetch) (fetched, bool, error) {
	err := f.Desk.KeepFetched(ctx, one, func(ctx context.Context, w io.Writer) error { return f.download(ctx, one.Media, w) })
	if err != nil && ctx.Err() == nil {
		f.Logger.Warn("the outcome of fetching a file was not stored", slog.String("media", one.Media.ID.String()), slog.Any("error", err))
	}
	return fetched{}, false, nil
}

func (f *FetchLoop) download(ctx context.Context, m Media, w io.Writer) error {
	nowhere := &provider.SendError{Code: "media_unavailable", Message: "The message does not say where the file is."}
	if m.Channel == nil {
		return nowhere
	}
	_, access, found, err := f.Desk.channels.Access(ctx, m.Company, *m.Channel)
	if err != nil {
		return err
	}
	if !found {
		return nowhere
	}
	_, err = f.Graph.Client(access).FetchMedia(ctx, provider.IncomingMedia{ProviderID: m.Provider.ID, MimeType: m.MimeType, SHA256: m.Provider.SHA256}, MaxMedia, w)
	return err
}

// Finished has nothing to adapt.
func (f *FetchLoop) Finished(fetched) {}

// Close has nothing to end.
func (f *FetchLoop) Close() {}
