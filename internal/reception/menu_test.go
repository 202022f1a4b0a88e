package reception

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/kerneltest"
)

// office is a company with an owner, on nodes of one database.
type office struct {
	nodes []*Receptionist
	owner *kernel.Principal
}

func eachOffice(t *testing.T, body func(t *testing.T, o *office)) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		o := &office{}
		for range 2 {
			p := people.New(kernel.New(kernel.Options{Store: open()}), people.PasswordCost{Memory: 64, Passes: 1})
			c := channels.New(p, nil)
			o.nodes = append(o.nodes, New(talk.New(c, p, nil), c, p))
		}
		p := o.nodes[0].people
		company, err := p.CreateCompany(t.Context(), people.NewCompany{Name: "Padaria", Rules: people.DefaultRules})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.CreateUser(t.Context(), company.ID, people.NewUser{Name: "Ana", Email: "ana@padaria.example", Role: kernel.RoleOwner, AccessProfile: kernel.AccessAll})
		if err != nil {
			t.Fatal(err)
		}
		if o.owner, err = p.Operator(t.Context(), company.ID); err != nil {
			t.Fatal(err)
		}
		body(t, o)
	})
}

// number adds a connected WhatsApp channel.
func (o *office) number(t *testing.T) channels.Channel {
	t.Helper()
	ch := channels.Channel{ID: kernel.NewID(), Company: o.owner.Company.ID, Name: "Main", Phone: new("+551132345678"), Provider: channels.ProviderWhatsApp, Status: channels.ChannelConnected}
	kerneltest.Write(t, o.nodes[0].Store, func(tx *kernel.Tx) error {
		_, err := tx.Exec(`
			INSERT INTO channels (id, company, name, phone, provider, private, status, coexistence, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, FALSE, $6, FALSE, $7, $7)`,
			ch.ID, ch.Company, ch.Name, ch.Phone, ch.Provider, ch.Status, tx.Now)
		return err
	})
	return ch
}

// menuCustomer is a customer who writes to a channel with a menu.
type menuCustomer struct {
	*office
	number channels.Channel
	sector kernel.ID
	at     time.Time // of the last message
}

// newMenuCustomer creates a channel whose menu leads to a sector with "1".
func newMenuCustomer(t *testing.T, o *office) *menuCustomer {
	t.Helper()
	name := "Vendas"
	sector, err := o.nodes[0].people.CreateSector(t.Context(), o.owner, people.SectorChange{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	c := &menuCustomer{office: o, number: o.number(t), sector: sector.ID, at: time.Now().Add(-time.Hour)}
	done := true
	_, err = o.nodes[0].SetReception(t.Context(), o.owner, c.number.ID, Reception{Enabled: true, Menu: &Menu{
		Text: "Como podemos ajudar?", MaxInvalid: 5, TimeoutMinutes: 10, Options: []MenuOption{
			{Title: "Vendas", Action: MenuAction{Sector: &c.sector}},
			{Title: "Nada mais", Action: MenuAction{Close: &done}},
		},
	}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// writes sends a message of the customer, some seconds after the last one.
func (c *menuCustomer) writes(text string) []provider.Incoming {
	c.at = c.at.Add(5 * time.Second)
	return []provider.Incoming{{Message: &provider.IncomingMessage{
		ExternalID: "wamid." + kernel.NewID().String(), Type: provider.TypeText, Text: text, At: c.at,
		Customer: provider.Person{Phone: "+5511987654321", WAID: "5511987654321"},
	}}}
}

func (c *menuCustomer) receive(t *testing.T, node *Receptionist, items []provider.Incoming) {
	t.Helper()
	if err := node.talk.Receive(t.Context(), c.number.Company, c.number.ID, items); err != nil {
		t.Fatal(err)
	}
}

// conversation returns the only conversation of the channel.
func (c *menuCustomer) conversation(t *testing.T) talk.Conversation {
	t.Helper()
	found, err := kernel.Read(t.Context(), c.nodes[0].Kernel, func(tx *kernel.Tx) (talk.Conversation, error) {
		ids, err := tx.IDs(`SELECT id FROM conversations WHERE company = $1`, c.owner.Company.ID)
		if err != nil || len(ids) != 1 {
			return talk.Conversation{}, fmt.Errorf("%d conversations, %w", len(ids), err)
		}
		found, _, err := talk.FindConversation(tx, c.owner.Company.ID, ids[0])
		return found, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (c *menuCustomer) filed(t *testing.T) {
	t.Helper()
	if is := c.conversation(t); is.Sector == nil || *is.Sector != c.sector {
		t.Errorf("the answer was not taken: sector %v", is.Sector)
	}
}

func TestAReplyToAMenuCountsAfterARollback(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		c, node := newMenuCustomer(t, o), o.nodes[0]
		c.receive(t, node, c.writes("oi"))
		lost := errors.New("rolled back")
		rollBack := true
		node.talk.Observe(talk.Observer{CustomerWrote: func(in *talk.InboundBatch, _ *talk.BatchConversation) error {
			if rollBack {
				in.Tx.BeforeCommit(func() error { return lost })
			}
			return nil
		}})
		if err := node.talk.Receive(t.Context(), c.number.Company, c.number.ID, c.writes("banana")); !errors.Is(err, lost) {
			t.Fatal(err)
		}
		rollBack = false
		c.receive(t, node, c.writes("1"))
		c.filed(t)
	})
}

func TestAReplyCountsIfANodeWithAFastClockShowedTheMenu(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		c := newMenuCustomer(t, o)
		c.receive(t, o.nodes[0], c.writes("oi"))
		id := c.conversation(t).ID
		kerneltest.Write(t, o.nodes[0].Store, func(tx *kernel.Tx) error {
			l, err := o.nodes[0].talk.Lock(tx, o.owner, id)
			if err != nil {
				return err
			}
			state, rest, found := strings.Cut(*l.Reception, `"asked":1`)
			if !found {
				t.Fatalf("the state is %s", *l.Reception)
			}
			state += `"asked":9` + rest // far ahead
			l.Reception = &state
			return l.Save()
		})
		early := c.writes("2")
		early[0].Message.At = early[0].Message.At.Add(-4 * time.Second) // a second after the first message
		c.receive(t, o.nodes[1], early)
		if c.conversation(t).Attendance == nil {
			t.Error("a message that was written at once with the first one was taken as an answer")
		}
		c.receive(t, o.nodes[1], c.writes("1"))
		c.filed(t)
	})
}
