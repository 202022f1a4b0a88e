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

type redeliverInput struct {
	AtID
	DeliveryID string `path:"delivery_id" doc:"UUID."`
}

func (s *Server) redeliver(ctx context.Context, a *desk.Principal, in *redeliverInput) (*reply[model.Delivery], error) {
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
