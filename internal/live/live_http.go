package live

import (
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/webhooks"
)

// liveStreams serves the streams of a hub.
type liveStreams struct{ hub *Hub }

// HTTP returns what the package adds to the API.
func (h *Hub) HTTP() httpserver.Capability {
	l := &liveStreams{hub: h}
	return httpserver.Capability{Routes: []*httpserver.Route{
		httpserver.Get("/live", webhooks.VerbLive, "Follow the company live", l.follow, httpserver.Streams, httpserver.Answers("text/event-stream"), httpserver.Named("followLive"),
			httpserver.About("Server-sent events for the app. Events of the feed that the person may see have a cursor as id; with Last-Event-ID the stream resumes without loss and "+
				"without repetition. An unusable cursor gives one event reset: fetch everything again. Signals have no id: typing {conversation, user}, "+
				"viewing {conversation, users}, presence {user, presence}, private {conversation}: something changed in a private conversation, fetch it; "+
				"board {board}: a board, its stages or cards changed without an event, fetch it; "+
				"gone {conversation}: it is no longer visible; notes {conversation}: a note was changed or deleted; draft {conversation}: the person's own draft is different; scheduled {conversation}: its scheduled messages are different; notification {kind, conversation}: the person has a new "+
				"notification, or with the kind read has read some; session {state}: the session has ended, or was replaced because the person opened more than six streams, "+
				"and the stream ends. A comment is sent at least every 15 seconds.")),
	}}
}

type liveInput struct {
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event received."`
}

// follow opens a live stream. What can be refused is refused before the first byte.
func (l *liveStreams) follow(ctx context.Context, a *kernel.Principal, in *liveInput) (*httpserver.StreamReply, error) {
	stream, err := l.hub.Open(ctx, a, in.LastEventID)
	if err != nil {
		return nil, err
	}
	return &httpserver.StreamReply{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		stream.Serve(w, r)
	}}, nil
}
