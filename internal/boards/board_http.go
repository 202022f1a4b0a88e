package boards

import (
	"context"
	"net/http"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listBoardsInput struct {
	Archived string `query:"archived" enum:"0,1,true,false" default:"0" doc:"Set to 1 or true to list archived boards, or to 0 or false to list all others."`
}

func (s *handlers) listBoards(ctx context.Context, a *kernel.Principal, in *listBoardsInput) (*httpserver.Reply[[]Board], error) {
	boards, err := s.verbs.Boards(ctx, a, httpserver.IsTrue(in.Archived))
	return &httpserver.Reply[[]Board]{Body: boards}, err
}

func (s *handlers) countBoard(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[httpserver.List[StageCount]], error) {
	id, err := httpserver.PathID(in.ID, "board")
	if err != nil {
		return nil, err
	}
	counts, err := s.verbs.BoardCounts(ctx, a, id)
	return &httpserver.Reply[httpserver.List[StageCount]]{Body: httpserver.List[StageCount]{Data: counts}}, err
}

// StageBody is a stage in a request.
type StageBody struct {
	Name string `json:"name" minLength:"1" maxLength:"120"`
	Kind string `json:"kind,omitempty" enum:"open,won,lost" default:"open" doc:"Cards that enter a won stage are completed; cards that enter a lost stage are lost."`
}

type createBoardInput struct {
	Body struct {
		Name   string       `json:"name" minLength:"1" maxLength:"120"`
		Stages *[]StageBody `json:"stages,omitempty" minItems:"1" maxItems:"1000" doc:"The stages from left to right. Defaults to To do, Doing and Done."`
	}
}

func (s *handlers) createBoard(ctx context.Context, a *kernel.Principal, in *createBoardInput) (*httpserver.Located[Board], error) {
	var stages []NewStage
	if in.Body.Stages != nil {
		for _, stage := range *in.Body.Stages {
			stages = append(stages, NewStage(stage))
		}
	}
	reply := httpserver.Shaped(ctx, func(b *Board) *httpserver.Located[Board] {
		location := httpserver.At(ctx, "/kanban/boards/"+b.ID.String())
		return &httpserver.Located[Board]{Status: http.StatusCreated, Location: location, Body: *b}
	})
	board, err := s.verbs.CreateBoard(ctx, a, in.Body.Name, stages)
	return reply(&board), err
}

type updateBoardInput struct {
	httpserver.AtID
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Archived *bool   `json:"archived,omitempty"`
	} `required:"false"`
}

func (s *handlers) updateBoard(ctx context.Context, a *kernel.Principal, in *updateBoardInput) (*httpserver.Reply[Board], error) {
	id, err := httpserver.PathID(in.ID, "board")
	if err != nil {
		return nil, err
	}
	board, err := s.verbs.UpdateBoard(ctx, a, id, in.Body.Name, in.Body.Archived)
	return &httpserver.Reply[Board]{Body: board}, err
}

type createStageInput struct {
	httpserver.AtID
	Body struct {
		StageBody
		Position *int64 `json:"position,omitempty" minimum:"0" doc:"The stage's position, counted from 0 at the left. Defaults to the last position."`
	}
}

func (s *handlers) createStage(ctx context.Context, a *kernel.Principal, in *createStageInput) (*httpserver.Located[Stage], error) {
	board, err := httpserver.PathID(in.ID, "board")
	if err != nil {
		return nil, err
	}
	reply := httpserver.Shaped(ctx, func(stage *Stage) *httpserver.Located[Stage] {
		location := httpserver.At(ctx, "/kanban/boards/"+board.String()+"/stages/"+stage.ID.String())
		return &httpserver.Located[Stage]{Status: http.StatusCreated, Location: location, Body: *stage}
	})
	stage, err := s.verbs.CreateStage(ctx, a, board, NewStage(in.Body.StageBody), in.Body.Position)
	return reply(&stage), err
}

// AtStage is the input of operations on one stage of a board.
type AtStage struct {
	ID      string `path:"id" doc:"The id of the board."`
	StageID string `path:"stage_id" doc:"The id of the stage."`
}

func (at *AtStage) ids() (board, stage kernel.ID, err error) {
	if board, err = httpserver.PathID(at.ID, "board"); err == nil {
		stage, err = httpserver.PathID(at.StageID, "stage")
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

func (s *handlers) updateStage(ctx context.Context, a *kernel.Principal, in *updateStageInput) (*httpserver.Reply[Stage], error) {
	board, id, err := in.ids()
	if err != nil {
		return nil, err
	}
	stage, err := s.verbs.UpdateStage(ctx, a, board, id, StageChange(in.Body))
	return &httpserver.Reply[Stage]{Body: stage}, err
}

func (s *handlers) deleteStage(ctx context.Context, a *kernel.Principal, in *AtStage) (*httpserver.None, error) {
	board, id, err := in.ids()
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.DeleteStage(ctx, a, board, id)
}
