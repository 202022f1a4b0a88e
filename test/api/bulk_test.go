package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/servertest"
)

func TestUnreadAgain(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := "/conversations/" + customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		w.A.Post(t, c+"/read", nil).OK(200)
		again := w.A.Post(t, c+"/unread", nil).OK(200)
		want(t, "unread", []any{again.At("unread"), again.At("unread_count")}, []any{true, 1.0})
		want(t, "a second time", w.A.Post(t, c+"/unread", nil).OK(200).At("updated_at"), again.At("updated_at"))
		w.B.Post(t, c+"/unread", nil).Fails(404, "not_found")
	})
}

func TestTakingAConversation(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, bia, own := addMember(t, w, "Ana"), addMember(t, w, "Bia"), addMember(t, w, "Olga", `"access_profile":"own"`)
		boss := addMember(t, w, "Caio", `"role":"manager"`)
		id := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		c := "/conversations/" + id

		t.Run("makes the caller responsible", func(t *testing.T) {
			want(t, "assignee", ana.Post(t, c+"/take", nil).OK(200).Text("assignee"), ana.ref)
			want(t, "responsible", current(t, w, id).Text("responsible", "id"), ana.ref)
			want(t, "history", history(t, w, id), []string{"took_over Ana Ana"})
			ana.Post(t, c+"/take", nil).OK(200)
			want(t, "history after taking what one has", len(history(t, w, id)), 1)
			want(t, "assignee", bia.Post(t, c+"/take", nil).OK(200).Text("assignee"), bia.ref)
		})
		t.Run("409 attendance_restricted where the rules forbid", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"mode":"restricted"}`).OK(200)
			ana.Post(t, c+"/take", nil).Fails(409, "attendance_restricted")
			want(t, "a manager", boss.Post(t, c+"/take", nil).OK(200).Text("assignee"), boss.ref)
			w.A.Post(t, c+"/transfer", `{"user_id":null}`).OK(200)
			want(t, "from the queue", ana.Post(t, c+"/take", nil).OK(200).Text("assignee"), ana.ref)
		})
		t.Run("what one may not see is not there", func(t *testing.T) {
			own.Post(t, c+"/take", nil).Fails(404, "not_found")
			w.B.Post(t, c+"/take", nil).Fails(404, "not_found")
		})
	})
}

func TestSnoozing(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		id, other := customerWrites(t, w, channel, phoneNumber(1)), customerWrites(t, w, channel, phoneNumber(2))
		c := "/conversations/" + id
		w.A.Post(t, c+"/read", nil).OK(200)
		wake := func() {
			t.Helper()
			if _, err := w.Desk.Talk.WakeSnoozed(context.Background(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
		}
		snooze := func() string {
			t.Helper()
			until := w.Clock.Now().Add(time.Hour).Format(kernel.Time)
			want(t, "snoozed_until", w.A.Post(t, c+"/snooze", `{"until":"`+until+`"}`).OK(200).Text("snoozed_until"), until)
			return until
		}

		t.Run("snoozed ones are left out of open and waiting and of the counts", func(t *testing.T) {
			snooze()
			want(t, "open", listedIDs(t, w.A.Client, "status=open"), []string{other})
			want(t, "waiting", listedIDs(t, w.A.Client, "status=waiting&sort=oldest_waiting"), []string{other})
			want(t, "all", listedIDs(t, w.A.Client, ""), []string{other, id})
			want(t, "snoozed=true", listedIDs(t, w.A.Client, "snoozed=true"), []string{id})
			want(t, "open and snoozed", listedIDs(t, w.A.Client, "status=open&snoozed=true"), []string{id})
			want(t, "snoozed=false", listedIDs(t, w.A.Client, "snoozed=false"), []string{other})
			counts := w.A.Get(t, "/inbox/counts").OK(200)
			want(t, "open and snoozed", []int{counts.Int("open"), counts.Int("snoozed")}, []int{1, 1})
		})
		t.Run("a customer's message wakes it, unread", func(t *testing.T) {
			customerWrites(t, w, channel, phoneNumber(1))
			got := w.A.Get(t, c).OK(200)
			want(t, "awake", []any{got.At("snoozed_until"), got.At("unread")}, []any{nil, true})
		})
		t.Run("the time wakes it, unread", func(t *testing.T) {
			w.A.Post(t, c+"/read", nil).OK(200)
			until := snooze()
			wake()
			want(t, "before its time", w.A.Get(t, c).OK(200).Text("snoozed_until"), until)
			w.Clock.Advance(2 * time.Hour)
			wake()
			got := w.A.Get(t, c).OK(200)
			want(t, "awake", []any{got.At("snoozed_until"), got.At("unread")}, []any{nil, true})
		})
		t.Run("null ends it", func(t *testing.T) {
			snooze()
			want(t, "snoozed_until", w.A.Post(t, c+"/snooze", `{"until":null}`).OK(200).At("snoozed_until"), nil)
		})
		t.Run("bad times are refused", func(t *testing.T) {
			for _, body := range []string{`{}`, `{"until":"tomorrow"}`, `{"until":"2001-01-01T00:00:00Z"}`, `{"until":1}`} {
				w.A.Post(t, c+"/snooze", body).Fails(400, "invalid_request")
			}
			w.B.Post(t, c+"/snooze", `{"until":null}`).Fails(404, "not_found")
		})
	})
}

func TestBulkAddsNoMoreLabelsThanAConversationMayHave(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		var labels []string
		for n := range talk.MaxConversationLabels + 1 {
			labels = append(labels, w.A.Post(t, "/labels", fmt.Sprintf(`{"name":"l%d"}`, n)).OK(201).ID())
		}
		label := func(add []string, remove ...string) any {
			t.Helper()
			body := map[string]any{"ids": []string{id}, "action": "label", "add": add, "remove": append([]string{}, remove...)}
			return w.A.Post(t, "/conversations/bulk", body).OK(200).At("results", 0, "status")
		}
		last := labels[talk.MaxConversationLabels:]
		want(t, "as many as fit", label(labels[:talk.MaxConversationLabels]), any(200.0))
		want(t, "one more", label(last), any(409.0))
		want(t, "one that it has", label(labels[:1]), any(200.0))
		want(t, "one instead of another", label(last, labels[0]), any(200.0))
		want(t, "labels", len(w.A.Get(t, "/conversations/"+id).OK(200).List("label_ids")), talk.MaxConversationLabels)
	})
}

func TestBulk(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		label := w.A.Post(t, "/labels", `{"name":"VIP"}`).OK(201).ID()
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		var ids []string
		for n := range 3 {
			ids = append(ids, customerWrites(t, w, channel, phoneNumber(n)))
		}
		all := `["` + strings.Join(ids, `","`) + `"]`
		do := func(c *servertest.Client, ids, rest string) []any {
			t.Helper()
			return c.Post(t, "/conversations/bulk", `{"ids":`+ids+`,`+rest+`}`).OK(200).List("results")
		}
		done := func(status ...int) (out []any) {
			for i, s := range status {
				r := map[string]any{"id": ids[i], "status": float64(s)}
				if s == 409 {
					r["code"] = "attendance_not_open"
				}
				out = append(out, r)
			}
			return out
		}
		get := func(n int, field string) any { return w.A.Get(t, "/conversations/"+ids[n]).OK(200).At(field) }
		until := w.Clock.Now().Add(time.Hour).Format(kernel.Time)

		for _, step := range []struct {
			action, field string
			want          any
		}{
			{`"action":"read"`, "unread", false},
			{`"action":"unread"`, "unread", true},
			{`"action":"archive"`, "archived", true},
			{`"action":"unarchive"`, "archived", false},
			{`"action":"take"`, "assignee", w.A.Owner.ID.String()},
			{`"action":"transfer","user_id":"` + ana.ref + `","reason":"férias"`, "assignee", ana.ref},
			{`"action":"transfer","sector_id":"` + sector + `"`, "sector", sector},
			{`"action":"label","add":["` + label + `"]`, "label_ids", []any{label}},
			{`"action":"label","remove":["` + label + `"]`, "label_ids", []any{}},
			{`"action":"snooze","until":"` + until + `"`, "snoozed_until", until},
			{`"action":"snooze","until":null`, "snoozed_until", nil},
		} {
			t.Run(step.action, func(t *testing.T) {
				want(t, "results", do(w.A.Client, all, step.action), done(200, 200, 200))
				for n := range ids {
					want(t, "conversation", get(n, step.field), step.want)
				}
			})
		}
		t.Run("results in the order of ids, with status and code", func(t *testing.T) {
			w.A.Post(t, "/conversations/"+ids[1]+"/attendance/close", nil).OK(200)
			want(t, "close", do(w.A.Client, all, `"action":"close","reason":"fim"`), done(200, 409, 200))
			strange := kernel.NewID().String()
			want(t, "unknown ones", do(w.A.Client, `["`+strange+`","`+ids[0]+`"]`, `"action":"read"`), []any{
				map[string]any{"id": strange, "status": 404.0, "code": "not_found"}, map[string]any{"id": ids[0], "status": 200.0},
			})
			want(t, "the other company", do(w.B.Client, `["`+ids[0]+`"]`, `"action":"read"`)[0].(map[string]any)["code"], any("not_found"))
		})
		t.Run("closing takes attendances:write as well", func(t *testing.T) {
			_, c := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeConversationsWrite))
			want(t, "code", do(c, `["`+ids[0]+`"]`, `"action":"close"`)[0].(map[string]any)["code"], any("insufficient_scope"))
		})
		t.Run("bad calls are refused as a whole", func(t *testing.T) {
			many := strings.TrimSuffix(strings.Repeat(`"`+ids[0]+`",`, 101), ",")
			for _, body := range []string{
				`{"ids":[],"action":"read"}`, `{"ids":[` + many + `],"action":"read"}`, `{"ids":` + all + `,"action":"explode"}`, `{"ids":` + all + `}`,
				`{"ids":["x"],"action":"read"}`, `{"ids":` + all + `,"action":"transfer"}`, `{"ids":` + all + `,"action":"label"}`,
				`{"ids":` + all + `,"action":"snooze"}`, `{"ids":` + all + `,"action":"snooze","until":"2001-01-01T00:00:00Z"}`,
				fmt.Sprintf(`{"ids":%s,"action":"label","add":[%q]}`, all, kernel.NewID()),
				fmt.Sprintf(`{"ids":%s,"action":"transfer","user_id":%q}`, all, kernel.NewID()),
				fmt.Sprintf(`{"ids":%s,"action":"transfer","sector_id":%q}`, all, kernel.NewID()),
			} {
				w.A.Post(t, "/conversations/bulk", body).Fails(400, "invalid_request")
			}
		})
	})
}
