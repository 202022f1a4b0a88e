package whatsapp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestSentMessagesReachTheCustomerOnce(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		conversation, question := s.customer(t, simulator.Inbound{Customer: "5511912345678", Name: "Marina", Text: "Vocês abrem hoje?"})

		t.Run("a reply reaches the customer, and its statuses arrive", func(t *testing.T) {
			sent := s.send(t, conversation, `"text": "Abrimos sim!", "reply_to_external_id": `+quote(question)).OK(201)
			if sent.Text("status") != "queued" && sent.Text("status") != "sent" {
				t.Fatalf("got %s, want status queued or sent", sent.Raw)
			}
			m := s.await(t, sent.ID(), "delivered")
			got := s.sim.Ledger("5511912345678")
			testkit.Equal(t, "messages at WhatsApp", len(got), 1)
			testkit.Equal(t, "id at WhatsApp", got[0].ID, m.Text("external_id"))
			if got[0].ClientID == "" {
				t.Fatalf("got %+v at WhatsApp, want a client id", got[0])
			}
			var body struct {
				Text    struct{ Body string }
				Context struct {
					MessageID string `json:"message_id"`
				}
			}
			must(t, json.Unmarshal(got[0].Body, &body))
			testkit.Equal(t, "text at WhatsApp", body.Text.Body, "Abrimos sim!")
			testkit.Equal(t, "quoted message at WhatsApp", body.Context.MessageID, question)
			must(t, s.sim.Status(got[0].ID, "read", 0))
			drain(t, s.sim)
			if m := s.await(t, sent.ID(), "read"); m.At("sent_at") == nil || m.At("delivered_at") == nil || m.At("read_at") == nil {
				t.Fatalf("got %s, want sent_at, delivered_at and read_at", m.Raw)
			}
		})
		t.Run("files are sent byte for byte and uploaded once", func(t *testing.T) {
			photo := newPhoto(200 << 10)
			media := s.upload(t, "cardápio.png", photo)
			for range 2 {
				s.await(t, s.send(t, conversation, `"media_id": `+quote(media)+`, "text": "Cardápio"`).OK(201).ID(), "delivered")
			}
			all := s.sim.Ledger("5511912345678")
			for _, got := range all[len(all)-2:] {
				var body struct{ Image struct{ ID, Caption string } }
				must(t, json.Unmarshal(got.Body, &body))
				if file, _, found := s.sim.File(body.Image.ID); !found || !bytes.Equal(file, photo) || body.Image.Caption != "Cardápio" {
					t.Fatalf("got %s, want the photo with the caption Cardápio", got.Body)
				}
			}
			if n := s.sim.Calls("upload"); n != 1 {
				t.Errorf("got %d uploads of one file, want 1", n)
			}
		})
		t.Run("a failure that WhatsApp reports later is shown with its reason", func(t *testing.T) {
			must(t, s.sim.SetLadder(simulator.Ladder{Mode: "failed", FailCode: 131026}))
			m := s.await(t, s.send(t, conversation, `"text": "oi"`).OK(201).ID(), "failed")
			testkit.Equal(t, "error.code", m.Text("error", "code"), "not_on_whatsapp")
			if m.Text("error", "message") == "" {
				t.Fatalf("got %s, want an error message", m.Raw)
			}
			must(t, s.sim.SetLadder(simulator.Ladder{}))
		})
		t.Run("a refused message fails at once, and later ones are sent", func(t *testing.T) {
			must(t, s.sim.AddFault(simulator.Fault{Effect: "error", Status: 400, Code: 131051, Next: 1}))
			refused := s.send(t, conversation, `"text": "um"`).OK(201).ID()
			next := s.send(t, conversation, `"text": "dois"`).OK(201).ID()
			testkit.Equal(t, "error.code", s.await(t, refused, "failed").Text("error", "code"), "type_not_supported")
			s.await(t, next, "delivered")
		})
		t.Run("throttling only delays a message", func(t *testing.T) {
			must(t, s.sim.AddFault(simulator.Fault{Effect: "error", Status: 400, Code: 130429, Next: 1}))
			s.await(t, s.send(t, conversation, `"text": "devagar"`).OK(201).ID(), "delivered")
		})
		t.Run("a status that arrives before the response to the send is not lost", func(t *testing.T) {
			must(t, s.sim.SetLadder(simulator.Ladder{Mode: "read", BeforeResponse: true}))
			s.await(t, s.send(t, conversation, `"text": "rápido"`).OK(201).ID(), "read")
			must(t, s.sim.SetLadder(simulator.Ladder{Mode: "reorder", Duplicate: true}))
			s.await(t, s.send(t, conversation, `"text": "fora de ordem"`).OK(201).ID(), "delivered")
			must(t, s.sim.SetLadder(simulator.Ladder{}))
		})
		for _, preset := range []string{"reset_after_accept", "html_502_after_accept", "unknown_500_after_accept", "answer_cut_after_accept", "empty_answer_after_accept"} {
			t.Run("a status resolves an unknown outcome: "+preset, func(t *testing.T) {
				must(t, s.sim.AddFault(simulator.Fault{Preset: preset, Next: 1}))
				m := s.await(t, s.send(t, conversation, `"text": "chegou?"`).OK(201).ID(), "delivered")
				testkit.Equal(t, "error", m.At("error"), nil)
				if m.At("external_id") == nil {
					t.Fatalf("got %s, want an external_id", m.Raw)
				}
			})
		}
		t.Run("a message that WhatsApp may have accepted is never sent again", func(t *testing.T) {
			before := len(s.sim.Ledger(""))
			must(t, s.sim.AddFault(simulator.Fault{Preset: "reset_before_accept", Next: 1}))
			m := s.await(t, s.send(t, conversation, `"text": "e agora?"`).OK(201).ID(), "failed")
			testkit.Equal(t, "error.code", m.Text("error", "code"), "uncertain")
			testkit.Equal(t, "messages at WhatsApp", len(s.sim.Ledger("")), before)
		})
		t.Run("no message was sent twice", func(t *testing.T) {
			testkit.Equal(t, "messages that WhatsApp got twice", len(s.sim.Repeated()), 0)
		})
	})
}

func TestAfterTheServiceWindowOnlyTemplatesAreSent(t *testing.T) {
	template := simulator.Template{Name: "pedido_pronto", Language: "pt_BR", Body: "Seu pedido {{1}} está pronto."}
	eachShop(t, simulator.Options{Templates: []simulator.Template{template}}, func(t *testing.T, s *shop) {
		conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511912345678", Text: "Me avisa?"})
		s.Clock.Advance(25 * time.Hour)
		s.sim.Advance(25 * time.Hour)
		s.send(t, conversation, `"text": "Pronto!"`).Fails(409, "service_window_closed")
		sent := s.send(t, conversation, `"template": {"name": "pedido_pronto", "language": "pt_BR", "parameters": [{"text": "1234"}]}`).OK(201)
		s.await(t, sent.ID(), "delivered")
		got := s.sim.Ledger("5511912345678")
		testkit.Equal(t, "messages at WhatsApp", len(got), 1)
		testkit.Equal(t, "type at WhatsApp", got[0].Type, "template")
	})
}

func TestARejectedTokenDisconnectsTheNumberAndKeepsItsQueue(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511912345678", Text: "Oi"})
		must(t, s.sim.SetToken(simulator.DefaultToken, "revoked"))
		waiting := s.send(t, conversation, `"text": "Olá!"`).OK(201).ID()
		testkit.Eventually(t, "the number is disconnected", func() bool {
			return s.A.Get(t, "/channels").OK(200).Text("data", 0, "status") == "disconnected"
		})
		testkit.Equal(t, "status_reason", s.A.Get(t, "/channels").OK(200).Text("data", 0, "status_reason", "code"), "token_rejected")
		testkit.Equal(t, "status", s.A.Get(t, "/messages/"+waiting).OK(200).Text("status"), "queued")
		s.send(t, conversation, `"text": "Ainda aí?"`).Fails(409, "channel_disconnected")
		s.customer(t, simulator.Inbound{Customer: "5511912345678", Text: "customers are still heard"})

		must(t, s.sim.SetToken("renewed", "valid"))
		s.A.Patch(t, "/channels/"+s.channel, `{"credentials": {"token": "renewed"}}`).OK(200)
		s.await(t, waiting, "delivered")
		testkit.Equal(t, "messages at WhatsApp", len(s.sim.Ledger("")), 1)
	})
}

func TestMessagesAreSentToTheRightAddress(t *testing.T) {
	t.Run("the address to which WhatsApp resolved a Brazilian number is reused", func(t *testing.T) {
		template := simulator.Template{Name: "ola", Language: "pt_BR", Body: "Olá!"}
		eachShop(t, simulator.Options{Brazil: "drop", Templates: []simulator.Template{template}}, func(t *testing.T, s *shop) {
			conversation := s.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id": %q, "phone": "+5581988887777"}`, s.channel)).OK(201).ID()
			for range 2 {
				s.await(t, s.send(t, conversation, `"template": {"name": "ola", "language": "pt_BR", "parameters": []}`).OK(201).ID(), "delivered")
			}
			got := s.sim.Ledger("")
			testkit.Equal(t, "messages at WhatsApp", len(got), 2)
			testkit.Equal(t, "address of the first message", got[0].Input, "+5581988887777")
			testkit.Equal(t, "address of the second message", got[1].Input, "+558188887777")
			if c, _ := s.customer(t, simulator.Inbound{Customer: "558188887777", Text: "oi"}); c != conversation {
				t.Fatal("got another conversation for the reply, want the same")
			}
		})
	})
	t.Run("a Brazilian mobile number is also tried without its ninth digit, once", func(t *testing.T) {
		template := simulator.Template{Name: "ola", Language: "pt_BR", Body: "Olá!"}
		eachShop(t, simulator.Options{Brazil: "refuse", Templates: []simulator.Template{template}}, func(t *testing.T, s *shop) {
			greet := func(phone, status string) *servertest.Answer {
				t.Helper()
				conversation := s.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id": %q, "phone": %q}`, s.channel, phone))
				return s.await(t, s.send(t, conversation.ID(), `"template": {"name": "ola", "language": "pt_BR", "parameters": []}`).OK(201).ID(), status)
			}
			for range 2 {
				greet("+5581988887777", "delivered")
			}
			got := s.sim.Ledger("")
			if calls := s.sim.Calls("messages"); len(got) != 2 || got[0].Input != "+558188887777" || got[1].Input != "+558188887777" || calls != 3 {
				t.Fatalf("got %d calls and %+v, want 3 calls and 2 messages to +558188887777", calls, got)
			}
			// Not on WhatsApp: both spellings are tried and refused.
			s.sim.SetCustomer("558188886666", func(c *simulator.Customer) { c.NotOnWhatsApp = true })
			if m := greet("+5581988886666", "failed"); m.Text("error", "code") != "not_on_whatsapp" || s.sim.Calls("messages") != 5 {
				t.Fatalf("got %d calls and %s, want 5 calls and not_on_whatsapp", s.sim.Calls("messages"), m.Raw)
			}
			// Without its ninth digit this number would be a landline, so there is only one spelling.
			if m := greet("+5581932345678", "failed"); m.Text("error", "code") != "not_on_whatsapp" || s.sim.Calls("messages") != 6 {
				t.Fatalf("got %d calls and %s, want 6 calls and not_on_whatsapp", s.sim.Calls("messages"), m.Raw)
			}
			testkit.Equal(t, "messages at WhatsApp", len(s.sim.Ledger("")), 2)
		})
	})
	t.Run("a person without a number is addressed by their id", func(t *testing.T) {
		eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
			who := s.sim.SetCustomer("5511911110000", func(c *simulator.Customer) { c.HidePhone = true })
			conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511911110000", Text: "oi"})
			s.await(t, s.send(t, conversation, `"text": "Olá!"`).OK(201).ID(), "delivered")
			if got := s.sim.Ledger(""); len(got) != 1 || got[0].Input != who.UserID {
				t.Fatalf("got %+v, want one message to %s", got, who.UserID)
			}
		})
	})
	t.Run("a group is addressed as a group", func(t *testing.T) {
		eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
			conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511900005555", Group: "Z3JvdXA=", Text: "oi gente"})
			s.await(t, s.send(t, conversation, `"text": "Olá a todos"`).OK(201).ID(), "sent", "delivered")
			if got := s.sim.Ledger(""); len(got) != 1 || got[0].Group != "Z3JvdXA=" {
				t.Fatalf("got %+v, want one message to the group Z3JvdXA=", got)
			}
		})
	})
}

func TestABusyConversationDoesNotDelayOthers(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		busy, _ := s.customer(t, simulator.Inbound{Customer: "5511900001111", Text: "manda tudo"})
		other, _ := s.customer(t, simulator.Inbound{Customer: "5511900002222", Text: "oi"})
		var last string
		// The burst limit of a pair is 45, and one more message may go every 6 seconds: the last one waits for 90 seconds.
		for i := range 60 {
			last = s.send(t, busy, fmt.Sprintf(`"text": "parte %d"`, i)).OK(201).ID()
		}
		greeting := s.send(t, other, `"text": "Olá!"`).OK(201).ID()
		testkit.Eventually(t, "the message in the other conversation is delivered", func() bool { return s.A.Get(t, "/messages/"+greeting).OK(200).Text("status") == "delivered" })
		testkit.Eventually(t, "the burst is sent", func() bool { return len(s.sim.Ledger("5511900001111")) >= 45 })
		testkit.Equal(t, "status", s.A.Get(t, "/messages/"+last).OK(200).Text("status"), "queued")
		if calls, taken := s.sim.Calls("messages"), len(s.sim.Ledger("")); calls != taken {
			t.Errorf("got %d messages refused by WhatsApp, want 0", calls-taken)
		}
	})
}

// send posts a message. content is the JSON members without client_id.
func (s *shop) send(t *testing.T, conversation, content string) *servertest.Answer {
	t.Helper()
	return s.A.Post(t, "/conversations/"+conversation+"/messages", `{"client_id": "`+kernel.NewID().String()+`", `+content+`}`)
}

// await advances the clock until a message has one of the statuses, and returns the message.
func (s *shop) await(t *testing.T, message string, statuses ...string) *servertest.Answer {
	t.Helper()
	var m *servertest.Answer
	testkit.Eventually(t, "a message that is "+strings.Join(statuses, " or "), func() bool {
		s.Clock.Advance(100 * time.Millisecond)
		m = s.A.Get(t, "/messages/"+message).OK(200)
		for _, status := range statuses {
			if m.Text("status") == status {
				return true
			}
		}
		return false
	})
	return m
}

// upload uploads a file and returns its id.
func (s *shop) upload(t *testing.T, name string, content []byte) string {
	t.Helper()
	return s.A.Upload(t, name, content).OK(201).ID()
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
