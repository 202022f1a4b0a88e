package api_test

import (
	"testing"
	"time"

	"recado/internal/servertest"
)

func TestAttendanceReport(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		t.Run("is the last 30 days of the company's calendar", func(t *testing.T) {
			w.Clock.Set(time.Date(2026, 11, 15, 2, 59, 0, 0, time.UTC)) // 23:59 of the day before in São Paulo
			r := w.A.Get(t, "/reports/attendance").OK(200)
			if r.Text("from") != "2026-10-16" || r.Text("to") != "2026-11-14" || r.Text("timezone") != "America/Sao_Paulo" || len(r.List("by_day")) != 30 {
				t.Errorf("%s", r.Raw)
			}
			if len(r.List("by_person")) != 0 || len(r.List("by_sector")) != 0 || r.At("totals", "first_response", "average_seconds") != nil {
				t.Errorf("%s", r.Raw)
			}
			w.Clock.Advance(2 * time.Minute)
			if got := w.A.Get(t, "/reports/attendance").OK(200).Text("to"); got != "2026-11-15" {
				t.Error(got)
			}
		})
		t.Run("has a row for every day", func(t *testing.T) {
			days := w.A.Get(t, "/reports/attendance?from=2024-01-01&to=2024-12-31").OK(200).List("by_day")
			if len(days) != 366 || days[59].(map[string]any)["date"] != "2024-02-29" {
				t.Errorf("%d days", len(days))
			}
		})
		t.Run("a filter that names nothing gives zeros", func(t *testing.T) {
			for _, query := range []string{"user=00000000-0000-0000-0000-000000000000", "sector=ffffffff-ffff-ffff-ffff-ffffffffffff"} {
				r := w.A.Get(t, "/reports/attendance?"+query).OK(200)
				if r.Int("totals", "opened") != 0 || len(r.List("by_day")) != 30 {
					t.Errorf("%s", r.Raw)
				}
			}
		})
		t.Run("refuses what is malformed", func(t *testing.T) {
			for query, field := range map[string]string{
				"from=2026-02-30":               "query.from",
				"from=2026-2-03":                "query.from",
				"to=0000-01-01":                 "query.to",
				"to=2026-11-14T00:00:00Z":       "query.to",
				"to=+2026-11-14":                "query.to",
				"from=":                         "query.from",
				"from=2026-11-14&to=2026-11-13": "query.from",
				"from=2025-01-01&to=2026-01-02": "query.to",
				"user=ana":                      "query.user",
				"sector=urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057": "query.sector",
				"member=01890a5d-ac96-774b-bcce-b302099a8057":          "query.member",
				"from=2026-11-14&from=2026-11-14":                      "query.from",
			} {
				if got := w.A.Get(t, "/reports/attendance?"+query).Fails(400, "invalid_request").Text("details", 0, "field"); got != field {
					t.Errorf("%s: %q", query, got)
				}
			}
		})
	})
}
