package talk

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

func (s *handlers) listLabels(ctx context.Context, a *kernel.Principal, _ *httpserver.None) (*httpserver.Reply[httpserver.List[Label]], error) {
	labels, err := s.verbs.Labels(ctx, a)
	return &httpserver.Reply[httpserver.List[Label]]{Body: httpserver.List[Label]{Data: labels}}, err
}

type createLabelInput struct {
	Body struct {
		Name  string `json:"name" minLength:"1" maxLength:"120"`
		Color string `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$" patternDescription:"a colour such as #2e7d32" example:"#2e7d32"`
	}
}

func (s *handlers) createLabel(ctx context.Context, a *kernel.Principal, in *createLabelInput) (*httpserver.Reply[Label], error) {
	label, err := s.verbs.CreateLabel(ctx, a, in.Body.Name, in.Body.Color)
	return &httpserver.Reply[Label]{Body: label}, err
}

type updateLabelInput struct {
	httpserver.AtID
	Body struct {
		Name  *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Color *string `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$" patternDescription:"a colour such as #2e7d32"`
	} `required:"false"`
}

func (s *handlers) updateLabel(ctx context.Context, a *kernel.Principal, in *updateLabelInput) (*httpserver.Reply[Label], error) {
	id, err := httpserver.PathID(in.ID, "label")
	if err != nil {
		return nil, err
	}
	label, err := s.verbs.UpdateLabel(ctx, a, id, in.Body.Name, in.Body.Color)
	return &httpserver.Reply[Label]{Body: label}, err
}

func (s *handlers) deleteLabel(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "label")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.DeleteLabel(ctx, a, id)
}
