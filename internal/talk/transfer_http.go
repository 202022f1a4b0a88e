package talk

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type transferInput struct {
	httpserver.AtID
	Body struct {
		UserID   kernel.Optional[kernel.ID] `json:"user_id,omitempty" doc:"The new responsible person; null returns the conversation to the queue."`
		SectorID kernel.Optional[kernel.ID] `json:"sector_id,omitempty" doc:"The new sector; null means none. Without user_id, the conversation is added to the queue of that sector."`
		Reason   string                     `json:"reason,omitempty" maxLength:"500"`
	} `required:"false"`
}

func (s *handlers) transfer(ctx context.Context, a *kernel.Principal, in *transferInput) (*httpserver.Reply[*Conversation], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.verbs.Transfer(ctx, a, id, NewTransfer{User: in.Body.UserID, Sector: in.Body.SectorID, Reason: in.Body.Reason})
	return &httpserver.Reply[*Conversation]{Body: &c}, err
}

type setSectorInput struct {
	httpserver.AtID
	Body struct {
		SectorID kernel.Optional[kernel.ID] `json:"sector_id,omitempty" doc:"The new sector; null means no sector. If omitted, the sector does not change."`
		Reason   string                     `json:"reason,omitempty" maxLength:"500"`
	} `required:"false"`
}

func (s *handlers) setSector(ctx context.Context, a *kernel.Principal, in *setSectorInput) (*httpserver.Reply[*Conversation], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.verbs.SetSector(ctx, a, id, in.Body.SectorID, in.Body.Reason)
	return &httpserver.Reply[*Conversation]{Body: &c}, err
}
