package channels

import (
	"context"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listTemplatesInput struct {
	httpserver.AtID
	Q      string `query:"q" maxLength:"100" doc:"Returns only templates whose name or body contains this text. Case and accents are ignored."`
	Status string `query:"status" maxLength:"40" doc:"Meta's word in lower case." example:"approved"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" maxLength:"1200" doc:"The next_cursor of the previous page, with the same filters."`
}

func (s *handlers) listTemplates(
	ctx context.Context, a *kernel.Principal, in *listTemplatesInput,
) (*httpserver.Reply[httpserver.CursorList[provider.ChannelTemplate]], error) {
	id, err := httpserver.PathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	page, next, err := s.verbs.Templates(ctx, a, id, TemplateFilter{Q: in.Q, Status: in.Status, Limit: in.Limit, Cursor: in.Cursor})
	return httpserver.CursorPage(page, next), err
}

type templateSync struct {
	SyncedAt *time.Time `json:"synced_at" doc:"The time at which the templates were last fetched; null if never."`
}

func (s *handlers) syncTemplates(
	ctx context.Context, a *kernel.Principal, in *httpserver.AtID,
) (*httpserver.Reply[templateSync], error) {
	id, err := httpserver.PathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	reply := httpserver.Shaped(ctx, func(synced **time.Time) *httpserver.Reply[templateSync] {
		return &httpserver.Reply[templateSync]{Body: templateSync{*synced}}
	})
	synced, err := s.verbs.SyncTemplates(ctx, a, id)
	return reply(&synced), err
}

// TemplateBody is a template in the body of a request.
type TemplateBody struct {
	Name       string              `json:"name" minLength:"1" maxLength:"512"`
	Language   string              `json:"language" minLength:"2" maxLength:"20" example:"pt_BR"`
	Parameters []templateParameter `json:"parameters,omitempty" maxItems:"64" doc:"The values of the template parameters, for each component by position or by name."`
}

type templateParameter struct {
	Component string     `json:"component,omitempty" enum:"header,body,button" doc:"Defaults to body."`
	Name      string     `json:"name,omitempty" maxLength:"120"`
	Text      string     `json:"text,omitempty" minLength:"1" maxLength:"4096"`
	MediaID   *kernel.ID `json:"media_id,omitempty" doc:"The file for a header, instead of text."`
}

// Template returns the template of the request; nil for none.
func (t *TemplateBody) Template() *provider.Template {
	if t == nil {
		return nil
	}
	out := &provider.Template{Name: t.Name, Language: t.Language}
	for _, p := range t.Parameters {
		out.Parameters = append(out.Parameters, provider.TemplateParameter{
			Name: p.Name, Text: p.Text, Component: p.Component, MediaID: p.MediaID,
		})
	}
	return out
}
