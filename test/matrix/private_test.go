package matrix

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"recado/internal/desk"
	"recado/internal/model"
	"recado/internal/servertest"
	"recado/internal/testkit"
)

// TestPrivateThingsExistForViewersAlone calls every route as a viewer of the private channel, as an owner who is none,
// both signed in, and with the key of the viewer.
func TestPrivateThingsExistForViewersAlone(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		viewer := b.a.SignIn(t, b.a.Owner.Email, password)
		other := b.w.NewMember(t, desk.NewUser{Name: "n", Role: model.RoleOwner})
		others := map[string]*servertest.Client{"an owner who is no viewer": b.a.Enter(t, other.ID.String(), password), "a key": b.a.Client}

		for _, route := range b.w.API.Routes() {
			for _, ex := range table[route.Method+" "+route.Path] {
				for slot, noun := range ex.slots() {
					hidden, ok := b.private.id(noun)
					// Owners choose the viewers of channels that they do not see.
					if !ok || !isID(noun) || route.Path == "/channels/{id}" && strings.Contains(ex.body, "viewers") {
						continue
					}
					for who, c := range others {
						if route.Verb.SessionOnly && c == b.a.Client {
							continue
						}
						t.Run(who+" "+route.Method+" "+route.Path, func(t *testing.T) { b.same(t, c, route, ex, slot, noun, b.mine, []string{hidden}) })
					}
				}
			}
		}
		t.Run("lists, searches and counts", func(t *testing.T) {
			lists := map[string]string{
				"/channels": "channel", "/conversations": "conversation", "/conversations?status=open": "conversation",
				"/conversations?sort=oldest_waiting": "conversation", "/conversations?q=secret-of-a-private": "conversation",
				"/contacts": "contact", "/contacts?q=secret-of-a-private": "contact", "/attendances": "attendance", "/messages?q=secret-of-a-private": "message",
				"/kanban/cards": "card", "/kanban/cards?sort=position": "card", "/kanban/cards?q=secret-of-a-private": "card",
			}
			for path, noun := range lists {
				if a := viewer.Get(t, path).OK(200); !strings.Contains(string(a.Raw), b.private.ids[noun]) {
					t.Errorf("a viewer, %s: the %s is missing: %s", path, noun, a.Raw)
				}
				for who, c := range others {
					if a := c.Get(t, path).OK(200); strings.Contains(string(a.Raw), b.private.ids[noun]) || strings.Contains(string(a.Raw), b.private.mark) {
						t.Errorf("%s, %s: the %s is listed", who, path, noun)
					}
				}
			}
			for who, c := range others {
				more := viewer.Get(t, "/inbox/counts").OK(200).Int("open") - c.Get(t, "/inbox/counts").OK(200).Int("open")
				if more != 1 {
					t.Errorf("%s: a viewer has %d more open conversations, want 1", who, more)
				}
			}
		})
		t.Run("single things", func(t *testing.T) {
			at := "/conversations/" + b.private.ids["conversation"]
			for _, path := range []string{
				at, at + "/messages", at + "/timeline", at + "/media", at + "/attendance", at + "/assignments", "/messages/" + b.private.ids["message"],
				"/contacts/" + b.private.ids["contact"], "/attendances/" + b.private.ids["attendance"], "/kanban/cards/" + b.private.ids["card"],
			} {
				viewer.Get(t, path).OK(200)
			}
			// There is no WhatsApp to fetch the file from: a viewer is told so, where others are told that there is none.
			if a := viewer.Get(t, "/media/"+b.private.ids["media"]+"/content"); a.Status == http.StatusNotFound && !strings.Contains(string(a.Raw), "WhatsApp") {
				t.Errorf("a viewer does not find the file: %s", a.Raw)
			}
		})
		t.Run("it is not in events, reports or queues", func(t *testing.T) {
			for who, c := range map[string]*servertest.Client{"a viewer": viewer, "a key": b.a.Client} {
				for _, path := range []string{"/events?limit=100", "/reports/attendance", "/sectors", "/kanban/boards"} {
					if a := c.Get(t, path).OK(200); slices.ContainsFunc([]string{"conversation", "attendance", "card"}, func(noun string) bool {
						return strings.Contains(string(a.Raw), b.private.ids[noun])
					}) {
						t.Errorf(`c.Get(t, path).OK(200): want !slices.ContainsFunc([]string{"conversation", "attendance", "card"}, func(noun string) bool { return strings.Contains(string(a.Raw), b.private.ids[noun]) }); got %+v, %+v, %s`, who, path, a.Raw)
					}
				}
			}
		})
		t.Run("the live stream", func(t *testing.T) {
			of := map[string]<-chan servertest.StreamMessage{}
			of["viewer"], _ = viewer.Follow(t, "/live")
			of["other"], _ = others["an owner who is no viewer"].Follow(t, "/live")
			b.secretly(t, b.private.ids["phone of conversation"], "again")
			b.a.Patch(t, "/conversations/"+b.mine.ids["conversation"], `{"pinned":true}`).OK(200)
			for who, messages := range of {
				private, public := false, false
				for !public || who == "viewer" && !private {
					m, open := testkit.Receive(t, "a message of the stream of the "+who, messages)
					if !open {
						t.Fatalf("%s: the stream ended: private %v, public %v", who, private, public)
					}
					private = private || strings.Contains(m.Data, b.private.ids["conversation"])
					public = public || strings.Contains(m.Data, b.mine.ids["conversation"])
				}
				if private != (who == "viewer") {
					t.Errorf("%s: told of the private conversation: %v", who, private)
				}
			}
		})
	})
}
