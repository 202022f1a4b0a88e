package api_test

import (
	"maps"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestMessagesSentWithAKeyNameTheIntegration(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		bia := w.NewMember(t, people.NewUser{Name: "Bia", Role: kernel.RoleAgent, AccessProfile: kernel.AccessAll}).ID
		issued := w.A.Post(t, "/keys", map[string]any{"name": "Shop bot", "scopes": []string{"messages:send", "messages:read"}, "user_id": bia.String()}).OK(201)
		testkit.Diff(t, "acts_as of a new key", issued.Text("acts_as"), "person")
		key, bot := "/keys/"+issued.ID(), w.A.As(issued.Text("key"))
		send := func(conversation string) *servertest.Answer {
			t.Helper()
			sent := bot.Post(t, "/conversations/"+conversation+"/messages", message("bom dia")).OK(201)
			read := bot.Get(t, "/messages/"+sent.ID()).OK(200)
			page := bot.Get(t, "/conversations/"+conversation+"/messages").OK(200)
			for place, got := range map[string]any{"GET /messages/{id}": read.At("integration"), "the list": page.At("data", 0, "integration")} {
				testkit.Diff(t, "integration of "+place, got, sent.At("integration"))
			}
			return sent
		}

		t.Run("a key acts as a person unless it says otherwise", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(1))
			m := send(c)
			testkit.Diff(t, "integration", m.At("integration"), map[string]any{"id": issued.ID(), "name": "Shop bot"})
			testkit.Diff(t, "sent_by", m.Text("sent_by", "name"), "Bia")
			att := openAttendance(t, w, c)
			testkit.Diff(t, "responsible", att.Text("responsible", "name"), "Bia")
			if att.At("first_response_at") == nil {
				t.Error("first_response_at: got null, want a time")
			}
			w.SettleFeed(t)
			events := w.A.Get(t, "/events?types=message.sent").OK(200)
			testkit.Diff(t, "integration in the event", events.At("data", 0, "data", "message", "integration"), m.At("integration"))
		})
		t.Run("a key can be renamed and become an integration", func(t *testing.T) {
			changed := w.A.Patch(t, key, `{"name":" Store bot ","acts_as":"integration"}`).OK(200)
			testkit.Diff(t, "name", changed.Text("name"), "Store bot")
			testkit.Diff(t, "acts_as", changed.Text("acts_as"), "integration")
			properties := func(a *servertest.Answer) map[string]any {
				m := maps.Clone(a.OK(200).At().(map[string]any))
				delete(m, "last_used_at") // it is stored later
				return m
			}
			testkit.Diff(t, "GET after PATCH", properties(w.A.Get(t, key)), properties(changed))
			testkit.Diff(t, "key after an empty change", properties(w.A.Patch(t, key, `{}`)), properties(changed))
			w.A.Patch(t, key, `{"acts_as":"robot"}`).Fails(400, "invalid_request")
			w.A.Patch(t, key, `{"name":" "}`).Fails(400, "invalid_request")
			w.A.Patch(t, key, `{"scopes":["read"]}`).Fails(400, "invalid_request")
			w.B.Patch(t, key, `{"name":"x"}`).Fails(404, "not_found")
			bot.Patch(t, key, `{"name":"x"}`).Fails(403, "insufficient_scope")
		})
		t.Run("an integration's message has no sender, is not a first response and makes nobody responsible", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(2))
			m := send(c)
			testkit.Diff(t, "integration", m.At("integration"), map[string]any{"id": issued.ID(), "name": "Store bot"})
			testkit.Diff(t, "sent_by", m.At("sent_by"), nil)
			testkit.Diff(t, "origin", m.Text("origin"), "api")
			att := openAttendance(t, w, c)
			testkit.Diff(t, "responsible", att.At("responsible"), nil)
			testkit.Diff(t, "first_response_at", att.At("first_response_at"), nil)
			testkit.Diff(t, "assignee", w.A.Get(t, "/conversations/"+c).OK(200).At("assignee"), nil)
			testkit.Diff(t, "number of assignments", len(w.A.Get(t, "/conversations/"+c+"/assignments").OK(200).List()), 0)

			ana := addMember(t, w, "Ana")
			ana.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			att = openAttendance(t, w, c)
			testkit.Diff(t, "responsible after a person answered", att.Text("responsible", "id"), ana.id)
			if att.At("first_response_at") == nil {
				t.Error("first_response_at after a person's message: got null, want a time")
			}
		})
		t.Run("a message that an integration scheduled has no sender either", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(3))
			scheduled := bot.Post(t, "/conversations/"+c+"/scheduled", scheduledMessage(w, 2*time.Minute, "até logo")).OK(201)
			w.Clock.Advance(3 * time.Minute)
			testkit.Diff(t, "status", waitForOutcome(t, bot, c, scheduled.ID())["status"], "sent")
			page := bot.Get(t, "/conversations/"+c+"/messages").OK(200)
			testkit.Diff(t, "text", page.Text("data", 0, "text"), "até logo")
			testkit.Diff(t, "integration", page.Text("data", 0, "integration", "name"), "Store bot")
			testkit.Diff(t, "sent_by", page.At("data", 0, "sent_by"), nil)
			testkit.Diff(t, "responsible", openAttendance(t, w, c).At("responsible"), nil)
		})
		t.Run("a person's message has no integration", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(4))
			session := w.A.Enter(t, bia.String(), "correct horse battery")
			m := session.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			testkit.Diff(t, "integration", m.At("integration"), nil)
			testkit.Diff(t, "integration of the customer's message", w.A.Get(t, "/conversations/"+c+"/messages").OK(200).At("data", 1, "integration"), nil)
		})
		t.Run("a key can be created as an integration, and a revoked key cannot be changed", func(t *testing.T) {
			made := w.A.Post(t, "/keys", `{"name":"k","scopes":["read"],"acts_as":"integration"}`).OK(201)
			testkit.Diff(t, "acts_as", made.Text("acts_as"), "integration")
			w.A.Post(t, "/keys", `{"name":"k","scopes":["read"],"acts_as":"bot"}`).Fails(400, "invalid_request")
			w.A.Delete(t, "/keys/"+made.ID()).OK(204)
			w.A.Patch(t, "/keys/"+made.ID(), `{"name":"x"}`).Fails(404, "not_found")
		})
	})
}
