package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) listChannels(ctx context.Context, a *desk.Actor, _ *none) (*reply[list[model.Channel]], error) {
	channels, err := s.desk.Channels(ctx, a)
	return &reply[list[model.Channel]]{list[model.Channel]{channels}}, err
}

type createChannelInput struct {
	Body struct {
		Name     string `json:"name" minLength:"1" maxLength:"120"`
		Phone    string `json:"phone" minLength:"1" maxLength:"64" example:"+5511912345678"`
		Provider string `json:"provider" enum:"sandbox" doc:"A sandbox needs no WhatsApp account: what it sends is accepted at once, and simulate plays the customer."`
	}
}

func (s *Server) createChannel(ctx context.Context, a *desk.Actor, in *createChannelInput) (*reply[model.Channel], error) {
	channel, err := s.desk.CreateChannel(ctx, a, desk.NewChannel{Name: in.Body.Name, Phone: in.Body.Phone, Provider: in.Body.Provider})
	return &reply[model.Channel]{channel}, err
}

type updateChannelInput struct {
	AtID
	Body struct {
		Name *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
	} `required:"false"`
}

func (s *Server) updateChannel(ctx context.Context, a *desk.Actor, in *updateChannelInput) (*reply[model.Channel], error) {
	id, err := pathID(in.ID, "channel")
	if err != nil {
		return nil, err
	}
	channel, err := s.desk.UpdateChannel(ctx, a, id, in.Body.Name)
	return &reply[model.Channel]{channel}, err
}
