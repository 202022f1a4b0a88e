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
	"recado/test/testkit"
)

// timelineEntries returns the kinds and ids of the entries on a page of a timeline.
func timelineEntries(t *testing.T, page *servertest.Answer) (out []string) {
	t.Helper()
	for i := range page.List() {
		kind := page.Text("data", i, "kind")
		name, _, _ := strings.Cut(kind, "_")
		if page.Text("data", i, name, "id") != page.Text("data", i, "id") {
			t.Errorf("entry %d has no object %s with the same id: %s", i, name, page.Raw)
		}
		out = append(out, kind+" "+page.Text("data", i, "id"))
	}
	return out
}

func TestTheTimelineMergesMessagesAndAttendances(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		first := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","text":"oi"}`).OK(201)
		id := first.Text("conversation")
		c := "/conversations/" + id
		att := openAttendance(t, w, id).ID()
		w.Clock.Advance(time.Hour)
		reply := ana.Post(t, c+"/messages", message("bom dia")).OK(201)
		w.A.Post(t, c+"/transfer", `{"user_id":null,"reason":"almoço"}`).OK(200)
		w.A.Post(t, c+"/attendance/close", nil).OK(200)
		last := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","text":"obrigado"}`).OK(201)
		second := openAttendance(t, w, id).ID()
		lines := w.A.Get(t, c+"/assignments").OK(200)
		all := []string{
			"attendance_opened " + second, "message " + last.ID(), "attendance_closed " + att, "assignment " + lines.Text("data", 0, "id"),
			"assignment " + lines.Text("data", 1, "id"), "message " + reply.ID(), "attendance_opened " + att, "message " + first.ID(),
		}

		t.Run("all entries are in one order, newest first", func(t *testing.T) {
			page := w.A.Get(t, c+"/timeline").OK(200)
			testkit.Diff(t, "entries", timelineEntries(t, page), all)
			testkit.Diff(t, "reason", page.At("data", 3, "assignment", "reason"), "almoço")
			testkit.Diff(t, "before", page.At("before"), nil)
			for i := 1; i < len(all); i++ {
				if page.Text("data", i-1, "at") < page.Text("data", i, "at") {
					t.Errorf("%s is listed before a newer entry", all[i-1])
				}
			}
			var shown, got any
			shown = page.At("data", 5, "message")
			w.A.Get(t, "/messages/"+reply.ID()).OK(200).Into(&got)
			testkit.Diff(t, "message in the timeline", shown, got)
		})
		for limit := 1; limit <= len(all)+1; limit++ {
			t.Run(fmt.Sprintf("pages of %d miss nothing in either direction", limit), func(t *testing.T) {
				var older []string
				page := w.A.Get(t, fmt.Sprintf("%s/timeline?limit=%d", c, limit)).OK(200)
				for {
					older = append(older, timelineEntries(t, page)...)
					if page.At("before") == nil {
						break
					}
					page = w.A.Get(t, fmt.Sprintf("%s/timeline?limit=%d&before=%s", c, limit, page.Text("before"))).OK(200)
				}
				testkit.Diff(t, "entries read backwards", older, all)
				newer := []string{}
				for {
					page = w.A.Get(t, fmt.Sprintf("%s/timeline?limit=%d&after=%s", c, limit, page.Text("after"))).OK(200)
					if len(page.List()) == 0 {
						break
					}
					part := timelineEntries(t, page)
					slices.Reverse(part)
					newer = append(newer, part...)
				}
				slices.Reverse(newer)
				testkit.Diff(t, "entries read forwards", newer, all[:len(newer)])
				if page.At("before") == nil {
					t.Error("before of the empty last page: got null, want a cursor")
				}
			})
		}
		t.Run("a page can be requested around a message", func(t *testing.T) {
			testkit.Diff(t, "five entries", timelineEntries(t, w.A.Get(t, c+"/timeline?limit=5&around="+reply.ID()).OK(200)), all[3:8])
			testkit.Diff(t, "one entry", timelineEntries(t, w.A.Get(t, c+"/timeline?limit=1&around="+reply.ID()).OK(200)), all[5:6])
			testkit.Diff(t, "three entries at the end", timelineEntries(t, w.A.Get(t, c+"/timeline?limit=3&around="+last.ID()).OK(200)), all[0:3])
			w.A.Get(t, c+"/timeline?around="+kernel.NewID().String()).Fails(404, "not_found")
			w.A.Get(t, c+"/timeline?around=7").Fails(404, "not_found")
			elsewhere := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(2)+`","text":"oi"}`).OK(201).ID()
			w.A.Get(t, c+"/timeline?around="+elsewhere).Fails(404, "not_found")
		})
		t.Run("a page can be requested at a time", func(t *testing.T) {
			testkit.Diff(t, "entry at the time of the reply", timelineEntries(t, w.A.Get(t, c+"/timeline?limit=1&at="+reply.Text("created_at")).OK(200)), all[5:6])
			testkit.Diff(t, "entry at an early time", timelineEntries(t, w.A.Get(t, c+"/timeline?limit=1&at=2001-01-01T00:00:00Z").OK(200)), all[7:8])
			testkit.Diff(t, "entry at a later time", timelineEntries(t, w.A.Get(t, c+"/timeline?limit=1&at=2099-01-01T00:00:00Z").OK(200)), all[0:1])
			w.A.Get(t, c+"/timeline?at=yesterday").Fails(400, "invalid_request")
		})
		t.Run("only one position can be given", func(t *testing.T) {
			after := w.A.Get(t, c+"/timeline").OK(200).Text("after")
			w.A.Get(t, c+"/timeline?at=2099-01-01T00:00:00Z&after="+after).Fails(400, "invalid_request")
			w.A.Get(t, c+"/timeline?after=x").Fails(400, "invalid_cursor")
		})
		t.Run("without attendances:read there are only messages", func(t *testing.T) {
			_, key := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeMessagesRead))
			testkit.Diff(t, "entries", timelineEntries(t, key.Get(t, c+"/timeline").OK(200)), []string{"message " + last.ID(), "message " + reply.ID(), "message " + first.ID()})
		})
		t.Run("an invisible conversation is not found", func(t *testing.T) {
			w.B.Get(t, c+"/timeline").Fails(404, "not_found")
			addMember(t, w, "Olga", `"access_profile":"own"`).Get(t, c+"/timeline").Fails(404, "not_found")
		})
	})
}
