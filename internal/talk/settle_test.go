package talk

import (
	"errors"
	"fmt"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/testkit"
)

// queued adds a conversation with a queued message.
func (o *office) queued(tx *kernel.Tx, contact *Contact) (Message, error) {
	c := Conversation{
		ID: kernel.NewID(), Company: o.company.ID, Channel: o.channel, Private: contact.Pool == o.channel, Kind: KindDirect, Name: contact.Name,
		Contact: &contact.ID, CreatedAt: tx.Now,
	}
	if _, err := InsertConversation(tx, &c); err != nil {
		return Message{}, err
	}
	m := Message{
		ID: kernel.NewID(), Conversation: c.ID, Company: c.Company, Channel: c.Channel, Private: c.Private, Direction: provider.Outbound, Origin: provider.OriginAPI,
		Type: provider.TypeText, Text: new("oi"), Status: provider.StatusQueued, Seq: 1, CreatedAt: tx.Now,
	}
	if _, err := insertMessage(tx, &m); err != nil {
		return m, err
	}
	insertSend(tx, &m, nil)
	return m, nil
}

func (o *office) contact(tx *kernel.Tx, n int, pool kernel.ID) (Contact, error) {
	phone := fmt.Sprintf("+55119%08d", n)
	c := Contact{ID: kernel.NewID(), Company: o.company.ID, Pool: pool, Channel: &o.channel, Name: phone, Phone: &phone, CreatedAt: tx.Now}
	_, err := InsertContact(tx, &c)
	return c, err
}

func TestContactsThatCannotMoveDoNotBlockLaterOnes(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		var later Contact
		o.tx(t, func(tx *kernel.Tx) error {
			for n := range settleBatch + 1 {
				if _, err := o.contact(tx, n, o.company.ID); err != nil {
					return err
				}
				own, err := o.contact(tx, n, o.channel)
				if err != nil {
					return err
				}
				if _, err := o.queued(tx, &own); err != nil {
					return err
				}
			}
			var err error
			later, err = o.contact(tx, 5000, o.company.ID)
			tx.Later(`UPDATE channels SET private = TRUE, settling = TRUE, settled_to = NULL WHERE company = $1 AND id = $2`, o.company.ID, o.channel)
			return err
		})
		rounds := 0
		for more := true; more; rounds++ {
			var err error
			if more, err = o.nodes[0].SettleChannels(t.Context()); err != nil || rounds > 20 {
				t.Fatalf("round %d: %v", rounds, err)
			}
		}
		o.tx(t, func(tx *kernel.Tx) error {
			pool, err := storedPool(tx, &later)
			testkit.Equal(t, "pool of the later contact", pool, o.channel)
			settling, listed := settlingChannels(tx)
			testkit.Equal(t, "channels that are settling", len(settling), 1)
			return errors.Join(err, listed)
		})
	})
}

func TestMessagesOfAnArchivedChannelFailInBatches(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		var messages []Message
		o.tx(t, func(tx *kernel.Tx) error {
			for n := range failedInStep + 1 {
				contact, err := o.contact(tx, n, o.company.ID)
				if err != nil {
					return err
				}
				m, err := o.queued(tx, &contact)
				if err != nil {
					return err
				}
				messages = append(messages, m)
			}
			tx.Later(`UPDATE channels SET archived_at = $3 WHERE company = $1 AND id = $2`, o.company.ID, o.channel, tx.Now) // and the node stops
			return nil
		})
		for _, want := range []bool{true, false} {
			more, err := o.nodes[1].FailArchived(t.Context())
			testkit.Equal(t, "more", more, want)
			if err != nil {
				t.Fatal(err)
			}
		}
		o.tx(t, func(tx *kernel.Tx) error {
			for _, m := range messages {
				stored, _, _, err := findMessage(tx, m.Company, m.ID)
				if err != nil {
					return err
				}
				testkit.Equal(t, "status", stored.Status, provider.StatusFailed)
			}
			left, err := archivedWithSends(tx)
			testkit.Equal(t, "queues", len(left), 0)
			return err
		})
	})
}
