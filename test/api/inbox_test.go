package api_test

import (
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// listedIDs returns the ids of the conversations that a query lists.
func listedIDs(t *testing.T, c *servertest.Client, query string) []string {
	t.Helper()
	return ids(c.Get(t, "/conversations?"+query).OK(200).List())
}

func TestConversationsAreFilteredByStatus(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		waiting := customerWrites(t, w, channel, phoneNumber(1))
		taken := customerWrites(t, w, channel, phoneNumber(2))
		ana.Post(t, "/conversations/"+taken+"/messages", message("oi")).OK(201)
		unread := customerWrites(t, w, channel, phoneNumber(3))
		w.A.Post(t, "/conversations/"+unread+"/attendance/close", nil).OK(200)
		closed := customerWrites(t, w, channel, phoneNumber(4))
		w.A.Post(t, "/conversations/"+closed+"/attendance/close", nil).OK(200)
		w.A.Post(t, "/conversations/"+closed+"/read", nil).OK(200)
		muted := customerWrites(t, w, channel, phoneNumber(5))
		w.A.Patch(t, "/conversations/"+muted, `{"muted":true,"pinned":true}`).OK(200)
		w.A.Post(t, "/conversations/"+muted+"/attendance/close", nil).OK(200)
		w.A.Patch(t, "/conversations/"+waiting, `{"pinned":true}`).OK(200)

		t.Run("open conversations have an open attendance, or are unread and not muted", func(t *testing.T) {
			testkit.Diff(t, "open", listedIDs(t, w.A.Client, "status=open"), []string{unread, taken, waiting})
		})
		t.Run("waiting conversations have an open attendance without a responsible person", func(t *testing.T) {
			testkit.Diff(t, "waiting", listedIDs(t, w.A.Client, "status=waiting"), []string{waiting})
		})
		t.Run("all others are closed", func(t *testing.T) {
			testkit.Diff(t, "closed", listedIDs(t, w.A.Client, "status=closed"), []string{muted, closed})
		})
		t.Run("pinned conversations come first only without a status", func(t *testing.T) {
			testkit.Diff(t, "all", listedIDs(t, w.A.Client, ""), []string{muted, waiting, closed, unread, taken})
		})
		t.Run("a status can be combined with a text", func(t *testing.T) {
			testkit.Diff(t, "q", listedIDs(t, w.A.Client, "status=open&q=0003"), []string{unread})
			testkit.Diff(t, "q", listedIDs(t, w.A.Client, "status=closed&q=0003"), []string{})
		})
		t.Run("invalid filters are refused", func(t *testing.T) {
			w.A.Get(t, "/conversations?status=all").Fails(400, "invalid_request")
			w.A.Get(t, "/conversations?sort=name").Fails(400, "invalid_request")
			w.A.Get(t, "/conversations?snoozed=maybe").Fails(400, "invalid_request")
		})
	})
}

func TestWaitingSinceIsTheOldestUnansweredMessage(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		first := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","text":"oi"}`).OK(201)
		c := "/conversations/" + first.Text("conversation")
		since := func() any { return w.A.Get(t, c).OK(200).At("attendance", "waiting_since") }

		t.Run("a conversation includes its open attendance", func(t *testing.T) {
			got, att := w.A.Get(t, c).OK(200), openAttendance(t, w, first.Text("conversation"))
			testkit.Diff(t, "attendance", got.At("attendance"), any(map[string]any{
				"id": att.ID(), "protocol": "ATD-000001", "opened_at": att.Text("opened_at"), "waiting_since": first.Text("created_at"), "sla": nil,
			}))
			testkit.Diff(t, "window", got.At("window_expires_at"), nil)
			testkit.Diff(t, "snoozed_until", got.At("snoozed_until"), nil)
		})
		t.Run("waiting_since is the time of the oldest unanswered message", func(t *testing.T) {
			w.Clock.Advance(time.Hour)
			customerWrites(t, w, channel, phoneNumber(1))
			testkit.Diff(t, "waiting_since", since(), first.Text("created_at"))
		})
		t.Run("waiting_since is null when the team wrote last", func(t *testing.T) {
			w.A.Post(t, c+"/messages", message("pois não")).OK(201)
			testkit.Diff(t, "waiting_since", since(), nil)
			again := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","text":"e aí"}`).OK(201)
			testkit.Diff(t, "waiting_since", since(), again.Text("created_at"))
			w.A.Post(t, simulatePath(channel), `{"from_phone_app":true,"to":"`+phoneNumber(1)+`","text":"já vai"}`).OK(201)
			testkit.Diff(t, "waiting_since", since(), nil)
		})
		t.Run("waiting_since is null without an unanswered message in an open attendance", func(t *testing.T) {
			customerWrites(t, w, channel, phoneNumber(1))
			w.A.Post(t, c+"/attendance/close", nil).OK(200)
			testkit.Diff(t, "attendance", w.A.Get(t, c).OK(200).At("attendance"), nil)
			w.A.Post(t, "/conversations", `{"channel_id":"`+channel+`","phone":"`+phoneNumber(1)+`"}`).OK(200)
			testkit.Diff(t, "waiting_since", since(), nil)
		})
	})
}

func TestConversationsAreSortedByWaitingTime(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		var ids []string
		for n := range 7 {
			ids = append(ids, customerWrites(t, w, channel, phoneNumber(n)))
		}
		for _, answered := range []int{1, 4} {
			w.A.Post(t, "/conversations/"+ids[answered]+"/messages", message("oi")).OK(201)
		}
		w.A.Post(t, "/conversations/"+ids[5]+"/attendance/close", nil).OK(200)
		w.A.Post(t, "/conversations/"+ids[5]+"/read", nil).OK(200)
		customerWrites(t, w, channel, phoneNumber(0)) // has the newest activity but has waited the longest
		pick := func(numbers ...int) (out []string) {
			for _, n := range numbers {
				out = append(out, ids[n])
			}
			return out
		}

		for query, order := range map[string][]string{
			"sort=oldest_waiting":                pick(0, 2, 3, 6, 4, 1, 5),
			"sort=oldest_waiting&status=open":    pick(0, 2, 3, 6, 4, 1),
			"sort=oldest_waiting&status=waiting": pick(0, 2, 3, 6),
			"sort=oldest_waiting&status=closed":  pick(5),
			"sort=newest&status=open":            pick(0, 4, 1, 6, 3, 2),
			"sort=newest":                        pick(0, 4, 1, 6, 5, 3, 2),
			"sort=oldest_waiting&q=z":            pick(0, 2, 3, 6, 4, 1, 5),
		} {
			t.Run(query, func(t *testing.T) {
				testkit.Diff(t, "listed conversations", listedIDs(t, w.A.Client, query), order)
				for _, limit := range []string{"1", "2", "3"} {
					var byOffset, byCursor []string
					page := w.A.Get(t, "/conversations?limit="+limit+"&"+query).OK(200)
					for {
						for i := range page.List() {
							byCursor = append(byCursor, page.Text("data", i, "id"))
						}
						if page.At("next_cursor") == nil {
							break
						}
						page = w.A.Get(t, "/conversations?limit="+limit+"&"+query+"&cursor="+page.Text("next_cursor")).OK(200)
					}
					for offset := 0; offset < len(ids); offset += int(limit[0] - '0') {
						byOffset = append(byOffset, listedIDs(t, w.A.Client, "limit="+limit+"&offset="+string(rune('0'+offset))+"&"+query)...)
					}
					testkit.Diff(t, "by cursor, "+limit+" at a time", byCursor, order)
					testkit.Diff(t, "by offset, "+limit+" at a time", byOffset, order)
				}
			})
		}
		t.Run("a cursor with an offset, another query or another company is refused", func(t *testing.T) {
			next := w.A.Get(t, "/conversations?limit=1").OK(200).Text("next_cursor")
			w.A.Get(t, "/conversations?limit=1&offset=0&cursor="+next).Fails(400, "invalid_request")
			w.A.Get(t, "/conversations?limit=1&status=open&cursor="+next).Fails(400, "invalid_cursor")
			w.B.Get(t, "/conversations?limit=1&cursor="+next).Fails(400, "invalid_cursor")
		})
	})
}

func TestInboxCountsMatchTheLists(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, own := addMember(t, w, "Ana"), addMember(t, w, "Olga", `"access_profile":"own"`)
		sales := w.A.Post(t, "/sectors", `{"name":"Vendas","member_ids":["`+ana.id+`"]}`).OK(201).ID()
		other := w.A.Post(t, "/sectors", `{"name":"Caixa"}`).OK(201).ID()
		vip := w.A.Post(t, "/labels", `{"name":"VIP"}`).OK(201).ID()
		unused := w.A.Post(t, "/labels", `{"name":"Atraso"}`).OK(201).ID()
		var ids []string
		for n := range 6 {
			ids = append(ids, customerWrites(t, w, channel, phoneNumber(n)))
		}
		path := func(n int) string { return "/conversations/" + ids[n] }
		w.A.Patch(t, path(0), `{"label_ids":["`+vip+`"]}`).OK(200)
		w.A.Put(t, path(0)+"/sector", `{"sector_id":"`+sales+`"}`).OK(200)
		w.A.Post(t, path(1)+"/transfer", `{"user_id":"`+ana.id+`","sector_id":"`+sales+`"}`).OK(200)
		w.A.Post(t, path(2)+"/transfer", `{"user_id":"`+ana.id+`"}`).OK(200)
		w.A.Post(t, path(2)+"/read", nil).OK(200)
		w.A.Post(t, path(3)+"/attendance/close", nil).OK(200) // it is still unread
		w.A.Post(t, path(4)+"/attendance/close", nil).OK(200)
		w.A.Post(t, path(4)+"/read", nil).OK(200)
		w.A.Patch(t, path(4), `{"label_ids":["`+vip+`"]}`).OK(200)
		privateChannel(t, w)

		counts := func(c *servertest.Client) map[string]any {
			var out map[string]any
			c.Get(t, "/inbox/counts").OK(200).Into(&out)
			return out
		}
		sectors := func(waiting, unread float64) any {
			return []any{map[string]any{"id": other, "waiting": 0.0, "unread": 0.0}, map[string]any{"id": sales, "waiting": waiting, "unread": unread}}
		}
		labels := func(open float64) any {
			return []any{map[string]any{"id": unused, "open": 0.0}, map[string]any{"id": vip, "open": open}}
		}
		t.Run("counts are exact", func(t *testing.T) {
			testkit.Diff(t, "Ana's counts", counts(ana.Client), map[string]any{
				"mine": 2.0, "unassigned": 2.0, "unread": 4.0, "open": 5.0, "snoozed": 0.0, "at_risk": 0.0, "sectors": sectors(1, 2), "labels": labels(1), "views": []any{},
			})
			testkit.Diff(t, "the owner's count of their own", counts(w.A.Client)["mine"], 0.0)
		})
		t.Run("only visible conversations are counted", func(t *testing.T) {
			w.A.Post(t, path(5)+"/transfer", `{"user_id":"`+own.id+`"}`).OK(200)
			testkit.Diff(t, "Olga's counts", counts(own.Client), map[string]any{
				"mine": 1.0, "unassigned": 0.0, "unread": 1.0, "open": 1.0, "snoozed": 0.0, "at_risk": 0.0, "sectors": sectors(0, 0), "labels": labels(0), "views": []any{},
			})
			testkit.Diff(t, "counts of the other company", counts(w.B.Client), map[string]any{
				"mine": 0.0, "unassigned": 0.0, "unread": 0.0, "open": 0.0, "snoozed": 0.0, "at_risk": 0.0, "sectors": []any{}, "labels": []any{}, "views": []any{},
			})
		})
		t.Run("counts need conversations:read", func(t *testing.T) {
			_, c := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeMessagesRead))
			c.Get(t, "/inbox/counts").Fails(403, "insufficient_scope")
		})
		t.Run("counts match the lists", func(t *testing.T) {
			got := counts(ana.Client)
			for query, count := range map[string]string{"status=open": "open", "status=waiting": "unassigned", "status=open&assignee=me": "mine", "status=open&unread=true": "unread"} {
				testkit.Diff(t, query, any(float64(len(listedIDs(t, ana.Client, query)))), got[count])
			}
		})
	})
}

// keyWithScopes returns a key with these scopes only.
func keyWithScopes(scopes ...kernel.Scope) people.NewKey {
	return people.NewKey{Name: "limited", Scopes: kernel.NewScopeSet(scopes...)}
}
