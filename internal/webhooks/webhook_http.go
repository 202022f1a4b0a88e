package webhooks

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

func (s *handlers) listWebhooks(
	ctx context.Context, a *kernel.Principal, _ *httpserver.None,
) (*httpserver.Reply[httpserver.List[Webhook]], error) {
	webhooks, err := s.verbs.Webhooks(ctx, a)
	return &httpserver.Reply[httpserver.List[Webhook]]{Body: httpserver.List[Webhook]{Data: webhooks}}, err
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
	return &httpserver.Reply[httpserver.List[webhookEvent]]{Body: httpserver.List[webhookEvent]{Data: events}}, err
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
	w, secret, err := s.verbs.CreateWebhook(ctx, a, NewWebhook{Name: in.Body.Name, URL: in.Body.URL, Events: in.Body.Events})
	return &httpserver.Reply[newWebhook]{Body: newWebhook{w, secret}}, err
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
	id, err := httpserver.PathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	var change WebhookChange
	if b := in.Body; b != nil {
		change = WebhookChange{Name: b.Name, URL: b.URL, Events: b.Events, Active: b.Active, Replay: b.Replay}
	}
	w, err := s.verbs.UpdateWebhook(ctx, a, id, change)
	return &httpserver.Reply[Webhook]{Body: w}, err
}

func (s *handlers) deleteWebhook(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.DeleteWebhook(ctx, a, id)
}

func (s *handlers) rotateWebhookSecret(
	ctx context.Context, a *kernel.Principal, in *httpserver.AtID,
) (*httpserver.Reply[newWebhook], error) {
	id, err := httpserver.PathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	httpserver.Shaped(ctx, newWebhookWithoutSecret)
	w, secret, err := s.verbs.RotateWebhookSecret(ctx, a, id)
	return &httpserver.Reply[newWebhook]{Body: newWebhook{w, secret}}, err
}
