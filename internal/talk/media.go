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
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/blob"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
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
	SHA256 string // as the provider announced it: hex, base64 or "" if unknown
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
		r = media.FromWebM(io.MultiReader(bytes.NewReader(head), r))
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
	err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
		used, err := mediaUsage(tx, m.Company)
		if err != nil || used >= d.Limit(LimitMediaBytes) {
			return kernel.ErrOr(err, d.errMediaQuota())
		}
		beginUpload(tx, m.Company, m.ID, tx.Now)
		return nil
	})
	if err != nil {
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
	stored, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) {
		m := m
		m.CreatedAt = tx.Now
		if fits, err := insertMedia(tx, &m, info.SHA256, d.Limit(LimitMediaBytes)); err != nil || !fits {
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

// readHead reads the beginning of an upload, which determines its type.
func readHead(r io.Reader) ([]byte, error) {
	head, err := io.ReadAll(io.LimitReader(r, media.Bytes))
	return head, uploadError(err)
}

func (d *Talk) errMediaQuota() error {
	limit := kernel.SizeText(d.Limit(LimitMediaBytes))
	return kernel.Errorf(kernel.CodeLimitReached, "The company has reached the limit of %s for stored files. Ask the operator to raise it.", limit)
}

// removeUpload removes the file of an upload that failed. If it cannot, or the upload may not have begun, RemoveLeftUploads tries again.
func (d *Talk) removeUpload(ctx context.Context, company, id kernel.ID) {
	ctx = context.WithoutCancel(ctx)
	err := d.blob.Delete(ctx, id)
	if err == nil {
		err = d.Store.Write(ctx, func(tx *kernel.Tx) error {
			tx.Later(`DELETE FROM uploads WHERE company = $1 AND media = $2 AND began_at <= $3`, company, id, tx.Now)
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
		return rowsAt(tx, `
			SELECT /* all companies: after a crash */ company, media AS id
			FROM uploads
			WHERE began_at < $1
			ORDER BY company, media
			LIMIT 1000`, tx.Now.Add(-uploadAbandoned))
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
		return rowsAt(tx, `
			SELECT /* all companies: purge by age */ company, id
			FROM media
			WHERE unattached_at < $1
			ORDER BY unattached_at
			LIMIT $2`, before, unattachedBatch)
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

// MediaLink is a link to a file.
type MediaLink struct {
	URL       string    `json:"url" format:"uri" doc:"The link. It requires no key and supports range requests."`
	ExpiresAt time.Time `json:"expires_at"`
}

// LinkMedia creates a link to a file that the principal may see. It grants access to the file without a key until it expires.
func (d *Talk) LinkMedia(ctx context.Context, a *kernel.Principal, id kernel.ID) (MediaLink, error) {
	expires := d.Now().Add(MediaLinkLifetime).UTC().Truncate(time.Second)
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (MediaLink, error) {
		if _, err := visibleMedia(tx, a, id); err != nil {
			return MediaLink{}, err
		}
		version, err := mediaVersion(tx, a.Company.ID, id)
		query := url.Values{
			"company": {a.Company.ID.String()}, "expires": {strconv.FormatInt(expires.Unix(), 10)},
			"signature": {d.signLink(a.Company.ID, id, expires.Unix(), version)},
		}
		return MediaLink{httpserver.PublicURL(ctx) + mediaLinks + id.String() + "?" + query.Encode(), expires}, err
	})
}

// Media returns a file that the principal may see.
func (d *Talk) Media(ctx context.Context, a *kernel.Principal, id kernel.ID) (Media, error) {
	return kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) { return visibleMedia(tx, a, id) })
}

// MediaContent opens a file that the principal may see. The caller closes it.
func (d *Talk) MediaContent(ctx context.Context, a *kernel.Principal, id kernel.ID) (Media, io.ReadSeekCloser, error) {
	m, err := d.Media(ctx, a, id)
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
	m, found, err := seenMedia(tx, a, id)
	switch {
	case err != nil:
		return m, err
	case found && !m.Stored && m.FetchError == fileExpired:
		return m, kernel.Errorf(kernel.CodeNotFound, "The file was deleted, because the company keeps files for a limited time.")
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

// seenMedia returns a file and reports whether it exists and the principal may see it.
func seenMedia(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) (m Media, seen bool, err error) {
	m, found, err := findMedia(tx, a.Company.ID, id)
	if err != nil || !found || m.Private && (m.Channel == nil || !a.Reaches(true, *m.Channel)) {
		return m, false, err
	}
	seen, err = mediaInSight(tx, a.Company.ID, id, a.Sight())
	return m, seen, err
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
	m, found, err := seenMedia(tx, a, id)
	if err == nil && found && m.Unattached {
		var attached int64 // 0: it was just removed
		attached, err = tx.Exec(`UPDATE media SET unattached_at = NULL WHERE company = $1 AND id = $2`, a.Company.ID, id)
		found = attached == 1
	}
	if err != nil || !found || !m.Stored {
		return m, kernel.ErrOr(err, kernel.NoSuch("body.media_id", "file"))
	}
	return m, nil
}

// sampleFile returns a file for the sample of a template.
func (d *Talk) sampleFile(ctx context.Context, a *kernel.Principal, id kernel.ID, field string) (*provider.OutgoingMedia, error) {
	m, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (Media, error) {
		m, seen, err := seenMedia(tx, a, id)
		if err != nil || !seen || !m.Stored {
			return m, kernel.ErrOr(err, kernel.NoSuch(field, "file"))
		}
		return m, nil
	})
	return &provider.OutgoingMedia{
		Kind: string(m.Kind), MimeType: m.MimeType, FileName: m.FileName, Size: m.Size,
		Open: func() (io.ReadCloser, error) {
			file, _, err := d.blob.Open(ctx, m.ID)
			return file, err
		},
	}, err
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

// checkFile returns an error if the principal may not see a file. There is none if the file was deleted.
func checkFile(tx *kernel.Tx, a *kernel.Principal, id kernel.ID) error {
	m, seen, err := seenMedia(tx, a, id)
	if err == nil && !seen && !m.ID.IsZero() {
		err = kernel.NotFound("file")
	}
	return err
}

// downloadTimeout is longer than the timeout of other requests, for the largest files.
const downloadTimeout = 10 * time.Minute

// mediaLinks is the path of signed links below the base path.
const mediaLinks = "/media/"

// uploadMedia stores the file as it arrives.
func (s *handlers) uploadMedia(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[Media], error) {
	name, file, err := httpserver.OpenUpload(ctx)
	if err != nil {
		return nil, err
	}
	return httpserver.Body(s.verbs.UploadMedia(ctx, a, name, file))
}

// serveMedia serves the file of a signed link.
func (s *handlers) serveMedia(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	id, _ := kernel.ParseID(r.PathValue("id"))
	company, _ := kernel.ParseID(query.Get("company"))
	media, file, err := s.verbs.OpenMedia(r.Context(), company, id, query.Get("expires"), query.Get("signature"))
	if err != nil {
		httpserver.WriteError(w, r, err)
		return
	}
	defer func() { _ = file.Close() }()
	w.Header().Set("Cache-Control", "private, max-age=600")
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	serveFile(w, r, media, file)
}

// serveFile sends a file or a range of it. No browser runs anything in the file: its content type was detected from its bytes,
// the browser must not guess another, and only images, audio and video are shown.
func serveFile(w http.ResponseWriter, r *http.Request, media Media, file io.ReadSeeker) {
	h := w.Header()
	h.Set("Content-Type", media.MimeType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("ETag", `"`+media.SHA256+`"`)
	h.Set("Content-Disposition", disposition(media))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(downloadTimeout))
	http.ServeContent(w, r, "", media.CreatedAt, file)
}

// mediaContent sends the bytes of a file, which never change.
func (s *handlers) mediaContent(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.StreamReply, error) {
	media, file, err := s.verbs.MediaContent(ctx, a, kernel.ID(in.ID))
	if err != nil {
		return nil, err
	}
	return &httpserver.StreamReply{Body: func(ctx huma.Context) {
		defer func() { _ = file.Close() }()
		r, w := humago.Unwrap(ctx)
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		serveFile(w, r, media, file)
	}}, nil
}

// disposition returns a Content-Disposition with the file name in ASCII for old clients and in full for others.
func disposition(m Media) string {
	kind := "attachment"
	if m.Kind.Inline() {
		kind = "inline"
	}
	ascii := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '_'
		}
		return r
	}, m.FileName)
	return kind + `; filename="` + ascii + `"; filename*=UTF-8''` + strings.ReplaceAll(url.QueryEscape(m.FileName), "+", "%20")
}
