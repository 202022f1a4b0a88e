package api_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/talk"
	"recado/test/servertest"
	"recado/test/testkit"
)

// contact returns the contact of the customer.
func (c *customer) contact(t *testing.T) *servertest.Answer {
	t.Helper()
	return c.A.Get(t, "/contacts/"+c.load(t).Text("contact")).OK(200)
}

// expectOptedOut checks whether the customer has opted out.
func (c *customer) expectOptedOut(t *testing.T, want bool) {
	t.Helper()
	got := c.contact(t)
	testkit.Diff(t, "opted_out", got.At("opted_out"), any(want))
	testkit.Equal(t, "has opted_out_at", got.At("opted_out_at") != nil, want)
}

func (c *customer) expectTexts(t *testing.T, want ...string) {
	t.Helper()
	testkit.Diff(t, "automatic messages", c.automaticTexts(t), want)
}

func TestACustomerOptsOutAndComesBackByKeyword(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newReceptionChannel(t, w)
		const out, back = talk.DefaultOptOutConfirmation, talk.DefaultOptOutWelcomeBack
		c := f.customer()

		t.Run("a keyword is confirmed once and opens no case", func(t *testing.T) {
			c.says(t, "SAIR")
			c.expectOptedOut(t, true)
			expectNoOpenCase(t, w, c.conversation)
			testkit.Equal(t, "unread_count", c.load(t).Int("unread_count"), 0)
			since := c.contact(t).Text("opted_out_at")
			c.says(t, "sair.", "STOP", "Parar!")
			c.expectTexts(t, out)
			expectNoOpenCase(t, w, c.conversation)
			testkit.Equal(t, "opted_out_at", c.contact(t).Text("opted_out_at"), since)
		})
		t.Run("the reception stays silent until the customer comes back", func(t *testing.T) {
			c.says(t, "sair agora")
			c.expectTexts(t, out)
			if openAttendance(t, w, c.conversation).ID() == "" {
				t.Error("an ordinary message opened no case")
			}
			w.A.Post(t, "/conversations/"+c.conversation+"/attendance/close", nil).OK(200)
			w.Clock.Advance(time.Hour)
			c.says(t, "VOLTAR")
			c.expectOptedOut(t, false)
			c.expectTexts(t, out, back)
			expectNoOpenCase(t, w, c.conversation)
			c.says(t, "oi")
			if got := c.automaticTexts(t); len(got) != 3 {
				t.Errorf("automatic messages: got %q, want the menu as the third", got)
			}
		})
		t.Run("every keyword counts, with accents and punctuation, and as a button", func(t *testing.T) {
			for _, text := range []string{"parár", " Stop… ", "SAIR!!"} {
				c := f.customer().says(t, text)
				c.expectOptedOut(t, true)
				c.says(t, "Start")
				c.expectOptedOut(t, false)
				c.expectTexts(t, out, back)
			}
			c := f.customer()
			choice := map[string]any{"from": c.phone, "choice": map[string]any{"id": "x", "title": "Parar"}}
			c.conversation = w.A.Post(t, simulatePath(f.channel), choice).OK(201).Text("conversation")
			c.expectOptedOut(t, true)
		})
		t.Run("VOLTAR is an ordinary message of others", func(t *testing.T) {
			c := f.customer().says(t, "voltar")
			c.expectOptedOut(t, false)
			if openAttendance(t, w, c.conversation).ID() == "" {
				t.Error("the message opened no case")
			}
		})
		t.Run("a keyword ends a running menu, and the team sees it in the open case", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			shown := len(c.automaticTexts(t))
			c.says(t, "STOP")
			c.expectOptedOut(t, true)
			testkit.Equal(t, "automatic messages after the menu", len(c.automaticTexts(t)), shown+1)
			testkit.Equal(t, "unread_count", c.load(t).Int("unread_count"), 2)
			testkit.Equal(t, "sector", c.load(t).Text("sector"), f.fallback)
		})
		t.Run("a choice from a running menu belongs to the menu", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			w.A.Post(t, simulatePath(f.channel), map[string]any{"from": c.phone, "choice": map[string]any{"id": "x", "title": "Sair"}}).OK(201)
			c.expectOptedOut(t, false)
		})
		t.Run("groups, files, edited messages and messages of the team do not count", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			group := map[string]any{"from": c.phone, "text": "SAIR", "group": map[string]any{"id": "g1", "name": "Bairro"}}
			w.A.Post(t, simulatePath(f.channel), group).OK(201)
			m := w.A.Post(t, simulatePath(f.channel), map[string]any{"from": c.phone, "text": "quase"}).OK(201)
			edit := map[string]any{"from": c.phone, "edit": map[string]any{"external_id": m.Text("external_id"), "text": "SAIR"}}
			w.A.Post(t, simulatePath(f.channel), edit).OK(200)
			file := w.A.Upload(t, "a.txt", []byte("hello")).OK(201).ID()
			w.A.Post(t, simulatePath(f.channel), map[string]any{"from": c.phone, "text": "SAIR", "media_id": file}).OK(201)
			sendFromPhone(t, w, f.channel, c.phone, func(m *provider.IncomingMessage) { m.Text = "SAIR" })
			c.expectOptedOut(t, false)
		})
		t.Run("a blocked contact opts out without a confirmation", func(t *testing.T) {
			c := f.customer().says(t, "oi")
			before := c.automaticTexts(t)
			w.A.Patch(t, "/contacts/"+c.contact(t).ID(), `{"blocked": true}`).OK(200)
			c.says(t, "SAIR")
			c.expectOptedOut(t, true)
			testkit.Diff(t, "automatic messages", c.automaticTexts(t), before)
		})
	})
}

func TestConcurrentKeywordsAreConfirmedOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channels := []string{newChannel(t, w.A, "+551132340001"), newChannel(t, w.A, "+551132340002")}
		phone, n := phoneNumber(1), 0
		var conversations []string
		for _, channel := range channels {
			conversations = append(conversations, customerWrites(t, w, channel, phone))
		}
		next := make(chan string, 8)
		for range 8 {
			next <- channels[n%2]
			n++
		}
		race(8, func() int {
			return w.A.Post(t, simulatePath(<-next), map[string]any{"from": phone, "text": "SAIR"}).Status
		})
		confirmed := 0
		for _, conversation := range conversations {
			confirmed += len((&customer{receptionChannel: &receptionChannel{World: w}, conversation: conversation}).automaticTexts(t))
		}
		testkit.Equal(t, "confirmations", confirmed, 1)
	})
}

func TestALateKeywordDoesNotUndoANewerChange(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := (&receptionChannel{World: w, channel: sandbox(t, w)}).customer().says(t, "oi")
		says := func(text string, at time.Time, history bool) {
			t.Helper()
			m := &provider.IncomingMessage{
				ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: text, At: at, History: history, Customer: provider.Person{Phone: c.phone, WAID: c.phone[1:]},
			}
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(c.channel), []provider.Incoming{{Message: m}}); err != nil {
				t.Fatal(err)
			}
		}
		written := w.Clock.Now()
		says("SAIR", written, true)
		c.expectOptedOut(t, false)
		w.Clock.Advance(time.Hour)
		says("SAIR", w.Clock.Now(), false)
		w.Clock.Advance(time.Hour)
		says("START", w.Clock.Now(), false)
		says("SAIR", written, false)
		c.expectOptedOut(t, false)
		c.expectTexts(t, talk.DefaultOptOutConfirmation, talk.DefaultOptOutWelcomeBack)
	})
}

func TestAPersonChangesWhetherAContactHasOptedOut(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newSurveyed(t, w, `"thanks":"Obrigado!"`)
		c := f.open(t)
		contact := w.A.Get(t, "/conversations/"+c.conversation).OK(200).Text("contact")
		path := "/contacts/" + contact
		testkit.Diff(t, "opted_out", w.A.Patch(t, path, `{"opted_out": true}`).OK(200).At("opted_out"), any(true))
		since := w.A.Get(t, path).OK(200).Text("opted_out_at")
		w.Clock.Advance(time.Minute)
		testkit.Equal(t, "opted_out_at", w.A.Patch(t, path, `{"opted_out": true, "city": "Santos"}`).OK(200).Text("opted_out_at"), since)
		w.A.Patch(t, path, `{"opted_out": null}`).Fails(400, "invalid_request")

		c.says(t, "SAIR") // no change, so no confirmation
		c.close(t).expect(t, "none")
		w.A.Post(t, "/conversations/"+c.conversation+"/messages", message("a person may still write")).OK(201)

		list := func(filter string) int { return len(w.A.Get(t, "/contacts?opted_out="+filter).OK(200).List()) }
		other := f.open(t)
		testkit.Equal(t, "opted out", list("true"), 1)
		testkit.Equal(t, "others", list("false"), 1)
		testkit.Equal(t, "found", list("true&q=Z%C3%A9"), 1)
		testkit.Equal(t, "of the channel", list("true&channel="+f.channel), 1)
		w.A.Get(t, "/contacts?opted_out=maybe").Fails(400, "invalid_request")
		rows := readCSV(t, w.A.Do(t, "GET", "/contacts?opted_out=true", nil, "Accept", "text/csv").OK(200), ',')
		testkit.Equal(t, "CSV", fmt.Sprintf("%d %s", len(rows), rows[0]["opted_out"]), "1 true")

		testkit.Diff(t, "opted_out_at", w.A.Patch(t, path, `{"opted_out": false}`).OK(200).At("opted_out_at"), nil)
		again := c.again(t).close(t)
		testkit.Equal(t, "survey", again.survey(t), "sent")
		other.says(t, "STOP")
		other.close(t)
		testkit.Equal(t, "survey of one who opted out by keyword", other.survey(t), "none")

		actions := []string{}
		for _, e := range w.A.Get(t, "/audit?subject="+contact).OK(200).List() {
			e := e.(map[string]any)
			actions = append(actions, fmt.Sprint(e["action"], " by ", e["actor"].(map[string]any)["type"]))
		}
		testkit.Diff(t, "audit", actions, []string{"contact.opted_in by key", "contact.opted_out by key"})
	})
}

func TestTheTextsOfOptingOutCanBeChanged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := &receptionChannel{World: w, channel: sandbox(t, w)}
		const path = "/company/opt-out"
		testkit.Equal(t, "default", w.A.Get(t, path).OK(200).Text("confirmation"), talk.DefaultOptOutConfirmation)
		got := w.A.Patch(t, path, `{"confirmation": "Ok, saiu."}`).OK(200)
		testkit.Equal(t, "confirmation", got.Text("confirmation"), "Ok, saiu.")
		testkit.Equal(t, "welcome_back", got.Text("welcome_back"), talk.DefaultOptOutWelcomeBack)
		testkit.Diff(t, "blank", w.A.Patch(t, path, `{"welcome_back": "  "}`).OK(200).At("welcome_back"), nil)
		c := f.customer().says(t, "SAIR", "VOLTAR", "SAIR")
		c.expectTexts(t, "Ok, saiu.", "Ok, saiu.")
		w.A.Patch(t, path, `{"confirmation": null}`).OK(200)
		c.says(t, "VOLTAR", "SAIR")
		c.expectOptedOut(t, true)
		c.expectTexts(t, "Ok, saiu.", "Ok, saiu.")
		w.A.Patch(t, path, fmt.Sprintf(`{"confirmation": %q}`, "")).OK(200)
		w.A.Patch(t, path, `{"confirmation": 7}`).Fails(400, "invalid_request")
	})
}
