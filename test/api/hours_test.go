package api_test

import (
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

const shopHours = `{"name":"Shop","timezone":"America/Sao_Paulo",
	"weekly":[{"days":["mon","tue","wed","thu","fri"],"from":"08:00","to":"12:00"},{"days":["mon","tue","wed","thu","fri"],"from":"13:00","to":"18:00"}],
	"exceptions":[{"date":"--12-25","closed":true},{"date":"2026-12-24","periods":[{"from":"08:00","to":"12:00"}]}]}`

func TestOpeningHoursAreStoredAndEvaluated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.A.Post(t, "/hours", shopHours).OK(201)
		at := "/hours/" + made.ID()
		t.Run("they are returned as they were sent", func(t *testing.T) {
			got := w.A.Get(t, at).OK(200)
			testkit.Diff(t, "hours read by id", string(got.Raw), string(made.Raw))
			testkit.Diff(t, "name", got.Text("name"), "Shop")
			testkit.Diff(t, "to", got.Text("weekly", 1, "to"), "18:00")
			testkit.Diff(t, "closed", got.At("exceptions", 0, "closed"), true)
			testkit.Diff(t, "periods", len(got.List("exceptions", 0, "periods")), 0)
			testkit.Diff(t, "from", got.Text("exceptions", 1, "periods", 0, "from"), "08:00")
			testkit.Diff(t, "list", w.A.Get(t, "/hours").OK(200).Text("data", 0, "id"), made.ID())
		})
		t.Run("the status says when it changes next", func(t *testing.T) {
			open := w.A.Get(t, at+"/status?at=2026-11-16T14:00:00Z").OK(200)
			testkit.Diff(t, "open", open.At("open"), true)
			testkit.Diff(t, "closes_at", open.Text("closes_at"), "2026-11-16T15:00:00.000Z")
			testkit.Diff(t, "next_open_at", open.At("next_open_at"), nil)
			closed := w.A.Get(t, at+"/status?at=2026-12-24T15:00:00Z").OK(200)
			testkit.Diff(t, "open", closed.At("open"), false)
			testkit.Diff(t, "closes_at", closed.At("closes_at"), nil)
			testkit.Diff(t, "next_open_at", closed.Text("next_open_at"), "2026-12-28T11:00:00.000Z")
			w.A.Get(t, at+"/status").OK(200)
			w.A.Get(t, at+"/status?at=yesterday").Fails(400, "invalid_request")
		})
		t.Run("invalid hours are refused with the field", func(t *testing.T) {
			for body, field := range map[string]string{
				`{"name":"x","weekly":[{"days":["mon"],"from":"12:00","to":"08:00"}]}`:                                              "body.weekly[0].to",
				`{"name":"x","weekly":[{"days":["mon"],"from":"08:00","to":"12:00"},{"days":["mon"],"from":"11:00","to":"13:00"}]}`: "body.weekly[1]",
				`{"name":"x","exceptions":[{"date":"2026-02-30","closed":true}]}`:                                                   "body.exceptions[0].date",
				`{"name":"x","exceptions":[{"date":"2026-02-20"}]}`:                                                                 "body.exceptions[0]",
				`{"name":"x","timezone":"Nowhere"}`:                                                                                 "body.timezone",
			} {
				testkit.Diff(t, body, w.A.Post(t, "/hours", body).Fails(400, "invalid_request").Text("details", 0, "field"), field)
				testkit.Diff(t, body, w.A.Patch(t, at, body).Fails(400, "invalid_request").Text("details", 0, "field"), field)
			}
			w.A.Post(t, "/hours", `{"name":"x","weekly":[`+strings.TrimSuffix(strings.Repeat(`{"days":["mon"],"from":"08:00","to":"08:01"},`, 51), ",")+`]}`).Fails(400, "invalid_request")
		})
		t.Run("a change keeps absent fields", func(t *testing.T) {
			changed := w.A.Patch(t, at, `{"weekly":[{"days":["sun"],"from":"00:00","to":"24:00"}]}`).OK(200)
			testkit.Diff(t, "name", changed.Text("name"), "Shop")
			testkit.Diff(t, "to", changed.Text("weekly", 0, "to"), "24:00")
			testkit.Diff(t, "exceptions", len(changed.List("exceptions")), 2)
		})
		t.Run("hours that a company, channel or sector uses cannot be deleted", func(t *testing.T) {
			channel := sandbox(t, w)
			sector := w.A.Post(t, "/sectors", map[string]any{"name": "Sales", "hours_id": made.ID()}).OK(201)
			testkit.Diff(t, "sector", sector.Text("hours_id"), made.ID())
			testkit.Diff(t, "list", w.A.Get(t, "/sectors").OK(200).Text("data", 0, "hours_id"), made.ID())
			for _, place := range []string{"/sectors/" + sector.ID(), "/channels/" + channel, "/company/attendance"} {
				set := w.A.Patch(t, place, `{"hours_id":"`+made.ID()+`"}`).OK(200)
				testkit.Diff(t, place, set.Text("hours_id"), made.ID())
				w.A.Delete(t, at).Fails(409, "in_use")
				w.A.Patch(t, "/sectors/"+sector.ID(), `{"hours_id":null}`).OK(200)
				if place != "/sectors/"+sector.ID() {
					w.A.Delete(t, at).Fails(409, "in_use")
					testkit.Diff(t, place, w.A.Patch(t, place, `{"hours_id":null}`).OK(200).At("hours_id"), nil)
				}
				refused := w.A.Patch(t, place, `{"hours_id":"`+kernel.NewID().String()+`"}`).Fails(400, "invalid_request")
				testkit.Diff(t, place, refused.Text("details", 0, "field"), "body.hours_id")
			}
			testkit.Diff(t, "channels", w.A.Get(t, "/channels").OK(200).At("data", 0, "hours_id"), nil)
			testkit.Diff(t, "rules", w.A.Get(t, "/company/attendance").OK(200).At("hours_id"), nil)
			w.A.Delete(t, at).OK(204)
			w.A.Get(t, at).Fails(404, "not_found")
			w.A.Get(t, at+"/status").Fails(404, "not_found")
		})
		t.Run("reading needs team:read and changing needs company:manage", func(t *testing.T) {
			again := w.A.Post(t, "/hours", shopHours).OK(201)
			ana, _ := signedIn(t, w, "Ana")
			ana.Get(t, "/hours/"+again.ID()).OK(200)
			ana.Post(t, "/hours", shopHours).Fails(403, "insufficient_scope")
			ana.Delete(t, "/hours/"+again.ID()).Fails(403, "insufficient_scope")
			w.B.Get(t, "/hours/"+again.ID()).Fails(404, "not_found")
			w.B.Patch(t, "/company/attendance", `{"hours_id":"`+again.ID()+`"}`).Fails(400, "invalid_request")
		})
		t.Run("Brazil's holidays can be listed", func(t *testing.T) {
			days := w.A.Get(t, "/hours/holidays?year=2026").OK(200).List()
			testkit.Diff(t, "days", len(days), 13)
			testkit.Diff(t, "first", days[0].(map[string]any)["date"], "2026-01-01")
			w.A.Get(t, "/hours/holidays").OK(200)
		})
	})
}
