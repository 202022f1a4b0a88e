package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) listViews(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.View]], error) {
	views, err := s.desk.Views(ctx, a)
	return &reply[list[model.View]]{list[model.View]{views}}, err
}

type createViewInput struct {
	Body struct {
		Name     string          `json:"name" minLength:"1" maxLength:"120"`
		Query    model.ViewQuery `json:"query" doc:"Filters of GET /conversations, as its query parameters are written."`
		Shared   bool            `json:"shared,omitempty" doc:"For managers and above: the whole team sees the view."`
		Position *int64          `json:"position,omitempty" minimum:"-1000000" maximum:"1000000" doc:"Absent: behind all others."`
	}
}

func (s *Server) createView(ctx context.Context, a *desk.Principal, in *createViewInput) (*reply[model.View], error) {
	view, err := s.desk.CreateView(ctx, a, desk.ViewChange{Name: &in.Body.Name, Query: &in.Body.Query, Shared: &in.Body.Shared, Position: in.Body.Position})
	return &reply[model.View]{view}, err
}

type updateViewInput struct {
	AtID
	Body struct {
		Name     *string          `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Query    *model.ViewQuery `json:"query,omitempty" doc:"Replaces all filters."`
		Shared   *bool            `json:"shared,omitempty"`
		Position *int64           `json:"position,omitempty" minimum:"-1000000" maximum:"1000000"`
	} `required:"false"`
}

func (s *Server) updateView(ctx context.Context, a *desk.Principal, in *updateViewInput) (*reply[model.View], error) {
	id, err := pathID(in.ID, "view")
	if err != nil {
		return nil, err
	}
	view, err := s.desk.UpdateView(ctx, a, id, desk.ViewChange(in.Body))
	return &reply[model.View]{view}, err
}

func (s *Server) deleteView(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "view")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteView(ctx, a, id)
}
