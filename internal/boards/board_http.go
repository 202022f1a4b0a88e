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
	return httpserver.Body(s.verbs.Boards(ctx, a, httpserver.IsTrue(in.Archived)))
}

func (s *handlers) countBoard(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[httpserver.List[StageCount]], error) {
	return httpserver.Entries(s.verbs.BoardCounts(ctx, a, kernel.ID(in.ID)))
}

type createBoardInput struct {
	Body struct {
		Name   string       `json:"name" minLength:"1" maxLength:"120"`
		Stages *[]StageBody `json:"stages,omitempty" minItems:"1" maxItems:"1000" doc:"The stages from left to right. Defaults to To do, Doing and Done."`
	}
}

func (s *handlers) createBoard(ctx context.Context, a *kernel.Principal, in *createBoardInput) (*httpserver.Located[Board], error) {
	var stages []StageBody
	kernel.Set(&stages, in.Body.Stages)
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
	return httpserver.Body(s.verbs.UpdateBoard(ctx, a, kernel.ID(in.ID), in.Body.Name, in.Body.Archived))
}

type createStageInput struct {
	httpserver.AtID
	Body struct {
		StageBody
		Position *int64 `json:"position,omitempty" minimum:"0" doc:"The stage's position, counted from 0 at the left. Defaults to the last position."`
	}
}

func (s *handlers) createStage(ctx context.Context, a *kernel.Principal, in *createStageInput) (*httpserver.Located[Stage], error) {
	board := kernel.ID(in.ID)
	reply := httpserver.Shaped(ctx, func(stage *Stage) *httpserver.Located[Stage] {
		location := httpserver.At(ctx, "/kanban/boards/"+board.String()+"/stages/"+stage.ID.String())
		return &httpserver.Located[Stage]{Status: http.StatusCreated, Location: location, Body: *stage}
	})
	stage, err := s.verbs.CreateStage(ctx, a, board, in.Body.StageBody, in.Body.Position)
	return reply(&stage), err
}

// AtStage is the input of operations on one stage of a board.
type AtStage struct {
	ID      httpserver.PathID `path:"id" doc:"The id of the board."`
	StageID httpserver.PathID `path:"stage_id" doc:"The id of the stage."`
}

type updateStageInput struct {
	AtStage
	Body struct{ StageChange } `required:"false"`
}

func (s *handlers) updateStage(ctx context.Context, a *kernel.Principal, in *updateStageInput) (*httpserver.Reply[Stage], error) {
	return httpserver.Body(s.verbs.UpdateStage(ctx, a, kernel.ID(in.ID), kernel.ID(in.StageID), in.Body.StageChange))
}

func (s *handlers) deleteStage(ctx context.Context, a *kernel.Principal, in *AtStage) (*httpserver.None, error) {
	return &httpserver.None{}, s.verbs.DeleteStage(ctx, a, kernel.ID(in.ID), kernel.ID(in.StageID))
}
