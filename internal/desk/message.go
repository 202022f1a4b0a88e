package desk

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"recado/internal/cursor"
	"recado/internal/fold"
	"recado/internal/model"
	"recado/internal/store"
)

// MessageQuery is a place in a conversation and how much to read from there. At most one of Before
// and After is set.
type MessageQuery struct {
	Limit  int
	Before string
	After  string
}

// Messages reads one page of a conversation, newest first. With After it is the page next to the
// cursor, so that nothing between is skipped.
func (d *Desk) Messages(ctx context.Context, a *Principal, conversation model.ID, q MessageQuery) (*model.MessagePage, error) {
	if err := a.May(VerbMessages); err != nil {
		return nil, err
	}
	if q.Before != "" && q.After != "" {
		return nil, model.Invalid("query.after", "send either before or after, not both")
	}
	place := messageCursor{d.cursors, a.Company.ID, "messages " + conversation.String()}
	if q.After != "" {
		return d.messagesAfter(ctx, a, conversation, place, q)
	}
	return d.messagesBefore(ctx, a, conversation, place, q)
}

func (d *Desk) messagesBefore(ctx context.Context, a *Principal, conversation model.ID, place messageCursor, q MessageQuery) (*model.MessagePage, error) {
	seq := int64(math.MaxInt64)
	if q.Before != "" {
		var invalid *model.Error
		if seq, invalid = place.open(q.Before); invalid != nil {
			return nil, invalid
		}
	}
	page, err := readOne(ctx, d, func(tx *store.Tx) (*model.MessagePage, error) {
		data, visibility, err := tx.MessagesBefore(a.Company.ID, conversation, seq, q.Limit+1)
		if err != nil || len(data) > 0 && !a.MaySeeBy(&visibility) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		page := &model.MessagePage{Data: data[:min(len(data), q.Limit)]}
		if len(data) > q.Limit {
			page.Before = place.seal(data[q.Limit-1].Seq)
		}
		return page, nil
	})
	if err != nil {
		return nil, err
	}
	if len(page.Data) > 0 {
		page.After = place.seal(page.Data[0].Seq)
		return page, nil
	}
	if _, err := d.emptyPage(ctx, a, conversation, 0); err != nil {
		return nil, err
	}
	if q.Before != "" {
		page.After = place.seal(seq - 1)
	}
	return page, nil
}

func (d *Desk) messagesAfter(ctx context.Context, a *Principal, conversation model.ID, place messageCursor, q MessageQuery) (*model.MessagePage, error) {
	seq, invalid := place.open(q.After)
	if invalid != nil {
		return nil, invalid
	}
	var older bool
	page, err := readOne(ctx, d, func(tx *store.Tx) (*model.MessagePage, error) {
		data, before, visibility, err := tx.MessagesAfter(a.Company.ID, conversation, seq, q.Limit)
		if err != nil || len(data) > 0 && !a.MaySeeBy(&visibility) {
			return nil, errOr(err, model.NotFound("conversation"))
		}
		older = before
		return &model.MessagePage{Data: data}, nil
	})
	if err != nil {
		return nil, err
	}
	newest, oldest := seq, seq+1
	if n := len(page.Data); n > 0 {
		slices.Reverse(page.Data)
		newest, oldest = page.Data[0].Seq, page.Data[n-1].Seq
	} else if older, err = d.emptyPage(ctx, a, conversation, seq); err != nil {
		return nil, err
	}
	page.After = place.seal(newest)
	if older {
		page.Before = place.seal(oldest)
	}
	return page, nil
}

// emptyPage tells an empty page from a conversation that the principal may not know of. It reports whether
// there are messages up to seq.
func (d *Desk) emptyPage(ctx context.Context, a *Principal, conversation model.ID, seq int64) (older bool, err error) {
	return readOne(ctx, d, func(tx *store.Tx) (bool, error) {
		visibility, older, found, err := tx.Visibility(a.Company.ID, conversation, seq)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return false, errOr(err, model.NotFound("conversation"))
		}
		return older, nil
	})
}

// messageCursor seals places in one conversation.
type messageCursor struct {
	key     cursor.Key
	company model.ID
	filter  string
}

func (c messageCursor) seal(seq int64) *string {
	text := c.key.Seal(c.company, c.filter, cursor.Int(seq))
	return &text
}

func (c messageCursor) open(text string) (int64, *model.Error) {
	payload, invalid := c.key.Open(c.company, c.filter, text)
	if invalid != nil {
		return 0, invalid
	}
	return cursor.ReadInt(payload)
}

// Message gives one message.
func (d *Desk) Message(ctx context.Context, a *Principal, id model.ID) (*model.Message, error) {
	if err := a.May(VerbMessage); err != nil {
		return nil, err
	}
	return readOne(ctx, d, func(tx *store.Tx) (*model.Message, error) {
		m, visibility, found, err := tx.Message(a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, errOr(err, model.NotFound("message"))
		}
		return &m, nil
	})
}

// NewMessage is what a caller wants to send: a text, a file with or without a caption, buttons or a list, or a template.
type NewMessage struct {
	ClientID model.ID
	Text     *string
	MediaID  *model.ID
	ReplyTo  *string
	Template *model.Template

	Interactive *model.Interactive
	Voice       bool // the file is a recording made for the chat
}

// check looks at the form alone.
func (in *NewMessage) check() *model.Error {
	if in.Voice && in.MediaID == nil {
		return model.Invalid("body.voice", "needs a media_id")
	}
	if in.Interactive != nil {
		if in.Text != nil {
			return model.Invalid("body.text", "must not be sent together with interactive: the text is written from it")
		}
		if in.MediaID != nil || in.Template != nil {
			return model.Invalid("body.interactive", "must not be sent together with media_id or template")
		}
		return in.Interactive.Check("body.interactive")
	}
	if in.Template != nil {
		if in.Text != nil || in.MediaID != nil {
			return model.Invalid("body.template", "must not be sent together with text or media_id")
		}
		return checkTemplate(in.Template)
	}
	if in.MediaID != nil {
		if in.Text == nil {
			return nil
		}
		_, invalid := model.OptionalText("body.text", *in.Text, model.MaxCaption)
		return invalid
	}
	if in.Text == nil {
		return model.Invalid("body.text", "is required when there is no media_id")
	}
	_, invalid := model.Text("body.text", *in.Text, model.MaxText)
	return invalid
}

// SendMessage accepts a message for sending: a sandbox takes it at once, any other provider gets it
// from the queue that this transaction fills. A client id that the conversation has seen gives the
// message of then, as it is now, and replayed, whatever else is asked for.
func (d *Desk) SendMessage(ctx context.Context, a *Principal, conversation model.ID, in NewMessage) (m *model.Message, replayed bool, err error) {
	if err := a.May(VerbSendMessage); err != nil {
		return nil, false, err
	}
	if in.ClientID.IsZero() {
		return nil, false, model.Invalid("body.client_id", "must be a UUID that is not all zeros")
	}
	invalid := in.check()
	out, err := write(ctx, d, func(tx *store.Tx) (accepted, error) {
		o, found, err := tx.LockOutbox(a.Company.ID, conversation, in.ClientID, a.User.ID)
		switch {
		case err != nil:
			return accepted{}, err
		case invalid != nil && !(found && o.Earlier): // a wrong form is refused first, unless the call repeats an earlier one
			return accepted{}, invalid
		case !found || !a.MaySee(&o.Conversation):
			return accepted{}, model.NotFound("conversation")
		case o.Earlier:
			return d.sentBefore(tx, a, conversation, in.ClientID)
		}
		if o.Drafted && a.kind == KindSession {
			if err := d.dropDraft(tx, a, conversation); err != nil {
				return accepted{}, err
			}
		}
		return d.send(tx, a, &o, &in)
	})
	return out.message, out.replayed, err
}

// accepted is a message that is stored, now or by an earlier call.
type accepted struct {
	message  *model.Message
	replayed bool
}

// sentBefore answers a repeated client id.
func (d *Desk) sentBefore(tx *store.Tx, a *Principal, conversation, client model.ID) (accepted, error) {
	m, _, found, err := tx.MessageWithClientID(a.Company.ID, client)
	if err != nil || !found || m.Conversation != conversation {
		return accepted{}, errOr(err, model.Errorf(model.CodeClientIDConflict, "This client_id belongs to a message in another conversation. Send a new one."))
	}
	return accepted{&m, true}, nil
}

// send stores a new message and starts it on its way.
func (d *Desk) send(tx *store.Tx, a *Principal, o *store.Outbox, in *NewMessage) (accepted, error) {
	t := d.locked(tx, o.Conversation)
	m := &model.Message{
		ID: model.NewID(), ClientID: &in.ClientID, Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: model.Outbound, Origin: a.origin(), Type: model.TypeText, Text: in.Text, ReplyTo: in.ReplyTo,
		Status: model.StatusQueued, Seq: t.next(), CreatedAt: tx.Now,
	}
	a.signs(m)
	extras, err := d.fillMessage(tx, a, m, o, in)
	if err != nil {
		return accepted{}, err
	}
	if err := sign(m, a, o, in); err != nil {
		return accepted{}, err
	}
	if err := maySend(t, a, o, in); err != nil {
		return accepted{}, err
	}
	sandbox := o.Provider == model.ProviderSandbox
	if sandbox {
		external := "sandbox." + m.ID.String()
		m.Status, m.SentAt, m.ExternalID = model.StatusSent, &tx.Now, &external
	}
	fresh, err := tx.InsertMessage(m, extras)
	if err != nil {
		return accepted{}, err
	}
	if !fresh { // the same client id won a race
		return d.sentBefore(tx, a, t.ID, in.ClientID)
	}
	t.arrived(m)
	if sandbox {
		err = t.emitWith(model.EventMessageSent, "message", m)
	} else {
		tx.InsertSend(m)
		tx.AfterCommit(d.notifySend)
	}
	if err == nil && o.Rendered {
		err = countUses(tx, a, m)
	}
	if a.kind == KindSession {
		t.pauseBot()
	}
	if err == nil && !a.ActsAsIntegration() {
		err = t.teamWrote(&a.User)
	}
	if err == nil {
		err = t.save()
	}
	return accepted{message: m}, err
}

// fillMessage looks up what the message refers to.
func (d *Desk) fillMessage(tx *store.Tx, a *Principal, m *model.Message, o *store.Outbox, in *NewMessage) (extras store.MessageExtras, err error) {
	if in.MediaID != nil {
		media, err := d.usableMedia(tx, a, *in.MediaID)
		if err != nil {
			return extras, err
		}
		attach(m, &media)
		if in.Text != nil && *in.Text == "" {
			m.Text = nil
		}
		if m.Text != nil && (media.Kind == model.MediaAudio || media.Kind == model.MediaSticker) {
			return extras, model.Invalid("body.text", "audio files and stickers have no caption: leave text out")
		}
	}
	if in.Voice {
		if m.Media == nil || m.Media.MimeType != "audio/ogg" {
			return extras, model.Invalid("body.voice", "a voice message is Opus in Ogg; POST /media turns WebM recordings into that")
		}
		m.Voice = true
	}
	if in.Interactive != nil {
		text := in.Interactive.Text()
		m.Type, m.Text, m.Interactive = model.TypeInteractive, &text, in.Interactive
	}
	if in.ReplyTo != nil {
		found, err := tx.HasExternalID(m.Conversation, m.Channel, *in.ReplyTo)
		if err != nil || !found {
			return extras, errOr(err, errReplyTo())
		}
	}
	if in.Template != nil {
		return d.fillTemplate(tx, a, m, o, in.Template)
	}
	return extras, nil
}

// sign puts the name of a person in front of what they send in the app, where the channel wants it.
func sign(m *model.Message, a *Principal, o *store.Outbox, in *NewMessage) error {
	if o.Signature == "" || a.kind != KindSession || in.Text == nil || m.Text == nil || in.Template != nil {
		return nil
	}
	text, most := model.Signed(*m.Text, o.Signature), model.MaxText
	if m.MediaID != nil {
		most = model.MaxCaption
	}
	if utf8.RuneCountInString(text) > most {
		return model.Invalid("body.text", fmt.Sprintf("must have at most %d characters together with the name that signs it.", most))
	}
	m.Text = &text
	return nil
}

func errReplyTo() error {
	return model.Invalid("body.reply_to_external_id", "there is no message with this external id in the conversation")
}

// maySend applies the rules of the desk and of the provider.
func maySend(t *lockedConversation, a *Principal, o *store.Outbox, in *NewMessage) error {
	if err := mayWrite(t, a, o); err != nil {
		return err
	}
	if o.Provider == model.ProviderSandbox {
		return nil
	}
	if in.Template != nil {
		return nil
	}
	return t.windowClosed()
}

// windowClosed is the refusal of free text while the service window is closed; nil while it is open.
func (t *lockedConversation) windowClosed() error {
	var closed *model.Error
	switch {
	case t.LastInboundAt == nil:
		closed = model.Errorf(model.CodeServiceWindowClosed, "This customer has not written yet: WhatsApp takes only a template to begin with.")
		closed.Params = map[string]any{"reason": "never_wrote"}
	case t.tx.Now.Sub(*t.LastInboundAt) >= model.ServiceWindow:
		closed = model.Errorf(model.CodeServiceWindowClosed, "The customer's last message is more than 24 hours old: WhatsApp takes only a template now.")
		closed.Params = map[string]any{"reason": "expired"}
	default:
		return nil
	}
	return closed
}

// mayWrite applies the rules that do not depend on the time of sending.
func mayWrite(t *lockedConversation, a *Principal, o *store.Outbox) error {
	if o.Blocked {
		return model.Errorf(model.CodeContactBlocked, "This contact is blocked. Unblock it to send messages.")
	}
	if err := t.mayAnswer(a); err != nil {
		return err
	}
	if o.Archived {
		return errChannelArchived()
	}
	if o.Status != model.ChannelConnected {
		return model.Errorf(model.CodeChannelDisconnected, "The channel of this conversation is disconnected. Connect it to send messages.")
	}
	return nil
}

// arrived makes a message the newest of the conversation: it moves up in lists.
func (t *lockedConversation) arrived(m *model.Message) {
	t.showLast(m)
	t.ActivityAt = t.tx.Now
}

// showLast makes a message the one that lists show of the conversation.
func (t *lockedConversation) showLast(m *model.Message) {
	t.LastMessage = &model.LastMessage{
		ID: m.ID, Type: m.Type, Text: m.Text, Direction: m.Direction, CreatedAt: m.CreatedAt, Status: m.Status, Notice: m.Notice,
	}
	if m.Media != nil {
		t.LastMessage.FileName, t.LastMessage.DurationSeconds = &m.Media.FileName, m.Media.DurationSeconds
	}
}

// MessageFilter chooses messages of a search. Zero values choose all, but the text must be given.
type MessageFilter struct {
	Q            string
	Conversation model.ID
	Contact      model.ID
	Channel      model.ID
	User         model.ID // who sent it
	Direction    string
	Type         string
	From         string // RFC 3339, or a day of the company's: written then or later
	To           string // likewise: written before
	Limit        int
	Cursor       string
}

// SearchMessages finds the messages that contain a text, of those that the principal may see, the newest first. next is ""
// on the last page.
func (d *Desk) SearchMessages(ctx context.Context, a *Principal, f MessageFilter) (page []model.FoundMessage, next string, err error) {
	if err := a.May(VerbSearchMessages); err != nil {
		return nil, "", err
	}
	if fold.Text(strings.TrimSpace(f.Q)) == "" {
		return nil, "", model.Invalid("query.q", "must contain something to look for")
	}
	in := store.MessageFilter{
		Company: a.Company.ID, Sight: a.sight(), Q: f.Q, Conversation: f.Conversation, Contact: f.Contact, Channel: f.Channel,
		User: f.User, Direction: f.Direction, Type: f.Type, Limit: f.Limit,
	}
	if in.From, in.Before, err = a.period(f.From, f.To); err != nil {
		return nil, "", err
	}
	name := f.name()
	if f.Cursor != "" {
		payload, invalid := d.cursors.Open(a.Company.ID, name, f.Cursor)
		if invalid == nil {
			_, in.After, invalid = cursor.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	release, err := d.searches.begin(ctx, a)
	if err != nil {
		return nil, "", err
	}
	defer release()
	found, err := read(ctx, d, func(tx *store.Tx) (store.FoundMessages, error) { return tx.SearchMessages(in) })
	if err == nil && !found.Next.IsZero() {
		next = d.cursors.Seal(a.Company.ID, name, cursor.IntID(0, found.Next))
	}
	return found.Data, next, err
}

// name tells the list that a cursor belongs to from all others.
func (f *MessageFilter) name() string {
	return fmt.Sprintf("found messages %q %s %s %s %s %s %s %q %q", f.Q, f.Conversation, f.Contact, f.Channel, f.User, f.Direction, f.Type, f.From, f.To)
}
