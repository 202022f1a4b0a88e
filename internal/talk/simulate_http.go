package talk

import (
	"context"
	"net/http"

	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

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
	id, err := httpserver.PathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	b := in.Body
	event := Simulation{
		From: b.From, Name: b.Name, Text: b.Text, MediaID: b.MediaID, ReplyTo: b.ReplyTo,
		Choice: (*provider.Choice)(b.Choice), Edit: (*SimulatedEdit)(b.Edit), Revoke: (*SimulatedRevocation)(b.Revoke),
		ExternalID: b.ExternalID, Status: b.Status, FromPhoneApp: b.FromPhoneApp != nil && *b.FromPhoneApp, To: b.To,
	}
	if b.Group != nil {
		event.Group = &provider.IncomingGroup{ID: b.Group.ID, Name: b.Group.Name}
	}
	if b.Reaction != nil {
		event.Reaction = &SimulatedReaction{ExternalID: b.Reaction.ExternalID, Emoji: b.Reaction.Emoji.Pointer()}
	}
	status := http.StatusOK
	if event.Makes() {
		status = http.StatusCreated
	}
	response := httpserver.Shaped(ctx, func(m **Message) *simulateOutput { return &simulateOutput{status, *m} })
	m, err := s.verbs.Simulate(ctx, a, id, event)
	return response(&m), err
}
