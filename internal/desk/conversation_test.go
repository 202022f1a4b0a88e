package desk

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"recado/internal/model"
	"recado/internal/slots"
	"recado/internal/store"
)

func TestHiddenConversationsAndContacts(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d, a, ctx := o.nodes[0], o.owner, t.Context()
		private, err := d.CreateChannel(ctx, a, NewChannel{Name: "Directors", Phone: "+5511955554444", Provider: model.ProviderSandbox, Private: true})
		if err != nil {
			t.Fatal(err)
		}
		public, err := d.CreateChannel(ctx, a, NewChannel{Name: "Desk", Phone: "+5511955554445", Provider: model.ProviderSandbox})
		if err != nil {
			t.Fatal(err)
		}
		var conversation, contact model.ID
		_, err = write(ctx, d, func(tx *store.Tx) (struct{}, error) {
			c, err := d.contactFor(tx, private, model.Person{Phone: "+5511911110001", Name: "Sigilosa"}, nil)
			if err != nil {
				return struct{}{}, err
			}
			th, _, err := d.conversationWith(tx, private, c)
			if err == nil {
				conversation, contact = th.ID, c.ID
			}
			return struct{}{}, err
		})
		if err != nil {
			t.Fatal(err)
		}
		yes, name := true, "x"
		for what, call := range map[string]func() error{
			"get": func() error { _, err := d.Conversation(ctx, a, conversation); return err },
			"change": func() error {
				_, err := d.UpdateConversation(ctx, a, conversation, ConversationChange{Pinned: &yes})
				return err
			},
			"read":           func() error { _, err := d.MarkRead(ctx, a, conversation); return err },
			"get contact":    func() error { _, err := d.Contact(ctx, a, contact); return err },
			"change contact": func() error { _, err := d.UpdateContact(ctx, a, contact, ContactChange{Name: &name}); return err },
		} {
			if err := call(); model.CodeOf(err) != model.CodeNotFound {
				t.Errorf("call(): want model.CodeOf(err) == model.CodeNotFound; got %+v, %+v", what, err)
			}
		}
		_, err = d.OpenConversation(ctx, a, NewConversation{Channel: public.ID, Contact: &contact})
		if model.CodeOf(err) != model.CodeInvalidRequest {
			t.Errorf("open with a hidden contact: %v", err)
		}
		phone := "+5511911110001"
		opened, err := d.OpenConversation(ctx, a, NewConversation{Channel: public.ID, Phone: &phone})
		if err != nil || !opened.Created || *opened.Conversation.Contact == contact {
			t.Fatalf("contact %v, want another than the private %v (error %v)", opened.Conversation.Contact, contact, err)
		}
		if _, err := d.Contact(ctx, a, contact); model.CodeOf(err) != model.CodeNotFound {
			t.Errorf("the private contact after a public channel met the person: %v", err)
		}
		second, err := d.CreateChannel(ctx, a, NewChannel{Name: "Board", Phone: "+5511955554446", Provider: model.ProviderSandbox, Private: true})
		if err != nil {
			t.Fatal(err)
		}
		apart, err := write(ctx, d, func(tx *store.Tx) (model.Contact, error) {
			return d.contactFor(tx, second, model.Person{Phone: "+5511911110001", Name: "Outra"}, nil)
		})
		if err != nil || apart.ID == contact || apart.Name != "Outra" {
			t.Errorf("a second private channel shares the contact of the first: %+v (error %v)", apart, err)
		}
	})
}

func TestTheListAndMaySeeAgree(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d, ctx := o.nodes[0], t.Context()
		people, sectors := []*model.ID{nil, &o.owner.User.ID, new(model.NewID())}, []*model.ID{nil, new(model.NewID()), new(model.NewID())}
		n := 0
		for _, assignee := range people {
			for _, sector := range sectors {
				id := o.customer(t, n)
				n++
				err := o.change(ctx, d, id, func(t *lockedConversation) error {
					t.Assignee, t.Sector = assignee, sector
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, profile := range []model.AccessProfile{model.AccessAll, model.AccessSectors, model.AccessOwn} {
			for _, mine := range [][]model.ID{nil, {*sectors[1]}, {*sectors[1], *sectors[2]}} {
				a := *o.owner
				a.Profile, a.Sectors = profile, mine
				listed, err := d.Conversations(ctx, &a, ConversationFilter{Limit: 100}, "")
				if err != nil {
					t.Fatal(err)
				}
				everything, err := d.Conversations(ctx, o.owner, ConversationFilter{Limit: 100}, "")
				if err != nil {
					t.Fatal(err)
				}
				seen := map[model.ID]bool{}
				for _, c := range listed.Data {
					seen[c.ID] = true
				}
				for _, c := range everything.Data {
					if seen[c.ID] != a.MaySee(&c) {
						t.Errorf("%s with %d sectors: listed %v, MaySee %v: %+v", profile, len(mine), seen[c.ID], a.MaySee(&c), c)
					}
				}
			}
		}
	})
}

func TestNodesIndexTogether(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		var wg sync.WaitGroup
		ids := make([]model.ID, 8)
		for i := range ids {
			ids[i] = o.customer(t, i)
		}
		done := make(chan struct{})
		for _, d := range o.nodes {
			wg.Go(func() {
				for {
					if err := d.System().IndexSearch(t.Context()); err != nil {
						t.Error(err)
						return
					}
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		var writers sync.WaitGroup
		for i, id := range ids {
			writers.Go(func() {
				for n := range 10 {
					name := fmt.Sprintf("cliente%dvez%d", i, n)
					if err := o.change(t.Context(), o.nodes[i%2], id, func(t *lockedConversation) error { t.Name = name; return nil }); err != nil {
						t.Error(err)
						return
					}
					found, err := o.nodes[(i+1)%2].Conversations(t.Context(), o.owner, ConversationFilter{Q: name, Limit: 5}, "")
					if err != nil || len(found.Data) != 1 || found.Data[0].ID != id {
						t.Errorf("want err == nil and number of found.Data == 1 and found.Data[0].ID == id; got %+v, %+v, %+v", name, found.Data, err)
					}
				}
			})
		}
		writers.Wait()
		close(done)
		wg.Wait()
		if err := o.nodes[0].System().IndexSearch(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range ids {
			for n, want := range map[int]int{3: 0, 9: 1} {
				found, err := o.nodes[0].Conversations(t.Context(), o.owner, ConversationFilter{Q: fmt.Sprintf("cliente%dvez%d", i, n), Limit: 5}, "")
				if err != nil || len(found.Data) != want {
					t.Errorf("after indexing, %d %d: %v %v", i, n, found.Data, err)
				}
			}
		}
	})
}

func TestFiltersThatReadFarTakeASlotForSearches(t *testing.T) {
	eachFixture(t, func(t *testing.T, o *fixture) {
		d := o.nodes[0]
		_, err := write(t.Context(), d, func(tx *store.Tx) (struct{}, error) {
			for i := range 2_100 { // more than are read without a slot
				group := fmt.Sprint("group ", i)
				_, err := tx.InsertConversation(&model.Conversation{
					ID: model.NewID(), Company: o.company.ID, Channel: o.channel, Kind: model.KindGroup, Name: group, GroupID: &group, CreatedAt: tx.Now,
				})
				if err != nil {
					return struct{}{}, err
				}
			}
			return struct{}{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		lists := map[string]ConversationFilter{
			"no filter":                              {},
			"one filter":                             {Unassigned: true},
			"one filter that lets nothing through":   {Kind: model.KindDirect},
			"two filters that fill the page at once": {Kind: model.KindGroup, Unassigned: true},
			"two filters that let nothing through":   {Kind: model.KindDirect, Unassigned: true},
		}
		full, none := d.searches.slots, slots.New[model.ID](0, 0)
		for name, f := range lists {
			f.Limit, d.searches.slots = 30, full
			if _, err := d.Conversations(t.Context(), o.owner, f, ""); err != nil {
				t.Errorf("%s, with slots: %v", name, err)
			}
			d.searches.slots = none
			var refused *model.Error
			_, err := d.Conversations(t.Context(), o.owner, f, "")
			got, want := errors.As(err, &refused) && refused.Code == model.CodeRateLimited, name == "two filters that let nothing through"
			if got != want || !want && err != nil {
				t.Errorf("%s, without slots: got error %v, want it refused: %t", name, err, want)
			}
		}
	})
}
