package work

import (
	"context"
	"io"
	"log/slog"
	"time"

	"recado/internal/desk"
	"recado/internal/jobs"
	"recado/internal/model"
)

// Fetch is the worker that brings the files that customers sent from WhatsApp to the media store: WhatsApp keeps them for
// a few days only. A slow file does not hold up the others. All files are one subject: each is claimed by
// itself, so that every node may fetch, and its outcome is stored with its bytes.
type Fetch struct {
	Desk   desk.System
	Graph  *Graph
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
func (f *Fetch) Run(ctx context.Context) {
	jobs.NewPool(f, jobs.Options[fetched]{
		Name: "fetches", Logger: f.Logger, Slots: jobs.SlotLimits{All: fetchAtOnce},
		Poll: fetchPoll, Idle: fetchIdle, Signal: f.Desk.Wakeups().Fetch.C,
	}).Run(ctx)
}

// Due gives the one subject; its first step finds out whether there is anything to do.
func (f *Fetch) Due(context.Context, model.ID) (subjects []model.ID, next time.Duration, err error) {
	return []model.ID{{}}, 0, nil
}

// Open returns the work of all files.
func (f *Fetch) Open(model.ID) jobs.Subject[desk.Fetch, fetched] { return f }

// Free is up to the slots.
func (f *Fetch) Free(running int) (int, time.Duration) { return fetchAtOnce - running, 0 }

// Group is the same for all files.
func (f *Fetch) Group() (group model.ID, unproven bool) { return model.ID{}, false }

// Step claims due files.
func (f *Fetch) Step(ctx context.Context, step jobs.Step[fetched]) (jobs.Claimed[desk.Fetch], error) {
	due, err := f.Desk.DueFetches(ctx, step.Limit)
	return jobs.Claimed[desk.Fetch]{Jobs: due, More: len(due) == step.Limit}, err
}

// Attempt downloads one file and stores it with its outcome, so there is nothing left to record.
func (f *Fetch) Attempt(ctx context.Context, _ jobs.Held, one desk.Fetch) (fetched, bool, error) {
	err := f.Desk.KeepFetched(ctx, one, func(ctx context.Context, w io.Writer) error { return f.download(ctx, one.Media, w) })
	if err != nil && ctx.Err() == nil {
		f.Logger.Warn("the outcome of fetching a file was not stored", slog.String("media", one.Media.ID.String()), slog.Any("error", err))
	}
	return fetched{}, false, nil
}

func (f *Fetch) download(ctx context.Context, m model.Media, w io.Writer) error {
	nowhere := &model.SendError{Code: "media_unavailable", Message: "The message does not say where the file is."}
	if m.Channel == nil {
		return nowhere
	}
	_, access, found, err := f.Desk.Access(ctx, *m.Channel)
	if err != nil {
		return err
	}
	if !found {
		return nowhere
	}
	_, err = f.Graph.client(access).FetchMedia(ctx, model.IncomingMedia{ProviderID: m.Provider.ID, MimeType: m.MimeType, SHA256: m.Provider.SHA256}, model.MaxMedia, w)
	return err
}

// Finished has nothing to adapt.
func (f *Fetch) Finished(fetched) {}

// Close has nothing to end.
func (f *Fetch) Close() {}
