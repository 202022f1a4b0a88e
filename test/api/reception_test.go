package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// receptionChannel is a channel with a reception and the sectors in its menu.
type receptionChannel struct {
	*servertest.World
	channel                  string
	sales, support, fallback string
	ana                      string
	n                        int
}

// newReceptionChannel creates a channel whose menu has every kind of action.
func newReceptionChannel(t *testing.T, w *servertest.World) *receptionChannel {
	t.Helper()
	f := &receptionChannel{World: w, channel: sandbox(t, w)}
	for name, id := range map[string]*string{"Vendas": &f.sales, "Suporte": &f.support, "Geral": &f.fallback} {
		*id = w.A.Post(t, "/sectors", map[string]any{"name": name}).OK(201).ID()
	}
	f.ana, _ = member(t, w.A.Client, "Ana")
	w.A.Put(t, "/channels/"+f.channel+"/reception", f.menu()).OK(200)
	return f
}

// menu returns the body of the reception.
func (f *receptionChannel) menu() string {
	return fmt.Sprintf(`{"enabled":true,"greeting":"Olá!","away":"Estamos fechados.","menu":{"text":"Como podemos ajudar?","invalid_text":"Escolha uma opção.","fallback_sector":%q,"options":[
		{"title":"Vendas","action":{"sector":%q}},
		{"title":"Falar com Ana","action":{"user":%q}},
		{"title":"Horário","action":{"text":"Das 8h às 18h."}},
		{"title":"Nada mais","action":{"close":true}},
		{"title":"Suporte","action":{"menu":{"text":"Qual produto?","options":[{"title":"Forno","action":{"sector":%q}},{"title":"Outro","action":{"sector":%q}}]}}}]}}`,
		f.fallback, f.sales, f.ana, f.support, f.fallback)
}

// customer is a person who writes to the channel.
type customer struct {
	*receptionChannel
	phone        string
	conversation string
}

// customer returns a new customer.
func (f *receptionChannel) customer() *customer {
	f.n++
	return &customer{receptionChannel: f, phone: phoneNumber(f.n)}
}

// says sends texts from the customer.
func (c *customer) says(t *testing.T, texts ...string) *customer {
	t.Helper()
	for _, text := range texts {
		c.conversation = c.A.Post(t, simulatePath(c.channel), map[string]any{"from": c.phone, "text": text}).OK(201).Text("conversation")
	}
	return c
}

// automaticTexts returns the texts of the automatic messages, oldest first.
func (c *customer) automaticTexts(t *testing.T) (out []string) {
	t.Helper()
	for _, m := range c.A.Get(t, "/conversations/"+c.conversation+"/messages?limit=100").OK(200).List() {
		if m := m.(map[string]any); m["origin"] == "automation" {
			out = append([]string{m["text"].(string)}, out...)
		}
	}
	return out
}

// load returns the conversation.
func (c *customer) load(t *testing.T) *servertest.Answer {
	t.Helper()
	return c.A.Get(t, "/conversations/"+c.conversation).OK(200)
}

// expectFiled checks the sector of the case and the newest entry of its history.
func (c *customer) expectFiled(t *testing.T, sector any, reason string) {
	t.Helper()
	testkit.Diff(t, "sector", c.load(t).At("sector"), sector)
	entry := c.A.Get(t, "/conversations/"+c.conversation+"/assignments").OK(200)
	testkit.Diff(t, "reason", entry.Text("data", 0, "reason"), reason)
	testkit.Diff(t, "by", entry.At("data", 0, "by"), nil)
}

func TestTheReceptionIsStoredAndValidated(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		at := "/channels/" + channel + "/reception"
		testkit.Diff(t, "default reception", string(w.A.Get(t, at).OK(200).Raw), `{"enabled":false,"greeting":null,"away":null,"menu":null}`)
		f := newReceptionChannel(t, w)
		at = "/channels/" + f.channel + "/reception"
		got := w.A.Get(t, at).OK(200)
		testkit.Diff(t, "sector of the first option", got.Text("menu", "options", 0, "action", "sector"), f.sales)
		testkit.Diff(t, "close of the fourth option", got.At("menu", "options", 3, "action", "close"), true)
		testkit.Diff(t, "title in the submenu", got.Text("menu", "options", 4, "action", "menu", "options", 0, "title"), "Forno")
		testkit.Diff(t, "max_invalid", got.Int("menu", "max_invalid"), 2)
		testkit.Diff(t, "timeout_minutes", got.Int("menu", "timeout_minutes"), 10)
		testkit.Diff(t, "reception sent unchanged", string(w.A.Put(t, at, got.Raw).OK(200).Raw), string(got.Raw))
		for field, body := range map[string]string{
			"body.menu.options":                  `{"menu":{"text":"x","options":[{"title":"a","action":{"close":true}}]}}`,
			"body.menu.options[1].title":         `{"menu":{"text":"x","options":[{"title":"á","action":{"close":true}},{"title":"A","action":{"close":true}}]}}`,
			"body.menu.options[0].action":        `{"menu":{"text":"x","options":[{"title":"a","action":{}},{"title":"b","action":{"close":true}}]}}`,
			"body.menu.options[0].action.sector": `{"menu":{"text":"x","options":[{"title":"a","action":{"sector":"` + kernel.NewID().String() + `"}},{"title":"b","action":{"close":true}}]}}`,
			"body.menu.options[1].action.user":   `{"menu":{"text":"x","options":[{"title":"a","action":{"close":true}},{"title":"b","action":{"user":"` + kernel.NewID().String() + `"}}]}}`,
			"body.menu.fallback_sector":          `{"menu":{"text":"x","fallback_sector":"` + kernel.NewID().String() + `","options":[{"title":"a","action":{"close":true}},{"title":"b","action":{"close":true}}]}}`,
			"body.menu.max_invalid":              `{"menu":{"text":"x","max_invalid":6,"options":[{"title":"a","action":{"close":true}},{"title":"b","action":{"close":true}}]}}`,
			"body.menu.options[0].title":         `{"menu":{"text":"x","options":[{"title":"` + strings.Repeat("x", 25) + `","action":{"close":true}},{"title":"b","action":{"close":true}}]}}`,
			"body.greeting":                      `{"greeting":"` + strings.Repeat("x", 1025) + `"}`,
		} {
			refused := w.A.Put(t, at, body).Fails(400, "invalid_request")
			testkit.Diff(t, "details.0.field of "+body, refused.Text("details", 0, "field"), field)
		}
		w.A.Put(t, at, `{"enabled":true,"menus":null}`).Fails(400, "invalid_request")
		w.B.Get(t, at).Fails(404, "not_found")
		w.B.Put(t, at, `{}`).Fails(404, "not_found")
		testkit.Diff(t, "reception after refused changes", string(w.A.Get(t, at).OK(200).Raw), string(got.Raw))
		testkit.Diff(t, "menu", w.A.Put(t, at, `{"enabled":true,"greeting":"Olá!","menu":null}`).OK(200).At("menu"), nil)
	})
}

func TestAReceptionChangedByAnotherPersonIsNotOverwritten(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		at := "/channels/" + sandbox(t, w) + "/reception"
		put := func(greeting, version string) *servertest.Answer {
			t.Helper()
			return w.A.Do(t, "PUT", at, `{"greeting":"`+greeting+`"}`, "If-Match", version)
		}
		tag := func(a *servertest.Answer) string { return a.OK(200).Header.Get("ETag") }

		first := tag(w.A.Get(t, at))
		testkit.Diff(t, "ETag at first", first, `"1"`)
		mine := tag(put("Ana's", first))
		refused := put("Bia's", first).Fails(409, "version_conflict")
		testkit.Diff(t, "message", refused.Text("message"), "The reception is now at version 2, not 1. Fetch it again and reapply the change.")
		now := w.A.Get(t, at)
		testkit.Diff(t, "version", tag(now), mine)
		testkit.Diff(t, "greeting", now.Text("greeting"), "Ana's")
		testkit.Diff(t, "status with If-None-Match", w.A.Do(t, "GET", at, nil, "If-None-Match", mine).Status, 304)
		testkit.Diff(t, "ETag after a change of the current version", tag(put("Bia's", mine)), `"3"`)
		testkit.Diff(t, "ETag after a change without If-Match", tag(w.A.Put(t, at, `{}`)), `"4"`)
		put("x", "one").Fails(400, "invalid_request")

		t.Run("one of several concurrent changes succeeds", func(t *testing.T) {
			responses := make(chan *servertest.Answer)
			for i := range 4 {
				go func() { responses <- put(fmt.Sprint(i), `"4"`) }()
			}
			made := 0
			for range 4 {
				if a := <-responses; a.Status == 200 {
					made++
				} else {
					a.Fails(409, "version_conflict")
				}
			}
			testkit.Diff(t, "number of successful changes", made, 1)
			testkit.Diff(t, "version", tag(w.A.Get(t, at)), `"5"`)
		})
	})
}

func TestTheMenuRoutesCustomers(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newReceptionChannel(t, w)
		t.Run("greeting and menu are one message, which is not a first response", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			sent := w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200)
			testkit.Diff(t, "messages", len(sent.List()), 2)
			testkit.Diff(t, "origin", sent.Text("data", 0, "origin"), "automation")
			testkit.Diff(t, "type", sent.Text("data", 0, "type"), "interactive")
			testkit.Diff(t, "body", sent.Text("data", 0, "interactive", "body"), "Olá!\n\nComo podemos ajudar?")
			testkit.Diff(t, "rows", len(sent.List("data", 0, "interactive", "list", "sections", 0, "rows")), 5)
			testkit.Diff(t, "sent_by", sent.At("data", 0, "sent_by"), nil)
			att := openAttendance(t, w, c.conversation)
			testkit.Diff(t, "first_response_at", att.At("first_response_at"), nil)
			testkit.Diff(t, "responsible", att.At("responsible"), nil)
			conversation := c.load(t)
			testkit.Diff(t, "unread", conversation.At("unread"), true)
			if conversation.At("attendance", "waiting_since") == nil {
				t.Error("waiting_since: got null, want a time")
			}
		})
		t.Run("a choice sets the sector and appears in the timeline", func(t *testing.T) {
			c := f.customer().says(t, "oi", "1")
			c.expectFiled(t, f.sales, "Menu: Vendas")
			testkit.Diff(t, "number of automatic messages", len(c.automaticTexts(t)), 1)
			entry := w.A.Get(t, "/conversations/"+c.conversation+"/timeline?limit=3").OK(200)
			testkit.Diff(t, "kind", entry.Text("data", 0, "kind"), "assignment")
			testkit.Diff(t, "reason", entry.Text("data", 0, "assignment", "reason"), "Menu: Vendas")
			c.says(t, "2", "banana")
			testkit.Diff(t, "number of automatic messages after more texts", len(c.automaticTexts(t)), 1)
		})
		t.Run("the button of an option chooses it", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			row := w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200).Text("data", 0, "interactive", "list", "sections", 0, "rows", 0, "id")
			w.A.Post(t, simulatePath(f.channel), map[string]any{"from": c.phone, "choice": map[string]any{"id": row, "title": "Vendas"}}).OK(201)
			c.expectFiled(t, f.sales, "Menu: Vendas")
		})
		t.Run("options are chosen by number or title and perform their action", func(t *testing.T) {
			f.customer().says(t, "oi", "VENDAS").expectFiled(t, f.sales, "Menu: Vendas")
			f.customer().says(t, "oi", "quero isto\n1").expectFiled(t, f.sales, "Menu: Vendas")
			f.customer().says(t, "oi", "0").expectFiled(t, f.fallback, "Menu: asked for a person")
			f.customer().says(t, "oi", "Atendente").expectFiled(t, f.fallback, "Menu: asked for a person")
			f.customer().says(t, "oi", "5", "forno").expectFiled(t, f.support, "Menu: Suporte > Forno")
			c := f.customer().says(t, "oi", "horario")
			testkit.Diff(t, "text", c.automaticTexts(t)[1], "Das 8h às 18h.\n\nComo podemos ajudar?\n- Vendas\n- Falar com Ana\n- Horário\n- Nada mais\n- Suporte")
			c = f.customer().says(t, "oi", "2")
			testkit.Diff(t, "responsible", openAttendance(t, w, c.conversation).Text("responsible", "name"), "Ana")
			testkit.Diff(t, "action", w.A.Get(t, "/conversations/"+c.conversation+"/assignments").OK(200).Text("data", 0, "action"), "received")
			c = f.customer().says(t, "oi", "4")
			testkit.Diff(t, "open attendance", string(openAttendance(t, w, c.conversation).Raw), "null")
			testkit.Diff(t, "reason", w.A.Get(t, "/attendances?conversation="+c.conversation).OK(200).Text("data", 0, "close_reason"), "Menu: Nada mais")
			c.says(t, "oi")
			testkit.Diff(t, "number of automatic messages after a new attendance", len(c.automaticTexts(t)), 2)
		})
		t.Run("two invalid choices lead to the fallback sector", func(t *testing.T) {
			c := f.customer().says(t, "oi", "banana")
			testkit.Diff(t, "sector", c.load(t).At("sector"), nil)
			testkit.Diff(t, "invalid_text", c.automaticTexts(t)[1], "Escolha uma opção.")
			c.says(t, "kiwi").expectFiled(t, f.fallback, "Menu: no valid answer")
			testkit.Diff(t, "number of automatic messages", len(c.automaticTexts(t)), 2)
		})
		t.Run("there are at most four automatic messages", func(t *testing.T) {
			c := f.customer().says(t, "oi", "3", "horário", "Horario", "HORÁRIO ")
			testkit.Diff(t, "number of automatic messages", len(c.automaticTexts(t)), 4)
			c.expectFiled(t, f.fallback, "Menu: the same text again and again")
		})
		t.Run("a reply or transfer by the team ends the menu", func(t *testing.T) {
			byKey := f.customer().says(t, "oi")
			w.A.Post(t, "/conversations/"+byKey.conversation+"/messages", message("Bom dia")).OK(201)
			byPhone := f.customer().says(t, "oi")
			w.A.Post(t, simulatePath(f.channel), map[string]any{"from_phone_app": true, "to": byPhone.phone, "text": "Bom dia"}).OK(201)
			byTransfer := f.customer().says(t, "oi")
			w.A.Post(t, "/conversations/"+byTransfer.conversation+"/transfer", map[string]any{"sector_id": f.support}).OK(200)
			for _, c := range []*customer{byKey, byPhone, byTransfer} {
				c.says(t, "1", "banana")
				testkit.Diff(t, "number of automatic messages", len(c.automaticTexts(t)), 1)
			}
			testkit.Diff(t, "sector", byTransfer.load(t).At("sector"), f.support)
		})
		t.Run("without a choice the menu ends in the fallback sector", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			w.Clock.Advance(9 * time.Minute)
			testkit.Diff(t, "sector", c.load(t).At("sector"), nil)
			w.Clock.Advance(time.Minute)
			testkit.Eventually(t, "the menu ends", func() bool { return c.load(t).At("sector") != nil })
			c.expectFiled(t, f.fallback, "Menu: no answer in time")
			c.says(t, "1")
			testkit.Diff(t, "sector", c.load(t).At("sector"), f.fallback)
		})
		t.Run("a customer who asks for a person at once gets no menu", func(t *testing.T) {
			c := f.customer().says(t, "atendente")
			c.expectFiled(t, f.fallback, "Menu: asked for a person")
			testkit.Diff(t, "automatic messages", strings.Join(c.automaticTexts(t), "|"), "Olá!")
		})
		t.Run("a menu that ends in the general queue raises an event", func(t *testing.T) {
			w.A.Put(t, "/channels/"+f.channel+"/reception", strings.Replace(f.menu(), fmt.Sprintf(`"fallback_sector":%q`, f.fallback), `"fallback_sector":null`, 1)).OK(200)
			c := f.customer().says(t, "oi", "0")
			c.expectFiled(t, nil, "") // neither the person nor the sector changed
			if changed := lastChangedFields(t, w, "conversation.updated"); !strings.Contains(changed, `"sector"`) {
				t.Errorf("changed fields after a choice: got %s, want the sector in it", changed)
			}
			c = f.customer().says(t, "oi")
			w.Clock.Advance(10 * time.Minute)
			if _, err := w.Desk.Receptionist.EndMenus(t.Context(), 100); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "the menu ends", func() bool { return lastChangedFields(t, w, "conversation.updated") == `["sector"]` })
			c.expectFiled(t, nil, "")
			w.A.Put(t, "/channels/"+f.channel+"/reception", f.menu()).OK(200)
		})
		t.Run("disabling the reception ends its menus", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			w.A.Put(t, "/channels/"+f.channel+"/reception", strings.Replace(f.menu(), `"enabled":true`, `"enabled":false`, 1)).OK(200)
			c.says(t, "1").expectFiled(t, f.fallback, "Menu: no longer available")
			testkit.Diff(t, "number of automatic messages while disabled", len(f.customer().says(t, "oi").automaticTexts(t)), 0)
			w.A.Put(t, "/channels/"+f.channel+"/reception", f.menu()).OK(200)
		})
	})
}

func TestTheReceptionStaysSilent(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newReceptionChannel(t, w)
		t.Run("in groups", func(t *testing.T) {
			c := f.customer()
			c.conversation = w.A.Post(t, simulatePath(f.channel), map[string]any{"from": c.phone, "text": "oi", "group": map[string]any{"id": "g", "name": "Turma"}}).OK(201).Text("conversation")
			testkit.Diff(t, "number of automatic messages", len(c.automaticTexts(t)), 0)
		})
		t.Run("with contacts that are blocked or have automation disabled", func(t *testing.T) {
			for _, change := range []string{`{"automation":false}`, `{"blocked":true}`} {
				c := f.customer()
				contact := w.A.Post(t, "/contacts", map[string]any{"name": "Rui", "phone": c.phone}).OK(201)
				testkit.Diff(t, "automation", contact.At("automation"), true)
				w.A.Patch(t, "/contacts/"+contact.ID(), change).OK(200)
				c.says(t, "oi")
				testkit.Diff(t, "number of automatic messages with "+change, len(c.automaticTexts(t)), 0)
			}
		})
		t.Run("in conversations that the team started", func(t *testing.T) {
			c := f.customer()
			c.conversation = w.A.Post(t, "/conversations", map[string]any{"channel_id": f.channel, "phone": c.phone}).OK(201).ID()
			c.says(t, "oi")
			testkit.Diff(t, "number of automatic messages", len(c.automaticTexts(t)), 0)
		})
		t.Run("on other channels", func(t *testing.T) {
			other := w.A.Post(t, "/channels", `{"name":"Other","phone":"+551132345679","provider":"sandbox"}`).OK(201).ID()
			c := &customer{receptionChannel: &receptionChannel{World: w, channel: other}, phone: phoneNumber(900)}
			testkit.Diff(t, "number of automatic messages", len(c.says(t, "oi").automaticTexts(t)), 0)
		})
	})
}

func TestConcurrentMessagesGetOneMenu(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newReceptionChannel(t, w)
		t.Run("twenty repeats of one message get one menu", func(t *testing.T) {
			c := f.customer()
			item := provider.Incoming{Message: &provider.IncomingMessage{
				ExternalID: "wamid.repeat", Type: provider.TypeText, Text: "oi", Customer: provider.Person{Phone: c.phone, WAID: c.phone[1:]}, At: w.Clock.Now(),
			}}
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(f.channel), []provider.Incoming{item}); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			c.conversation = w.A.Get(t, "/conversations?q="+c.phone[1:]).OK(200).Text("data", 0, "id")
			testkit.Diff(t, "number of automatic messages", len(c.automaticTexts(t)), 1)
		})
		t.Run("several concurrent messages get one menu", func(t *testing.T) {
			c := f.customer()
			var all sync.WaitGroup
			begin := make(chan struct{})
			for i := range 8 {
				all.Go(func() {
					<-begin
					err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(f.channel), []provider.Incoming{{Message: &provider.IncomingMessage{
						ExternalID: fmt.Sprint("wamid.different.", i), Type: provider.TypeText, Text: fmt.Sprint("mensagem ", i),
						Customer: provider.Person{Phone: c.phone, WAID: c.phone[1:]}, At: w.Clock.Now(),
					}}})
					if err != nil {
						t.Error(err)
					}
				})
			}
			close(begin)
			all.Wait()
			c.conversation = w.A.Get(t, "/conversations?q="+c.phone[1:]).OK(200).Text("data", 0, "id")
			sent := strings.Join(c.automaticTexts(t), "\n") // a message after the menu may count as an invalid choice
			testkit.Diff(t, "number of greetings", strings.Count(sent, "Olá!"), 1)
			testkit.Diff(t, "number of menus", strings.Count(sent, "Como podemos ajudar?"), 1)
		})
		t.Run("several messages in one call get one menu", func(t *testing.T) {
			c := f.customer()
			var items []provider.Incoming
			for i := range 5 {
				items = append(items, provider.Incoming{Message: &provider.IncomingMessage{
					ExternalID: fmt.Sprint("wamid.batch.", i), Type: provider.TypeText, Text: fmt.Sprint("mensagem ", i),
					Customer: provider.Person{Phone: c.phone, WAID: c.phone[1:]}, At: w.Clock.Now(),
				}})
			}
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(f.channel), items); err != nil {
				t.Fatal(err)
			}
			c.conversation = w.A.Get(t, "/conversations?q="+c.phone[1:]).OK(200).Text("data", 0, "id")
			testkit.Diff(t, "number of automatic messages", len(c.automaticTexts(t)), 1)
		})
	})
}

func TestTheAwayTextFollowsTheOpeningHours(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newReceptionChannel(t, w)
		never := w.A.Post(t, "/hours", `{"name":"Never"}`).OK(201).ID()
		always := w.A.Post(t, "/hours", `{"name":"Always","weekly":[{"days":["mon","tue","wed","thu","fri","sat","sun"],"from":"00:00","to":"24:00"}]}`).OK(201).ID()
		const away = "Estamos fechados."
		expectAway := func(name string, closed bool) {
			t.Helper()
			testkit.Diff(t, name, strings.Contains(f.customer().says(t, "oi").automaticTexts(t)[0], away), closed)
			tried := w.A.Post(t, "/channels/"+f.channel+"/reception/try", `{"texts":["oi"]}`).OK(200)
			testkit.Diff(t, name+", tried", strings.Contains(tried.Text("data", 0, "text"), away), closed)
		}
		expectAway("without hours", false)
		w.A.Patch(t, "/company/attendance", map[string]any{"hours_id": never}).OK(200)
		expectAway("with the company's hours", true)
		w.A.Patch(t, "/channels/"+f.channel, map[string]any{"hours_id": always}).OK(200)
		expectAway("with the channel's hours, which take precedence", false)
		f.customer().says(t, "oi", "1").expectFiled(t, f.sales, "Menu: Vendas")

		t.Run("a trial can choose open or closed and press buttons", func(t *testing.T) {
			try := "/channels/" + f.channel + "/reception/try"
			for _, open := range []bool{true, false} {
				tried := w.A.Post(t, try, map[string]any{"texts": []string{"oi", "menu:1"}, "open": open}).OK(200)
				testkit.Diff(t, "away text", strings.Contains(tried.Text("data", 0, "text"), away), !open)
				testkit.Diff(t, "text of the button", tried.Text("data", 1, "customer"), "Vendas")
				testkit.Diff(t, "outcome", tried.Text("data", 1, "outcome", "reason"), "Menu: Vendas")
			}
			w.A.Post(t, try, `{"texts":["oi"],"open":"no"}`).Fails(400, "invalid_request")
		})
		t.Run("a trial of a draft stores nothing", func(t *testing.T) {
			before := len(w.A.Get(t, "/conversations?limit=100").OK(200).List())
			tried := w.A.Post(t, "/channels/"+f.channel+"/reception/try", `{"reception":{"greeting":"Oi!","menu":{"text":"Escolha","options":[
				{"title":"A","action":{"text":"aaa"}},{"title":"B","action":{"sector":"`+f.sales+`"}}]}},"texts":["oi","a","b","c"]}`).OK(200)
			testkit.Diff(t, "body of the first message", tried.Text("data", 0, "interactive", "body"), "Oi!\n\nEscolha")
			testkit.Diff(t, "second message", tried.Text("data", 1, "text"), "aaa\n\nEscolha\n- A\n- B")
			testkit.Diff(t, "third message", tried.At("data", 2, "text"), nil)
			testkit.Diff(t, "outcome", tried.Text("data", 2, "outcome", "reason"), "Menu: B")
			testkit.Diff(t, "sector", tried.Text("data", 2, "outcome", "sector"), f.sales)
			testkit.Diff(t, "outcome of the fourth text", tried.At("data", 3, "outcome"), nil)
			testkit.Diff(t, "number of conversations", len(w.A.Get(t, "/conversations?limit=100").OK(200).List()), before)
			w.A.Post(t, "/channels/"+f.channel+"/reception/try", `{"reception":{"menu":{"text":"x","options":[]}},"texts":["oi"]}`).Fails(400, "invalid_request")
			w.A.Post(t, "/channels/"+f.channel+"/reception/try", `{"texts":[]}`).Fails(400, "invalid_request")
		})
	})
}

// TestTwoReceptionsThatAnswerEachOtherStop passes what each of two receptions sends to the other as its customer's messages.
func TestTwoReceptionsThatAnswerEachOtherStop(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		type desk struct {
			*servertest.Company
			channel, conversation string
			passed                int // number of automatic messages that were passed on
		}
		menu := `{"enabled":true,"greeting":"Olá!","menu":{"text":"Como podemos ajudar?","invalid_text":"Não entendi.","max_invalid":5,"options":[
			{"title":"Horário","action":{"text":"Das 8h às 18h."}},{"title":"Endereço","action":{"text":"Rua A, 1."}}]}}`
		desks := []*desk{{Company: w.A}, {Company: w.B}}
		for _, d := range desks {
			d.channel = sandboxOf(t, d.Company)
			d.Put(t, "/channels/"+d.channel+"/reception", menu).OK(200)
		}
		// pass sends new automatic messages of one desk to the other and reports whether there were any.
		pass := func(from, to *desk) bool {
			if from.conversation == "" {
				return false
			}
			var sent []map[string]any
			for _, m := range from.Get(t, "/conversations/"+from.conversation+"/messages?limit=100").OK(200).List() {
				if m := m.(map[string]any); m["origin"] == "automation" {
					sent = append([]map[string]any{m}, sent...)
				}
			}
			for _, m := range sent[from.passed:] {
				to.conversation = to.Post(t, simulatePath(to.channel), map[string]any{"from": phoneNumber(1), "text": m["text"]}).OK(201).Text("conversation")
				w.Clock.Advance(40 * time.Second)
			}
			hasNew := len(sent) > from.passed
			from.passed = len(sent)
			return hasNew
		}
		desks[0].conversation = w.A.Post(t, simulatePath(desks[0].channel), map[string]any{"from": phoneNumber(1), "text": "oi"}).OK(201).Text("conversation")
		for range 50 {
			if !pass(desks[0], desks[1]) && !pass(desks[1], desks[0]) {
				break
			}
		}
		for i, d := range desks {
			if d.passed == 0 || d.passed > 4 {
				t.Errorf("desk %d: got %d automatic messages, want 1 to 4", i, d.passed)
			}
			testkit.Diff(t, "assignee", d.Get(t, "/conversations/"+d.conversation).OK(200).At("assignee"), nil)
		}
	})
}
