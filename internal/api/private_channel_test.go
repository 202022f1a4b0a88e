package api_test

import (
	"strings"
	"testing"

	"recado/internal/model"
	"recado/internal/servertest"
)

func TestOnlyViewersSeeAPrivateChannel(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		adminID, adminEmail := member(t, w.A.Client, "Ada", `"role":"admin"`)
		agentID, agentEmail := member(t, w.A.Client, "Bia")
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		admin, agent := w.A.SignIn(t, adminEmail, password), w.A.SignIn(t, agentEmail, password)

		w.A.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).Fails(400, "invalid_request")
		channel := admin.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		w.A.Post(t, "/channels", `{"name":"Shop","phone":"+551140028923","provider":"sandbox"}`).OK(201)
		id, _ := model.ParseID(channel)
		err := w.Desk.System().Receive(t.Context(), id, []model.Incoming{{Message: &model.IncomingMessage{
			ExternalID: "private.1", Type: model.TypeText, Text: "a confidential question",
			Customer: model.Person{Phone: "+5511912345678", WAID: "5511912345678", Name: "Dora"},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		conversation := admin.Get(t, "/conversations").OK(200).Text("data", 0, "id")
		attendance := admin.Get(t, "/conversations/"+conversation+"/attendance").OK(200)
		if got := attendance.Text("protocol"); got != "ATD-P000001" {
			t.Errorf("protocol: got %q, want ATD-P000001", got)
		}
		paths := map[string]string{ // and a word that a viewer finds in the answer
			"/channels":                                    channel,
			"/conversations":                               conversation,
			"/conversations?q=Dora&limit=1":                conversation,
			"/conversations/" + conversation:               conversation,
			"/conversations/" + conversation + "/messages": "a confidential question",
			"/attendances":                                 "ATD-P000001",
			"/attendances/" + attendance.ID():              "ATD-P000001",
		}
		sees := func(who string, c *servertest.Client, want bool) {
			t.Helper()
			for path, word := range paths {
				a := c.Get(t, path)
				if got := a.Status == 200 && strings.Contains(string(a.Raw), word); got != want {
					t.Errorf("%s, %s: got %d %s, want it seen: %v", who, path, a.Status, a.Raw, want)
				}
			}
			if want {
				if found := c.Get(t, "/attendances?protocol=ATD-P000001").OK(200).List(); len(found) != 1 {
					t.Errorf("%s: the protocol finds %d attendances, want 1", who, len(found))
				}
				if found := c.Get(t, "/attendances?protocol=1").OK(200).List(); len(found) != 0 {
					t.Errorf("%s: bare digits find a private attendance", who)
				}
			} else {
				c.Get(t, "/attendances?protocol=ATD-P000001").Fails(400, "invalid_request")
			}
			if events := c.Get(t, "/events").OK(200); strings.Contains(string(events.Raw), conversation) {
				t.Errorf("%s: an event tells of the private conversation", who)
			}
		}
		sees("the creator", admin, true)
		sees("an owner who is no viewer", owner, false)
		sees("an agent who is no viewer", agent, false)
		sees("the owner's key", w.A.Client, false)
		admin.Post(t, "/conversations/"+conversation+"/messages", map[string]string{"client_id": model.NewID().String(), "text": "an answer"}).OK(201)
		agent.Post(t, "/conversations/"+conversation+"/messages", map[string]string{"client_id": model.NewID().String(), "text": "an answer"}).Fails(404, "not_found")

		listed := owner.Get(t, "/private-channels").OK(200)
		if listed.Text("data", 0, "id") != channel || listed.Text("data", 0, "viewers", 0, "id") != adminID {
			t.Errorf("private channels: got %s", listed.Raw)
		}
		agent.Get(t, "/private-channels").Fails(403, "insufficient_scope")
		w.A.Get(t, "/private-channels").Fails(403, "session_required")
		owner.Patch(t, "/channels/"+channel, `{"viewers":[]}`).Fails(400, "invalid_request")
		owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{model.NewID().String()}}).Fails(400, "invalid_request")
		w.A.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{agentID}}).Fails(400, "invalid_request")
		owner.Patch(t, "/channels/"+channel, map[string]any{"viewers": []string{agentID}}).OK(200)
		owner.Patch(t, "/channels/"+channel, `{"name":"Other"}`).Fails(404, "not_found")
		owner.Patch(t, "/channels/"+channel, `{"private":false}`).Fails(400, "invalid_request")
		sees("the former viewer", admin, false)
		sees("the new viewer", agent, true)
	})
}
