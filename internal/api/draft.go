package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

type saveDraftInput struct {
	AtID
	Body struct {
		Text    string                 `json:"text" minLength:"0" maxLength:"4096"`
		ReplyTo model.Optional[string] `json:"reply_to_external_id,omitempty" doc:"The external_id of a message of this conversation to quote."`
	}
}

func (s *Server) saveDraft(ctx context.Context, a *desk.Principal, in *saveDraftInput) (*reply[model.Draft], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	draft, err := s.desk.SaveDraft(ctx, a, id, in.Body.Text, in.Body.ReplyTo.Pointer())
	return &reply[model.Draft]{draft}, err
}

func (s *Server) deleteDraft(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteDraft(ctx, a, id)
}
