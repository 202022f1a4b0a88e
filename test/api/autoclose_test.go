package api_test

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"recado/test/servertest"
	"recado/test/testkit"
)

func TestRestrictedModeLimitsWhoMayReply(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, bia, gil := addMember(t, w, "Ana"), addMember(t, w, "Bia"), addMember(t, w, "Gil", `"role":"manager"`)
		w.A.Patch(t, "/company/attendance", `{"mode":"restricted"}`).OK(200)
		path := "/conversations/" + customerWrites(t, w, channel, phoneNumber(1))
		ana.Post(t, path+"/messages", message("oi")).OK(201)

		bia.Post(t, path+"/messages", message("eu também")).Fails(409, "attendance_restricted")
		bia.Post(t, path+"/attendance/close", nil).Fails(409, "attendance_restricted")
		gil.Post(t, path+"/messages", message("aqui o gerente")).OK(201)
		ana.Post(t, path+"/messages", message("de novo eu")).OK(201)
		w.A.Patch(t, "/company/attendance", `{"mode":"liberal"}`).OK(200)
		bia.Post(t, path+"/messages", message("agora sim")).OK(201)
		w.A.Patch(t, "/company/attendance", `{"mode":"restricted"}`).OK(200)
		gil.Post(t, path+"/attendance/close", nil).OK(200)
		bia.Post(t, path+"/messages", message("depois de fechar")).OK(201)

		t.Run("every member may reply while nobody is responsible", func(t *testing.T) {
			customerWrites(t, w, channel, phoneNumber(1))
			bia.Post(t, path+"/messages", message("minha")).OK(201)
			ana.Post(t, path+"/messages", message("oi")).Fails(409, "attendance_restricted")
			bia.Post(t, path+"/attendance/close", nil).OK(200)
		})
	})
}

func TestIdleAttendancesAreClosedAutomatically(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		closeIdle := func() {
			t.Helper()
			if _, err := w.Desk.Talk.CloseIdle(context.Background(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
		}
		isOpen := func(conversation string) bool { return openAttendance(t, w, conversation).Text("status") == "open" }

		before := customerWrites(t, w, channel, phoneNumber(1))
		w.Clock.Advance(48 * time.Hour)
		closeIdle()
		if !isOpen(before) {
			t.Fatal("the attendance was closed while auto_close is disabled")
		}
		w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true,"after_minutes":60}}`).OK(200)
		closeIdle()
		t.Run("a new rule closes attendances that are already idle", func(t *testing.T) {
			if isOpen(before) {
				t.Fatal("the attendance is still open")
			}
			att := w.A.Get(t, "/attendances?conversation="+before).OK(200)
			testkit.Equal(t, "data.0.close_reason", att.Text("data", 0, "close_reason"), "automatic")
			testkit.Equal(t, "data.0.closed_by", att.At("data", 0, "closed_by"), nil)
			testkit.Equal(t, "data.0.status", att.Text("data", 0, "status"), "closed")
			testkit.Diff(t, "attendance events", attendanceEvents(t, w, 2)[before], []string{"attendance.opened", "attendance.closed"})
		})
		t.Run("a message restarts the idle time", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(2))
			w.Clock.Advance(50 * time.Minute)
			w.A.Post(t, "/conversations/"+c+"/messages", message("um momento")).OK(201)
			w.Clock.Advance(50 * time.Minute)
			closeIdle()
			if !isOpen(c) {
				t.Fatal("the attendance was closed 10 minutes too early")
			}
			w.Clock.Advance(9 * time.Minute)
			closeIdle()
			if !isOpen(c) {
				t.Fatal("the attendance was closed a minute too early")
			}
			w.Clock.Advance(2 * time.Minute)
			closeIdle()
			if isOpen(c) {
				t.Fatal("the attendance is still open")
			}
			testkit.Equal(t, "assignee", w.A.Get(t, "/conversations/"+c).OK(200).At("assignee"), nil)
		})
		t.Run("a changed rule applies to open attendances", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(3))
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"after_minutes":10}}`).OK(200)
			w.Clock.Advance(11 * time.Minute)
			closeIdle()
			if isOpen(c) {
				t.Fatal("the attendance is still open after the rule was shortened to 10 minutes")
			}
			c = customerWrites(t, w, channel, phoneNumber(3))
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"after_minutes":600}}`).OK(200)
			w.Clock.Advance(time.Hour)
			closeIdle()
			if !isOpen(c) {
				t.Fatal("the attendance was closed after the rule was extended to 600 minutes")
			}
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":false}}`).OK(200)
			w.Clock.Advance(24 * time.Hour)
			closeIdle()
			if !isOpen(c) {
				t.Fatal("the attendance was closed while auto_close is disabled")
			}
		})
		t.Run("concurrent runs close each attendance once", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true,"after_minutes":5}}`).OK(200)
			var all []string
			for i := range 30 {
				all = append(all, customerWrites(t, w, channel, phoneNumber(100+i)))
			}
			w.Clock.Advance(time.Hour)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(closeIdle)
			}
			wg.Wait()
			events := attendanceEvents(t, w, 7+2*len(all))
			for _, c := range all {
				if types := events[c]; isOpen(c) || !slices.Equal(types, []string{"attendance.opened", "attendance.closed"}) {
					t.Errorf("events of %s: got %v, want it opened and closed once", c, types)
				}
			}
		})
	})
}

// attendanceEvents waits until the feed has n attendance events and returns them by conversation, oldest first. The feed
// holds events back while an older transaction may still add some.
func attendanceEvents(t *testing.T, w *servertest.World, n int) map[string][]string {
	t.Helper()
	var events map[string][]string
	testkit.Eventually(t, "the feed has "+strconv.Itoa(n)+" events", func() bool {
		var total int
		events, total = readAttendanceEvents(t, w)
		return total >= n
	})
	return events
}

// readAttendanceEvents returns the attendance events in the feed by conversation, and their number.
func readAttendanceEvents(t *testing.T, w *servertest.World) (events map[string][]string, total int) {
	t.Helper()
	events = map[string][]string{}
	for path := "/events?limit=100&types=attendance.opened,attendance.closed"; ; {
		var page struct {
			Data []struct {
				Type string
				Data struct {
					Conversation struct{ ID string }
					Attendance   struct{ Conversation string }
				}
			}
			NextCursor string `json:"next_cursor"`
		}
		w.A.Get(t, path).OK(200).Into(&page)
		for _, e := range page.Data {
			if e.Data.Attendance.Conversation != e.Data.Conversation.ID {
				t.Errorf("attendance.conversation: got %s, want %s", e.Data.Attendance.Conversation, e.Data.Conversation.ID)
			}
			events[e.Data.Conversation.ID] = append(events[e.Data.Conversation.ID], e.Type)
		}
		if total += len(page.Data); len(page.Data) < 100 {
			return events, total
		}
		path = "/events?limit=100&types=attendance.opened,attendance.closed&after=" + url.QueryEscape(page.NextCursor)
	}
}
