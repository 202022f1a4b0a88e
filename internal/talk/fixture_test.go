package talk

import (
	"context"
	"fmt"
	"testing"

	"recado/internal/blob"
	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/internal/people"
	"recado/test/kerneltest"
)

// newTalk returns a Talk with its own people and channels.
func newTalk(k *kernel.Kernel, numbers channels.Numbers, files blob.Store) *Talk {
	p := people.New(k, people.PasswordCost{Memory: 64, Passes: 1})
	return New(channels.New(p, numbers), p, files)
}

// testCompany creates a company and its owner, and returns the operator, who acts as the owner.
func testCompany(t testing.TB, d *Talk) *kernel.Principal {
	t.Helper()
	company, err := d.people.CreateCompany(t.Context(), people.NewCompany{Name: "Padaria", Rules: people.DefaultRules})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.people.CreateUser(t.Context(), company.ID, people.NewUser{Name: "Ana", Email: "ana@padaria.example", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
	if err != nil {
		t.Fatal(err)
	}
	operator, err := d.people.Operator(t.Context(), company.ID)
	if err != nil {
		t.Fatal(err)
	}
	return operator
}

// office is a company with an owner and a channel, and two nodes on one database.
type office struct {
	nodes   []*Talk
	company kernel.Company
	owner   *kernel.Principal
	channel kernel.ID
}

func eachOffice(t *testing.T, body func(t *testing.T, o *office)) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		o := &office{channel: kernel.NewID()}
		for range 2 {
			o.nodes = append(o.nodes, newTalk(kernel.New(kernel.Options{Store: open()}), nil, nil))
		}
		o.owner = testCompany(t, o.nodes[0])
		o.company = o.owner.Company
		o.insertChannel(t, channels.Channel{ID: o.channel, Name: "Sandbox", Phone: new("+551130000000"), Provider: channels.ProviderSandbox})
		body(t, o)
	})
}

// insertChannel adds a connected channel.
func (o *office) insertChannel(t *testing.T, ch channels.Channel) {
	t.Helper()
	o.tx(t, func(tx *kernel.Tx) error {
		_, err := tx.Exec(`
			INSERT INTO channels (id, company, name, phone, provider, private, status, coexistence, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, FALSE, $6, FALSE, $7, $7)`,
			ch.ID, o.company.ID, ch.Name, ch.Phone, ch.Provider, channels.ChannelConnected, tx.Now)
		return err
	})
}

// number adds a connected WhatsApp channel.
func (o *office) number(t *testing.T) channels.Channel {
	t.Helper()
	ch := channels.Channel{ID: kernel.NewID(), Company: o.company.ID, Name: "Main", Phone: new("+551132345678"), Provider: channels.ProviderWhatsApp, Status: channels.ChannelConnected}
	o.insertChannel(t, ch)
	return ch
}

// customer creates a conversation without going through a channel.
func (o *office) customer(t *testing.T, n int) kernel.ID {
	t.Helper()
	group := fmt.Sprint("group ", n)
	c := Conversation{ID: kernel.NewID(), Company: o.company.ID, Channel: o.channel, Kind: KindGroup, Name: group, GroupID: &group}
	o.tx(t, func(tx *kernel.Tx) error {
		c.CreatedAt = tx.Now
		_, err := InsertConversation(tx, &c)
		return err
	})
	return c.ID
}

// change changes a conversation in one transaction.
func (o *office) change(ctx context.Context, d *Talk, conversation kernel.ID, change func(t *LockedConversation) error) error {
	return d.Store.Write(ctx, func(tx *kernel.Tx) error {
		t, err := d.Lock(tx, o.owner, conversation)
		if err == nil {
			err = change(t)
		}
		if err == nil {
			err = t.Save()
		}
		return err
	})
}

// tx runs fn in a transaction of the first node.
func (o *office) tx(t *testing.T, fn func(tx *kernel.Tx) error) {
	t.Helper()
	kerneltest.Write(t, o.nodes[0].Store, fn)
}

// sentEvents returns the bodies of the message.sent events of a company in order.
func sentEvents(t *testing.T, s *kernel.Store, company kernel.ID) (bodies []string) {
	t.Helper()
	kerneltest.Read(t, s, func(tx *kernel.Tx) error {
		bodies = nil
		return tx.Query(`SELECT body FROM events WHERE company = $1 AND type = $2 ORDER BY id`, []any{company, string(EventMessageSent)}, func(r db.Row) error {
			bodies = append(bodies, string(r.Bytes("body")))
			return nil
		})
	})
	return bodies
}
