package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

type listMessagesInput struct {
	AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Before string `query:"before" doc:"The before of a page: gives the messages before it."`
	After  string `query:"after" doc:"The after of a page: gives the messages after it; if there are more than limit, the oldest of them."`
}

func (s *Server) listMessages(ctx context.Context, a *desk.Principal, in *listMessagesInput) (*reply[*model.MessagePage], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	page, err := s.desk.Messages(ctx, a, id, desk.MessageQuery{Limit: in.Limit, Before: in.Before, After: in.After})
	return &reply[*model.MessagePage]{page}, err
}

func (s *Server) getMessage(ctx context.Context, a *desk.Principal, in *AtID) (*reply[*model.Message], error) {
	id, err := pathID(in.ID, "message")
	if err != nil {
		return nil, err
	}
	m, err := s.desk.Message(ctx, a, id)
	return &reply[*model.Message]{m}, err
}

type sendMessageInput struct {
	AtID
	Body struct {
		ClientID model.ID      `json:"client_id" doc:"A UUID that you choose, one per message. Sending it again returns the message and sends nothing."`
		Text     *string       `json:"text,omitempty" minLength:"0" maxLength:"4096" doc:"Required without media_id. With media_id it is the caption, at most 1024 characters."`
		MediaID  *model.ID     `json:"media_id,omitempty" doc:"A file from POST /media."`
		ReplyTo  *string       `json:"reply_to_external_id,omitempty" minLength:"1" maxLength:"512" doc:"The external_id of a message of this conversation to quote."`
		Template *templateBody `json:"template,omitempty" doc:"Instead of text and media_id. WhatsApp accepts only templates when the last message of the customer is more than 24 hours old."`
	}
}

type templateBody struct {
	Name       string              `json:"name" minLength:"1" maxLength:"512"`
	Language   string              `json:"language" minLength:"2" maxLength:"20" example:"pt_BR"`
	Parameters []templateParameter `json:"parameters,omitempty" maxItems:"64" doc:"The values of the parameters of the template, in their order or by name."`
}

type templateParameter struct {
	Name string `json:"name,omitempty" maxLength:"120"`
	Text string `json:"text" minLength:"1" maxLength:"4096"`
}

func (t *templateBody) template() *model.Template {
	if t == nil {
		return nil
	}
	out := &model.Template{Name: t.Name, Language: t.Language}
	for _, p := range t.Parameters {
		out.Parameters = append(out.Parameters, model.TemplateParameter(p))
	}
	return out
}

type sendMessageOutput struct {
	Replayed string `header:"Idempotency-Replayed" doc:"true if this conversation already had a message with this client_id: nothing was sent."`
	Body     *model.Message
}

func (s *Server) sendMessage(ctx context.Context, a *desk.Principal, in *sendMessageInput) (*sendMessageOutput, error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	m, replayed, err := s.desk.SendMessage(ctx, a, id, desk.NewMessage{
		ClientID: in.Body.ClientID, Text: in.Body.Text, MediaID: in.Body.MediaID, ReplyTo: in.Body.ReplyTo, Template: in.Body.Template.template(),
	})
	out := &sendMessageOutput{Body: m}
	if replayed {
		out.Replayed = "true"
	}
	return out, err
}
