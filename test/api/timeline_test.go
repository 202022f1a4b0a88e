package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
)

// entries gives the kinds and ids of a page of a timeline.
func entries(t *testing.T, page *servertest.Answer) (out []string) {
	t.Helper()
	for i := range page.List() {
		kind := page.Text("data", i, "kind")
		name, _, _ := strings.Cut(kind, "_")
		if page.Text("data", i, name, "id") != page.Text("data", i, "id") {
			t.Errorf("the object of the entry %d is not under %s: %s", i, name, page.Raw)
		}
		out = append(out, kind+" "+page.Text("data", i, "id"))
	}
	return out
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		first := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","text":"oi"}`).OK(201)
		id := first.Text("conversation")
		c := "/conversations/" + id
		att := current(t, w, id).ID()
		w.Clock.Advance(time.Hour)
		answer := ana.Post(t, c+"/messages", message("bom dia")).OK(201)
		w.A.Post(t, c+"/transfer", `{"user_id":null,"reason":"almoço"}`).OK(200)
		w.A.Post(t, c+"/attendance/close", nil).OK(200)
		last := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","text":"obrigado"}`).OK(201)
		second := current(t, w, id).ID()
		lines := w.A.Get(t, c+"/assignments").OK(200)
		all := []string{
			"attendance_opened " + second, "message " + last.ID(), "attendance_closed " + att, "assignment " + lines.Text("data", 0, "id"),
			"assignment " + lines.Text("data", 1, "id"), "message " + answer.ID(), "attendance_opened " + att, "message " + first.ID(),
		}

		t.Run("everything in one order, newest first", func(t *testing.T) {
			page := w.A.Get(t, c+"/timeline").OK(200)
			want(t, "entries", entries(t, page), all)
			want(t, "reason", page.At("data", 3, "assignment", "reason"), any("almoço"))
			want(t, "before", page.At("before"), nil)
			for i := 1; i < len(all); i++ {
				if page.Text("data", i-1, "at") < page.Text("data", i, "at") {
					t.Errorf("%s stands after something older", all[i-1])
				}
			}
			var shown, got any
			shown = page.At("data", 5, "message")
			w.A.Get(t, "/messages/"+answer.ID()).OK(200).Into(&got)
			want(t, "a message", shown, got)
		})
		for limit := 1; limit <= len(all)+1; limit++ {
			t.Run(fmt.Sprintf("pages of %d lose nothing in either direction", limit), func(t *testing.T) {
				var older []string
				page := w.A.Get(t, fmt.Sprintf("%s/timeline?limit=%d", c, limit)).OK(200)
				for {
					older = append(older, entries(t, page)...)
					if page.At("before") == nil {
						break
					}
					page = w.A.Get(t, fmt.Sprintf("%s/timeline?limit=%d&before=%s", c, limit, page.Text("before"))).OK(200)
				}
				want(t, "older", older, all)
				newer := []string{}
				for {
					page = w.A.Get(t, fmt.Sprintf("%s/timeline?limit=%d&after=%s", c, limit, page.Text("after"))).OK(200)
					if len(page.List()) == 0 {
						break
					}
					part := entries(t, page)
					slices.Reverse(part)
					newer = append(newer, part...)
				}
				slices.Reverse(newer)
				want(t, "newer", newer, all[:len(newer)])
				if page.At("before") == nil {
					t.Error("an empty page at the end leads nowhere back")
				}
			})
		}
		t.Run("around a message", func(t *testing.T) {
			want(t, "five", entries(t, w.A.Get(t, c+"/timeline?limit=5&around="+answer.ID()).OK(200)), all[3:8])
			want(t, "one", entries(t, w.A.Get(t, c+"/timeline?limit=1&around="+answer.ID()).OK(200)), all[5:6])
			want(t, "three at the end", entries(t, w.A.Get(t, c+"/timeline?limit=3&around="+last.ID()).OK(200)), all[0:3])
			w.A.Get(t, c+"/timeline?around="+kernel.NewID().String()).Fails(404, "not_found")
			w.A.Get(t, c+"/timeline?around=7").Fails(404, "not_found")
			elsewhere := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(2)+`","text":"oi"}`).OK(201).ID()
			w.A.Get(t, c+"/timeline?around="+elsewhere).Fails(404, "not_found")
		})
		t.Run("at a time", func(t *testing.T) {
			want(t, "the answer's time", entries(t, w.A.Get(t, c+"/timeline?limit=1&at="+answer.Text("created_at")).OK(200)), all[5:6])
			want(t, "long ago", entries(t, w.A.Get(t, c+"/timeline?limit=1&at=2001-01-01T00:00:00Z").OK(200)), all[7:8])
			want(t, "later", entries(t, w.A.Get(t, c+"/timeline?limit=1&at=2099-01-01T00:00:00Z").OK(200)), all[0:1])
			w.A.Get(t, c+"/timeline?at=yesterday").Fails(400, "invalid_request")
		})
		t.Run("one place at most", func(t *testing.T) {
			after := w.A.Get(t, c+"/timeline").OK(200).Text("after")
			w.A.Get(t, c+"/timeline?at=2099-01-01T00:00:00Z&after="+after).Fails(400, "invalid_request")
			w.A.Get(t, c+"/timeline?after=x").Fails(400, "invalid_cursor")
		})
		t.Run("messages alone without attendances:read", func(t *testing.T) {
			_, key := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeMessagesRead))
			want(t, "entries", entries(t, key.Get(t, c+"/timeline").OK(200)), []string{"message " + last.ID(), "message " + answer.ID(), "message " + first.ID()})
		})
		t.Run("what one may not see is not there", func(t *testing.T) {
			w.B.Get(t, c+"/timeline").Fails(404, "not_found")
			addMember(t, w, "Olga", `"access_profile":"own"`).Get(t, c+"/timeline").Fails(404, "not_found")
		})
	})
}
