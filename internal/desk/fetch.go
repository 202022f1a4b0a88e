package desk

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// Fetch is a file of a customer's message that the provider still holds.
type Fetch struct {
	Media model.Media
	Tries int64
}

// JobID is the id of the file.
func (f Fetch) JobID() model.ID { return f.Media.ID }

// fetchLease is how long a file is given to one node: longer than any download may take.
const fetchLease = 15 * time.Minute

// DueFetches gives at most limit files to fetch now. They are given to no other caller for a while.
func (d System) DueFetches(ctx context.Context, limit int) ([]Fetch, error) {
	waiting, err := read(ctx, d.Desk, func(tx *store.Tx) (bool, error) { return tx.FetchesWait() })
	if err != nil || !waiting {
		return nil, err
	}
	return write(ctx, d.Desk, func(tx *store.Tx) ([]Fetch, error) {
		due, err := tx.DueFetches(limit, fetchLease)
		out := make([]Fetch, len(due))
		for i, m := range due {
			out[i] = Fetch{Media: m.Media, Tries: m.Tries}
		}
		return out, err
	})
}

// KeepFetched stores what download writes, whole or not at all, and notes the outcome. download's
// *model.SendError says whether it is worth trying again.
func (d System) KeepFetched(ctx context.Context, f Fetch, download func(ctx context.Context, w io.Writer) error) error {
	used, err := read(ctx, d.Desk, func(tx *store.Tx) (int64, error) { return tx.MediaUsage(f.Media.Company) })
	if err != nil {
		return err
	}
	if used >= d.limits.MediaBytes {
		return d.notFetched(ctx, f, d.errMediaQuota())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pipe, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := download(ctx, w)
		_ = w.CloseWithError(err) // nil: the end of the file
		done <- err
	}()
	head := &headReader{r: pipe}
	info, err := d.blob.Put(ctx, f.Media.ID, head, model.MaxMedia)
	_ = pipe.CloseWithError(err)
	if refused := <-done; refused != nil {
		err = refused
	}
	if ctx.Err() != nil {
		return ctx.Err() // we are stopping; the lease runs out by itself
	}
	if err != nil {
		return d.notFetched(ctx, f, err)
	}
	m := f.Media
	m.Size = info.Size
	m.MimeType, m.Kind = believe(m, head.kept.Bytes())
	m.FileName = model.SafeFileName(m.FileName, m.MimeType)
	_, err = write(ctx, d.Desk, func(tx *store.Tx) (struct{}, error) {
		if fits, err := tx.MediaFetched(&m, info.SHA256, d.limits.MediaBytes); err != nil || !fits {
			return struct{}{}, errOr(err, d.errMediaQuota())
		}
		return struct{}{}, nil
	})
	if model.CodeOf(err) == model.CodeLimitReached {
		return errors.Join(d.notFetched(ctx, f, err), d.blob.Delete(ctx, m.ID))
	}
	return err
}

func (d *Desk) notFetched(ctx context.Context, f Fetch, cause error) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		var next *time.Time
		if wait, again := nextFetch(cause, f.Tries+1, tx.Now.Sub(f.Media.CreatedAt)); again {
			next = new(tx.Now.Add(wait))
		}
		tx.MediaNotFetched(f.Media.ID, next, fetchError(cause))
		return struct{}{}, nil
	})
	d.log.Info("a customer's file could not be fetched", slog.String("media", f.Media.ID.String()),
		slog.Int64("tries", f.Tries+1), slog.Any("error", cause))
	return err
}

// fetchError says for people why a file was not fetched.
func fetchError(cause error) string {
	var known *model.Error
	var refused *model.SendError
	switch {
	case errors.As(cause, &known):
		return known.Message
	case errors.As(cause, &refused):
		return sentence(refused)
	}
	return ""
}

// believe decides what a customer's file is. Its bytes tell where they can; a file that is not what the
// provider called it is handed out as a download and never shown.
func believe(m model.Media, head []byte) (mime string, kind model.MediaKind) {
	mime, kind, known := model.Sniff(head, m.FileName)
	switch {
	case m.Kind == model.MediaDocument && !known:
		return m.MimeType, m.Kind
	case m.Kind == model.MediaDocument, !known:
		return mime, model.MediaDocument
	case kind == m.Kind, m.Kind == model.MediaImage && kind == model.MediaSticker:
		return mime, m.Kind
	}
	return mime, model.MediaDocument
}

// headReader keeps the beginning of what passes through it.
type headReader struct {
	r    io.Reader
	kept bytes.Buffer
}

func (h *headReader) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if room := model.SniffBytes - h.kept.Len(); room > 0 {
		h.kept.Write(p[:min(n, room)])
	}
	return n, err
}
