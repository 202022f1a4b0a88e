package work

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

// Fetch brings the files that customers sent from WhatsApp to us: WhatsApp keeps them for a few days
// only. A slow file does not hold up the others.
type Fetch struct {
	Desk   desk.System
	Graph  *Graph
	Logger *slog.Logger

	free chan struct{} // one for every download that may begin
	busy sync.WaitGroup
}

const (
	fetchAtOnce = 8
	fetchIdle   = 2 * time.Second
)

// Run ends with ctx, after the downloads under way have ended.
func (f *Fetch) Run(ctx context.Context) {
	f.free = make(chan struct{}, fetchAtOnce)
	for range fetchAtOnce {
		f.free <- struct{}{}
	}
	repeat(ctx, f.Logger, "fetch", f.Desk.Bells().Fetch.C, fetchIdle, f.step)
	f.busy.Wait()
}

// step begins as many of the due downloads as there is room for.
func (f *Fetch) step(ctx context.Context) (bool, error) {
	room := len(f.free)
	if room == 0 {
		return false, nil
	}
	due, err := f.Desk.DueFetches(ctx, room)
	for _, one := range due {
		<-f.free
		f.busy.Go(func() {
			f.fetch(ctx, one)
			f.free <- struct{}{}
			f.Desk.Bells().Fetch.Ring()
		})
	}
	return false, err
}

func (f *Fetch) fetch(ctx context.Context, one desk.Fetch) {
	err := f.Desk.KeepFetched(ctx, one, func(ctx context.Context, w io.Writer) error {
		nowhere := &model.SendError{Code: "media_unavailable", Message: "Nothing says where the file is."}
		if one.Media.Channel == nil {
			return nowhere
		}
		_, access, found, err := f.Desk.Access(ctx, *one.Media.Channel)
		if err != nil {
			return err
		}
		if !found {
			return nowhere
		}
		_, err = f.Graph.client(access).FetchMedia(ctx, model.IncomingMedia{ProviderID: one.Media.Provider.ID, MimeType: one.Media.MimeType, SHA256: one.Media.Provider.SHA256}, model.MaxMedia, w)
		return err
	})
	if err != nil && ctx.Err() == nil {
		f.Logger.Warn("the outcome of fetching a file was not stored", slog.String("media", one.Media.ID.String()), slog.Any("error", err))
	}
}
