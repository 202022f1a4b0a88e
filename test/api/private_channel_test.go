package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestOnlyViewersSeeAPrivateChannel(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		adminID, adminEmail := member(t, w.A.Client, "Ada", `"role":"admin"`)
		agentID, agentEmail := member(t, w.A.Client, "Bia")
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		admin, agent := w.A.SignIn(t, adminEmail, password), w.A.SignIn(t, agentEmail, password)

		w.A.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).Fails(400, "invalid_request")
		channel := admin.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		w.A.Post(t, "/channels", `{"name":"Shop","phone":"+551140028923","provider":"sandbox"}`).OK(201)
		receiveConfidentialMessage(t, w, channel)
		conversation := admin.Get(t, "/conversations").OK(200).Text("data", 0, "id")
		attendance := admin.Get(t, "/conversations/"+conversation+"/attendance").OK(200)
		if got := attendance.Text("protocol"); got != "ATD-P000001" {
			t.Errorf("protocol: got %q, want ATD-P000001", got)
		}
		paths := map[string]string{ // with a word that a viewer finds in the response
			"/channels":                                         channel,
			"/conversations":                                    conversation,
			"/conversations?q=Dora&limit=1":                     conversation,
			"/conversations/" + conversation:                    conversation,
			"/conversations/" + conversation + "/messages":      "a confidential question",
			"/conversations?status=open":                        conversation,
			"/conversations?status=waiting&sort=oldest_waiting": conversation,
			"/conversations?sort=oldest_waiting":                conversation,
			"/conversations?status=waiting&channel=" + channel:  conversation,
			"/contacts":                       "Dora",
			"/contacts?q=Dora":                "Dora",
			"/contacts?channel=" + channel:    "Dora",
			"/kanban/cards":                   "ATD-P000001",
			"/kanban/cards?q=ATD-P0000":       "ATD-P000001",
			"/kanban/cards?sort=position":     "ATD-P000001",
			"/inbox/counts":                   `"unassigned":1`,
			"/attendances":                    "ATD-P000001",
			"/attendances/" + attendance.ID(): "ATD-P000001",
		}
		sees := func(who string, c *servertest.Client, want bool) {
			t.Helper()
			for path, word := range paths {
				a := c.Get(t, path)
				if got := a.Status == 200 && strings.Contains(string(a.Raw), word); got != want {
					t.Errorf("%s, %s: got %d %s, want it visible: %v", who, path, a.Status, a.Raw, want)
				}
			}
			if want {
				for _, protocol := range []string{"ATD-P000001", "P000001", "atd-p1", "p1"} {
					if found := c.Get(t, "/attendances?protocol="+protocol).OK(200).List(); len(found) != 1 {
						t.Errorf("%s: protocol %s: got %d attendances, want 1", who, protocol, len(found))
					}
				}
				if found := c.Get(t, "/attendances?protocol=P000002").OK(200).List(); len(found) != 0 {
					t.Errorf("%s: unused protocol: got %v, want no attendances", who, found)
				}
				if found := c.Get(t, "/attendances?protocol=1").OK(200).List(); len(found) != 0 {
					t.Errorf("%s: protocol without P: got %v, want no attendances", who, found)
				}
			} else {
				c.Get(t, "/attendances?protocol=ATD-P000001").Fails(400, "invalid_request")
				c.Get(t, "/attendances?protocol=P000001").Fails(400, "invalid_request")
			}
			if events := c.Get(t, "/events").OK(200); strings.Contains(string(events.Raw), conversation) {
				t.Errorf("%s: the feed has the private conversation: %s", who, events.Raw)
			}
		}
		sees("the creator", admin, true)
		sees("an owner who is not a viewer", owner, false)
		sees("an agent who is not a viewer", agent, false)
		sees("the owner's key", w.A.Client, false)
		testkit.Diff(t, "a queue counts the private conversation", strings.Contains(string(admin.Get(t, "/sectors").OK(200).Raw), `"waiting":1`), false)
		admin.Post(t, "/conversations/"+conversation+"/messages", map[string]string{"client_id": kernel.NewID().String(), "text": "an answer"}).OK(201)
		agent.Post(t, "/conversations/"+conversation+"/messages", map[string]string{"client_id": kernel.NewID().String(), "text": "an answer"}).Fails(404, "not_found")

		listed := owner.Get(t, "/private-channels").OK(200)
		if listed.Text(0, "id") != channel || listed.Text(0, "viewers", 0, "id") != adminID {
			t.Errorf("private channels: got %s, want %s with the viewer %s", listed.Raw, channel, adminID)
		}
		agent.Get(t, "/private-channels").Fails(403, "insufficient_scope")
		w.A.Get(t, "/private-channels").Fails(403, "session_required")
		owner.Patch(t, "/channels/"+channel, `{"viewers":[]}`).Fails(400, "invalid_request")
		owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{kernel.NewID().String()}}).Fails(400, "invalid_request")
		w.A.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{agentID}}).Fails(400, "invalid_request")
		owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{agentID}}).OK(200)
		owner.Patch(t, "/channels/"+channel, `{"name":"Other"}`).Fails(404, "not_found")
		owner.Patch(t, "/channels/"+channel, `{"private":false}`).Fails(400, "invalid_request")
		sees("the former viewer", admin, false)
		delete(paths, "/conversations?status=waiting&sort=oldest_waiting") // the reply made the former viewer responsible
		delete(paths, "/conversations?status=waiting&channel="+channel)
		delete(paths, "/inbox/counts")
		sees("the new viewer", agent, true)
	})
}

func TestChangingAnInvisiblePrivateChannelShowsOnlyItsViewers(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		adminID, adminEmail := member(t, w.A.Client, "Ada", `"role":"admin"`)
		agentID, _ := member(t, w.A.Client, "Bia")
		owner, admin := w.A.Enter(t, w.A.Owner.ID.String(), password), w.A.SignIn(t, adminEmail, password)
		channel := admin.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		changed := owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{agentID}}).OK(200)
		testkit.Diff(t, "response", changed.At(), any(map[string]any{
			"id": channel, "name": "Board", "viewers": []any{map[string]any{"id": agentID, "name": "Bia"}},
		}))
		owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{adminID}, "name": "Other"}).Fails(404, "not_found")
		testkit.Diff(t, "viewers", owner.Get(t, "/private-channels").OK(200).Text(0, "viewers", 0, "id"), agentID)
		again := owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{agentID, w.A.Owner.ID.String()}}).OK(200)
		testkit.Diff(t, "phone for a viewer", again.Text("phone"), "+551140028922")
	})
}

func TestAChannelUpdateIsAtomic(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		agentID, _ := member(t, w.A.Client, "Bia")
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		owner.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phoneNumber(1))).OK(201)
		state := func() (string, string, string) {
			c := owner.Get(t, "/channels").OK(200)
			return c.Text("data", 0, "name"), c.Text("data", 0, "status"), owner.Get(t, "/private-channels").OK(200).Text(0, "viewers", 0, "id")
		}
		for _, refused := range []map[string]any{
			{"name": "Other", "viewers": []string{}},
			{"name": "Other", "viewers": []string{agentID, kernel.NewID().String()}},
			{"name": "Other", "private": false},
			{"status": "disconnected", "viewers": []string{kernel.NewID().String()}},
			{"viewers": []string{w.A.Owner.ID.String(), agentID}, "coexistence": true},
		} {
			owner.Patch(t, "/channels/"+channel, refused).Fails(400, "invalid_request")
			name, status, viewer := state()
			testkit.Diff(t, fmt.Sprintf("the name after %v", refused), name, "Board")
			testkit.Diff(t, fmt.Sprintf("the status after %v", refused), status, "connected")
			testkit.Diff(t, fmt.Sprintf("the viewer after %v", refused), viewer, w.A.Owner.ID.String())
		}
		both := map[string]any{"name": "Other", "status": "disconnected", "viewers": []string{w.A.Owner.ID.String()}}
		owner.Patch(t, "/channels/"+channel, both).OK(200)
		name, status, _ := state()
		testkit.Diff(t, "name and status", name+" "+status, "Other disconnected")
		away := owner.Patch(t, "/channels/"+channel, map[string]any{"name": "Last", "viewers": []string{agentID}}).OK(200)
		testkit.Diff(t, "name for a former viewer", away.Text("name"), "Last")
		testkit.Diff(t, "phone for a former viewer", away.At("phone"), nil)
	})
}

func TestContactsBecomePrivateOrPublicWithTheirChannel(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		for n, private := range []bool{false, true} {
			body := fmt.Sprintf(`{"name":"c","phone":"+55114002892%d","provider":"sandbox","private":%v}`, n, private)
			channel := owner.Post(t, "/channels", body).OK(201).ID()
			contact := owner.Post(t, "/contacts", fmt.Sprintf(`{"name":"Ana","phone":%q,"channel_id":%q}`, phoneNumber(n), channel)).OK(201).ID()
			for _, now := range []bool{!private, private} {
				owner.Patch(t, "/channels/"+channel, fmt.Sprintf(`{"private":%v,"confirm":true}`, now)).OK(200)
				owner.Get(t, "/contacts/"+contact).OK(200)
				if now {
					w.A.Get(t, "/contacts/"+contact).Fails(404, "not_found")
				} else {
					w.A.Get(t, "/contacts/"+contact).OK(200)
				}
			}
		}
	})
}

func TestAPrivateChannelAlwaysHasAViewer(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		agentID, _ := member(t, w.A.Client, "Bia")
		_, managerEmail := member(t, w.A.Client, "Mia", `"role":"manager"`)
		owner, manager := w.A.Enter(t, w.A.Owner.ID.String(), password), w.A.SignIn(t, managerEmail, password)
		channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{agentID}}).OK(200)
		owner.Delete(t, "/team/"+agentID).Fails(400, "invalid_request")
		owner.Get(t, "/channels/"+channel).Fails(404, "not_found")
		manager.Delete(t, "/team/"+agentID).OK(204) // a refusal would reveal the channel
		owner.Get(t, "/channels/"+channel).OK(200)
		testkit.Diff(t, "viewers", owner.Get(t, "/private-channels").OK(200).At(0, "viewers"), any([]any{
			map[string]any{"id": w.A.Owner.ID.String(), "name": w.A.Owner.Name},
		}))
	})
}

func TestAViewerSeesAPrivateChannelWhateverTheAccessProfile(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		agentID, agentEmail := member(t, w.A.Client, "Bia", `"access_profile":"own"`)
		owner, agent := w.A.Enter(t, w.A.Owner.ID.String(), password), w.A.SignIn(t, agentEmail, password)
		channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{agentID, w.A.Owner.ID.String()}}).OK(200)
		public := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		private := owner.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phoneNumber(2))).OK(201).Text("conversation")
		for _, path := range []string{"", "/messages", "/timeline", "/attendance", "/media"} {
			agent.Get(t, "/conversations/"+private+path).OK(200)
			agent.Get(t, "/conversations/"+public+path).Fails(404, "not_found")
		}
		testkit.Diff(t, "listed conversations", listedIDs(t, agent, ""), []string{private})
		testkit.Diff(t, "open conversations", listedIDs(t, agent, "status=open"), []string{private})
		testkit.Diff(t, "number of attendances", len(agent.Get(t, "/attendances").OK(200).List()), 1)
		testkit.Diff(t, "number of cards", len(agent.Get(t, "/kanban/cards").OK(200).List()), 1)
	})
}

func TestPublicAndPrivateConversationsAreListedInOrder(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		hidden := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		channels := []string{sandbox(t, w), hidden}
		var ids []string
		for n := range 9 {
			m := owner.Post(t, simulatePath(channels[n%2]), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phoneNumber(n))).OK(201)
			ids = append(ids, m.Text("conversation"))
		}
		owner.Post(t, "/conversations/"+ids[1]+"/messages", message("answered")).OK(201)
		owner.Post(t, "/conversations/"+ids[2]+"/messages", message("answered")).OK(201)
		owner.Post(t, "/conversations/"+ids[3]+"/snooze", `{"until":"2099-01-01T00:00:00Z"}`).OK(200)
		owner.Patch(t, "/conversations/"+ids[5], `{"pinned":true}`).OK(200)
		pick := func(numbers ...int) (out []string) {
			for _, n := range numbers {
				out = append(out, ids[n])
			}
			return out
		}
		for query, order := range map[string][]string{
			"unread=false":                       pick(5, 2, 1, 8, 7, 6, 4, 3, 0),
			"status=open":                        pick(2, 1, 8, 7, 6, 5, 4, 0),
			"status=waiting":                     pick(8, 7, 6, 5, 4, 0),
			"sort=oldest_waiting":                pick(0, 3, 4, 5, 6, 7, 8, 2, 1),
			"sort=oldest_waiting&status=open":    pick(0, 4, 5, 6, 7, 8, 2, 1),
			"snoozed=true":                       pick(3),
			"channel=" + hidden + "&status=open": pick(1, 7, 5),
		} {
			for _, limit := range []int{100, 1, 2, 4} {
				var got []string
				for cursor := ""; ; {
					page := owner.Get(t, fmt.Sprintf("/conversations?limit=%d&%s%s", limit, query, cursor)).OK(200)
					for i := range page.List() {
						got = append(got, page.Text("data", i, "id"))
					}
					if page.At("next_cursor") == nil {
						break
					}
					cursor = "&cursor=" + page.Text("next_cursor")
				}
				testkit.Diff(t, fmt.Sprintf("%s by %d", query, limit), got, order)
			}
			testkit.Diff(t, query+" by offset", append(listedIDs(t, owner, query+"&limit=2"), listedIDs(t, owner, query+"&limit=100&offset=2")...), order)
		}
		counts := owner.Get(t, "/inbox/counts").OK(200)
		for field, n := range map[string]int{"mine": 2, "unassigned": 6, "unread": 8, "open": 8, "snoozed": 1} {
			testkit.Diff(t, field, counts.Int(field), n)
		}
	})
}

func TestAPrivateCardIsSeenByItsCreatorItsAssigneeAndManagers(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, creatorEmail := member(t, w.A.Client, "Bia")
		assigneeID, assigneeEmail := member(t, w.A.Client, "Caio")
		_, otherEmail := member(t, w.A.Client, "Davi")
		_, managerEmail := member(t, w.A.Client, "Mia", `"role":"manager"`)
		creator, assignee := w.A.SignIn(t, creatorEmail, password), w.A.SignIn(t, assigneeEmail, password)
		other, manager := w.A.SignIn(t, otherEmail, password), w.A.SignIn(t, managerEmail, password)
		b := newBoard(t, w.A.Client)
		card := b.card(t, creator, "secret plan", fmt.Sprintf(`,"private":true,"assignee":%q`, assigneeID)).OK(201).ID()
		for who, c := range map[string]*servertest.Client{"the creator": creator, "the assignee": assignee, "a manager": manager} {
			c.Get(t, "/kanban/cards/"+card).OK(200)
			for _, query := range []string{"", "q=secret", "sort=position", "stage_id=" + b.stages["New"], "board_id=" + b.id} {
				testkit.Diff(t, who+" "+query, len(c.Get(t, "/kanban/cards?"+query).OK(200).List()), 1)
			}
		}
		for who, c := range map[string]*servertest.Client{"another person": other, "a key": w.A.Client} {
			c.Get(t, "/kanban/cards/"+card).Fails(404, "not_found")
			c.Delete(t, "/kanban/cards/"+card).Fails(404, "not_found")
			for _, query := range []string{"", "q=secret", "sort=position", "stage_id=" + b.stages["New"]} {
				testkit.Diff(t, who+" "+query, len(c.Get(t, "/kanban/cards?"+query).OK(200).List()), 0)
			}
		}
		if events := manager.Get(t, "/events").OK(200); strings.Contains(string(events.Raw), card) {
			t.Errorf("the feed has the private card: %s", events.Raw)
		}
		creator.Patch(t, "/kanban/cards/"+card, `{"title":"open plan","private":false,"version":1}`).OK(200)
		other.Get(t, "/kanban/cards/"+card).OK(200)
	})
}

func TestACardOfAPrivateConversationIsHidden(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		private := owner.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phoneNumber(2))).OK(201).Text("conversation")
		b := newBoard(t, w.A.Client)
		card := b.card(t, w.A.Client, "plan", "").OK(201).ID()
		owner.Patch(t, "/kanban/cards/"+card, fmt.Sprintf(`{"conversation":%q,"version":1}`, private)).OK(200)
		w.A.Get(t, "/kanban/cards/"+card).Fails(404, "not_found")
		owner.Get(t, "/kanban/cards/"+card).OK(200)
		owner.Patch(t, "/kanban/cards/"+card, `{"conversation":null,"version":2}`).Fails(400, "invalid_request")
	})
}

func TestKeysGetNoLinkToAFileOfAPrivateConversation(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		receiveConfidentialMessage(t, w, channel)
		conversation := owner.Get(t, "/conversations").OK(200).Text("data", 0, "id")
		file := w.A.Upload(t, "report.txt", []byte("confidential")).OK(201).ID()
		w.A.Get(t, "/media/"+file+"/url").OK(200)
		owner.Post(t, "/conversations/"+conversation+"/messages", map[string]string{"client_id": kernel.NewID().String(), "media_id": file}).OK(201)
		w.A.Get(t, "/media/"+file+"/url").Fails(404, "not_found")
		w.A.Get(t, "/media/"+file+"/content").Fails(404, "not_found")
		owner.Get(t, "/media/"+file+"/content").OK(200)
	})
}

// receiveConfidentialMessage delivers a customer's message on a private channel, which keys cannot simulate.
func receiveConfidentialMessage(t *testing.T, w *servertest.World, channel string) {
	t.Helper()
	err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{{Message: &provider.IncomingMessage{
		ExternalID: "private.1", Type: provider.TypeText, Text: "a confidential question",
		Customer: provider.Person{Phone: "+5511912345678", WAID: "5511912345678", Name: "Dora"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPrivateChannelsAreInvisibleToKeys(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		private := privateChannel(t, w)
		person := provider.Person{WAID: "5511912344321", Name: "Secret"}
		receive := func(channel kernel.ID, ext string) {
			t.Helper()
			err := w.Desk.Talk.Receive(context.Background(), w.A.ID, channel, []provider.Incoming{{Message: &provider.IncomingMessage{ExternalID: ext, Customer: person, Type: "text", Text: "x", At: w.Clock.Now()}}})
			if err != nil {
				t.Fatal(err)
			}
		}
		receive(private.ID, "p-1")
		testkit.Equal(t, "number of data", len(w.A.Get(t, "/conversations").OK(200).List()), 0)
		testkit.Equal(t, "number of data", len(w.A.Get(t, "/contacts").OK(200).List()), 0)
		w.A.Post(t, simulatePath(private.ID.String()), `{"from": "+5511987654321", "text": "x"}`).Fails(404, "not_found")
		receive(mustID(sandbox(t, w)), "o-1")
		if list := w.A.Get(t, "/contacts").OK(200).List(); len(list) != 1 {
			t.Fatalf("contacts after a message to a public number: got %v, want 1", list)
		}
		testkit.Equal(t, "number of data", len(w.A.Get(t, "/conversations").OK(200).List()), 1)
	})
}
