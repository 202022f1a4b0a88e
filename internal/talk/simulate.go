package talk

import (
	"context"
	"net/http"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/phone"
)

// Simulation is an event on a sandbox channel, in one of four forms: a customer writes (From), a customer changes or reacts to
// a message (From and one of Reaction, Edit and Revoke), the provider reports a status (ExternalID), or a member writes with
// the phone app (FromPhoneApp).
type Simulation struct {
	From    *string
	Name    *string
	Text    *string
	MediaID *kernel.ID
	ReplyTo *string
	Group   *provider.IncomingGroup
	Choice  *provider.Choice

	Reaction *simulateReaction
	Edit     *simulateEdit
	Revoke   *simulateRevoke

	ExternalID *string
	Status     *string

	FromPhoneApp bool
	To           *string
}

// check validates that the simulation has exactly one form. It returns the customer's phone number, if any.
func (s *Simulation) check() (e164 string, err error) {
	customer := s.From != nil || s.Name != nil || s.MediaID != nil || s.ReplyTo != nil || s.Group != nil || s.Choice != nil || s.changes() > 0
	report := s.ExternalID != nil || s.Status != nil
	team := s.FromPhoneApp || s.To != nil
	field, number, limit := "body.from", s.From, provider.MaxText
	switch {
	case customer && report || customer && team || report && (team || s.Text != nil):
		return "", kernel.NotTogether("body", "send the fields of one form only: a customer (from), a status (external_id, status), "+
			"or a member with the phone app (from_phone_app, to)", "from", "external_id", "from_phone_app")
	case report:
		if s.ExternalID == nil || s.Status == nil {
			return "", kernel.Needs("body", "send external_id and status together, and no other field", "external_id", "status")
		}
		return "", nil
	case team:
		if !s.FromPhoneApp || s.To == nil || s.Text == nil {
			return "", kernel.Needs("body", "send from_phone_app, to and text together, and no other field", "from_phone_app", "to", "text")
		}
		field, number = "body.to", s.To
	case s.From == nil:
		return "", kernel.Invalid("body.from", kernel.RuleRequired, "is required: the phone of the customer who writes")
	case s.changes() > 0:
		if err := s.checkChange(); err != nil {
			return "", err
		}
	case s.Choice != nil:
		if s.Text != nil || s.MediaID != nil {
			return "", kernel.NotTogether("body.choice", "must not be sent together with text or media_id", "text", "media_id")
		}
		if _, invalid := kernel.Text("body.choice.title", s.Choice.Title, provider.MaxText); invalid != nil {
			return "", invalid
		}
	case s.Text == nil && s.MediaID == nil:
		return "", kernel.Invalid("body.text", kernel.RuleRequired, "is required when there is no media_id")
	case s.MediaID != nil:
		limit = provider.MaxCaption
	}
	e164, ok := phone.Normalize(*number)
	if !ok {
		return "", channels.ErrPhone(field)
	}
	if s.Text != nil {
		if _, invalid := kernel.Text("body.text", *s.Text, limit); invalid != nil {
			return "", invalid
		}
	}
	return e164, nil
}

// changes counts the set fields among Reaction, Edit and Revoke.
func (s *Simulation) changes() int {
	return countTrue(s.Reaction != nil, s.Edit != nil, s.Revoke != nil)
}

func countTrue(conditions ...bool) (n int) {
	for _, condition := range conditions {
		if condition {
			n++
		}
	}
	return n
}

func (s *Simulation) checkChange() error {
	if s.changes() > 1 || s.Text != nil || s.Name != nil || s.MediaID != nil || s.ReplyTo != nil || s.Group != nil || s.Choice != nil {
		return kernel.NotTogether("body", "send from together with one of reaction, edit and revoke, and no other field", "reaction", "edit", "revoke")
	}
	if s.Reaction != nil {
		if emoji := s.Reaction.Emoji.Pointer(); emoji != nil && !IsOne(*emoji) {
			return kernel.Malformed("body.reaction.emoji", "emoji")
		}
	}
	if s.Edit != nil {
		if _, invalid := kernel.Text("body.edit.text", s.Edit.Text, provider.MaxText); invalid != nil {
			return invalid
		}
	}
	return nil
}

// Simulate handles an event on a sandbox channel as if a provider had reported it, and returns the new or changed message.
func (d *Talk) Simulate(ctx context.Context, a *kernel.Principal, channel kernel.ID, s Simulation) (*Message, error) {
	phone, invalid := s.check()
	if invalid != nil {
		return nil, invalid
	}
	arrived := time.Now()
	return kernel.WriteAnswer(ctx, d.Kernel, func(tx *kernel.Tx) (*Message, error) {
		tx.ShareVisibility(a.Company.ID)
		ch, err := d.channels.Known(tx, a, channel)
		if err != nil {
			return nil, err
		}
		if ch.ArchivedAt != nil {
			return nil, channels.ErrChannelArchived()
		}
		if ch.Provider != channels.ProviderSandbox {
			return nil, kernel.Invalid("path.id", ruleSandboxOnly, "only a sandbox channel can be simulated")
		}
		in := d.inboundBatch(tx, ch)
		in.Arrived, in.simulated = arrived, true
		var m *Message
		switch {
		case s.ExternalID != nil:
			m, err = in.simulateStatus(a, &s)
		case s.changes() > 0:
			m, err = in.simulateChange(a, &s, phone)
		default:
			m, err = in.simulateMessage(a, &s, phone)
		}
		if err != nil {
			return nil, err
		}
		return m, in.finish()
	})
}

func (in *InboundBatch) simulateMessage(a *kernel.Principal, s *Simulation, phone string) (*Message, error) {
	msg := &provider.IncomingMessage{
		ExternalID: "sandbox." + kernel.NewID().String(), FromPhoneApp: s.FromPhoneApp, Group: s.Group, Type: provider.TypeText,
		Customer: provider.Person{Phone: phone, WAID: phone[1:]}, At: in.Tx.Now,
	}
	kernel.Set(&msg.Customer.Name, s.Name)
	kernel.Set(&msg.Text, s.Text)
	if s.Choice != nil {
		msg.Text, msg.Choice = s.Choice.Title, s.Choice
	}
	var upload *Media
	if s.MediaID != nil {
		media, err := in.d.usableMedia(in.Tx, a, *s.MediaID)
		if err != nil {
			return nil, err
		}
		upload = &media
	}
	if s.ReplyTo != nil {
		t, _, err := in.conversation(msg)
		if err != nil {
			return nil, err
		}
		if err := checkReplyTo(in.Tx, &t.Conversation, s.ReplyTo); err != nil {
			return nil, err
		}
		msg.ReplyTo = *s.ReplyTo
	}
	return in.message(msg, upload)
}

// simulatedMessage returns the visible message with an external id. field is the name of the id in the request.
func (in *InboundBatch) simulatedMessage(a *kernel.Principal, field, external string) (Message, error) {
	m, visibility, found, err := in.stored(external)
	if err != nil || !found || !a.MaySeeBy(&visibility) {
		return m, kernel.ErrOr(err, kernel.NoSuch(field, "message"))
	}
	return m, nil
}

func (in *InboundBatch) simulateChange(a *kernel.Principal, s *Simulation, phone string) (*Message, error) {
	c := messageChange{Kind: changeRevoke, Sender: provider.Sender{Customer: provider.Person{Phone: phone, WAID: phone[1:]}}, At: in.Tx.Now}
	field, external := "body.revoke", ""
	switch {
	case s.Reaction != nil:
		field, external, c.Kind = "body.reaction", s.Reaction.ExternalID, changeReaction
		kernel.Set(&c.Emoji, s.Reaction.Emoji.Pointer())
	case s.Edit != nil:
		field, external, c.Kind, c.Text = "body.edit", s.Edit.ExternalID, changeEdit, s.Edit.Text
	default:
		external = s.Revoke.ExternalID
	}
	field += ".external_id"
	before, err := in.simulatedMessage(a, field, external)
	if err != nil {
		return nil, err
	}
	t, err := in.locked(before.Conversation)
	if err != nil {
		return nil, err
	}
	if _, allowed, err := in.changer(t, &before, c); err != nil || !allowed {
		return nil, kernel.ErrOr(err, kernel.Invalid(field, kernel.RuleNotAllowed, "is not a message that this customer can change"))
	}
	if err := in.change(external, c); err != nil {
		return nil, err
	}
	m, _, _, err := in.stored(external)
	return &m, err
}

func (in *InboundBatch) simulateStatus(a *kernel.Principal, s *Simulation) (*Message, error) {
	before, err := in.simulatedMessage(a, "body.external_id", *s.ExternalID)
	if err != nil {
		return nil, err
	}
	if before.Direction != provider.Outbound {
		return nil, kernel.Invalid("body.external_id", kernel.RuleNotAllowed,
			"is the id of a message of the customer; only sent messages have a status")
	}
	report := &provider.IncomingStatus{ExternalID: *s.ExternalID, Status: *s.Status, At: in.Tx.Now}
	if *s.Status == provider.StatusFailed {
		report.Error = new(provider.NewReason("not_delivered", "The sandbox simulates that this message could not be delivered."))
	}
	if err := in.status(report); err != nil {
		return nil, err
	}
	m, _, _, err := in.stored(*s.ExternalID)
	return &m, err
}

type simulateInput struct {
	httpserver.AtID
	Body struct {
		From    *string        `json:"from,omitempty" minLength:"1" maxLength:"64" doc:"The customer's phone number." example:"+5511987654321"`
		Name    *string        `json:"name,omitempty" minLength:"1" maxLength:"120" doc:"The customer's profile name."`
		Text    *string        `json:"text,omitempty" minLength:"1" maxLength:"4096"`
		MediaID *kernel.ID     `json:"media_id,omitempty"`
		ReplyTo *string        `json:"reply_to_external_id,omitempty" minLength:"1" maxLength:"512"`
		Group   *simulateGroup `json:"group,omitempty" doc:"The group the customer writes in."`

		Choice   *simulateChoice   `json:"choice,omitempty" doc:"The customer's choice from buttons or a list, instead of text."`
		Reaction *simulateReaction `json:"reaction,omitempty" doc:"The customer reacts to a message."`
		Edit     *simulateEdit     `json:"edit,omitempty" doc:"The customer edits a message."`
		Revoke   *simulateRevoke   `json:"revoke,omitempty" doc:"The customer deletes a message."`

		ExternalID *string `json:"external_id,omitempty" minLength:"1" maxLength:"512" doc:"The message whose status is reported."`
		Status     *string `json:"status,omitempty" enum:"delivered,read,failed"`

		FromPhoneApp *bool   `json:"from_phone_app,omitempty" doc:"Set to true if a team member writes from the phone app."`
		To           *string `json:"to,omitempty" minLength:"1" maxLength:"64" doc:"The phone number of the customer who receives the message."`
	}
}

type simulateGroup struct {
	ID   string `json:"id" minLength:"1" maxLength:"120"`
	Name string `json:"name" minLength:"1" maxLength:"120"`
}

type simulateChoice struct {
	ID    string `json:"id" minLength:"1" maxLength:"256"`
	Title string `json:"title" minLength:"1" maxLength:"120"`
}

type simulateReaction struct {
	ExternalID string                  `json:"external_id" minLength:"1" maxLength:"512"`
	Emoji      kernel.Optional[string] `json:"emoji,omitempty" doc:"The emoji. If null or omitted, the reaction is removed."`
}

type simulateEdit struct {
	ExternalID string `json:"external_id" minLength:"1" maxLength:"512"`
	Text       string `json:"text" minLength:"1" maxLength:"4096"`
}

type simulateRevoke struct {
	ExternalID string `json:"external_id" minLength:"1" maxLength:"512"`
}

type simulateOutput struct {
	Status int
	Body   *Message
}

func (s *handlers) simulate(ctx context.Context, a *kernel.Principal, in *simulateInput) (*simulateOutput, error) {
	b := in.Body
	event := Simulation{
		From: b.From, Name: b.Name, Text: b.Text, MediaID: b.MediaID, ReplyTo: b.ReplyTo,
		Choice: (*provider.Choice)(b.Choice), Reaction: b.Reaction, Edit: b.Edit, Revoke: b.Revoke,
		ExternalID: b.ExternalID, Status: b.Status, FromPhoneApp: b.FromPhoneApp != nil && *b.FromPhoneApp, To: b.To,
	}
	if b.Group != nil {
		event.Group = &provider.IncomingGroup{ID: b.Group.ID, Name: b.Group.Name}
	}
	status := http.StatusOK
	if event.ExternalID == nil && event.changes() == 0 { // a new message
		status = http.StatusCreated
	}
	response := httpserver.Shaped(ctx, func(m **Message) *simulateOutput { return &simulateOutput{status, *m} })
	m, err := s.verbs.Simulate(ctx, a, kernel.ID(in.ID), event)
	return response(&m), err
}
