package webhooks

import (
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// HTTP returns the routes and descriptions of the package.
func (d *Webhooks) HTTP() httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes:   s.webhookRoutes(),
		Events:   webhookEvents,
		Describe: describeWebhooks,
		Tags: []httpserver.Tag{
			{Name: "webhooks", Description: "Webhooks that receive events, and their deliveries.", Words: []string{"integrations"}},
			{Name: "events", Description: "The event feed, as pages or as a stream."},
		},
	}
}

// webhookEvents describes the event that tests a webhook.
var webhookEvents = []httpserver.Event{{Type: WebhookTest, Data: []httpserver.EventPart{{Name: "webhook", Schema: map[string]any{
	"type": "object", "required": []any{"id", "name"}, "properties": map[string]any{
		"id": map[string]any{"type": "string", "format": "uuid"}, "name": map[string]any{"type": "string"},
	},
}}}}}

// describeWebhooks adds the types of events to the schemas that contain them.
func describeWebhooks(doc httpserver.Document) {
	schemas := doc.Schemas()
	properties := func(name string) map[string]any { return schemas[name].(map[string]any)["properties"].(map[string]any) }
	for _, name := range []string{"Delivery", "SentDelivery"} {
		properties(name)["event"] = map[string]any{"type": "string", "enum": append(httpserver.Texts(kernel.AllEvents), string(WebhookTest))}
	}
	properties("WebhookEvent")["name"] = map[string]any{"$ref": "#/components/schemas/EventType"}
	httpserver.SetItems(schemas, "events", "EventType")
	doc.Share("EventType", "The type of an event.", httpserver.Texts(kernel.AllEvents))
}

func (s *handlers) webhookRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/integrations/webhooks", VerbWebhooks, "List the webhooks", s.listWebhooks,
			httpserver.About("Operations on webhooks require a key or session of a member who can see all conversations; otherwise the "+
				"response is 403.")),
		httpserver.Post("/integrations/webhooks", VerbCreateWebhook, "Register a webhook", s.createWebhook,
			httpserver.Secret("secret"), httpserver.Fails(kernel.CodeWebhookLimit, kernel.CodeURLNotAllowed), httpserver.Created,
			httpserver.Example(`{"name": "CRM", "url": "https://example.com/hooks/recado", "events": ["message.received", "attendance.closed"]}`),
			httpserver.About("The address must use https and must not be in an internal network; otherwise the response is 400 "+
				"url_not_allowed with the reason. The signing secret is returned "+
				"only in this response. A company can have 20 webhooks; creating more returns 409 webhook_limit.")),
		httpserver.Get("/integrations/webhooks/events", VerbWebhookEvents, "List the event types", s.listWebhookEvents),
		httpserver.Get("/integrations/webhooks/{id}", VerbWebhook, "Get a webhook", httpserver.ByID("webhook", s.verbs.Webhook)),
		httpserver.Patch("/integrations/webhooks/{id}", VerbUpdateWebhook, "Change or reactivate a webhook", s.updateWebhook,
			httpserver.Fails(kernel.CodeURLNotAllowed),
			httpserver.Example(`{"active": true}`),
			httpserver.About("Pending deliveries are sent to the new address. Deactivating a webhook fails its pending deliveries; read the "+
				"events of that period from GET /events.")),
		httpserver.Del("/integrations/webhooks/{id}", VerbDeleteWebhook, "Delete a webhook", s.deleteWebhook),
		httpserver.Post("/integrations/webhooks/{id}/rotate-secret", VerbRotateWebhookSecret,
			"Replace the signing secret", s.rotateWebhookSecret,
			httpserver.Secret("secret"), httpserver.Subject(SubjectWebhook),
			httpserver.About("The new secret is returned only in this response and signs all further deliveries. For 24 hours, the header "+
				"webhook-signature also contains a signature with the old secret.")),
		httpserver.Post("/integrations/webhooks/{id}/test", VerbTestWebhook,
			"Send a test event now", httpserver.ByID("webhook", s.verbs.TestWebhook),
			httpserver.Reserves, httpserver.Subject(SubjectWebhook),
			httpserver.About("Makes one attempt with an event of type webhook.test, even if the webhook is inactive, and returns its "+
				"result. A failed test is not retried and does not count as a failure.")),
		httpserver.Get("/integrations/webhooks/{id}/deliveries", VerbDeliveries, "List the latest deliveries", s.listDeliveries,
			httpserver.About("Returns the deliveries with all their attempts, newest first. Deliveries are kept for 14 days.")),
		httpserver.Get("/integrations/webhooks/{id}/deliveries/{delivery_id}", VerbDelivery,
			"Get a delivery with its body", s.getDelivery),
		httpserver.Post("/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver", VerbRedeliver,
			"Redeliver an event", s.redeliver,
			httpserver.Named("redeliverWebhook"), httpserver.Subject(SubjectWebhook),
			httpserver.About("Creates a new delivery of the same event, with the same event id and body and a new delivery id. An inactive "+
				"webhook returns 400; activate it first.")),

		httpserver.Get("/events", VerbEvents, "List the events of the feed", s.listEvents,
			httpserver.About("Returns the events of the last 14 days with the id and body that webhooks receive, in a stable order "+
				"without gaps, "+
				"oldest first. Pass next_cursor as after to get the next page, now or later. null means that there are no newer events: keep "+
				"the cursor you have. The feed contains the events of the conversations and boards visible to the caller.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Webhooks }
