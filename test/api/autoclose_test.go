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

func TestRestrictedMode(t *testing.T) {
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

		t.Run("every member may answer while there is no responsible person", func(t *testing.T) {
			customerWrites(t, w, channel, phoneNumber(1))
			bia.Post(t, path+"/messages", message("minha")).OK(201)
			ana.Post(t, path+"/messages", message("oi")).Fails(409, "attendance_restricted")
			bia.Post(t, path+"/attendance/close", nil).OK(200)
		})
	})
}

func TestAutomaticClosing(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		close := func() {
			t.Helper()
			if _, err := w.Desk.Talk.CloseIdle(context.Background(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
		}
		open := func(conversation string) bool { return current(t, w, conversation).Text("status") == "open" }

		before := customerWrites(t, w, channel, phoneNumber(1))
		w.Clock.Advance(48 * time.Hour)
		close()
		if !open(before) {
			t.Fatal("closed without a rule")
		}
		w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true,"after_minutes":60}}`).OK(200)
		close()
		t.Run("a new rule closes what has been silent for longer already", func(t *testing.T) {
			if open(before) {
				t.Fatal("still open")
			}
			att := w.A.Get(t, "/attendances?conversation="+before).OK(200)
			testkit.Equal(t, "data.0.close_reason", att.Text("data", 0, "close_reason"), "automatic")
			testkit.Equal(t, "data.0.closed_by", att.At("data", 0, "closed_by"), nil)
			testkit.Equal(t, "data.0.status", att.Text("data", 0, "status"), "closed")
			testkit.Diff(t, "attendanceEvents(t, w, 2)[before]", attendanceEvents(t, w, 2)[before], []string{"attendance.opened", "attendance.closed"})
		})
		t.Run("a message begins the time anew", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(2))
			w.Clock.Advance(50 * time.Minute)
			w.A.Post(t, "/conversations/"+c+"/messages", message("um momento")).OK(201)
			w.Clock.Advance(50 * time.Minute)
			close()
			if !open(c) {
				t.Fatal("closed too early")
			}
			w.Clock.Advance(9 * time.Minute)
			close()
			if !open(c) {
				t.Fatal("closed a minute too early")
			}
			w.Clock.Advance(2 * time.Minute)
			close()
			if open(c) {
				t.Fatal("still open")
			}
			if w.A.Get(t, "/conversations/"+c).OK(200).At("assignee") != nil {
				t.Fatal("still assigned")
			}
		})
		t.Run("a changed rule holds for open attendances", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(3))
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"after_minutes":10}}`).OK(200)
			w.Clock.Advance(11 * time.Minute)
			close()
			if open(c) {
				t.Fatal("still open under the shorter rule")
			}
			c = customerWrites(t, w, channel, phoneNumber(3))
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"after_minutes":600}}`).OK(200)
			w.Clock.Advance(time.Hour)
			close()
			if !open(c) {
				t.Fatal("closed under the longer rule")
			}
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":false}}`).OK(200)
			w.Clock.Advance(24 * time.Hour)
			close()
			if !open(c) {
				t.Fatal("closed without a rule")
			}
		})
		t.Run("many at once are each closed once", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true,"after_minutes":5}}`).OK(200)
			var all []string
			for i := range 30 {
				all = append(all, customerWrites(t, w, channel, phoneNumber(100+i)))
			}
			w.Clock.Advance(time.Hour)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(close)
			}
			wg.Wait()
			events := attendanceEvents(t, w, 7+2*len(all))
			for _, c := range all {
				if types := events[c]; open(c) || !slices.Equal(types, []string{"attendance.opened", "attendance.closed"}) {
					t.Errorf(`events[c]: want !open(c) and slices.Equal(types, []string{"attendance.opened", "attendance.closed"}); got %+v`, types)
				}
			}
		})
	})
}

// attendanceEvents lists the attendance.* events of each conversation, the oldest first, once there are n
// of them: the feed shows nothing while an older transaction of the database may still add to it.
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
				t.Errorf("want e.Data.Attendance.Conversation == e.Data.Conversation.ID; got %+v", e)
			}
			events[e.Data.Conversation.ID] = append(events[e.Data.Conversation.ID], e.Type)
		}
		if total += len(page.Data); len(page.Data) < 100 {
			return events, total
		}
		path = "/events?limit=100&types=attendance.opened,attendance.closed&after=" + url.QueryEscape(page.NextCursor)
	}
}
