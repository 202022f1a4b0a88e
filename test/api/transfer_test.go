package api_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"recado/test/servertest"
	"recado/test/testkit"
)

// assignmentHistory returns the assignments of a conversation as "action user by", newest first.
func assignmentHistory(t *testing.T, w *servertest.World, conversation string) []string {
	t.Helper()
	var lines []string
	list := w.A.Get(t, "/conversations/"+conversation+"/assignments").OK(200)
	for i := range list.List() {
		lines = append(lines, strings.Join([]string{list.Text("data", i, "action"), list.Text("data", i, "user", "name"), list.Text("data", i, "by", "name")}, " "))
	}
	return lines
}

// waitingCount returns the number of attendances that wait in a sector.
func waitingCount(t *testing.T, w *servertest.World, sector string) int {
	t.Helper()
	sectors := w.A.Get(t, "/sectors").OK(200)
	for i, s := range sectors.List() {
		if s.(map[string]any)["id"] == sector {
			if n := sectors.Int("data", i, "queues", 0, "waiting"); (n > 0) == (sectors.Text("data", i, "queues", 0, "oldest_waiting_at") != "") {
				return n
			}
		}
	}
	t.Fatalf("sector %s: got %s, want it listed with oldest_waiting_at if attendances wait", sector, sectors.Raw)
	return 0
}

func TestConversationsAreTransferred(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, bia := addMember(t, w, "Ana"), addMember(t, w, "Bia")
		sales := w.A.Post(t, "/sectors", `{"name":"Vendas","member_ids":["`+ana.id+`"]}`).OK(201).ID()
		support := w.A.Post(t, "/sectors", `{"name":"Suporte"}`).OK(201).ID()
		c := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + c
		// expect checks the assignee and sector of the conversation and its attendance, which must agree.
		expect := func(t *testing.T, conversation *servertest.Answer, assignee, sector string) {
			t.Helper()
			att := openAttendance(t, w, c)
			if conversation.Text("assignee") != assignee || conversation.Text("sector") != sector || att.Text("responsible", "id") != assignee || att.Text("sector") != sector {
				t.Fatalf("got %s\nand %s,\nwant the assignee %q and the sector %q", conversation.Raw, att.Raw, assignee, sector)
			}
			testkit.Equal(t, "conversation read again", string(w.A.Get(t, path).OK(200).Raw), string(conversation.Raw))
		}

		t.Run("a transfer to a person keeps the sector", func(t *testing.T) {
			expect(t, w.A.Post(t, path+"/transfer", `{"user_id":"`+bia.id+`","reason":"férias"}`).OK(200), bia.id, "")
			entry := w.A.Get(t, path+"/assignments").OK(200)
			testkit.Equal(t, "data.0.reason", entry.Text("data", 0, "reason"), "férias")
			testkit.Equal(t, "data.0.sector", entry.At("data", 0, "sector"), nil)
			testkit.Equal(t, "newest history entry", assignmentHistory(t, w, c)[0], "received Bia Owner of Padaria Aurora")
		})
		t.Run("a transfer to a sector puts it into the sector's queue", func(t *testing.T) {
			expect(t, w.A.Post(t, path+"/transfer", `{"sector_id":"`+sales+`"}`).OK(200), "", sales)
			testkit.Equal(t, "number waiting in sales", waitingCount(t, w, sales), 1)
			testkit.Equal(t, "number waiting in support", waitingCount(t, w, support), 0)
			testkit.Equal(t, "newest history entry", assignmentHistory(t, w, c)[0], "handed_back Bia Owner of Padaria Aurora")
		})
		t.Run("a transfer to a member of the sector leaves the queue", func(t *testing.T) {
			expect(t, w.A.Post(t, path+"/transfer", `{"user_id":"`+ana.id+`","sector_id":"`+sales+`"}`).OK(200), ana.id, sales)
			testkit.Equal(t, "number waiting in sales", waitingCount(t, w, sales), 0)
		})
		t.Run("a transfer to a person outside the sector is refused", func(t *testing.T) {
			w.A.Post(t, path+"/transfer", `{"user_id":"`+bia.id+`","sector_id":"`+sales+`"}`).Fails(409, "not_a_sector_member")
			expect(t, w.A.Get(t, path).OK(200), ana.id, sales)
		})
		t.Run("a transfer back to the queue keeps the sector", func(t *testing.T) {
			expect(t, ana.Post(t, path+"/transfer", `{"user_id":null}`).OK(200), "", sales)
			testkit.Equal(t, "newest history entry", assignmentHistory(t, w, c)[0], "handed_back Ana Ana")
		})
		t.Run("a transfer to oneself is recorded as taking over", func(t *testing.T) {
			expect(t, bia.Post(t, path+"/transfer", `{"user_id":"`+bia.id+`"}`).OK(200), bia.id, sales)
			testkit.Equal(t, "newest history entry", assignmentHistory(t, w, c)[0], "took_over Bia Bia")
		})
		t.Run("a transfer can remove the sector", func(t *testing.T) {
			expect(t, w.A.Post(t, path+"/transfer", `{"user_id":"`+bia.id+`","sector_id":null}`).OK(200), bia.id, "")
		})
		t.Run("setting the sector keeps the responsible person", func(t *testing.T) {
			expect(t, w.A.Put(t, path+"/sector", `{"sector_id":"`+support+`","reason":"engano"}`).OK(200), bia.id, support)
			entry := w.A.Get(t, path+"/assignments").OK(200)
			testkit.Equal(t, "data.0.sector", entry.Text("data", 0, "sector"), support)
			testkit.Equal(t, "data.0.reason", entry.Text("data", 0, "reason"), "engano")
			testkit.Equal(t, "data.0.user", entry.At("data", 0, "user"), nil)
			lines := len(assignmentHistory(t, w, c))
			expect(t, w.A.Put(t, path+"/sector", `{"sector_id":"`+support+`"}`).OK(200), bia.id, support)
			expect(t, w.A.Put(t, path+"/sector", `{}`).OK(200), bia.id, support)
			testkit.Equal(t, "number of history entries without a change", len(assignmentHistory(t, w, c)), lines)
			expect(t, w.A.Put(t, path+"/sector", `{"sector_id":null}`).OK(200), bia.id, "")
		})
		t.Run("bad input is refused", func(t *testing.T) {
			for body, field := range map[string]string{
				`{}`:                                "body",
				`{"reason":"x"}`:                    "body",
				`{"user_id":"me"}`:                  "body.user_id",
				`{"user_id":"` + unknownID + `"}`:   "body.user_id",
				`{"sector_id":"` + unknownID + `"}`: "body.sector_id",
				`{"user_id":"` + w.B.Owner.ID.String() + `"}`:   "body.user_id",
				`{"user_id":"` + ana.id + `","reason":null}`:    "body.reason",
				`{"user_id":"` + ana.id + `","to":"x"}`:         "body.to",
				`{"reason":"` + strings.Repeat("é", 501) + `"}`: "body.reason",
			} {
				if got := w.A.Post(t, path+"/transfer", body).Fails(400, "invalid_request").Text("details", 0, "field"); got != field {
					t.Errorf("%s: details.0.field: got %q, want %q", body, got, field)
				}
			}
			w.A.Post(t, path+"/transfer", nil).Fails(400, "invalid_request")
			w.A.Put(t, path+"/sector", `{"sector_id":"`+unknownID+`"}`).Fails(400, "invalid_request")
			w.B.Post(t, path+"/transfer", `{"user_id":null}`).Fails(404, "not_found")
			w.B.Put(t, path+"/sector", `{}`).Fails(404, "not_found")
			w.A.Post(t, "/conversations/x/transfer", `{"user_id":null}`).Fails(404, "not_found")
		})
		t.Run("a transfer returns the conversation even if the caller no longer sees it", func(t *testing.T) {
			own := addMember(t, w, "Own", `"access_profile":"own"`)
			own.Post(t, path+"/transfer", `{"user_id":"`+own.id+`"}`).Fails(404, "not_found")
			w.A.Post(t, path+"/transfer", `{"user_id":"`+own.id+`"}`).OK(200)
			expect(t, own.Post(t, path+"/transfer", `{"user_id":"`+ana.id+`"}`).OK(200), ana.id, "")
			own.Get(t, path).Fails(404, "not_found")
		})
		t.Run("concurrent transfers are recorded when the person changes, and the last one is current", func(t *testing.T) {
			before := len(assignmentHistory(t, w, c))
			var wg sync.WaitGroup
			for i := range 20 {
				to := []*person{ana, bia}[i%2]
				wg.Go(func() {
					w.A.Post(t, path+"/transfer", fmt.Sprintf(`{"user_id":%q,"reason":"%d"}`, to.id, i)).OK(200)
				})
			}
			wg.Wait()
			assignments := w.A.Get(t, path+"/assignments").OK(200)
			added := len(assignments.List()) - before
			if added < 1 || added > 20 {
				t.Fatalf("got %d new history entries, want 1 to 20", added)
			}
			reasons := map[string]bool{}
			for i := range added {
				reasons[assignments.Text("data", i, "reason")] = true
				if i > 0 && assignments.Text("data", i, "created_at") > assignments.Text("data", i-1, "created_at") {
					t.Errorf("entry %d is out of order", i)
				}
				if assignments.Text("data", i, "user", "id") == assignments.Text("data", i+1, "user", "id") {
					t.Errorf("entry %d has the same person as the one before", i)
				}
			}
			if len(reasons) != added {
				t.Errorf("got %d entries with the reasons %v, want a different reason in each", added, reasons)
			}
			if got := w.A.Get(t, path).OK(200).Text("assignee"); got != assignments.Text("data", 0, "user", "id") {
				t.Errorf("assignee: got %s, want %s as in the newest entry", got, assignments.Text("data", 0, "user", "id"))
			}
		})
		t.Run("a new attendance has the assignee and sector of its conversation", func(t *testing.T) {
			w.A.Post(t, path+"/transfer", `{"user_id":"`+ana.id+`","sector_id":"`+sales+`"}`).OK(200)
			w.A.Post(t, path+"/attendance/close", nil).OK(200)
			if got := w.A.Get(t, path).OK(200); got.Text("sector") != sales || got.At("assignee") != nil {
				t.Fatalf("closed conversation: got %s, want the sector %s and no assignee", got.Raw, sales)
			}
			w.A.Post(t, path+"/transfer", `{"user_id":"`+bia.id+`"}`).OK(200)
			customerWrites(t, w, channel, phoneNumber(1))
			expect(t, w.A.Get(t, path).OK(200), bia.id, sales)
		})
	})
}

func TestRemovedMembersAndSectorsReleaseConversations(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		gone := addMember(t, w, "Rui")
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas","member_ids":["`+gone.id+`"]}`).OK(201).ID()
		var conversations []string
		for i := range 12 {
			c := customerWrites(t, w, channel, phoneNumber(i))
			w.A.Post(t, "/conversations/"+c+"/transfer", `{"user_id":"`+gone.id+`","sector_id":"`+sector+`"}`).OK(200)
			conversations = append(conversations, c)
		}
		w.A.Post(t, "/conversations/"+conversations[0]+"/attendance/close", nil).OK(200)
		w.A.Post(t, "/conversations/"+conversations[0]+"/transfer", `{"user_id":"`+gone.id+`"}`).OK(200)

		t.Run("a removed member's conversations return to the queue of their sector", func(t *testing.T) {
			w.A.Delete(t, "/team/"+gone.id).OK(204)
			for _, c := range conversations {
				if got := w.A.Get(t, "/conversations/"+c).OK(200); got.At("assignee") != nil || got.Text("sector") != sector {
					t.Fatalf("conversation: got %s, want no assignee and the sector %s", got.Raw, sector)
				}
				testkit.Equal(t, "newest history entry", assignmentHistory(t, w, c)[0], "handed_back Rui Owner of Padaria Aurora")
			}
			testkit.Equal(t, "number waiting in the sector", waitingCount(t, w, sector), 11)
			w.A.Post(t, "/conversations/"+conversations[1]+"/transfer", `{"user_id":"`+gone.id+`"}`).Fails(400, "invalid_request")
			closed := w.A.Get(t, "/attendances?status=closed&assignee="+gone.id).OK(200)
			if len(closed.List()) != 1 || closed.Text("data", 0, "responsible", "name") != "Rui" {
				t.Fatalf("closed attendances: got %s, want 1 with Rui as responsible person", closed.Raw)
			}
		})
		t.Run("a removed sector is removed from conversations and attendances", func(t *testing.T) {
			w.A.Delete(t, "/sectors/"+sector).OK(204)
			for _, c := range conversations[1:] {
				if w.A.Get(t, "/conversations/"+c).OK(200).At("sector") != nil || openAttendance(t, w, c).At("sector") != nil {
					t.Fatalf("conversation %s or its attendance still has the removed sector", c)
				}
			}
			if slices.ContainsFunc(w.A.Get(t, "/sectors").OK(200).List(), func(s any) bool { return s.(map[string]any)["id"] == sector }) {
				t.Fatal("the removed sector is still listed")
			}
		})
	})
}
