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

// history gives the lines of a conversation's assignments, the newest first, as "action user by".
func history(t *testing.T, w *servertest.World, conversation string) []string {
	t.Helper()
	var lines []string
	answer := w.A.Get(t, "/conversations/"+conversation+"/assignments").OK(200)
	for i := range answer.List() {
		lines = append(lines, strings.Join([]string{answer.Text("data", i, "action"), answer.Text("data", i, "user", "name"), answer.Text("data", i, "by", "name")}, " "))
	}
	return lines
}

// waiting gives how many attendances wait in a sector.
func waiting(t *testing.T, w *servertest.World, sector string) int {
	t.Helper()
	answer := w.A.Get(t, "/sectors").OK(200)
	for i, s := range answer.List() {
		if s.(map[string]any)["id"] == sector {
			if n := answer.Int("data", i, "queues", 0, "waiting"); (n > 0) == (answer.Text("data", i, "queues", 0, "oldest_waiting_at") != "") {
				return n
			}
		}
	}
	t.Fatalf("no such sector, or no oldest: %s", answer.Raw)
	return 0
}

func TestTransfers(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, bia := addMember(t, w, "Ana"), addMember(t, w, "Bia")
		sales := w.A.Post(t, "/sectors", `{"name":"Vendas","member_ids":["`+ana.ref+`"]}`).OK(201).ID()
		support := w.A.Post(t, "/sectors", `{"name":"Suporte"}`).OK(201).ID()
		c := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + c
		// is checks the conversation and its attendance, which always agree.
		is := func(t *testing.T, answer *servertest.Answer, assignee, sector string) {
			t.Helper()
			att := current(t, w, c)
			if answer.Text("assignee") != assignee || answer.Text("sector") != sector || att.Text("responsible", "id") != assignee || att.Text("sector") != sector {
				t.Fatalf("want %s in %s\n%s\n%s", assignee, sector, answer.Raw, att.Raw)
			}
			testkit.Equal(t, "w.A.Get(t, path).OK(200).Raw", string(w.A.Get(t, path).OK(200).Raw), string(answer.Raw))
		}

		t.Run("to a person alone, the sector stays", func(t *testing.T) {
			is(t, w.A.Post(t, path+"/transfer", `{"user_id":"`+bia.ref+`","reason":"férias"}`).OK(200), bia.ref, "")
			entry := w.A.Get(t, path+"/assignments").OK(200)
			testkit.Equal(t, "data.0.reason", entry.Text("data", 0, "reason"), "férias")
			testkit.Equal(t, "data.0.sector", entry.At("data", 0, "sector"), nil)
			testkit.Equal(t, "history(t, w, c)[0]", history(t, w, c)[0], "received Bia Owner of Padaria Aurora")
		})
		t.Run("with a sector alone, it waits in the queue of the sector", func(t *testing.T) {
			is(t, w.A.Post(t, path+"/transfer", `{"sector_id":"`+sales+`"}`).OK(200), "", sales)
			if waiting(t, w, sales) != 1 || waiting(t, w, support) != 0 {
				t.Fatal("the queues are wrong")
			}
			testkit.Equal(t, "history(t, w, c)[0]", history(t, w, c)[0], "handed_back Bia Owner of Padaria Aurora")
		})
		t.Run("to a person of the sector", func(t *testing.T) {
			is(t, w.A.Post(t, path+"/transfer", `{"user_id":"`+ana.ref+`","sector_id":"`+sales+`"}`).OK(200), ana.ref, sales)
			if waiting(t, w, sales) != 0 {
				t.Fatal("still waiting")
			}
		})
		t.Run("a person who is no member of the sector is refused", func(t *testing.T) {
			w.A.Post(t, path+"/transfer", `{"user_id":"`+bia.ref+`","sector_id":"`+sales+`"}`).Fails(409, "not_a_sector_member")
			is(t, w.A.Get(t, path).OK(200), ana.ref, sales)
		})
		t.Run("back to the queue, the sector stays", func(t *testing.T) {
			is(t, ana.Post(t, path+"/transfer", `{"user_id":null}`).OK(200), "", sales)
			testkit.Equal(t, "history(t, w, c)[0]", history(t, w, c)[0], "handed_back Ana Ana")
		})
		t.Run("to oneself is taking over", func(t *testing.T) {
			is(t, bia.Post(t, path+"/transfer", `{"user_id":"`+bia.ref+`"}`).OK(200), bia.ref, sales)
			testkit.Equal(t, "history(t, w, c)[0]", history(t, w, c)[0], "took_over Bia Bia")
		})
		t.Run("to no sector", func(t *testing.T) {
			is(t, w.A.Post(t, path+"/transfer", `{"user_id":"`+bia.ref+`","sector_id":null}`).OK(200), bia.ref, "")
		})
		t.Run("setting the sector leaves the responsible person", func(t *testing.T) {
			is(t, w.A.Put(t, path+"/sector", `{"sector_id":"`+support+`","reason":"engano"}`).OK(200), bia.ref, support)
			entry := w.A.Get(t, path+"/assignments").OK(200)
			testkit.Equal(t, "data.0.sector", entry.Text("data", 0, "sector"), support)
			testkit.Equal(t, "data.0.reason", entry.Text("data", 0, "reason"), "engano")
			testkit.Equal(t, "data.0.user", entry.At("data", 0, "user"), nil)
			lines := len(history(t, w, c))
			is(t, w.A.Put(t, path+"/sector", `{"sector_id":"`+support+`"}`).OK(200), bia.ref, support)
			is(t, w.A.Put(t, path+"/sector", `{}`).OK(200), bia.ref, support)
			if got := len(history(t, w, c)); got != lines {
				t.Fatal("a line for nothing")
			}
			is(t, w.A.Put(t, path+"/sector", `{"sector_id":null}`).OK(200), bia.ref, "")
		})
		t.Run("bad input is refused", func(t *testing.T) {
			for body, field := range map[string]string{
				`{}`:                                "body",
				`{"reason":"x"}`:                    "body",
				`{"user_id":"me"}`:                  "body.user_id",
				`{"user_id":"` + unknownID + `"}`:   "body.user_id",
				`{"sector_id":"` + unknownID + `"}`: "body.sector_id",
				`{"user_id":"` + w.B.Owner.ID.String() + `"}`:   "body.user_id",
				`{"user_id":"` + ana.ref + `","reason":null}`:   "body.reason",
				`{"user_id":"` + ana.ref + `","to":"x"}`:        "body.to",
				`{"reason":"` + strings.Repeat("é", 501) + `"}`: "body.reason",
			} {
				if got := w.A.Post(t, path+"/transfer", body).Fails(400, "invalid_request").Text("details", 0, "field"); got != field {
					t.Errorf("%s: field %s", body, got)
				}
			}
			w.A.Post(t, path+"/transfer", nil).Fails(400, "invalid_request")
			w.A.Put(t, path+"/sector", `{"sector_id":"`+unknownID+`"}`).Fails(400, "invalid_request")
			w.B.Post(t, path+"/transfer", `{"user_id":null}`).Fails(404, "not_found")
			w.B.Put(t, path+"/sector", `{}`).Fails(404, "not_found")
			w.A.Post(t, "/conversations/x/transfer", `{"user_id":null}`).Fails(404, "not_found")
		})
		t.Run("who hands a conversation over still gets it as the answer", func(t *testing.T) {
			own := addMember(t, w, "Own", `"access_profile":"own"`)
			own.Post(t, path+"/transfer", `{"user_id":"`+own.ref+`"}`).Fails(404, "not_found")
			w.A.Post(t, path+"/transfer", `{"user_id":"`+own.ref+`"}`).OK(200)
			is(t, own.Post(t, path+"/transfer", `{"user_id":"`+ana.ref+`"}`).OK(200), ana.ref, "")
			own.Get(t, path).Fails(404, "not_found")
		})
		t.Run("racing transfers stand in the history where the person changed, and the last one is where it is", func(t *testing.T) {
			before := len(history(t, w, c))
			var wg sync.WaitGroup
			for i := range 20 {
				to := []*person{ana, bia}[i%2]
				wg.Go(func() {
					w.A.Post(t, path+"/transfer", fmt.Sprintf(`{"user_id":%q,"reason":"%d"}`, to.ref, i)).OK(200)
				})
			}
			wg.Wait()
			answer := w.A.Get(t, path+"/assignments").OK(200)
			added := len(answer.List()) - before
			if added < 1 || added > 20 {
				t.Fatalf("%d entries", added)
			}
			reasons := map[string]bool{}
			for i := range added {
				reasons[answer.Text("data", i, "reason")] = true
				if i > 0 && answer.Text("data", i, "created_at") > answer.Text("data", i-1, "created_at") {
					t.Errorf("entry %d is out of order", i)
				}
				if answer.Text("data", i, "user", "id") == answer.Text("data", i+1, "user", "id") {
					t.Errorf("entry %d changes nothing", i)
				}
			}
			if len(reasons) != added {
				t.Errorf("%d entries have the reasons %v", added, reasons)
			}
			if got := w.A.Get(t, path).OK(200).Text("assignee"); got != answer.Text("data", 0, "user", "id") {
				t.Errorf("the conversation is at %s", got)
			}
		})
		t.Run("an attendance opens where its conversation is", func(t *testing.T) {
			w.A.Post(t, path+"/transfer", `{"user_id":"`+ana.ref+`","sector_id":"`+sales+`"}`).OK(200)
			w.A.Post(t, path+"/attendance/close", nil).OK(200)
			if got := w.A.Get(t, path).OK(200); got.Text("sector") != sales || got.At("assignee") != nil {
				t.Fatalf("w.A.Get(t, path).OK(200): want sector == sales and assignee == nil; got %s", got.Raw)
			}
			w.A.Post(t, path+"/transfer", `{"user_id":"`+bia.ref+`"}`).OK(200)
			customerWrites(t, w, channel, phoneNumber(1))
			is(t, w.A.Get(t, path).OK(200), bia.ref, sales)
		})
	})
}

func TestRemovals(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		gone := addMember(t, w, "Rui")
		sector := w.A.Post(t, "/sectors", `{"name":"Vendas","member_ids":["`+gone.ref+`"]}`).OK(201).ID()
		var held []string
		for i := range 12 {
			c := customerWrites(t, w, channel, phoneNumber(i))
			w.A.Post(t, "/conversations/"+c+"/transfer", `{"user_id":"`+gone.ref+`","sector_id":"`+sector+`"}`).OK(200)
			held = append(held, c)
		}
		w.A.Post(t, "/conversations/"+held[0]+"/attendance/close", nil).OK(200)
		w.A.Post(t, "/conversations/"+held[0]+"/transfer", `{"user_id":"`+gone.ref+`"}`).OK(200)

		t.Run("a removed member's conversations go back to the queue of their sector", func(t *testing.T) {
			w.A.Delete(t, "/team/"+gone.ref).OK(204)
			for _, c := range held {
				if got := w.A.Get(t, "/conversations/"+c).OK(200); got.At("assignee") != nil || got.Text("sector") != sector {
					t.Fatalf(`w.A.Get(t, "/conversations/"+c).OK(200): want assignee == nil and sector == sector; got %s`, got.Raw)
				}
				testkit.Equal(t, "history(t, w, c)[0]", history(t, w, c)[0], "handed_back Rui Owner of Padaria Aurora")
			}
			testkit.Equal(t, "waiting(t, w, sector)", waiting(t, w, sector), 11)
			w.A.Post(t, "/conversations/"+held[1]+"/transfer", `{"user_id":"`+gone.ref+`"}`).Fails(400, "invalid_request")
			closed := w.A.Get(t, "/attendances?status=closed&assignee="+gone.ref).OK(200)
			if len(closed.List()) != 1 || closed.Text("data", 0, "responsible", "name") != "Rui" {
				t.Fatalf("history forgot him: %s", closed.Raw)
			}
		})
		t.Run("a removed sector is taken off conversations and attendances", func(t *testing.T) {
			w.A.Delete(t, "/sectors/"+sector).OK(204)
			for _, c := range held[1:] {
				if w.A.Get(t, "/conversations/"+c).OK(200).At("sector") != nil || current(t, w, c).At("sector") != nil {
					t.Fatal("still there")
				}
			}
			if slices.ContainsFunc(w.A.Get(t, "/sectors").OK(200).List(), func(s any) bool { return s.(map[string]any)["id"] == sector }) {
				t.Fatal("still listed")
			}
		})
	})
}
