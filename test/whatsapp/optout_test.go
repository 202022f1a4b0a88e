package whatsapp_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/testkit"
)

func TestAContactThatOptedOutGetsNoMarketingTemplates(t *testing.T) {
	templates := []simulator.Template{
		{Name: "oferta", Language: "pt_BR", Category: "MARKETING", Body: "Promoção!", Components: components(`{"type":"BODY","text":"Promoção!"}`,
			`{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Sair"}]}`)},
		{Name: "pedido", Language: "pt_BR", Category: "UTILITY", Body: "Pronto."},
	}
	eachShop(t, simulator.Options{Templates: templates}, func(t *testing.T, s *shop) {
		s.awaitTemplates(t)
		s.A.Patch(t, "/channels/"+s.channel, `{"reopen_template": {"name": "oferta", "language": "pt_BR"}}`).OK(200)
		conversation, _ := s.customer(t, simulator.Inbound{Customer: lia, Text: "Oi"})
		at := "/conversations/" + conversation
		body := func(name, more string) string {
			return fmt.Sprintf(`{"client_id": %q, "template": {"name": %q, "language": "pt_BR"}%s}`, kernel.NewID(), name, more)
		}
		sendAt := fmt.Sprintf(`, "send_at": %q`, s.Clock.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano))
		s.A.Post(t, at+"/scheduled", body("oferta", sendAt)).OK(201)
		s.A.Post(t, at+"/messages", body("oferta", "")).OK(201)
		testkit.Eventually(t, "the template is sent", func() bool { _, n := s.sent(lia); return n == 1 })

		s.customer(t, simulator.Inbound{Customer: lia, Press: "Sair"})
		contact := "/contacts/" + s.A.Get(t, at).OK(200).Text("contact")
		testkit.Diff(t, "opted_out", s.A.Get(t, contact).OK(200).At("opted_out"), any(true))
		s.A.Post(t, at+"/messages", body("oferta", "")).Fails(409, "opted_out")
		s.A.Post(t, at+"/scheduled", body("oferta", sendAt)).Fails(409, "opted_out")
		s.A.Post(t, at+"/messages", body("pedido", "")).OK(201)

		s.advance(time.Hour + time.Second)
		testkit.Eventually(t, "the scheduled template has failed", func() bool {
			m := s.A.Get(t, at+"/scheduled").OK(200)
			return m.Text("data", 0, "status") == "failed" && m.Text("data", 0, "error", "code") == "opted_out"
		})
		s.advance(25 * time.Hour)
		hold(t, s.A.Client, conversation, "Oi, Lia").Fails(409, "opted_out")
		s.A.Patch(t, contact, `{"opted_out": false}`).OK(200)
		held := hold(t, s.A.Client, conversation, "Oi, Lia").OK(201)
		s.customer(t, simulator.Inbound{Customer: lia, Text: "PARAR"})
		testkit.Equal(t, "held message", s.failure(t, held), "window_closed")

		if err := s.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error { // the category is not known
			tx.Later(`UPDATE channels SET templates_synced_at = NULL WHERE company = $1`, s.A.ID)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		s.A.Post(t, at+"/messages", body("oferta", "")).Fails(409, "opted_out")
	})
}
