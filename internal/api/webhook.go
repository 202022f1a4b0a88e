package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) listWebhooks(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.Webhook]], error) {
	webhooks, err := s.desk.Webhooks(ctx, a)
	return &reply[list[model.Webhook]]{list[model.Webhook]{webhooks}}, err
}

// webhookEvent is an event that a webhook may subscribe to.
type webhookEvent struct {
	Name        model.EventType `json:"name" example:"message.received"`
	Description string          `json:"description"`
}

func (s *Server) listWebhookEvents(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[webhookEvent]], error) {
	all, err := s.desk.WebhookEvents(ctx, a)
	var events []webhookEvent
	for _, e := range all {
		events = append(events, webhookEvent{e, e.Description()})
	}
	return &reply[list[webhookEvent]]{list[webhookEvent]{events}}, err
}

// newWebhook is a webhook together with its signing secret, which is shown once.
type newWebhook struct {
	model.Webhook
	Secret string `json:"secret" nullable:"true" doc:"The signing secret. It is only in this answer, and null when the answer is repeated for an Idempotency-Key." example:"whsec_…"`
}

func newWebhookWithoutSecret(w *model.Webhook) *reply[newWebhook] {
	return &reply[newWebhook]{newWebhook{Webhook: *w}}
}

type createWebhookInput struct {
	Body struct {
		Name   string   `json:"name" minLength:"1" maxLength:"120"`
		URL    string   `json:"url" format:"uri" maxLength:"2048" doc:"An https address that is not in an internal network." example:"https://example.com/hooks/recado"`
		Events []string `json:"events" minItems:"1" doc:"Event types; GET /integrations/webhooks/events lists them."`
	}
}

func (s *Server) createWebhook(ctx context.Context, a *desk.Principal, in *createWebhookInput) (*reply[newWebhook], error) {
	shaped(ctx, newWebhookWithoutSecret)
	w, secret, err := s.desk.CreateWebhook(ctx, a, desk.NewWebhook{Name: in.Body.Name, URL: in.Body.URL, Events: in.Body.Events})
	return &reply[newWebhook]{newWebhook{w, secret}}, err
}

type updateWebhookInput struct {
	AtID
	Body *struct {
		Name   *string   `json:"name,omitempty" minLength:"1" maxLength:"120"`
		URL    *string   `json:"url,omitempty" format:"uri" maxLength:"2048"`
		Events *[]string `json:"events,omitempty" minItems:"1"`
		Active *bool     `json:"active,omitempty" doc:"true activates the webhook and resets its count of failures; false fails its pending deliveries."`
		Replay bool      `json:"replay,omitempty" doc:"With active: true, also delivers the events that the webhook missed since it was deactivated, in their order, as far as the feed still has them."`
	}
}

func (s *Server) updateWebhook(ctx context.Context, a *desk.Principal, in *updateWebhookInput) (*reply[model.Webhook], error) {
	id, err := pathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	var change desk.WebhookChange
	if b := in.Body; b != nil {
		change = desk.WebhookChange{Name: b.Name, URL: b.URL, Events: b.Events, Active: b.Active, Replay: b.Replay}
	}
	w, err := s.desk.UpdateWebhook(ctx, a, id, change)
	return &reply[model.Webhook]{w}, err
}

func (s *Server) deleteWebhook(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteWebhook(ctx, a, id)
}

func (s *Server) rotateWebhookSecret(ctx context.Context, a *desk.Principal, in *AtID) (*reply[newWebhook], error) {
	id, err := pathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	shaped(ctx, newWebhookWithoutSecret)
	w, secret, err := s.desk.RotateWebhookSecret(ctx, a, id)
	return &reply[newWebhook]{newWebhook{w, secret}}, err
}
