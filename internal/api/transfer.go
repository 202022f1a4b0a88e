package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

type transferInput struct {
	AtID
	Body struct {
		UserID   model.Optional[model.ID] `json:"user_id,omitempty" doc:"The new responsible person; null returns the conversation to the queue."`
		SectorID model.Optional[model.ID] `json:"sector_id,omitempty" doc:"The new sector; null means none. Without user_id the conversation enters the queue of that sector."`
		Reason   string                   `json:"reason,omitempty" maxLength:"500"`
	} `required:"false"`
}

func (s *Server) transfer(ctx context.Context, a *desk.Principal, in *transferInput) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.Transfer(ctx, a, id, desk.NewTransfer{User: in.Body.UserID, Sector: in.Body.SectorID, Reason: in.Body.Reason})
	return &reply[*model.Conversation]{&c}, err
}

type setSectorInput struct {
	AtID
	Body struct {
		SectorID model.Optional[model.ID] `json:"sector_id,omitempty" doc:"null means no sector. Absent: the sector stays."`
		Reason   string                   `json:"reason,omitempty" maxLength:"500"`
	} `required:"false"`
}

func (s *Server) setSector(ctx context.Context, a *desk.Principal, in *setSectorInput) (*reply[*model.Conversation], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	c, err := s.desk.SetSector(ctx, a, id, in.Body.SectorID, in.Body.Reason)
	return &reply[*model.Conversation]{&c}, err
}
