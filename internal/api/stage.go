package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

type createStageInput struct {
	AtID
	Body struct {
		StageBody
		Position *int64 `json:"position,omitempty" minimum:"0" doc:"0 is the leftmost. Absent means after the last."`
	}
}

func (s *Server) createStage(ctx context.Context, a *desk.Principal, in *createStageInput, once *desk.Once) (*located[model.Stage], error) {
	board, err := pathID(in.ID, "board")
	if err != nil {
		return nil, err
	}
	stage, err := s.desk.CreateStage(ctx, a, board, desk.NewStage(in.Body.StageBody), in.Body.Position, once)
	return &located[model.Stage]{Body: stage}, err
}

// AtStage is the input of operations on one stage of a board.
type AtStage struct {
	ID      string `path:"id" doc:"UUID of the board."`
	StageID string `path:"stage_id" doc:"UUID of the stage."`
}

func (at *AtStage) ids() (board, stage model.ID, err error) {
	if board, err = pathID(at.ID, "board"); err == nil {
		stage, err = pathID(at.StageID, "stage")
	}
	return board, stage, err
}

type updateStageInput struct {
	AtStage
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Kind     *string `json:"kind,omitempty" enum:"open,won,lost"`
		Position *int64  `json:"position,omitempty" minimum:"0"`
	} `required:"false"`
}

func (s *Server) updateStage(ctx context.Context, a *desk.Principal, in *updateStageInput) (*reply[model.Stage], error) {
	board, id, err := in.ids()
	if err != nil {
		return nil, err
	}
	stage, err := s.desk.UpdateStage(ctx, a, board, id, desk.StageChange{Name: in.Body.Name, Kind: in.Body.Kind, Position: in.Body.Position})
	return &reply[model.Stage]{stage}, err
}

func (s *Server) deleteStage(ctx context.Context, a *desk.Principal, in *AtStage) (*none, error) {
	board, id, err := in.ids()
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteStage(ctx, a, board, id)
}
