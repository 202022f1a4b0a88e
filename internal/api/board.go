package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/once"
)

type listBoardsInput struct {
	Archived string `query:"archived" enum:"0,1,true,false" default:"0" doc:"1 or true lists the archived boards, 0 or false the others."`
}

func (s *Server) listBoards(ctx context.Context, a *desk.Principal, in *listBoardsInput) (*reply[[]model.Board], error) {
	boards, err := s.desk.Boards(ctx, a, isTrue(in.Archived))
	return &reply[[]model.Board]{boards}, err
}

func (s *Server) getBoard(ctx context.Context, a *desk.Principal, in *AtID) (*reply[model.Board], error) {
	id, err := pathID(in.ID, "board")
	if err != nil {
		return nil, err
	}
	board, err := s.desk.Board(ctx, a, id)
	return &reply[model.Board]{board}, err
}

func (s *Server) countBoard(ctx context.Context, a *desk.Principal, in *AtID) (*reply[list[model.StageCount]], error) {
	id, err := pathID(in.ID, "board")
	if err != nil {
		return nil, err
	}
	counts, err := s.desk.BoardCounts(ctx, a, id)
	return &reply[list[model.StageCount]]{list[model.StageCount]{counts}}, err
}

// StageBody is a stage as a caller makes it.
type StageBody struct {
	Name string `json:"name" minLength:"1" maxLength:"120"`
	Kind string `json:"kind,omitempty" enum:"open,won,lost" default:"open" doc:"A card that enters a won stage is completed, one that enters a lost stage is lost."`
}

type createBoardInput struct {
	Body struct {
		Name   string       `json:"name" minLength:"1" maxLength:"120"`
		Stages *[]StageBody `json:"stages,omitempty" minItems:"1" maxItems:"1000" doc:"From left to right. Absent means To do, Doing and Done."`
	}
}

func (s *Server) createBoard(ctx context.Context, a *desk.Principal, in *createBoardInput, once *once.Call) (*located[model.Board], error) {
	var stages []desk.NewStage
	if in.Body.Stages != nil {
		for _, stage := range *in.Body.Stages {
			stages = append(stages, desk.NewStage(stage))
		}
	}
	board, err := s.desk.CreateBoard(ctx, a, in.Body.Name, stages, once)
	return &located[model.Board]{Body: board}, err
}

type updateBoardInput struct {
	AtID
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Archived *bool   `json:"archived,omitempty"`
	} `required:"false"`
}

func (s *Server) updateBoard(ctx context.Context, a *desk.Principal, in *updateBoardInput) (*reply[model.Board], error) {
	id, err := pathID(in.ID, "board")
	if err != nil {
		return nil, err
	}
	board, err := s.desk.UpdateBoard(ctx, a, id, in.Body.Name, in.Body.Archived)
	return &reply[model.Board]{board}, err
}

type createStageInput struct {
	AtID
	Body struct {
		StageBody
		Position *int64 `json:"position,omitempty" minimum:"0" doc:"0 is the leftmost. Absent means after the last."`
	}
}

func (s *Server) createStage(ctx context.Context, a *desk.Principal, in *createStageInput, once *once.Call) (*located[model.Stage], error) {
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
