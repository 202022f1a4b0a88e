package desk

import (
	"errors"
	"strings"
	"testing"
	"time"

	"recado/internal/model"
	"recado/internal/store"
)

// menuCustomer is a customer who writes to a channel with a menu.
type menuCustomer struct {
	*fixture
	number model.Channel
	sector model.ID
	at     time.Time // of the last message
}

// newMenuCustomer makes a channel whose menu leads to a sector with "1".
func newMenuCustomer(t *testing.T, o *fixture) *menuCustomer {
	t.Helper()
	name := "Vendas"
	sector, err := o.nodes[0].CreateSector(t.Context(), o.owner, SectorChange{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	c := &menuCustomer{fixture: o, number: o.number(t), sector: sector.ID, at: time.Now().Add(-time.Hour)}
	done := true
	_, err = o.nodes[0].SetReception(t.Context(), o.owner, c.number.ID, model.Reception{Enabled: true, Menu: &model.Menu{
		Text: "Como podemos ajudar?", MaxInvalid: 5, TimeoutMinutes: 10, Options: []model.MenuOption{
			{Title: "Vendas", Action: model.MenuAction{Sector: &c.sector}},
			{Title: "Nada mais", Action: model.MenuAction{Close: &done}},
		},
	}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// writes makes a message of the customer, some seconds after the last one.
func (c *menuCustomer) writes(text string) []model.Incoming {
	c.at = c.at.Add(5 * time.Second)
	return []model.Incoming{{Message: &model.IncomingMessage{
		ExternalID: "wamid." + model.NewID().String(), Type: model.TypeText, Text: text, At: c.at,
		Customer: model.Person{Phone: "+5511987654321", WAID: "5511987654321"},
	}}}
}

func (c *menuCustomer) receive(t *testing.T, node *Desk, items []model.Incoming) {
	t.Helper()
	if err := node.System().Receive(t.Context(), c.number.ID, items); err != nil {
		t.Fatal(err)
	}
}

// conversation gives the only conversation of the channel.
func (c *menuCustomer) conversation(t *testing.T) model.Conversation {
	t.Helper()
	page, err := c.nodes[0].Conversations(t.Context(), c.owner, ConversationFilter{Limit: 1}, "")
	if err != nil || len(page.Data) != 1 {
		t.Fatalf("%d conversations, %v", len(page.Data), err)
	}
	found, err := read(t.Context(), c.nodes[0], func(tx *store.Tx) (model.Conversation, error) {
		found, _, err := tx.Conversation(c.company.ID, page.Data[0].ID)
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

func TestAnAnswerToAMenuCountsAfterATransactionWasRolledBack(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		c, node := newMenuCustomer(t, o), o.nodes[0]
		c.receive(t, node, c.writes("oi"))
		invalid, lost := c.writes("banana"), errors.New("rolled back")
		_, err := write(t.Context(), node, func(tx *store.Tx) (struct{}, error) {
			ch, _, err := tx.AnyChannel(c.number.ID)
			if err != nil {
				return struct{}{}, err
			}
			in := node.inboundBatch(tx, ch)
			in.arrived = time.Now()
			if err := in.take(&invalid[0]); err != nil {
				return struct{}{}, err
			}
			if err := in.finish(); err != nil {
				return struct{}{}, err
			}
			return struct{}{}, lost
		})
		if !errors.Is(err, lost) {
			t.Fatal(err)
		}
		c.receive(t, node, c.writes("1"))
		c.filed(t)
	})
}

func TestAnAnswerCountsWhereAnotherNodeWithAFastClockShowedTheMenu(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		c := newMenuCustomer(t, o)
		c.receive(t, o.nodes[0], c.writes("oi"))
		err := o.change(t.Context(), o.nodes[0], c.conversation(t).ID, func(l *lockedConversation) error {
			state, rest, found := strings.Cut(*l.Reception, `"asked":1`)
			if !found {
				t.Fatalf("the state is %s", *l.Reception)
			}
			state += `"asked":9` + rest // far ahead
			l.Reception = &state
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
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
