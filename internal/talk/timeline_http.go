package talk

import (
	"context"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type timelineInput struct {
	httpserver.AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Before string `query:"before" doc:"The before of a page: returns the entries before it."`
	After  string `query:"after" doc:"The after of a page: returns the entries after it; if there are more than limit, the oldest of them."`
	Around string `query:"around" doc:"The id of a message or of a note: returns the page with it in the middle. 404 if the conversation has no such entry."`
	At     string `query:"at" format:"date-time" doc:"A time: returns the page with the first message from then on in the middle, or the newest page."`
}

func (s *handlers) timeline(ctx context.Context, a *kernel.Principal, in *timelineInput) (*httpserver.Reply[*TimelinePage], error) {
	id, err := httpserver.PathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	q := TimelineQuery{Limit: in.Limit, Before: in.Before, After: in.After}
	if in.Around != "" {
		message, err := httpserver.PathID(in.Around, "message")
		if err != nil {
			return nil, err
		}
		q.Around = &message
	}
	if in.At != "" {
		at, err := time.Parse(time.RFC3339, in.At)
		if err != nil {
			return nil, kernel.Malformed("query.at", "time")
		}
		q.At = &at
	}
	page, err := s.verbs.Timeline(ctx, a, id, q)
	return &httpserver.Reply[*TimelinePage]{Body: page}, err
}
