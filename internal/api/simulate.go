package api

import (
	"context"
	"net/http"

	"recado/internal/desk"
	"recado/internal/model"
)

type simulateInput struct {
	AtID
	Body struct {
		From    *string        `json:"from,omitempty" minLength:"1" maxLength:"64" doc:"The customer's phone." example:"+5511987654321"`
		Name    *string        `json:"name,omitempty" minLength:"1" maxLength:"120" doc:"The name that the customer uses."`
		Text    *string        `json:"text,omitempty" minLength:"1" maxLength:"4096"`
		MediaID *model.ID      `json:"media_id,omitempty"`
		ReplyTo *string        `json:"reply_to_external_id,omitempty" minLength:"1" maxLength:"512"`
		Group   *simulateGroup `json:"group,omitempty" doc:"The group that the customer writes in."`

		ExternalID *string `json:"external_id,omitempty" minLength:"1" maxLength:"512" doc:"The message whose status is reported."`
		Status     *string `json:"status,omitempty" enum:"delivered,read,failed"`

		FromPhoneApp *bool   `json:"from_phone_app,omitempty" doc:"true: a team member writes with the phone app."`
		To           *string `json:"to,omitempty" minLength:"1" maxLength:"64" doc:"The phone of the customer who receives the message."`
	}
}

type simulateGroup struct {
	ID   string `json:"id" minLength:"1" maxLength:"120"`
	Name string `json:"name" minLength:"1" maxLength:"120"`
}

type simulateOutput struct {
	Status int
	Body   *model.Message
}

func (s *Server) simulate(ctx context.Context, a *desk.Principal, in *simulateInput) (*simulateOutput, error) {
	id, err := pathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	b := in.Body
	play := desk.Simulation{
		From: b.From, Name: b.Name, Text: b.Text, MediaID: b.MediaID, ReplyTo: b.ReplyTo,
		ExternalID: b.ExternalID, Status: b.Status, FromPhoneApp: b.FromPhoneApp != nil && *b.FromPhoneApp, To: b.To,
	}
	if b.Group != nil {
		play.Group = &model.IncomingGroup{ID: b.Group.ID, Name: b.Group.Name}
	}
	m, made, err := s.desk.Simulate(ctx, a, id, play)
	status := http.StatusOK
	if made {
		status = http.StatusCreated
	}
	return &simulateOutput{status, m}, err
}
