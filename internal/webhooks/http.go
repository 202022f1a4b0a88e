package webhooks

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type listDeliveriesInput struct {
	httpserver.AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

func (s *handlers) listDeliveries(
	ctx context.Context, a *kernel.Principal, in *listDeliveriesInput,
) (*httpserver.Reply[httpserver.CursorList[Delivery]], error) {
	page, next, err := s.verbs.Deliveries(ctx, a, kernel.ID(in.ID), in.Limit, in.Cursor)
	return httpserver.CursorPage(page, next), err
}

type deliveryInput struct {
	httpserver.AtID
	DeliveryID httpserver.PathID `path:"delivery_id" doc:"UUID."`
}

// sentDelivery is a delivery together with what was sent.
type sentDelivery struct {
	Delivery
	Body *string `json:"body" doc:"The request body, byte for byte; null if the event is older than 14 days or belongs to a card the caller cannot see."`
}

func (s *handlers) getDelivery(
	ctx context.Context, a *kernel.Principal, in *deliveryInput,
) (*httpserver.Reply[sentDelivery], error) {
	delivery, body, err := s.verbs.Delivery(ctx, a, kernel.ID(in.ID), kernel.ID(in.DeliveryID))
	return httpserver.Body(sentDelivery{delivery, body}, err)
}

func (s *handlers) redeliver(ctx context.Context, a *kernel.Principal, in *deliveryInput) (*httpserver.Reply[Delivery], error) {
	return httpserver.Body(s.verbs.Redeliver(ctx, a, kernel.ID(in.ID), kernel.ID(in.DeliveryID)))
}

// webhookEvent is an event that a webhook may subscribe to.
type webhookEvent struct {
	Name        kernel.EventType `json:"name" example:"message.received"`
	Description string           `json:"description"`
}

func (s *handlers) listWebhookEvents(
	ctx context.Context, a *kernel.Principal, _ *httpserver.None,
) (*httpserver.Reply[httpserver.List[webhookEvent]], error) {
	all, err := s.verbs.WebhookEvents(ctx, a)
	var events []webhookEvent
	for _, e := range all {
		events = append(events, webhookEvent{e, e.Description()})
	}
	return httpserver.Entries(events, err)
}

// newWebhook is a webhook with its signing secret, which is shown once.
type newWebhook struct {
	Webhook
	Secret string `json:"secret" nullable:"true" doc:"The signing secret. It is returned only in this response, and null in a response replayed for an Idempotency-Key." example:"whsec_…"`
}

func newWebhookWithoutSecret(w *Webhook) *httpserver.Reply[newWebhook] {
	return &httpserver.Reply[newWebhook]{Body: newWebhook{Webhook: *w}}
}

type createWebhookInput struct {
	Body struct {
		Name   string   `json:"name" minLength:"1" maxLength:"120"`
		URL    string   `json:"url" format:"uri" maxLength:"2048" doc:"An https URL outside internal networks." example:"https://example.com/hooks/recado"`
		Events []string `json:"events" minItems:"1" doc:"The event types to receive. GET /integrations/webhooks/events lists them."`
	}
}

func (s *handlers) createWebhook(
	ctx context.Context, a *kernel.Principal, in *createWebhookInput,
) (*httpserver.Reply[newWebhook], error) {
	httpserver.Shaped(ctx, newWebhookWithoutSecret)
	w, secret, err := s.verbs.CreateWebhook(ctx, a, NewWebhook(in.Body))
	return httpserver.Body(newWebhook{w, secret}, err)
}

type updateWebhookInput struct {
	httpserver.AtID
	Body *struct {
		Name   *string   `json:"name,omitempty" minLength:"1" maxLength:"120"`
		URL    *string   `json:"url,omitempty" format:"uri" maxLength:"2048"`
		Events *[]string `json:"events,omitempty" minItems:"1"`
		Active *bool     `json:"active,omitempty" doc:"true activates the webhook and resets its failure count. false deactivates it and fails its pending deliveries."`
		Replay bool      `json:"replay,omitempty" doc:"With active: true, also delivers the events missed since the webhook was deactivated, in order, if they are still in the feed."`
	}
}

func (s *handlers) updateWebhook(
	ctx context.Context, a *kernel.Principal, in *updateWebhookInput,
) (*httpserver.Reply[Webhook], error) {
	var change WebhookChange
	if in.Body != nil {
		change = WebhookChange(*in.Body)
	}
	return httpserver.Body(s.verbs.UpdateWebhook(ctx, a, kernel.ID(in.ID), change))
}

func (s *handlers) rotateWebhookSecret(
	ctx context.Context, a *kernel.Principal, in *httpserver.AtID,
) (*httpserver.Reply[newWebhook], error) {
	httpserver.Shaped(ctx, newWebhookWithoutSecret)
	w, secret, err := s.verbs.RotateWebhookSecret(ctx, a, kernel.ID(in.ID))
	return httpserver.Body(newWebhook{w, secret}, err)
}

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
		out.Data = append(out.Data, feedEvent(e))
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
		httpserver.Get("/integrations/webhooks", VerbWebhooks, "List the webhooks", forAll(httpserver.ListAll(s.verbs.Webhooks)),
			httpserver.About("Operations on webhooks require a key or session of a member who can see all conversations; otherwise the "+
				"response is 403.")),
		httpserver.Post("/integrations/webhooks", VerbCreateWebhook, "Register a webhook", forAll(s.createWebhook),
			httpserver.Secret("secret"), httpserver.Fails(kernel.CodeWebhookLimit, kernel.CodeURLNotAllowed), httpserver.Created,
			httpserver.Example(`{"name": "CRM", "url": "https://example.com/hooks/recado", "events": ["message.received", "attendance.closed"]}`),
			httpserver.About("The address must use https and must not be in an internal network; otherwise the response is 400 "+
				"url_not_allowed with the reason. The signing secret is returned "+
				"only in this response. A company can have 20 webhooks; creating more returns 409 webhook_limit.")),
		httpserver.Get("/integrations/webhooks/events", VerbWebhookEvents, "List the event types", forAll(s.listWebhookEvents)),
		httpserver.Get("/integrations/webhooks/{id}", VerbWebhook, "Get a webhook", forAll(httpserver.ByID(s.verbs.Webhook))),
		httpserver.Patch("/integrations/webhooks/{id}", VerbUpdateWebhook, "Change or reactivate a webhook", forAll(s.updateWebhook),
			httpserver.Fails(kernel.CodeURLNotAllowed),
			httpserver.Example(`{"active": true}`),
			httpserver.About("Pending deliveries are sent to the new address. Deactivating a webhook fails its pending deliveries; read the "+
				"events of that period from GET /events.")),
		httpserver.Del("/integrations/webhooks/{id}", VerbDeleteWebhook, "Delete a webhook",
			forAll(httpserver.DeleteByID(s.verbs.DeleteWebhook))),
		httpserver.Post("/integrations/webhooks/{id}/rotate-secret", VerbRotateWebhookSecret,
			"Replace the signing secret", forAll(s.rotateWebhookSecret),
			httpserver.Secret("secret"), httpserver.Subject(SubjectWebhook),
			httpserver.About("The new secret is returned only in this response and signs all further deliveries. For 24 hours, the header "+
				"webhook-signature also contains a signature with the old secret.")),
		httpserver.Post("/integrations/webhooks/{id}/test", VerbTestWebhook,
			"Send a test event now", forAll(httpserver.ByID(s.verbs.TestWebhook)),
			httpserver.Reserves, httpserver.Subject(SubjectWebhook),
			httpserver.About("Makes one attempt with an event of type webhook.test, even if the webhook is inactive, and returns its "+
				"result. A failed test is not retried and does not count as a failure.")),
		httpserver.Get("/integrations/webhooks/{id}/deliveries", VerbDeliveries, "List the latest deliveries", forAll(s.listDeliveries),
			httpserver.About("Returns the deliveries with all their attempts, newest first. Deliveries are kept for 14 days.")),
		httpserver.Get("/integrations/webhooks/{id}/deliveries/{delivery_id}", VerbDelivery,
			"Get a delivery with its body", forAll(s.getDelivery)),
		httpserver.Post("/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver", VerbRedeliver,
			"Redeliver an event", forAll(s.redeliver),
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

// forAll restricts a handler to principals who see all conversations, because a webhook receives the events of all of them.
func forAll[I, O any](
	h func(ctx context.Context, a *kernel.Principal, in *I) (*O, error),
) func(ctx context.Context, a *kernel.Principal, in *I) (*O, error) {
	return func(ctx context.Context, a *kernel.Principal, in *I) (*O, error) {
		if err := maySeeEveryEvent(a); err != nil {
			return nil, err
		}
		return h(ctx, a, in)
	}
}

type handlers struct{ verbs *Webhooks }
