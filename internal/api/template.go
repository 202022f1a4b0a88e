package api

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

type listTemplatesInput struct {
	AtID
	Q      string `query:"q" maxLength:"100" doc:"Only templates whose name or body contains this, whatever the case and the accents."`
	Status string `query:"status" maxLength:"40" doc:"Meta's word in lower case." example:"approved"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" maxLength:"1200" doc:"The next_cursor of the previous page, with the same filters."`
}

func (s *Server) listTemplates(ctx context.Context, a *desk.Principal, in *listTemplatesInput) (*reply[cursorList[model.ChannelTemplate]], error) {
	id, err := pathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	page, next, err := s.desk.Templates(ctx, a, id, desk.TemplateFilter{Q: in.Q, Status: in.Status, Limit: in.Limit, Cursor: in.Cursor})
	return cursorPage(page, next), err
}

type templateSync struct {
	SyncedAt *time.Time `json:"synced_at" doc:"When the copy was fetched last; null if never."`
}

func (s *Server) syncTemplates(ctx context.Context, a *desk.Principal, in *AtID) (*reply[templateSync], error) {
	id, err := pathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	answer := func(synced **time.Time) *reply[templateSync] { return &reply[templateSync]{templateSync{*synced}} }
	shaped(ctx, answer)
	synced, err := s.desk.SyncTemplates(ctx, a, id)
	return answer(&synced), err
}

type templateBody struct {
	Name       string              `json:"name" minLength:"1" maxLength:"512"`
	Language   string              `json:"language" minLength:"2" maxLength:"20" example:"pt_BR"`
	Parameters []templateParameter `json:"parameters,omitempty" maxItems:"64" doc:"The values of the parameters of the template: those of each component in their order or by name."`
}

type templateParameter struct {
	Component string    `json:"component,omitempty" enum:"header,body,button" doc:"Absent: body."`
	Name      string    `json:"name,omitempty" maxLength:"120"`
	Text      string    `json:"text,omitempty" minLength:"1" maxLength:"4096"`
	MediaID   *model.ID `json:"media_id,omitempty" doc:"The file of a header, instead of text."`
}

func (t *templateBody) template() *model.Template {
	if t == nil {
		return nil
	}
	out := &model.Template{Name: t.Name, Language: t.Language}
	for _, p := range t.Parameters {
		out.Parameters = append(out.Parameters, model.TemplateParameter{Name: p.Name, Text: p.Text, Component: p.Component, MediaID: p.MediaID})
	}
	return out
}
