package api_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/reasons"
	"recado/test/servertest"
	"recado/test/testkit"
)

// createReason creates a closing reason of company A. more are additional fields of the body, such as `"require_note":true`.
func createReason(t *testing.T, w *servertest.World, name string, more ...string) string {
	t.Helper()
	body := fmt.Sprintf(`{"name":%q`, name)
	for _, field := range more {
		body += "," + field
	}
	return w.A.Post(t, "/closing-reasons", body+"}").OK(201).ID()
}

// reasonNames returns the names in the list of company A.
func reasonNames(t *testing.T, w *servertest.World) string {
	t.Helper()
	var names []string
	for _, r := range w.A.Get(t, "/closing-reasons").OK(200).List() {
		names = append(names, r.(map[string]any)["name"].(string))
	}
	return strings.Join(names, " ")
}

// expectDetail checks the field and the code of the only detail of an error.
func expectDetail(t *testing.T, a *servertest.Answer, field, code string) {
	t.Helper()
	testkit.Equal(t, "number of details", len(a.List("details")), 1)
	testkit.Equal(t, "field", a.Text("details", 0, "field"), field)
	testkit.Equal(t, "code", a.Text("details", 0, "code"), code)
}

func TestClosingReasonsAreManaged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		foreign := w.B.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()

		t.Run("a new reason is active, for all sectors and needs no note", func(t *testing.T) {
			testkit.Equal(t, "empty list", len(w.A.Get(t, "/closing-reasons").OK(200).List()), 0)
			got := w.A.Post(t, "/closing-reasons", `{"name":"  Solved "}`).OK(201)
			testkit.Diff(t, "reason", got.At(), map[string]any{
				"id": got.ID(), "name": "Solved", "sector_ids": []any{}, "require_note": false, "active": true, "position": 0.0,
				"created_at": got.Text("created_at"), "updated_at": got.Text("created_at"),
			})
			testkit.Diff(t, "list", w.A.Get(t, "/closing-reasons").OK(200).At("data", 0), got.At())
			testkit.Equal(t, "list of another company", len(w.B.Get(t, "/closing-reasons").OK(200).List()), 0)
		})
		t.Run("every field can be set and changed", func(t *testing.T) {
			made := w.A.Post(t, "/closing-reasons", map[string]any{
				"name": "Sale", "sector_ids": []string{sector, sector}, "require_note": true, "active": false, "position": 7,
			}).OK(201)
			testkit.Diff(t, "reason", made.At(), map[string]any{
				"id": made.ID(), "name": "Sale", "sector_ids": []any{sector}, "require_note": true, "active": false, "position": 7.0,
				"created_at": made.Text("created_at"), "updated_at": made.Text("created_at"),
			})
			at := "/closing-reasons/" + made.ID()
			same := w.A.Patch(t, at, nil).OK(200)
			want := made.At().(map[string]any)
			want["updated_at"] = same.Text("updated_at")
			testkit.Diff(t, "reason after an empty change", same.At(), any(want))
			w.Clock.Advance(time.Minute)
			changed := w.A.Patch(t, at, `{"name":"Order","sector_ids":[],"require_note":false,"active":true,"position":9}`).OK(200)
			testkit.Diff(t, "changed reason", changed.At(), map[string]any{
				"id": made.ID(), "name": "Order", "sector_ids": []any{}, "require_note": false, "active": true, "position": 9.0,
				"created_at": made.Text("created_at"), "updated_at": changed.Text("updated_at"),
			})
			if changed.Text("updated_at") <= made.Text("updated_at") {
				t.Errorf("updated_at is %s after a change of a reason of %s", changed.Text("updated_at"), made.Text("updated_at"))
			}
			testkit.Diff(t, "changed reason in the list", w.A.Get(t, "/closing-reasons").OK(200).At("data", 1), changed.At())
			w.A.Delete(t, at).OK(204)
		})
		t.Run("names are unique regardless of case and accents, and free again after deletion", func(t *testing.T) {
			id := createReason(t, w, "Devolução")
			w.A.Post(t, "/closing-reasons", `{"name":" DEVOLUCAO "}`).Fails(409, "name_taken")
			w.A.Patch(t, "/closing-reasons/"+id, `{"name":"solved"}`).Fails(409, "name_taken")
			w.A.Patch(t, "/closing-reasons/"+id, `{"name":"devolução"}`).OK(200) // its own name
			w.B.Post(t, "/closing-reasons", `{"name":"Devolução"}`).OK(201)
			w.A.Delete(t, "/closing-reasons/"+id).OK(204)
			w.A.Delete(t, "/closing-reasons/"+id).Fails(404, "not_found")
			w.A.Patch(t, "/closing-reasons/"+id, `{"active":false}`).Fails(404, "not_found")
			w.A.Delete(t, "/closing-reasons/"+createReason(t, w, "Devolução")).OK(204)
			testkit.Equal(t, "names", reasonNames(t, w), "Solved")
		})
		t.Run("bad input is refused with the name of its field", func(t *testing.T) {
			id := createReason(t, w, "Other")
			long := strings.Repeat("é", 61)
			for body, field := range map[string]string{
				`{"name":""}`: "body.name", `{"name":"  "}`: "body.name", `{"name":"` + long + `"}`: "body.name", `{"name":"a\nb"}`: "body.name", `{"name":7}`: "body.name",
				`{"name":"x","sector_ids":["` + foreign + `"]}`:                                  "body.sector_ids[0]",
				`{"name":"x","sector_ids":["` + sector + `","` + kernel.NewID().String() + `"]}`: "body.sector_ids[1]",
				`{"name":"x","sector_ids":["x"]}`:                                                "body.sector_ids[0]",
				`{"name":"x","sector_ids":null}`:                                                 "body.sector_ids",
				`{"name":"x","require_note":1}`:                                                  "body.require_note",
				`{"name":"x","active":"yes"}`:                                                    "body.active",
				`{"name":"x","position":-1}`:                                                     "body.position",
				`{"name":"x","position":1.5}`:                                                    "body.position",
				`{"name":"x","color":"red"}`:                                                     "body.color",
			} {
				for _, a := range []*servertest.Answer{w.A.Post(t, "/closing-reasons", body), w.A.Patch(t, "/closing-reasons/"+id, body)} {
					testkit.Equal(t, body, a.Fails(400, "invalid_request").Text("details", 0, "field"), field)
				}
			}
			w.A.Post(t, "/closing-reasons", `{}`).Fails(400, "invalid_request")
			w.A.Post(t, "/closing-reasons", map[string]any{"name": strings.Repeat("é", 60)}).OK(201)
		})
	})
}

func TestClosingReasonsHaveAnOrder(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ids := map[string]string{}
		for _, name := range []string{"d", "a", "c", "b"} {
			ids[name] = createReason(t, w, name)
		}
		testkit.Equal(t, "new reasons go last", reasonNames(t, w), "d a c b")
		move := func(name string, position int) {
			t.Helper()
			got := w.A.Patch(t, "/closing-reasons/"+ids[name], map[string]any{"position": position}).OK(200)
			testkit.Equal(t, "position", got.Int("position"), position)
		}
		move("b", 0)
		testkit.Equal(t, "b moved to the beginning", reasonNames(t, w), "b d a c")
		move("b", 2)
		testkit.Equal(t, "b moved down by two", reasonNames(t, w), "d a b c")
		move("d", 3)
		testkit.Equal(t, "d moved to the end", reasonNames(t, w), "a b c d")
		move("a", 1000)
		testkit.Equal(t, "a moved far away", reasonNames(t, w), "b c d a")
		w.A.Delete(t, "/closing-reasons/"+ids["c"]).OK(204)
		createReason(t, w, "e")
		testkit.Equal(t, "e is the last one", reasonNames(t, w), "b d a e")
		first := w.A.Get(t, "/closing-reasons").OK(200).Int("data", 0, "position")
		createReason(t, w, "f", fmt.Sprintf(`"position":%d`, first))
		testkit.Equal(t, "f at the position of b", reasonNames(t, w), "f b d a e")
	})
}

func TestTheLastClosingReasonIsCreatedOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for n := range reasons.MaxReasons - 1 {
			createReason(t, w, fmt.Sprintf("reason %d", n))
		}
		var n atomic.Int64
		statuses := race(8, func() int {
			return w.A.Post(t, "/closing-reasons", map[string]any{"name": fmt.Sprintf("last %d", n.Add(1))}).Status
		})
		testkit.Diff(t, "statuses of 8 concurrent creations for one place", statuses, map[int]int{201: 1, 409: 7})
		list := w.A.Get(t, "/closing-reasons").OK(200).List()
		testkit.Equal(t, "number of reasons", len(list), 100)
		w.A.Post(t, "/closing-reasons", `{"name":"one more"}`).Fails(409, "limit_reached")
		w.A.Delete(t, "/closing-reasons/"+list[0].(map[string]any)["id"].(string)).OK(204)
		statuses = race(8, func() int { return w.A.Post(t, "/closing-reasons", `{"name":"the same"}`).Status })
		testkit.Diff(t, "statuses of 8 concurrent creations with one name", statuses, map[int]int{201: 1, 409: 7})
		positions := map[any]bool{}
		for _, r := range w.A.Get(t, "/closing-reasons").OK(200).List() {
			positions[r.(map[string]any)["position"]] = true
		}
		testkit.Equal(t, "number of different positions", len(positions), 100)
	})
}

func TestWhoMayManageClosingReasons(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := createReason(t, w, "Solved")
		for role, allowed := range map[string]bool{"owner": true, "admin": true, "manager": false, "agent": false} {
			c := addMember(t, w, "R-"+role, `"role":"`+role+`"`)
			testkit.Equal(t, "reasons that a "+role+" sees", len(c.Get(t, "/closing-reasons").OK(200).List()), 1)
			if allowed {
				c.Delete(t, "/closing-reasons/"+c.Post(t, "/closing-reasons", `{"name":"mine"}`).OK(201).ID()).OK(204)
				c.Patch(t, "/closing-reasons/"+id, `{"active":true}`).OK(200)
				continue
			}
			c.Post(t, "/closing-reasons", `{"name":"mine"}`).Fails(403, "insufficient_scope")
			c.Patch(t, "/closing-reasons/"+id, `{"active":false}`).Fails(403, "insufficient_scope")
			c.Delete(t, "/closing-reasons/"+id).Fails(403, "insufficient_scope")
		}
		_, reader := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeAttendancesRead))
		reader.Get(t, "/closing-reasons").OK(200)
		reader.Post(t, "/closing-reasons", `{"name":"x"}`).Fails(403, "insufficient_scope")
		_, manager := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeCompanyManage))
		manager.Get(t, "/closing-reasons").Fails(403, "insufficient_scope")
		manager.Post(t, "/closing-reasons", `{"name":"x"}`).OK(201)
	})
}

func TestACaseIsClosedWithAReason(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		n := 0
		open := func() string {
			n++
			return "/conversations/" + customerWrites(t, w, channel, phoneNumber(n))
		}
		sales, support := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID(), w.A.Post(t, "/sectors", `{"name":"Suporte"}`).OK(201).ID()
		solved := createReason(t, w, "Solved")
		sale := createReason(t, w, "Sale", `"sector_ids":["`+sales+`"]`)
		noted := createReason(t, w, "Other", `"require_note":true`)
		foreign := w.B.Post(t, "/closing-reasons", `{"name":"Foreign"}`).OK(201).ID()
		body := func(reason, more string) string { return `{"reason_id":"` + reason + `"` + more + `}` }

		t.Run("closing is null while a case is open, and has the reason, the note and who closed it afterwards", func(t *testing.T) {
			c := open()
			testkit.Equal(t, "closing of an open case", w.A.Get(t, c+"/attendance").OK(200).At("closing"), nil)
			closed := w.A.Post(t, c+"/attendance/close", body(solved, `,"note":"by phone","reason":"my text"`)).OK(200)
			want := map[string]any{"reason": map[string]any{"id": solved, "name": "Solved"}, "note": "by phone", "by": "person"}
			testkit.Diff(t, "closing", closed.At("closing"), any(want))
			testkit.Equal(t, "close_reason", closed.Text("close_reason"), "my text")
			testkit.Diff(t, "closing read by id", w.A.Get(t, "/attendances/"+closed.ID()).OK(200).At("closing"), any(want))
			testkit.Diff(t, "closing in the list", w.A.Get(t, "/attendances?status=closed").OK(200).At("data", 0, "closing"), any(want))
			for _, e := range (&feedReader{w: w}).next(t, "attendance.closed") {
				testkit.Diff(t, "closing in the event", e.at("attendance", "closing"), any(want))
			}
		})
		t.Run("without a reason the case has none", func(t *testing.T) {
			none := map[string]any{"reason": nil, "note": nil, "by": "person"}
			testkit.Diff(t, "closing without a body", w.A.Post(t, open()+"/attendance/close", nil).OK(200).At("closing"), any(none))
			testkit.Diff(t, "closing with a text", w.A.Post(t, open()+"/attendance/close", `{"reason":"solved","note":""}`).OK(200).At("closing"), any(none))
			none["note"] = "only this"
			testkit.Diff(t, "closing with a note", w.A.Post(t, open()+"/attendance/close", `{"note":"only this"}`).OK(200).At("closing"), any(none))
		})
		t.Run("the reason must exist, be active and be for the sector of the case", func(t *testing.T) {
			c := open()
			deleted := createReason(t, w, "Deleted")
			w.A.Delete(t, "/closing-reasons/"+deleted).OK(204)
			for _, id := range []string{kernel.NewID().String(), foreign, deleted, createReason(t, w, "Old", `"active":false`)} {
				expectDetail(t, w.A.Post(t, c+"/attendance/close", body(id, "")).Fails(400, "invalid_request"), "body.reason_id", "no_such")
			}
			expectDetail(t, w.A.Post(t, c+"/attendance/close", body(sale, "")).Fails(400, "invalid_request"), "body.reason_id", "not_allowed")
			w.A.Put(t, c+"/sector", map[string]any{"sector_id": support}).OK(200)
			expectDetail(t, w.A.Post(t, c+"/attendance/close", body(sale, "")).Fails(400, "invalid_request"), "body.reason_id", "not_allowed")
			for _, bad := range []string{`{"reason_id":"x"}`, `{"reason_id":7}`, `{"note":"` + strings.Repeat("x", 1001) + `"}`} {
				w.A.Post(t, c+"/attendance/close", bad).Fails(400, "invalid_request")
			}
			testkit.Equal(t, "status after the errors", w.A.Get(t, c+"/attendance").OK(200).Text("status"), "open")
			w.A.Put(t, c+"/sector", map[string]any{"sector_id": sales}).OK(200)
			testkit.Equal(t, "reason in its sector", w.A.Post(t, c+"/attendance/close", body(sale, "")).OK(200).Text("closing", "reason", "name"), "Sale")
		})
		t.Run("a reason can require a note", func(t *testing.T) {
			c := open()
			for _, note := range []string{"", `,"note":""`, `,"note":" \n "`} {
				expectDetail(t, w.A.Post(t, c+"/attendance/close", body(noted, note)).Fails(400, "invalid_request"), "body.note", "required")
			}
			testkit.Equal(t, "note", w.A.Post(t, c+"/attendance/close", body(noted, `,"note":"sent twice"`)).OK(200).Text("closing", "note"), "sent twice")
		})
		t.Run("reopening removes the reason", func(t *testing.T) {
			c := open()
			id := w.A.Post(t, c+"/attendance/close", body(noted, `,"note":"a mistake"`)).OK(200).ID()
			testkit.Equal(t, "closing after reopening", w.A.Post(t, c+"/attendance/reopen", nil).OK(200).At("closing"), nil)
			testkit.Equal(t, "closing read again", w.A.Get(t, "/attendances/"+id).OK(200).At("closing"), nil)
			again := w.A.Post(t, c+"/attendance/close", nil).OK(200)
			testkit.Diff(t, "closing without a reason", again.At("closing"), any(map[string]any{"reason": nil, "note": nil, "by": "person"}))
		})
		t.Run("closed cases show the new name of a reason, and keep it when the reason is deleted", func(t *testing.T) {
			reason := createReason(t, w, "Naem")
			id := w.A.Post(t, open()+"/attendance/close", body(reason, "")).OK(200).ID()
			name := func() string { return w.A.Get(t, "/attendances/"+id).OK(200).Text("closing", "reason", "name") }
			w.A.Patch(t, "/closing-reasons/"+reason, `{"name":"Name"}`).OK(200)
			testkit.Equal(t, "name after renaming", name(), "Name")
			w.A.Delete(t, "/closing-reasons/"+reason).OK(204)
			testkit.Equal(t, "name after deletion", name(), "Name")
			createReason(t, w, "Name")
			testkit.Equal(t, "id after another reason got the name", w.A.Get(t, "/attendances/"+id).OK(200).Text("closing", "reason", "id"), reason)
		})
		t.Run("a reason whose last sector is removed is not active any more", func(t *testing.T) {
			gone := w.A.Post(t, "/sectors", `{"name":"Gone"}`).OK(201).ID()
			one, both := createReason(t, w, "One", `"sector_ids":["`+gone+`"]`), createReason(t, w, "Both", `"sector_ids":["`+gone+`","`+sales+`"]`)
			c := open()
			w.A.Put(t, c+"/sector", map[string]any{"sector_id": gone}).OK(200)
			w.A.Delete(t, "/sectors/"+gone).OK(204)
			for _, r := range w.A.Get(t, "/closing-reasons").OK(200).List() {
				switch r := r.(map[string]any); r["id"] {
				case one:
					testkit.Diff(t, "reason with one sector", []any{r["active"], r["sector_ids"]}, []any{false, []any{}})
				case both:
					testkit.Diff(t, "reason with two sectors", []any{r["active"], r["sector_ids"]}, []any{true, []any{sales}})
				}
			}
			w.A.Post(t, c+"/attendance/close", body(one, "")).Fails(400, "invalid_request")
			testkit.Equal(t, "active", w.A.Patch(t, "/closing-reasons/"+one, `{"active":true}`).OK(200).At("active"), any(true))
			w.A.Post(t, c+"/attendance/close", body(one, "")).OK(200)
		})
		t.Run("a deletion at the same time leaves either an open case or one with the name", func(t *testing.T) {
			for i := range 5 {
				c, reason := open(), createReason(t, w, fmt.Sprintf("race %d", i))
				done := make(chan struct{})
				go func() {
					defer close(done)
					w.A.Delete(t, "/closing-reasons/"+reason).OK(204)
				}()
				got := w.A.Post(t, c+"/attendance/close", body(reason, ""))
				<-done
				if got.Status == 200 {
					testkit.Equal(t, "name", w.A.Get(t, "/attendances/"+got.ID()).OK(200).Text("closing", "reason", "name"), fmt.Sprintf("race %d", i))
				} else {
					expectDetail(t, got.Fails(400, "invalid_request"), "body.reason_id", "no_such")
				}
			}
		})
	})
}

func TestACompanyCanRequireClosingReasons(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newReceptionChannel(t, w)
		channel := newChannel(t, w.A, "+551133334444")
		ana := addMember(t, w, "Bia")
		solved := createReason(t, w, "Solved")
		sale := createReason(t, w, "Sale", `"sector_ids":["`+f.sales+`"]`)
		testkit.Equal(t, "require_reason of a new company", w.A.Get(t, "/company/attendance").OK(200).At("require_reason"), any(false))
		testkit.Equal(t, "require_reason", w.A.Patch(t, "/company/attendance", `{"require_reason":true}`).OK(200).At("require_reason"), any(true))
		testkit.Equal(t, "require_reason of another company", w.B.Get(t, "/company/attendance").OK(200).At("require_reason"), any(false))
		n := 100
		open := func() string {
			n++
			return customerWrites(t, w, channel, phoneNumber(n))
		}

		t.Run("closing without a reason is refused, even with a text", func(t *testing.T) {
			at := "/conversations/" + open() + "/attendance"
			for _, body := range []any{nil, `{}`, `{"reason":"solved"}`, `{"reason":"solved","note":"a note"}`} {
				for _, c := range []*servertest.Client{w.A.Client, ana.Client} {
					expectDetail(t, c.Post(t, at+"/close", body).Fails(400, "reason_required"), "body.reason_id", "required")
				}
			}
			testkit.Equal(t, "status", w.A.Get(t, at).OK(200).Text("status"), "open")
			ana.Post(t, at+"/close", `{"reason_id":"`+solved+`"}`).OK(200)
		})
		t.Run("closing several is refused for each without a reason that fits", func(t *testing.T) {
			inSales, other := open(), open()
			w.A.Put(t, "/conversations/"+inSales+"/sector", map[string]any{"sector_id": f.sales}).OK(200)
			bulk := func(fields map[string]any) *servertest.Answer {
				fields["ids"], fields["action"] = []string{inSales, other}, "close"
				return w.A.Post(t, "/conversations/bulk", fields)
			}
			refused := func(id, code string) map[string]any { return map[string]any{"id": id, "status": 400.0, "code": code} }
			testkit.Diff(t, "results without a reason", bulk(map[string]any{"reason": "solved"}).OK(200).List("results"),
				[]any{refused(inSales, "reason_required"), refused(other, "reason_required")})
			testkit.Diff(t, "results with a reason of one sector", bulk(map[string]any{"reason_id": sale, "note": "together"}).OK(200).List("results"),
				[]any{map[string]any{"id": inSales, "status": 200.0}, refused(other, "invalid_request")})
			expectDetail(t, bulk(map[string]any{"reason_id": kernel.NewID()}).Fails(400, "invalid_request"), "body.reason_id", "no_such")
			bulk(map[string]any{"reason_id": solved}).OK(200)
			closed := w.A.Get(t, "/attendances?conversation="+inSales).OK(200)
			testkit.Diff(t, "closing of the first", closed.At("data", 0, "closing"),
				any(map[string]any{"reason": map[string]any{"id": sale, "name": "Sale"}, "note": "together", "by": "person"}))
			testkit.Equal(t, "reason of the second", w.A.Get(t, "/attendances?conversation="+other).OK(200).Text("data", 0, "closing", "reason", "name"), "Solved")
		})
		t.Run("moving a card to Done is refused without a reason", func(t *testing.T) {
			id := open()
			protocol := openAttendance(t, w, id).Text("protocol")
			stages := w.A.Get(t, "/kanban/boards").OK(200)
			card := w.A.Get(t, "/kanban/cards?q="+protocol).OK(200)
			move := func(stage int, more string) *servertest.Answer {
				t.Helper()
				return w.A.Post(t, "/kanban/cards/"+card.Text("data", 0, "id")+"/move",
					fmt.Sprintf(`{"stage_id":%q,"version":%d%s}`, stages.Text(0, "stages", stage, "id"), card.Int("data", 0, "version"), more), idempotencyKey()...)
			}
			expectDetail(t, move(2, "").Fails(400, "reason_required"), "body.reason_id", "required")
			expectDetail(t, move(2, `,"reason_id":"`+sale+`"`).Fails(400, "invalid_request"), "body.reason_id", "not_allowed")
			expectDetail(t, move(1, `,"reason_id":"`+kernel.NewID().String()+`"`).Fails(400, "invalid_request"), "body.reason_id", "no_such")
			testkit.Equal(t, "stage after the errors", w.A.Get(t, "/kanban/cards/"+card.Text("data", 0, "id")).OK(200).Text("stage_id"), card.Text("data", 0, "stage_id"))
			move(2, `,"reason_id":"`+solved+`","note":"on the board"`).OK(200)
			testkit.Diff(t, "closing", w.A.Get(t, "/attendances?conversation="+id).OK(200).At("data", 0, "closing"),
				any(map[string]any{"reason": map[string]any{"id": solved, "name": "Solved"}, "note": "on the board", "by": "person"}))
		})
		t.Run("customers who close their case in the menu need none", func(t *testing.T) {
			c := f.customer().says(t, "oi", "4")
			testkit.Diff(t, "closing", w.A.Get(t, "/attendances?conversation="+c.conversation).OK(200).At("data", 0, "closing"),
				any(map[string]any{"reason": nil, "note": nil, "by": "customer"}))
		})
		t.Run("automatic closing needs none", func(t *testing.T) {
			id := open()
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true,"after_minutes":30}}`).OK(200)
			w.Clock.Advance(31 * time.Minute)
			if _, err := w.Desk.Talk.CloseIdle(context.Background(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
			testkit.Diff(t, "closing", w.A.Get(t, "/attendances?conversation="+id).OK(200).At("data", 0, "closing"),
				any(map[string]any{"reason": nil, "note": nil, "by": "automatic"}))
		})
	})
}

func TestCasesOfPrivateNumbersAreClosedWithReasons(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		viewer := w.A.Enter(t, w.A.Owner.ID.String(), "correct horse battery")
		private := viewer.Post(t, "/channels", map[string]any{
			"name": "Directors", "phone": "+5511955554444", "provider": "sandbox", "private": true,
		}).OK(201).ID()
		reason := createReason(t, w, "Solved")
		w.A.Patch(t, "/company/attendance", `{"require_reason":true}`).OK(200)
		receiveConfidentialMessage(t, w, private)
		at := "/conversations/" + viewer.Get(t, "/conversations").OK(200).Text("data", 0, "id") + "/attendance"
		w.A.Post(t, at+"/close", map[string]any{"reason_id": reason}).Fails(404, "not_found")
		viewer.Post(t, at+"/close", nil).Fails(400, "reason_required")
		closed := viewer.Post(t, at+"/close", map[string]any{"reason_id": reason}).OK(200)
		testkit.Equal(t, "reason", closed.Text("closing", "reason", "name"), "Solved")
		w.A.Get(t, "/attendances/"+closed.ID()).Fails(404, "not_found")
		testkit.Equal(t, "cases that a key sees", len(w.A.Get(t, "/attendances?status=closed").OK(200).List()), 0)
	})
}
