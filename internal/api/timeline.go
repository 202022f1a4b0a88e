package api

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

type timelineInput struct {
	AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Before string `query:"before" doc:"The before of a page: gives the messages before it."`
	After  string `query:"after" doc:"The after of a page: gives the messages after it; if there are more than limit, the oldest of them."`
	Around string `query:"around" doc:"The id of a message or of a note: gives the page with it in the middle. 404 if the conversation has no such entry."`
	At     string `query:"at" format:"date-time" doc:"A time: gives the page with the first message from then on in the middle, or the newest page."`
}

// timelinePage writes itself, because reflection over a page of messages costs more than reading it.
type timelinePage model.TimelinePage

func (p *timelinePage) appendJSON(b []byte) ([]byte, error) {
	return (*model.TimelinePage)(p).AppendPage(b)
}

func (s *Server) timeline(ctx context.Context, a *desk.Principal, in *timelineInput) (*reply[*timelinePage], error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	q := desk.TimelineQuery{Limit: in.Limit, Before: in.Before, After: in.After}
	if in.Around != "" {
		message, err := pathID(in.Around, "message")
		if err != nil {
			return nil, err
		}
		q.Around = &message
	}
	if in.At != "" {
		at, err := time.Parse(time.RFC3339, in.At)
		if err != nil {
			return nil, model.Invalid("query.at", "must be a time such as 2026-11-15T12:00:00Z")
		}
		q.At = &at
	}
	page, err := s.desk.Timeline(ctx, a, id, q)
	return &reply[*timelinePage]{(*timelinePage)(page)}, err
}
