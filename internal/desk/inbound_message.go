package desk

import (
	"strings"
	"time"

	"recado/internal/model"
)

// stored is the message as the desk keeps it, without its file. created_at and sent_at tell when it was
// written, by the provider's clock. Its place is that of its arrival, or for imported history that of its time.
func (in *inboundBatch) stored(t *batchConversation, contact model.Contact, msg *model.IncomingMessage) (*model.Message, error) {
	at := moment(msg.At, in.tx.Now)
	m := &model.Message{
		ID: model.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: model.Inbound, Origin: model.OriginCustomer, Type: messageType(msg.Type), Text: optional(cleanText(msg.Text)),
		ReplyTo: optional(msg.ReplyTo), ExternalID: &msg.ExternalID, Status: model.StatusReceived,
		Referral: msg.Referral, Product: msg.Product, Seq: t.Sequence + 1, CreatedAt: at, SentAt: &at,
	}
	if msg.FromPhoneApp {
		m.Direction, m.Origin, m.Status = model.Outbound, model.OriginPhone, model.StatusSent
		if msg.Status != "" {
			m.Advance(msg.Status, at, nil)
		}
	} else if msg.Group != nil && !contact.ID.IsZero() {
		m.Author = &model.MessageAuthor{ID: &contact.ID, Name: contact.Name}
	}
	var err error
	if msg.History {
		m.Seq, err = in.tx.HistorySeq(t.ID, at)
	}
	return m, err
}

// attachFile gives a message its file: an upload of ours, or one that the provider holds.
func (in *inboundBatch) attachFile(m *model.Message, msg *model.IncomingMessage, upload *model.Media) {
	if upload != nil {
		attach(m, upload)
	} else if msg.Media != nil {
		attach(m, in.awaitedMedia(msg))
	}
}

// fillPlaceholder gives a message of the imported history the file that follows it under the same id.
func (in *inboundBatch) fillPlaceholder(conversation model.ID, msg *model.IncomingMessage) error {
	if !msg.History || msg.Media == nil {
		return nil
	}
	t, err := in.locked(conversation)
	if err != nil || t == nil {
		return err
	}
	m, found, err := in.tx.MessageWithExternalID(in.channel.ID, msg.ExternalID)
	if err != nil || !found || m.Type != model.TypeUnsupported || m.MediaID != nil || m.RevokedAt != nil {
		return err
	}
	m.Type, m.Text = messageType(msg.Type), optional(cleanText(msg.Text))
	in.attachFile(&m, msg, nil)
	return in.messageChanged(t, &m, "type", "text", "media_id", "media")
}

// awaitedMedia notes a file that the provider holds, for the loop that fetches it.
func (in *inboundBatch) awaitedMedia(msg *model.IncomingMessage) *model.Media {
	mime, _, _ := strings.Cut(msg.Media.MimeType, ";")
	media := &model.Media{
		ID: model.NewID(), Company: in.channel.Company, Channel: &in.channel.ID, Private: in.channel.Private,
		Kind: model.MediaKind(messageType(msg.Type)), MimeType: cleanText(mime), Awaited: true, CreatedAt: in.tx.Now,
		Provider: model.MediaAtProvider{ID: msg.Media.ProviderID, SHA256: msg.Media.SHA256},
	}
	media.FileName = model.SafeFileName(msg.Media.FileName, media.MimeType)
	in.tx.InsertAwaitedMedia(media)
	in.tx.AfterCommit(in.d.wakeups.Fetch.Notify)
	return media
}

// moment believes a provider's clock only where it is not ahead of ours.
func moment(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) {
		return now
	}
	return at.UTC().Truncate(time.Millisecond)
}

// messageType keeps to the words of the API.
func messageType(kind string) string {
	switch kind {
	case model.TypeText, model.TypeImage, model.TypeAudio, model.TypeVideo, model.TypeDocument, model.TypeSticker,
		model.TypeLocation, model.TypeContacts:
		return kind
	}
	return model.TypeUnsupported
}

// cleanText makes sure that a database and a JSON document can hold what a provider sent.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
