package channels

import (
	"net/http"

	"recado/internal/channels/whatsapp"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
)

// HTTP returns the routes and handlers of the package.
func (d *Channels) HTTP(callbacks *Callbacks) httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes:   s.channelRoutes(),
		Handlers: map[string]http.Handler{whatsapp.CallbackPattern: callbacks.handler()},
		Tags: []httpserver.Tag{{
			Name: "channels", Words: []string{"private-channels"},
			Description: "WhatsApp numbers and sandboxes, their templates and automatic replies.",
		}},
	}
}

func (s *handlers) channelRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/channels", VerbChannels, "List the WhatsApp numbers", s.listChannels,
			httpserver.AsTool(httpserver.Tool{Name: "list_channels"})),
		httpserver.Get("/channels/{id}", VerbChannel, "Get a WhatsApp number", httpserver.ByID("channel", s.verbs.Channel)),
		httpserver.Get("/private-channels", people.VerbPrivateChannels,
			"List the private channels and their viewers", s.listPrivateChannels,
			httpserver.About("Requires the role owner or admin. A viewer with pending set cannot see the channel until the viewers are saved again. "+
				"Owners and admins set the viewers with PATCH /channels/{id}, but cannot see anything else of a private channel unless they are viewers themselves.")),
		httpserver.Post("/channels", VerbCreateChannel, "Add a channel", s.createChannel,
			httpserver.Fails(kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Front desk", "provider": "sandbox", "phone": "+55 11 4002-8922"}`),
			httpserver.About("A WhatsApp number is connected once Meta accepts its credentials. Credentials are stored encrypted "+
				"and never returned.")),
		httpserver.Patch("/channels/{id}", VerbUpdateChannel, "Change, disconnect or connect a channel", s.updateChannel,
			httpserver.Fails(kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeLimitReached),
			httpserver.Example(`{"name": "Front desk"}`),
			httpserver.About("Making a number private immediately hides its conversations, attendances, messages, files, cards and events from "+
				"everyone except its viewers, and also contacts known only through it. Making it public again requires confirm. "+
				"For a number with a long history, lists are updated shortly afterwards.")),
		httpserver.Del("/channels/{id}", VerbArchiveChannel, "Archive a channel", s.archiveChannel,
			httpserver.About("Disconnects the number permanently. Its history stays readable and its open attendances stay open; pending messages "+
				"fail with channel_archived. The same number can be added again as a new channel.")),
		httpserver.Get("/channels/{id}/connection", VerbChannelConnection, "Get the connection of a channel", s.getConnection,
			httpserver.About("Returns the callback URL and the verify token to enter at Meta, and the ids of the number. The access token and "+
				"the app secret are never returned.")),
		httpserver.Post("/channels/{id}/test", VerbTestChannel,
			"Test a channel at its provider", httpserver.ByID("channel", s.verbs.TestChannel),
			httpserver.Subject(SubjectChannel)),
		httpserver.Get("/channels/{id}/templates", VerbTemplates, "List the templates of a channel", s.listTemplates,
			httpserver.AsTool(httpserver.Tool{Name: "list_templates", ID: "channel_id"}),
			httpserver.About("Returns a copy of the templates at Meta, sorted by name and language. The copy is updated when the channel is connected, every 6 "+
				"hours, when Meta reports a change, and on request. A sandbox has no templates.")),
		httpserver.Post("/channels/{id}/templates/sync", VerbSyncTemplates,
			"Fetch the templates of a channel from Meta", s.syncTemplates,
			httpserver.Fails(kernel.CodeChannelDisconnected), httpserver.Accepted, httpserver.Subject(SubjectChannel),
			httpserver.About("The request returns immediately, and the templates are updated in the background. More than one request per minute "+
				"returns 429.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Channels }
