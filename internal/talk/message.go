package talk

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/kernel"
)

// Message is one message of a conversation, in either direction.
type Message struct {
	ID           kernel.ID        `json:"id"`
	ClientID     *kernel.ID       `json:"client_id"`
	Conversation kernel.ID        `json:"conversation"`
	Direction    string           `json:"direction" enum:"inbound,outbound"`
	Origin       string           `json:"origin" enum:"customer,app,phone,api,automation"`
	Type         string           `json:"type" enum:"text,image,audio,video,document,sticker,location,contacts,interactive,unsupported"`
	Text         *string          `json:"text"`
	MediaID      *kernel.ID       `json:"media_id"`
	Media        *MessageMedia    `json:"media"`
	ReplyTo      *string          `json:"reply_to_external_id"`
	ExternalID   *string          `json:"external_id"`
	Status       string           `json:"status" enum:"queued,sent,delivered,read,failed,received"`
	Error        *provider.Reason `json:"error"`
	SentBy       *kernel.Ref      `json:"sent_by"`
	CreatedAt    time.Time        `json:"created_at"`
	SentAt       *time.Time       `json:"sent_at"`
	DeliveredAt  *time.Time       `json:"delivered_at"`
	ReadAt       *time.Time       `json:"read_at"`

	Author    *MessageAuthor     `json:"author" doc:"The author of a message in a group; null in other conversations."`
	Reactions Reactions          `json:"reactions"`
	Referral  *provider.Referral `json:"referral" doc:"The ad or post through which the customer started the conversation."`
	Product   *provider.Product  `json:"product" doc:"The catalogue item the customer is asking about."`
	EditedAt  *time.Time         `json:"edited_at" doc:"The time of the author's last edit."`
	RevokedAt *time.Time         `json:"revoked_at" doc:"The time at which the author deleted the message for everyone. Its text and file are removed unless the company keeps them."`

	Interactive *provider.Interactive `json:"interactive" doc:"The buttons or the list of the message; text contains all of it as plain text."`
	Choice      *provider.Choice      `json:"choice" doc:"The customer's choice from buttons or a list; text contains it as plain text."`
	Voice       bool                  `json:"voice" doc:"Whether the file is a voice message."`
	Integration *kernel.Ref           `json:"integration" doc:"The API key the message was sent with; null for other messages."`

	Notice  *provider.MessageNotice `json:"notice" doc:"A code that describes a message without text, such as a missed call, for translation; text contains the description in English. null in messages written by people."`
	Form    *provider.Form          `json:"form" doc:"The form the customer submitted; text contains it as plain text."`
	Standby bool                    `json:"standby" doc:"Whether another app, such as Meta's AI, was handling the conversation when the message passed through."`

	Company kernel.ID `json:"-"`
	Channel kernel.ID `json:"-"`
	Seq     int64     `json:"-"` // orders the messages of a conversation; negative in imported history
	Private bool      `json:"-"`
}

// Subject returns the conversation of the message.
func (m *Message) Subject() kernel.Subject {
	return kernel.Subject{Kind: SubjectConversation, ID: m.Conversation}
}

// MessagePage is one page of a conversation, newest first.
type MessagePage struct {
	Data   []Message `json:"data"`
	Before *string   `json:"before" doc:"Pass it as before to get the next older page; null at the beginning of the conversation."`
	After  *string   `json:"after" doc:"Pass it as after to get the messages that follow this page; null only if the conversation has no messages."`
}

// FoundMessage is a message that a search found.
type FoundMessage struct {
	Message      Message    `json:"message"`
	Conversation kernel.Ref `json:"conversation"`
	Snippet      string     `json:"snippet" doc:"The plain text around the first match, at most 160 characters."`
	Match        [2]int     `json:"match" doc:"The start and length of the match in the snippet, in UTF-16 code units."`
}

// Left reports whether an outbound message is known to be sent.
func (m *Message) Left() bool { return m.SentAt != nil && m.Direction == provider.Outbound }

// Advance applies a provider's status report to an outbound message and reports whether it changed anything. The status only
// advances: queued, sent, delivered, read. Failed can follow queued and sent and is final, unless the outcome was uncertain.
func (m *Message) Advance(status string, at time.Time, failure *provider.Reason) bool {
	if m.Direction != provider.Outbound {
		return false
	}
	uncertain := m.Status == provider.StatusFailed && m.Error != nil && m.Error.Code == ErrorUncertain
	if status == provider.StatusFailed {
		if m.Status != provider.StatusQueued && m.Status != provider.StatusSent && !uncertain {
			return false
		}
		if failure == nil {
			failure = new(provider.NewReason("not_delivered", "The provider did not deliver the message and did not say why."))
		}
		m.Status, m.Error = provider.StatusFailed, failure
		return true
	}
	failed := m.Status == provider.StatusFailed
	if failed && !uncertain || !failed && progress(status) <= progress(m.Status) {
		return false
	}
	m.Status, m.Error = status, nil
	// Providers report whole seconds: no status is earlier than the previous one.
	for _, before := range []*time.Time{&m.CreatedAt, m.SentAt, m.DeliveredAt} {
		if before != nil && before.After(at) {
			at = *before
		}
	}
	if m.SentAt == nil {
		m.SentAt = &at
	}
	if status != provider.StatusSent && m.DeliveredAt == nil {
		m.DeliveredAt = &at
	}
	if status == provider.StatusRead {
		m.ReadAt = &at
	}
	return true
}

// ErrorUncertain is the error code of a message that the provider may or may not have accepted.
const ErrorUncertain = "uncertain"

// FailureCodes returns the error codes of failed messages, each with its reasons. Scheduled messages can also fail with the codes
// of API errors.
func FailureCodes() map[string][]string {
	out := channels.FailureCodes()
	codes := []string{ErrorUncertain, provider.CodeProviderUnavailable, "not_connected", string(kernel.CodeChannelArchived)}
	for _, code := range codes {
		out[code] = nil
	}
	return out
}

// UncertainError returns the error with the code ErrorUncertain.
func UncertainError() *provider.Reason {
	return new(provider.NewReason(ErrorUncertain,
		"It is not known whether the provider accepted this message, so it is not sent again."))
}

// progress orders the statuses of a message that did not fail; queued is 0.
func progress(status string) int {
	return slices.Index([]string{provider.StatusSent, provider.StatusDelivered, provider.StatusRead}, status) + 1
}

// MessageMedia is the file of a message.
type MessageMedia struct {
	ID       kernel.ID `json:"id"`
	MimeType string    `json:"mime_type"`
	FileName string    `json:"file_name"`
	Size     int64     `json:"size"`

	Width           *int64   `json:"width" doc:"In pixels, as displayed; null if unknown."`
	Height          *int64   `json:"height" doc:"In pixels, as displayed; null if unknown."`
	DurationSeconds *float64 `json:"duration_seconds" doc:"The duration of the file in seconds; null if unknown."`
}

// MessageQuery selects a page of a conversation. At most one of Before and After is set.
type MessageQuery struct {
	Limit  int
	Before string
	After  string
}

// Messages returns a page of a conversation, newest first. With After it is the page that directly follows the cursor.
func (d *Talk) Messages(ctx context.Context, a *kernel.Principal, conversation kernel.ID, q MessageQuery) (*MessagePage, error) {
	if err := a.May(VerbMessages); err != nil {
		return nil, err
	}
	if q.Before != "" && q.After != "" {
		return nil, kernel.NotTogether("query.after", "send either before or after, not both", "before", "after")
	}
	r := messageReader{d, a, conversation}
	if q.After != "" {
		return r.after(ctx, q)
	}
	return r.before(ctx, q)
}

type messageReader struct {
	d            *Talk
	a            *kernel.Principal
	conversation kernel.ID
}

func (r messageReader) before(ctx context.Context, q MessageQuery) (*MessagePage, error) {
	seq := int64(math.MaxInt64)
	if q.Before != "" {
		var invalid *kernel.Error
		if seq, invalid = r.openCursor(q.Before); invalid != nil {
			return nil, invalid
		}
	}
	page, err := kernel.ReadOne(ctx, r.d.Kernel, func(tx *kernel.Tx) (*MessagePage, error) {
		data, visibility, err := messagesBefore(tx, r.a.Company.ID, r.conversation, seq, q.Limit+1)
		if err != nil || len(data) > 0 && !r.a.MaySeeBy(&visibility) {
			return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		page := &MessagePage{Data: data[:min(len(data), q.Limit)]}
		if len(data) > q.Limit {
			page.Before = r.cursor(data[q.Limit-1].Seq)
		}
		return page, nil
	})
	if err != nil {
		return nil, err
	}
	if len(page.Data) > 0 {
		page.After = r.cursor(page.Data[0].Seq)
		return page, nil
	}
	if _, err := r.checkEmptyPage(ctx, 0); err != nil {
		return nil, err
	}
	if q.Before != "" {
		page.After = r.cursor(seq - 1)
	}
	return page, nil
}

func (r messageReader) after(ctx context.Context, q MessageQuery) (*MessagePage, error) {
	seq, invalid := r.openCursor(q.After)
	if invalid != nil {
		return nil, invalid
	}
	var hasOlder bool
	page, err := kernel.ReadOne(ctx, r.d.Kernel, func(tx *kernel.Tx) (*MessagePage, error) {
		data, older, visibility, err := messagesAfter(tx, r.a.Company.ID, r.conversation, seq, q.Limit)
		if err != nil || len(data) > 0 && !r.a.MaySeeBy(&visibility) {
			return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		hasOlder = older
		return &MessagePage{Data: data}, nil
	})
	if err != nil {
		return nil, err
	}
	newest, oldest := seq, seq+1
	if n := len(page.Data); n > 0 {
		slices.Reverse(page.Data)
		newest, oldest = page.Data[0].Seq, page.Data[n-1].Seq
	} else if hasOlder, err = r.checkEmptyPage(ctx, seq); err != nil {
		return nil, err
	}
	page.After = r.cursor(newest)
	if hasOlder {
		page.Before = r.cursor(oldest)
	}
	return page, nil
}

// checkEmptyPage returns an error if the principal may not see the conversation of an empty page. It reports whether there are
// messages up to seq.
func (r messageReader) checkEmptyPage(ctx context.Context, seq int64) (hasOlder bool, err error) {
	return kernel.ReadOne(ctx, r.d.Kernel, func(tx *kernel.Tx) (bool, error) {
		visibility, hasOlder, found, err := visibility(tx, r.a.Company.ID, r.conversation, seq)
		if err != nil || !found || !r.a.MaySeeBy(&visibility) {
			return false, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		return hasOlder, nil
	})
}

func (r messageReader) cursor(seq int64) *string {
	return new(r.d.Cursors.Seal(r.a.Company.ID, "messages "+r.conversation.String(), kernel.Int(seq)))
}

func (r messageReader) openCursor(text string) (int64, *kernel.Error) {
	payload, invalid := r.d.Cursors.Open(r.a.Company.ID, "messages "+r.conversation.String(), text)
	if invalid != nil {
		return 0, invalid
	}
	return kernel.ReadInt(payload)
}

// Message returns a message that the principal may see.
func (d *Talk) Message(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Message, error) {
	if err := a.May(VerbMessage); err != nil {
		return nil, err
	}
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (*Message, error) {
		m, visibility, found, err := findMessage(tx, a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, kernel.ErrOr(err, kernel.NotFound("message"))
		}
		return &m, nil
	})
}

// NewMessage is a message to send: a text, a file with or without a caption, buttons or a list, or a template.
type NewMessage struct {
	ClientID kernel.ID
	Text     *string
	MediaID  *kernel.ID
	ReplyTo  *string
	Template *provider.Template

	Interactive *provider.Interactive
	Voice       bool // the file is a recording made for the chat
}

// check validates what does not depend on the database.
func (in *NewMessage) check() *kernel.Error {
	if in.Voice && in.MediaID == nil {
		return kernel.Needs("body.voice", "needs a media_id", "media_id")
	}
	if in.Interactive != nil {
		if in.Text != nil {
			return kernel.NotTogether("body.text",
				"must not be sent together with interactive: the text is written from it", "interactive")
		}
		if in.MediaID != nil || in.Template != nil {
			return kernel.NotTogether("body.interactive", "must not be sent together with media_id or template", "media_id", "template")
		}
		return in.Interactive.Check("body.interactive")
	}
	if in.Template != nil {
		if in.Text != nil || in.MediaID != nil {
			return kernel.NotTogether("body.template", "must not be sent together with text or media_id", "text", "media_id")
		}
		return channels.CheckTemplate(in.Template)
	}
	if in.MediaID != nil {
		if in.Text == nil {
			return nil
		}
		_, invalid := kernel.OptionalText("body.text", *in.Text, provider.MaxCaption)
		return invalid
	}
	if in.Text == nil {
		return kernel.Invalid("body.text", kernel.RuleRequired, "is required when there is no media_id")
	}
	_, invalid := kernel.Text("body.text", *in.Text, provider.MaxText)
	return invalid
}

// SendMessage stores a message and queues it for the provider; a sandbox accepts it at once. If the conversation already has a
// message with the client id, it returns that message in its present state and replayed, whatever else in contains.
func (d *Talk) SendMessage(ctx context.Context, a *kernel.Principal, conversation kernel.ID, in NewMessage) (m *Message, replayed bool, err error) {
	if err := a.May(VerbSendMessage); err != nil {
		return nil, false, err
	}
	if in.ClientID.IsZero() {
		return nil, false, kernel.Malformed("body.client_id", "nonzero_uuid")
	}
	invalid := in.check()
	out, err := kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (accepted, error) {
		o, found, err := lockOutbox(tx, a.Company.ID, conversation, in.ClientID, a.User.ID)
		switch {
		case err != nil:
			return accepted{}, err
		case invalid != nil && !(found && o.Earlier): // a repeated call is not validated
			return accepted{}, invalid
		case !found || !MaySee(a, &o.Conversation):
			return accepted{}, kernel.NotFound("conversation")
		case o.Earlier:
			return d.sentBefore(tx, a, conversation, in.ClientID)
		}
		if o.Drafted && a.Kind() == kernel.KindSession {
			if err := d.dropDraft(tx, a, conversation); err != nil {
				return accepted{}, err
			}
		}
		return d.send(tx, a, &o, &in)
	})
	return out.message, out.replayed, err
}

// accepted is a message that was stored, now or by an earlier call.
type accepted struct {
	message  *Message
	replayed bool
}

// sentBefore returns the message of a repeated client id.
func (d *Talk) sentBefore(tx *kernel.Tx, a *kernel.Principal, conversation, client kernel.ID) (accepted, error) {
	m, found, err := messageWithClientID(tx, a.Company.ID, client)
	if err != nil || !found || m.Conversation != conversation {
		return accepted{}, kernel.ErrOr(err, kernel.Errorf(kernel.CodeClientIDConflict,
			"This client_id belongs to a message in another conversation. Send a new one."))
	}
	return accepted{&m, true}, nil
}

func (d *Talk) send(tx *kernel.Tx, a *kernel.Principal, o *Outbox, in *NewMessage) (accepted, error) {
	t := d.Locked(tx, o.Conversation)
	m := &Message{
		ID: kernel.NewID(), ClientID: &in.ClientID, Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: provider.Outbound, Origin: origin(a), Type: provider.TypeText, Text: in.Text, ReplyTo: in.ReplyTo,
		Status: provider.StatusQueued, Seq: t.next(), CreatedAt: tx.Now,
	}
	setSender(a, m)
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
	inserted, err := t.insertOutbound(m, extras, o.Provider)
	if err != nil {
		return accepted{}, err
	}
	if !inserted { // a concurrent call with the same client id was faster
		return d.sentBefore(tx, a, t.ID, in.ClientID)
	}
	if o.Rendered {
		err = countUses(tx, a, m)
	}
	if a.Kind() == kernel.KindSession {
		t.pauseBot()
	}
	if err == nil && !a.ActsAsIntegration() {
		err = t.teamWrote(&a.User)
	}
	if err == nil {
		err = t.Save()
	}
	return accepted{message: m}, err
}

// fillMessage adds the file, the interactive parts and the template to a message, and checks what it replies to.
func (d *Talk) fillMessage(tx *kernel.Tx, a *kernel.Principal, m *Message, o *Outbox, in *NewMessage) (extras MessageExtras, err error) {
	if in.MediaID != nil {
		media, err := d.usableMedia(tx, a, *in.MediaID)
		if err != nil {
			return extras, err
		}
		attach(m, &media)
		if in.Text != nil && *in.Text == "" {
			m.Text = nil
		}
		if m.Text != nil && (media.Kind == MediaAudio || media.Kind == MediaSticker) {
			return extras, kernel.Invalid("body.text", ruleNoCaption, "audio files and stickers have no caption: leave text out")
		}
	}
	if in.Voice {
		if m.Media == nil || m.Media.MimeType != "audio/ogg" {
			return extras, kernel.Malformed("body.voice", "voice")
		}
		m.Voice = true
	}
	if in.Interactive != nil {
		m.Type, m.Text, m.Interactive = provider.TypeInteractive, new(in.Interactive.Text()), in.Interactive
	}
	if in.ReplyTo != nil {
		found, err := hasExternalID(tx, m.Company, m.Conversation, m.Channel, *in.ReplyTo)
		if err != nil || !found {
			return extras, kernel.ErrOr(err, errReplyTo())
		}
	}
	if in.Template != nil {
		return d.fillTemplate(tx, a, m, o, in.Template)
	}
	return extras, nil
}

// sign puts the name of the sender in front of a text sent in the app, if the channel is set up that way.
func sign(m *Message, a *kernel.Principal, o *Outbox, in *NewMessage) error {
	if o.Signature == "" || a.Kind() != kernel.KindSession || in.Text == nil || m.Text == nil || in.Template != nil {
		return nil
	}
	text, limit := channels.Signed(*m.Text, o.Signature), provider.MaxText
	if m.MediaID != nil {
		limit = provider.MaxCaption
	}
	if utf8.RuneCountInString(text) > limit {
		return kernel.Invalid("body.text", kernel.RuleTooLong,
			fmt.Sprintf("must have at most %d characters together with the name that signs it.", limit), kernel.Params{"max": limit})
	}
	m.Text = &text
	return nil
}

func errReplyTo() error {
	return kernel.NoSuch("body.reply_to_external_id", "message")
}

func maySend(t *LockedConversation, a *kernel.Principal, o *Outbox, in *NewMessage) error {
	if err := mayWrite(t, a, o); err != nil || o.Provider == channels.ProviderSandbox || in.Template != nil {
		return err
	}
	reason, message := "expired", "The customer's last message is more than 24 hours old: WhatsApp now accepts only a template."
	if t.LastInboundAt == nil {
		reason, message = "never_wrote", "This customer has not written yet: WhatsApp accepts only a template as the first message."
	} else if t.Tx.Now.Sub(*t.LastInboundAt) < ServiceWindow {
		return nil
	}
	return &kernel.Error{Code: kernel.CodeServiceWindowClosed, Message: message, Params: kernel.Params{"reason": reason}}
}

// mayWrite checks the rules that do not depend on the time of sending.
func mayWrite(t *LockedConversation, a *kernel.Principal, o *Outbox) error {
	if o.Blocked {
		return kernel.Errorf(kernel.CodeContactBlocked, "This contact is blocked. Unblock it to send messages.")
	}
	if err := t.mayAnswer(a); err != nil {
		return err
	}
	if o.Archived {
		return channels.ErrChannelArchived()
	}
	if o.Status != channels.ChannelConnected {
		return kernel.Errorf(kernel.CodeChannelDisconnected,
			"The channel of this conversation is disconnected. Connect it to send messages.")
	}
	return nil
}

// arrived makes a message the last one of the conversation, which moves up in lists.
func (t *LockedConversation) arrived(m *Message) {
	t.showLast(m)
	t.ActivityAt = t.Tx.Now
}

func (t *LockedConversation) showLast(m *Message) {
	t.LastMessage = &LastMessage{
		ID: m.ID, Type: m.Type, Text: m.Text, Direction: m.Direction, CreatedAt: m.CreatedAt, Status: m.Status, Notice: m.Notice,
	}
	if m.Media != nil {
		t.LastMessage.FileName, t.LastMessage.DurationSeconds = &m.Media.FileName, m.Media.DurationSeconds
	}
}

// MessageFilter selects messages. Zero values filter nothing, except that Q is required.
type MessageFilter struct {
	Q            string
	Conversation kernel.ID
	Contact      kernel.ID
	Channel      kernel.ID
	User         kernel.ID // the sender
	Direction    string
	Type         string
	From         string // written then or later: RFC 3339, or a day in the time zone of the company
	To           string // written before, in the same format
	Limit        int
	Cursor       string
}

// SearchMessages returns the messages that contain a text and that the principal may see, newest first. next is "" on the last
// page.
func (d *Talk) SearchMessages(ctx context.Context, a *kernel.Principal, f MessageFilter) (page []FoundMessage, next string, err error) {
	if err := a.May(VerbSearchMessages); err != nil {
		return nil, "", err
	}
	if fold.Text(strings.TrimSpace(f.Q)) == "" {
		return nil, "", kernel.Required("query.q")
	}
	in := messageCriteria{
		Company: a.Company.ID, Sight: a.Sight(), Q: f.Q, Conversation: f.Conversation, Contact: f.Contact, Channel: f.Channel,
		User: f.User, Direction: f.Direction, Type: f.Type, Limit: f.Limit,
	}
	if in.From, in.Before, err = a.Period(f.From, f.To); err != nil {
		return nil, "", err
	}
	name := f.name()
	if f.Cursor != "" {
		payload, invalid := d.Cursors.Open(a.Company.ID, name, f.Cursor)
		if invalid == nil {
			_, in.After, invalid = kernel.ReadIntID(payload)
		}
		if invalid != nil {
			return nil, "", invalid
		}
	}
	release, err := d.Searches.Begin(ctx, a)
	if err != nil {
		return nil, "", err
	}
	defer release()
	found, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (FoundMessages, error) { return searchMessages(tx, in) })
	if err == nil && !found.Next.IsZero() {
		next = d.Cursors.Seal(a.Company.ID, name, kernel.IntID(0, found.Next))
	}
	return found.Data, next, err
}

// name identifies the filter, so that a cursor is only accepted with the filter that it belongs to.
func (f *MessageFilter) name() string {
	return fmt.Sprintf("found messages %q %s %s %s %s %s %s %q %q",
		f.Q, f.Conversation, f.Contact, f.Channel, f.User, f.Direction, f.Type, f.From, f.To)
}

func origin(a *kernel.Principal) string {
	if a.Kind() == kernel.KindKey {
		return provider.OriginAPI
	}
	return provider.OriginApp
}

func setSender(a *kernel.Principal, m *Message) {
	if a.Kind() == kernel.KindKey {
		m.Integration = &kernel.Ref{ID: a.Key, Name: a.Integration.Name}
	}
	if !a.ActsAsIntegration() {
		m.SentBy = new(a.User)
	}
}

// MessageAuthor is the author of a message in a group.
type MessageAuthor struct {
	ID   *kernel.ID `json:"id" doc:"The id of the contact; null if there is no such contact."`
	Name string     `json:"name"`
}
