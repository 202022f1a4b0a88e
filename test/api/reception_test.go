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

// front is a channel with a reception, and the sectors that its menu leads to.
type front struct {
	*servertest.World
	channel                  string
	sales, support, fallback string
	ana                      string
	n                        int
}

// newFront makes a channel whose menu has every kind of action.
func newFront(t *testing.T, w *servertest.World) *front {
	t.Helper()
	f := &front{World: w, channel: sandbox(t, w)}
	for name, id := range map[string]*string{"Vendas": &f.sales, "Suporte": &f.support, "Geral": &f.fallback} {
		*id = w.A.Post(t, "/sectors", map[string]any{"name": name}).OK(201).ID()
	}
	f.ana, _ = member(t, w.A.Client, "Ana")
	w.A.Put(t, "/channels/"+f.channel+"/reception", f.menu()).OK(200)
	return f
}

// menu is the body of the reception.
func (f *front) menu() string {
	return fmt.Sprintf(`{"enabled":true,"greeting":"Olá!","away":"Estamos fechados.","menu":{"text":"Como podemos ajudar?","invalid_text":"Escolha uma opção.","fallback_sector":%q,"options":[
		{"title":"Vendas","action":{"sector":%q}},
		{"title":"Falar com Ana","action":{"user":%q}},
		{"title":"Horário","action":{"text":"Das 8h às 18h."}},
		{"title":"Nada mais","action":{"close":true}},
		{"title":"Suporte","action":{"menu":{"text":"Qual produto?","options":[{"title":"Forno","action":{"sector":%q}},{"title":"Outro","action":{"sector":%q}}]}}}]}}`,
		f.fallback, f.sales, f.ana, f.support, f.fallback)
}

// customer is a new person who writes to the channel.
type customer struct {
	*front
	phone        string
	conversation string
}

func (f *front) customer() *customer {
	f.n++
	return &customer{front: f, phone: phoneNumber(f.n)}
}

// says lets the customer write each text.
func (c *customer) says(t *testing.T, texts ...string) *customer {
	t.Helper()
	for _, text := range texts {
		c.conversation = c.A.Post(t, simulatePath(c.channel), map[string]any{"from": c.phone, "text": text}).OK(201).Text("conversation")
	}
	return c
}

// automatic gives the texts of the automatic messages, the oldest first.
func (c *customer) automatic(t *testing.T) (out []string) {
	t.Helper()
	for _, m := range c.A.Get(t, "/conversations/"+c.conversation+"/messages?limit=100").OK(200).List() {
		if m := m.(map[string]any); m["origin"] == "automation" {
			out = append([]string{m["text"].(string)}, out...)
		}
	}
	return out
}

func (c *customer) at(t *testing.T) *servertest.Answer {
	t.Helper()
	return c.A.Get(t, "/conversations/"+c.conversation).OK(200)
}

// filed checks where the case is and what the history says of it.
func (c *customer) filed(t *testing.T, sector any, reason string) {
	t.Helper()
	want(t, "sector", c.at(t).At("sector"), sector)
	entry := c.A.Get(t, "/conversations/"+c.conversation+"/assignments").OK(200)
	want(t, "reason", entry.Text("data", 0, "reason"), reason)
	want(t, "by", entry.At("data", 0, "by"), nil)
}

func TestReceptionIsKept(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		at := "/channels/" + channel + "/reception"
		want(t, "at first", string(w.A.Get(t, at).OK(200).Raw), `{"enabled":false,"greeting":null,"away":null,"menu":null}`)
		f := newFront(t, w)
		at = "/channels/" + f.channel + "/reception"
		got := w.A.Get(t, at).OK(200)
		want(t, "action", got.Text("menu", "options", 0, "action", "sector"), f.sales)
		want(t, "close", got.At("menu", "options", 3, "action", "close"), any(true))
		want(t, "below", got.Text("menu", "options", 4, "action", "menu", "options", 0, "title"), "Forno")
		want(t, "max_invalid", got.Int("menu", "max_invalid"), 2)
		want(t, "timeout_minutes", got.Int("menu", "timeout_minutes"), 10)
		want(t, "again", string(w.A.Put(t, at, got.Raw).OK(200).Raw), string(got.Raw))
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
			want(t, body, refused.Text("details", 0, "field"), field)
		}
		w.A.Put(t, at, `{"enabled":true,"menus":null}`).Fails(400, "invalid_request")
		w.B.Get(t, at).Fails(404, "not_found")
		w.B.Put(t, at, `{}`).Fails(404, "not_found")
		want(t, "still", string(w.A.Get(t, at).OK(200).Raw), string(got.Raw))
		want(t, "null", w.A.Put(t, at, `{"enabled":true,"greeting":"Olá!","menu":null}`).OK(200).At("menu"), nil)
	})
}

func TestAReceptionThatAnotherPersonChangedIsNotReplacedUnseen(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		at := "/channels/" + sandbox(t, w) + "/reception"
		put := func(greeting, version string) *servertest.Answer {
			t.Helper()
			return w.A.Do(t, "PUT", at, `{"greeting":"`+greeting+`"}`, "If-Match", version)
		}
		tag := func(a *servertest.Answer) string { return a.OK(200).Header.Get("ETag") }

		first := tag(w.A.Get(t, at))
		want(t, "at first", first, `"1"`)
		mine := tag(put("Ana's", first))
		refused := put("Bia's", first).Fails(409, "version_conflict")
		want(t, "message", refused.Text("message"), "The reception is at version 2 by now, not 1. Fetch it again and apply the change to what it is.")
		now := w.A.Get(t, at)
		want(t, "version", tag(now), mine)
		want(t, "greeting", now.Text("greeting"), "Ana's")
		want(t, "unchanged since", w.A.Do(t, "GET", at, nil, "If-None-Match", mine).Status, 304)
		want(t, "after looking", tag(put("Bia's", mine)), `"3"`)
		want(t, "without a version", tag(w.A.Put(t, at, `{}`)), `"4"`)
		put("x", "one").Fails(400, "invalid_request")

		t.Run("of several changes at once one is made", func(t *testing.T) {
			answers := make(chan *servertest.Answer)
			for i := range 4 {
				go func() { answers <- put(fmt.Sprint(i), `"4"`) }()
			}
			made := 0
			for range 4 {
				if a := <-answers; a.Status == 200 {
					made++
				} else {
					a.Fails(409, "version_conflict")
				}
			}
			want(t, "made", made, 1)
			want(t, "version", tag(w.A.Get(t, at)), `"5"`)
		})
	})
}

func TestTheMenu(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newFront(t, w)
		t.Run("greeting and menu go out in one message, which is no answer of the team", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			sent := w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200)
			want(t, "messages", len(sent.List()), 2)
			want(t, "origin", sent.Text("data", 0, "origin"), "automation")
			want(t, "type", sent.Text("data", 0, "type"), "interactive")
			want(t, "body", sent.Text("data", 0, "interactive", "body"), "Olá!\n\nComo podemos ajudar?")
			want(t, "rows", len(sent.List("data", 0, "interactive", "list", "sections", 0, "rows")), 5)
			want(t, "sent_by", sent.At("data", 0, "sent_by"), nil)
			att := current(t, w, c.conversation)
			want(t, "first_response_at", att.At("first_response_at"), nil)
			want(t, "responsible", att.At("responsible"), nil)
			is := c.at(t)
			want(t, "unread", is.At("unread"), any(true))
			if is.At("attendance", "waiting_since") == nil {
				t.Error("the customer does not wait any more")
			}
		})
		t.Run("a choice files the case and shows in the timeline", func(t *testing.T) {
			c := f.customer().says(t, "oi", "1")
			c.filed(t, f.sales, "Menu: Vendas")
			want(t, "automatic", len(c.automatic(t)), 1)
			entry := w.A.Get(t, "/conversations/"+c.conversation+"/timeline?limit=3").OK(200)
			want(t, "kind", entry.Text("data", 0, "kind"), "assignment")
			want(t, "reason", entry.Text("data", 0, "assignment", "reason"), "Menu: Vendas")
			c.says(t, "2", "banana")
			want(t, "nothing more", len(c.automatic(t)), 1)
		})
		t.Run("the button of an option", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			row := w.A.Get(t, "/conversations/"+c.conversation+"/messages").OK(200).Text("data", 0, "interactive", "list", "sections", 0, "rows", 0, "id")
			w.A.Post(t, simulatePath(f.channel), map[string]any{"from": c.phone, "choice": map[string]any{"id": row, "title": "Vendas"}}).OK(201)
			c.filed(t, f.sales, "Menu: Vendas")
		})
		t.Run("titles, people, texts, other menus, closing", func(t *testing.T) {
			f.customer().says(t, "oi", "VENDAS").filed(t, f.sales, "Menu: Vendas")
			f.customer().says(t, "oi", "quero isto\n1").filed(t, f.sales, "Menu: Vendas")
			f.customer().says(t, "oi", "0").filed(t, f.fallback, "Menu: asked for a person")
			f.customer().says(t, "oi", "Atendente").filed(t, f.fallback, "Menu: asked for a person")
			f.customer().says(t, "oi", "5", "forno").filed(t, f.support, "Menu: Suporte > Forno")
			c := f.customer().says(t, "oi", "horario")
			want(t, "text", c.automatic(t)[1], "Das 8h às 18h.\n\nComo podemos ajudar?\n- Vendas\n- Falar com Ana\n- Horário\n- Nada mais\n- Suporte")
			c = f.customer().says(t, "oi", "2")
			want(t, "responsible", current(t, w, c.conversation).Text("responsible", "name"), "Ana")
			want(t, "action", w.A.Get(t, "/conversations/"+c.conversation+"/assignments").OK(200).Text("data", 0, "action"), "received")
			c = f.customer().says(t, "oi", "4")
			want(t, "closed", string(current(t, w, c.conversation).Raw), "null")
			want(t, "reason", w.A.Get(t, "/attendances?conversation="+c.conversation).OK(200).Text("data", 0, "close_reason"), "Menu: Nada mais")
			c.says(t, "oi")
			want(t, "a new attendance begins again", len(c.automatic(t)), 2)
		})
		t.Run("two invalid answers lead to the fallback sector", func(t *testing.T) {
			c := f.customer().says(t, "oi", "banana")
			want(t, "sector", c.at(t).At("sector"), nil)
			want(t, "invalid_text", c.automatic(t)[1], "Escolha uma opção.")
			c.says(t, "kiwi").filed(t, f.fallback, "Menu: no valid answer")
			want(t, "automatic", len(c.automatic(t)), 2)
		})
		t.Run("at most four automatic messages", func(t *testing.T) {
			c := f.customer().says(t, "oi", "3", "horário", "Horario", "HORÁRIO ")
			want(t, "automatic", len(c.automatic(t)), 4)
			c.filed(t, f.fallback, "Menu: the same text again and again")
		})
		t.Run("a person ends it", func(t *testing.T) {
			byKey := f.customer().says(t, "oi")
			w.A.Post(t, "/conversations/"+byKey.conversation+"/messages", message("Bom dia")).OK(201)
			byPhone := f.customer().says(t, "oi")
			w.A.Post(t, simulatePath(f.channel), map[string]any{"from_phone_app": true, "to": byPhone.phone, "text": "Bom dia"}).OK(201)
			byTransfer := f.customer().says(t, "oi")
			w.A.Post(t, "/conversations/"+byTransfer.conversation+"/transfer", map[string]any{"sector_id": f.support}).OK(200)
			for _, c := range []*customer{byKey, byPhone, byTransfer} {
				c.says(t, "1", "banana")
				want(t, "automatic", len(c.automatic(t)), 1)
			}
			want(t, "sector", byTransfer.at(t).At("sector"), any(f.support))
		})
		t.Run("without an answer it ends at the fallback sector", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			w.Clock.Advance(9 * time.Minute)
			want(t, "sector", c.at(t).At("sector"), nil)
			w.Clock.Advance(time.Minute)
			testkit.Eventually(t, "the menu ends", func() bool { return c.at(t).At("sector") != nil })
			c.filed(t, f.fallback, "Menu: no answer in time")
			c.says(t, "1")
			want(t, "sector", c.at(t).At("sector"), any(f.fallback))
		})
		t.Run("who asks for a person at once gets no menu", func(t *testing.T) {
			c := f.customer().says(t, "atendente")
			c.filed(t, f.fallback, "Menu: asked for a person")
			want(t, "automatic", strings.Join(c.automatic(t), "|"), "Olá!")
		})
		t.Run("an event tells that a menu ended in the general queue", func(t *testing.T) {
			w.A.Put(t, "/channels/"+f.channel+"/reception", strings.Replace(f.menu(), fmt.Sprintf(`"fallback_sector":%q`, f.fallback), `"fallback_sector":null`, 1)).OK(200)
			c := f.customer().says(t, "oi", "0")
			c.filed(t, nil, "") // neither the person nor the sector changed
			if changed := lastEvent(t, w, "conversation.updated"); !strings.Contains(changed, `"sector"`) {
				t.Errorf("after an answer conversation.updated names %s", changed)
			}
			c = f.customer().says(t, "oi")
			w.Clock.Advance(10 * time.Minute)
			if _, err := w.Desk.Receptionist.EndMenus(t.Context(), 100); err != nil {
				t.Fatal(err)
			}
			testkit.Eventually(t, "the menu ends", func() bool { return lastEvent(t, w, "conversation.updated") == `["sector"]` })
			c.filed(t, nil, "")
			w.A.Put(t, "/channels/"+f.channel+"/reception", f.menu()).OK(200)
		})
		t.Run("a reception that is switched off meanwhile", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			w.A.Put(t, "/channels/"+f.channel+"/reception", strings.Replace(f.menu(), `"enabled":true`, `"enabled":false`, 1)).OK(200)
			c.says(t, "1").filed(t, f.fallback, "Menu: no longer available")
			want(t, "off", len(f.customer().says(t, "oi").automatic(t)), 0)
			w.A.Put(t, "/channels/"+f.channel+"/reception", f.menu()).OK(200)
		})
	})
}

func TestTheReceptionIsSilent(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newFront(t, w)
		t.Run("in groups", func(t *testing.T) {
			c := f.customer()
			c.conversation = w.A.Post(t, simulatePath(f.channel), map[string]any{"from": c.phone, "text": "oi", "group": map[string]any{"id": "g", "name": "Turma"}}).OK(201).Text("conversation")
			want(t, "automatic", len(c.automatic(t)), 0)
		})
		t.Run("with contacts for whom it is switched off, and with blocked ones", func(t *testing.T) {
			for _, change := range []string{`{"automation":false}`, `{"blocked":true}`} {
				c := f.customer()
				contact := w.A.Post(t, "/contacts", map[string]any{"name": "Rui", "phone": c.phone}).OK(201)
				want(t, "automation", contact.At("automation"), any(true))
				w.A.Patch(t, "/contacts/"+contact.ID(), change).OK(200)
				c.says(t, "oi")
				want(t, change, len(c.automatic(t)), 0)
			}
		})
		t.Run("where the team began", func(t *testing.T) {
			c := f.customer()
			c.conversation = w.A.Post(t, "/conversations", map[string]any{"channel_id": f.channel, "phone": c.phone}).OK(201).ID()
			c.says(t, "oi")
			want(t, "automatic", len(c.automatic(t)), 0)
		})
		t.Run("on other channels", func(t *testing.T) {
			other := w.A.Post(t, "/channels", `{"name":"Other","phone":"+551132345679","provider":"sandbox"}`).OK(201).ID()
			c := &customer{front: &front{World: w, channel: other}, phone: phoneNumber(900)}
			want(t, "automatic", len(c.says(t, "oi").automatic(t)), 0)
		})
	})
}

func TestManyMessagesAtOnceGetOneMenu(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newFront(t, w)
		t.Run("twenty repeats of one message", func(t *testing.T) {
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
			want(t, "automatic", len(c.automatic(t)), 1)
		})
		t.Run("several different messages in parallel", func(t *testing.T) {
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
			sent := strings.Join(c.automatic(t), "\n") // one that came after the menu was shown is an invalid answer
			want(t, "greetings", strings.Count(sent, "Olá!"), 1)
			want(t, "menus", strings.Count(sent, "Como podemos ajudar?"), 1)
		})
		t.Run("several messages in one call", func(t *testing.T) {
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
			want(t, "automatic", len(c.automatic(t)), 1)
		})
	})
}

func TestTheAwayTextAndTrying(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newFront(t, w)
		never := w.A.Post(t, "/hours", `{"name":"Never"}`).OK(201).ID()
		always := w.A.Post(t, "/hours", `{"name":"Always","weekly":[{"days":["mon","tue","wed","thu","fri","sat","sun"],"from":"00:00","to":"24:00"}]}`).OK(201).ID()
		const away = "Estamos fechados."
		says := func(name string, closed bool) {
			t.Helper()
			want(t, name, strings.Contains(f.customer().says(t, "oi").automatic(t)[0], away), closed)
			tried := w.A.Post(t, "/channels/"+f.channel+"/reception/try", `{"texts":["oi"]}`).OK(200)
			want(t, name+", tried", strings.Contains(tried.Text("data", 0, "text"), away), closed)
		}
		says("no hours", false)
		w.A.Patch(t, "/company/attendance", map[string]any{"hours_id": never}).OK(200)
		says("those of the company", true)
		w.A.Patch(t, "/channels/"+f.channel, map[string]any{"hours_id": always}).OK(200)
		says("those of the channel before those of the company", false)
		f.customer().says(t, "oi", "1").filed(t, f.sales, "Menu: Vendas")

		t.Run("as if it were open or closed, with buttons", func(t *testing.T) {
			try := "/channels/" + f.channel + "/reception/try"
			for _, open := range []bool{true, false} {
				tried := w.A.Post(t, try, map[string]any{"texts": []string{"oi", "menu:1"}, "open": open}).OK(200)
				want(t, "away text", strings.Contains(tried.Text("data", 0, "text"), away), !open)
				want(t, "what the button says", tried.Text("data", 1, "customer"), "Vendas")
				want(t, "outcome", tried.Text("data", 1, "outcome", "reason"), "Menu: Vendas")
			}
			w.A.Post(t, try, `{"texts":["oi"],"open":"no"}`).Fails(400, "invalid_request")
		})
		t.Run("a draft is tried without storing anything", func(t *testing.T) {
			before := len(w.A.Get(t, "/conversations?limit=100").OK(200).List())
			tried := w.A.Post(t, "/channels/"+f.channel+"/reception/try", `{"reception":{"greeting":"Oi!","menu":{"text":"Escolha","options":[
				{"title":"A","action":{"text":"aaa"}},{"title":"B","action":{"sector":"`+f.sales+`"}}]}},"texts":["oi","a","b","c"]}`).OK(200)
			want(t, "first", tried.Text("data", 0, "interactive", "body"), "Oi!\n\nEscolha")
			want(t, "second", tried.Text("data", 1, "text"), "aaa\n\nEscolha\n- A\n- B")
			want(t, "third", tried.At("data", 2, "text"), nil)
			want(t, "outcome", tried.Text("data", 2, "outcome", "reason"), "Menu: B")
			want(t, "sector", tried.Text("data", 2, "outcome", "sector"), f.sales)
			want(t, "fourth", tried.At("data", 3, "outcome"), nil)
			want(t, "conversations", len(w.A.Get(t, "/conversations?limit=100").OK(200).List()), before)
			w.A.Post(t, "/channels/"+f.channel+"/reception/try", `{"reception":{"menu":{"text":"x","options":[]}},"texts":["oi"]}`).Fails(400, "invalid_request")
			w.A.Post(t, "/channels/"+f.channel+"/reception/try", `{"texts":[]}`).Fails(400, "invalid_request")
		})
	})
}

// Two companies whose receptions answer each other: what one sends is what the other's customer writes.
func TestTwoReceptionsThatAnswerEachOtherStop(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		type desk struct {
			*servertest.Company
			channel, conversation string
			passed                int // automatic messages that were passed on
		}
		menu := `{"enabled":true,"greeting":"Olá!","menu":{"text":"Como podemos ajudar?","invalid_text":"Não entendi.","max_invalid":5,"options":[
			{"title":"Horário","action":{"text":"Das 8h às 18h."}},{"title":"Endereço","action":{"text":"Rua A, 1."}}]}}`
		desks := []*desk{{Company: w.A}, {Company: w.B}}
		for _, d := range desks {
			d.channel = sandboxOf(t, d.Company)
			d.Put(t, "/channels/"+d.channel+"/reception", menu).OK(200)
		}
		// pass gives what a desk has sent to the other one as its customer's messages, and reports whether there was anything.
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
			some := len(sent) > from.passed
			from.passed = len(sent)
			return some
		}
		desks[0].conversation = w.A.Post(t, simulatePath(desks[0].channel), map[string]any{"from": phoneNumber(1), "text": "oi"}).OK(201).Text("conversation")
		for range 50 {
			if !pass(desks[0], desks[1]) && !pass(desks[1], desks[0]) {
				break
			}
		}
		for i, d := range desks {
			if d.passed == 0 || d.passed > 4 {
				t.Errorf("desk %d sent %d automatic messages, want 1 to 4", i, d.passed)
			}
			want(t, "still open for people", d.Get(t, "/conversations/"+d.conversation).OK(200).At("assignee"), nil)
		}
	})
}
