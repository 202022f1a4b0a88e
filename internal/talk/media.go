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

// Media is a file that was uploaded, or that came with a customer's message.
type Media struct {
	ID        kernel.ID `json:"id" doc:"Give it as media_id to send the file."`
	MimeType  string    `json:"mime_type" doc:"Detected from the bytes of the file." example:"image/png"`
	FileName  string    `json:"file_name"`
	Size      int64     `json:"size" doc:"Bytes."`
	SHA256    string    `json:"sha256" doc:"Hexadecimal."`
	CreatedAt time.Time `json:"created_at"`
	MediaShape

	Company  kernel.ID       `json:"-"`
	Channel  *kernel.ID      `json:"-"` // where it came in; nil for uploads
	Private  bool            `json:"-"`
	Kind     MediaKind       `json:"-"`
	Stored   bool            `json:"-"` // the bytes are here
	Awaited  bool            `json:"-"` // the bytes are still to be fetched from the provider
	Provider MediaAtProvider `json:"-"`

	Unattached bool   `json:"-"` // uploaded, and nothing refers to it yet
	FetchError string `json:"-"` // why the bytes will not be fetched; "" for no reason
}

// Subject is the file.
func (m *Media) Subject() kernel.Subject { return kernel.Subject{Kind: SubjectFile, ID: m.ID} }

// MediaShape is how large a picture or film is shown, and how long a sound or film lasts; null where unknown.
type MediaShape struct {
	Width           *int64   `json:"width" doc:"Pixels, as it is shown."`
	Height          *int64   `json:"height" doc:"Pixels, as it is shown."`
	DurationSeconds *float64 `json:"duration_seconds"`
}

// File is a file of a conversation and the message that it came with.
type File struct {
	ID       kernel.ID `json:"id"`
	MimeType string    `json:"mime_type"`
	FileName string    `json:"file_name"`
	Size     int64     `json:"size"`
	MediaShape
	Message   kernel.ID `json:"message"`
	CreatedAt time.Time `json:"created_at" doc:"When the message was sent or received."`

	Seq int64 `json:"-"` // of the message
}

// MediaAtProvider is what a provider calls a file, since when, and the hash that it announced.
type MediaAtProvider struct {
	ID     string
	At     *time.Time
	SHA256 string // hex or base64, "" where unknown
}

// MediaKind is what a provider sends a file as.
type MediaKind string

// Every kind of media.
const (
	MediaImage    MediaKind = "image"
	MediaSticker  MediaKind = "sticker"
	MediaAudio    MediaKind = "audio"
	MediaVideo    MediaKind = "video"
	MediaDocument MediaKind = "document"
)

// Limit is the largest size of a file of this kind in bytes.
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

// Inline reports whether a browser may show the file in place instead of saving it.
func (k MediaKind) Inline() bool { return k != MediaDocument }

// uploadSlot takes one of the company's slots for uploads.
func (d *Talk) uploadSlot(ctx context.Context, a *kernel.Principal) (release func(), err error) {
	release, err = d.uploads.Acquire(ctx, a.Company.ID)
	if errors.Is(err, limits.ErrFull) {
		err = kernel.ErrBusy("uploads", d.Limit(limitUploads))
	}
	return release, err
}

// UploadMedia keeps a file that is read from r to its end. Its content type is detected from its bytes;
// the name is only shown. When anything goes wrong, r included, neither file nor row is left.
func (d *Talk) UploadMedia(ctx context.Context, a *kernel.Principal, fileName string, r io.Reader) (Media, error) {
	if err := a.May(VerbUploadMedia); err != nil {
		return Media{}, err
	}
	release, err := d.uploadSlot(ctx, a)
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
	mime, detected, ok := media.Detect(head, fileName)
	if !ok {
		return Media{}, errMediaType(mime)
	}
	kind := MediaKind(detected)
	m := Media{
		ID: kernel.NewID(), Company: a.Company.ID, Kind: kind, MimeType: mime, FileName: media.SafeName(fileName, mime), Stored: true,
	}
	if err := d.beginUpload(ctx, &m); err != nil {
		return Media{}, err
	}
	info, err := d.blob.Put(ctx, m.ID, io.MultiReader(bytes.NewReader(head), r), kind.Limit())
	if err != nil {
		d.endUpload(ctx, m.Company, m.ID)
		if errors.Is(err, blob.ErrTooLarge) {
			return Media{}, errMediaTooLarge(kind)
		}
		return Media{}, errUploadCut(err)
	}
	m.Size, m.SHA256 = info.Size, fmt.Sprintf("%x", info.SHA256)
	m.MediaShape = d.shapeOf(ctx, &m)
	return d.keepUpload(ctx, &m, info.SHA256)
}

// conversionsAtOnce is how many recordings a node converts at the same time.
const conversionsAtOnce = 2

// converted returns a WebM recording as Ogg. One of the node's turns is held while the recording is converted, not while its bytes arrive:
// a slow client keeps nobody waiting.
func (d *Talk) converted(ctx context.Context, file io.Reader) io.Reader {
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
	out := media.FromWebM(readerFunc(func(p []byte) (int, error) {
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
	head, err := io.ReadAll(io.LimitReader(r, media.Bytes))
	if err != nil {
		return nil, errUploadCut(err)
	}
	return head, nil
}

// keepUpload adds the row of a file that is stored, or removes the file.
func (d *Talk) keepUpload(ctx context.Context, m *Media, sum [32]byte) (Media, error) {
	kept, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) {
		m := *m
		m.CreatedAt = tx.Now
		if fits, err := insertMedia(tx, &m, sum, d.Limit(LimitMediaBytes)); err != nil || !fits {
			return m, kernel.ErrOr(err, d.errMediaQuota())
		}
		endUpload(tx, m.Company, m.ID)
		return m, nil
	})
	if err != nil && kernel.CodeOf(err) != kernel.CodeUncertain {
		d.endUpload(ctx, m.Company, m.ID)
	}
	return kept, err
}

// beginUpload notes that a file is about to be stored, unless the company may not store a single byte more.
func (d *Talk) beginUpload(ctx context.Context, m *Media) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		used, err := mediaUsage(tx, m.Company)
		if err != nil || used >= d.Limit(LimitMediaBytes) {
			return struct{}{}, kernel.ErrOr(err, d.errMediaQuota())
		}
		beginUpload(tx, m.Company, m.ID)
		return struct{}{}, nil
	})
	return err
}

// errMediaQuota refuses a file that is beyond the limit of the company.
func (d *Talk) errMediaQuota() error {
	return kernel.Errorf(kernel.CodeLimitReached, "The company has reached the limit of %s for stored files. Ask the operator to raise it.", kernel.SizeText(d.Limit(LimitMediaBytes)))
}

func (d *Talk) noteUpload(ctx context.Context, note func(tx *kernel.Tx)) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		note(tx)
		return struct{}{}, nil
	})
	return err
}

// endUpload removes the file of an upload that came to nothing. What cannot be done now is left to
// RemoveLeftUploads.
func (d *Talk) endUpload(ctx context.Context, company, id kernel.ID) {
	ctx = context.WithoutCancel(ctx)
	err := d.blob.Delete(ctx, id)
	if err == nil {
		err = d.noteUpload(ctx, func(tx *kernel.Tx) { endUpload(tx, company, id) })
	}
	if err != nil {
		d.Log.Warn("an unwanted file could not be removed", slog.String("media", id.String()), slog.Any("error", err))
	}
}

// uploadAbandoned is the age from which an upload counts as cut off by a crash; none takes longer than minutes.
const uploadAbandoned = 24 * time.Hour

// RemoveLeftUploads removes the files of uploads that a crash cut off before they got their row. It
// touches no file that this database did not begin to store itself.
func (d *Talk) RemoveLeftUploads(ctx context.Context) error {
	left, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]rowAt, error) { return uploadsLeft(tx, tx.Now.Add(-uploadAbandoned), 1000) })
	for _, file := range left {
		d.endUpload(ctx, file.company, file.id)
	}
	return err
}

// RemoveUnattached removes a batch of the files that were uploaded more than a day ago and never used, with
// their bytes, and reports whether more may be left.
func (d *Talk) RemoveUnattached(ctx context.Context) (more bool, err error) {
	before := d.Now().Add(-UnattachedRetention)
	files, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) ([]rowAt, error) { return unattachedMedia(tx, before, unattachedBatch) })
	if err != nil {
		return false, err
	}
	count := 0
	for _, file := range files {
		removed, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { return removeUnattachedMedia(tx, file.company, file.id, before) })
		if err != nil {
			return false, err
		}
		if removed {
			count++
			d.endUpload(ctx, file.company, file.id)
		}
	}
	return count == unattachedBatch, nil
}

// unattachedBatch is how many unused files one call of RemoveUnattached looks at.
const unattachedBatch = 200

// errUploadCut is the error of an upload that broke off, which is no defect of the server.
func errUploadCut(err error) error {
	if _, known := errors.AsType[*kernel.Error](err); known {
		return err
	}
	if errors.Is(err, media.ErrNotOpus) {
		return errMediaType("video/webm")
	}
	if errors.Is(err, media.ErrTooManyPackets) {
		return kernel.Invalid("body.file", kernel.RuleTooMany, fmt.Sprintf("a recording has at most %d packets", media.MaxPackets), kernel.Params{"max": media.MaxPackets})
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) {
		return kernel.Invalid("body.file", kernel.RuleCutShort, "the upload ended early; send it again")
	}
	return err
}

// Rules of contacts, messages and files.
var (
	ruleMediaType     = kernel.NewRule("media_type")     // type: a MIME type that WhatsApp does not accept
	ruleMediaSize     = kernel.NewRule("media_size")     // max: bytes; kind
	ruleNoCaption     = kernel.NewRule("no_caption")     // audio files and stickers have none
	ruleNoPhone       = kernel.NewRule("no_phone")       // the contact has no phone number
	ruleContactExists = kernel.NewRule("contact_exists") // id: of the contact that has the phone number
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

// MediaLink gives access to one file, without a key, until it expires.
type MediaLink struct {
	Company   kernel.ID
	Media     kernel.ID
	ExpiresAt time.Time
	Signature string
}

// LinkMedia makes a link to a file that the principal may see.
func (d *Talk) LinkMedia(ctx context.Context, a *kernel.Principal, id kernel.ID) (MediaLink, error) {
	if err := a.May(VerbLinkMedia); err != nil {
		return MediaLink{}, err
	}
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (MediaLink, error) {
		if _, err := visibleMedia(tx, a, id); err != nil {
			return MediaLink{}, err
		}
		version, err := mediaVersion(tx, a.Company.ID, id)
		link := MediaLink{Company: a.Company.ID, Media: id, ExpiresAt: d.Now().Add(MediaLinkLifetime).UTC().Truncate(time.Second)}
		link.Signature = d.signLink(a.Company.ID, id, link.ExpiresAt.Unix(), version)
		return link, err
	})
}

// Media describes a file that the principal may see.
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

// openFile opens the bytes of a file that is stored.
func (d *Talk) openFile(ctx context.Context, id kernel.ID) (io.ReadSeekCloser, error) {
	file, _, err := d.blob.Open(ctx, id)
	if errors.Is(err, blob.ErrNotFound) {
		err = kernel.NotFound("file")
	}
	return file, err
}

// visibleMedia gives a file that is stored and that the principal may see.
func visibleMedia(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Media, error) {
	m, found, err := findMedia(tx, a.Company.ID, id)
	if err == nil && found {
		found, err = mediaInSight(tx, a.Company.ID, id, a.Sight())
	}
	switch {
	case err != nil:
		return m, err
	case found && reachesFile(a, &m) && !m.Stored && !m.Awaited && m.FetchError != "":
		return m, kernel.Errorf(kernel.CodeNotFound, "The file could not be fetched from WhatsApp. %s", m.FetchError)
	case !found || !reachesFile(a, &m) || !m.Stored && !m.Awaited:
		return m, kernel.NotFound("file")
	case !m.Stored:
		return m, &kernel.Error{
			Code: kernel.CodeUnavailable, Message: "The file has not been fetched from WhatsApp yet. Try again in a moment.", RetryAfter: 2 * time.Second,
		}
	}
	return m, nil
}

// reachesFile reports whether a file exists for the principal: one of a private channel does for its viewers.
func reachesFile(a *kernel.Principal, m *Media) bool {
	return !m.Private || m.Channel != nil && a.Reaches(true, *m.Channel)
}

func errLinkEnded() error {
	return kernel.Errorf(kernel.CodeNotFound, "This link has expired or is incomplete. Get a new one from GET /media/{id}/url.")
}

// OpenMedia gives the file of a link. A link that expired or was altered leads to nothing, nor does one that was made
// before the number of the file became private or public.
func (d *Talk) OpenMedia(ctx context.Context, company, id kernel.ID, expires, signature string) (Media, io.ReadSeekCloser, error) {
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !d.Now().Before(time.Unix(at, 0)) {
		return Media{}, nil, errLinkEnded()
	}
	m, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) {
		version, err := mediaVersion(tx, company, id)
		if err != nil || !hmac.Equal([]byte(signature), []byte(d.signLink(company, id, at, version))) {
			return Media{}, kernel.ErrOr(err, errLinkEnded())
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

// usableMedia finds a file that the principal may put into a message or anything else that is stored: one that
// they may see. From now on it is not removed as an unused upload.
func (d *Talk) usableMedia(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (Media, error) {
	m, found, err := findMedia(tx, a.Company.ID, id)
	if err == nil && found {
		found, err = mediaInSight(tx, a.Company.ID, id, a.Sight())
	}
	if err == nil && found && m.Unattached {
		found, err = attachMedia(tx, a.Company.ID, id)
	}
	if err != nil || !found || !reachesFile(a, &m) || !m.Stored {
		return m, kernel.ErrOr(err, kernel.NoSuch("body.media_id", "file"))
	}
	return m, nil
}

// attach gives a message its file, and the type that goes with it.
func attach(m *Message, media *Media) {
	m.Type, m.MediaID = string(media.Kind), &media.ID
	m.Media = &MessageMedia{
		ID: media.ID, MimeType: media.MimeType, FileName: media.FileName, Size: media.Size,
		Width: media.Width, Height: media.Height, DurationSeconds: media.DurationSeconds,
	}
}

// maxShapeBytes is how much of a file is read to learn its shape: headers, and all of a sound whose frames must be
// counted.
const maxShapeBytes = MaxAudioVideo + 1<<20

// shapeOf reads the dimensions and the duration of a file that is stored. A file that tells none has none.
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

// Fetch is a file of a customer's message that the provider still holds.
type Fetch struct {
	Media Media
	Tries int64
}

// JobID is the id of the file.
func (f Fetch) JobID() kernel.ID { return f.Media.ID }

// fetchLease is how long a file is given to one node: longer than any download may take.
const fetchLease = 15 * time.Minute

// DueFetches gives at most limit files to fetch now. They are given to no other caller for a while.
func (d *Talk) DueFetches(ctx context.Context, limit int) ([]Fetch, error) {
	waiting, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { return fetchesWait(tx) })
	if err != nil || !waiting {
		return nil, err
	}
	return kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) ([]Fetch, error) {
		due, err := dueFetches(tx, limit, fetchLease)
		out := make([]Fetch, len(due))
		for i, m := range due {
			out[i] = Fetch{Media: m.Media, Tries: m.Tries}
		}
		return out, err
	})
}

// KeepFetched stores what download writes, whole or not at all, and notes the outcome. download's
// *provider.SendError says whether it is worth trying again.
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
		_ = w.CloseWithError(err) // nil: the end of the file
		done <- err
	}()
	head := &headReader{r: pipe}
	info, err := d.blob.Put(ctx, f.Media.ID, head, MaxMedia)
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
	m.FileName = media.SafeName(m.FileName, m.MimeType)
	m.MediaShape = d.shapeOf(ctx, &m)
	_, err = kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		if fits, err := mediaFetched(tx, &m, info.SHA256, d.Limit(LimitMediaBytes)); err != nil || !fits {
			return struct{}{}, kernel.ErrOr(err, d.errMediaQuota())
		}
		return struct{}{}, nil
	})
	if kernel.CodeOf(err) == kernel.CodeLimitReached {
		return errors.Join(d.notFetched(ctx, f, err), d.blob.Delete(ctx, m.ID))
	}
	return err
}

func (d *Talk) notFetched(ctx context.Context, f Fetch, cause error) error {
	_, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (struct{}, error) {
		var next *time.Time
		if wait, again := retryFetch(cause, f.Tries+1, tx.Now.Sub(f.Media.CreatedAt)); again {
			next = new(tx.Now.Add(wait))
		}
		mediaNotFetched(tx, f.Media.Company, f.Media.ID, next, fetchError(cause))
		return struct{}{}, nil
	})
	d.Log.Info("a customer's file could not be fetched", slog.String("media", f.Media.ID.String()),
		slog.Int64("tries", f.Tries+1), slog.Any("error", cause))
	return err
}

// fetchError says for people why a file was not fetched.
func fetchError(cause error) string {
	var known *kernel.Error
	var refused *provider.SendError
	switch {
	case errors.As(cause, &known):
		return known.Message
	case errors.As(cause, &refused):
		return channels.Sentence(refused)
	}
	return ""
}

// detectMedia decides what a customer's file is: by its bytes where they are known. A file that is not what the
// provider called it is served as a download and never shown.
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

// headReader keeps the beginning of what passes through it.
type headReader struct {
	r    io.Reader
	kept bytes.Buffer
}

func (h *headReader) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	if free := media.Bytes - h.kept.Len(); free > 0 {
		h.kept.Write(p[:min(n, free)])
	}
	return n, err
}

// checkFile reports an error when the principal may not see a file. A file that was deleted is not hidden from those who saw it.
func checkFile(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	m, found, err := findMedia(tx, a.Company.ID, id)
	if err != nil || !found {
		return err
	}
	inSight, err := mediaInSight(tx, a.Company.ID, id, a.Sight())
	if err == nil && !(inSight && reachesFile(a, &m)) {
		err = kernel.NotFound("file")
	}
	return err
}
