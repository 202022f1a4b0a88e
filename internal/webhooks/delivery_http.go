package webhooks

import (
	"context"

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
	id, err := httpserver.PathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	page, next, err := s.verbs.Deliveries(ctx, a, id, in.Limit, in.Cursor)
	return httpserver.CursorPage(page, next), err
}

type deliveryInput struct {
	httpserver.AtID
	DeliveryID string `path:"delivery_id" doc:"UUID."`
}

func (in *deliveryInput) ids() (webhook, delivery kernel.ID, err error) {
	if webhook, err = httpserver.PathID(in.ID, "webhook"); err == nil {
		delivery, err = httpserver.PathID(in.DeliveryID, "delivery")
	}
	return webhook, delivery, err
}

// sentDelivery is a delivery together with what was sent.
type sentDelivery struct {
	Delivery
	Body *string `json:"body" doc:"The request body, byte for byte; null if the event is older than 14 days or belongs to a card the caller cannot see."`
}

func (s *handlers) getDelivery(
	ctx context.Context, a *kernel.Principal, in *deliveryInput,
) (*httpserver.Reply[sentDelivery], error) {
	id, deliveryID, err := in.ids()
	if err != nil {
		return nil, err
	}
	delivery, body, err := s.verbs.Delivery(ctx, a, id, deliveryID)
	return &httpserver.Reply[sentDelivery]{Body: sentDelivery{delivery, body}}, err
}

func (s *handlers) redeliver(ctx context.Context, a *kernel.Principal, in *deliveryInput) (*httpserver.Reply[Delivery], error) {
	id, deliveryID, err := in.ids()
	if err != nil {
		return nil, err
	}
	delivery, err := s.verbs.Redeliver(ctx, a, id, deliveryID)
	return &httpserver.Reply[Delivery]{Body: delivery}, err
}
