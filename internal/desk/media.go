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
	"strconv"
	"time"

	"recado/internal/blob"
	"recado/internal/model"
	"recado/internal/store"
)

// UploadMedia keeps a file that is read from r to its end. Its type is told by its bytes; the name is
// only shown. When anything goes wrong, r included, neither file nor row is left.
func (d *Desk) UploadMedia(ctx context.Context, a *Principal, fileName string, r io.Reader) (model.Media, error) {
	if err := a.May(VerbUploadMedia); err != nil {
		return model.Media{}, err
	}
	release, err := d.uploadSlot(ctx, a)
	if err != nil {
		return model.Media{}, err
	}
	defer release()
	head := make([]byte, model.SniffBytes)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return model.Media{}, errUploadCut(err)
	}
	head = head[:n]
	if n == 0 {
		return model.Media{}, model.Invalid("body.file", "the file is empty")
	}
	mime, kind, ok := model.Sniff(head, fileName)
	if !ok {
		return model.Media{}, &model.Error{
			Code: model.CodeMediaTypeNotAllowed, Message: "WhatsApp does not deliver files of this kind (" + mime + ").",
			Fields: []model.FieldError{{Field: "body.file", Message: mime}},
		}
	}
	m := model.Media{
		ID: model.NewID(), Company: a.Company.ID, Kind: kind, MimeType: mime, FileName: model.SafeFileName(fileName, mime), Stored: true,
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
	return m, d.keepUpload(ctx, a, &m, info.SHA256)
}

// keepUpload adds the row of a file that is stored, or removes the file.
func (d *Desk) keepUpload(ctx context.Context, a *Principal, m *model.Media, sum [32]byte) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		m.CreatedAt = tx.Now
		if fits, err := tx.InsertMedia(m, sum, d.limits.MediaBytes); err != nil || !fits {
			return struct{}{}, errOr(err, d.errMediaQuota())
		}
		tx.EndUpload(m.ID)
		return struct{}{}, nil
	})
	if err != nil && model.CodeOf(err) != model.CodeUncertain {
		d.endUpload(ctx, m.ID)
	}
	return err
}

// beginUpload notes that a file is about to be stored, unless the company has no room for a single byte.
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

// errMediaQuota refuses a file for which the company has no room.
func (d *Desk) errMediaQuota() error {
	return model.Errorf(model.CodeLimitReached, "The limit of %s for the company's stored files is reached.", model.SizeText(d.limits.MediaBytes))
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

// uploadPatience is how old an upload must be to count as cut off by a crash; none takes longer than
// minutes.
const uploadPatience = 24 * time.Hour

// RemoveLeftUploads removes the files of uploads that a crash cut off before they got their row. It
// touches no file that this database did not begin to store itself.
func (d System) RemoveLeftUploads(ctx context.Context) error {
	left, err := read(ctx, d.Desk, func(tx *store.Tx) ([]model.ID, error) { return tx.UploadsLeft(tx.Now.Add(-uploadPatience), 1000) })
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

// errUploadCut tells a caller whose upload broke off from a defect of ours.
func errUploadCut(err error) error {
	if known, ok := errors.AsType[*model.Error](err); ok {
		return known
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.Canceled) {
		return model.Invalid("body.file", "the upload broke off")
	}
	return err
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
		link := MediaLink{Media: id, ExpiresAt: d.now().Add(model.MediaLinkLifetime).UTC().Truncate(time.Second)}
		link.Signature = d.signLink(id, link.ExpiresAt.Unix())
		return link, nil
	})
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
		return m, model.Errorf(model.CodeNotFound, "The file was not fetched from WhatsApp. %s", m.FetchError)
	case !found || !a.reachesFile(&m) || !m.Stored && !m.Awaited:
		return m, model.NotFound("file")
	case !m.Stored:
		return m, &model.Error{
			Code: model.CodeUnavailable, Message: "The file is still on its way from WhatsApp. Try again in a moment.", RetryAfter: 2 * time.Second,
		}
	}
	return m, nil
}

// reachesFile reports whether a file exists for the principal: one of a private channel does for its viewers.
func (a *Principal) reachesFile(m *model.Media) bool {
	return !m.Private || m.Channel != nil && a.reaches(true, *m.Channel)
}

// OpenMedia gives the file of a link. A link that expired or was altered leads to nothing.
func (d System) OpenMedia(ctx context.Context, id model.ID, expires, signature string) (model.Media, io.ReadSeekCloser, error) {
	at, err := strconv.ParseInt(expires, 10, 64)
	if err != nil || !hmac.Equal([]byte(signature), []byte(d.signLink(id, at))) || !d.now().Before(time.Unix(at, 0)) {
		return model.Media{}, nil, model.Errorf(model.CodeNotFound, "This link has expired or is not complete. Ask for a new one.")
	}
	m, err := read(ctx, d.Desk, func(tx *store.Tx) (model.Media, error) {
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

func (d *Desk) signLink(id model.ID, expires int64) string {
	key := d.vault.Derive("media-link")
	mac := hmac.New(sha256.New, key[:])
	mac.Write(id[:])
	mac.Write(strconv.AppendInt(nil, expires, 10))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// usableMedia finds a file that the principal may put into a message or anything else that is stored: one that
// they may see. From now on it is not removed as an upload that nobody used.
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
	m.Media = &model.MessageMedia{ID: media.ID, MimeType: media.MimeType, FileName: media.FileName, Size: media.Size}
}
