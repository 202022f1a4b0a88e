package talk

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/fold"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
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
	Status       string           `json:"status" enum:"held,queued,sent,delivered,read,failed,received" doc:"held: the message is sent when the customer writes again."`
	Error        *provider.Reason `json:"error" doc:"Why the message failed. edit_refused and delete_refused: WhatsApp refused the last change of a sent message, which was undone."`
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

	Cost *Cost `json:"cost" doc:"What WhatsApp charges for the message; null if it has not reported that."`

	Company kernel.ID `json:"-"`
	Channel kernel.ID `json:"-"`
	Seq     int64     `json:"-"` // orders the messages of a conversation; negative in imported history
	Private bool      `json:"-"`

	template   *string    // to send, as JSON; only stored
	raw        *string    // the provider's JSON; only stored
	releasedIn *kernel.ID // the attendance to which it belongs, if it was held and released
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
	if m.Direction != provider.Outbound || m.Status == provider.StatusHeld {
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
	m.Status = status
	if failed {
		m.Error = nil
	}
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

// ErrorBudgetReached is the error code of an automatic message that was not sent because the budget of the month is used up.
const ErrorBudgetReached = "budget_reached"

// ErrorUncertain is the error code of a message that the provider may or may not have accepted.
const ErrorUncertain = "uncertain"

// FailureCodes returns the error codes of failed messages, each with its reasons. Scheduled messages can also fail with the codes
// of API errors.
func FailureCodes() map[string][]string {
	out := channels.FailureCodes()
	codes := []string{ErrorUncertain, ErrorBudgetReached, ErrorEditRefused, ErrorDeleteRefused, provider.CodeProviderUnavailable, "not_connected", string(kernel.CodeChannelArchived), string(kernel.CodeOptedOut)}
	for _, code := range []kernel.Code{ErrorSenderRemoved, kernel.CodeKeyRevoked, kernel.CodeNotVisible, kernel.CodeAttendanceRestricted, kernel.CodeContactBlocked} {
		codes = append(codes, string(code)) // of held messages
	}
	out[ErrorWindowClosed] = []string{heldCancelled, heldDeclined, heldExpired}
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
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Before string `query:"before" doc:"The before value of a page. Returns the messages that precede it."`
	After  string `query:"after" doc:"The after value of a page. Returns the messages that follow it; if there are more than limit, the oldest of them."`
}

// Messages returns a page of a conversation, newest first. With After it is the page that directly follows the cursor.
func (d *Talk) Messages(ctx context.Context, a *kernel.Principal, conversation kernel.ID, q MessageQuery) (*MessagePage, error) {
	if q.Before != "" && q.After != "" {
		return nil, kernel.NotTogether("query.after", "send either before or after, not both", "before", "after")
	}
	list, seq, newer := "messages "+conversation.String(), int64(math.MaxInt64), q.After != ""
	cursor := q.Before + q.After
	if err := d.openCursor(a, list, cursor, &seq, nil); err != nil {
		return nil, err
	}
	limit := q.Limit
	if !newer {
		limit++ // shows whether there are older ones
	}
	var older bool
	page, err := kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (page []Message, err error) {
		var v kernel.Visibility
		page, older, v, err = messagePage(tx, a.Company.ID, conversation, seq, newer, limit)
		if err != nil || len(page) > 0 && !a.MaySeeBy(&v) {
			return nil, kernel.ErrOr(err, kernel.NotFound("conversation"))
		}
		return page, nil
	})
	if err == nil && len(page) == 0 {
		older, err = kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (bool, error) { return seenUpTo(tx, a, conversation, seq) })
	}
	if err != nil {
		return nil, err
	}
	if newer {
		slices.Reverse(page)
	} else {
		older = len(page) > q.Limit
		page = page[:min(len(page), q.Limit)]
	}
	seal := func(seq int64) *string { return new(d.Cursors.Seal(a.Company.ID, list, kernel.Int(seq))) }
	out := &MessagePage{Data: page}
	newest, oldest := seq, seq+1
	if n := len(page); n > 0 {
		newest, oldest = page[0].Seq, page[n-1].Seq
	} else if !newer {
		newest = seq - 1
	}
	if len(page) > 0 || cursor != "" {
		out.After = seal(newest)
	}
	if older {
		out.Before = seal(oldest)
	}
	return out, nil
}

// openCursor reads the position in the cursor of a list: a number and, unless id is nil, an id. An empty cursor changes nothing.
func (d *Talk) openCursor(a *kernel.Principal, list, cursor string, n *int64, id *kernel.ID) error {
	if cursor == "" {
		return nil
	}
	payload, invalid := d.Cursors.Open(a.Company.ID, list, cursor)
	if invalid == nil && id == nil {
		*n, invalid = kernel.ReadInt(payload)
	} else if invalid == nil {
		*n, *id, invalid = kernel.ReadIntID(payload)
	}
	if invalid != nil {
		return invalid
	}
	return nil
}

// seenUpTo returns an error if the principal may not see a conversation. It reports whether there are messages up to seq.
func seenUpTo(tx *kernel.Tx, a *kernel.Principal, conversation kernel.ID, seq int64) (older bool, err error) {
	var v kernel.Visibility
	found, err := tx.One(`
		SELECT `+visibilityColumns+`, c.channel,
			EXISTS (SELECT 1 FROM messages o WHERE o.company = $1 AND o.conversation = $2 AND o.seq <= $3) AS has_older
		FROM conversations c
		WHERE c.company = $1 AND c.id = $2`, []any{a.Company.ID, conversation, seq}, func(r db.Row) {
		v, older = scanVisibility(r), r.Bool("has_older")
	})
	if err != nil || !found || !a.MaySeeBy(&v) {
		return false, kernel.ErrOr(err, kernel.NotFound("conversation"))
	}
	return older, nil
}

// Message returns a message that the principal may see.
func (d *Talk) Message(ctx context.Context, a *kernel.Principal, id kernel.ID) (*Message, error) {
	return kernel.ReadOne(ctx, d.Kernel, func(tx *kernel.Tx) (*Message, error) {
		m, visibility, found, err := findMessage(tx, a.Company.ID, id)
		if err != nil || !found || !a.MaySeeBy(&visibility) {
			return nil, kernel.ErrOr(err, kernel.NotFound("message"))
		}
		return &m, nil
	})
}

// FindMessage finds a message of a company.
func FindMessage(tx *kernel.Tx, company, id kernel.ID) (m Message, found bool, err error) {
	m, _, found, err = findMessage(tx, company, id)
	return m, found, err
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
	Hold        bool // outside the service window, hold the message until the customer writes
}

// check validates what does not depend on the database.
func (in *NewMessage) check() *kernel.Error {
	if in.Hold && (in.Interactive != nil || in.Template != nil) {
		return kernel.NotTogether("body.when_closed", "only text and files can be held", "interactive", "template")
	}
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
			return sentBefore(tx, a, conversation, in.ClientID)
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
func sentBefore(tx *kernel.Tx, a *kernel.Principal, conversation, client kernel.ID) (accepted, error) {
	m, _, found, err := selectMessage(tx, `m.company = $1 AND m.client_id = $2`, a.Company.ID, client)
	if err != nil || !found || m.Conversation != conversation {
		return accepted{}, kernel.ErrOr(err, errClientID())
	}
	return accepted{&m, true}, nil
}

func errClientID() error {
	return kernel.Errorf(kernel.CodeClientIDConflict, "This client_id belongs to a message in another conversation. Send a new one.")
}

func (d *Talk) send(tx *kernel.Tx, a *kernel.Principal, o *Outbox, in *NewMessage) (accepted, error) {
	t := d.Locked(tx, o.Conversation)
	m := &Message{
		ID: kernel.NewID(), ClientID: &in.ClientID, Conversation: t.ID, Company: t.Company, Channel: t.Channel, Private: t.Private,
		Direction: provider.Outbound, Origin: provider.OriginApp, Type: provider.TypeText, Text: in.Text, ReplyTo: in.ReplyTo,
		Status: provider.StatusQueued, Seq: t.next(), CreatedAt: tx.Now,
	}
	if a.Kind() == kernel.KindKey {
		m.Origin, m.Integration = provider.OriginAPI, &kernel.Ref{ID: a.Key, Name: a.Integration.Name}
	}
	if !a.ActsAsIntegration() {
		m.SentBy = new(a.User)
	}
	if err := d.fillMessage(tx, a, m, o, in); err != nil {
		return accepted{}, err
	}
	if err := maySend(t, a, o, in); err != nil {
		if in.Hold && kernel.CodeOf(err) == kernel.CodeServiceWindowClosed {
			return d.hold(t, a, o, m)
		}
		return accepted{}, err
	}
	inserted, err := t.insertOutbound(m, o.Provider)
	if err != nil {
		return accepted{}, err
	}
	if !inserted { // a concurrent call with the same client id was faster
		return sentBefore(tx, a, t.ID, in.ClientID)
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

// fillMessage adds the file, the interactive parts, the template and the signature to a message, and checks what it replies to.
func (d *Talk) fillMessage(tx *kernel.Tx, a *kernel.Principal, m *Message, o *Outbox, in *NewMessage) error {
	if in.MediaID != nil {
		media, err := d.usableMedia(tx, a, *in.MediaID)
		if err != nil {
			return err
		}
		attach(m, &media)
		if in.Text != nil && *in.Text == "" {
			m.Text = nil
		}
		if m.Text != nil && (media.Kind == MediaAudio || media.Kind == MediaSticker) {
			return errNoCaption()
		}
	}
	if in.Voice {
		if m.Media == nil || m.Media.MimeType != "audio/ogg" {
			return kernel.Malformed("body.voice", "voice")
		}
		m.Voice = true
	}
	if in.Interactive != nil {
		m.Type, m.Text, m.Interactive = provider.TypeInteractive, new(in.Interactive.Text()), in.Interactive
	}
	if err := checkReplyTo(tx, &o.Conversation, in.ReplyTo); err != nil {
		return err
	}
	if in.Template != nil {
		return d.fillTemplate(tx, a, m, o, in.Template)
	}
	if a.Kind() != kernel.KindSession || in.Text == nil { // only texts sent in the app are signed
		return nil
	}
	return o.sign(m)
}

func errNoCaption() error {
	return kernel.Invalid("body.text", ruleNoCaption, "audio files and stickers have no caption: leave text out")
}

// sign puts the name of the sender in front of a text, if the channel is set up that way.
func (o *Outbox) sign(m *Message) error {
	if o.Signature == "" || m.Text == nil {
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

func maySend(t *LockedConversation, a *kernel.Principal, o *Outbox, in *NewMessage) error {
	if err := mayWrite(t, a, o); err != nil || o.Provider != channels.ProviderWhatsApp || in.Template != nil {
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
	if t.Kind == KindDirect && t.Contact == nil {
		return kernel.Errorf(kernel.CodeNotFound, "The person of this conversation was erased.")
	}
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
	Q            string              `query:"q" required:"true" minLength:"2" maxLength:"100" doc:"The text to search for."`
	Conversation httpserver.FilterID `query:"conversation"`
	Contact      httpserver.FilterID `query:"contact" doc:"Searches only conversations with this contact."`
	Channel      httpserver.FilterID `query:"channel"`
	User         httpserver.FilterID `query:"user" doc:"Returns only messages sent by this member."`
	Direction    string              `query:"direction" enum:"inbound,outbound"`
	Type         string              `query:"type" enum:"text,image,audio,video,document,sticker,location,contacts,interactive,unsupported"`
	From         string              `query:"from" doc:"Returns only messages written at or after this time: an RFC 3339 time, or YYYY-MM-DD for the start of that day in the company's time zone." example:"2026-11-01"`
	To           string              `query:"to" doc:"Returns only messages written before this time, in the same format." example:"2026-12-01"`
	Limit        int                 `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor       string              `query:"cursor" maxLength:"400" doc:"The next_cursor of the previous page, with the same filters."`
}

// SearchMessages returns the messages that contain a text and that the principal may see, newest first. next is "" on the last
// page.
func (d *Talk) SearchMessages(ctx context.Context, a *kernel.Principal, f *MessageFilter) (page []FoundMessage, next string, err error) {
	if fold.Text(strings.TrimSpace(f.Q)) == "" {
		return nil, "", kernel.Required("query.q")
	}
	in := messageCriteria{MessageFilter: f, Company: a.Company.ID, Sight: a.Sight()}
	if in.since, in.until, err = a.Period(f.From, f.To); err != nil {
		return nil, "", err
	}
	// A cursor is only accepted with the filter that it belongs to.
	list := fmt.Sprintf("found messages %q %x %x %x %x %s %s %q %q",
		f.Q, f.Conversation, f.Contact, f.Channel, f.User, f.Direction, f.Type, f.From, f.To)
	if err := d.openCursor(a, list, f.Cursor, new(int64), &in.after); err != nil {
		return nil, "", err
	}
	release, err := d.Searches.Begin(ctx, a)
	if err != nil {
		return nil, "", err
	}
	defer release()
	var after kernel.ID
	err = d.Store.Read(ctx, func(tx *kernel.Tx) (err error) {
		page, after, err = searchMessages(tx, in)
		return err
	})
	if err == nil && !after.IsZero() {
		next = d.Cursors.Seal(a.Company.ID, list, kernel.IntID(0, after))
	}
	return page, next, err
}

// MessageAuthor is the author of a message in a group.
type MessageAuthor struct {
	ID   *kernel.ID `json:"id" doc:"The id of the contact; null if there is no such contact."`
	Name string     `json:"name"`
}

// fillTemplate sets the content of a message to a template. It checks the parameters against the channel's copy of the template.
func (d *Talk) fillTemplate(tx *kernel.Tx, a *kernel.Principal, m *Message, o *Outbox, in *provider.Template) error {
	if o.Provider != channels.ProviderWhatsApp {
		return kernel.Invalid("body.template", channels.RuleWhatsAppOnly, "templates are only for WhatsApp channels")
	}
	copied, found, synced, err := channels.Template(tx, m.Company, m.Channel, in.Name, in.Language)
	if err != nil {
		return err
	}
	line := channels.TemplateLine(in)
	if synced {
		if !found {
			return kernel.NoSuch("body.template.name", "template")
		}
		if invalid := channels.MatchTemplate(&copied, in); invalid != nil {
			return invalid
		}
		line = copied.Fill(in.Parameters)
	}
	for i := range in.Parameters {
		if p := &in.Parameters[i]; p.MediaID != nil {
			if err := d.templateFile(tx, a, m, p, fmt.Sprintf("body.template.parameters[%d].media_id", i)); err != nil {
				return err
			}
		}
	}
	if synced && copied.Status != provider.TemplateApproved {
		return kernel.Errorf(kernel.CodeTemplateUnavailable,
			"The template %s is %s at WhatsApp, so it cannot be sent. Choose an approved one.", copied.Name, copied.Status)
	}
	if o.OptedOut && !synced {
		return kernel.Errorf(kernel.CodeTemplateUnavailable,
			"The templates of this channel have not been fetched from WhatsApp yet, so the category of this one is not known, and this contact has opted out of marketing. Try again when they have been fetched.")
	}
	if o.OptedOut && copied.IsMarketing() {
		return errOptedOut()
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	m.template, m.Text = new(string(raw)), &line
	return nil
}

// templateFile attaches the file of a header parameter.
func (d *Talk) templateFile(tx *kernel.Tx, a *kernel.Principal, m *Message, p *provider.TemplateParameter, field string) error {
	media, err := d.usableMedia(tx, a, *p.MediaID)
	if refused, ok := err.(*kernel.Error); ok && refused.Code == kernel.CodeInvalidRequest {
		refused.Fields[0].Field = field
	}
	if err != nil {
		return err
	}
	if p.Kind == "" {
		p.Kind = string(media.Kind)
	}
	if p.Kind != string(media.Kind) {
		return kernel.Invalid(field, channels.RuleTemplateParameter, "the header of this template requires a file of the type "+p.Kind,
			kernel.Params{"reason": "type", "parameter": "header", "type": p.Kind})
	}
	attach(m, &media)
	return nil
}

type listMessagesInput struct {
	httpserver.AtID
	MessageQuery
}

func (s *handlers) listMessages(ctx context.Context, a *kernel.Principal, in *listMessagesInput) (*httpserver.Reply[*MessagePage], error) {
	return httpserver.Body(s.verbs.Messages(ctx, a, kernel.ID(in.ID), in.MessageQuery))
}

type reactInput struct {
	httpserver.AtID
	Body struct {
		Emoji string `json:"emoji" minLength:"1" maxLength:"32" doc:"The reaction, a single emoji." example:"👍"`
	}
}

func (s *handlers) react(ctx context.Context, a *kernel.Principal, in *reactInput) (*httpserver.Reply[*Message], error) {
	return httpserver.Body(s.verbs.React(ctx, a, kernel.ID(in.ID), in.Body.Emoji))
}

type sendMessageInput struct {
	httpserver.AtID
	Body struct {
		ClientID    kernel.ID              `json:"client_id" doc:"A UUID that you choose for each message. If you send it again, the response contains the existing message and nothing is sent."`
		Text        *string                `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"The text. Required unless media_id is sent; with media_id, this is the caption, at most 1024 characters."`
		MediaID     *kernel.ID             `json:"media_id,omitempty" doc:"The id of a file uploaded with POST /media."`
		ReplyTo     *string                `json:"reply_to_external_id,omitempty" minLength:"1" maxLength:"512" doc:"The external_id of a message of this conversation to quote."`
		Interactive *interactiveBody       `json:"interactive,omitempty" doc:"A message with buttons or a list, instead of text or media_id. The text of the message is generated from it."`
		Voice       *bool                  `json:"voice,omitempty" doc:"Whether to send the file, which must be Opus in Ogg, as a voice message."`
		Template    *channels.TemplateBody `json:"template,omitempty" doc:"The template to send instead of text or media_id. WhatsApp accepts only templates if the customer's last message is more than 24 hours old."`
		WhenClosed  string                 `json:"when_closed,omitempty" enum:"fail,hold" doc:"What to do with a text or file if WhatsApp accepts only templates now. fail, the default: 409 service_window_closed. hold: store the message as held, send the channel's reopening template, and send the message when the customer writes again."`
	}
}

type interactiveBody struct {
	Body    string        `json:"body" minLength:"1" maxLength:"4096" doc:"At most 1024 characters with buttons, 4096 with a list."`
	Header  *string       `json:"header,omitempty" minLength:"1" maxLength:"60"`
	Footer  *string       `json:"footer,omitempty" minLength:"1" maxLength:"60"`
	Buttons *[]choiceBody `json:"buttons,omitempty" minItems:"1" maxItems:"3" doc:"The buttons. Exactly one of buttons and list is required."`
	List    *listBody     `json:"list,omitempty"`
}

type choiceBody struct {
	ID    string `json:"id" minLength:"1" maxLength:"256"`
	Title string `json:"title" minLength:"1" maxLength:"20"`
}

type listBody struct {
	Button   string        `json:"button" minLength:"1" maxLength:"20" doc:"The label of the button that opens the list."`
	Sections []sectionBody `json:"sections" minItems:"1" maxItems:"10" doc:"The sections may have at most 10 rows in total."`
}

type sectionBody struct {
	Title *string   `json:"title,omitempty" minLength:"1" maxLength:"24" doc:"The title of the section. Required if there are several sections."`
	Rows  []rowBody `json:"rows" minItems:"1" maxItems:"10"`
}

type rowBody struct {
	ID          string  `json:"id" minLength:"1" maxLength:"200"`
	Title       string  `json:"title" minLength:"1" maxLength:"24"`
	Description *string `json:"description,omitempty" minLength:"1" maxLength:"72"`
}

type sendMessageOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"Whether the conversation already had a message with this client_id, in which case nothing was sent."`
	Body     *Message
}

func (s *handlers) sendMessage(ctx context.Context, a *kernel.Principal, in *sendMessageInput) (*sendMessageOutput, error) {
	respond := httpserver.Shaped(ctx, func(m *accepted) *sendMessageOutput {
		return &sendMessageOutput{httpserver.Replayed(m.replayed), m.message}
	})
	m, replayed, err := s.verbs.SendMessage(ctx, a, kernel.ID(in.ID), NewMessage{
		ClientID: in.Body.ClientID, Text: in.Body.Text, MediaID: in.Body.MediaID, ReplyTo: in.Body.ReplyTo,
		Template: in.Body.Template.Template(), Interactive: sameJSON[provider.Interactive](in.Body.Interactive),
		Voice: in.Body.Voice != nil && *in.Body.Voice, Hold: in.Body.WhenClosed == "hold",
	})
	return respond(&accepted{m, replayed}), err
}
