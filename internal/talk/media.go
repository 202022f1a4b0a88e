package talk

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
	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/limits"
	"recado/internal/media"
)

// Media is a file that was uploaded or received with a customer's message.
type Media struct {
	ID        kernel.ID `json:"id" doc:"The id of the file. Pass it as media_id to send the file."`
	MimeType  string    `json:"mime_type" doc:"The content type, detected from the content of the file." example:"image/png"`
	FileName  string    `json:"file_name"`
	Size      int64     `json:"size" doc:"The size in bytes."`
	SHA256    string    `json:"sha256" doc:"The SHA-256 hash of the file, in hexadecimal."`
	CreatedAt time.Time `json:"created_at"`
	MediaShape

	Company  kernel.ID       `json:"-"`
	Channel  *kernel.ID      `json:"-"` // that received it; nil for uploads
	Private  bool            `json:"-"`
	Kind     MediaKind       `json:"-"`
	Stored   bool            `json:"-"` // the bytes are in the blob store
	Awaited  bool            `json:"-"` // the bytes must still be fetched from the provider
	Provider MediaAtProvider `json:"-"`

	Unattached bool   `json:"-"` // uploaded and not used yet
	FetchError string `json:"-"` // why the last attempt to fetch the bytes failed
}

// Subject returns the file.
func (m *Media) Subject() kernel.Subject { return kernel.Subject{Kind: SubjectFile, ID: m.ID} }

// MediaShape holds the dimensions of an image or video and the duration of an audio file or video; null where unknown.
type MediaShape struct {
	Width           *int64   `json:"width" doc:"In pixels, as displayed."`
	Height          *int64   `json:"height" doc:"In pixels, as displayed."`
	DurationSeconds *float64 `json:"duration_seconds"`
}

// File is a file of a conversation and its message.
type File struct {
	ID       kernel.ID `json:"id"`
	MimeType string    `json:"mime_type"`
	FileName string    `json:"file_name"`
	Size     int64     `json:"size"`
	MediaShape
	Message   kernel.ID `json:"message"`
	CreatedAt time.Time `json:"created_at" doc:"The time at which the message was sent or received."`

	Seq int64 `json:"-"` // of the message
}

// MediaAtProvider identifies a file at the provider.
type MediaAtProvider struct {
	ID     string
	At     *time.Time // when the file got the id
	SHA256 string     // as the provider announced it: hex, base64 or "" if unknown
}

// MediaKind is the type of message in which a provider sends a file.
type MediaKind string

// Every kind of media.
const (
	MediaImage    MediaKind = "image"
	MediaSticker  MediaKind = "sticker"
	MediaAudio    MediaKind = "audio"
	MediaVideo    MediaKind = "video"
	MediaDocument MediaKind = "document"
)

// Limit returns the maximum size of a file of this kind in bytes.
func (k MediaKind) Limit() int64 {
	switch k {
	case MediaImage:
		return MaxImage
	case MediaSticker:
		return MaxSticker
	case MediaAudio, MediaVideo:
		return MaxAudioVideo
	}
	return MaxDocument
}

// Inline reports whether a browser may show the file instead of saving it.
func (k MediaKind) Inline() bool { return k != MediaDocument }

// UploadMedia stores the file that it reads from r. The content type is detected from the bytes. If anything fails, neither the
// file nor its row is left.
func (d *Talk) UploadMedia(ctx context.Context, a *kernel.Principal, fileName string, r io.Reader) (Media, error) {
	if err := a.May(VerbUploadMedia); err != nil {
		return Media{}, err
	}
	release, err := d.uploads.Acquire(ctx, a.Company.ID)
	if errors.Is(err, limits.ErrFull) {
		err = kernel.ErrBusy("uploads", d.Limit(limitUploads))
	}
	if err != nil {
		return Media{}, err
	}
	defer release()
	head, err := readHead(r)
	if err != nil {
		return Media{}, err
	}
	if len(head) == 0 {
		return Media{}, kernel.Invalid("body.file", kernel.RuleRequired, "the file is empty")
	}
	if media.IsWebM(head) {
		r = d.converted(ctx, io.MultiReader(bytes.NewReader(head), r))
		fileName = strings.TrimSuffix(fileName, path.Ext(fileName)) + ".ogg"
		if head, err = readHead(r); err != nil {
			return Media{}, err
		}
	}
	mime, kind, ok := media.Detect(head, fileName)
	if !ok {
		return Media{}, errMediaType(mime)
	}
	m := Media{
		ID: kernel.NewID(), Company: a.Company.ID, Kind: MediaKind(kind), MimeType: mime, FileName: media.SafeName(fileName, mime),
		Stored: true,
	}
	if err := d.beginUpload(ctx, &m); err != nil {
		return Media{}, err
	}
	info, err := d.blob.Put(ctx, m.ID, io.MultiReader(bytes.NewReader(head), r), m.Kind.Limit())
	if err != nil {
		d.removeUpload(ctx, m.Company, m.ID)
		if errors.Is(err, blob.ErrTooLarge) {
			return Media{}, errMediaTooLarge(m.Kind)
		}
		return Media{}, uploadError(err)
	}
	m.Size, m.SHA256 = info.Size, fmt.Sprintf("%x", info.SHA256)
	m.MediaShape = d.shapeOf(ctx, &m)
	return d.finishUpload(ctx, m, info.SHA256)
}

const conversionsAtOnce = 2

// converted returns a WebM recording as Ogg. It occupies a slot of the node while it converts, not while it reads from file, so
// that slow clients do not block others.
func (d *Talk) converted(ctx context.Context, file io.Reader) io.Reader {
	hasSlot := false
	acquire := func() error {
		select {
		case d.conversions <- struct{}{}:
			hasSlot = true
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	release := func() {
		if hasSlot {
			<-d.conversions
			hasSlot = false
		}
	}
	out := media.FromWebM(readerFunc(func(p []byte) (int, error) {
		release()
		n, err := file.Read(p)
		if canceled := acquire(); canceled != nil {
			return 0, canceled
		}
		return n, err
	}))
	return readerFunc(func(p []byte) (int, error) {
		if err := acquire(); err != nil {
			return 0, err
		}
		defer release()
		return out.Read(p)
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// readHead reads the beginning of an upload, which determines its type.
func readHead(r io.Reader) ([]byte, error) {
	head, err := io.ReadAll(io.LimitReader(r, media.Bytes))
	if err != nil {
		return nil, uploadError(err)
	}
	return head, nil
}

// finishUpload adds the row of a stored file, or removes the file.
func (d *Talk) finishUpload(ctx context.Context, m Media, sum [32]byte) (Media, error) {
	stored, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) {
		m := m
		m.CreatedAt = tx.Now
		if fits, err := insertMedia(tx, &m, sum, d.Limit(LimitMediaBytes)); err != nil || !fits {
			return m, kernel.ErrOr(err, d.errMediaQuota())
		}
		endUpload(tx, m.Company, m.ID)
		return m, nil
	})
	if err != nil && kernel.CodeOf(err) != kernel.CodeUncertain {
		d.removeUpload(ctx, m.Company, m.ID)
	}
	return stored, err
}

// beginUpload records that a file is about to be stored, unless the company has reached its limit.
func (d *Talk) beginUpload(ctx context.Context, m *Media) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		used, err := mediaUsage(tx, m.Company)
		if err != nil || used >= d.Limit(LimitMediaBytes) {
			return kernel.ErrOr(err, d.errMediaQuota())
		}
		beginUpload(tx, m.Company, m.ID)
		return nil
	})
}

func (d *Talk) errMediaQuota() error {
	limit := kernel.SizeText(d.Limit(LimitMediaBytes))
	return kernel.Errorf(kernel.CodeLimitReached, "The company has reached the limit of %s for stored files. Ask the operator to raise it.", limit)
}

// removeUpload removes the file of an upload that failed. If it cannot, RemoveLeftUploads tries again.
func (d *Talk) removeUpload(ctx context.Context, company, id kernel.ID) {
	ctx = context.WithoutCancel(ctx)
	err := d.blob.Delete(ctx, id)
	if err == nil {
		err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
			endUpload(tx, company, id)
			return nil
		})
	}
	if err != nil {
		d.Log.Warn("an unwanted file could not be removed", slog.String("media", id.String()), slog.Any("error", err))
	}
}

// uploadAbandoned is the age at which an unfinished upload counts as abandoned; none takes longer than minutes.
const uploadAbandoned = 24 * time.Hour

// RemoveLeftUploads removes the files of uploads that a crash interrupted. It removes only files that this database recorded.
func (d *Talk) RemoveLeftUploads(ctx context.Context) error {
	abandoned, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]rowAt, error) {
		return abandonedUploads(tx, tx.Now.Add(-uploadAbandoned), 1000)
	})
	for _, file := range abandoned {
		d.removeUpload(ctx, file.company, file.id)
	}
	return err
}

const unattachedBatch = 200

// RemoveUnattached removes a batch of the files that were uploaded more than a day ago and never used. It reports whether there
// may be more.
func (d *Talk) RemoveUnattached(ctx context.Context) (more bool, err error) {
	before := d.Now().Add(-UnattachedRetention)
	files, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]rowAt, error) {
		return unattachedMedia(tx, before, unattachedBatch)
	})
	if err != nil {
		return false, err
	}
	count := 0
	for _, file := range files {
		removed, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) {
			return removeUnattachedMedia(tx, file.company, file.id, before)
		})
		if err != nil {
			return false, err
		}
		if removed {
			count++
			d.removeUpload(ctx, file.company, file.id)
		}
	}
	return count == unattachedBatch, nil
}

// uploadError returns the error of the API for an error of reading an upload.
func uploadError(err error) error {
	switch {
	case errors.Is(err, media.ErrNotOpus):
		return errMediaType("video/webm")
	case errors.Is(err, media.ErrTooManyPackets):
		return kernel.Invalid("body.file", kernel.RuleTooMany,
			fmt.Sprintf("a recording has at most %d packets", media.MaxPackets), kernel.Params{"max": media.MaxPackets})
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.Canceled):
		return kernel.Invalid("body.file", kernel.RuleCutShort, "the upload ended early; send it again")
	}
	return err
}

// Rules for contacts, messages and files.
var (
	ruleMediaType     = kernel.NewRule("media_type")     // type: a MIME type that WhatsApp does not accept
	ruleMediaSize     = kernel.NewRule("media_size")     // max: bytes; kind
	ruleNoCaption     = kernel.NewRule("no_caption")     // audio files and stickers have no caption
	ruleNoPhone       = kernel.NewRule("no_phone")       // the contact has no phone number
	ruleContactExists = kernel.NewRule("contact_exists") // id: the contact with that phone number
	ruleSandboxOnly   = kernel.NewRule("sandbox_only")
	ruleScheduleRange = kernel.NewRule("schedule_range") // min_seconds, max_seconds: from now
)

func errMediaType(mime string) error {
	return &kernel.Error{
		Code: kernel.CodeMediaTypeNotAllowed, Message: "WhatsApp does not accept files of this type (" + mime + ").",
		Params: kernel.Params{"type": mime},
		Fields: []kernel.FieldError{ruleMediaType.At("body.file", mime, kernel.Params{"type": mime})},
	}
}

func errMediaTooLarge(kind MediaKind) error {
	return &kernel.Error{
		Code:    kernel.CodeMediaTooLarge,
		Message: fmt.Sprintf("A file of kind %s may have at most %d KiB.", kind, kind.Limit()>>10),
		Params:  kernel.Params{"kind": kind, "max": kind.Limit()},
		Fields:  []kernel.FieldError{ruleMediaSize.At("body.file", "too large", kernel.Params{"kind": kind, "max": kind.Limit()})},
	}
}

// MediaLink grants access to one file without a key until it expires.
type MediaLink struct {
	ExpiresAt time.Time
	Signature string
}

// LinkMedia creates a link to a file that the principal may see.
func (d *Talk) LinkMedia(ctx context.Context, a *kernel.Principal, id kernel.ID) (MediaLink, error) {
	if err := a.May(VerbLinkMedia); err != nil {
		return MediaLink{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (MediaLink, error) {
		if _, err := visibleMedia(tx, a, id); err != nil {
			return MediaLink{}, err
		}
		version, err := mediaVersion(tx, a.Company.ID, id)
		expires := d.Now().Add(MediaLinkLifetime).UTC().Truncate(time.Second)
		return MediaLink{expires, d.signLink(a.Company.ID, id, expires.Unix(), version)}, err
	})
}

// Media returns a file that the principal may see.
func (d *Talk) Media(ctx context.Context, a *kernel.Principal, id kernel.ID) (Media, error) {
	if err := a.May(VerbMedia); err != nil {
		return Media{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) { return visibleMedia(tx, a, id) })
}

// MediaContent opens a file that the principal may see. The caller closes it.
func (d *Talk) MediaContent(ctx context.Context, a *kernel.Principal, id kernel.ID) (Media, io.ReadSeekCloser, error) {
	if err := a.May(VerbMediaContent); err != nil {
		return Media{}, nil, err
	}
	m, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) { return visibleMedia(tx, a, id) })
	if err != nil {
		return Media{}, nil, err
	}
	file, err := d.openFile(ctx, id)
	return m, file, err
}

func (d *Talk) openFile(ctx context.Context, id kernel.ID) (io.ReadSeekCloser, error) {
	file, _, err := d.blob.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		err = kernel.NotFound("file")
	}
	return file, err
}

func visibleMedia(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Media, error) {
	m, found, err := findMedia(tx, a.Company.ID, id)
	if err == nil && found {
		found, err = maySeeMedia(tx, a, &m)
	}
	switch {
	case err != nil:
		return m, err
	case found && !m.Stored && !m.Awaited && m.FetchError != "":
		return m, kernel.Errorf(kernel.CodeNotFound, "The file could not be fetched from WhatsApp. %s", m.FetchError)
	case !found || !m.Stored && !m.Awaited:
		return m, kernel.NotFound("file")
	case !m.Stored:
		return m, &kernel.Error{
			Code: kernel.CodeUnavailable, Message: "The file has not been fetched from WhatsApp yet. Try again in a moment.",
			RetryAfter: 2 * time.Second,
		}
	}
	return m, nil
}

func maySeeMedia(tx *kernel.Tx, a *kernel.Principal, m *Media) (bool, error) {
	if m.Private && (m.Channel == nil || !a.Reaches(true, *m.Channel)) {
		return false, nil
	}
	return mediaInSight(tx, a.Company.ID, m.ID, a.Sight())
}

func errLinkExpired() error {
	return kernel.Errorf(kernel.CodeNotFound, "This link has expired or is incomplete. Get a new one from GET /media/{id}/url.")
}

// OpenMedia opens the file of a link. The caller closes it. A link is valid until it expires or until the channel of the file
// becomes private or public.
func (d *Talk) OpenMedia(ctx context.Context, company, id kernel.ID, expires, signature string) (Media, io.ReadSeekCloser, error) {
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !d.Now().Before(time.Unix(at, 0)) {
		return Media{}, nil, errLinkExpired()
	}
	m, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) {
		version, err := mediaVersion(tx, company, id)
		if err != nil || !hmac.Equal([]byte(signature), []byte(d.signLink(company, id, at, version))) {
			return Media{}, kernel.ErrOr(err, errLinkExpired())
		}
		m, found, err := findMedia(tx, company, id)
		if err != nil || !found || !m.Stored {
			return m, kernel.ErrOr(err, kernel.NotFound("file"))
		}
		return m, nil
	})
	if err != nil {
		return m, nil, err
	}
	file, err := d.openFile(ctx, id)
	return m, file, err
}

func (d *Talk) signLink(company, id kernel.ID, expires, version int64) string {
	key := d.Vault.Derive("media-link")
	mac := hmac.New(sha256.New, key[:])
	mac.Write(company[:])
	mac.Write(id[:])
	mac.Write(strconv.AppendInt(nil, expires, 10))
	mac.Write(strconv.AppendInt([]byte{' '}, version, 10))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// usableMedia returns a stored file that the principal may see and marks it as used, so that it is not removed.
func (d *Talk) usableMedia(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Media, error) {
	m, found, err := findMedia(tx, a.Company.ID, id)
	if err == nil && found {
		found, err = maySeeMedia(tx, a, &m)
	}
	if err == nil && found && m.Unattached {
		found, err = attachMedia(tx, a.Company.ID, id)
	}
	if err != nil || !found || !m.Stored {
		return m, kernel.ErrOr(err, kernel.NoSuch("body.media_id", "file"))
	}
	return m, nil
}

func attach(m *Message, media *Media) {
	m.Type, m.MediaID = string(media.Kind), &media.ID
	m.Media = &MessageMedia{
		ID: media.ID, MimeType: media.MimeType, FileName: media.FileName, Size: media.Size,
		Width: media.Width, Height: media.Height, DurationSeconds: media.DurationSeconds,
	}
}

// maxShapeBytes is how much of a file is read to determine its shape: headers, and all of an audio file whose frames must be
// counted.
const maxShapeBytes = MaxAudioVideo + 1<<20

// shapeOf reads the dimensions and the duration of a stored file, as far as it has them.
func (d *Talk) shapeOf(ctx context.Context, m *Media) (shape MediaShape) {
	if m.Kind == MediaDocument {
		return shape
	}
	file, _, err := d.blob.Open(ctx, m.ID)
	if err != nil {
		return shape
	}
	defer func() { _ = file.Close() }()
	info := media.Read(file, m.MimeType, maxShapeBytes)
	if info.Width > 0 {
		shape.Width, shape.Height = new(int64(info.Width)), new(int64(info.Height))
	}
	if info.Duration > 0 {
		shape.DurationSeconds = new(float64(info.Duration.Round(time.Millisecond)) / float64(time.Second))
	}
	return shape
}

// Fetch is a file of a customer's message to be fetched from the provider.
type Fetch struct {
	Media Media
	Tries int64
}

// JobID returns the id of the file.
func (f Fetch) JobID() kernel.ID { return f.Media.ID }

// fetchLease is how long a node may take to fetch a file: longer than any download.
const fetchLease = 15 * time.Minute

// DueFetches claims up to limit files to fetch now. Other callers do not get them for a while.
func (d *Talk) DueFetches(ctx context.Context, limit int) ([]Fetch, error) {
	due, err := kernel.Read(ctx, d.Kernel, hasDueFetches)
	if err != nil || !due {
		return nil, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) ([]Fetch, error) { return claimFetches(tx, limit, fetchLease) })
}

// KeepFetched stores the file that download writes, or the failure and the time of the next attempt, which depends on the
// *provider.SendError that download returns.
func (d *Talk) KeepFetched(ctx context.Context, f Fetch, download func(ctx context.Context, w io.Writer) error) error {
	used, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (int64, error) { return mediaUsage(tx, f.Media.Company) })
	if err != nil {
		return err
	}
	if used >= d.Limit(LimitMediaBytes) {
		return d.notFetched(ctx, f, d.errMediaQuota())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pipe, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := download(ctx, w)
		_ = w.CloseWithError(err) // nil means end of file
		done <- err
	}()
	var info blob.Info
	head, err := io.ReadAll(io.LimitReader(pipe, media.Bytes))
	if err == nil {
		info, err = d.blob.Put(ctx, f.Media.ID, io.MultiReader(bytes.NewReader(head), pipe), MaxMedia)
	}
	_ = pipe.CloseWithError(err)
	if failed := <-done; failed != nil {
		err = failed
	}
	if ctx.Err() != nil {
		return ctx.Err() // the process is stopping; the lease will expire
	}
	if err != nil {
		return d.notFetched(ctx, f, err)
	}
	m := f.Media
	m.Size = info.Size
	m.MimeType, m.Kind = detectMedia(m, head)
	m.FileName = media.SafeName(m.FileName, m.MimeType)
	m.MediaShape = d.shapeOf(ctx, &m)
	err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
		if fits, err := mediaFetched(tx, &m, info.SHA256, d.Limit(LimitMediaBytes)); err != nil || !fits {
			return kernel.ErrOr(err, d.errMediaQuota())
		}
		return nil
	})
	if kernel.CodeOf(err) == kernel.CodeLimitReached {
		return errors.Join(d.notFetched(ctx, f, err), d.blob.Delete(ctx, m.ID))
	}
	return err
}

func (d *Talk) notFetched(ctx context.Context, f Fetch, cause error) error {
	err := d.Store.Write(ctx, func(tx *kernel.Tx) error {
		var next *time.Time
		if wait, again := retryFetch(cause, f.Tries+1, tx.Now.Sub(f.Media.CreatedAt)); again {
			next = new(tx.Now.Add(wait))
		}
		mediaNotFetched(tx, f.Media.Company, f.Media.ID, next, fetchError(cause))
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

// checkFile returns an error if the principal may not see a file. There is none if the file was deleted.
func checkFile(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	m, found, err := findMedia(tx, a.Company.ID, id)
	if err != nil || !found {
		return err
	}
	visible, err := maySeeMedia(tx, a, &m)
	if err == nil && !visible {
		err = kernel.NotFound("file")
	}
	return err
}
