package api_test

import (
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
)

func TestMessagesSentWithAKeyCarryTheIntegration(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		bia := w.NewMember(t, people.NewUser{Name: "Bia", Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll}).ID
		issued := w.A.Post(t, "/keys", map[string]any{"name": "Shop bot", "scopes": []string{"messages:send", "messages:read"}, "user_id": bia.String()}).OK(201)
		want(t, "acts_as of a new key", issued.Text("acts_as"), "person")
		key, bot := "/keys/"+issued.ID(), w.A.As(issued.Text("key"))
		send := func(conversation string) *servertest.Answer {
			t.Helper()
			sent := bot.Post(t, "/conversations/"+conversation+"/messages", message("bom dia")).OK(201)
			read := bot.Get(t, "/messages/"+sent.ID()).OK(200)
			page := bot.Get(t, "/conversations/"+conversation+"/messages").OK(200)
			for place, got := range map[string]any{"GET /messages/{id}": read.At("integration"), "the list": page.At("data", 0, "integration")} {
				want(t, "integration of "+place, got, sent.At("integration"))
			}
			return sent
		}

		t.Run("a key acts as a person unless it says otherwise", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(1))
			m := send(c)
			want(t, "integration", m.At("integration"), any(map[string]any{"id": issued.ID(), "name": "Shop bot"}))
			want(t, "sent_by", m.Text("sent_by", "name"), "Bia")
			att := current(t, w, c)
			want(t, "responsible", att.Text("responsible", "name"), "Bia")
			if att.At("first_response_at") == nil {
				t.Error("the message is no first response")
			}
			events := w.A.Get(t, "/events?types=message.sent").OK(200)
			want(t, "integration in the event", events.At("data", 0, "data", "message", "integration"), m.At("integration"))
		})
		t.Run("a key is renamed and becomes an integration", func(t *testing.T) {
			changed := w.A.Patch(t, key, `{"name":" Store bot ","acts_as":"integration"}`).OK(200)
			want(t, "name", changed.Text("name"), "Store bot")
			want(t, "acts_as", changed.Text("acts_as"), "integration")
			want(t, "GET after PATCH", string(w.A.Get(t, key).OK(200).Raw), string(changed.Raw))
			want(t, "an empty change", string(w.A.Patch(t, key, `{}`).OK(200).Raw), string(changed.Raw))
			w.A.Patch(t, key, `{"acts_as":"robot"}`).Fails(400, "invalid_request")
			w.A.Patch(t, key, `{"name":" "}`).Fails(400, "invalid_request")
			w.A.Patch(t, key, `{"scopes":["read"]}`).Fails(400, "invalid_request")
			w.B.Patch(t, key, `{"name":"x"}`).Fails(404, "not_found")
			bot.Patch(t, key, `{"name":"x"}`).Fails(403, "insufficient_scope")
		})
		t.Run("the message of an integration has no sender, is no first response and makes nobody responsible", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(2))
			m := send(c)
			want(t, "integration", m.At("integration"), any(map[string]any{"id": issued.ID(), "name": "Store bot"}))
			want(t, "sent_by", m.At("sent_by"), nil)
			want(t, "origin", m.Text("origin"), "api")
			att := current(t, w, c)
			want(t, "responsible", att.At("responsible"), nil)
			want(t, "first_response_at", att.At("first_response_at"), nil)
			want(t, "assignee", w.A.Get(t, "/conversations/"+c).OK(200).At("assignee"), nil)
			want(t, "assignments", len(w.A.Get(t, "/conversations/"+c+"/assignments").OK(200).List()), 0)

			ana := addMember(t, w, "Ana")
			ana.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			att = current(t, w, c)
			want(t, "responsible after a person answered", att.Text("responsible", "id"), ana.ref)
			if att.At("first_response_at") == nil {
				t.Error("the person's message is no first response")
			}
		})
		t.Run("nor has one that it scheduled", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(3))
			scheduled := bot.Post(t, "/conversations/"+c+"/scheduled", later(w, 2*time.Minute, "até logo")).OK(201)
			w.Clock.Advance(3 * time.Minute)
			want(t, "status", settled(t, bot, c, scheduled.ID())["status"], any("sent"))
			page := bot.Get(t, "/conversations/"+c+"/messages").OK(200)
			want(t, "text", page.Text("data", 0, "text"), "até logo")
			want(t, "integration", page.Text("data", 0, "integration", "name"), "Store bot")
			want(t, "sent_by", page.At("data", 0, "sent_by"), nil)
			want(t, "responsible", current(t, w, c).At("responsible"), nil)
		})
		t.Run("a message of a person has none", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(4))
			session := w.A.Enter(t, bia.String(), "correct horse battery")
			m := session.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			want(t, "integration", m.At("integration"), nil)
			want(t, "integration of the customer's", w.A.Get(t, "/conversations/"+c+"/messages").OK(200).At("data", 1, "integration"), nil)
		})
		t.Run("a key is made as an integration, and a revoked one is not changed", func(t *testing.T) {
			made := w.A.Post(t, "/keys", `{"name":"k","scopes":["read"],"acts_as":"integration"}`).OK(201)
			want(t, "acts_as", made.Text("acts_as"), "integration")
			w.A.Post(t, "/keys", `{"name":"k","scopes":["read"],"acts_as":"bot"}`).Fails(400, "invalid_request")
			w.A.Delete(t, "/keys/"+made.ID()).OK(204)
			w.A.Patch(t, "/keys/"+made.ID(), `{"name":"x"}`).Fails(404, "not_found")
		})
	})
}
