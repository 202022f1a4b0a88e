package talk

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

func (s *handlers) listReplies(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[httpserver.List[Reply]], error) {
	replies, err := s.verbs.Replies(ctx, a)
	return &httpserver.Reply[httpserver.List[Reply]]{Body: httpserver.List[Reply]{Data: replies}}, err
}

type createReplyInput struct {
	Body struct {
		Shortcut  string                     `json:"shortcut" minLength:"1" maxLength:"32" pattern:"^[a-z0-9_-]{1,32}$" patternDescription:"a-z, 0-9, _ and -" example:"hello"`
		Title     string                     `json:"title" minLength:"1" maxLength:"120"`
		Text      string                     `json:"text" minLength:"0" maxLength:"4096" doc:"May contain the variables {{contact.name}}, {{contact.first_name}}, {{user.name}}, {{protocol}}, {{sector}} and {{company}}, each with an optional fallback, as in {{contact.first_name|client}}. With media_id, this is the caption: at most 1024 characters, and it may be empty."`
		MediaID   kernel.Optional[kernel.ID] `json:"media_id,omitempty" doc:"The id of a file uploaded with POST /media."`
		SectorIDs []kernel.ID                `json:"sector_ids,omitempty" maxItems:"100"`
		Owner     kernel.Optional[kernel.ID] `json:"owner,omitempty" doc:"null for a reply of the team, which requires the scope replies:manage. If omitted or set to your own id, the reply is your own."`
	}
}

func (s *handlers) createReply(ctx context.Context, a *kernel.Principal, in *createReplyInput) (*httpserver.Reply[Reply], error) {
	b := &in.Body
	created, err := s.verbs.CreateReply(ctx, a, b.Owner, ReplyChange{
		Shortcut: &b.Shortcut, Title: &b.Title, Text: &b.Text, MediaID: b.MediaID, SectorIDs: &b.SectorIDs,
	})
	return &httpserver.Reply[Reply]{Body: created}, err
}

type updateReplyInput struct {
	httpserver.AtID
	Body struct {
		Shortcut  *string                    `json:"shortcut,omitempty" minLength:"1" maxLength:"32" pattern:"^[a-z0-9_-]{1,32}$" patternDescription:"a-z, 0-9, _ and -"`
		Title     *string                    `json:"title,omitempty" minLength:"1" maxLength:"120"`
		Text      *string                    `json:"text,omitempty" minLength:"0" maxLength:"4096"`
		MediaID   kernel.Optional[kernel.ID] `json:"media_id,omitempty" doc:"The id of a file uploaded with POST /media; null removes the file."`
		SectorIDs *[]kernel.ID               `json:"sector_ids,omitempty" maxItems:"100" doc:"Replaces all sectors."`
	} `required:"false"`
}

func (s *handlers) updateReply(ctx context.Context, a *kernel.Principal, in *updateReplyInput) (*httpserver.Reply[Reply], error) {
	id, err := httpserver.PathID(in.ID, "canned reply")
	if err != nil {
		return nil, err
	}
	changed, err := s.verbs.UpdateReply(ctx, a, id, ReplyChange(in.Body))
	return &httpserver.Reply[Reply]{Body: changed}, err
}

type renderReplyInput struct {
	httpserver.AtID
	Body struct {
		ConversationID kernel.ID `json:"conversation_id"`
	}
}

func (s *handlers) renderReply(ctx context.Context, a *kernel.Principal, in *renderReplyInput) (*httpserver.Reply[Rendered], error) {
	id, err := httpserver.PathID(in.ID, "canned reply")
	if err != nil {
		return nil, err
	}
	rendered, err := s.verbs.RenderReply(ctx, a, id, in.Body.ConversationID)
	return &httpserver.Reply[Rendered]{Body: rendered}, err
}
