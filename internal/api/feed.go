package api

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"recado/internal/desk"
	"recado/internal/model"
)

// FeedFilter is what the feed and the stream of it take. It is exported because inputs embed it.
type FeedFilter struct {
	After string `query:"after" doc:"A cursor of this feed: events after it."`
	Types string `query:"types" doc:"Names of events with commas between them; absent means all." example:"message.received,message.sent"`
}

func (f FeedFilter) types() (model.EventSet, error) {
	if f.Types == "" {
		return model.EveryEvent, nil
	}
	set, invalid := model.ParseEvents("query.types", strings.Split(f.Types, ","))
	if invalid != nil {
		return 0, invalid
	}
	return set, nil
}

type listEventsInput struct {
	FeedFilter
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"How many at most."`
}

// eventFeed is a page of the feed.
type eventFeed struct {
	Data       []feedEvent `json:"data"`
	NextCursor *string     `json:"next_cursor" doc:"Give it as after to get what comes next, now or later. Null when nothing came since the after of this call: keep that."`
}

func (s *Server) listEvents(ctx context.Context, a *desk.Principal, in *listEventsInput) (*reply[eventFeed], error) {
	types, err := in.types()
	if err != nil {
		return nil, err
	}
	page, err := s.desk.Events(ctx, a, in.After, types, in.Limit)
	if err != nil {
		return nil, err
	}
	out := eventFeed{Data: []feedEvent{}}
	if !page.Still {
		out.NextCursor = &page.Next
	}
	for _, e := range page.Events {
		out.Data = append(out.Data, feedEvent(e.Body))
	}
	return &reply[eventFeed]{out}, nil
}

// feedEvent is an event's exact bytes: the same that a webhook receives.
type feedEvent []byte

// AppendJSON writes them.
func (e feedEvent) AppendJSON(b []byte) []byte { return append(b, e...) }

// Schema documents them.
func (feedEvent) Schema(r huma.Registry) *huma.Schema {
	text := func(format string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: format} }
	var names []any
	for _, e := range model.AllEvents {
		names = append(names, string(e))
	}
	return &huma.Schema{
		Type:     huma.TypeObject,
		Required: []string{"id", "type", "created_at", "tenant_id", "data"},
		Properties: map[string]*huma.Schema{
			"id":         text("uuid"),
			"type":       {Type: huma.TypeString, Enum: names},
			"created_at": text("date-time"),
			"tenant_id":  {Type: huma.TypeString, Format: "uuid", Description: "The company."},
			"data":       {Type: huma.TypeObject, Description: "What happened; its members depend on the type.", AdditionalProperties: true},
		},
	}
}
