package talk_test

import (
	"fmt"
	"slices"
	"testing"

	"recado/internal/boards"
	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/internal/talk"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// shelf is a company with two nodes on one database.
type shelf struct {
	nodes   []*server.Desk
	channel kernel.ID
	company kernel.ID
	owner   *kernel.Principal
}

func eachShelf(t *testing.T, body func(t *testing.T, o *shelf)) {
	kerneltest.Each(t, func(t *testing.T, open func() *kernel.Store) {
		o := &shelf{nodes: []*server.Desk{server.New(server.Options{Store: open()}), server.New(server.Options{Store: open()})}}
		o.owner, _ = servertest.AddCompany(t, o.nodes[0], people.NewCompany{Name: "Padaria"})
		o.company = o.owner.Company.ID
		ch, err := o.nodes[0].Channels.CreateChannel(t.Context(), o.owner, channels.NewChannel{Name: "Sandbox", Phone: "+551130000000", Provider: channels.ProviderSandbox})
		if err != nil {
			t.Fatal(err)
		}
		o.channel = ch.ID
		body(t, o)
	})
}

// customer opens a conversation.
func (o *shelf) customer(t *testing.T, n int) kernel.ID {
	t.Helper()
	phone := fmt.Sprintf("+551198765%04d", n)
	opened, err := o.nodes[0].Talk.OpenConversation(t.Context(), o.owner, talk.NewConversation{Channel: o.channel, Phone: &phone})
	if err != nil {
		t.Fatal(err)
	}
	return opened.Conversation.ID
}

// labelledThings are a conversation, a contact and a card with the same labels.
type labelledThings struct{ conversation, contact, card kernel.ID }

func (o *shelf) labelled(t *testing.T, n int, labels ...kernel.ID) (things labelledThings) {
	t.Helper()
	d, ctx := o.nodes[0], t.Context()
	things.conversation = o.customer(t, n)
	if _, err := d.Talk.UpdateConversation(ctx, o.owner, things.conversation, talk.ConversationChange{LabelIDs: &labels}); err != nil {
		t.Fatal(err)
	}
	contact, err := d.Talk.CreateContact(ctx, o.owner, talk.NewContact{Name: "Bia", Phone: fmt.Sprintf("+551191234%04d", n)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Talk.UpdateContact(ctx, o.owner, contact.ID, talk.ContactChange{LabelIDs: &labels}); err != nil {
		t.Fatal(err)
	}
	all, err := d.Boards.Boards(ctx, o.owner, false)
	if err != nil {
		t.Fatal(err)
	}
	title := "Cake"
	card, err := d.Boards.CreateCard(ctx, o.owner, boards.NewCard{Board: all[0].ID, CardFields: boards.CardFields{Title: &title, Labels: &labels}})
	if err != nil {
		t.Fatal(err)
	}
	things.contact, things.card = contact.ID, card.ID
	return things
}

// checkLabels checks the labels of all three and the version of the card.
func (o *shelf) checkLabels(t *testing.T, things labelledThings, cardVersion int64, labels ...kernel.ID) {
	t.Helper()
	d, ctx := o.nodes[1], t.Context()
	conversation, err := d.Talk.Conversation(ctx, o.owner, things.conversation)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "labels of the conversation", fmt.Sprint(conversation.LabelIDs), fmt.Sprint(labels))
	contact, err := d.Talk.Contact(ctx, o.owner, things.contact)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "labels of the contact", fmt.Sprint(contact.LabelIDs), fmt.Sprint(labels))
	card, err := d.Boards.Card(ctx, o.owner, things.card)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "labels of the card", fmt.Sprint(card.LabelIDs), fmt.Sprint(labels))
	testkit.Equal(t, "version of the card", card.Version, cardVersion)
}

func (o *shelf) label(t *testing.T, name string) kernel.ID {
	t.Helper()
	label, err := o.nodes[0].Talk.CreateLabel(t.Context(), o.owner, name, "")
	if err != nil {
		t.Fatal(err)
	}
	return label.ID
}

// takeOff takes a removed label off up to n things in one transaction.
func (o *shelf) takeOff(t *testing.T, label kernel.ID, n int) (more bool) {
	t.Helper()
	more, err := kernel.Write(t.Context(), o.nodes[0].Kernel, func(tx *kernel.Tx) (bool, error) { return talk.TakeOffLabel(tx, o.company, label, n) })
	if err != nil {
		t.Fatal(err)
	}
	return more
}

// remove removes a label without taking it off anything, like a crash in DeleteLabel.
func (o *shelf) remove(t *testing.T, label kernel.ID) {
	t.Helper()
	found, err := kernel.Write(t.Context(), o.nodes[0].Kernel, func(tx *kernel.Tx) (bool, error) { return talk.RemoveLabel(tx, o.company, label) })
	if err != nil || !found {
		t.Fatalf("removing the label: found %v, %v", found, err)
	}
}

func TestARemovedLabelIsTakenOffInShortTransactions(t *testing.T) {
	eachShelf(t, func(t *testing.T, o *shelf) {
		gone, stays := o.label(t, "gone"), o.label(t, "stays")
		var all []labelledThings
		for n := range 3 {
			all = append(all, o.labelled(t, n, gone, stays))
		}
		o.remove(t, gone)
		transactions := 0
		for o.takeOff(t, gone, 2) {
			transactions++
		}
		testkit.Equal(t, "transactions for three contacts, conversations and cards, two at a time", transactions, 6)
		for _, things := range all {
			o.checkLabels(t, things, 2, stays)
		}
	})
}

func TestALabelDeletionInterruptedByACrashIsFinishedLater(t *testing.T) {
	eachShelf(t, func(t *testing.T, o *shelf) {
		d, ctx := o.nodes[0], t.Context()
		gone, stays := o.label(t, "gone"), o.label(t, "stays")
		things := o.labelled(t, 1, gone, stays)
		o.remove(t, gone)

		labels, err := d.Talk.Labels(ctx, o.owner)
		if err != nil || len(labels) != 1 || labels[0].ID != stays {
			t.Errorf("the labels are %+v, %v; want the one that stays", labels, err)
		}
		if _, err := d.Talk.Label(ctx, o.owner, gone); kernel.CodeOf(err) != kernel.CodeNotFound {
			t.Errorf("reading the label: %v, want not_found", err)
		}
		if err := d.Talk.DeleteLabel(ctx, o.owner, gone); kernel.CodeOf(err) != kernel.CodeNotFound {
			t.Errorf("deleting the label again: %v, want not_found", err)
		}
		use := []kernel.ID{gone}
		if _, err := d.Talk.UpdateContact(ctx, o.owner, things.contact, talk.ContactChange{LabelIDs: &use}); kernel.CodeOf(err) != kernel.CodeInvalidRequest {
			t.Errorf("putting the label on a contact: %v, want invalid_request", err)
		}
		again := o.label(t, "gone") // the name is free
		other := o.labelled(t, 2, stays)
		failures, err := d.Talk.Bulk(ctx, o.owner, []kernel.ID{things.conversation, other.conversation}, talk.BulkAction{Action: "label", Add: []kernel.ID{again}})
		if err != nil || slices.ContainsFunc(failures, func(err error) bool { return err != nil }) {
			t.Errorf("labelling a conversation that still has it: %v, %v", failures, err)
		}
		if _, err := d.Talk.Bulk(ctx, o.owner, []kernel.ID{things.conversation, other.conversation}, talk.BulkAction{Action: "label", Remove: []kernel.ID{again}}); err != nil {
			t.Error(err)
		}

		if err := o.nodes[1].Talk.FinishRemovals(ctx, kernel.ID{}, nil); err != nil {
			t.Fatal(err)
		}
		o.checkLabels(t, things, 2, stays)
		o.checkLabels(t, other, 1, stays)
		if n, err := kernel.Read(ctx, d.Kernel, func(tx *kernel.Tx) (int, error) {
			left, err := talk.RemovedLabels(tx, o.company)
			return len(left), err
		}); err != nil || n != 0 {
			t.Errorf("%d labels are yet to be taken off, %v; want none", n, err)
		}
	})
}

func TestDeletingALabelTakesItOffMoreThanOneBatch(t *testing.T) {
	eachShelf(t, func(t *testing.T, o *shelf) {
		gone := o.label(t, "gone")
		var ids []kernel.ID
		for n := range talk.RemovalBatch + 1 {
			ids = append(ids, o.customer(t, n))
		}
		for batch := range slices.Chunk(ids, 100) {
			if _, err := o.nodes[0].Talk.Bulk(t.Context(), o.owner, batch, talk.BulkAction{Action: "label", Add: []kernel.ID{gone}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.nodes[0].Talk.DeleteLabel(t.Context(), o.owner, gone); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if c, err := o.nodes[1].Talk.Conversation(t.Context(), o.owner, id); err != nil || len(c.LabelIDs) != 0 {
				t.Fatalf("a conversation has the labels %v, %v; want none", c.LabelIDs, err)
			}
		}
	})
}
