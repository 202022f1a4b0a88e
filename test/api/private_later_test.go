package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// numberHistory is a public number with conversations of two customers. One of them wrote only to this number, the other also
// to another number.
type numberHistory struct {
	channel, other           string
	conversation, attendance string // of the customer who wrote only to this number
	contact, known           string // the contacts of the first and the second customer
	both                     string // the second customer's conversation on this number
	elsewhere                string // and on the other number
	media, link, card        string
}

// newHistory creates a number with conversations, a file, a link to it and a card.
func newHistory(t *testing.T, w *servertest.World) numberHistory {
	t.Helper()
	h := numberHistory{channel: sandbox(t, w), other: w.A.Post(t, "/channels", `{"name":"Shop","phone":"+551140028923","provider":"sandbox"}`).OK(201).ID()}
	h.conversation = w.A.Post(t, simulatePath(h.channel), fmt.Sprintf(`{"from":%q,"name":"Dora Secret","text":"a confidential question"}`, phoneNumber(1))).OK(201).Text("conversation")
	h.both = w.A.Post(t, simulatePath(h.channel), fmt.Sprintf(`{"from":%q,"name":"Enzo","text":"a confidential order"}`, phoneNumber(2))).OK(201).Text("conversation")
	h.elsewhere = w.A.Post(t, simulatePath(h.other), fmt.Sprintf(`{"from":%q,"name":"Enzo","text":"bom dia"}`, phoneNumber(2))).OK(201).Text("conversation")
	h.contact = w.A.Get(t, "/conversations/"+h.conversation).OK(200).Text("contact")
	h.known = w.A.Get(t, "/conversations/"+h.both).OK(200).Text("contact")
	h.attendance = openAttendance(t, w, h.conversation).ID()
	h.media = w.A.Upload(t, "menu.png", png).OK(201).ID()
	w.A.Post(t, "/conversations/"+h.conversation+"/messages", fmt.Sprintf(`{"client_id":%q,"media_id":%q}`, kernel.NewID(), h.media)).OK(201)
	h.link = w.A.Get(t, "/media/"+h.media+"/url").OK(200).Text("url")
	h.card = newBoard(t, w.A.Client).card(t, w.A.Client, "confidential plan", fmt.Sprintf(`,"conversation":%q`, h.conversation)).OK(201).ID()
	return h
}

// paths returns the paths that show something of the number, each with a word in the response.
func (h *numberHistory) paths() map[string]string {
	return map[string]string{
		"/channels":                                      h.channel,
		"/channels/" + h.channel:                         h.channel,
		"/conversations":                                 h.conversation,
		"/conversations?q=Dora":                          h.conversation,
		"/conversations?sort=oldest_waiting":             h.conversation,
		"/conversations/" + h.conversation:               h.conversation,
		"/conversations/" + h.conversation + "/messages": "a confidential question",
		"/conversations/" + h.conversation + "/timeline": "a confidential question",
		"/conversations/" + h.conversation + "/media":    h.media,
		"/conversations/" + h.both:                       h.both,
		"/contacts/" + h.contact:                         "Dora Secret",
		"/contacts?q=Dora":                               "Dora Secret",
		"/contacts":                                      "Dora Secret",
		"/attendances":                                   h.attendance,
		"/attendances/" + h.attendance:                   "ATD-000001",
		"/attendances?protocol=1":                        h.attendance,
		"/messages?q=confidential":                       h.conversation,
		"/media/" + h.media + "/url":                     h.media,
		"/kanban/cards":                                  "confidential plan",
		"/kanban/cards?sort=position":                    "confidential plan",
		"/kanban/cards?q=confidential":                   "confidential plan",
		"/kanban/cards/" + h.card:                        "confidential plan",
	}
}

// sees checks that a caller sees everything of the number, or nothing.
func (h *numberHistory) sees(t *testing.T, who string, c *servertest.Client, want bool) {
	t.Helper()
	for path, word := range h.paths() {
		a := c.Get(t, path)
		if got := a.Status == 200 && strings.Contains(string(a.Raw), word); got != want {
			t.Errorf("%s, %s: got %d %s, want it visible: %v", who, path, a.Status, a.Raw, want)
		}
	}
}

// feedContains reports whether the feed contains a text.
func feedContains(t *testing.T, w *servertest.World, c *servertest.Client, what string) bool {
	t.Helper()
	w.SettleFeed(t)
	for cursor := ""; ; {
		page := c.Get(t, "/events?limit=100"+cursor).OK(200)
		if strings.Contains(string(page.Raw), what) {
			return true
		}
		if page.At("next_cursor") == nil {
			return false
		}
		cursor = "&after=" + page.Text("next_cursor")
	}
}

func TestANumberWithHistoryBecomesPrivateAtOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		hookPath, _, _ := registerWebhook(t, w.A.Client, receiver.URL)
		h := newHistory(t, w)
		sector := w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201).ID()
		w.A.Post(t, "/conversations/"+h.both+"/transfer", fmt.Sprintf(`{"sector_id":%q}`, sector)).OK(200)
		viewerID, viewerEmail := member(t, w.A.Client, "Vera", `"role":"admin"`)
		_, agentEmail := member(t, w.A.Client, "Bia")
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		viewer, agent := w.A.SignIn(t, viewerEmail, password), w.A.SignIn(t, agentEmail, password)
		scheduled := w.A.Post(t, "/conversations/"+h.conversation+"/scheduled", fmt.Sprintf(`{"client_id":%q,"text":"later","send_at":%q}`,
			kernel.NewID(), w.Clock.Now().Add(time.Hour).Format(time.RFC3339))).OK(201).ID()
		owner.Post(t, "/conversations/"+h.conversation+"/notes", fmt.Sprintf(`{"client_id":%q,"text":"look","mentions":[%q]}`, kernel.NewID(), viewerID)).OK(201)

		owner.Post(t, "/views", fmt.Sprintf(`{"name":"Secret view","shared":true,"query":{"channel":%q}}`, h.channel)).OK(201)

		h.sees(t, "a key before", w.A.Client, true)
		testkit.Diff(t, "attendances in the report before", w.A.Get(t, "/reports/attendance").OK(200).Int("totals", "opened"), 3)
		testkit.Diff(t, "the feed has the conversation before", feedContains(t, w, w.A.Client, h.conversation), true)
		delivery := ""
		for i, d := range w.A.Get(t, hookPath+"/deliveries?limit=100").OK(200).List() {
			if d.(map[string]any)["event"] == "message.received" {
				delivery = w.A.Get(t, hookPath+"/deliveries?limit=100").OK(200).Text("data", i, "id")
			}
		}
		body := map[string]any{"private": true, "viewers": []string{viewerID}}
		w.A.Patch(t, "/channels/"+h.channel, body).Fails(400, "invalid_request")
		agent.Patch(t, "/channels/"+h.channel, body).Fails(403, "insufficient_scope")
		changed := owner.Patch(t, "/channels/"+h.channel, body).OK(200)
		testkit.Diff(t, "phone for an owner who is not a viewer", changed.At("phone"), nil)

		for who, c := range map[string]*servertest.Client{"a key": w.A.Client, "the owner": owner, "an agent": agent} {
			h.sees(t, who, c, false)
			testkit.Diff(t, who+": the feed has the conversation", feedContains(t, w, c, h.conversation), false)
			testkit.Diff(t, who+": the feed has the card", feedContains(t, w, c, h.card), false)
			testkit.Diff(t, who+": channel of the second contact", c.Get(t, "/contacts/"+h.known).OK(200).Text("channel_id"), h.other)
			testkit.Diff(t, who+": its visible conversations", listedIDs(t, c, "contact="+h.known), []string{h.elsewhere})
		}
		h.sees(t, "the viewer", viewer, true)
		testkit.Diff(t, "the shared view of the viewer", strings.Contains(string(viewer.Get(t, "/views").OK(200).Raw), "Secret view"), true)
		testkit.Diff(t, "the shared view of an agent", strings.Contains(string(agent.Get(t, "/views").OK(200).Raw), "Secret view"), false)
		testkit.Diff(t, "the viewer's feed has the conversation", feedContains(t, w, viewer, h.conversation), false)
		own := viewer.Get(t, "/conversations/"+h.both).OK(200).Text("contact")
		testkit.Diff(t, "the private conversation has its own contact", own != h.known, true)
		testkit.Diff(t, "name of the private contact", viewer.Get(t, "/contacts/"+own).OK(200).Text("name"), "Enzo")
		w.A.Get(t, "/contacts/"+own).Fails(404, "not_found")

		testkit.Diff(t, "attendances in the report", w.A.Get(t, "/reports/attendance").OK(200).Int("totals", "opened"), 1)
		testkit.Diff(t, "a queue counts the private conversation", strings.Contains(string(owner.Get(t, "/sectors").OK(200).Raw), `"waiting":1`), false)
		testkit.Diff(t, "open conversations of a key", w.A.Get(t, "/inbox/counts").OK(200).Int("open"), 1)
		resp, _ := fetch(t, h.link)
		testkit.Diff(t, "status of a link from before", resp.StatusCode, http.StatusNotFound)
		resp, _ = fetch(t, viewer.Get(t, "/media/"+h.media+"/url").OK(200).Text("url"))
		testkit.Diff(t, "status of a link from afterwards", resp.StatusCode, http.StatusOK)
		w.A.Post(t, hookPath+"/deliveries/"+delivery+"/redeliver", nil).Fails(404, "not_found")
		testkit.Diff(t, "the body of an old delivery", w.A.Get(t, hookPath+"/deliveries/"+delivery).OK(200).At("body"), nil)

		t.Run("a public contact can be created beside a private one", func(t *testing.T) {
			w.A.Post(t, "/contacts", fmt.Sprintf(`{"name":"Dora","phone":%q}`, phoneNumber(1))).OK(201)
		})
		t.Run("customers continue in the same conversation", func(t *testing.T) {
			m := viewer.Post(t, simulatePath(h.channel), fmt.Sprintf(`{"from":%q,"text":"more"}`, phoneNumber(1))).OK(201)
			testkit.Diff(t, "the conversation", m.Text("conversation"), h.conversation)
			m = viewer.Post(t, simulatePath(h.channel), fmt.Sprintf(`{"from":%q,"text":"more"}`, phoneNumber(2))).OK(201)
			testkit.Diff(t, "conversation of the second customer", m.Text("conversation"), h.both)
			testkit.Diff(t, "the feed has the message", feedContains(t, w, w.A.Client, m.ID()), false)
			next := viewer.Post(t, simulatePath(h.channel), fmt.Sprintf(`{"from":%q,"text":"new"}`, phoneNumber(3))).OK(201).Text("conversation")
			testkit.Diff(t, "the next protocol", viewer.Get(t, "/conversations/"+next+"/attendance").OK(200).Text("protocol"), "ATD-P000001")
		})
		t.Run("a message scheduled by a key is not sent", func(t *testing.T) {
			w.Clock.Advance(time.Hour + time.Minute)
			testkit.Eventually(t, "the scheduled message fails", func() bool {
				list := viewer.Get(t, "/conversations/"+h.conversation+"/scheduled").OK(200)
				return list.Text("data", 0, "id") == scheduled && list.Text("data", 0, "status") == "failed" && list.Text("data", 0, "error", "code") == "not_visible"
			})
		})
		t.Run("only viewers see notifications", func(t *testing.T) {
			testkit.Diff(t, "the viewer has a notification", strings.Contains(string(viewer.Get(t, "/me/notifications").OK(200).Raw), h.conversation), true)
			owner.Patch(t, "/channels/"+h.channel, map[string]any{"viewers": []string{w.A.Owner.ID.String()}}).OK(200)
			after := viewer.Get(t, "/me/notifications").OK(200)
			testkit.Diff(t, "a former viewer has a notification", strings.Contains(string(after.Raw), h.conversation), false)
			testkit.Diff(t, "unread_count of a former viewer", after.Int("unread_count"), 0)
		})
	})
}

func TestAPrivateNumberBecomesPublicWithItsHistory(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		h := newHistory(t, w)
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		owner.Patch(t, "/channels/"+h.channel, `{"private":true}`).OK(200)
		secret := owner.Post(t, simulatePath(h.channel), fmt.Sprintf(`{"from":%q,"name":"Dora Secret","text":"in private"}`, phoneNumber(1))).OK(201).ID()
		fresh := owner.Post(t, simulatePath(h.channel), fmt.Sprintf(`{"from":%q,"name":"Gil","text":"first"}`, phoneNumber(4))).OK(201).Text("conversation")
		gil := w.A.Post(t, "/contacts", fmt.Sprintf(`{"name":"Gilberto","phone":%q}`, phoneNumber(4))).OK(201).ID()
		link := owner.Get(t, "/media/"+h.media+"/url").OK(200).Text("url")

		owner.Patch(t, "/channels/"+h.channel, `{"private":false}`).Fails(400, "invalid_request")
		h.sees(t, "a key after a change without confirm", w.A.Client, false)
		owner.Patch(t, "/channels/"+h.channel, `{"private":false,"confirm":true}`).OK(200)
		h.sees(t, "a key", w.A.Client, true)
		testkit.Diff(t, "a message of the private period", strings.Contains(string(w.A.Get(t, "/conversations/"+h.conversation+"/messages").OK(200).Raw), "in private"), true)
		testkit.Diff(t, "the feed has its event", feedContains(t, w, w.A.Client, secret), false)
		testkit.Diff(t, "the feed has an event from before", feedContains(t, w, w.A.Client, h.conversation), true)
		testkit.Diff(t, "contact of the second customer", w.A.Get(t, "/conversations/"+h.both).OK(200).Text("contact"), h.known)
		testkit.Diff(t, "contact of a customer with the same phone", w.A.Get(t, "/conversations/"+fresh).OK(200).Text("contact"), gil)
		testkit.Diff(t, "number of contacts named Gil", len(w.A.Get(t, "/contacts?q=Gil").OK(200).List()), 1)
		testkit.Diff(t, "the protocol of the private period", w.A.Get(t, "/conversations/"+fresh+"/attendance").OK(200).Text("protocol"), "ATD-P000001")
		testkit.Diff(t, "attendances in the report", w.A.Get(t, "/reports/attendance").OK(200).Int("totals", "opened"), 4)
		testkit.Diff(t, "number of private channels", len(owner.Get(t, "/private-channels").OK(200).At().([]any)), 0)
		resp, _ := fetch(t, link)
		testkit.Diff(t, "status of a link from before", resp.StatusCode, http.StatusNotFound)
		m := w.A.Post(t, simulatePath(h.channel), fmt.Sprintf(`{"from":%q,"text":"in public"}`, phoneNumber(4))).OK(201)
		testkit.Diff(t, "conversation of the next message", m.Text("conversation"), fresh)
		testkit.Diff(t, "the feed has its event", feedContains(t, w, w.A.Client, m.ID()), true)
	})
}

// Single objects, files, notifications and searches depend only on the flag of the number. Lists use copies of the flag and
// never show too much.
func TestVisibilityChangesBeforeTheListsAreUpdated(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		h := newHistory(t, w)
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		viewerID, viewerEmail := member(t, w.A.Client, "Vera")
		_, agentEmail := member(t, w.A.Client, "Bia")
		viewer, agent := w.A.SignIn(t, viewerEmail, password), w.A.SignIn(t, agentEmail, password)
		owner.Post(t, "/conversations/"+h.conversation+"/notes", fmt.Sprintf(`{"client_id":%q,"text":"look","mentions":[%q]}`, kernel.NewID(), viewerID)).OK(201)
		direct := map[string]string{
			"/conversations/" + h.conversation:               h.conversation,
			"/conversations/" + h.conversation + "/messages": "a confidential question",
			"/attendances/" + h.attendance:                   "ATD-000001",
			"/messages?q=confidential":                       h.conversation,
			"/media/" + h.media + "/url":                     h.media,
			"/kanban/cards/" + h.card:                        "confidential plan",
		}
		sees := func(who string, c *servertest.Client, want bool) {
			t.Helper()
			for path, word := range direct {
				a := c.Get(t, path)
				if got := a.Status == 200 && strings.Contains(string(a.Raw), word); got != want {
					t.Errorf("%s, %s: got %d %s, want it visible: %v", who, path, a.Status, a.Raw, want)
				}
			}
		}
		notified := func() bool {
			return strings.Contains(string(viewer.Get(t, "/me/notifications").OK(200).Raw), h.conversation)
		}
		system := w.Desk
		system.Talk.HoldSettling(true)
		owner.Patch(t, "/channels/"+h.channel, map[string]any{"private": true, "viewers": []string{viewerID}}).OK(200)
		sees("the viewer of a number that is becoming private", viewer, true)
		sees("an agent", agent, false)
		h.sees(t, "an agent", agent, false)
		testkit.Diff(t, "the viewer has a notification", notified(), true)
		system.Talk.HoldSettling(false)
		for more := true; more; {
			var err error
			if more, err = system.Talk.SettleChannels(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		h.sees(t, "the viewer once it is settled", viewer, true)
		system.Talk.HoldSettling(true)
		owner.Patch(t, "/channels/"+h.channel, `{"private":false,"confirm":true}`).OK(200)
		sees("an agent after the number became public", agent, true)
		sees("the former viewer", viewer, true)
		testkit.Diff(t, "the former viewer has a notification", notified(), true)
	})
}

func TestMessagesThatArriveWhileANumberBecomesPrivateAreHidden(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := sandbox(t, w)
		const people, rounds = 12, 6
		for n := range people {
			customerWrites(t, w, channel, phoneNumber(n))
		}
		var g sync.WaitGroup
		for n := range people {
			g.Go(func() {
				for round := range rounds {
					person := provider.Person{Phone: phoneNumber(n), WAID: phoneNumber(n)[1:], Name: "x"}
					err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{{Message: &provider.IncomingMessage{
						ExternalID: fmt.Sprintf("race.%d.%d", n, round), Customer: person, Type: "text", Text: "oi", At: w.Clock.Now(),
					}}})
					if err != nil {
						t.Error(err)
					}
					w.A.Post(t, "/contacts", fmt.Sprintf(`{"name":"n","phone":%q,"channel_id":%q}`, phoneNumber(100+n*rounds+round), channel))
				}
			})
		}
		for round := range 4 {
			owner.Patch(t, "/channels/"+channel, fmt.Sprintf(`{"private":%v,"confirm":true}`, round%2 == 0)).OK(200)
		}
		owner.Patch(t, "/channels/"+channel, `{"private":true}`).OK(200)
		g.Wait()
		testkit.Eventually(t, "the number is settled", func() bool {
			more, err := w.Desk.Talk.SettleChannels(t.Context())
			return err == nil && !more
		})
		for _, path := range []string{"/conversations?limit=100", "/contacts?limit=100", "/attendances?limit=100", "/kanban/cards?limit=100"} {
			if a := w.A.Get(t, path).OK(200); len(a.List()) != 0 {
				t.Errorf("%s: a key got %d entries, want 0: %s", path, len(a.List()), a.Raw)
			}
		}
		testkit.Diff(t, "attendances in the report", w.A.Get(t, "/reports/attendance").OK(200).Int("totals", "opened"), 0)
		testkit.Diff(t, "number of conversations of the viewer", len(owner.Get(t, "/conversations?limit=100").OK(200).List()), people)
		total := 0
		for i := range people {
			id := owner.Get(t, "/conversations?limit=100").OK(200).Text("data", i, "id")
			total += len(owner.Get(t, "/conversations/"+id+"/messages?limit=100").OK(200).List())
		}
		testkit.Diff(t, "number of messages", total, people*(rounds+1))
		owner.Patch(t, "/channels/"+channel, `{"private":false,"confirm":true}`).OK(200)
		testkit.Diff(t, "attendances in the report of the public number", w.A.Get(t, "/reports/attendance").OK(200).Int("totals", "opened"), people)
		testkit.Diff(t, "number of conversations of a key", len(w.A.Get(t, "/conversations?limit=100").OK(200).List()), people)
	})
}

func TestAnArchivedNumberStaysReadableAndSendsNothing(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		conversation := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + conversation
		scheduled := w.A.Post(t, path+"/scheduled", fmt.Sprintf(`{"client_id":%q,"text":"later","send_at":%q}`,
			kernel.NewID(), w.Clock.Now().Add(time.Hour).Format(time.RFC3339))).OK(201).ID()
		w.B.Delete(t, "/channels/"+channel).Fails(404, "not_found")
		w.A.Delete(t, "/channels/"+channel).OK(204)
		w.A.Delete(t, "/channels/"+channel).OK(204)
		testkit.Diff(t, "number of channels", len(w.A.Get(t, "/channels").OK(200).List()), 0)
		archived := w.A.Get(t, "/channels/"+channel).OK(200)
		testkit.Diff(t, "archived_at is set", archived.At("archived_at") != nil, true)
		testkit.Diff(t, "status", archived.Text("status"), "disconnected")
		testkit.Diff(t, "number of messages", len(w.A.Get(t, path+"/messages").OK(200).List()), 1)
		testkit.Diff(t, "status of the case", openAttendance(t, w, conversation).Text("status"), "open")
		w.A.Post(t, path+"/messages", message("hello")).Fails(409, "channel_archived")
		w.A.Post(t, path+"/scheduled", fmt.Sprintf(`{"client_id":%q,"text":"later","send_at":%q}`,
			kernel.NewID(), w.Clock.Now().Add(time.Hour).Format(time.RFC3339))).Fails(409, "channel_archived")
		w.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id":%q,"phone":%q}`, channel, phoneNumber(2))).Fails(409, "channel_archived")
		w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phoneNumber(1))).Fails(409, "channel_archived")
		w.A.Patch(t, "/channels/"+channel, `{"status":"connected"}`).Fails(409, "channel_archived")
		w.A.Post(t, path+"/attendance/close", nil).OK(200)

		again := sandbox(t, w)
		other := customerWrites(t, w, again, phoneNumber(1))
		testkit.Diff(t, "the new channel has its own conversation", other != conversation, true)
		w.A.Post(t, "/conversations/"+other+"/messages", message("hello")).OK(201)
		testkit.Diff(t, "number of messages of the old conversation", len(w.A.Get(t, path+"/messages").OK(200).List()), 1)
		w.Clock.Advance(time.Hour + time.Minute)
		testkit.Eventually(t, "the scheduled message fails", func() bool {
			list := w.A.Get(t, path+"/scheduled").OK(200)
			return list.Text("data", 0, "id") == scheduled && list.Text("data", 0, "status") == "failed" && list.Text("data", 0, "error", "code") == "channel_archived"
		})
	})
}
