package whatsapp_test

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"strings"
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
	})
}

func TestBeforeTheTemplatesAreFetchedAContactThatOptedOutGetsNone(t *testing.T) {
	templates := []simulator.Template{{Name: "pedido", Language: "pt_BR", Category: "UTILITY", Body: "Pronto."}}
	eachShop(t, simulator.Options{Templates: templates}, func(t *testing.T, s *shop) {
		s.awaitTemplates(t)
		fetched := func(at string) {
			must(t, s.Desk.Kernel.Store.Write(t.Context(), func(tx *kernel.Tx) error {
				tx.Later(`UPDATE channels SET templates_synced_at = `+at+` WHERE company = $1`, s.A.ID)
				return nil
			}))
		}
		conversation, _ := s.customer(t, simulator.Inbound{Customer: lia, Text: "SAIR"})
		fetched("NULL")
		s.send(t, conversation, `"template": {"name": "pedido", "language": "pt_BR"}`).Fails(409, "template_unavailable")
		fetched("1")
		s.send(t, conversation, `"template": {"name": "pedido", "language": "pt_BR"}`).OK(201)
	})
}

func TestAContactThatOptsOutGetsNothingUnwantedThatWasQueuedBefore(t *testing.T) {
	templates := []simulator.Template{
		{Name: "oferta", Language: "pt_BR", Category: "MARKETING", Body: "Promoção!"},
		{Name: "pedido", Language: "pt_BR", Category: "UTILITY", Body: "Pronto."},
	}
	eachShop(t, simulator.Options{Templates: templates}, func(t *testing.T, s *shop) {
		s.awaitTemplates(t)
		s.A.Put(t, "/company/survey", `{"enabled":true,"question":"Como foi?"}`).OK(200)
		contactOf := func(conversation string) string {
			return s.A.Get(t, "/conversations/"+conversation).OK(200).Text("contact")
		}
		for i, optOut := range []func(customer, conversation string){
			func(customer, _ string) { s.customer(t, simulator.Inbound{Customer: customer, Text: "SAIR"}) },
			func(_, conversation string) {
				s.A.Patch(t, "/contacts/"+contactOf(conversation), `{"opted_out": true}`).OK(200)
			},
			func(customer, conversation string) {
				var body bytes.Buffer
				form := multipart.NewWriter(&body)
				must(t, form.WriteField("kind", "contacts"))
				file, err := form.CreateFormFile("file", "contacts.csv")
				must(t, err)
				_, err = fmt.Fprintf(file, "phone;opted out\n+%s;sim\n", customer)
				must(t, errors.Join(err, form.Close()))
				s.A.Post(t, "/imports", body.Bytes(), "Content-Type", form.FormDataContentType()).OK(202)
				testkit.Eventually(t, "the import is done", func() bool {
					return s.A.Get(t, "/contacts/"+contactOf(conversation)).OK(200).At("opted_out") == true
				})
			},
		} {
			customer := fmt.Sprint(5511940001110 + i)
			conversation, _ := s.customer(t, simulator.Inbound{Customer: customer, Text: "Oi"})
			must(t, s.sim.AddFault(simulator.Fault{Preset: "throttled_400", Always: true}))
			text := s.send(t, conversation, `"text": "Um momento"`).OK(201) // the others wait for it
			offer := s.send(t, conversation, `"template": {"name": "oferta", "language": "pt_BR"}`).OK(201)
			order := s.send(t, conversation, `"template": {"name": "pedido", "language": "pt_BR"}`).OK(201)
			s.A.Post(t, "/conversations/"+conversation+"/attendance/close", nil).OK(200)
			all := s.messages(t, conversation)
			question := s.A.Get(t, "/messages/"+all[len(all)-1]["id"].(string)).OK(200)
			testkit.Equal(t, "origin of the question", question.Text("origin"), "automation")

			optOut(customer, conversation)
			testkit.Equal(t, "the template of the category marketing", s.failure(t, offer), "opted_out")
			testkit.Equal(t, "the question", s.failure(t, question), "opted_out")
			testkit.Equal(t, "the other template", s.failure(t, order), "queued")
			testkit.Equal(t, "the text", s.failure(t, text), "queued")

			s.sim.ClearFaults()
			s.await(t, order.ID(), "delivered")
			testkit.Equal(t, "status of the text", s.A.Get(t, "/messages/"+text.ID()).OK(200).Text("status"), "delivered")
			_, sent := s.sent(customer)
			testkit.Equal(t, "templates at WhatsApp", sent, 1)
		}
		testkit.Equal(t, "events of failed messages", strings.Count(string(s.A.Get(t, "/events?limit=100").OK(200).Raw), `"code":"opted_out"`), 6)
	})
}
