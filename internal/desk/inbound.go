package desk

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// receiveAtOnce is how many reports of a provider share a transaction.
const receiveAtOnce = 200

// Receive takes what a provider reported about a channel. All of it is durable when Receive returns
// nil; what was taken before, in this call or an earlier one, changes nothing when it comes again.
func (d *Desk) Receive(ctx context.Context, channel model.ID, items []model.Incoming) error {
	for batch := range slices.Chunk(spelled(items), receiveAtOnce) {
		_, err := write(ctx, d, nil, func(tx *store.Tx) (struct{}, error) {
			if len(batch) > 1 {
				tx.LockSeveral(channel)
			}
			ch, found, err := tx.AnyChannel(channel)
			if err != nil || !found {
				return struct{}{}, errOr(err, model.NotFound("channel"))
			}
			in := d.intake(tx, ch)
			for i := range batch {
				if err := in.take(&batch[i]); err != nil {
					return struct{}{}, err
				}
			}
			return struct{}{}, in.finish()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// intake is one transaction that takes what a channel reports. Each conversation it touches is locked
// once and saved once.
type intake struct {
	d       *Desk
	tx      *store.Tx
	channel model.Channel
	threads map[model.ID]*touched
	order   []*touched
	people  map[model.Person]writer // who wrote in this transaction already
}

// writer is somebody whom an intake has met, and their conversation.
type writer struct {
	contact model.Contact
	t       *touched
}

// touched is a conversation in the hands of an intake.
type touched struct {
	*thread
	changed bool // there is something to save
	loud    bool // and something to tell
	opens   bool // the customer wrote: an attendance opens
}

func (d *Desk) intake(tx *store.Tx, channel model.Channel) *intake {
	return &intake{d: d, tx: tx, channel: channel, threads: map[model.ID]*touched{}, people: map[model.Person]writer{}}
}

func (in *intake) take(item *model.Incoming) error {
	switch {
	case item.Message != nil:
		_, err := in.message(item.Message, nil)
		return err
	case item.Status != nil:
		return in.status(item.Status)
	case item.Edit != nil:
		return in.edit(item.Edit)
	case item.Revoke != nil:
		return in.revoke(item.Revoke)
	case item.Identity != nil:
		clear(in.people)
		_, _, err := in.d.knownContact(in.tx, in.channel, item.Identity.Person)
		return err
	case item.Notice != nil:
		in.tx.InsertNotice(&in.channel, item.Notice)
		in.tx.AfterCommit(func() {
			in.d.log.Warn("the provider says", slog.String("channel", in.channel.ID.String()),
				slog.String("kind", item.Notice.Kind), slog.String("text", item.Notice.Text))
		})
	}
	return nil
}

// finish saves the conversations. Attendances open only here, when every conversation is locked already:
// who holds the company's numbering must not wait for a conversation whose holder waits for a number.
func (in *intake) finish() error {
	for _, t := range in.order {
		if !t.changed {
			continue
		}
		t.silent = !t.loud
		if err := t.open(); err != nil {
			return err
		}
		if err := t.save(); err != nil {
			return err
		}
	}
	return nil
}

// hold keeps one thread per conversation, also when contacts or groups lead to it again.
func (in *intake) hold(t *thread) *touched {
	if known := in.threads[t.ID]; known != nil {
		return known
	}
	held := &touched{thread: t}
	in.threads[t.ID] = held
	in.order = append(in.order, held)
	return held
}

// message takes a message and gives it as stored; nil when it is known already. upload is a file of
// ours that a simulated customer sends.
func (in *intake) message(msg *model.IncomingMessage, upload *model.Media) (*model.Message, error) {
	if msg.Reaction && msg.Text == "" {
		return nil, nil // a reaction taken back leaves nothing to show
	}
	if _, known, err := in.tx.ConversationOfExternalID(in.channel.ID, msg.ExternalID); err != nil || known {
		return nil, err
	}
	t, contact, err := in.conversation(msg)
	if err != nil || t == nil {
		return nil, err
	}
	m := in.stored(t, contact, msg, upload)
	fresh, err := in.tx.InsertMessage(m, store.MessageExtras{Raw: optional(cleanText(string(msg.Raw)))})
	if err != nil || !fresh {
		return nil, err
	}
	t.Sequence = m.Seq
	t.changed = true
	quiet := msg.History || contact.Blocked && !msg.FromPhoneApp
	t.silent, t.loud = quiet, t.loud || !quiet
	if t.LastMessage == nil || !m.CreatedAt.Before(t.LastMessage.CreatedAt) {
		t.showLast(m)
	}
	if msg.FromPhoneApp {
		return m, in.sentFromPhone(t, m, quiet)
	}
	return m, in.wrote(t, m, msg, quiet)
}

// wrote notes what a customer's message means for the conversation.
func (in *intake) wrote(t *touched, m *model.Message, msg *model.IncomingMessage, quiet bool) error {
	if !msg.Reaction && (t.LastInboundAt == nil || !m.SentAt.Before(*t.LastInboundAt)) {
		t.LastInboundAt, t.LastInboundExt = m.SentAt, m.ExternalID
	}
	if quiet {
		return nil
	}
	t.UnreadCount++
	t.Unread = true
	if err := t.emitWith(model.EventMessageReceived, "message", m); err != nil {
		return err
	}
	t.opens = t.opens || !msg.Reaction // a thumb under a farewell begins nothing new
	return nil
}

// open opens the attendance that the customer's messages asked for.
func (t *touched) open() error {
	if !t.opens {
		return nil
	}
	t.opens = false
	return t.openAttendance(nil)
}

// sentFromPhone notes what a message that the team typed on the phone means.
func (in *intake) sentFromPhone(t *touched, m *model.Message, quiet bool) error {
	if quiet {
		return nil
	}
	if err := t.emitWith(model.EventMessageSent, "message", m); err != nil {
		return err
	}
	if err := t.open(); err != nil { // the customer's message that this answers may be in the same batch
		return err
	}
	if err := t.answered(nil); err != nil {
		return err
	}
	return in.settleEarly(t, m)
}

// conversation finds or makes whose message it is and where it belongs; nil when nothing tells.
func (in *intake) conversation(msg *model.IncomingMessage) (*touched, model.Contact, error) {
	if known, ok := in.people[msg.Customer]; ok && msg.Group == nil {
		return known.t, known.contact, nil
	}
	var contact model.Contact
	var err error
	if !msg.Customer.IsZero() {
		if contact, err = in.d.contactFor(in.tx, in.channel, msg.Customer); err != nil {
			return nil, contact, err
		}
	}
	var t *thread
	switch {
	case msg.Group != nil:
		t, _, err = in.d.groupThread(in.tx, in.channel, *msg.Group)
	case contact.ID.IsZero():
		in.d.log.Warn("a message that does not say whom it is with was left out", slog.String("external_id", msg.ExternalID))
		return nil, contact, nil
	default:
		t, _, err = in.d.threadWith(in.tx, in.channel, contact)
	}
	if err != nil {
		return nil, contact, err
	}
	held := in.hold(t)
	if msg.Group == nil {
		in.people[msg.Customer] = writer{contact, held}
	}
	return held, contact, nil
}

// stored is the message as the desk keeps it. created_at is when it reached the desk, sent_at when it
// was written; what is older than the connection keeps its own time for both.
func (in *intake) stored(t *touched, contact model.Contact, msg *model.IncomingMessage, upload *model.Media) *model.Message {
	now := in.tx.Now
	at := moment(msg.At, now)
	m := &model.Message{
		ID: model.NewID(), Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: model.Inbound, Origin: model.OriginCustomer, Type: messageType(msg.Type), Text: optional(cleanText(msg.Text)),
		ReplyTo: optional(msg.ReplyTo), ExternalID: &msg.ExternalID, Status: model.StatusReceived,
		Seq: t.Sequence + 1, CreatedAt: now, SentAt: &at,
	}
	if msg.History {
		m.CreatedAt = at
	}
	if msg.FromPhoneApp {
		m.Direction, m.Origin, m.Status = model.Outbound, model.OriginPhone, model.StatusSent
	} else if msg.Group != nil && !contact.ID.IsZero() {
		m.Author = &contact.ID
	}
	if upload != nil {
		attach(m, upload)
	} else if msg.Media != nil {
		attach(m, in.awaitedMedia(msg))
	}
	return m
}

// awaitedMedia notes a file that the provider holds, for the loop that fetches it.
func (in *intake) awaitedMedia(msg *model.IncomingMessage) *model.Media {
	mime, _, _ := strings.Cut(msg.Media.MimeType, ";")
	media := &model.Media{
		ID: model.NewID(), Company: in.channel.Company, Channel: &in.channel.ID, Private: in.channel.Private,
		Kind: model.MediaKind(messageType(msg.Type)), MimeType: cleanText(mime), Awaited: true, CreatedAt: in.tx.Now,
		Provider: model.MediaAtProvider{ID: msg.Media.ProviderID},
	}
	media.FileName = model.SafeFileName(msg.Media.FileName, media.MimeType)
	in.tx.InsertAwaitedMedia(media)
	in.tx.AfterCommit(in.d.bells.Fetch.Ring)
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
