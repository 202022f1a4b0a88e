package api_test

import (
	"fmt"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestReactionsAreAddedAndRemoved(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		const ana = "+5511987654321"
		asked := w.A.Post(t, simulatePath(channel), `{"from": "`+ana+`", "name": "Ana", "text": "Bom dia"}`).OK(201)
		conversation := asked.Text("conversation")
		path := "/messages/" + asked.ID() + "/reaction"
		feed := &feedReader{w: w}
		feed.next(t)
		attendances := len(w.A.Get(t, "/attendances").OK(200).List())

		t.Run("the team has one reaction per message", func(t *testing.T) {
			w.A.Put(t, path, `{"emoji": "👍"}`).OK(200)
			m := w.A.Put(t, path, `{"emoji": "❤️"}`).OK(200)
			testkit.Equal(t, "number of reactions", len(m.List("reactions")), 1)
			testkit.Equal(t, "emoji", m.Text("reactions", 0, "emoji"), "❤️")
			testkit.Equal(t, "by", m.Text("reactions", 0, "by"), "team")
			testkit.Equal(t, "user", m.At("reactions", 0, "user", "id"), w.A.Get(t, "/me").OK(200).At("user", "id"))
			testkit.Equal(t, "message read by id", string(w.A.Get(t, "/messages/"+asked.ID()).OK(200).Raw), string(m.Raw))
			events := feed.next(t, "message.updated")
			testkit.Equal(t, "number of events", len(events), 2)
			testkit.Equal(t, "changed", fmt.Sprint(events[1].at("changed")), "[reactions]")
			w.A.Put(t, path, `{"emoji": "❤️"}`).OK(200)
			testkit.Equal(t, "events of the same reaction again", len(feed.next(t, "message.updated")), 0)
		})
		t.Run("a reaction can be removed", func(t *testing.T) {
			w.A.Delete(t, path).OK(204)
			w.A.Delete(t, path).OK(204)
			testkit.Equal(t, "number of reactions", len(w.A.Get(t, "/messages/"+asked.ID()).OK(200).List("reactions")), 0)
			testkit.Equal(t, "number of events", len(feed.next(t, "message.updated")), 1)
		})
		t.Run("a reaction is not a message and opens no attendance", func(t *testing.T) {
			testkit.Equal(t, "number of messages", len(w.A.Get(t, "/conversations/"+conversation+"/messages").OK(200).List()), 1)
			testkit.Equal(t, "number of attendances", len(w.A.Get(t, "/attendances").OK(200).List()), attendances)
		})
		t.Run("anything but one emoji is refused", func(t *testing.T) {
			for _, body := range []string{`{}`, `{"emoji": ""}`, `{"emoji": "ok"}`, `{"emoji": "👍👍"}`, `{"emoji": 1}`, `{"emoji": "👍", "x": 1}`} {
				w.A.Put(t, path, body).Fails(400, "invalid_request")
			}
		})
		t.Run("another company's message is unknown, and a key needs messages:send", func(t *testing.T) {
			w.B.Put(t, path, `{"emoji": "👍"}`).Fails(404, "not_found")
			w.B.Delete(t, path).Fails(404, "not_found")
			_, reader := w.NewKey(t, w.A.ID, people.NewKey{Name: "reader", Scopes: kernel.NewScopeSet(people.ScopeMessagesRead)})
			reader.Put(t, path, `{"emoji": "👍"}`).Fails(403, "insufficient_scope")
		})
		t.Run("a customer's reaction marks the conversation as unread", func(t *testing.T) {
			sent := w.A.Post(t, "/conversations/"+conversation+"/messages", message("Bom dia!")).OK(201)
			w.A.Post(t, "/conversations/"+conversation+"/read", nil).OK(200)
			react := fmt.Sprintf(`{"from": %q, "reaction": {"external_id": %q, "emoji": %%s}}`, ana, sent.Text("external_id"))
			m := w.A.Post(t, simulatePath(channel), fmt.Sprintf(react, `"😂"`)).OK(200)
			testkit.Equal(t, "id", m.ID(), sent.ID())
			testkit.Equal(t, "by", m.Text("reactions", 0, "by"), "customer")
			testkit.Equal(t, "user", m.At("reactions", 0, "user"), nil)
			testkit.Equal(t, "unread", w.A.Get(t, "/conversations/"+conversation).OK(200).At("unread"), true)
			m = w.A.Post(t, simulatePath(channel), fmt.Sprintf(react, `null`)).OK(200)
			testkit.Equal(t, "number of reactions", len(m.List("reactions")), 0)
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(react, `"no"`)).Fails(400, "invalid_request")
			w.A.Post(t, simulatePath(channel), `{"from": "`+ana+`", "reaction": {"external_id": "unknown", "emoji": "👍"}}`).Fails(400, "invalid_request")
		})
		t.Run("a deleted message accepts no reaction", func(t *testing.T) {
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": %q, "revoke": {"external_id": %q}}`, ana, asked.Text("external_id"))).OK(200)
			w.A.Put(t, path, `{"emoji": "👍"}`).Fails(409, "message_not_sent")
		})
	})
}

func TestCustomersEditAndDeleteMessages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		const ana = "+5511987654321"
		write := func(text string) *servertest.Answer {
			return w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": %q, "text": %q}`, ana, text)).OK(201)
		}
		change := func(what, external, more string) *servertest.Answer {
			return w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": %q, %q: {"external_id": %q%s}}`, ana, what, external, more))
		}
		feed := &feedReader{w: w}

		t.Run("an edit changes the text", func(t *testing.T) {
			asked := write("amanha")
			m := change("edit", asked.Text("external_id"), `, "text": "amanhã"`).OK(200)
			testkit.Equal(t, "text", m.Text("text"), "amanhã")
			if m.At("edited_at") == nil {
				t.Errorf("edited_at: got null, want a time: %s", m.Raw)
			}
			testkit.Equal(t, "changed", fmt.Sprint(feed.next(t, "message.updated")[0].at("changed")), "[text edited_at]")
			testkit.Equal(t, "last message", w.A.Get(t, "/conversations/"+m.Text("conversation")).OK(200).Text("last_message", "text"), "amanhã")
		})
		t.Run("a deleted message loses its text", func(t *testing.T) {
			asked := write("segredo")
			m := change("revoke", asked.Text("external_id"), "").OK(200)
			testkit.Equal(t, "text", m.At("text"), nil)
			if m.At("revoked_at") == nil {
				t.Errorf("revoked_at: got null, want a time: %s", m.Raw)
			}
		})
		t.Run("with keep_revoked a deleted message keeps its text", func(t *testing.T) {
			testkit.Equal(t, "keep_revoked at first", w.A.Get(t, "/company/attendance").OK(200).At("keep_revoked"), false)
			testkit.Equal(t, "keep_revoked", w.A.Patch(t, "/company/attendance", `{"keep_revoked": true}`).OK(200).At("keep_revoked"), true)
			testkit.Equal(t, "keep_revoked read again", w.A.Get(t, "/company/attendance").OK(200).At("keep_revoked"), true)
			testkit.Equal(t, "keep_revoked of another company", w.B.Get(t, "/company/attendance").OK(200).At("keep_revoked"), false)
			feed.next(t)
			asked := write("fica")
			m := change("revoke", asked.Text("external_id"), "").OK(200)
			testkit.Equal(t, "text", m.Text("text"), "fica")
			if m.At("revoked_at") == nil {
				t.Errorf("revoked_at: got null, want a time: %s", m.Raw)
			}
			testkit.Equal(t, "fields that changed", fmt.Sprint(feed.next(t, "message.updated")[0].at("changed")), "[revoked_at]")
		})
		t.Run("customers change their own messages only, one at a time", func(t *testing.T) {
			asked := write("oi")
			sent := w.A.Post(t, "/conversations/"+asked.Text("conversation")+"/messages", message("olá")).OK(201)
			change("edit", sent.Text("external_id"), `, "text": "x"`).Fails(400, "invalid_request")
			change("revoke", sent.Text("external_id"), "").Fails(400, "invalid_request")
			change("edit", asked.Text("external_id"), "").Fails(400, "invalid_request")
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": "+5511900001111", "revoke": {"external_id": %q}}`, asked.Text("external_id"))).Fails(400, "invalid_request")
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from": %q, "text": "x", "revoke": {"external_id": %q}}`, ana, asked.Text("external_id"))).Fails(400, "invalid_request")
		})
	})
}
