package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/desk"
)

type liveInput struct {
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event received."`
}

// followLive opens a live stream. What can be refused is refused before the first byte.
func (s *Server) followLive(ctx context.Context, a *desk.Principal, in *liveInput) (*streamReply, error) {
	stream, err := s.live.Open(ctx, a, in.LastEventID)
	if err != nil {
		return nil, err
	}
	return &streamReply{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		stream.Serve(w, r)
	}}, nil
}

type activityInput struct {
	AtID
	Body struct {
		Kind string `json:"kind" enum:"viewing,typing,left"`
	}
}

func (s *Server) postActivity(ctx context.Context, a *desk.Principal, in *activityInput) (*none, error) {
	id, err := pathID(in.ID, "conversation")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.Activity(ctx, a, id, in.Body.Kind)
}
