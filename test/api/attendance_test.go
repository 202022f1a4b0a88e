package api_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/talk"
	"recado/test/servertest"
	"recado/test/testkit"
)

// customerWrites sends "oi" from a customer's phone and returns the id of the conversation.
func customerWrites(t *testing.T, w *servertest.World, channel, phone string) string {
	t.Helper()
	return w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"name":"Zé %s","text":"oi"}`, phone, phone[len(phone)-4:])).OK(201).Text("conversation")
}

// openAttendance returns the open attendance of a conversation. The body is null if there is none.
func openAttendance(t *testing.T, w *servertest.World, conversation string) *servertest.Answer {
	t.Helper()
	return w.A.Get(t, "/conversations/"+conversation+"/attendance").OK(200)
}

func phoneNumber(n int) string { return fmt.Sprintf("+55119%08d", 10000000+n) }

func TestAnAttendanceIsOpenedAnsweredAndClosed(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		c := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + c

		t.Run("the customer's message opens an attendance with a protocol number", func(t *testing.T) {
			att := openAttendance(t, w, c)
			testkit.Equal(t, "protocol", att.Text("protocol"), "ATD-000001")
			testkit.Equal(t, "status", att.Text("status"), "open")
			testkit.Equal(t, "opened_by", att.Text("opened_by"), "customer")
			testkit.Equal(t, "contact.phone", att.Text("contact", "phone"), phoneNumber(1))
			testkit.Equal(t, "contact.name", att.Text("contact", "name"), "Zé 0001")
			testkit.Equal(t, "channel", att.Text("channel"), channel)
			testkit.Equal(t, "responsible", att.At("responsible"), nil)
			testkit.Equal(t, "first_response_at", att.At("first_response_at"), nil)
			testkit.Equal(t, "closed_at", att.At("closed_at"), nil)
			testkit.Equal(t, "attendance read by id", string(w.A.Get(t, "/attendances/"+att.ID()).OK(200).Raw), string(att.Raw))
			customerWrites(t, w, channel, phoneNumber(1))
			if got := openAttendance(t, w, c).ID(); got != att.ID() {
				t.Fatalf("a second message opened attendance %s, want it in %s", got, att.ID())
			}
		})

		t.Run("the first member to reply becomes responsible, and the response time is in whole seconds", func(t *testing.T) {
			w.Clock.Advance(90 * time.Second)
			ana.Post(t, path+"/messages", message("bom dia")).OK(201)
			att := openAttendance(t, w, c)
			testkit.Equal(t, "responsible.id", att.Text("responsible", "id"), ana.id)
			testkit.Equal(t, "responsible.name", att.Text("responsible", "name"), "Ana")
			testkit.Equal(t, "first_response_seconds", att.Int("first_response_seconds"), 90)
			testkit.Equal(t, "assignee", w.A.Get(t, path).OK(200).Text("assignee"), ana.id)
			w.A.Post(t, path+"/messages", message("e eu")).OK(201)
			later := openAttendance(t, w, c)
			testkit.Equal(t, "first_response_at", later.Text("first_response_at"), att.Text("first_response_at"))
			testkit.Equal(t, "responsible.id", later.Text("responsible", "id"), ana.id)
			history := w.A.Get(t, path+"/assignments").OK(200)
			testkit.Equal(t, "number of data", len(history.List()), 1)
			testkit.Equal(t, "data.0.action", history.Text("data", 0, "action"), "took_over")
			testkit.Equal(t, "data.0.user.id", history.Text("data", 0, "user", "id"), ana.id)
			testkit.Equal(t, "data.0.by.id", history.Text("data", 0, "by", "id"), ana.id)
		})

		t.Run("closing keeps the responsible person and clears the assignee of the conversation", func(t *testing.T) {
			w.A.Post(t, path+"/attendance/close", `{"reason":"`+strings.Repeat("x", 501)+`"}`).Fails(400, "invalid_request")
			w.A.Post(t, path+"/attendance/close", `{"why":"x"}`).Fails(400, "invalid_request")
			w.B.Post(t, path+"/attendance/close", `{}`).Fails(404, "not_found")
			closed := w.A.Post(t, path+"/attendance/close", `{"reason":"resolvido"}`).OK(200)
			testkit.Equal(t, "status", closed.Text("status"), "closed")
			testkit.Equal(t, "close_reason", closed.Text("close_reason"), "resolvido")
			testkit.Equal(t, "closed_by.id", closed.Text("closed_by", "id"), w.A.Owner.ID.String())
			testkit.Equal(t, "responsible.id", closed.Text("responsible", "id"), ana.id)
			if closed.Text("closed_at") == "" {
				t.Fatalf("closed_at: got none, want a time: %s", closed.Raw)
			}
			testkit.Equal(t, "assignee", w.A.Get(t, path).OK(200).At("assignee"), nil)
			testkit.Equal(t, "open attendance", strings.TrimSpace(string(openAttendance(t, w, c).Raw)), "null")
			w.A.Post(t, path+"/attendance/close", nil).Fails(409, "attendance_not_open")
			testkit.Equal(t, "attendance read by id", string(w.A.Get(t, "/attendances/"+closed.ID()).OK(200).Raw), string(closed.Raw))
		})

		t.Run("the customer's next message opens a new attendance, a reply from the team does not", func(t *testing.T) {
			w.A.Post(t, path+"/messages", message("até logo")).OK(201)
			testkit.Equal(t, "open attendance", strings.TrimSpace(string(openAttendance(t, w, c).Raw)), "null")
			customerWrites(t, w, channel, phoneNumber(1))
			att := openAttendance(t, w, c)
			testkit.Equal(t, "protocol", att.Text("protocol"), "ATD-000002")
			testkit.Equal(t, "responsible", att.At("responsible"), nil)
			w.A.Post(t, path+"/attendance/close", nil).OK(200)
		})

		t.Run("starting a conversation opens an attendance", func(t *testing.T) {
			made := w.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id":%q,"phone":%q,"name":"Nina"}`, channel, phoneNumber(2))).OK(201)
			att := openAttendance(t, w, made.ID())
			testkit.Equal(t, "opened_by", att.Text("opened_by"), "team")
			testkit.Equal(t, "protocol", att.Text("protocol"), "ATD-000003")
			testkit.Equal(t, "contact.name", att.Text("contact", "name"), "Nina")
			w.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id":%q,"phone":%q}`, channel, phoneNumber(2))).OK(200)
			if got := openAttendance(t, w, made.ID()).ID(); got != att.ID() {
				t.Fatalf("starting the conversation again opened attendance %s, want %s still open", got, att.ID())
			}
		})

		t.Run("a reply from the phone is a first response but makes nobody responsible", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(3))
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from_phone_app":true,"to":%q,"text":"oi!"}`, phoneNumber(3))).OK(201)
			if att := openAttendance(t, w, c); att.Text("first_response_at") == "" || att.At("responsible") != nil {
				t.Fatalf("got %s, want a first_response_at and no responsible person", att.Raw)
			}
		})

		t.Run("the attendance of a group has the group's name", func(t *testing.T) {
			body := fmt.Sprintf(`{"from":%q,"text":"oi","group":{"id":"g1","name":"Condomínio"}}`, phoneNumber(4))
			c := w.A.Post(t, simulatePath(channel), body).OK(201).Text("conversation")
			w.A.Patch(t, "/conversations/"+c, `{"cases":true}`).OK(200)
			w.A.Post(t, simulatePath(channel), body).OK(201)
			if att := openAttendance(t, w, c); att.Text("contact", "name") != "Condomínio" || att.At("contact", "id") != nil || att.At("contact", "phone") != nil {
				t.Fatalf("got %s, want the contact name Condomínio without id and phone", att.Raw)
			}
		})

		t.Run("opening and closing raise events", func(t *testing.T) {
			got := attendanceEvents(t, w, 7)[c]
			testkit.Diff(t, "attendance events", got, []string{"attendance.opened", "attendance.closed", "attendance.opened", "attendance.closed"})
		})

		t.Run("no attendance opens while they are disabled", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"enabled":false}`).OK(200)
			c := customerWrites(t, w, channel, phoneNumber(5))
			testkit.Equal(t, "open attendance", strings.TrimSpace(string(openAttendance(t, w, c).Raw)), "null")
			ana.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			w.A.Patch(t, "/company/attendance", `{"enabled":true}`).OK(200)
			customerWrites(t, w, channel, phoneNumber(5))
			testkit.Equal(t, "status", openAttendance(t, w, c).Text("status"), "open")
		})

		t.Run("without first_responder_takes_ownership a reply makes nobody responsible", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"first_responder_takes_ownership":false}`).OK(200)
			c := customerWrites(t, w, channel, phoneNumber(6))
			ana.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			if att := openAttendance(t, w, c); att.Text("first_response_at") == "" || att.At("responsible") != nil {
				t.Fatalf("got %s, want a first_response_at and no responsible person", att.Raw)
			}
			w.A.Patch(t, "/company/attendance", `{"first_responder_takes_ownership":true}`).OK(200)
			ana.Post(t, "/conversations/"+c+"/messages", message("de novo")).OK(201)
			testkit.Equal(t, "responsible.id", openAttendance(t, w, c).Text("responsible", "id"), ana.id)
		})
	})
}

func TestAttendancesAreListedAndFiltered(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		start := w.Clock.Now()
		var conversations []string
		for i := range 12 {
			w.Clock.Advance(time.Hour)
			c := customerWrites(t, w, channel, phoneNumber(i))
			conversations = append(conversations, c)
			if i%2 == 0 {
				ana.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			}
			if i%3 == 0 {
				w.A.Put(t, "/conversations/"+c+"/sector", `{"sector_id":"`+sector+`"}`).OK(200)
			}
			if i%4 == 0 {
				w.A.Post(t, "/conversations/"+c+"/attendance/close", nil).OK(200)
			}
		}
		// protocols returns the last two digits of the protocol numbers that a query lists, in order.
		protocols := func(t *testing.T, c *servertest.Client, query string) []string {
			t.Helper()
			var out []string
			if query != "" {
				query = "&" + query
			}
			page := c.Get(t, "/attendances?limit=100"+query).OK(200)
			for i := range page.List() {
				out = append(out, strings.TrimPrefix(page.Text("data", i, "protocol"), "ATD-0000"))
			}
			return out
		}
		expect := func(query string, want ...string) {
			t.Helper()
			if got := protocols(t, w.A.Client, query); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", query, got, want)
			}
		}
		at := func(hours int) string {
			return url.QueryEscape(start.Add(time.Duration(hours)*time.Hour + time.Minute).Format(time.RFC3339))
		}
		expect("", "12", "11", "10", "09", "08", "07", "06", "05", "04", "03", "02", "01")
		expect("status=closed", "09", "05", "01")
		expect("status=open", "12", "11", "10", "08", "07", "06", "04", "03", "02")
		expect("assignee="+ana.id, "11", "09", "07", "05", "03", "01")
		expect("assignee=none", "12", "10", "08", "06", "04", "02")
		expect("assignee="+unknownID, []string{}...)
		expect("sector="+sector, "10", "07", "04", "01")
		expect("sector="+sector+"&assignee=none&status=open", "10", "04")
		expect("conversation="+conversations[4], "05")
		expect("conversation="+unknownID, []string{}...)
		for _, form := range []string{"ATD-000007", "000007", "7", "ATD-7", "atd-07"} {
			expect("protocol="+form, "07")
		}
		expect("protocol=999", []string{}...)
		expect("from="+at(10), "12", "11")
		expect("to="+at(2), "02", "01")
		expect("from="+at(2)+"&to="+at(4), "04", "03")
		expect("from="+at(2)+"&to="+at(2), []string{}...)
		if got := protocols(t, w.B.Client, ""); len(got) != 0 {
			t.Errorf("attendances of another company: got %v, want none", got)
		}

		t.Run("a date is a day in the company's time zone", func(t *testing.T) {
			zone, _ := time.LoadLocation("America/Sao_Paulo")
			midnight := kernel.DateOf(start.Add(6*time.Hour), zone).StartOfDay(zone)
			var want []string
			for i := 12; i > 0; i-- {
				if !start.Add(time.Duration(i) * time.Hour).Before(midnight) {
					want = append(want, fmt.Sprintf("%02d", i))
				}
			}
			expect("from="+midnight.Format(time.DateOnly), want...)
			if got := protocols(t, w.A.Client, "to="+midnight.Format(time.DateOnly)); len(got)+len(want) != 12 {
				t.Errorf("attendances before midnight: got %v, want the 12 without %v", got, want)
			}
		})

		t.Run("bad filters are refused", func(t *testing.T) {
			for _, query := range []string{
				"status=pending", "assignee=me", "assignee=7", "sector=7", "conversation=x", "protocol=ABC-1", "protocol=0", "protocol=-3", "protocol=1.5",
				"from=2026-02-30", "from=yesterday", "to=2026-11-14T00:00:00%2B24:00", "from=2026-11-14T00:00:00+00:00", "from=2026-11-15&to=2026-11-14",
				"limit=0", "limit=101", "limit=x", "offset=3", "cursor=", "assignee=none&assignee=none", "sort=asc",
			} {
				w.A.Get(t, "/attendances?"+query).Fails(400, "invalid_request")
			}
			w.A.Get(t, "/attendances?cursor=abc").Fails(400, "invalid_cursor")
			w.A.Get(t, "/attendances/"+unknownID).Fails(404, "not_found")
			w.A.Get(t, "/attendances/7").Fails(404, "not_found")
			id := w.A.Get(t, "/attendances?limit=1").OK(200).Text("data", 0, "id")
			w.B.Get(t, "/attendances/"+id).Fails(404, "not_found")
			w.B.Get(t, "/conversations/"+conversations[0]+"/attendance").Fails(404, "not_found")
			w.B.Get(t, "/conversations/"+conversations[0]+"/assignments").Fails(404, "not_found")
		})

		t.Run("pages neither skip nor repeat while attendances open and close", func(t *testing.T) {
			seen := map[string]bool{}
			path := "/attendances?limit=5"
			for n := 0; ; n++ {
				page := w.A.Get(t, path).OK(200)
				for i := range page.List() {
					if p := page.Text("data", i, "protocol"); seen[p] {
						t.Errorf("%s is listed twice", p)
					} else {
						seen[p] = true
					}
				}
				next := page.Text("next_cursor")
				if next == "" {
					if page.At("next_cursor") != nil || len(page.List()) != 2 {
						t.Errorf("last page: got %s, want 2 attendances and no next_cursor", page.Raw)
					}
					break
				}
				path = "/attendances?limit=5&cursor=" + url.QueryEscape(next)
				w.A.Post(t, "/conversations/"+conversations[5+n]+"/attendance/close", nil)
				customerWrites(t, w, channel, phoneNumber(50+n))
				w.A.Get(t, "/attendances?status=open&limit=5&cursor="+url.QueryEscape(next)).Fails(400, "invalid_cursor")
				w.B.Get(t, path).Fails(400, "invalid_cursor")
			}
			if len(seen) != 12 {
				t.Errorf("got %d attendances, want 12", len(seen))
			}
		})

		t.Run("a member sees what their access profile allows", func(t *testing.T) {
			own := addMember(t, w, "Own", `"access_profile":"own"`)
			sectors := addMember(t, w, "Sec", `"access_profile":"sectors"`)
			testkit.Diff(t, "attendances of a member with the profile own", protocols(t, own.Client, ""), []string(nil))
			testkit.Diff(t, "attendances of a member without sectors", protocols(t, sectors.Client, ""), []string(nil))
			w.A.Patch(t, "/sectors/"+sector, `{"member_ids":["`+sectors.id+`"]}`).OK(200)
			testkit.Diff(t, "attendances of a member of the sector", protocols(t, sectors.Client, ""), []string{"10", "07", "04", "01"})
			w.A.Post(t, "/conversations/"+conversations[1]+"/transfer", `{"user_id":"`+own.id+`"}`).OK(200)
			testkit.Diff(t, "attendances after a transfer to the member", protocols(t, own.Client, ""), []string{"02"})
			id := w.A.Get(t, "/attendances?protocol=3").OK(200).Text("data", 0, "id")
			own.Get(t, "/attendances/"+id).Fails(404, "not_found")
			own.Get(t, "/conversations/"+conversations[2]+"/attendance").Fails(404, "not_found")
		})
	})
}

func TestACardFollowsItsAttendance(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		boards := w.A.Get(t, "/kanban/boards").OK(200)
		board, waiting, inProgress, done := boards.Text(0, "id"), boards.Text(0, "stages", 0, "id"), boards.Text(0, "stages", 1, "id"), boards.Text(0, "stages", 2, "id")
		c := customerWrites(t, w, channel, phoneNumber(1))
		att := openAttendance(t, w, c).ID()
		expectCard := func(stage, assignee, status string) {
			t.Helper()
			cards := w.A.Get(t, "/kanban/cards?status=all&board_id="+board).OK(200)
			testkit.Equal(t, "number of data", len(cards.List()), 1)
			testkit.Equal(t, "data.0.attendance", cards.Text("data", 0, "attendance"), att)
			testkit.Equal(t, "data.0.stage_id", cards.Text("data", 0, "stage_id"), stage)
			testkit.Equal(t, "data.0.assignee", cards.Text("data", 0, "assignee"), assignee)
			testkit.Equal(t, "data.0.status", cards.Text("data", 0, "status"), status)
		}
		me := w.A.Owner.ID.String()
		expectCard(waiting, "", "open")
		w.A.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
		expectCard(inProgress, me, "open")
		w.A.Post(t, "/conversations/"+c+"/transfer", `{"user_id":null}`).OK(200)
		expectCard(waiting, "", "open")
		w.A.Post(t, "/conversations/"+c+"/transfer", `{"user_id":"`+me+`"}`).OK(200)
		expectCard(inProgress, me, "open")
		w.A.Post(t, "/conversations/"+c+"/attendance/close", nil).OK(200)
		expectCard(done, me, "completed")
	})
}

func TestConcurrentAttendancesGetConsecutiveProtocolNumbers(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		const customers = 200
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				for j := range customers / 20 {
					phone := phoneNumber(i*100 + j)
					if j%2 == 0 {
						w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phone)).OK(201)
					} else {
						w.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id":%q,"phone":%q}`, channel, phone)).OK(201)
					}
				}
			})
		}
		wg.Wait()
		numbers := map[string]bool{}
		for path := "/attendances?limit=100"; path != ""; {
			page := w.A.Get(t, path).OK(200)
			for i := range page.List() {
				numbers[page.Text("data", i, "protocol")] = true
			}
			path = ""
			if next := page.Text("next_cursor"); next != "" {
				path = "/attendances?limit=100&cursor=" + url.QueryEscape(next)
			}
		}
		for i := range customers {
			if !numbers[talk.FormatProtocol(int64(i+1))] {
				t.Errorf("protocol number %d is missing", i+1)
			}
		}
		if len(numbers) != customers {
			t.Errorf("got %d protocol numbers, want %d", len(numbers), customers)
		}
	})
}

func TestAttendancesOfPrivateChannelsAreHidden(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		private := privateChannel(t, w)
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas"}`).OK(201).ID()
		err := w.Desk.Talk.Receive(context.Background(), w.A.ID, private.ID, []provider.Incoming{{Message: &provider.IncomingMessage{
			ExternalID: "p-1", Customer: provider.Person{WAID: "5511912344321", Name: "Secret"}, Type: "text", Text: "x", At: w.Clock.Now(),
		}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, query := range []string{"", "?protocol=1", "?assignee=none", "?status=open"} {
			testkit.Diff(t, "attendances of "+query, w.A.Get(t, "/attendances"+query).OK(200).List(), []any{})
		}
		queues := w.A.Get(t, "/sectors").OK(200)
		if strings.Contains(string(queues.Raw), private.ID.String()) || queues.Text("data", 0, "id") != sector {
			t.Errorf("sectors: got %s, want the sector without the private channel", queues.Raw)
		}
		if got := openAttendance(t, w, customerWrites(t, w, sandbox(t, w), phoneNumber(1))).Text("protocol"); got != "ATD-000001" {
			t.Errorf("protocol after a private attendance: got %s, want ATD-000001", got)
		}
	})
}
