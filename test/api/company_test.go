package api_test

import (
	"testing"
	"time"

	"recado/test/servertest"
	"recado/test/testkit"
)

func TestTheCompanyCanBeReadAndChanged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, email := member(t, w.A.Client, "Mia", `"role":"manager"`)
		manager := w.A.SignIn(t, email, password)
		company := w.A.Get(t, "/company").OK(200)
		testkit.Diff(t, "id", company.Text("id"), w.A.ID.String())
		manager.Get(t, "/company").Fails(403, "insufficient_scope")
		manager.Patch(t, "/company", `{"name":"x"}`).Fails(403, "insufficient_scope")

		for _, body := range []string{`{"timezone":"Mars/Olympus"}`, `{"timezone":""}`, `{"name":" "}`, `{"id":"x"}`} {
			w.A.Patch(t, "/company", body).Fails(400, "invalid_request")
		}
		testkit.Diff(t, "company after an empty change", string(w.A.Patch(t, "/company", `{}`).OK(200).Raw), string(company.Raw))
		w.A.Patch(t, "/company", `{"name":"Aurora","timezone":"Asia/Tokyo"}`).OK(200)
		changed := w.A.Get(t, "/company").OK(200)
		testkit.Diff(t, "name", changed.Text("name"), "Aurora")
		testkit.Diff(t, "timezone", changed.Text("timezone"), "Asia/Tokyo")
		testkit.Diff(t, "company.name in the session", manager.Get(t, "/session").OK(200).Text("company", "name"), "Aurora")
		testkit.Diff(t, "timezone of the other company", w.B.Get(t, "/company").OK(200).Text("timezone"), "America/Sao_Paulo")
	})
}

func TestReportDaysFollowTheCompanyTimeZone(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.A.Patch(t, "/company", `{"timezone":"America/Sao_Paulo"}`).OK(200)
		channel := sandbox(t, w)
		at := w.Clock.Now().Truncate(24 * time.Hour).Add(39 * time.Hour) // 15:00 UTC tomorrow
		w.Clock.Set(at)
		customerWrites(t, w, channel, phoneNumber(1))
		opened := func(day time.Time) int {
			text := day.Format(time.DateOnly)
			return w.A.Get(t, "/reports/attendance?from="+text+"&to="+text).OK(200).Int("totals", "opened")
		}
		testkit.Diff(t, "opened that day in São Paulo", opened(at), 1)
		w.A.Patch(t, "/company", `{"timezone":"Asia/Tokyo"}`).OK(200)
		testkit.Diff(t, "opened that day in Tokyo", opened(at), 0)
		testkit.Diff(t, "opened the next day in Tokyo", opened(at.Add(24*time.Hour)), 1)
	})
}

func TestTheTeamListCountsOpenAttendances(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		for n := range 3 {
			ana.Post(t, "/conversations/"+customerWrites(t, w, channel, phoneNumber(n))+"/take", nil).OK(200)
		}
		closed := customerWrites(t, w, channel, phoneNumber(9))
		ana.Post(t, "/conversations/"+closed+"/take", nil).OK(200)
		ana.Post(t, "/conversations/"+closed+"/attendance/close", nil).OK(200)
		testkit.Diff(t, "open_attendances", findMember(t, w.A.Client, ana.id)["open_attendances"], float64(3))
		testkit.Diff(t, "open_attendances of the owner", findMember(t, w.A.Client, w.A.Owner.ID.String())["open_attendances"], float64(0))
	})
}
