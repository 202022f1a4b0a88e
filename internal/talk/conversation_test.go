package talk

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"recado/internal/channels"
	"recado/internal/channels/provider"
	"recado/internal/kernel"
)

func TestPrivateConversationsAndContactsAreHidden(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		d, a, ctx := o.nodes[0], o.owner, t.Context()
		private, err := d.channels.CreateChannel(ctx, a, channels.NewChannel{Name: "Directors", Phone: "+5511955554444", Provider: channels.ProviderSandbox, Private: true})
		if err != nil {
			t.Fatal(err)
		}
		public, err := d.channels.CreateChannel(ctx, a, channels.NewChannel{Name: "Desk", Phone: "+5511955554445", Provider: channels.ProviderSandbox})
		if err != nil {
			t.Fatal(err)
		}
		var conversation, contact kernel.ID
		o.tx(t, func(tx *kernel.Tx) error {
			c, err := d.contactFor(tx, private, provider.Person{Phone: "+5511911110001", Name: "Sigilosa"}, time.Time{}, nil)
			if err != nil {
				return err
			}
			locked, _, err := d.conversationWith(tx, private, c)
			if err == nil {
				conversation, contact = locked.ID, c.ID
			}
			return err
		})
		for name, call := range map[string]func() error{
			"get": func() error { _, err := d.Conversation(ctx, a, conversation); return err },
			"change": func() error {
				_, err := d.UpdateConversation(ctx, a, conversation, ConversationChange{Pinned: new(true)})
				return err
			},
			"read":        func() error { _, err := d.MarkRead(ctx, a, conversation); return err },
			"get contact": func() error { _, err := d.Contact(ctx, a, contact); return err },
			"change contact": func() error {
				_, err := d.UpdateContact(ctx, a, contact, ContactChange{Name: new("x")})
				return err
			},
		} {
			if err := call(); kernel.CodeOf(err) != kernel.CodeNotFound {
				t.Errorf("%s: got %v, want %s", name, err, kernel.CodeNotFound)
			}
		}
		_, err = d.OpenConversation(ctx, a, NewConversation{Channel: public.ID, Contact: &contact})
		if kernel.CodeOf(err) != kernel.CodeInvalidRequest {
			t.Errorf("open with a hidden contact: got %v, want %s", err, kernel.CodeInvalidRequest)
		}
		opened, err := d.OpenConversation(ctx, a, NewConversation{Channel: public.ID, Phone: new("+5511911110001")})
		if err != nil || !opened.Created || *opened.Conversation.Contact == contact {
			t.Fatalf("got %+v and error %v, want a contact other than the private %v", opened, err, contact)
		}
		if _, err := d.Contact(ctx, a, contact); kernel.CodeOf(err) != kernel.CodeNotFound {
			t.Errorf("the private contact after the public one was created: got %v, want %s", err, kernel.CodeNotFound)
		}
		second, err := d.channels.CreateChannel(ctx, a, channels.NewChannel{Name: "Board", Phone: "+5511955554446", Provider: channels.ProviderSandbox, Private: true})
		if err != nil {
			t.Fatal(err)
		}
		other, err := kernel.Write(ctx, d.Kernel, func(tx *kernel.Tx) (Contact, error) {
			return d.contactFor(tx, second, provider.Person{Phone: "+5511911110001", Name: "Outra"}, time.Time{}, nil)
		})
		if err != nil || other.ID == contact || other.Name != "Outra" {
			t.Errorf("got %+v and error %v, want a separate contact for the second private channel", other, err)
		}
	})
}

func TestTheListAndMaySeeAgree(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		d, ctx := o.nodes[0], t.Context()
		people, sectors := []*kernel.ID{nil, &o.owner.User.ID, new(kernel.NewID())}, []*kernel.ID{nil, new(kernel.NewID()), new(kernel.NewID())}
		for i, assignee := range people {
			for j, sector := range sectors {
				err := o.change(ctx, d, o.customer(t, 3*i+j), func(t *LockedConversation) error {
					t.Assignee, t.Sector = assignee, sector
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, profile := range []kernel.AccessProfile{kernel.AccessAll, kernel.AccessSectors, kernel.AccessOwn} {
			for _, mine := range [][]kernel.ID{nil, {*sectors[1]}, {*sectors[1], *sectors[2]}} {
				a := *o.owner
				a.Profile, a.Sectors = profile, mine
				listed, err := d.Conversations(ctx, &a, conversationCriteria{Limit: 100}, "")
				if err != nil {
					t.Fatal(err)
				}
				everything, err := d.Conversations(ctx, o.owner, conversationCriteria{Limit: 100}, "")
				if err != nil {
					t.Fatal(err)
				}
				seen := map[kernel.ID]bool{}
				for _, c := range listed.Data {
					seen[c.ID] = true
				}
				for _, c := range everything.Data {
					if seen[c.ID] != MaySee(&a, &c) {
						t.Errorf("%s with %d sectors: listed is %t and MaySee is %t for %+v", profile, len(mine), seen[c.ID], MaySee(&a, &c), c)
					}
				}
			}
		}
	})
}

func TestNodesIndexConcurrently(t *testing.T) {
	eachOffice(t, func(t *testing.T, o *office) {
		var wg sync.WaitGroup
		ids := make([]kernel.ID, 8)
		for i := range ids {
			ids[i] = o.customer(t, i)
		}
		done := make(chan struct{})
		for _, d := range o.nodes {
			wg.Go(func() {
				for {
					if err := d.IndexSearch(t.Context()); err != nil {
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
					if err := o.change(t.Context(), o.nodes[i%2], id, func(t *LockedConversation) error { t.Name = name; return nil }); err != nil {
						t.Error(err)
						return
					}
					found, err := o.nodes[(i+1)%2].Conversations(t.Context(), o.owner, conversationCriteria{Q: name, Limit: 5}, "")
					if err != nil || len(found.Data) != 1 || found.Data[0].ID != id {
						t.Errorf("search for %s: got %+v and error %v, want the conversation %v", name, found.Data, err, id)
					}
				}
			})
		}
		writers.Wait()
		close(done)
		wg.Wait()
		if err := o.nodes[0].IndexSearch(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range ids {
			for n, want := range map[int]int{3: 0, 9: 1} {
				found, err := o.nodes[0].Conversations(t.Context(), o.owner, conversationCriteria{Q: fmt.Sprintf("cliente%dvez%d", i, n), Limit: 5}, "")
				if err != nil || len(found.Data) != want {
					t.Errorf("name %d of customer %d after indexing: got %+v and error %v, want %d", n, i, found.Data, err, want)
				}
			}
		}
	})
}
