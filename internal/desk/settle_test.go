package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/testkit"
	"recado/internal/voice"
)

// tx runs fn in a transaction of the first node.
func (o *fixture) tx(t *testing.T, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := o.nodes[0].store.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// queued adds a conversation of the channel with a message that waits to be sent.
func (o *fixture) queued(tx *store.Tx, contact *model.Contact) (model.Message, error) {
	c := model.Conversation{
		ID: model.NewID(), Company: o.company.ID, Channel: o.channel, Private: contact.Pool == o.channel, Kind: model.KindDirect, Name: contact.Name,
		Contact: &contact.ID, CreatedAt: tx.Now,
	}
	if _, err := tx.InsertConversation(&c); err != nil {
		return model.Message{}, err
	}
	m := model.Message{
		ID: model.NewID(), Conversation: c.ID, Company: c.Company, Channel: c.Channel, Private: c.Private, Direction: model.Outbound, Origin: model.OriginAPI,
		Type: model.TypeText, Text: new("oi"), Status: model.StatusQueued, Seq: 1, CreatedAt: tx.Now,
	}
	if _, err := tx.InsertMessage(&m, store.MessageExtras{}); err != nil {
		return m, err
	}
	tx.InsertSend(&m)
	return m, nil
}

func (o *fixture) contact(tx *store.Tx, n int, pool model.ID) (model.Contact, error) {
	phone := fmt.Sprintf("+55119%08d", n)
	c := model.Contact{ID: model.NewID(), Company: o.company.ID, Pool: pool, Channel: &o.channel, Name: phone, Phone: &phone, CreatedAt: tx.Now}
	_, err := tx.InsertContact(&c)
	return c, err
}

func TestContactsThatCannotMoveDoNotKeepLaterOnesFromMoving(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		var later model.Contact
		o.tx(t, func(tx *store.Tx) error {
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
			tx.SetChannelPrivate(o.company.ID, o.channel, true)
			return err
		})
		rounds := 0
		for more := true; more; rounds++ {
			var err error
			if more, err = o.nodes[0].System().SettleChannels(t.Context()); err != nil || rounds > 20 {
				t.Fatalf("round %d: %v", rounds, err)
			}
		}
		o.tx(t, func(tx *store.Tx) error {
			pool, err := tx.StoredPool(&later)
			testkit.Equal(t, "pool of the later contact", pool, o.channel)
			settling, listed := tx.SettlingChannels()
			testkit.Equal(t, "channels that are settling", len(settling), 1)
			return errors.Join(err, listed)
		})
	})
}

func TestTheQueueOfAnArchivedChannelFailsInBatches(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		var messages []model.Message
		o.tx(t, func(tx *store.Tx) error {
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
			tx.ArchiveChannel(o.company.ID, o.channel) // and the node stops
			return nil
		})
		for _, want := range []bool{true, false} {
			more, err := o.nodes[1].System().FailArchived(t.Context())
			testkit.Equal(t, "more", more, want)
			if err != nil {
				t.Fatal(err)
			}
		}
		o.tx(t, func(tx *store.Tx) error {
			for _, m := range messages {
				stored, _, _, err := tx.Message(m.Company, m.ID)
				if err != nil {
					return err
				}
				testkit.Equal(t, "status", stored.Status, model.StatusFailed)
			}
			left, err := tx.ArchivedWithSends()
			testkit.Equal(t, "queues", len(left), 0)
			return err
		})
	})
}

func TestRecordingsWaitForATurnToBeConverted(t *testing.T) {
	d := New(Options{})
	ctx, cancel := context.WithCancel(t.Context())
	for range conversionsAtOnce {
		d.conversions <- struct{}{}
	}
	cancel()
	_, err := io.ReadAll(d.converted(ctx, strings.NewReader("webm")))
	testkit.Equal(t, "error while others are converted", err, context.Canceled)
	<-d.conversions
	_, err = io.ReadAll(d.converted(t.Context(), strings.NewReader("webm")))
	testkit.Equal(t, "error afterwards", err, voice.ErrNotOpus)
	testkit.Equal(t, "turns in use", len(d.conversions), conversionsAtOnce-1)
}
