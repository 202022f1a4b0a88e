package live

import (
	"cmp"
	"context"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/webhooks"
)

// HTTP returns the routes of streams.
func (h *Hub) HTTP() httpserver.Capability {
	return httpserver.Capability{Routes: []*httpserver.Route{
		httpserver.Get("/live", webhooks.VerbLive, "Stream the company's events and signals", h.follow, httpserver.Streams, httpserver.Answers("text/event-stream"), httpserver.Named("followLive"),
			httpserver.About("Returns server-sent events for the app. Events of the feed visible to the person have a cursor as id; with Last-Event-ID, the stream resumes without loss and "+
				"without repetition. If the cursor is invalid, the stream sends the event reset: fetch everything again. Signals have no id: typing {conversation, user}, "+
				"viewing {conversation, users}, presence {user, presence}, private {conversation}: something changed in a private conversation, fetch it; "+
				"board {board}: a board, its stages or cards changed without an event, fetch it; "+
				"gone {conversation}: it is no longer visible; notes {conversation}: a note was changed or deleted; draft {conversation}: the person's own draft changed; scheduled {conversation}: its scheduled messages changed; held {conversation}: a message is held; notification {kind, conversation}: the person has a new "+
				"notification or, with the kind read, has read some; session {state}: the session has ended, or was replaced because the person opened more than six streams, "+
				"and the stream ends. A comment is sent at least every 15 seconds.")),
		httpserver.Get("/events/stream", webhooks.VerbEvents, "Stream the events of the feed", h.followEvents, httpserver.Streams, httpserver.Answers("text/event-stream"), httpserver.Named("followEvents"),
			httpserver.About("Returns server-sent events: id is a cursor of the feed, event is the type and data is the body. The stream starts with new events, or after the cursor in "+
				"Last-Event-ID or after, so that no events are lost between connections. A comment is sent at least every 15 seconds. "+
				"A client that is more than 1,024 events or 4 MiB behind is disconnected; it continues with Last-Event-ID.")),
	}}
}

type liveInput struct {
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event received."`
}

// follow opens the stream of a member.
func (h *Hub) follow(ctx context.Context, a *kernel.Principal, in *liveInput) (*httpserver.StreamReply, error) {
	return reply(h.Open(ctx, a, in.LastEventID))
}

// reply returns a response that serves a stream, unless there is an error.
func reply(s *Stream, err error) (*httpserver.StreamReply, error) {
	return &httpserver.StreamReply{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		s.Serve(w, r)
	}}, err
}

type eventsInput struct {
	webhooks.FeedInput
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event received; it takes precedence over after."`
}

// followEvents opens the stream of an integration.
func (h *Hub) followEvents(ctx context.Context, a *kernel.Principal, in *eventsInput) (*httpserver.StreamReply, error) {
	types, err := in.EventTypes()
	if err != nil {
		return nil, err
	}
	return reply(h.Follow(ctx, a, cmp.Or(in.LastEventID, in.After), types, httpserver.Renewal(ctx)))
}
