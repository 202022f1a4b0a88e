package whatsapp_test

import (
	"fmt"
	"testing"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/testkit"
)

// person returns the value of a messages callback with one message of a person identified by a number, a user id or both.
func person(waID, userID, message string) string {
	contact, from := `"profile": {"name": "Marina"}`, ""
	if waID != "" {
		contact += fmt.Sprintf(`, "wa_id": %q`, waID)
		from += fmt.Sprintf(`"from": %q, `, waID)
	}
	if userID != "" {
		contact += fmt.Sprintf(`, "user_id": %q`, userID)
		from += fmt.Sprintf(`"from_user_id": %q, `, userID)
	}
	return `{"contacts": [{` + contact + `}], "messages": [{` + from + message + `}]}`
}

func TestOnePersonStaysOneContact(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		contactOf := func(external string) string {
			return s.A.Get(t, "/conversations/"+s.conversationOf(t, external)).OK(200).Text("contact")
		}
		t.Run("known by number, then by user id, then by both", func(t *testing.T) {
			s.push(t, "messages", person("5511940001111", "", textMessage("wamid.A1", began, "um")))
			first, contact := s.conversationOf(t, "wamid.A1"), contactOf("wamid.A1")
			s.push(t, "messages", person("", "BR.401", textMessage("wamid.A2", began+1, "dois")))
			second, other := s.conversationOf(t, "wamid.A2"), contactOf("wamid.A2")
			if first == second || contact == other {
				t.Fatal("got one contact or conversation, want two until WhatsApp links number and user id")
			}
			for name, id := range map[string]string{"VIP": contact, "Nova": other} {
				label := s.A.Post(t, "/labels", map[string]any{"name": name, "color": "#112233"}).OK(201).ID()
				s.A.Patch(t, "/contacts/"+id, map[string]any{"label_ids": []string{label}}).OK(200)
			}
			s.push(t, "messages", person("5511940001111", "BR.401", textMessage("wamid.A3", began+2, "três")))
			var texts []any
			for _, m := range s.messages(t, first) {
				texts = append(texts, m["text"])
			}
			testkit.Equal(t, "texts", fmt.Sprint(texts), "[um dois três]")
			s.A.Get(t, "/contacts/"+other).OK(404)
			s.A.Get(t, "/conversations/"+second).OK(404)
			c := s.A.Get(t, "/contacts/"+contact).OK(200)
			testkit.Equal(t, "phone", c.Text("phone"), "+5511940001111")
			testkit.Equal(t, "number of labels", len(c.At("label_ids").([]any)), 2)
			testkit.Equal(t, "unread_count", s.A.Get(t, "/conversations/"+first).OK(200).Int("unread_count"), 3)
			open := 0
			for _, a := range s.A.Get(t, "/attendances").OK(200).List() {
				if a := a.(map[string]any); a["conversation"] == first && a["status"] == "open" {
					open++
				}
			}
			if open != 1 {
				t.Fatalf("got %d open attendances, want 1", open)
			}
			s.push(t, "messages", person("", "BR.401", textMessage("wamid.A4", began+3, "quatro")))
			if got := s.conversationOf(t, "wamid.A4"); got != first {
				t.Fatalf("got the conversation %s, want %s", got, first)
			}
			s.A.Post(t, "/conversations/"+first+"/messages", map[string]any{"client_id": kernel.NewID().String(), "template": map[string]any{"name": "hello_world", "language": "en_US"}}).OK(201)
		})
		t.Run("two people with different numbers stay two", func(t *testing.T) {
			s.push(t, "messages", person("5511940002222", "BR.402", textMessage("wamid.B1", began, "um")))
			s.push(t, "messages", person("5511940003333", "", textMessage("wamid.B2", began, "dois")))
			s.push(t, "messages", person("5511940003333", "BR.402", textMessage("wamid.B3", began, "três")))
			if contactOf("wamid.B1") == contactOf("wamid.B2") {
				t.Fatal("got one contact, want two")
			}
		})
		t.Run("a changed number in the old format, and a user id change that is only in the text", func(t *testing.T) {
			for i, change := range []struct{ system, after string }{
				{`"type": "customer_changed_number", "body": "x", "new_wa_id": "5511940006666"`, person("5511940006666", "", textMessage("wamid.C0.2", began, "dois"))},
				{`"type": "user_changed_user_id", "body": "User changed from BR.1411 to BR.1499", "user_id": "BR.1499"`, person("", "BR.1499", textMessage("wamid.C1.2", began, "dois"))},
			} {
				phone, id := fmt.Sprintf("551194100111%d", i), fmt.Sprintf("wamid.C%d", i)
				s.push(t, "messages", person(phone, fmt.Sprintf("BR.141%d", i), textMessage(id, began, "um")))
				s.push(t, "messages", `{"messages": [{"from": "`+phone+`", "id": "`+id+`.s", "timestamp": "1790000100", "type": "system", "system": {`+change.system+`}}]}`)
				s.push(t, "messages", change.after)
				if got, want := s.conversationOf(t, id+".2"), s.conversationOf(t, id); got != want {
					t.Errorf("%s: got the conversation %s, want %s", change.system, got, want)
				}
			}
		})
	})
}
