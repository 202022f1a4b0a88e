package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) listLabels(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.Label]], error) {
	labels, err := s.desk.Labels(ctx, a)
	return &reply[list[model.Label]]{list[model.Label]{labels}}, err
}

type createLabelInput struct {
	Body struct {
		Name  string `json:"name" minLength:"1" maxLength:"120"`
		Color string `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$" patternDescription:"a colour such as #2e7d32" example:"#2e7d32"`
	}
}

func (s *Server) createLabel(ctx context.Context, a *desk.Principal, in *createLabelInput) (*reply[model.Label], error) {
	label, err := s.desk.CreateLabel(ctx, a, in.Body.Name, in.Body.Color)
	return &reply[model.Label]{label}, err
}

type updateLabelInput struct {
	AtID
	Body struct {
		Name  *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Color *string `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$" patternDescription:"a colour such as #2e7d32"`
	} `required:"false"`
}

func (s *Server) updateLabel(ctx context.Context, a *desk.Principal, in *updateLabelInput) (*reply[model.Label], error) {
	id, err := pathID(in.ID, "label")
	if err != nil {
		return nil, err
	}
	label, err := s.desk.UpdateLabel(ctx, a, id, in.Body.Name, in.Body.Color)
	return &reply[model.Label]{label}, err
}

func (s *Server) deleteLabel(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "label")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteLabel(ctx, a, id)
}
