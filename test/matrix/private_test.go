package matrix

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// TestPrivateThingsExistOnlyForViewers calls every route with the session of a viewer of the private channel, with the
// session of an owner who is not a viewer, and with an API key of the viewer.
func TestPrivateThingsExistOnlyForViewers(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) { b.privateThings(t) })
}

// TestThingsOfANumberMadePrivateLaterExistOnlyForViewers does the same after the channel has been public, with events of
// its conversations in the feed. While it is public, a key must see everything.
func TestThingsOfANumberMadePrivateLaterExistOnlyForViewers(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		viewer, channel := b.a.SignIn(t, b.a.Owner.Email, password), "/channels/"+b.private.ids["channel"]
		viewer.Patch(t, channel, `{"private":false}`).Fails(400, "invalid_request")
		public := func(what string) {
			viewer.Patch(t, channel, `{"private":false,"confirm":true}`).OK(200)
			at := "/conversations/" + b.private.ids["conversation"]
			for _, path := range []string{
				channel, at, at + "/messages", at + "/timeline", at + "/media", at + "/attendance", at + "/assignments", "/messages/" + b.private.ids["message"],
				"/contacts/" + b.private.ids["contact"], "/attendances/" + b.private.ids["attendance"], "/kanban/cards/" + b.private.ids["card"],
			} {
				b.a.Get(t, path).OK(200)
			}
			for path, noun := range privateLists {
				if a := b.a.Get(t, path).OK(200); !strings.Contains(string(a.Raw), b.private.ids[noun]) {
					t.Errorf("%s, %s: a key got no %s: %s", what, path, noun, a.Raw)
				}
			}
		}
		public("made public")
		b.receivePrivate(t, b.private.ids["phone of conversation"], "secret-of-a-private-channel in public")
		viewer.Patch(t, channel, fmt.Sprintf(`{"private":true,"viewers":[%q]}`, b.a.Owner.ID)).OK(200)
		b.privateThings(t)
		public("made public again")
	})
}

// privateLists maps lists and searches to the noun of a private channel that they show to viewers.
var privateLists = map[string]string{
	"/channels": "channel", "/conversations": "conversation", "/conversations?status=open": "conversation",
	"/conversations?sort=oldest_waiting": "conversation", "/conversations?q=secret-of-a-private": "conversation",
	"/contacts": "contact", "/contacts?q=secret-of-a-private": "contact", "/attendances": "attendance", "/messages?q=secret-of-a-private": "message",
	"/kanban/cards": "card", "/kanban/cards?sort=position": "card", "/kanban/cards?q=secret-of-a-private": "card",
}

// privateThings calls every route with ids of the private channel.
func (b *fixture) privateThings(t *testing.T) {
	t.Helper()
	viewer := b.a.SignIn(t, b.a.Owner.Email, password)
	other := b.w.NewMember(t, people.NewUser{Name: "n", Role: kernel.RoleOwner})
	others := map[string]*servertest.Client{"an owner who is not a viewer": b.a.Enter(t, other.ID.String(), password), "a key": b.a.Client}

	for _, route := range b.w.API.Routes() {
		for _, ex := range table[route.Method+" "+route.Path] {
			for slot, noun := range ex.slots() {
				hidden, ok := b.private.id(noun)
				// Owners can choose the viewers of channels that they cannot see.
				if !ok || !isID(noun) || route.Path == "/channels/{id}" && strings.Contains(ex.body, "viewers") {
					continue
				}
				for who, c := range others {
					if route.Verb.SessionOnly && c == b.a.Client {
						continue
					}
					t.Run(who+" "+route.Method+" "+route.Path, func(t *testing.T) { b.same(t, c, route, ex, slot, noun, b.mine, []string{hidden}) })
				}
			}
		}
	}
	t.Run("lists, searches and counts", func(t *testing.T) {
		for path, noun := range privateLists {
			if a := viewer.Get(t, path).OK(200); !strings.Contains(string(a.Raw), b.private.ids[noun]) {
				t.Errorf("a viewer, %s: got no %s: %s", path, noun, a.Raw)
			}
			for who, c := range others {
				if a := c.Get(t, path).OK(200); strings.Contains(string(a.Raw), b.private.ids[noun]) || strings.Contains(string(a.Raw), b.private.mark) {
					t.Errorf("%s, %s: got the hidden %s", who, path, noun)
				}
			}
		}
		for who, c := range others {
			more := viewer.Get(t, "/inbox/counts").OK(200).Int("open") - c.Get(t, "/inbox/counts").OK(200).Int("open")
			if more != 1 {
				t.Errorf("got %d more open conversations for a viewer than for %s, want 1", more, who)
			}
		}
	})
	t.Run("single objects", func(t *testing.T) {
		at := "/conversations/" + b.private.ids["conversation"]
		for _, path := range []string{
			at, at + "/messages", at + "/timeline", at + "/media", at + "/attendance", at + "/assignments", "/messages/" + b.private.ids["message"],
			"/contacts/" + b.private.ids["contact"], "/attendances/" + b.private.ids["attendance"], "/kanban/cards/" + b.private.ids["card"],
		} {
			viewer.Get(t, path).OK(200)
		}
		// The file cannot be fetched, because there is no WhatsApp. The error tells this to viewers only; for others the file
		// does not exist.
		if a := viewer.Get(t, "/media/"+b.private.ids["media"]+"/content"); a.Status == http.StatusNotFound && !strings.Contains(string(a.Raw), "WhatsApp") {
			t.Errorf("a viewer got %s for the file, want an error about WhatsApp", a.Raw)
		}
	})
	t.Run("events, reports and queues do not contain it", func(t *testing.T) {
		for who, c := range map[string]*servertest.Client{"a viewer": viewer, "a key": b.a.Client} {
			for _, path := range []string{"/events?limit=100", "/reports/attendance", "/sectors", "/kanban/boards"} {
				if a := c.Get(t, path).OK(200); slices.ContainsFunc([]string{"conversation", "attendance", "card"}, func(noun string) bool {
					return strings.Contains(string(a.Raw), b.private.ids[noun])
				}) {
					t.Errorf("%s, %s: got an id of the private channel: %s", who, path, a.Raw)
				}
			}
		}
	})
	t.Run("the live stream", func(t *testing.T) {
		of := map[string]<-chan servertest.StreamMessage{}
		of["viewer"], _ = viewer.Follow(t, "/live")
		of["other"], _ = others["an owner who is not a viewer"].Follow(t, "/live")
		b.receivePrivate(t, b.private.ids["phone of conversation"], "again")
		b.a.Patch(t, "/conversations/"+b.mine.ids["conversation"], `{"pinned":true}`).OK(200)
		for who, messages := range of {
			private, public := false, false
			for !public || who == "viewer" && !private {
				m, open := testkit.Receive(t, "an event on the stream of the "+who, messages)
				if !open {
					t.Fatalf("%s: the stream ended with private %v and public %v events", who, private, public)
				}
				private = private || strings.Contains(m.Data, b.private.ids["conversation"])
				public = public || strings.Contains(m.Data, b.mine.ids["conversation"])
			}
			if private != (who == "viewer") {
				t.Errorf("%s: got an event of the private conversation: %v", who, private)
			}
		}
	})
}

// poolOf reports whether a contact belongs to the public pool or to that of a private channel.
func (b *fixture) poolOf(t *testing.T, contact string) string {
	t.Helper()
	public := slices.Contains(b.peek(`SELECT id FROM contacts WHERE pool = company`), contact)
	private := slices.Contains(b.peek(`SELECT id FROM contacts WHERE pool <> company AND pool = channel`), contact)
	if public == private {
		t.Fatalf("contact %s: got public %v and private %v, want exactly one", contact, public, private)
	}
	if public {
		return "public"
	}
	return "private"
}

// TestWhatAViewerCreatesOnAPrivateChannelStaysPrivate creates contacts and conversations as a viewer, and looks for them as
// an owner who is not a viewer and with a key.
func TestWhatAViewerCreatesOnAPrivateChannelStaysPrivate(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		viewer := b.a.SignIn(t, b.a.Owner.Email, password)
		other := b.w.NewMember(t, people.NewUser{Name: "n", Role: kernel.RoleOwner})
		others := map[string]*servertest.Client{"an owner who is not a viewer": b.a.Enter(t, other.ID.String(), password), "a key": b.a.Client}
		channel := b.private.ids["channel"]
		t.Run("a contact", func(t *testing.T) {
			phone := b.a.phone()
			body := fmt.Sprintf(`{"name":"Ana","phone":%q,"channel_id":%q}`, phone, channel)
			made := viewer.Post(t, "/contacts", body).OK(201)
			testkit.Equal(t, "channel_id", made.Text("channel_id"), channel)
			testkit.Equal(t, "the pool", b.poolOf(t, made.ID()), "private")
			viewer.Get(t, "/contacts/"+made.ID()).OK(200)
			for who, c := range others {
				c.Get(t, "/contacts/"+made.ID()).Fails(404, "not_found")
				for _, path := range []string{"/contacts", "/contacts?q=Ana", "/contacts?channel=" + channel} {
					a := c.Get(t, path)
					if raw := string(a.Raw); strings.Contains(raw, made.ID()) || a.Status == http.StatusOK && strings.Contains(raw, channel) {
						t.Errorf("%s, %s: got the private contact in %s", who, path, raw)
					}
				}
			}
			again := viewer.Post(t, "/contacts", body).Fails(409, "contact_exists")
			testkit.Equal(t, "the existing one", again.Text("details", 0, "message"), made.ID())
			public := b.a.Post(t, "/contacts", fmt.Sprintf(`{"name":"Ana","phone":%q}`, phone)).OK(201)
			testkit.Equal(t, "the pool of a public one", b.poolOf(t, public.ID()), "public")
			b.receivePrivate(t, phone, "secret-of-a-private-channel writes")
			found := viewer.Get(t, "/conversations?contact="+made.ID()).OK(200)
			testkit.Equal(t, "conversations with the contact after a message", len(found.List()), 1)
		})
		t.Run("a conversation with a public contact", func(t *testing.T) {
			phone := b.a.phone()
			public := b.a.Post(t, "/contacts", fmt.Sprintf(`{"name":"Caio","phone":%q,"city":"Santos"}`, phone)).OK(201)
			byContact := fmt.Sprintf(`{"channel_id":%q,"contact_id":%q}`, channel, public.ID())
			opened := viewer.Post(t, "/conversations", byContact).OK(201)
			testkit.Equal(t, "its name", opened.Text("name"), "Caio")
			testkit.Equal(t, "the pool of its contact", b.poolOf(t, opened.Text("contact")), "private")
			for what, body := range map[string]string{
				"by the public contact":  byContact,
				"by the private contact": fmt.Sprintf(`{"channel_id":%q,"contact_id":%q}`, channel, opened.Text("contact")),
				"by phone":               fmt.Sprintf(`{"channel_id":%q,"phone":%q}`, channel, phone),
			} {
				testkit.Equal(t, "opened again "+what, viewer.Post(t, "/conversations", body).OK(200).ID(), opened.ID())
			}
			b.receivePrivate(t, phone, "secret-of-a-private-channel replies")
			reply := viewer.Get(t, "/conversations/"+opened.ID()+"/messages").OK(200)
			testkit.Equal(t, "messages after the customer's reply", len(reply.List()), 1)
			for who, c := range others {
				c.Get(t, "/conversations/"+opened.ID()).Fails(404, "not_found")
				c.Get(t, "/contacts/"+opened.Text("contact")).Fails(404, "not_found")
				testkit.Equal(t, who+": conversations with the public contact", len(c.Get(t, "/conversations?contact="+public.ID()).OK(200).List()), 0)
			}
			after := b.a.Get(t, "/contacts/"+public.ID()).OK(200)
			testkit.Diff(t, "the public contact", string(after.Raw), string(public.Raw))
		})
		t.Run("a conversation with a public contact without a phone", func(t *testing.T) {
			public, _ := kernel.ParseID(b.a.kept["channel"])
			err := b.w.Desk.Talk.Receive(t.Context(), b.a.ID, public, []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: "public.1", Type: provider.TypeText, Text: "oi", Customer: provider.Person{UserID: "BR.phoneless", Name: "Phoneless"},
			}}})
			if err != nil {
				t.Fatal(err)
			}
			contact := b.a.Get(t, "/contacts?q=Phoneless").OK(200).Text("data", 0, "id")
			body := fmt.Sprintf(`{"channel_id":%q,"contact_id":%q}`, channel, contact)
			refused := viewer.Post(t, "/conversations", body).Fails(400, "invalid_request")
			testkit.Equal(t, "the field", refused.Text("details", 0, "field"), "body.contact_id")
		})
	})
}

// TestWhatOnlyAPrivateChannelUsesIsDeletedAsIfUnused deletes objects that a private channel depends on, as callers who
// cannot see the channel.
func TestWhatOnlyAPrivateChannelUsesIsDeletedAsIfUnused(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		viewer := b.a.SignIn(t, b.a.Owner.Email, password)
		channel := "/channels/" + b.private.ids["channel"]
		person := func(role kernel.Role) (string, *servertest.Client) {
			m := b.w.NewMember(t, people.NewUser{Name: "n", Role: role})
			return m.ID.String(), b.a.Enter(t, m.ID.String(), password)
		}
		_, other := person(kernel.RoleOwner)
		_, manager := person(kernel.RoleManager)
		t.Run("opening hours", func(t *testing.T) {
			for who, c := range map[string]*servertest.Client{"an owner who is not a viewer": other, "a key": b.a.Client} {
				free, used := b.a.make(t, "hours"), b.a.make(t, "hours")
				viewer.Patch(t, channel, fmt.Sprintf(`{"hours_id":%q}`, used)).OK(200)
				viewer.Delete(t, "/hours/"+used).Fails(409, "in_use")
				testkit.Diff(t, who+": the response", string(c.Delete(t, "/hours/"+used).OK(204).Raw), string(c.Delete(t, "/hours/"+free).OK(204).Raw))
				testkit.Equal(t, who+": the hours of the channel", viewer.Get(t, channel).OK(200).At("hours_id"), nil)
			}
			used := b.a.make(t, "hours")
			viewer.Patch(t, channel, fmt.Sprintf(`{"hours_id":%q}`, used)).OK(200)
			b.a.Patch(t, "/channels/"+b.a.kept["channel"], fmt.Sprintf(`{"hours_id":%q}`, used)).OK(200)
			b.a.Delete(t, "/hours/"+used).Fails(409, "in_use")
			testkit.Equal(t, "the hours after a refusal", viewer.Get(t, channel).OK(200).Text("hours_id"), used)
		})
		t.Run("the last viewer", func(t *testing.T) {
			for who, c := range map[string]*servertest.Client{"a manager": manager, "a key": b.a.Client} {
				free, _ := person(kernel.RoleAgent)
				last, _ := person(kernel.RoleAgent)
				viewer.Patch(t, channel, fmt.Sprintf(`{"viewers":[%q]}`, last)).OK(200)
				viewer.Delete(t, "/team/"+last).Fails(400, "invalid_request")
				testkit.Diff(t, who+": the response", string(c.Delete(t, "/team/"+last).OK(204).Raw), string(c.Delete(t, "/team/"+free).OK(204).Raw))
				listed := viewer.Get(t, "/private-channels").OK(200)
				testkit.Equal(t, who+": the viewer afterwards", listed.Text(0, "viewers", 0, "id"), b.a.Owner.ID.String())
				viewer.Get(t, "/conversations/"+b.private.ids["conversation"]).OK(200)
			}
		})
	})
}
