package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) testWebhook(ctx context.Context, a *desk.Principal, in *AtID) (*reply[model.Delivery], error) {
	id, err := pathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	delivery, err := s.desk.TestWebhook(ctx, a, id)
	return &reply[model.Delivery]{delivery}, err
}

type listDeliveriesInput struct {
	AtID
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"30" doc:"The maximum number of entries."`
	Cursor string `query:"cursor" doc:"The next_cursor of the previous page."`
}

func (s *Server) listDeliveries(ctx context.Context, a *desk.Principal, in *listDeliveriesInput) (*reply[cursorList[model.Delivery]], error) {
	id, err := pathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	page, next, err := s.desk.Deliveries(ctx, a, id, in.Limit, in.Cursor)
	return cursorPage(page, next), err
}

type deliveryInput struct {
	AtID
	DeliveryID string `path:"delivery_id" doc:"UUID."`
}

// sentDelivery is a delivery together with what was sent.
type sentDelivery struct {
	model.Delivery
	Body *string `json:"body" doc:"The body of the requests, byte for byte. null: the event is older than 14 days, or of a card that the caller may not see."`
}

func (s *Server) getDelivery(ctx context.Context, a *desk.Principal, in *deliveryInput) (*reply[sentDelivery], error) {
	id, err := pathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	deliveryID, err := pathID(in.DeliveryID, "delivery")
	if err != nil {
		return nil, err
	}
	delivery, body, err := s.desk.Delivery(ctx, a, id, deliveryID)
	return &reply[sentDelivery]{sentDelivery{delivery, body}}, err
}

func (s *Server) redeliver(ctx context.Context, a *desk.Principal, in *deliveryInput) (*reply[model.Delivery], error) {
	id, err := pathID(in.ID, "webhook")
	if err != nil {
		return nil, err
	}
	deliveryID, err := pathID(in.DeliveryID, "delivery")
	if err != nil {
		return nil, err
	}
	delivery, err := s.desk.Redeliver(ctx, a, id, deliveryID)
	return &reply[model.Delivery]{delivery}, err
}
