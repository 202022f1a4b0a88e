package whatsapp_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"recado/internal/channels/simulator"
	"recado/test/testkit"
)

// push sends a callback with one field.
func (s *shop) push(t *testing.T, field, value string) {
	t.Helper()
	must(t, s.sim.Push("", field, json.RawMessage(value)))
	drain(t, s.sim)
}

// written returns the value of a messages callback from one customer. Each message is given without braces and sender.
func written(phone, name string, messages ...string) string {
	list := ""
	for i, m := range messages {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"from": %q, %s}`, phone, m)
	}
	return fmt.Sprintf(`{"contacts": [{"profile": {"name": %q}, "wa_id": %q}], "messages": [%s]}`, name, phone, list)
}

func textMessage(id string, at int, text string) string {
	return fmt.Sprintf(`"id": %q, "timestamp": "%d", "type": "text", "text": {"body": %q}`, id, at, text)
}

func editOf(id string, at int, text string) string {
	return fmt.Sprintf(`"id": "%s.edit%d", "timestamp": "%d", "type": "edit", "edit": {"original_message_id": %q, "message": {"type": "text", "text": {"body": %q}}}`, id, at, at, id, text)
}

func revocationOf(id string, at int) string {
	return fmt.Sprintf(`"id": "%s.revoke", "timestamp": "%d", "type": "revoke", "revoke": {"original_message_id": %q}`, id, at, id)
}

func reactionTo(id string, at int, emoji string) string {
	return fmt.Sprintf(`"id": "%s.reaction%d", "timestamp": "%d", "type": "reaction", "reaction": {"message_id": %q, "emoji": %q}`, id, at, at, id, emoji)
}

// began is a Unix time before the tests.
const began = 1790000000

func TestTheOrderOfArrivalDoesNotMatter(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const ana = "5511930001111"
		message := func(t *testing.T, external string) map[string]any {
			t.Helper()
			return s.find(t, s.conversationOf(t, external), external)
		}
		t.Run("an edit arrives before its message", func(t *testing.T) {
			s.push(t, "messages", written(ana, "Ana", editOf("wamid.A", began+5, "amanhã")))
			s.push(t, "messages", written(ana, "Ana", textMessage("wamid.A", began, "amanha")))
			if m := message(t, "wamid.A"); m["text"] != "amanhã" || m["edited_at"] == nil || m["revoked_at"] != nil {
				t.Fatalf("got %v, want the text amanhã, edited_at and no revoked_at", m)
			}
		})
		t.Run("a deletion arrives before its message", func(t *testing.T) {
			s.push(t, "messages", written(ana, "Ana", revocationOf("wamid.B", began+5)))
			s.push(t, "messages", written(ana, "Ana", textMessage("wamid.B", began, "segredo")))
			if m := message(t, "wamid.B"); m["text"] != nil || m["revoked_at"] == nil {
				t.Fatalf("got %v, want no text and revoked_at", m)
			}
		})
		t.Run("the later of two edits wins", func(t *testing.T) {
			s.push(t, "messages", written(ana, "Ana", textMessage("wamid.C", began, "um")))
			s.push(t, "messages", written(ana, "Ana", editOf("wamid.C", began+9, "três")))
			s.push(t, "messages", written(ana, "Ana", editOf("wamid.C", began+5, "dois")))
			testkit.Equal(t, "text", message(t, "wamid.C")["text"], "três")
			s.push(t, "messages", written(ana, "Ana", editOf("wamid.D", began+9, "três"), editOf("wamid.D", began+5, "dois")))
			s.push(t, "messages", written(ana, "Ana", textMessage("wamid.D", began, "um")))
			testkit.Equal(t, "text", message(t, "wamid.D")["text"], "três")
		})
		t.Run("the later of two edits wins even if WhatsApp's clock is ahead", func(t *testing.T) {
			now := int(s.Clock.Now().Unix())
			s.push(t, "messages", written(ana, "Ana", textMessage("wamid.J", now, "um")))
			s.push(t, "messages", written(ana, "Ana", editOf("wamid.J", now+20, "três")))
			s.push(t, "messages", written(ana, "Ana", editOf("wamid.J", now+10, "dois")))
			testkit.Equal(t, "text", message(t, "wamid.J")["text"], any("três"))
		})
		t.Run("a reaction arrives before its message", func(t *testing.T) {
			s.push(t, "messages", written(ana, "Ana", reactionTo("wamid.E", began+5, "👍")))
			s.push(t, "messages", written(ana, "Ana", textMessage("wamid.E", began, "oi")))
			testkit.Equal(t, "number of reactions", len(message(t, "wamid.E")["reactions"].([]any)), 1)
		})
		t.Run("another customer cannot change a message", func(t *testing.T) {
			s.push(t, "messages", written(ana, "Ana", textMessage("wamid.F", began, "meu")))
			for _, change := range []string{editOf("wamid.F", began+5, "teu"), revocationOf("wamid.F", began+6), reactionTo("wamid.F", began+7, "👎")} {
				s.push(t, "messages", written("5511930002222", "Rui", change))
			}
			s.push(t, "messages", written("5511930002222", "Rui", editOf("wamid.G", began+5, "teu")))
			s.push(t, "messages", written(ana, "Ana", textMessage("wamid.G", began, "meu")))
			for _, id := range []string{"wamid.F", "wamid.G"} {
				if m := message(t, id); m["text"] != "meu" || m["edited_at"] != nil || len(m["reactions"].([]any)) != 0 {
					t.Errorf("got %v, want the text meu, no edited_at and no reactions", m)
				}
			}
		})
		t.Run("created_at is the provider's time, and messages are in order of arrival", func(t *testing.T) {
			s.push(t, "messages", written("5511930003333", "Bia", textMessage("wamid.H", began+100, "depois")))
			s.push(t, "messages", written("5511930003333", "Bia", textMessage("wamid.I", began+50, "antes")))
			all := s.messages(t, s.conversationOf(t, "wamid.H"))
			testkit.Equal(t, "number of messages", len(all), 2)
			testkit.Equal(t, "external_id of the first", all[0]["external_id"], "wamid.H")
			testkit.Equal(t, "created_at of the second", all[1]["created_at"], "2026-09-21T14:14:10.000Z")
			c := s.A.Get(t, "/conversations/"+s.conversationOf(t, "wamid.H")).OK(200)
			testkit.Equal(t, "text of the last message", c.At("last_message").(map[string]any)["text"], "antes")
		})
	})
}

func TestReactionsAreNotMessages(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const ana = "5511930001111"
		s.push(t, "messages", written(ana, "Ana", textMessage("wamid.A", began, "oi")))
		conversation := s.conversationOf(t, "wamid.A")
		s.A.Post(t, "/conversations/"+conversation+"/read", nil).OK(200)
		s.A.Post(t, "/conversations/"+conversation+"/attendance/close", `{}`)
		open := s.A.Get(t, "/conversations/"+conversation+"/attendance").Status
		reactions := func(want ...string) {
			t.Helper()
			all := s.messages(t, conversation)
			if len(all) != 1 {
				t.Fatalf("got %d messages, want 1", len(all))
			}
			var got []string
			for _, r := range all[0]["reactions"].([]any) {
				r := r.(map[string]any)
				if r["user"] != nil || r["at"] == nil {
					t.Errorf("got %v, want no user and a time", r)
				}
				got = append(got, r["by"].(string)+" "+r["emoji"].(string))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("got the reactions %v, want %v", got, want)
			}
		}
		s.push(t, "messages", written(ana, "Ana", reactionTo("wamid.A", began+10, "👍")))
		reactions("customer 👍")
		c := s.A.Get(t, "/conversations/"+conversation).OK(200)
		testkit.Equal(t, "unread", c.At("unread"), true)
		testkit.Equal(t, "text of the last message", c.At("last_message").(map[string]any)["text"], "oi")
		if now := s.A.Get(t, "/conversations/"+conversation+"/attendance").Status; now != open {
			t.Fatalf("GET attendance: got status %d, want the same as before the reaction", now)
		}
		s.push(t, "messages", written(ana, "Ana", reactionTo("wamid.A", began+20, "❤️")))
		reactions("customer ❤️")
		s.push(t, "messages", written(ana, "Ana", reactionTo("wamid.A", began+15, "🎉"))) // late
		reactions("customer ❤️")
		s.push(t, "smb_message_echoes", `{"contacts": [{"wa_id": "`+ana+`"}], "message_echoes": [{"from": "5511900000000", "to": "`+ana+`", `+reactionTo("wamid.A", began+21, "🙏")+`}]}`)
		reactions("customer ❤️", "team 🙏")
		s.A.Post(t, "/conversations/"+conversation+"/read", nil).OK(200)
		s.push(t, "messages", written(ana, "Ana", reactionTo("wamid.A", began+30, "")))
		s.push(t, "messages", written(ana, "Ana", reactionTo("wamid.A", began+20, "❤️"))) // repeated
		reactions("team 🙏")
		if c := s.A.Get(t, "/conversations/"+conversation).OK(200); c.At("unread") != false {
			t.Fatalf("after a reaction was removed: got %s, want unread false", c.Raw)
		}
	})
}
