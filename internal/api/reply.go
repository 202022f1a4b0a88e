package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) listReplies(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.Reply]], error) {
	replies, err := s.desk.Replies(ctx, a)
	return &reply[list[model.Reply]]{list[model.Reply]{replies}}, err
}

type createReplyInput struct {
	Body struct {
		Shortcut  string                   `json:"shortcut" minLength:"1" maxLength:"32" pattern:"^[a-z0-9_-]{1,32}$" patternDescription:"a-z, 0-9, _ and -" example:"hello"`
		Title     string                   `json:"title" minLength:"1" maxLength:"120"`
		Text      string                   `json:"text" minLength:"0" maxLength:"4096" doc:"May have the variables {{contact.name}}, {{contact.first_name}}, {{user.name}}, {{protocol}}, {{sector}} and {{company}}, each with an optional fallback: {{contact.first_name|client}}. With media_id it is the caption, at most 1024 characters, and may be empty."`
		MediaID   model.Optional[model.ID] `json:"media_id,omitempty" doc:"A file from POST /media."`
		SectorIDs []model.ID               `json:"sector_ids,omitempty" maxItems:"100"`
		Owner     model.Optional[model.ID] `json:"owner,omitempty" doc:"null: a reply of the team, which needs the scope replies:manage. Absent, or your own id: your own."`
	}
}

func (s *Server) createReply(ctx context.Context, a *desk.Principal, in *createReplyInput) (*reply[model.Reply], error) {
	b := &in.Body
	made, err := s.desk.CreateReply(ctx, a, b.Owner, desk.ReplyChange{
		Shortcut: &b.Shortcut, Title: &b.Title, Text: &b.Text, MediaID: b.MediaID, SectorIDs: &b.SectorIDs,
	})
	return &reply[model.Reply]{made}, err
}

type updateReplyInput struct {
	AtID
	Body struct {
		Shortcut  *string                  `json:"shortcut,omitempty" minLength:"1" maxLength:"32" pattern:"^[a-z0-9_-]{1,32}$" patternDescription:"a-z, 0-9, _ and -"`
		Title     *string                  `json:"title,omitempty" minLength:"1" maxLength:"120"`
		Text      *string                  `json:"text,omitempty" minLength:"0" maxLength:"4096"`
		MediaID   model.Optional[model.ID] `json:"media_id,omitempty" doc:"null removes the file."`
		SectorIDs *[]model.ID              `json:"sector_ids,omitempty" maxItems:"100" doc:"Replaces all sectors."`
	} `required:"false"`
}

func (s *Server) updateReply(ctx context.Context, a *desk.Principal, in *updateReplyInput) (*reply[model.Reply], error) {
	id, err := pathID(in.ID, "canned reply")
	if err != nil {
		return nil, err
	}
	changed, err := s.desk.UpdateReply(ctx, a, id, desk.ReplyChange(in.Body))
	return &reply[model.Reply]{changed}, err
}

func (s *Server) deleteReply(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "canned reply")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteReply(ctx, a, id)
}

type renderReplyInput struct {
	AtID
	Body struct {
		ConversationID model.ID `json:"conversation_id"`
	}
}

func (s *Server) renderReply(ctx context.Context, a *desk.Principal, in *renderReplyInput) (*reply[model.Rendered], error) {
	id, err := pathID(in.ID, "canned reply")
	if err != nil {
		return nil, err
	}
	rendered, err := s.desk.RenderReply(ctx, a, id, in.Body.ConversationID)
	return &reply[model.Rendered]{rendered}, err
}
