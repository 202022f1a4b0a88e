package desk

import (
	"fmt"
	"slices"
	"testing"

	"recado/internal/model"
	"recado/internal/store"
	"recado/internal/testkit"
)

// labelledThings are a conversation, a contact and a card with the same labels.
type labelledThings struct{ conversation, contact, card model.ID }

func (o *fixture) labelled(t *testing.T, n int, labels ...model.ID) (things labelledThings) {
	t.Helper()
	d, ctx := o.nodes[0], t.Context()
	things.conversation = o.customer(t, n)
	if _, err := d.UpdateConversation(ctx, o.owner, things.conversation, ConversationChange{LabelIDs: &labels}); err != nil {
		t.Fatal(err)
	}
	contact, err := d.CreateContact(ctx, o.owner, NewContact{Name: "Bia", Phone: fmt.Sprintf("+551191234%04d", n)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.UpdateContact(ctx, o.owner, contact.ID, ContactChange{LabelIDs: &labels}); err != nil {
		t.Fatal(err)
	}
	boards, err := d.Boards(ctx, o.owner, false)
	if err != nil {
		t.Fatal(err)
	}
	title := "Cake"
	card, err := d.CreateCard(ctx, o.owner, NewCard{Board: boards[0].ID, CardFields: CardFields{Title: &title, Labels: &labels}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	things.contact, things.card = contact.ID, card.ID
	return things
}

// carry checks the labels of all three, and the version of the card.
func (o *fixture) carry(t *testing.T, things labelledThings, cardVersion int64, labels ...model.ID) {
	t.Helper()
	d, ctx := o.nodes[1], t.Context()
	conversation, err := d.Conversation(ctx, o.owner, things.conversation)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "labels of the conversation", fmt.Sprint(conversation.LabelIDs), fmt.Sprint(labels))
	contact, err := d.Contact(ctx, o.owner, things.contact)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "labels of the contact", fmt.Sprint(contact.LabelIDs), fmt.Sprint(labels))
	card, err := d.Card(ctx, o.owner, things.card)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "labels of the card", fmt.Sprint(card.LabelIDs), fmt.Sprint(labels))
	testkit.Equal(t, "version of the card", card.Version, cardVersion)
}

func (o *fixture) label(t *testing.T, name string) model.ID {
	t.Helper()
	label, err := o.nodes[0].CreateLabel(t.Context(), o.owner, name, "")
	if err != nil {
		t.Fatal(err)
	}
	return label.ID
}

// takeOff takes a removed label off at most n things in one transaction.
func (o *fixture) takeOff(t *testing.T, label model.ID, n int) (more bool) {
	t.Helper()
	more, err := write(t.Context(), o.nodes[0], func(tx *store.Tx) (bool, error) { return tx.TakeOffLabel(label, n) })
	if err != nil {
		t.Fatal(err)
	}
	return more
}

// remove ends a label and takes it off nothing, as a crash in DeleteLabel leaves it.
func (o *fixture) remove(t *testing.T, label model.ID) {
	t.Helper()
	found, err := write(t.Context(), o.nodes[0], func(tx *store.Tx) (bool, error) { return tx.RemoveLabel(o.company.ID, label) })
	if err != nil || !found {
		t.Fatalf("removing the label: found %v, %v", found, err)
	}
}

func TestARemovedLabelIsTakenOffInShortTransactions(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
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
			o.carry(t, things, 2, stays)
		}
	})
}

func TestALabelWhoseDeletionACrashCutOffIsGoneAndFinishedLater(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d, ctx := o.nodes[0], t.Context()
		gone, stays := o.label(t, "gone"), o.label(t, "stays")
		things := o.labelled(t, 1, gone, stays)
		o.remove(t, gone)

		labels, err := d.Labels(ctx, o.owner)
		if err != nil || len(labels) != 1 || labels[0].ID != stays {
			t.Errorf("the labels are %+v, %v; want the one that stays", labels, err)
		}
		if _, err := d.Label(ctx, o.owner, gone); model.CodeOf(err) != model.CodeNotFound {
			t.Errorf("reading the label: %v, want not_found", err)
		}
		if err := d.DeleteLabel(ctx, o.owner, gone); model.CodeOf(err) != model.CodeNotFound {
			t.Errorf("deleting the label again: %v, want not_found", err)
		}
		use := []model.ID{gone}
		if _, err := d.UpdateContact(ctx, o.owner, things.contact, ContactChange{LabelIDs: &use}); model.CodeOf(err) != model.CodeInvalidRequest {
			t.Errorf("putting the label on a contact: %v, want invalid_request", err)
		}
		again := o.label(t, "gone") // the name is free
		other := o.labelled(t, 2, stays)
		failures, err := d.Bulk(ctx, o.owner, []model.ID{things.conversation, other.conversation}, BulkAction{Action: BulkLabel, Add: []model.ID{again}})
		if err != nil || slices.ContainsFunc(failures, func(err error) bool { return err != nil }) {
			t.Errorf("labelling a conversation that still carries it: %v, %v", failures, err)
		}
		if _, err := d.Bulk(ctx, o.owner, []model.ID{things.conversation, other.conversation}, BulkAction{Action: BulkLabel, Remove: []model.ID{again}}); err != nil {
			t.Error(err)
		}

		if err := o.nodes[1].System().FinishRemovals(ctx, model.ID{}, nil); err != nil {
			t.Fatal(err)
		}
		o.carry(t, things, 2, stays)
		o.carry(t, other, 1, stays)
		left, err := read(ctx, d, func(tx *store.Tx) ([]model.ID, error) { return tx.RemovedLabels(o.company.ID) })
		if err != nil || len(left) != 0 {
			t.Errorf("labels that are yet to be taken off: %v, %v; want none", left, err)
		}
	})
}

func TestDeletingALabelTakesItOffMoreThanOneBatch(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		gone := o.label(t, "gone")
		var ids []model.ID
		for n := range removalBatch + 1 {
			ids = append(ids, o.customer(t, n))
		}
		for batch := range slices.Chunk(ids, 100) {
			if _, err := o.nodes[0].Bulk(t.Context(), o.owner, batch, BulkAction{Action: BulkLabel, Add: []model.ID{gone}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.nodes[0].DeleteLabel(t.Context(), o.owner, gone); err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if c, err := o.nodes[1].Conversation(t.Context(), o.owner, id); err != nil || len(c.LabelIDs) != 0 {
				t.Fatalf("a conversation has the labels %v, %v; want none", c.LabelIDs, err)
			}
		}
	})
}
