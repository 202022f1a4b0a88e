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
	Before string `query:"before" doc:"The before value of a page. Returns the entries that precede it."`
	After  string `query:"after" doc:"The after value of a page. Returns the entries that follow it; if there are more than limit, the oldest of them."`
	Around string `query:"around" doc:"The id of a message or note. Returns the page around it, or 404 if the conversation has no such entry."`
	At     string `query:"at" format:"date-time" doc:"A time. Returns the page around the first message at or after this time, or the newest page if there is none."`
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
