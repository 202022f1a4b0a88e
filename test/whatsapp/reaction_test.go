package whatsapp_test

import (
	"encoding/json"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/test/testkit"
)

func TestReactionsReachTheCustomer(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const ana = "5511912345678"
		conversation, external := s.customer(t, simulator.Inbound{Customer: ana, Name: "Ana", Text: "Chegou!"})
		path := "/messages/" + s.find(t, conversation, external)["id"].(string)
		sent := func(t *testing.T, n int) []string {
			t.Helper()
			testkit.Eventually(t, "the reactions reach WhatsApp", func() bool {
				s.Clock.Advance(100 * time.Millisecond)
				return len(s.sim.Ledger(ana)) == n
			})
			var emoji []string
			for _, m := range s.sim.Ledger(ana) {
				var body struct {
					Reaction struct {
						MessageID string `json:"message_id"`
						Emoji     string
					}
				}
				must(t, json.Unmarshal(m.Body, &body))
				testkit.Equal(t, "message_id", body.Reaction.MessageID, external)
				emoji = append(emoji, body.Reaction.Emoji)
			}
			return emoji
		}
		t.Run("set, replaced and removed, in this order", func(t *testing.T) {
			s.A.Put(t, path+"/reaction", `{"emoji": "👍"}`).OK(200)
			s.A.Put(t, path+"/reaction", `{"emoji": "❤️"}`).OK(200)
			s.A.Delete(t, path+"/reaction").OK(204)
			testkit.Diff(t, "sent", sent(t, 3), []string{"👍", "❤️", ""})
			drain(t, s.sim)
			testkit.Equal(t, "messages that WhatsApp got twice", len(s.sim.Repeated()), 0)
		})
		t.Run("a reaction whose outcome is unknown is sent again", func(t *testing.T) {
			must(t, s.sim.AddFault(simulator.Fault{Preset: "reset_before_accept", Next: 1}))
			s.A.Put(t, path+"/reaction", `{"emoji": "😂"}`).OK(200)
			testkit.Equal(t, "sent", sent(t, 4)[3], "😂")
		})
		t.Run("a reaction that WhatsApp refuses is removed", func(t *testing.T) {
			must(t, s.sim.AddFault(simulator.Fault{Effect: "error", Status: 400, Code: 131009, Next: 1}))
			s.A.Put(t, path+"/reaction", `{"emoji": "🙏"}`).OK(200)
			testkit.Eventually(t, "the reaction is gone", func() bool { return len(s.A.Get(t, path).OK(200).List("reactions")) == 0 })
		})
		t.Run("a reaction that WhatsApp reports as failed later is removed", func(t *testing.T) {
			s.A.Put(t, path+"/reaction", `{"emoji": "🎉"}`).OK(200)
			sent(t, 5)
			drain(t, s.sim)
			testkit.Equal(t, "number of reactions", len(s.A.Get(t, path).OK(200).List("reactions")), 1)
			must(t, s.sim.Status(s.sim.Ledger(ana)[4].ID, "failed", 131009))
			drain(t, s.sim)
			testkit.Equal(t, "number of reactions", len(s.A.Get(t, path).OK(200).List("reactions")), 0)
		})
		t.Run("later messages are still sent", func(t *testing.T) {
			s.await(t, s.send(t, conversation, `"text": "Obrigado!"`).OK(201).ID(), "delivered")
		})
	})
}
