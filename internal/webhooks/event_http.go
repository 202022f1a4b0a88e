package webhooks

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// FeedInput has the parameters of the feed and of its stream.
type FeedInput struct {
	After string `query:"after" doc:"A cursor of this feed. The response contains the events that follow it in the given order."`
	Types string `query:"types" doc:"A comma-separated list of event types. Defaults to all." example:"message.received,message.sent"`
}

// EventTypes returns the types that the caller asks for.
func (f FeedInput) EventTypes() (kernel.EventSet, error) {
	if f.Types == "" {
		return kernel.EveryEvent, nil
	}
	set, invalid := kernel.ParseEvents("query.types", strings.Split(f.Types, ","))
	if invalid != nil {
		return 0, invalid
	}
	return set, nil
}

type listEventsInput struct {
	FeedInput
	Order string `query:"order" enum:"asc,desc" default:"asc" doc:"asc returns the oldest events first, for following the feed. desc returns the newest first; next_cursor then leads to older events."`
	Limit int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
}

// eventFeed is a page of the feed.
type eventFeed struct {
	Data       []feedEvent `json:"data"`
	NextCursor *string     `json:"next_cursor" doc:"Pass it as after to get the next events, now or later. null means that there are no newer events: keep the cursor you sent. With order=desc, null means that the oldest event has been returned."`
}

func (s *handlers) listEvents(
	ctx context.Context, a *kernel.Principal, in *listEventsInput,
) (*httpserver.Reply[eventFeed], error) {
	types, err := in.EventTypes()
	if err != nil {
		return nil, err
	}
	newest := in.Order == "desc"
	page, err := s.verbs.Events(ctx, a, FeedQuery{After: in.After, Types: types, Limit: in.Limit, Newest: newest})
	if err != nil {
		return nil, err
	}
	out := eventFeed{Data: []feedEvent{}}
	if newest && page.More || !newest && !page.Still {
		out.NextCursor = &page.Next
	}
	for _, e := range page.Events {
		out.Data = append(out.Data, feedEvent(e.Body))
	}
	return &httpserver.Reply[eventFeed]{Body: out}, nil
}

// feedEvent is the exact body of an event, as webhooks receive it.
type feedEvent []byte

// MarshalJSONTo writes the body unchanged.
func (e feedEvent) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(jsontext.Value(e))
}

// Schema describes the body.
func (feedEvent) Schema(r huma.Registry) *huma.Schema {
	text := func(format string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: format} }
	var names []any
	for _, e := range kernel.AllEvents {
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
			"data": {Type: huma.TypeObject, Description: "The data of the event; its fields depend on the " +
				"type.", AdditionalProperties: true},
		},
	}
}
