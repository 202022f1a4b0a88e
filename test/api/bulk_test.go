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
	"recado/test/testkit"
)

func TestAConversationCanBeMarkedUnread(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := "/conversations/" + customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		w.A.Post(t, c+"/read", nil).OK(200)
		again := w.A.Post(t, c+"/unread", nil).OK(200)
		testkit.Diff(t, "unread", []any{again.At("unread"), again.At("unread_count")}, []any{true, 1.0})
		testkit.Diff(t, "updated_at after a second call", w.A.Post(t, c+"/unread", nil).OK(200).At("updated_at"), again.At("updated_at"))
		w.B.Post(t, c+"/unread", nil).Fails(404, "not_found")
	})
}

func TestAMemberTakesAConversation(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, bia, own := addMember(t, w, "Ana"), addMember(t, w, "Bia"), addMember(t, w, "Olga", `"access_profile":"own"`)
		manager := addMember(t, w, "Caio", `"role":"manager"`)
		id := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		c := "/conversations/" + id

		t.Run("taking it makes the caller responsible", func(t *testing.T) {
			testkit.Diff(t, "assignee", ana.Post(t, c+"/take", nil).OK(200).Text("assignee"), ana.id)
			testkit.Diff(t, "responsible", openAttendance(t, w, id).Text("responsible", "id"), ana.id)
			testkit.Diff(t, "history", assignmentHistory(t, w, id), []string{"took_over Ana Ana"})
			ana.Post(t, c+"/take", nil).OK(200)
			testkit.Diff(t, "number of history entries after taking the conversation again", len(assignmentHistory(t, w, id)), 1)
			testkit.Diff(t, "assignee", bia.Post(t, c+"/take", nil).OK(200).Text("assignee"), bia.id)
		})
		t.Run("restricted mode refuses to take it from another member", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"mode":"restricted"}`).OK(200)
			ana.Post(t, c+"/take", nil).Fails(409, "attendance_restricted")
			testkit.Diff(t, "assignee after a manager took it", manager.Post(t, c+"/take", nil).OK(200).Text("assignee"), manager.id)
			w.A.Post(t, c+"/transfer", `{"user_id":null}`).OK(200)
			testkit.Diff(t, "assignee after taking it from the queue", ana.Post(t, c+"/take", nil).OK(200).Text("assignee"), ana.id)
		})
		t.Run("an invisible conversation is not found", func(t *testing.T) {
			own.Post(t, c+"/take", nil).Fails(404, "not_found")
			w.B.Post(t, c+"/take", nil).Fails(404, "not_found")
		})
	})
}

func TestAConversationCanBeSnoozed(t *testing.T) {
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
			testkit.Diff(t, "snoozed_until", w.A.Post(t, c+"/snooze", `{"until":"`+until+`"}`).OK(200).Text("snoozed_until"), until)
			return until
		}

		t.Run("snoozed conversations are not listed or counted as open or waiting", func(t *testing.T) {
			snooze()
			testkit.Diff(t, "open", listedIDs(t, w.A.Client, "status=open"), []string{other})
			testkit.Diff(t, "waiting", listedIDs(t, w.A.Client, "status=waiting&sort=oldest_waiting"), []string{other})
			testkit.Diff(t, "all", listedIDs(t, w.A.Client, ""), []string{other, id})
			testkit.Diff(t, "snoozed=true", listedIDs(t, w.A.Client, "snoozed=true"), []string{id})
			testkit.Diff(t, "open and snoozed", listedIDs(t, w.A.Client, "status=open&snoozed=true"), []string{id})
			testkit.Diff(t, "snoozed=false", listedIDs(t, w.A.Client, "snoozed=false"), []string{other})
			counts := w.A.Get(t, "/inbox/counts").OK(200)
			testkit.Diff(t, "open and snoozed", []int{counts.Int("open"), counts.Int("snoozed")}, []int{1, 1})
		})
		t.Run("a customer's message ends it and marks the conversation unread", func(t *testing.T) {
			customerWrites(t, w, channel, phoneNumber(1))
			got := w.A.Get(t, c).OK(200)
			testkit.Diff(t, "snoozed_until and unread", []any{got.At("snoozed_until"), got.At("unread")}, []any{nil, true})
		})
		t.Run("it ends at its time and marks the conversation unread", func(t *testing.T) {
			w.A.Post(t, c+"/read", nil).OK(200)
			until := snooze()
			wake()
			testkit.Diff(t, "snoozed_until before its time", w.A.Get(t, c).OK(200).Text("snoozed_until"), until)
			w.Clock.Advance(2 * time.Hour)
			wake()
			got := w.A.Get(t, c).OK(200)
			testkit.Diff(t, "snoozed_until and unread", []any{got.At("snoozed_until"), got.At("unread")}, []any{nil, true})
		})
		t.Run("until null ends it", func(t *testing.T) {
			snooze()
			testkit.Diff(t, "snoozed_until", w.A.Post(t, c+"/snooze", `{"until":null}`).OK(200).At("snoozed_until"), nil)
		})
		t.Run("bad times are refused", func(t *testing.T) {
			for _, body := range []string{`{}`, `{"until":"tomorrow"}`, `{"until":"2001-01-01T00:00:00Z"}`, `{"until":1}`} {
				w.A.Post(t, c+"/snooze", body).Fails(400, "invalid_request")
			}
			w.B.Post(t, c+"/snooze", `{"until":null}`).Fails(404, "not_found")
		})
	})
}

func TestBulkLabellingRespectsTheLabelLimit(t *testing.T) {
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
		testkit.Diff(t, "status of adding as many labels as allowed", label(labels[:talk.MaxConversationLabels]), 200.0)
		testkit.Diff(t, "status of adding one more", label(last), 409.0)
		testkit.Diff(t, "status of adding a label that it has", label(labels[:1]), 200.0)
		testkit.Diff(t, "status of replacing a label", label(last, labels[0]), 200.0)
		testkit.Diff(t, "number of labels", len(w.A.Get(t, "/conversations/"+id).OK(200).List("label_ids")), talk.MaxConversationLabels)
	})
}

func TestBulkActionsApplyToEachConversation(t *testing.T) {
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
		bulk := func(c *servertest.Client, ids, rest string) []any {
			t.Helper()
			return c.Post(t, "/conversations/bulk", `{"ids":`+ids+`,`+rest+`}`).OK(200).List("results")
		}
		results := func(status ...int) (out []any) {
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
			{`"action":"transfer","user_id":"` + ana.id + `","reason":"férias"`, "assignee", ana.id},
			{`"action":"transfer","sector_id":"` + sector + `"`, "sector", sector},
			{`"action":"label","add":["` + label + `"]`, "label_ids", []any{label}},
			{`"action":"label","remove":["` + label + `"]`, "label_ids", []any{}},
			{`"action":"snooze","until":"` + until + `"`, "snoozed_until", until},
			{`"action":"snooze","until":null`, "snoozed_until", nil},
		} {
			t.Run(step.action, func(t *testing.T) {
				testkit.Diff(t, "results", bulk(w.A.Client, all, step.action), results(200, 200, 200))
				for n := range ids {
					testkit.Diff(t, "conversation", get(n, step.field), step.want)
				}
			})
		}
		t.Run("results are in the order of ids and have a status and a code", func(t *testing.T) {
			w.A.Post(t, "/conversations/"+ids[1]+"/attendance/close", nil).OK(200)
			testkit.Diff(t, "close", bulk(w.A.Client, all, `"action":"close","reason":"fim"`), results(200, 409, 200))
			unknown := kernel.NewID().String()
			testkit.Diff(t, "results of an unknown and a known conversation", bulk(w.A.Client, `["`+unknown+`","`+ids[0]+`"]`, `"action":"read"`), []any{
				map[string]any{"id": unknown, "status": 404.0, "code": "not_found"}, map[string]any{"id": ids[0], "status": 200.0},
			})
			testkit.Diff(t, "code for another company", bulk(w.B.Client, `["`+ids[0]+`"]`, `"action":"read"`)[0].(map[string]any)["code"], "not_found")
		})
		t.Run("closing also needs attendances:write", func(t *testing.T) {
			_, c := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeConversationsWrite))
			testkit.Diff(t, "code", bulk(c, `["`+ids[0]+`"]`, `"action":"close"`)[0].(map[string]any)["code"], "insufficient_scope")
		})
		t.Run("a bad request is refused as a whole", func(t *testing.T) {
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
