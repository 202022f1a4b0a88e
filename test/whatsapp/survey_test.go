package whatsapp_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/test/testkit"
)

func TestASurveyIsAnsweredWithTheListAtWhatsApp(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		s.A.Put(t, "/company/survey", `{"enabled":true,"question":"Como foi?","thanks":"Obrigado!","min_days":0}`).OK(200)
		conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511912345678", Text: "Oi"})
		att := s.A.Post(t, "/conversations/"+conversation+"/attendance/close", nil).OK(200)
		testkit.Equal(t, "status", att.Text("survey", "status"), "sent")
		question := s.messages(t, conversation)[1]
		s.await(t, question["id"].(string), "delivered")
		testkit.Equal(t, "type at WhatsApp", s.sim.Ledger("5511912345678")[0].Type, "interactive")
		reply := json.RawMessage(fmt.Sprintf(`{"type":"list_reply","list_reply":{"id":"survey:%s:5","title":"5 ★★★★★"}}`, att.ID()))
		s.customer(t, simulator.Inbound{Customer: "5511912345678", Type: "interactive", Payload: reply})
		testkit.Equal(t, "rating", s.A.Get(t, "/attendances/"+att.ID()).OK(200).Int("survey", "rating"), 5)
		testkit.Equal(t, "open case", string(s.A.Get(t, "/conversations/"+conversation+"/attendance").OK(200).Raw), "null")
	})
}

func TestASurveyIsSkippedAfterTheServiceWindow(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		s.A.Put(t, "/company/survey", `{"enabled":true,"question":"Como foi?"}`).OK(200)
		conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511912345678", Text: "Oi"})
		s.Clock.Advance(25 * time.Hour)
		s.sim.Advance(25 * time.Hour)
		att := s.A.Post(t, "/conversations/"+conversation+"/attendance/close", nil).OK(200)
		testkit.Equal(t, "status", att.Text("survey", "status"), "skipped")
		testkit.Equal(t, "listed case", s.A.Get(t, "/attendances?survey=skipped").OK(200).Text("data", 0, "id"), att.ID())
		testkit.Diff(t, "sent_at", att.At("survey", "sent_at"), nil)
		testkit.Equal(t, "messages", len(s.messages(t, conversation)), 1)
	})
}
