package whatsapp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// reopening is a template with the protocol and two quick replies; the others cannot reopen conversations.
var reopening = []simulator.Template{
	{Name: "reabrir", Language: "pt_BR", Body: "Protocolo {{1}}: podemos responder?", Components: components(`{"type":"BODY","text":"Protocolo {{1}}: podemos responder?"}`,
		`{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Sim"},{"type":"QUICK_REPLY","text":"Agora não"}]}`)},
	{Name: "duas", Language: "pt_BR", Body: "{{1}} e {{2}}"},
	{Name: "cabecalho", Language: "pt_BR", Body: "Oi", Components: components(`{"type":"HEADER","format":"TEXT","text":"Para {{1}}"}`, `{"type":"BODY","text":"Oi"}`)},
	{Name: "pausada", Language: "pt_BR", Body: "Oi", Status: "PAUSED"},
}

func components(raw ...string) (out []json.RawMessage) {
	for _, r := range raw {
		out = append(out, json.RawMessage(r))
	}
	return out
}

const lia = "5511940001111"

// eachHolding is eachShop with a reopening template.
func eachHolding(t *testing.T, body func(t *testing.T, s *shop)) {
	t.Helper()
	eachShop(t, simulator.Options{Templates: reopening}, func(t *testing.T, s *shop) {
		s.awaitTemplates(t)
		s.A.Patch(t, "/channels/"+s.channel, `{"reopen_template": {"name": "reabrir", "language": "pt_BR"}}`).OK(200)
		body(t, s)
	})
}

func (s *shop) awaitTemplates(t *testing.T) {
	t.Helper()
	testkit.Eventually(t, "the templates are fetched", func() bool { return len(s.A.Get(t, "/channels/"+s.channel+"/templates").OK(200).List()) > 0 })
}

// advance moves the clocks of the server and of WhatsApp.
func (s *shop) advance(d time.Duration) {
	s.Clock.Advance(d)
	s.sim.Advance(d)
}

// closedWindow returns a conversation in which the customer wrote 25 hours ago.
func (s *shop) closedWindow(t *testing.T, customer string) string {
	t.Helper()
	conversation, _ := s.customer(t, simulator.Inbound{Customer: customer, Text: "Oi"})
	s.advance(25 * time.Hour)
	return conversation
}

// hold sends a message that waits for the customer.
func hold(t *testing.T, c *servertest.Client, conversation, text string) *servertest.Answer {
	t.Helper()
	return c.Post(t, "/conversations/"+conversation+"/messages", fmt.Sprintf(`{"client_id": %q, "text": %q, "when_closed": "hold"}`, kernel.NewID(), text))
}

// failure returns the error code of a failed message, or its status.
func (s *shop) failure(t *testing.T, m *servertest.Answer) string {
	t.Helper()
	now := s.A.Get(t, "/messages/"+m.ID()).OK(200)
	if now.Text("status") != "failed" {
		return now.Text("status")
	}
	return now.Text("error", "code")
}

// sent returns the texts that the customer got, without templates, and the number of templates.
func (s *shop) sent(customer string) (texts []string, templates int) {
	for _, m := range s.sim.Ledger(customer) {
		var body struct{ Text struct{ Body string } }
		_ = json.Unmarshal(m.Body, &body)
		if m.Type == "template" {
			templates++
		} else {
			texts = append(texts, body.Text.Body)
		}
	}
	return texts, templates
}

func TestAReopeningTemplateIsChecked(t *testing.T) {
	eachShop(t, simulator.Options{Templates: reopening}, func(t *testing.T, s *shop) {
		s.awaitTemplates(t)
		path := "/channels/" + s.channel
		testkit.Diff(t, "reopen_template", s.A.Get(t, path).OK(200).At("reopen_template"), nil)
		for _, name := range []string{"unknown", "duas", "cabecalho", "pausada"} {
			s.A.Patch(t, path, fmt.Sprintf(`{"reopen_template": {"name": %q, "language": "pt_BR"}}`, name)).Fails(400, "invalid_request")
		}
		s.A.Patch(t, path, `{"reopen_template": {"name": "reabrir", "language": "en"}}`).Fails(400, "invalid_request")
		s.A.Patch(t, path, `{"reopen_template": {"name": "reabrir"}}`).Fails(400, "invalid_request")
		sandbox := s.A.Post(t, "/channels", `{"name": "Sandbox", "provider": "sandbox", "phone": "+55 11 4002-8922"}`).OK(201).ID()
		s.A.Patch(t, "/channels/"+sandbox, `{"reopen_template": {"name": "reabrir", "language": "pt_BR"}}`).Fails(400, "invalid_request")
		conversation := s.closedWindow(t, lia)
		hold(t, s.A.Client, conversation, "x").Fails(409, "no_reopen_template")
		got := s.A.Patch(t, path, `{"reopen_template": {"name": "reabrir", "language": "pt_BR"}}`).OK(200)
		testkit.Equal(t, "name", got.Text("reopen_template", "name"), "reabrir")
		s.A.Patch(t, path, `{"name": "Other"}`).OK(200)
		testkit.Equal(t, "language", s.A.Get(t, path).OK(200).Text("reopen_template", "language"), "pt_BR")
		hold(t, s.A.Client, conversation, "x").OK(201)
		testkit.Diff(t, "removed", s.A.Patch(t, path, `{"reopen_template": null}`).OK(200).At("reopen_template"), nil)
		hold(t, s.A.Client, conversation, "y").Fails(409, "no_reopen_template")
	})
}

func TestHeldMessagesAreSentInOrderWhenTheCustomerWrites(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		conversation, _ := s.customer(t, simulator.Inbound{Customer: lia, Text: "Oi"})
		within := hold(t, s.A.Client, conversation, "within").OK(201)
		testkit.Equal(t, "status within the window", within.Text("status"), "queued")
		s.await(t, within.ID(), "delivered", "read")
		protocol := s.A.Get(t, "/conversations/"+conversation+"/attendance").OK(200).Text("protocol")
		s.advance(25 * time.Hour)
		s.send(t, conversation, `"text":"x"`).Fails(409, "service_window_closed")
		s.send(t, conversation, `"text":"x","when_closed":"fail"`).Fails(409, "service_window_closed")
		s.send(t, conversation, `"when_closed":"hold","template":{"name":"hello_world","language":"en_US"}`).Fails(400, "invalid_request")
		s.send(t, conversation, `"when_closed":"hold","interactive":{"body":"?","buttons":[{"id":"1","title":"a"}]}`).Fails(400, "invalid_request")

		body := fmt.Sprintf(`{"client_id": %q, "text": "one", "when_closed": "hold"}`, kernel.NewID())
		one := s.A.Post(t, "/conversations/"+conversation+"/messages", body).OK(201)
		testkit.Equal(t, "status", one.Text("status"), "held")
		testkit.Equal(t, "repeated", s.A.Post(t, "/conversations/"+conversation+"/messages", body).OK(201).ID(), one.ID())
		photo := s.upload(t, "foto.png", newPhoto(1000))
		two := s.send(t, conversation, `"media_id":"`+photo+`","text":"two","when_closed":"hold"`).OK(201)
		testkit.Equal(t, "status", two.Text("status"), "held")
		last := s.A.Get(t, "/conversations/"+conversation).OK(200)
		testkit.Equal(t, "status of the last message", last.Text("last_message", "status"), "held")
		all := s.messages(t, conversation)
		template := all[2]
		testkit.Equal[any](t, "origin of the template", template["origin"], "automation")
		testkit.Equal[any](t, "text of the template", template["text"], "Protocolo "+protocol+": podemos responder?")
		s.await(t, template["id"].(string), "delivered", "read")
		accepted := s.sim.Ledger(lia)
		if sent := string(accepted[len(accepted)-1].Body); !strings.Contains(sent, `"payload":"no"`) || !strings.Contains(sent, `"index":"1"`) {
			t.Errorf("got the template %s, want the payload no for the last quick reply", sent)
		}
		three := hold(t, s.A.Client, conversation, "three").OK(201)

		s.A.Patch(t, "/messages/"+one.ID(), `{"text":""}`).Fails(400, "invalid_request")
		testkit.Equal(t, "edited", s.A.Patch(t, "/messages/"+one.ID(), `{"text":"one!"}`).OK(200).Text("text"), "one!")
		testkit.Diff(t, "caption", s.A.Patch(t, "/messages/"+two.ID(), `{"text":""}`).OK(200).At("text"), nil)
		s.A.Patch(t, "/messages/"+two.ID(), `{"text":"`+strings.Repeat("x", 1025)+`"}`).Fails(400, "invalid_request")
		s.A.Delete(t, "/messages/"+three.ID()).OK(204)
		testkit.Equal(t, "cancelled", s.failure(t, three), "window_closed")
		for _, m := range []string{three.ID(), within.ID()} {
			s.A.Delete(t, "/messages/"+m).Fails(409, "not_held")
			s.A.Patch(t, "/messages/"+m, `{"text":"x"}`).Fails(409, "not_held")
		}
		s.B.Delete(t, "/messages/"+one.ID()).Fails(404, "not_found")
		_, templates := s.sent(lia)
		testkit.Equal(t, "templates within 24 hours", templates, 1)
		s.advance(24 * time.Hour)
		four := hold(t, s.A.Client, conversation, "four").OK(201)
		testkit.Eventually(t, "another template is sent after 24 hours", func() bool {
			s.Clock.Advance(100 * time.Millisecond)
			_, templates = s.sent(lia)
			return templates == 2
		})
		s.customer(t, simulator.Inbound{Customer: lia, Press: "Sim"})
		for _, m := range []*servertest.Answer{one, two, four} {
			s.await(t, m.ID(), "delivered", "read")
		}
		accepted = s.sim.Ledger(lia)
		var order []string
		for _, m := range accepted[len(accepted)-3:] {
			order = append(order, m.ClientID)
		}
		testkit.Diff(t, "order", order, []string{one.ID(), two.ID(), four.ID()})
		testkit.Equal(t, "edited text at WhatsApp", strings.Contains(string(accepted[len(accepted)-3].Body), "one!"), true)
		testkit.Equal(t, "cancelled", s.failure(t, three), "window_closed")
	})
}

func TestTheCostOfAHeldMessageBelongsToTheCaseInWhichItIsSent(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		s.A.Put(t, "/company/rates", `{"currency":"BRL","rates":[{"country":"*","category":"utility","amount":1,"from":"2026-01-01"}]}`).OK(200)
		for _, reply := range []simulator.Inbound{{Customer: lia, Text: "Sim"}, {Customer: "5511900003333", Press: "Sim"}} {
			must(t, s.sim.SetLadder(simulator.Ladder{PricedAt: "none"})) // only the held message has a price
			conversation := s.closedWindow(t, reply.Customer)
			first := s.A.Get(t, "/conversations/"+conversation+"/attendance").OK(200).ID()
			held := hold(t, s.A.Client, conversation, "one").OK(201)
			for _, m := range s.messages(t, conversation) {
				if m["origin"] == "automation" {
					s.await(t, m["id"].(string), "delivered")
				}
			}
			s.A.Post(t, "/conversations/"+conversation+"/attendance/close", nil).OK(200)
			s.advance(time.Hour)
			must(t, s.sim.SetLadder(simulator.Ladder{Pricing: &simulator.Pricing{Category: "utility", Type: "regular", Billable: true}}))
			s.customer(t, reply)
			second := s.A.Get(t, "/conversations/"+conversation+"/attendance").OK(200).ID()
			s.await(t, held.ID(), "delivered", "read")
			testkit.Eventually(t, "the message is priced", func() bool { return s.A.Get(t, "/messages/"+held.ID()).OK(200).At("cost") != nil })
			testkit.Diff(t, "cost of the new case", s.A.Get(t, "/attendances/"+second).OK(200).At("cost"), any(map[string]any{"amount": 1.0, "currency": "BRL"}))
			testkit.Diff(t, "cost of the closed case", s.A.Get(t, "/attendances/"+first).OK(200).At("cost"), nil)
		}
	})
}

func TestAHeldMessageIsNoResponseYet(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		conversation := s.closedWindow(t, lia)
		waiting := func() any {
			return s.A.Get(t, "/conversations/"+conversation).OK(200).At("attendance", "waiting_since")
		}
		attendance := func() *servertest.Answer { return s.A.Get(t, "/conversations/"+conversation+"/attendance").OK(200) }
		since := waiting()
		m := hold(t, s.A.Client, conversation, "x").OK(201)
		testkit.Diff(t, "first response", attendance().At("first_response_at"), nil)
		testkit.Equal(t, "waiting since", waiting(), since)
		testkit.Equal(t, "responsible", attendance().Text("responsible", "id"), s.A.Owner.ID.String())
		s.customer(t, simulator.Inbound{Customer: lia, Text: "E agora?"})
		s.await(t, m.ID(), "delivered", "read")
		if attendance().At("first_response_at") == nil {
			t.Error("got no first response after the release, want one")
		}
		if now := waiting(); now == nil || now == since {
			t.Errorf("got waiting since %v, want since the second message", now)
		}
		s.advance(25 * time.Hour)
		hold(t, s.A.Client, conversation, "y").OK(201)
		testkit.Eventually(t, "the template is sent", func() bool {
			s.Clock.Advance(100 * time.Millisecond)
			_, templates := s.sent(lia)
			return templates == 2
		})
		s.customer(t, simulator.Inbound{Customer: lia, Press: "Sim"})
		testkit.Diff(t, "waiting after a quick reply", waiting(), nil)
	})
}

func TestTheCustomerDeclinesHeldMessagesOrLetsThemExpire(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		conversation := s.closedWindow(t, lia)
		first, second := hold(t, s.A.Client, conversation, "1").OK(201), hold(t, s.A.Client, conversation, "2").OK(201)
		testkit.Eventually(t, "the template is sent", func() bool {
			s.Clock.Advance(100 * time.Millisecond)
			_, templates := s.sent(lia)
			return templates == 1
		})
		_, err := s.sim.Receive(simulator.Inbound{Customer: lia, Press: "Agora não"}, simulator.Inbound{Customer: lia, Text: "Depois"})
		must(t, err)
		drain(t, s.sim)
		for _, m := range []*servertest.Answer{first, second} {
			testkit.Equal(t, "declined", s.failure(t, m), "window_closed")
			testkit.Equal(t, "reason", s.A.Get(t, "/messages/"+m.ID()).Text("error", "params", "reason"), "declined")
		}
		s.advance(25 * time.Hour)
		third := hold(t, s.A.Client, conversation, "3").OK(201)
		s.advance(7*24*time.Hour - time.Minute)
		testkit.Equal(t, "shortly before 7 days", s.failure(t, third), "held")
		s.advance(2 * time.Minute)
		testkit.Eventually(t, "it expires", func() bool { return s.failure(t, third) == "window_closed" })
		s.customer(t, simulator.Inbound{Customer: lia, Text: "Oi de novo"})
		testkit.Equal(t, "after the customer's message", s.failure(t, third), "window_closed")
		s.advance(25 * time.Hour)
		fourth := hold(t, s.A.Client, conversation, "4").OK(201)
		s.advance(7*24*time.Hour + time.Minute)
		s.customer(t, simulator.Inbound{Customer: lia, Text: "Oi"}) // perhaps before it is found to be expired
		testkit.Equal(t, "reason", s.A.Get(t, "/messages/"+fourth.ID()).Text("error", "params", "reason"), "expired")
		texts, _ := s.sent(lia)
		testkit.Equal(t, "messages sent", len(texts), 0)
	})
}

// press makes the customer press a quick reply of the reopening template, after it was sent.
func (s *shop) press(t *testing.T, customer, title string, templates int) {
	t.Helper()
	testkit.Eventually(t, "the template is sent", func() bool {
		s.Clock.Advance(100 * time.Millisecond)
		_, n := s.sent(customer)
		return n == templates
	})
	s.customer(t, simulator.Inbound{Customer: customer, Press: title})
}

func TestAQuickReplyAloneDoesNotMakeTheCustomerWait(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		s.A.Put(t, "/channels/"+s.channel+"/reception", `{"enabled": true, "greeting": "Welcome", "away": null, "menu": {"text": "Choose", "options": [
			{"title": "Help", "action": {"text": "Wait, please."}}, {"title": "End", "action": {"close": true}}]}}`).OK(200)
		s.A.Patch(t, "/company/attendance", `{"grace_minutes": 0}`).OK(200)
		conversation := s.closedWindow(t, lia)
		state := func() *servertest.Answer { return s.A.Get(t, "/conversations/"+conversation).OK(200) }
		since := state().At("attendance", "waiting_since")
		first := hold(t, s.A.Client, conversation, "1").OK(201)
		s.press(t, lia, "Agora não", 1)
		testkit.Equal(t, "declined", s.failure(t, first), "window_closed")
		testkit.Equal(t, "waiting since", state().At("attendance", "waiting_since"), since)

		texts := func() (out []any) {
			for _, m := range s.messages(t, conversation) {
				out = append(out, m["text"])
			}
			return out
		}
		s.advance(25 * time.Hour)
		second := hold(t, s.A.Client, conversation, "2").OK(201)
		s.A.Post(t, "/conversations/"+conversation+"/attendance/close", nil).OK(200)
		before := len(texts())
		s.press(t, lia, "Agora não", 2)
		testkit.Equal(t, "declined", s.failure(t, second), "window_closed")
		testkit.Diff(t, "open case after declining", state().At("attendance"), nil)
		testkit.Equal(t, "texts after declining", len(texts()), before+1)
		s.customer(t, simulator.Inbound{Customer: lia, Press: "Agora não"})
		testkit.Diff(t, "open case after declining again", state().At("attendance"), nil)

		s.advance(25 * time.Hour)
		third := hold(t, s.A.Client, conversation, "3").OK(201)
		s.A.Post(t, "/conversations/"+conversation+"/attendance/close", nil).OK(200)
		before = len(texts())
		s.press(t, lia, "Sim", 3)
		s.await(t, third.ID(), "delivered", "read")
		testkit.Equal(t, "texts after the release", len(texts()), before+1)
		attendance := s.A.Get(t, "/conversations/"+conversation+"/attendance").OK(200)
		testkit.Equal(t, "opened by", attendance.Text("opened_by"), "team")
		testkit.Diff(t, "waiting since", state().At("attendance", "waiting_since"), nil)
	})
}

func TestAConversationCanHave50HeldMessages(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		conversation := s.closedWindow(t, lia)
		var last *servertest.Answer
		for range 50 {
			last = hold(t, s.A.Client, conversation, "x").OK(201)
		}
		hold(t, s.A.Client, conversation, "x").Fails(409, "limit_reached")
		s.A.Delete(t, "/messages/"+last.ID()).OK(204)
		hold(t, s.A.Client, conversation, "x").OK(201)
		all := s.messages(t, conversation)
		template, held := all[1]["id"].(string), all[2]["id"].(string)
		testkit.Equal(t, "template sorts before the messages", template < held, true)
	})
}

func TestAnEditedMessageIsSignedOnce(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		s.A.Patch(t, "/channels/"+s.channel, `{"sign": true}`).OK(200)
		conversation := s.closedWindow(t, lia)
		member := s.NewMember(t, people.NewUser{Name: "Bia", Role: kernel.RoleAgent})
		bia := s.A.Enter(t, member.ID.String(), "a long password")
		m := hold(t, bia, conversation, "one").OK(201)
		testkit.Equal(t, "signed", m.Text("text"), "*Bia:*\none")
		s.A.Patch(t, "/team/"+member.ID.String(), `{"name": "Beatriz"}`).OK(200)
		edited := bia.Patch(t, "/messages/"+m.ID(), `{"text": "*Bia:*\ntwo"}`).OK(200)
		testkit.Equal(t, "edited", edited.Text("text"), "*Bia:*\ntwo")
		edited = bia.Patch(t, "/messages/"+m.ID(), `{"text": "three"}`).OK(200)
		testkit.Equal(t, "edited without the signature", edited.Text("text"), "*Beatriz:*\nthree")
	})
}

func TestAHeldMessageIsReleasedAfterItsConversationIsJoinedWithAnother(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		at := func() int { return int(s.Clock.Now().Unix()) }
		s.push(t, "messages", person("", "BR.401", textMessage("wamid.A1", at(), "um")))
		s.push(t, "messages", person(lia, "", textMessage("wamid.A2", at(), "dois")))
		kept, gone := s.conversationOf(t, "wamid.A1"), s.conversationOf(t, "wamid.A2")
		s.advance(25 * time.Hour)
		m := hold(t, s.A.Client, gone, "x").OK(201)
		testkit.Eventually(t, "the template is sent", func() bool {
			s.Clock.Advance(100 * time.Millisecond)
			return s.messages(t, gone)[1]["status"] != "queued"
		})
		s.push(t, "messages", person(lia, "BR.401", textMessage("wamid.A3", at(), "três")))
		s.A.Get(t, "/conversations/"+gone).OK(404)
		testkit.Equal(t, "conversation", s.A.Get(t, "/messages/"+m.ID()).OK(200).Text("conversation"), kept)
		if status := s.A.Get(t, "/messages/"+m.ID()).OK(200).Text("status"); status == "held" {
			t.Error("got a message that is held, want it released")
		}
	})
}

func TestImportedHistoryDoesNotReleaseHeldMessages(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		conversation := s.closedWindow(t, lia)
		m := hold(t, s.A.Client, conversation, "x").OK(201)
		s.push(t, "history", fmt.Sprintf(`{"history": [{"metadata": {"phase": 0, "chunk_order": 1, "progress": 50}, "threads": [{"id": %q, "messages": [
			{"from": %q, %s, "history_context": {"status": "READ"}}]}]}]}`, lia, lia, textMessage("wamid.H1", int(s.Clock.Now().Unix()), "antes")))
		if s.find(t, conversation, "wamid.H1") == nil {
			t.Fatal("got no imported message, want one")
		}
		testkit.Equal(t, "status", s.failure(t, m), "held")
	})
}

func TestTheAuthorOfAFailedHeldMessageIsNotifiedOrElseTheResponsiblePerson(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		conversation := s.closedWindow(t, lia)
		s.A.Post(t, "/conversations/"+conversation+"/take", nil).OK(200)
		member := s.NewMember(t, people.NewUser{Name: "Bia", Role: kernel.RoleAgent})
		failures := func(c *servertest.Client) (n int) {
			for _, e := range c.Get(t, "/me/notifications").OK(200).List() {
				if e.(map[string]any)["kind"] == "message_failed" {
					n++
				}
			}
			return n
		}
		owner, author := s.A.Enter(t, s.A.Owner.ID.String(), "a long password"), s.A.Enter(t, member.ID.String(), "a long password")
		cancel := func(by *servertest.Client, m *servertest.Answer, ofOwner, ofAuthor int) {
			t.Helper()
			by.Delete(t, "/messages/"+m.ID()).OK(204)
			testkit.Equal(t, "notifications of the author", failures(author), ofAuthor)
			testkit.Equal(t, "notifications of the responsible person", failures(owner), ofOwner)
		}
		cancel(author, hold(t, author, conversation, "1").OK(201), 0, 0)
		cancel(owner, hold(t, author, conversation, "2").OK(201), 0, 1)
		hold(t, author, conversation, "3").OK(201)
		s.A.Patch(t, "/team/"+member.ID.String(), `{"access_profile": "own"}`).OK(200)
		s.customer(t, simulator.Inbound{Customer: lia, Text: "Oi"}) // not_visible
		testkit.Equal(t, "notifications of the responsible person", failures(owner), 1)
	})
}

func TestACustomerWhoHasNeverWrittenGetsTheTemplateWithTheProtocolOrADash(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		s.A.Patch(t, "/company/attendance", `{"enabled": false}`).OK(200)
		conversation := s.A.Post(t, "/conversations", `{"channel_id": "`+s.channel+`", "phone": "+`+lia+`"}`).OK(201).ID()
		m := hold(t, s.A.Client, conversation, "x").OK(201)
		testkit.Equal(t, "status", m.Text("status"), "held")
		testkit.Equal[any](t, "template", s.messages(t, conversation)[0]["text"], "Protocolo -: podemos responder?")
		s.A.Patch(t, "/company/attendance", `{"enabled": true}`).OK(200)
		other := s.A.Post(t, "/conversations", `{"channel_id": "`+s.channel+`", "phone": "+5511940002222"}`).OK(201).ID()
		protocol := s.A.Get(t, "/conversations/"+other+"/attendance").OK(200).Text("protocol")
		s.A.Post(t, "/conversations/"+other+"/attendance/close", nil).OK(200)
		hold(t, s.A.Client, other, "x").OK(201)
		testkit.Equal[any](t, "template", s.messages(t, other)[0]["text"], "Protocolo "+protocol+": podemos responder?")
		testkit.Equal(t, "open case in the grace period", string(s.A.Get(t, "/conversations/"+other+"/attendance").OK(200).Raw), "null")
		third := s.closedWindow(t, "5511940003333")
		s.A.Post(t, "/conversations/"+third+"/attendance/close", nil).OK(200)
		s.advance(11 * time.Minute)
		hold(t, s.A.Client, third, "x").OK(201)
		testkit.Equal(t, "opened by", s.A.Get(t, "/conversations/"+third+"/attendance").OK(200).Text("opened_by"), "team")
	})
}

func TestPermissionsAreCheckedAgainWhenAMessageIsReleased(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		s.A.Patch(t, "/company/attendance", `{"first_responder_takes_ownership": false}`).OK(200)
		for i, test := range []struct {
			want  string
			spoil func(member people.Member, key, conversation string)
		}{
			{"sender_removed", func(m people.Member, _, _ string) { s.A.Delete(t, "/team/"+m.ID.String()).OK(204) }},
			{"key_revoked", func(_ people.Member, key, _ string) { s.A.Delete(t, "/keys/"+key).OK(204) }},
			{"not_visible", func(m people.Member, _, _ string) {
				s.A.Patch(t, "/team/"+m.ID.String(), `{"access_profile": "own"}`).OK(200)
			}},
			{"attendance_restricted", func(_ people.Member, _, c string) {
				s.A.Post(t, "/conversations/"+c+"/take", nil).OK(200)
				s.A.Patch(t, "/company/attendance", `{"mode": "restricted"}`).OK(200)
			}},
			{"contact_blocked", func(_ people.Member, _, c string) {
				contact := s.A.Get(t, "/conversations/"+c).OK(200).Text("contact")
				s.A.Patch(t, "/contacts/"+contact, `{"blocked": true}`).OK(200)
			}},
		} {
			t.Run(test.want, func(t *testing.T) {
				s.A.Patch(t, "/company/attendance", `{"mode": "liberal"}`).OK(200)
				customer := fmt.Sprintf("551194100000%d", i)
				conversation := s.closedWindow(t, customer)
				member := s.NewMember(t, people.NewUser{Name: "Bia " + test.want, Role: kernel.RoleAgent})
				key, c := s.NewKey(t, s.A.ID, people.NewKey{Name: "bia", Scopes: kernel.EveryScope, User: &member.ID})
				m, other := hold(t, c, conversation, "x").OK(201), hold(t, s.A.Client, conversation, "y").OK(201)
				test.spoil(member, key.ID.String(), conversation)
				_, err := s.sim.Receive(simulator.Inbound{Customer: customer, Text: "Sim"})
				must(t, err)
				drain(t, s.sim)
				testkit.Equal(t, "failure", s.failure(t, m), test.want)
				if test.want == "contact_blocked" {
					testkit.Equal(t, "the other", s.failure(t, other), test.want)
				} else {
					s.await(t, other.ID(), "delivered", "read")
				}
			})
		}
	})
}

func TestHeldMessagesAreChangedByTheirAuthorsAndThoseWhoMayAnswer(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		conversation := s.closedWindow(t, lia)
		_, bia := s.NewMemberKey(t, people.NewUser{Name: "Bia", Role: kernel.RoleAgent})
		_, caio := s.NewMemberKey(t, people.NewUser{Name: "Caio", Role: kernel.RoleAgent})
		m := hold(t, bia, conversation, "x").OK(201)
		caio.Patch(t, "/messages/"+m.ID(), `{"text":"y"}`).OK(200)
		s.A.Patch(t, "/company/attendance", `{"mode": "restricted"}`).OK(200)
		caio.Patch(t, "/messages/"+m.ID(), `{"text":"z"}`).Fails(409, "attendance_restricted")
		caio.Delete(t, "/messages/"+m.ID()).Fails(409, "attendance_restricted")
		s.A.Post(t, "/conversations/"+conversation+"/take", nil).OK(200)
		bia.Patch(t, "/messages/"+m.ID(), `{"text":"z"}`).OK(200)
		bia.Delete(t, "/messages/"+m.ID()).OK(204)
		archived := hold(t, s.A.Client, conversation, "last").OK(201)
		s.A.Delete(t, "/channels/"+s.channel).OK(204)
		testkit.Eventually(t, "it fails with the channel", func() bool { return s.failure(t, archived) == "channel_archived" })
	})
}

func TestAMessageIsEitherReleasedOrCancelledWhenBothHappenAtOnce(t *testing.T) {
	eachHolding(t, func(t *testing.T, s *shop) {
		for i := range 3 {
			customer := fmt.Sprintf("551194200000%d", i)
			conversation := s.closedWindow(t, customer)
			kept, m := hold(t, s.A.Client, conversation, "kept").OK(201), hold(t, s.A.Client, conversation, "m").OK(201)
			var g sync.WaitGroup
			var cancelled, edited *servertest.Answer
			g.Go(func() { cancelled = s.A.Delete(t, "/messages/"+m.ID()) })
			g.Go(func() { edited = s.A.Patch(t, "/messages/"+kept.ID(), `{"text":"changed"}`) })
			_, err := s.sim.Receive(simulator.Inbound{Customer: customer, Text: "Sim"})
			must(t, err)
			g.Wait()
			drain(t, s.sim)
			s.await(t, kept.ID(), "delivered", "read")
			want := []string{"kept"}
			if edited.Status == 200 {
				want = []string{"changed"}
			}
			if cancelled.Status == 204 {
				testkit.Equal(t, "cancelled", s.failure(t, m), "window_closed")
			} else {
				cancelled.Fails(409, "not_held")
				s.await(t, m.ID(), "delivered", "read")
				want = append(want, "m")
			}
			texts, _ := s.sent(customer)
			testkit.Diff(t, "texts at WhatsApp", texts, want)
		}
	})
}
