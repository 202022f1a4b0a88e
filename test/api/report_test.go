package api_test

import (
	"testing"
	"time"

	"recado/test/servertest"
	"recado/test/testkit"
)

func TestTheAttendanceReport(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		t.Run("covers the last 30 days of the company's calendar", func(t *testing.T) {
			w.Clock.Set(time.Date(2026, 11, 15, 2, 59, 0, 0, time.UTC)) // 23:59 of the day before in São Paulo
			r := w.A.Get(t, "/reports/attendance").OK(200)
			if r.Text("from") != "2026-10-16" || r.Text("to") != "2026-11-14" || r.Text("timezone") != "America/Sao_Paulo" || len(r.List("by_day")) != 30 {
				t.Errorf("got %s, want the 30 days from 2026-10-16 to 2026-11-14 in America/Sao_Paulo", r.Raw)
			}
			if len(r.List("by_person")) != 0 || len(r.List("by_sector")) != 0 || r.At("totals", "first_response", "average_seconds") != nil {
				t.Errorf("empty report: got %s, want no people, no sectors and no average", r.Raw)
			}
			w.Clock.Advance(2 * time.Minute)
			testkit.Equal(t, "to after midnight", w.A.Get(t, "/reports/attendance").OK(200).Text("to"), "2026-11-15")
		})
		t.Run("has a row for every day", func(t *testing.T) {
			days := w.A.Get(t, "/reports/attendance?from=2024-01-01&to=2024-12-31").OK(200).List("by_day")
			if len(days) != 366 || days[59].(map[string]any)["date"] != "2024-02-29" {
				t.Errorf("2024: got %d days, want 366 with 2024-02-29: %v", len(days), days)
			}
		})
		t.Run("is zero for an unknown person or sector", func(t *testing.T) {
			for _, query := range []string{"user=00000000-0000-0000-0000-000000000000", "sector=ffffffff-ffff-ffff-ffff-ffffffffffff"} {
				r := w.A.Get(t, "/reports/attendance?"+query).OK(200)
				if r.Int("totals", "opened") != 0 || len(r.List("by_day")) != 30 {
					t.Errorf("got %s, want 30 days without attendances", r.Raw)
				}
			}
		})
		t.Run("counts attendances for the current responsible person", func(t *testing.T) {
			w.Clock.Set(time.Date(2018, 11, 4, 2, 0, 0, 0, time.UTC)) // an hour before a day with 23 hours
			agent := w.A.Post(t, "/team", `{"name": "Bia", "email": "bia@padaria.example", "role": "agent", "access_profile": "all"}`).OK(201).ID()
			sector := w.A.Post(t, "/sectors", `{"name": "Cakes", "member_ids": ["`+agent+`"]}`).OK(201).ID()
			channel := w.A.Post(t, "/channels", `{"name": "Shop", "phone": "+551133334444", "provider": "sandbox"}`).OK(201).ID()
			conversation := w.A.Post(t, "/channels/"+channel+"/simulate", `{"from": "+5511912345678", "text": "Bolo?"}`).OK(201).Text("conversation")
			w.Clock.Advance(30 * time.Minute)
			w.A.Post(t, "/conversations/"+conversation+"/messages", `{"client_id": "01890a5d-ac96-774b-bcce-b302099a8057", "text": "Sim!"}`).OK(201)
			w.A.Post(t, "/conversations/"+conversation+"/transfer", `{"user_id": "`+agent+`", "sector_id": "`+sector+`"}`).OK(200)
			w.Clock.Advance(24 * time.Hour) // 00:30, two calendar days later
			w.A.Post(t, "/conversations/"+conversation+"/attendance/close", `{}`).OK(200)

			r := w.A.Get(t, "/reports/attendance?from=2018-11-03&to=2018-11-05").OK(200)
			for i, want := range [][3]int{{1, 1, 0}, {0, 0, 0}, {0, 0, 1}} {
				got := [3]int{r.Int("by_day", i, "opened"), r.Int("by_day", i, "first_response", "count"), r.Int("by_day", i, "closed")}
				if got != want {
					t.Errorf("%s: got %v opened, answered and closed, want %v", r.Text("by_day", i, "date"), got, want)
				}
			}
			if len(r.List("by_person")) != 1 || r.Text("by_person", 0, "user", "name") != "Bia" || r.Text("by_sector", 0, "sector", "name") != "Cakes" {
				t.Errorf("got %s, want only Bia in by_person and Cakes in by_sector", r.Raw)
			}
			if r.Int("totals", "first_response", "average_seconds") != 1800 || r.Int("by_person", 0, "resolution", "median_seconds") != 88200 {
				t.Errorf("got %s, want a first response after 1800 seconds and a resolution after 88200", r.Raw)
			}
			if other := w.B.Get(t, "/reports/attendance?from=2018-11-03&to=2018-11-05&user="+agent).OK(200); other.Int("totals", "opened") != 0 {
				t.Errorf("report of another company: got %s, want no attendances", other.Raw)
			}
			w.A.Delete(t, "/team/"+agent).OK(204)
			w.A.Delete(t, "/sectors/"+sector).OK(204)
			gone := w.A.Get(t, "/reports/attendance?from=2018-11-03&to=2018-11-05").OK(200)
			if gone.Text("by_person", 0, "user", "name") != "Bia" || gone.Text("by_sector", 0, "sector", "name") != "Cakes" {
				t.Errorf("got %s, want the names of the removed person and sector", gone.Raw)
			}
		})
		t.Run("refuses malformed parameters", func(t *testing.T) {
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
				testkit.Equal(t, "details.0.field of "+query, w.A.Get(t, "/reports/attendance?"+query).Fails(400, "invalid_request").Text("details", 0, "field"), field)
			}
		})
	})
}

func TestTheCurrentReport(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		agent := w.A.Post(t, "/team", `{"name": "Bia", "email": "bia@padaria.example", "role": "agent", "access_profile": "all"}`).OK(201).ID()
		sector := w.A.Post(t, "/sectors", `{"name": "Cakes", "member_ids": ["`+agent+`"]}`).OK(201).ID()
		channel := w.A.Post(t, "/channels", `{"name": "Shop", "phone": "+551133334444", "provider": "sandbox"}`).OK(201).ID()
		write := func(from string) string {
			return w.A.Post(t, "/channels/"+channel+"/simulate", `{"from": "`+from+`", "text": "Bolo?"}`).OK(201).Text("conversation")
		}
		taken := write("+5511912345678")
		w.A.Post(t, "/conversations/"+taken+"/transfer", `{"user_id": "`+agent+`", "sector_id": "`+sector+`"}`).OK(200)
		w.Clock.Advance(time.Minute)
		write("+5511912345679")
		closed := write("+5511912345670")
		w.A.Post(t, "/conversations/"+closed+"/attendance/close", `{}`).OK(200)

		r := w.A.Get(t, "/reports/now").OK(200)
		if r.Int("open") != 2 || r.Int("unassigned") != 1 || r.Int("unanswered") != 2 {
			t.Errorf("totals: got %s, want 2 open, 1 unassigned and 2 unanswered cases", r.Raw)
		}
		testkit.Equal(t, "oldest_waiting_at", r.Text("oldest_waiting_at"), w.A.Get(t, "/conversations/"+taken).OK(200).Text("last_message", "created_at"))
		for i := range r.List("people") {
			want := 0
			if r.Text("people", i, "user", "id") == agent {
				want = 1
			}
			testkit.Equal(t, "open cases of "+r.Text("people", i, "user", "name"), r.Int("people", i, "open"), want)
			testkit.Equal(t, "presence without a session", r.Text("people", i, "presence"), "offline")
		}
		if len(r.List("sectors")) != 2 || r.Text("sectors", 0, "sector", "name") != "Cakes" || r.Int("sectors", 0, "open") != 1 ||
			r.At("sectors", 1, "sector") != nil || r.Int("sectors", 1, "unassigned") != 1 {
			t.Errorf("sectors: got %s, want one case in Cakes and one without a sector", r.Raw)
		}
		testkit.Equal(t, "open cases of another company", w.B.Get(t, "/reports/now").OK(200).Int("open"), 0)
	})
}
