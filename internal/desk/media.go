package desk

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path"
	"strconv"
	"strings"
	"time"

	"recado/internal/blob"
	"recado/internal/filetype"
	"recado/internal/mediainfo"
	"recado/internal/model"
	"recado/internal/retry"
	"recado/internal/store"
	"recado/internal/voice"
)

// UploadMedia keeps a file that is read from r to its end. Its content type is detected from its bytes;
// the name is only shown. When anything goes wrong, r included, neither file nor row is left.
func (d *Desk) UploadMedia(ctx context.Context, a *Principal, fileName string, r io.Reader) (model.Media, error) {
	if err := a.May(VerbUploadMedia); err != nil {
		return model.Media{}, err
	}
	release, err := d.uploadSlot(ctx, a)
	if err != nil {
		return model.Media{}, err
	}
	defer release()
	head, err := readHead(r)
	if err != nil {
		return model.Media{}, err
	}
	if len(head) == 0 {
		return model.Media{}, model.Invalid("body.file", "the file is empty")
	}
	if voice.IsWebM(head) {
		r = d.converted(ctx, io.MultiReader(bytes.NewReader(head), r))
		fileName = strings.TrimSuffix(fileName, path.Ext(fileName)) + ".ogg"
		if head, err = readHead(r); err != nil {
			return model.Media{}, err
		}
	}
	mime, detected, ok := filetype.Detect(head, fileName)
	if !ok {
		return model.Media{}, errMediaType(mime)
	}
	kind := model.MediaKind(detected)
	m := model.Media{
		ID: model.NewID(), Company: a.Company.ID, Kind: kind, MimeType: mime, FileName: filetype.SafeName(fileName, mime), Stored: true,
	}
	if err := d.beginUpload(ctx, &m); err != nil {
		return model.Media{}, err
	}
	info, err := d.blob.Put(ctx, m.ID, io.MultiReader(bytes.NewReader(head), r), kind.Limit())
	if err != nil {
		d.endUpload(ctx, m.ID)
		if errors.Is(err, blob.ErrTooLarge) {
			return model.Media{}, errMediaTooLarge(kind)
		}
		return model.Media{}, errUploadCut(err)
	}
	m.Size, m.SHA256 = info.Size, fmt.Sprintf("%x", info.SHA256)
	m.MediaShape = d.shapeOf(ctx, &m)
	return d.keepUpload(ctx, &m, info.SHA256)
}

// conversionsAtOnce is how many recordings a node converts at the same time.
const conversionsAtOnce = 2

// converted returns a WebM recording as Ogg. One of the node's turns is held while the recording is converted, not while its bytes arrive:
// a slow client keeps nobody waiting.
func (d *Desk) converted(ctx context.Context, file io.Reader) io.Reader {
	held := false
	enter := func() error {
		select {
		case d.conversions <- struct{}{}:
			held = true
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	leave := func() {
		if held {
			<-d.conversions
			held = false
		}
	}
	out := voice.FromWebM(readerFunc(func(p []byte) (int, error) {
		leave()
		n, err := file.Read(p)
		if turn := enter(); turn != nil {
			return 0, turn
		}
		return n, err
	}))
	return readerFunc(func(p []byte) (int, error) {
		if err := enter(); err != nil {
			return 0, err
		}
		defer leave()
		return out.Read(p)
	})
}

// readerFunc is a function as a reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// readHead reads the beginning of an upload, which tells the type of the file.
func readHead(r io.Reader) ([]byte, error) {
	head, err := io.ReadAll(io.LimitReader(r, filetype.Bytes))
	if err != nil {
		return nil, errUploadCut(err)
	}
	return head, nil
}

// keepUpload adds the row of a file that is stored, or removes the file.
func (d *Desk) keepUpload(ctx context.Context, m *model.Media, sum [32]byte) (model.Media, error) {
	kept, err := writeAnswer(ctx, d, func(tx *store.Tx) (model.Media, error) {
		m := *m
		m.CreatedAt = tx.Now
		if fits, err := tx.InsertMedia(&m, sum, d.limits.MediaBytes); err != nil || !fits {
			return m, errOr(err, d.errMediaQuota())
		}
		tx.EndUpload(m.ID)
		return m, nil
	})
	if err != nil && model.CodeOf(err) != model.CodeUncertain {
		d.endUpload(ctx, m.ID)
	}
	return kept, err
}

// beginUpload notes that a file is about to be stored, unless the company may not store a single byte more.
func (d *Desk) beginUpload(ctx context.Context, m *model.Media) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		used, err := tx.MediaUsage(m.Company)
		if err != nil || used >= d.limits.MediaBytes {
			return struct{}{}, errOr(err, d.errMediaQuota())
		}
		tx.BeginUpload(m.ID)
		return struct{}{}, nil
	})
	return err
}

// errMediaQuota refuses a file that is beyond the limit of the company.
func (d *Desk) errMediaQuota() error {
	return model.Errorf(model.CodeLimitReached, "The company has reached the limit of %s for stored files. Ask the operator to raise it.", model.SizeText(d.limits.MediaBytes))
}

func (d *Desk) noteUpload(ctx context.Context, note func(tx *store.Tx)) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		note(tx)
		return struct{}{}, nil
	})
	return err
}

// endUpload removes the file of an upload that came to nothing. What cannot be done now is left to
// RemoveLeftUploads.
func (d *Desk) endUpload(ctx context.Context, id model.ID) {
	ctx = context.WithoutCancel(ctx)
	err := d.blob.Delete(ctx, id)
	if err == nil {
		err = d.noteUpload(ctx, func(tx *store.Tx) { tx.EndUpload(id) })
	}
	if err != nil {
		d.log.Warn("an unwanted file could not be removed", slog.String("media", id.String()), slog.Any("error", err))
	}
}

// uploadAbandoned is the age from which an upload counts as cut off by a crash; none takes longer than minutes.
const uploadAbandoned = 24 * time.Hour

// RemoveLeftUploads removes the files of uploads that a crash cut off before they got their row. It
// touches no file that this database did not begin to store itself.
func (d System) RemoveLeftUploads(ctx context.Context) error {
	left, err := read(ctx, d.Desk, func(tx *store.Tx) ([]model.ID, error) { return tx.UploadsLeft(tx.Now.Add(-uploadAbandoned), 1000) })
	for _, id := range left {
		d.endUpload(ctx, id)
	}
	return err
}

// RemoveUnattached removes a batch of the files that were uploaded more than a day ago and never used, with
// their bytes, and reports whether more may be left.
func (d System) RemoveUnattached(ctx context.Context) (more bool, err error) {
	before := d.now().Add(-model.UnattachedRetention)
	ids, err := read(ctx, d.Desk, func(tx *store.Tx) ([]model.ID, error) { return tx.UnattachedMedia(before, unattachedBatch) })
	if err != nil {
		return false, err
	}
	count := 0
	for _, id := range ids {
		removed, err := write(ctx, d.Desk, func(tx *store.Tx) (bool, error) { return tx.RemoveUnattachedMedia(id, before) })
		if err != nil {
			return false, err
		}
		if removed {
			count++
			d.endUpload(ctx, id)
		}
	}
	return count == unattachedBatch, nil
}

// unattachedBatch is how many unused files one call of RemoveUnattached looks at.
const unattachedBatch = 200

// errUploadCut is the error of an upload that broke off, which is no defect of the server.
func errUploadCut(err error) error {
	if _, known := errors.AsType[*model.Error](err); known {
		return err
	}
	if errors.Is(err, voice.ErrNotOpus) {
		return errMediaType("video/webm")
	}
	if errors.Is(err, voice.ErrTooManyPackets) {
		return model.Invalid("body.file", fmt.Sprintf("a recording has at most %d packets", voice.MaxPackets))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) {
		return model.Invalid("body.file", "the upload ended early; send it again")
	}
	return err
}

func errMediaType(mime string) error {
	return &model.Error{
		Code: model.CodeMediaTypeNotAllowed, Message: "WhatsApp does not accept files of this type (" + mime + ").",
		Fields: []model.FieldError{{Field: "body.file", Message: mime}},
	}
}

func errMediaTooLarge(kind model.MediaKind) error {
	return &model.Error{
		Code:    model.CodeMediaTooLarge,
		Message: fmt.Sprintf("A file of kind %s may have at most %d KiB.", kind, kind.Limit()>>10),
		Fields:  []model.FieldError{{Field: "body.file", Message: "too large"}},
	}
}

// MediaLink gives access to one file, without a key, until it expires.
type MediaLink struct {
	Media     model.ID
	ExpiresAt time.Time
	Signature string
}

// LinkMedia makes a link to a file that the principal may see.
func (d *Desk) LinkMedia(ctx context.Context, a *Principal, id model.ID) (MediaLink, error) {
	if err := a.May(VerbLinkMedia); err != nil {
		return MediaLink{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (MediaLink, error) {
		if _, err := visibleMedia(tx, a, id); err != nil {
			return MediaLink{}, err
		}
		version, err := tx.MediaVersion(id)
		link := MediaLink{Media: id, ExpiresAt: d.now().Add(model.MediaLinkLifetime).UTC().Truncate(time.Second)}
		link.Signature = d.signLink(id, link.ExpiresAt.Unix(), version)
		return link, err
	})
}

// Media describes a file that the principal may see.
func (d *Desk) Media(ctx context.Context, a *Principal, id model.ID) (model.Media, error) {
	if err := a.May(VerbMedia); err != nil {
		return model.Media{}, err
	}
	return read(ctx, d, func(tx *store.Tx) (model.Media, error) { return visibleMedia(tx, a, id) })
}

// MediaContent opens a file that the principal may see. The caller closes it.
func (d *Desk) MediaContent(ctx context.Context, a *Principal, id model.ID) (model.Media, io.ReadSeekCloser, error) {
	if err := a.May(VerbMediaContent); err != nil {
		return model.Media{}, nil, err
	}
	m, err := read(ctx, d, func(tx *store.Tx) (model.Media, error) { return visibleMedia(tx, a, id) })
	if err != nil {
		return model.Media{}, nil, err
	}
	file, err := d.openFile(ctx, id)
	return m, file, err
}

// openFile opens the bytes of a file that is stored.
func (d *Desk) openFile(ctx context.Context, id model.ID) (io.ReadSeekCloser, error) {
	file, _, err := d.blob.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		err = model.NotFound("file")
	}
	return file, err
}

// visibleMedia gives a file that is stored and that the principal may see.
func visibleMedia(tx *store.Tx, a *Principal, id model.ID) (model.Media, error) {
	m, found, err := tx.Media(a.Company.ID, id)
	if err == nil && found {
		found, err = tx.MediaInSight(id, a.sight())
	}
	switch {
	case err != nil:
		return m, err
	case found && a.reachesFile(&m) && !m.Stored && !m.Awaited && m.FetchError != "":
		return m, model.Errorf(model.CodeNotFound, "The file could not be fetched from WhatsApp. %s", m.FetchError)
	case !found || !a.reachesFile(&m) || !m.Stored && !m.Awaited:
		return m, model.NotFound("file")
	case !m.Stored:
		return m, &model.Error{
			Code: model.CodeUnavailable, Message: "The file has not been fetched from WhatsApp yet. Try again in a moment.", RetryAfter: 2 * time.Second,
		}
	}
	return m, nil
}

// reachesFile reports whether a file exists for the principal: one of a private channel does for its viewers.
func (a *Principal) reachesFile(m *model.Media) bool {
	return !m.Private || m.Channel != nil && a.reaches(true, *m.Channel)
}

func errLinkEnded() error {
	return model.Errorf(model.CodeNotFound, "This link has expired or is incomplete. Get a new one from GET /media/{id}/url.")
}

// OpenMedia gives the file of a link. A link that expired or was altered leads to nothing, nor does one that was made
// before the number of the file became private or public.
func (d System) OpenMedia(ctx context.Context, id model.ID, expires, signature string) (model.Media, io.ReadSeekCloser, error) {
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !d.now().Before(time.Unix(at, 0)) {
		return model.Media{}, nil, errLinkEnded()
	}
	m, err := read(ctx, d.Desk, func(tx *store.Tx) (model.Media, error) {
		version, err := tx.MediaVersion(id)
		if err != nil || !hmac.Equal([]byte(signature), []byte(d.signLink(id, at, version))) {
			return model.Media{}, errOr(err, errLinkEnded())
		}
		m, found, err := tx.AnyMedia(id)
		if err != nil || !found || !m.Stored {
			return m, errOr(err, model.NotFound("file"))
		}
		return m, nil
	})
	if err != nil {
		return m, nil, err
	}
	file, err := d.openFile(ctx, id)
	return m, file, err
}

func (d *Desk) signLink(id model.ID, expires, version int64) string {
	key := d.vault.Derive("media-link")
	mac := hmac.New(sha256.New, key[:])
	mac.Write(id[:])
	mac.Write(strconv.AppendInt(nil, expires, 10))
	mac.Write(strconv.AppendInt([]byte{' '}, version, 10))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// usableMedia finds a file that the principal may put into a message or anything else that is stored: one that
// they may see. From now on it is not removed as an unused upload.
func (d *Desk) usableMedia(tx *store.Tx, a *Principal, id model.ID) (model.Media, error) {
	m, found, err := tx.Media(a.Company.ID, id)
	if err == nil && found {
		found, err = tx.MediaInSight(id, a.sight())
	}
	if err == nil && found && m.Unattached {
		found, err = tx.AttachMedia(a.Company.ID, id)
	}
	if err != nil || !found || !a.reachesFile(&m) || !m.Stored {
		return m, errOr(err, model.Invalid("body.media_id", "there is no such file"))
	}
	return m, nil
}

// attach gives a message its file, and the type that goes with it.
func attach(m *model.Message, media *model.Media) {
	m.Type, m.MediaID = string(media.Kind), &media.ID
	m.Media = &model.MessageMedia{
		ID: media.ID, MimeType: media.MimeType, FileName: media.FileName, Size: media.Size,
		Width: media.Width, Height: media.Height, DurationSeconds: media.DurationSeconds,
	}
}

// maxShapeBytes is how much of a file is read to learn its shape: headers, and all of a sound whose frames must be
// counted.
const maxShapeBytes = model.MaxAudioVideo + 1<<20

// shapeOf reads the dimensions and the duration of a file that is stored. A file that tells none has none.
func (d *Desk) shapeOf(ctx context.Context, m *model.Media) (shape model.MediaShape) {
	if m.Kind == model.MediaDocument {
		return shape
	}
	file, _, err := d.blob.Open(ctx, m.ID)
	if err != nil {
		return shape
	}
	defer func() { _ = file.Close() }()
	info := mediainfo.Read(file, m.MimeType, maxShapeBytes)
	if info.Width > 0 {
		shape.Width, shape.Height = new(int64(info.Width)), new(int64(info.Height))
	}
	if info.Duration > 0 {
		shape.DurationSeconds = new(float64(info.Duration.Round(time.Millisecond)) / float64(time.Second))
	}
	return shape
}

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
		return ctx.Err() // the process is stopping; the lease ends by itself
	}
	if err != nil {
		return d.notFetched(ctx, f, err)
	}
	m := f.Media
	m.Size = info.Size
	m.MimeType, m.Kind = detectMedia(m, head.kept.Bytes())
	m.FileName = filetype.SafeName(m.FileName, m.MimeType)
	m.MediaShape = d.shapeOf(ctx, &m)
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
		if wait, again := retry.Fetch(cause, f.Tries+1, tx.Now.Sub(f.Media.CreatedAt)); again {
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

// detectMedia decides what a customer's file is: by its bytes where they are known. A file that is not what the
// provider called it is served as a download and never shown.
func detectMedia(m model.Media, head []byte) (mime string, kind model.MediaKind) {
	mime, detected, known := filetype.Detect(head, m.FileName)
	kind = model.MediaKind(detected)
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
	if free := filetype.Bytes - h.kept.Len(); free > 0 {
		h.kept.Write(p[:min(n, free)])
	}
	return n, err
}
