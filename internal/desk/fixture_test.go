package desk

import (
	"context"
	"fmt"
	"testing"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/store/storetest"
)

// testCompany makes a company and its owner, and gives the operator, who acts as the owner. Tests of other packages use
// desktest.Company, which tests inside of this package cannot import.
func testCompany(t testing.TB, d *Desk) *Principal {
	t.Helper()
	company, err := d.System().CreateCompany(t.Context(), NewCompany{Name: "Padaria", Rules: DefaultRules})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.System().CreateUser(t.Context(), company.ID, NewUser{Name: "Ana", Email: "ana@padaria.example", Role: model.RoleOwner, AccessProfile: model.AccessAll})
	if err != nil {
		t.Fatal(err)
	}
	operator, err := d.System().Operator(t.Context(), company.ID)
	if err != nil {
		t.Fatal(err)
	}
	return operator
}

// fixture is a company with an owner and a channel id, on nodes of one database.
type fixture struct {
	nodes   []*Desk
	company model.Company
	owner   *Principal
	channel model.ID
}

func eachFixture(t *testing.T, body func(t *testing.T, o *fixture)) {
	storetest.Each(t, func(t *testing.T, open func() *store.Store) {
		o := &fixture{nodes: []*Desk{New(Options{Store: open()}), New(Options{Store: open()})}, channel: model.NewID()}
		o.owner = testCompany(t, o.nodes[0])
		o.company = o.owner.Company
		_, err := write(t.Context(), o.nodes[0], func(tx *store.Tx) (struct{}, error) {
			tx.InsertChannel(model.Channel{
				ID: o.channel, Company: o.company.ID, Name: "Sandbox", Phone: "+551130000000", Provider: model.ProviderSandbox, Status: model.ChannelConnected, CreatedAt: tx.Now,
			})
			return struct{}{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		body(t, o)
	})
}

// customer makes a conversation without going through a channel.
func (o *fixture) customer(t *testing.T, n int) model.ID {
	t.Helper()
	group := fmt.Sprint("group ", n)
	id, err := write(t.Context(), o.nodes[0], func(tx *store.Tx) (model.ID, error) {
		c := model.Conversation{
			ID: model.NewID(), Company: o.company.ID, Channel: o.channel, Kind: model.KindGroup, Name: group, GroupID: &group, CreatedAt: tx.Now,
		}
		_, err := tx.InsertConversation(&c)
		return c.ID, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// change runs a change of one conversation in its own transaction.
func (o *fixture) change(ctx context.Context, d *Desk, conversation model.ID, change func(t *lockedConversation) error) error {
	_, err := write(ctx, d, func(tx *store.Tx) (struct{}, error) {
		t, err := d.lock(tx, o.owner, conversation)
		if err == nil {
			err = change(t)
		}
		if err == nil {
			err = t.save()
		}
		return struct{}{}, err
	})
	return err
}

// number adds a connected WhatsApp channel.
func (o *fixture) number(t *testing.T) model.Channel {
	t.Helper()
	ch, err := write(t.Context(), o.nodes[0], func(tx *store.Tx) (model.Channel, error) {
		ch := model.Channel{ID: model.NewID(), Company: o.company.ID, Name: "Main", Phone: "+551132345678", Provider: model.ProviderWhatsApp, Status: model.ChannelConnected, CreatedAt: tx.Now}
		tx.InsertChannel(ch)
		return ch, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}
