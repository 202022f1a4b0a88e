package desk

import (
	"context"

	"recado/internal/model"
	"recado/internal/store"
)

// NewChannel is what a channel is made of.
type NewChannel struct {
	Name     string
	Phone    string
	Provider string
	Private  bool // never offered by the API: only the operator makes private channels
}

// Channels lists the company's channels, without the private ones.
func (d *Desk) Channels(ctx context.Context, a *Actor) ([]model.Channel, error) {
	return read(ctx, d, func(tx *store.Tx) ([]model.Channel, error) { return tx.Channels(a.Company.ID) })
}

// CreateChannel adds a channel. One of provider sandbox is connected at once.
func (d *Desk) CreateChannel(ctx context.Context, a *Actor, in NewChannel) (model.Channel, error) {
	name, invalid := model.Name("body.name", in.Name, model.MaxName)
	if invalid != nil {
		return model.Channel{}, invalid
	}
	phone, ok := model.NormalizePhone(in.Phone)
	if !ok {
		return model.Channel{}, errPhone("body.phone")
	}
	if in.Provider != model.ProviderSandbox {
		return model.Channel{}, model.Invalid("body.provider", "must be sandbox")
	}
	return write(ctx, d, a, func(tx *store.Tx) (model.Channel, error) {
		ch := model.Channel{
			ID: model.NewID(), Company: a.Company.ID, Name: name, Phone: phone, Provider: in.Provider,
			Status: model.ChannelConnected, Private: in.Private, CreatedAt: tx.Now,
		}
		tx.InsertChannel(ch)
		return ch, nil
	})
}

// UpdateChannel renames a channel.
func (d *Desk) UpdateChannel(ctx context.Context, a *Actor, id model.ID, name *string) (model.Channel, error) {
	if name != nil {
		clean, invalid := model.Name("body.name", *name, model.MaxName)
		if invalid != nil {
			return model.Channel{}, invalid
		}
		name = &clean
	}
	return write(ctx, d, a, func(tx *store.Tx) (model.Channel, error) {
		ch, err := d.channel(tx, a, id)
		if err == nil && name != nil {
			ch.Name = *name
			tx.RenameChannel(a.Company.ID, id, ch.Name)
		}
		return ch, err
	})
}

// channel finds a channel that the actor may know of.
func (d *Desk) channel(tx *store.Tx, a *Actor, id model.ID) (model.Channel, error) {
	ch, found, err := tx.Channel(a.Company.ID, id)
	if err != nil || !found || ch.Private {
		return model.Channel{}, errOr(err, model.NotFound("channel"))
	}
	return ch, nil
}

func errPhone(field string) error {
	return model.Invalid(field, "must be a phone number with its country code, such as +5511912345678")
}
