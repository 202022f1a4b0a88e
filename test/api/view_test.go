package api_test

import (
	"fmt"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/talk"
	"recado/test/servertest"
	"recado/test/testkit"
)

// viewNames returns the names of the views that a caller sees, in order.
func viewNames(t *testing.T, c *servertest.Client) []string {
	t.Helper()
	names := []string{}
	for _, element := range c.Get(t, "/views").OK(200).List() {
		names = append(names, element.(map[string]any)["name"].(string))
	}
	return names
}

func TestViewsAreSavedAndShared(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		managerID, managerEmail := member(t, w.A.Client, "Mia", `"role":"manager"`)
		_, agentEmail := member(t, w.A.Client, "Bia")
		manager, agent := w.A.SignIn(t, managerEmail, password), w.A.SignIn(t, agentEmail, password)
		label := w.A.Post(t, "/labels", `{"name":"VIP"}`).OK(201).ID()

		mine := agent.Post(t, "/views", fmt.Sprintf(`{"name":"Mine","query":{"status":"open","assignee":"me","label":%q}}`, label)).OK(201)
		testkit.Diff(t, "query", mine.At("query"), map[string]any{"status": "open", "assignee": "me", "label": label})
		testkit.Diff(t, "shared", mine.At("shared"), false)
		shared := manager.Post(t, "/views", `{"name":"Zeta","query":{"unread":"true"},"shared":true,"position":1}`).OK(201)
		testkit.Diff(t, "owner", shared.At("owner"), map[string]any{"id": managerID, "name": "Mia"})
		manager.Post(t, "/views", `{"name":"Alfa","query":{},"shared":true,"position":1}`).OK(201)
		manager.Post(t, "/views", `{"name":"Own","query":{}}`).OK(201)

		t.Run("people see their own and shared views, sorted by position and name", func(t *testing.T) {
			testkit.Diff(t, "the agent's views", viewNames(t, agent), []string{"Alfa", "Mine", "Zeta"})
			testkit.Diff(t, "the manager's views", viewNames(t, manager), []string{"Alfa", "Zeta", "Own"})
		})
		t.Run("only managers and above change shared views", func(t *testing.T) {
			agent.Post(t, "/views", `{"name":"x","query":{},"shared":true}`).Fails(403, "insufficient_scope")
			agent.Patch(t, "/views/"+mine.ID(), `{"shared":true}`).Fails(403, "insufficient_scope")
			agent.Patch(t, "/views/"+shared.ID(), `{"name":"x"}`).Fails(403, "insufficient_scope")
			agent.Delete(t, "/views/"+shared.ID()).Fails(403, "insufficient_scope")
			w.A.Patch(t, "/views/"+shared.ID(), `{"name":"Beta"}`).OK(200)
		})
		t.Run("another person's view is not found", func(t *testing.T) {
			manager.Patch(t, "/views/"+mine.ID(), `{"name":"x"}`).Fails(404, "not_found")
			manager.Delete(t, "/views/"+mine.ID()).Fails(404, "not_found")
			w.B.Patch(t, "/views/"+shared.ID(), `{"name":"x"}`).Fails(404, "not_found")
		})
		t.Run("invalid filters are refused", func(t *testing.T) {
			for _, query := range []string{
				`{"status":"all"}`, `{"color":"red"}`, `{"assignee":"you"}`, `{"limit":3}`, `{"label":"x"}`,
				fmt.Sprintf(`{"label":%q}`, kernel.NewID()), fmt.Sprintf(`{"sector":%q}`, kernel.NewID()),
				fmt.Sprintf(`{"channel":%q}`, kernel.NewID()), fmt.Sprintf(`{"assignee":%q}`, kernel.NewID()),
			} {
				agent.Post(t, "/views", `{"name":"x","query":`+query+`}`).Fails(400, "invalid_request")
				agent.Patch(t, "/views/"+mine.ID(), `{"query":`+query+`}`).Fails(400, "invalid_request")
			}
			agent.Post(t, "/views", `{"name":" ","query":{}}`).Fails(400, "invalid_request")
			agent.Post(t, "/views", `{"name":"x"}`).Fails(400, "invalid_request")
		})
		t.Run("a view can be changed and deleted", func(t *testing.T) {
			changed := agent.Patch(t, "/views/"+mine.ID(), `{"name":"Later","query":{"snoozed":"true"},"position":-1}`).OK(200)
			testkit.Diff(t, "query", changed.At("query"), map[string]any{"snoozed": "true"})
			testkit.Diff(t, "the agent's views", viewNames(t, agent), []string{"Later", "Alfa", "Beta"})
			agent.Delete(t, "/views/"+mine.ID()).OK(204)
			agent.Delete(t, "/views/"+mine.ID()).Fails(404, "not_found")
		})
		t.Run("a person has at most 100 views", func(t *testing.T) {
			for range talk.MaxViews {
				agent.Post(t, "/views", `{"name":"x","query":{}}`).OK(201)
			}
			agent.Post(t, "/views", `{"name":"x","query":{}}`).Fails(409, "limit_reached")
		})
	})
}

func TestTheAuditHasNoSearchTextsOfViews(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		view := w.A.Post(t, "/views", `{"name":"Case","query":{"q":"Maria","status":"open"},"shared":true}`).OK(201).ID()
		w.A.Patch(t, "/views/"+view, `{"query":{"q":"Maria Lima","status":"open"}}`).OK(200)
		w.A.Delete(t, "/views/"+view).OK(204)
		entries := w.A.Get(t, "/audit?subject="+view).OK(200)
		testkit.Equal(t, "entries", len(entries.List()), 3)
		testkit.Diff(t, "the change", entries.At("data", 1, "changes"), any([]any{map[string]any{"field": "query.q", "from": nil, "to": nil}}))
		if strings.Contains(string(entries.Raw), "Maria") {
			t.Errorf("got %s, want no search texts", entries.Raw)
		}
	})
}

func TestInboxCountsIncludeViews(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		_, email := member(t, w.A.Client, "Ana")
		ana := w.A.SignIn(t, email, password)
		label := w.A.Post(t, "/labels", `{"name":"VIP"}`).OK(201).ID()
		var ids []string
		for n := range 4 {
			ids = append(ids, customerWrites(t, w, channel, phoneNumber(n)))
		}
		ana.Post(t, "/conversations/"+ids[0]+"/take", nil).OK(200)
		ana.Post(t, "/conversations/"+ids[1]+"/read", nil).OK(200)
		w.A.Patch(t, "/conversations/"+ids[2], fmt.Sprintf(`{"label_ids":[%q]}`, label)).OK(200)
		w.A.Post(t, "/conversations/"+ids[3]+"/snooze", `{"until":"2099-01-01T00:00:00Z"}`).OK(200)
		for query, count := range map[string]int{
			`{}`: 3, `{"status":"waiting"}`: 2, `{"assignee":"me"}`: 1, `{"assignee":"none"}`: 2, `{"unread":"true"}`: 2, `{"unread":true}`: 2, `{"snoozed":false}`: 3,
			`{"status":"open","label":"` + label + `"}`: 1, `{"snoozed":"true"}`: 1, `{"q":"10000001"}`: 1, `{"kind":"group"}`: 0,
			`{"channel":"` + channel + `"}`: 3, `{"status":"closed"}`: 0,
		} {
			view := ana.Post(t, "/views", `{"name":"v","query":`+query+`}`).OK(201).ID()
			counts := ana.Get(t, "/inbox/counts").OK(200)
			if counts.Text("views", 0, "id") != view || counts.Int("views", 0, "count") != count {
				t.Errorf("view %s: got %s, want the count %d", query, counts.Raw, count)
			}
			ana.Delete(t, "/views/"+view).OK(204)
		}
	})
}
