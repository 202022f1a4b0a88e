package linked

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"recado/internal/blob"
	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/media"
)

// pace spaces the messages of a number, not too regularly.
type pace struct {
	mu    sync.Mutex
	every time.Duration
	last  time.Time
	more  float64 // than every, until the next message
}

// set sets how many messages may be sent in a minute.
func (p *pace) set(perMinute int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.every = time.Minute / time.Duration(perMinute)
}

func (p *pace) next() time.Time {
	return p.last.Add(p.every + time.Duration(float64(p.every)*p.more))
}

// free returns 1 if a message may be sent now, or else how long to wait.
func (p *pace) free(now time.Time) (n int, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.next().Sub(now); wait > 0 {
		return 0, wait
	}
	return 1, p.every
}

// take waits for the turn of a message.
func (p *pace) take(ctx context.Context) error {
	p.mu.Lock()
	at := p.next()
	if now := time.Now(); at.Before(now) {
		at = now
	}
	p.last, p.more = at, rand.Float64()/2
	p.mu.Unlock()
	pause(ctx, time.Until(at))
	return ctx.Err()
}

const (
	kindSent = "sent"
	kindEdit = "edit" // the ids of edits and of their messages
)

// sentFor is how long a message is kept for receivers who could not decrypt it.
const sentFor = 3 * 24 * time.Hour

// purgeSent deletes messages that are kept for too long, also those of numbers that are not connected. Their ids begin with the time.
func (m *Manager) purgeSent(ctx context.Context) error {
	oldest := kernel.NewIDAt(m.Desk.Now().Add(-sentFor))
	return m.Desk.Store.Write(ctx, func(tx *kernel.Tx) error {
		tx.Later(`
			DELETE FROM /* all companies: old rows */ linked_store
			WHERE (company, channel) IN (SELECT company, channel FROM links) AND kind IN ($1, $2) AND key < $3`,
			kindSent, kindEdit, strings.ToUpper(hex.EncodeToString(oldest[:])))
		return nil
	})
}

// resend returns a message that a receiver could not decrypt, or nil.
func (s *session) resend(id types.MessageID) *waE2E.Message {
	value, err := s.rows.get(s.ctx, kindSent, id)
	if err != nil || value == nil {
		return nil
	}
	var m waE2E.Message
	if proto.Unmarshal(value, &m) != nil {
		return nil
	}
	return &m
}

// Send sends a message. Its id is made from ours, so that no attempt repeats it: receivers drop a message with a known id.
func (s *session) Send(ctx context.Context, out provider.Outgoing) (provider.SendResult, error) {
	none := provider.SendResult{}
	to, err := s.address(ctx, out)
	if err == nil {
		err = s.learnMode(ctx, to)
	}
	if err != nil {
		return none, err
	}
	m, err := s.compose(ctx, to, out)
	if err != nil {
		return none, err
	}
	// After the upload, which may take longer than the turn.
	if err := s.pace.take(ctx); err != nil {
		return none, unavailable(err)
	}
	id := messageID(out.ClientID)
	if err := s.keepSent(ctx, id, m, out); err != nil {
		return none, unavailable(err)
	}
	if out.Expired != nil && out.Expired() {
		return none, unavailable(errors.New("the lease of the channel has expired"))
	}
	if _, err := s.client.SendMessage(ctx, to, m, whatsmeow.SendRequestExtra{ID: id}); err != nil {
		return none, s.sendError(err)
	}
	s.stored(s.forgetText(ctx, id, to, out))
	result := provider.SendResult{ExternalID: id}
	if to.Server == types.DefaultUserServer {
		result.WAID = to.User
	}
	return result, nil
}

// keepSent stores a message for receivers who cannot decrypt it.
func (s *session) keepSent(ctx context.Context, id types.MessageID, m *waE2E.Message, out provider.Outgoing) error {
	value, err := proto.Marshal(m)
	if err != nil {
		return err
	}
	c := changes{{kindSent, id}: value}
	if out.Edits != "" {
		c[rowKey{kindEdit, id + " " + out.Edits}] = []byte{}
	}
	return s.rows.apply(ctx, c)
}

// forgetText deletes the text that an edit or a deletion with an id has replaced from what is kept of the message and its earlier
// edits. After an edit the new text is kept in place of the message.
func (s *session) forgetText(ctx context.Context, id types.MessageID, to types.JID, out provider.Outgoing) error {
	original := cmp.Or(out.Edits, out.Revokes)
	if original == "" {
		return nil
	}
	kept, err := s.rows.get(ctx, kindSent, original)
	if err != nil {
		return err
	}
	edits, err := s.rows.listContaining(ctx, kindEdit, " "+original)
	if err != nil {
		return err
	}
	c := changes{{kindSent, original}: nil}
	if out.Edits != "" && kept != nil {
		if c[rowKey{kindSent, original}], err = proto.Marshal(s.text(ctx, to, out)); err != nil {
			return err
		}
	}
	for key := range edits {
		if edit, ok := strings.CutSuffix(key, " "+original); ok && edit != id {
			c[rowKey{kindSent, edit}], c[rowKey{kindEdit, key}] = nil, nil
		}
	}
	return s.rows.apply(ctx, c)
}

// unavailable returns the error of a message that cannot be sent at the moment. It waits for as long as it takes.
func unavailable(cause error) *provider.SendError {
	return &provider.SendError{
		Code: provider.CodeSendUnavailable, Message: "There is no connection to WhatsApp at the moment.", Retry: true, Offline: true, Cause: cause,
	}
}

// errBusy is the error of a file that waits for others.
var errBusy = &provider.SendError{
	Code: provider.CodeSendUnavailable, Message: "Other files are being sent and received at the moment.", Retry: true, RetryAfter: transferWait, Offline: true,
}

// unreadable returns the error of a message whose stored file cannot be read.
func unreadable(cause error) *provider.SendError {
	return &provider.SendError{
		Code: provider.CodeSendUnavailable, Message: "The file of the message could not be read.", Retry: true, Cause: cause,
	}
}

// isUnreachable reports whether WhatsApp could not be reached, or had no time for the request, so that it refused nothing, or whether
// the database could not be.
func (s *session) isUnreachable(err error) bool {
	if iq, ok := errors.AsType[*whatsmeow.IQError](err); ok {
		return iq.Code == 429 || iq.Code >= 500
	}
	_, isNetwork := errors.AsType[net.Error](err)
	_, isDisconnected := errors.AsType[*whatsmeow.DisconnectedError](err)
	is := func(target error) bool { return errors.Is(err, target) }
	return isNetwork || isDisconnected || !s.client.IsConnected() || slices.ContainsFunc([]error{
		whatsmeow.ErrNotConnected, whatsmeow.ErrMessageTimedOut, whatsmeow.ErrIQTimedOut, context.Canceled, context.DeadlineExceeded,
		errStorage,
	}, is)
}

// sendError returns the error of a message that was not accepted. It may have been sent: the next attempt has the same id, so that
// the receiver sees it once.
func (s *session) sendError(err error) *provider.SendError {
	refused := &provider.SendError{Code: "provider_refused", Message: "WhatsApp refused the message.", ProviderText: err.Error(), Cause: err}
	switch {
	case errors.Is(err, whatsmeow.ErrServerReturnedError), errors.Is(err, whatsmeow.ErrNotInGroup), errors.Is(err, whatsmeow.ErrGroupNotFound):
		return refused
	case errors.Is(err, whatsmeow.ErrNotLoggedIn):
		reason := channels.NotLinked()
		return &provider.SendError{Code: reason.Code, Message: reason.Message, Disconnect: true, Cause: err}
	case s.isUnreachable(err):
		return unavailable(err)
	}
	refused.Retry = true
	return refused
}

// address returns the chat to send to.
func (s *session) address(ctx context.Context, out provider.Outgoing) (types.JID, error) {
	switch {
	case out.GroupID != "":
		return types.ParseJID(out.GroupID)
	case strings.HasSuffix(out.To.UserID, "@"+types.HiddenUserServer):
		lid, err := types.ParseJID(out.To.UserID)
		if err != nil {
			return lid, err
		}
		if number, err := s.device.LIDs.GetPNForLID(ctx, lid); err == nil && !number.IsEmpty() { // the newest, if it has changed
			return number, nil
		}
		if out.To.WAID == "" && out.To.Phone == "" {
			return lid, nil
		}
	}
	if out.To.WAID != "" {
		return types.NewJID(out.To.WAID, types.DefaultUserServer), nil
	}
	found, err := s.client.IsOnWhatsApp(ctx, []string{out.To.Phone})
	if err != nil {
		return types.EmptyJID, s.sendError(err)
	}
	for _, r := range found {
		if r.IsIn {
			return r.JID, nil
		}
	}
	return types.EmptyJID, &provider.SendError{Code: "not_on_whatsapp", Message: "The number is not on WhatsApp."}
}

// compose returns the message to send, after uploading its file.
func (s *session) compose(ctx context.Context, to types.JID, out provider.Outgoing) (*waE2E.Message, error) {
	switch {
	case out.Reaction != nil:
		return &waE2E.Message{ReactionMessage: &waE2E.ReactionMessage{
			Key: keyOf(to, out.Reaction.To.FromUs, s.authorOf(ctx, to, &out.Reaction.To), out.Reaction.ExternalID), Text: &out.Reaction.Emoji, SenderTimestampMS: new(time.Now().UnixMilli()),
		}}, nil
	case out.Revokes != "":
		return &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
			Type: waE2E.ProtocolMessage_REVOKE.Enum(), Key: keyOf(to, true, types.EmptyJID, out.Revokes),
		}}, nil
	case out.Edits != "":
		return &waE2E.Message{EditedMessage: &waE2E.FutureProofMessage{Message: &waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{
			Type: waE2E.ProtocolMessage_MESSAGE_EDIT.Enum(), Key: keyOf(to, true, types.EmptyJID, out.Edits),
			EditedMessage: s.text(ctx, to, out), TimestampMS: new(time.Now().UnixMilli()),
		}}}}, nil
	case out.Media != nil:
		return s.upload(ctx, to, out)
	case out.Interactive != nil:
		return &waE2E.Message{Conversation: new(out.Interactive.Text())}, nil
	case out.Template != nil:
		return nil, &provider.SendError{Code: "type_not_supported", Message: "A linked number has no templates."}
	}
	return s.text(ctx, to, out), nil
}

// content returns the text or caption of a message, and the message that it quotes and the people whom it mentions, or nil.
func (s *session) content(ctx context.Context, to types.JID, out provider.Outgoing) (text string, about *waE2E.ContextInfo) {
	about = s.quote(ctx, to, out)
	text, mentioned := s.mentions(ctx, to, out)
	if len(mentioned) > 0 {
		if about == nil {
			about = &waE2E.ContextInfo{}
		}
		about.MentionedJID = mentioned
	}
	return text, about
}

// text returns a message with a text.
func (s *session) text(ctx context.Context, to types.JID, out provider.Outgoing) *waE2E.Message {
	text, about := s.content(ctx, to, out)
	if about == nil {
		return &waE2E.Message{Conversation: &text}
	}
	return &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: &text, ContextInfo: about}}
}

// mentions returns the text of a message to a group as WhatsApp writes it, with addresses in place of names, and the addresses of
// the people who are mentioned.
func (s *session) mentions(ctx context.Context, to types.JID, out provider.Outgoing) (text string, mentioned []string) {
	if to.Server != types.GroupServer {
		return out.Text, nil
	}
	text = out.Text
	longest := slices.SortedFunc(slices.Values(out.Mentions), func(a, b provider.Person) int { return len(b.Name) - len(a.Name) }) // one name may be the beginning of another
	for _, p := range longest {
		jid := s.member(ctx, to, p)
		written, found := provider.ReplaceMention(text, p.Name, jid.User)
		if text = written; found && !slices.Contains(mentioned, jid.String()) {
			mentioned = append(mentioned, jid.String())
		}
	}
	return text, mentioned
}

// quote returns the reference to the message that is quoted, or nil.
func (s *session) quote(ctx context.Context, to types.JID, out provider.Outgoing) *waE2E.ContextInfo {
	if out.ReplyTo == "" {
		return nil
	}
	ref := out.Quoted
	if ref == nil { // it is not known here
		ref = &provider.MessageRef{}
	}
	return &waE2E.ContextInfo{
		StanzaID: &out.ReplyTo, Participant: new(s.authorOf(ctx, to, ref).String()), QuotedMessage: &waE2E.Message{Conversation: &ref.Text},
	}
}

// authorOf returns the address of the author of a message in a chat.
func (s *session) authorOf(ctx context.Context, chat types.JID, ref *provider.MessageRef) types.JID {
	switch {
	case ref.FromUs && s.usesLIDs(chat) && !s.device.GetLID().IsEmpty():
		return s.device.GetLID().ToNonAD()
	case ref.FromUs:
		return s.device.GetJID().ToNonAD()
	case chat.Server != types.GroupServer:
		return chat
	}
	return s.member(ctx, chat, ref.Author)
}

// member returns the address by which messages in a group refer to a person.
func (s *session) member(ctx context.Context, group types.JID, p provider.Person) types.JID {
	var lid, number types.JID
	if p.UserID != "" {
		lid = lidJID(p.UserID)
	}
	if p.WAID != "" {
		number = types.NewJID(p.WAID, types.DefaultUserServer)
	}
	if s.usesLIDs(group) {
		if lid.IsEmpty() && !number.IsEmpty() {
			lid, _ = s.device.LIDs.GetLIDForPN(ctx, number) // if it is unknown, WhatsApp may know the number
		}
		return cmp.Or(lid, number)
	}
	if number.IsEmpty() && !lid.IsEmpty() {
		number, _ = s.device.LIDs.GetPNForLID(ctx, lid)
	}
	return cmp.Or(number, lid)
}

// usesLIDs reports whether messages in a chat refer to people by LID, and not by phone number.
func (s *session) usesLIDs(chat types.JID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.modes[chat] == types.AddressingModeLID
}

// learnMode requests from WhatsApp how messages in a group refer to people, unless that is known.
func (s *session) learnMode(ctx context.Context, chat types.JID) error {
	s.mu.Lock()
	_, known := s.modes[chat]
	s.mu.Unlock()
	if known || chat.Server != types.GroupServer {
		return nil
	}
	info, err := s.client.GetGroupInfo(ctx, chat)
	if err != nil {
		return s.sendError(err)
	}
	s.keepMode(chat, info.AddressingMode)
	return nil
}

// keepMode remembers how messages in a chat refer to people, unless mode is "".
func (s *session) keepMode(chat types.JID, mode types.AddressingMode) {
	if mode == "" || chat.Server != types.GroupServer {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.modes == nil {
		s.modes = map[types.JID]types.AddressingMode{}
	}
	s.modes[chat] = mode
}

const (
	maxFile         = 100 << 20        // the largest file that is sent
	transferTimeout = 10 * time.Minute // enough for the largest file
	transferWait    = 5 * time.Second  // for the memory of other files
	encryption      = 1 << 10          // more bytes than encryption adds to a file
)

// transfer waits until there is memory for a file of the given size, because whatsmeow encrypts and decrypts files in memory. The
// caller calls done at the end.
func (m *Manager) transfer(ctx context.Context, size int64) (done func(), err error) {
	size = min(max(size, 1), m.FileMemory)
	if err := m.transfers.Acquire(ctx, size); err != nil {
		return nil, err
	}
	return func() { m.transfers.Release(size) }, nil
}

// transferSoon is transfer for files that can be tried again. It does not wait long, so that others can use the slot.
func (s *session) transferSoon(ctx context.Context, size int64) (done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, transferWait)
	defer cancel()
	if done, err = s.m.transfer(ctx, size); err != nil {
		return nil, errBusy
	}
	return done, nil
}

func (s *session) upload(ctx context.Context, to types.JID, out provider.Outgoing) (*waE2E.Message, error) {
	f := out.Media
	if f.Size > maxFile {
		return nil, &provider.SendError{Code: "media_rejected", Message: "The file is too large for WhatsApp."}
	}
	done, err := s.transferSoon(ctx, f.Size)
	if err != nil {
		return nil, err
	}
	defer done()
	r, err := f.Open()
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = r.Close() }()
	uploading, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	data, err := io.ReadAll(io.LimitReader(r, maxFile))
	if err != nil {
		return nil, unreadable(err)
	}
	kind := map[string]whatsmeow.MediaType{
		provider.TypeImage: whatsmeow.MediaImage, provider.TypeVideo: whatsmeow.MediaVideo, provider.TypeAudio: whatsmeow.MediaAudio,
		provider.TypeSticker: whatsmeow.MediaImage, provider.TypeDocument: whatsmeow.MediaDocument,
	}[f.Kind]
	up, err := s.client.Upload(uploading, data, kind)
	if err != nil {
		failed := s.sendError(err)
		if tooLong := uploading.Err() != nil && ctx.Err() == nil; tooLong {
			failed.Offline = false // a file that always takes too long is given up after a day
		}
		return nil, failed
	}
	text, about := s.content(ctx, to, out)
	caption := kernel.TextOrNil(text)
	shape := media.Read(bytes.NewReader(data), f.MimeType, maxFile)
	width, height, seconds := unlessZero(shape.Width), unlessZero(shape.Height), unlessZero(int(shape.Duration.Round(time.Second).Seconds()))
	switch f.Kind {
	case provider.TypeImage:
		return &waE2E.Message{ImageMessage: &waE2E.ImageMessage{
			URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256,
			FileLength: &up.FileLength, Mimetype: &f.MimeType, Width: width, Height: height, Caption: caption, ContextInfo: about,
		}}, nil
	case provider.TypeVideo:
		return &waE2E.Message{VideoMessage: &waE2E.VideoMessage{
			URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256,
			FileLength: &up.FileLength, Mimetype: &f.MimeType, Width: width, Height: height, Seconds: seconds, Caption: caption, ContextInfo: about,
		}}, nil
	case provider.TypeAudio:
		mimeType := f.MimeType
		if mimeType == "audio/ogg" { // phones do not play it without the codec
			mimeType = "audio/ogg; codecs=opus"
		}
		return &waE2E.Message{AudioMessage: &waE2E.AudioMessage{
			URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256,
			FileLength: &up.FileLength, Mimetype: &mimeType, Seconds: seconds, PTT: &f.Voice, ContextInfo: about,
		}}, nil
	case provider.TypeSticker:
		return &waE2E.Message{StickerMessage: &waE2E.StickerMessage{
			URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256,
			FileLength: &up.FileLength, Mimetype: &f.MimeType, Width: width, Height: height, ContextInfo: about,
		}}, nil
	}
	document := &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{
		URL: &up.URL, DirectPath: &up.DirectPath, MediaKey: up.MediaKey, FileEncSHA256: up.FileEncSHA256, FileSHA256: up.FileSHA256,
		FileLength: &up.FileLength, Mimetype: &f.MimeType, FileName: &f.FileName, Title: &f.FileName, Caption: caption, ContextInfo: about,
	}}
	if caption != nil { // phones ignore it without the wrapper
		document = &waE2E.Message{DocumentWithCaptionMessage: &waE2E.FutureProofMessage{Message: document}}
	}
	return document, nil
}

// unlessZero returns nil for 0, which is an unknown size.
func unlessZero(n int) *uint32 {
	if n == 0 {
		return nil
	}
	return new(uint32(n))
}

// download is a stored file that whatsmeow can download.
type download struct{ fileRef }

// GetDirectPath returns the path on WhatsApp's media servers.
func (d download) GetDirectPath() string { return d.Path }

// GetMediaKey returns the key.
func (d download) GetMediaKey() []byte { return d.Key }

// GetFileSHA256 returns the hash of the file.
func (d download) GetFileSHA256() []byte { return d.SHA256 }

// GetFileEncSHA256 returns the hash of the encrypted file.
func (d download) GetFileEncSHA256() []byte { return d.Enc }

// GetMediaType returns the kind of file.
func (d download) GetMediaType() whatsmeow.MediaType { return whatsmeow.MediaType(d.Type) }

// fetch downloads and decrypts a file.
func (s *session) fetch(ctx context.Context, file provider.IncomingMedia, limit int64, w io.Writer) error {
	var d download
	ref, err := base64.RawURLEncoding.DecodeString(file.ProviderID)
	if err == nil {
		err = json.Unmarshal(ref, &d.fileRef)
	}
	switch {
	case err != nil:
		return &provider.SendError{Code: "media_unavailable", Message: "The message does not say where the file is."}
	case d.Length > uint64(limit):
		return blob.ErrTooLarge
	}
	size := int64(d.Length)
	if size == 0 { // unknown
		size = limit
	}
	done, err := s.transferSoon(ctx, size)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(atMost(ctx, size+encryption), transferTimeout)
	defer cancel()
	data, err := s.client.Download(ctx, d)
	switch {
	case isGone(err):
		return &provider.SendError{Code: "media_unavailable", Message: "WhatsApp no longer has the file.", Cause: err}
	case isDamaged(err):
		return &provider.SendError{Code: "media_corrupt", Message: "The file is not the one that was sent.", Cause: err}
	case err != nil:
		return unavailable(err)
	case int64(len(data)) > limit:
		return blob.ErrTooLarge
	}
	_, err = io.Copy(w, bytes.NewReader(data))
	return err
}

// isGone reports whether WhatsApp no longer has a file.
func isGone(err error) bool {
	return errors.Is(err, whatsmeow.ErrNoURLPresent) || errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith403) || errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith404) ||
		errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith410)
}

// markRead tells a customer that messages were read.
func (s *session) markRead(ctx context.Context, read provider.ReadMessages) error {
	chat, err := s.address(ctx, provider.Outgoing{To: read.Customer})
	if err != nil {
		return err
	}
	return s.client.MarkRead(ctx, read.ExternalIDs, read.At, chat, chat)
}
