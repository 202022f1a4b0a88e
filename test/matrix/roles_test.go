package matrix

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// member is a member with a limited access profile, and a key that acts as that member.
type member struct {
	*servertest.Client
	id   string
	mine *talk
}

// addMember adds a member to the sector and assigns a conversation to them.
func (b *fixture) addMember(t *testing.T, role kernel.Role, profile kernel.AccessProfile, sector string) *member {
	t.Helper()
	user, c := b.w.NewMemberKey(t, people.NewUser{Name: "n", Role: role, AccessProfile: profile})
	m := &member{Client: c, id: user.ID.String(), mine: b.a.talk(t, "mine")}
	b.a.Patch(t, "/team/"+m.id, fmt.Sprintf(`{"sector_ids":[%q]}`, sector)).OK(200)
	b.a.Post(t, "/conversations/"+m.mine.ids["conversation"]+"/transfer", fmt.Sprintf(`{"user_id":%q}`, m.id)).OK(200)
	return m
}

// place transfers a conversation to a person, or to nobody, in a sector.
func (b *fixture) place(t *testing.T, k *talk, user, sector string) *talk {
	t.Helper()
	b.a.Post(t, "/conversations/"+k.ids["conversation"]+"/transfer", fmt.Sprintf(`{"user_id":%s,"sector_id":%q}`, user, sector)).OK(200)
	return k
}

func TestTheAccessProfileLimitsEveryResponse(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		theirs, others := b.a.make(t, "sector"), b.a.kept["sector"]
		elsewhere := b.place(t, b.a.talk(t, "secret-of-another-sector"), `"`+b.a.kept["user"]+`"`, others)
		queued := b.place(t, b.a.talk(t, "secret-of-a-queue"), `null`, theirs)
		before := b.state(t, elsewhere) + b.state(t, queued)
		roles := []kernel.Role{kernel.RoleAgent, kernel.RoleManager, kernel.RoleAdmin, kernel.RoleOwner}
		if !b.sqlite { // roles do not depend on the engine; visibility does
			roles = roles[:1]
		}
		for _, role := range roles {
			t.Run(string(role)+" who sees their own", func(t *testing.T) {
				m := b.addMember(t, role, kernel.AccessOwn, theirs)
				b.cannotSee(t, m, elsewhere, queued)
			})
			t.Run(string(role)+" who sees their sectors", func(t *testing.T) {
				m := b.addMember(t, role, kernel.AccessSectors, theirs)
				b.cannotSee(t, m, elsewhere)
				if a := m.Get(t, "/conversations").OK(200); !strings.Contains(string(a.Raw), queued.ids["conversation"]) {
					t.Error("got no conversation from the queue of the member's sector, want one")
				}
			})
		}
		t.Run("nothing that they cannot see has changed", func(t *testing.T) {
			testkit.Diff(t, "the hidden conversations", b.state(t, elsewhere)+b.state(t, queued), before)
		})
	})
}

// cannotSee calls every route with ids of conversations that a member cannot see.
func (b *fixture) cannotSee(t *testing.T, m *member, hidden ...*talk) {
	t.Helper()
	for _, route := range b.w.API.Routes() {
		for _, ex := range table[route.Method+" "+route.Path] {
			for slot, noun := range ex.slots() {
				var ids []string
				for _, k := range hidden {
					if id, ok := k.id(noun); ok && isID(noun) {
						ids = append(ids, id)
					}
				}
				if ids != nil {
					b.same(t, m.Client, route, ex, slot, noun, m.mine, ids)
				}
			}
			if route.Method == http.MethodGet && len(slots(ex.path)) == 1 {
				if _, ok := m.mine.id(slots(ex.path)[0]); ok {
					b.call(t, m.Client, route, ex, func(_ int, noun string) string { return b.a.id(t, noun, m.mine, false) }).OK(200)
				}
			}
		}
	}
	b.seesNothingOf(t, m.Client, m.mine, append(hidden, b.private, b.foreign)...)
	b.streamsNothingOf(t, m, hidden...)
}

// updatedAt matches what changes when a conversation is pinned and unpinned.
var updatedAt = regexp.MustCompile(`,"updated_at":"[^"]*"`)

// state returns a conversation and everything in it as an owner's key shows it.
func (b *fixture) state(t *testing.T, k *talk) string {
	t.Helper()
	at := "/conversations/" + k.ids["conversation"]
	var out strings.Builder
	for _, path := range []string{at, at + "/messages", at + "/assignments", at + "/attendance", "/kanban/cards/" + k.ids["card"]} {
		out.Write(updatedAt.ReplaceAll(b.a.Get(t, path).OK(200).Raw, nil))
		out.WriteByte('\n')
	}
	return out.String()
}

// streamsNothingOf follows the event stream while hidden conversations change, and then the member's own.
func (b *fixture) streamsNothingOf(t *testing.T, m *member, hidden ...*talk) {
	t.Helper()
	messages, stop := m.Follow(t, "/events/stream")
	defer stop()
	for _, k := range append(hidden, m.mine) {
		for _, pinned := range []string{"true", "false"} {
			b.a.Patch(t, "/conversations/"+k.ids["conversation"], `{"pinned":`+pinned+`}`).OK(200)
		}
	}
	for seen := 0; seen < 2; {
		e, open := testkit.Receive(t, "the member's own conversation on the stream", messages)
		if !open {
			t.Fatal("the stream ended without the member's own conversation")
		}
		for _, k := range hidden {
			if strings.Contains(e.Data, k.ids["conversation"]) {
				t.Errorf("got an event of %s: %s", k.mark, e.Data)
			}
		}
		if strings.Contains(e.Data, m.mine.ids["conversation"]) {
			seen++
		}
	}
}

func TestCallersCannotGrantMoreThanTheyHave(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		sector := b.a.make(t, "sector")
		agent, colleague := b.addMember(t, kernel.RoleAgent, kernel.AccessOwn, sector), b.addMember(t, kernel.RoleAgent, kernel.AccessAll, sector)
		t.Run("a caller cannot get a key with more access", func(t *testing.T) {
			agent.Post(t, "/keys/"+b.a.Key.ID.String()+"/rotate", nil).Fails(403, "insufficient_scope")
			for _, user := range []string{b.a.Owner.ID.String(), colleague.id} {
				agent.Post(t, "/keys", fmt.Sprintf(`{"name":"k","scopes":["read"],"user_id":%q}`, user)).Fails(403, "insufficient_scope")
			}
			colleague.Post(t, "/keys/"+b.a.Key.ID.String()+"/rotate", nil).Fails(403, "insufficient_scope")
			own := agent.Post(t, "/keys", `{"name":"k","scopes":["read"]}`).OK(201)
			agent.Post(t, "/keys/"+own.ID()+"/rotate", nil).OK(200)
			limited := b.a.Post(t, "/keys", `{"name":"k","scopes":["keys:manage","read"],"boards":[]}`).OK(201)
			all := b.a.Post(t, "/keys", `{"name":"k","scopes":["read"]}`).OK(201)
			b.a.Client.As(limited.Text("key")).Post(t, "/keys/"+all.ID()+"/rotate", nil).Fails(403, "insufficient_scope")
		})
		t.Run("a member who does not see every conversation cannot manage webhooks", func(t *testing.T) {
			agent.Post(t, "/integrations/webhooks", fmt.Sprintf(`{"name":"n","url":%q,"events":["message.sent"]}`, b.a.receiver)).Fails(403, "insufficient_scope")
			hook := "/integrations/webhooks/" + b.a.id(t, "webhook", nil, false)
			agent.Patch(t, hook, fmt.Sprintf(`{"url":%q}`, b.a.receiver)).Fails(403, "insufficient_scope")
			agent.Post(t, hook+"/rotate-secret", nil).Fails(403, "insufficient_scope")
			agent.Get(t, "/integrations/webhooks").Fails(403, "insufficient_scope")
			agent.Get(t, "/integrations/webhooks/events").Fails(403, "insufficient_scope")
			agent.Get(t, hook+"/deliveries").Fails(403, "insufficient_scope")
			agent.Get(t, hook+"/deliveries/"+b.a.id(t, "delivery", nil, false)).Fails(403, "insufficient_scope")
			agent.Post(t, hook+"/test", nil).Fails(403, "insufficient_scope")
			agent.Post(t, hook+"/deliveries/"+b.a.id(t, "delivery", nil, false)+"/redeliver", nil).Fails(403, "insufficient_scope")
			agent.Delete(t, hook).Fails(403, "insufficient_scope")
			agent.Delete(t, "/integrations/webhooks/"+kernel.NewID().String()).Fails(403, "insufficient_scope")
			colleague.Patch(t, hook, `{"name":"m"}`).OK(200)
		})
	})
}

func TestAKeyKnowsOnlyItsBoards(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		mine := b.a.talk(t, "mine")
		allowed, _ := kernel.ParseID(b.a.id(t, "board", nil, false))
		word := b.a.word()
		board := b.a.Post(t, "/kanban/boards", fmt.Sprintf(`{"name":%q}`, word), "Idempotency-Key", kernel.NewID().String()).OK(201)
		stage := board.Text("stages", 0, "id")
		card := b.a.Post(t, "/kanban/cards", fmt.Sprintf(`{"title":"secret-of-another-board asks","board_id":%q}`, board.ID()),
			"Idempotency-Key", kernel.NewID().String()).OK(201)
		hidden := &talk{mark: "secret-of-another-board", ids: map[string]string{"board": board.ID(), "stage": stage, "card": card.ID(), "other card": card.ID()}}
		_, c := b.w.NewKey(t, b.a.ID, people.NewKey{Name: "n", Scopes: kernel.EveryScope, Boards: &[]kernel.ID{allowed}})
		for _, route := range b.w.API.Routes() {
			for _, ex := range table[route.Method+" "+route.Path] {
				for slot, noun := range ex.slots() {
					if id, ok := hidden.id(noun); ok {
						b.same(t, c, route, ex, slot, noun, mine, []string{id})
					}
				}
			}
		}
		b.seesNothingOf(t, c, mine, hidden)
		t.Run("the name of a board that it cannot see is still available", func(t *testing.T) {
			c.Post(t, "/kanban/boards", fmt.Sprintf(`{"name":%q}`, word), "Idempotency-Key", kernel.NewID().String()).OK(201)
		})
	})
}

func TestPrivateThingsLeaveNoTracesInPublicOnes(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		channel, phone := b.a.kept["channel"], b.private.ids["phone of conversation"]
		t.Run("protocol numbers of a private channel cannot be looked up", func(t *testing.T) {
			for n := range 20 {
				page := b.a.Get(t, fmt.Sprintf("/attendances?protocol=%d", n+1)).OK(200)
				b.noTrace(t, "/attendances", page, []*talk{b.private})
			}
		})
		t.Run("a client_id of another company is available", func(t *testing.T) {
			id := kernel.NewID().String()
			body := fmt.Sprintf(`{"client_id":%q,"text":"x"}`, id)
			b.b.Post(t, "/conversations/"+b.foreign.ids["conversation"]+"/messages", body).OK(201)
			b.a.Post(t, "/conversations/"+b.a.talk(t, "mine").ids["conversation"]+"/messages", body).OK(201)
		})
		t.Run("a contact with the phone of a private contact is a new one", func(t *testing.T) {
			started := b.w.Clock.Now()
			b.w.Clock.Advance(time.Hour)
			b.receivePrivate(t, "+5511966660001", "secret-of-a-private-channel first")
			made := b.a.Post(t, "/contacts", `{"name":"Ana","phone":"+5511966660001"}`).OK(201)
			if id, _ := kernel.ParseID(made.ID()); slices.Contains(b.peek(`SELECT id FROM contacts WHERE pool <> company`), id.String()) {
				t.Errorf("got the contact %s of the private channel, want a new one", id)
			}
			if at, err := time.Parse(time.RFC3339, made.Text("created_at")); err != nil || !at.After(started) {
				t.Errorf("created_at = %s, want after %s", made.Text("created_at"), started)
			}
			b.receivePrivate(t, "+5511966660001", "secret-of-a-private-channel again")
			after := b.a.Get(t, "/contacts/"+made.ID()).OK(200)
			if diff := cmp.Diff(string(made.Raw), string(after.Raw)); diff != "" {
				t.Errorf("writing to the private number changed the public contact:\n%s", diff)
			}
			b.a.Post(t, "/contacts", `{"name":"Ana","phone":"+5511966660001"}`).Fails(409, "contact_exists")
		})
		t.Run("the private channel does not name a public customer without a name", func(t *testing.T) {
			opened := b.a.Post(t, "/conversations", fmt.Sprintf(`{"channel_id":%q,"phone":"+5511966660002"}`, channel)).OK(201)
			contact := b.a.Get(t, "/contacts/"+opened.Text("contact")).OK(200)
			b.receivePrivate(t, "+5511966660002", "secret-of-a-private-channel names")
			for path, before := range map[string]*servertest.Answer{"/conversations/" + opened.ID(): opened, "/contacts/" + contact.ID(): contact} {
				if diff := cmp.Diff(string(before.Raw), string(b.a.Get(t, path).OK(200).Raw)); diff != "" {
					t.Errorf("%s changed:\n%s", path, diff)
				}
			}
		})
		t.Run("opening a conversation with a private contact reveals nothing", func(t *testing.T) {
			opened := b.a.Post(t, "/conversations", fmt.Sprintf(`{"channel_id":%q,"phone":%q}`, channel, phone)).OK(201)
			shown := []*talk{{mark: b.private.mark, ids: map[string]string{"conversation": b.private.ids["conversation"], "channel": b.private.ids["channel"]}}}
			b.noTrace(t, "POST /conversations", opened, shown)
			if strings.Contains(string(opened.Raw), b.private.mark) {
				t.Errorf("the conversation shows the private name: %s", opened.Raw)
			}
			if opened.Text("contact") == b.private.ids["contact"] {
				t.Error("got the contact of the private channel, want a new one")
			}
			contact := b.a.Get(t, "/contacts/"+opened.Text("contact")).OK(200)
			if strings.Contains(string(contact.Raw), b.private.mark) {
				t.Errorf("the contact shows the private name: %s", contact.Raw)
			}
		})
	})
}
