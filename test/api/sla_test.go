package api_test

import (
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// newPolicy creates a policy. fields are further fields of its body.
func newPolicy(t *testing.T, c *servertest.Client, name, fields string) string {
	t.Helper()
	return c.Post(t, "/sla-policies", `{"name":"`+name+`",`+fields+`}`).OK(201).ID()
}

// checkLevels does what the loop does every second.
func checkLevels(t *testing.T, w *servertest.World) {
	t.Helper()
	if _, err := w.Desk.Levels.Check(t.Context(), 1000); err != nil {
		t.Fatal(err)
	}
}

// moment parses a time of a response.
func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// levels is the service level of a case.
type levels struct {
	t   *testing.T
	att *servertest.Answer
	in  []any // where the service level is
}

func levelOf(t *testing.T, w *servertest.World, conversation string) levels {
	t.Helper()
	return levels{t, openAttendance(t, w, conversation), []any{"sla"}}
}

// expect checks the state of a target, and that it is due so long after the opening of the case; a negative time means any.
func (l levels) expect(target, state string, due time.Duration) {
	l.t.Helper()
	testkit.Diff(l.t, target+".state", l.att.Text(append(l.in, target, "state")...), state)
	if due >= 0 {
		at := moment(l.t, l.att.Text(append(l.in, target, "due_at")...)).Sub(moment(l.t, l.att.Text("opened_at")))
		testkit.Diff(l.t, target+".due_at after the opening", at.Round(5*time.Second), due)
	}
}

// none checks that a target is null.
func (l levels) none(target string) {
	l.t.Helper()
	testkit.Diff(l.t, target, l.att.At(append(l.in, target)...), nil)
}

// levelEvents returns the events of service levels in the feed, by conversation, as type and target.
func levelEvents(t *testing.T, w *servertest.World) map[string][]string {
	t.Helper()
	events := map[string][]string{}
	for path := "/events?limit=100&types=attendance.sla_warning,attendance.sla_breached"; ; {
		page := w.A.Get(t, path).OK(200)
		for i := range page.List() {
			c := page.Text("data", i, "data", "conversation", "id")
			events[c] = append(events[c], page.Text("data", i, "type")[len("attendance.sla_"):]+" "+page.Text("data", i, "data", "target"))
			testkit.Diff(t, "conversation of the attendance", page.Text("data", i, "data", "attendance", "conversation"), c)
		}
		next := page.Text("next_cursor")
		if len(page.List()) == 0 || next == "" {
			return events
		}
		path = "/events?limit=100&types=attendance.sla_warning,attendance.sla_breached&after=" + url.QueryEscape(next)
	}
}

// expectLevelEvents waits for the events of service levels of a conversation.
func expectLevelEvents(t *testing.T, w *servertest.World, conversation string, want ...string) {
	t.Helper()
	testkit.Eventually(t, "the events arrive", func() bool { return len(levelEvents(t, w)[conversation]) >= len(want) })
	testkit.Diff(t, "events", levelEvents(t, w)[conversation], want)
}

func TestServiceLevelPolicies(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sales := w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201).ID()
		made := w.A.Post(t, "/sla-policies", `{"name":" Standard ","first_response_minutes":15}`).OK(201)
		at := "/sla-policies/" + made.ID()

		t.Run("a policy has defaults", func(t *testing.T) {
			testkit.Diff(t, "name", made.Text("name"), "Standard")
			testkit.Diff(t, "sector_ids", len(made.At("sector_ids").([]any)), 0)
			testkit.Diff(t, "first_response_minutes", made.Int("first_response_minutes"), 15)
			testkit.Diff(t, "next_response_minutes", made.At("next_response_minutes"), nil)
			testkit.Diff(t, "clock", made.Text("clock"), "always")
			testkit.Diff(t, "warn_percent", made.Int("warn_percent"), 80)
			testkit.Diff(t, "list", string(w.A.Get(t, "/sla-policies").OK(200).Raw), `{"data":[`+string(made.Raw)+`]}`)
		})
		t.Run("two policies never have the same name, the same sector or no sector", func(t *testing.T) {
			w.A.Post(t, "/sla-policies", `{"name":"STANDARD","sector_ids":["`+sales+`"]}`).Fails(409, "name_taken")
			w.A.Post(t, "/sla-policies", `{"name":"Other"}`).Fails(409, "name_taken")
			own := newPolicy(t, w.A.Client, "Sales", `"sector_ids":["`+sales+`","`+sales+`"]`)
			w.A.Post(t, "/sla-policies", `{"name":"Other","sector_ids":["`+sales+`"]}`).Fails(409, "name_taken")
			w.A.Patch(t, at, `{"sector_ids":["`+sales+`"]}`).Fails(409, "name_taken")
			w.A.Patch(t, at, `{"name":"sales"}`).Fails(409, "name_taken")
			w.A.Patch(t, "/sla-policies/"+own, `{"sector_ids":[]}`).Fails(409, "name_taken")
			w.A.Delete(t, "/sla-policies/"+own).OK(204)
			newPolicy(t, w.A.Client, "Sales", `"sector_ids":["`+sales+`"]`)
		})
		t.Run("invalid input is refused with the field", func(t *testing.T) {
			for body, field := range map[string]string{
				`{"name":"x","first_response_minutes":0}`:                         "body.first_response_minutes",
				`{"name":"x","next_response_minutes":525601}`:                     "body.next_response_minutes",
				`{"name":"x","resolution_minutes":-1}`:                            "body.resolution_minutes",
				`{"name":"x","warn_percent":49}`:                                  "body.warn_percent",
				`{"name":"x","warn_percent":96}`:                                  "body.warn_percent",
				`{"name":"x","clock":"sometimes"}`:                                "body.clock",
				`{"name":"","clock":"always"}`:                                    "body.name",
				`{"name":"x","sector_ids":["` + kernel.NewID().String() + `"]}`:   "body.sector_ids[0]",
				`{"name":"x","sector_ids":["` + sales + `","` + made.ID() + `"]}`: "body.sector_ids[1]",
			} {
				testkit.Diff(t, body, w.A.Post(t, "/sla-policies", body).Fails(400, "invalid_request").Text("details", 0, "field"), field)
				testkit.Diff(t, body, w.A.Patch(t, at, body).Fails(400, "invalid_request").Text("details", 0, "field"), field)
			}
		})
		t.Run("a change keeps absent fields, and null removes a target", func(t *testing.T) {
			changed := w.A.Patch(t, at, `{"resolution_minutes":60,"clock":"hours"}`).OK(200)
			testkit.Diff(t, "first_response_minutes", changed.Int("first_response_minutes"), 15)
			testkit.Diff(t, "resolution_minutes", changed.Int("resolution_minutes"), 60)
			changed = w.A.Patch(t, at, `{"first_response_minutes":null}`).OK(200)
			testkit.Diff(t, "first_response_minutes", changed.At("first_response_minutes"), nil)
			testkit.Diff(t, "clock", changed.Text("clock"), "hours")
		})
		t.Run("policies belong to a company", func(t *testing.T) {
			w.B.Patch(t, at, `{"name":"x"}`).Fails(404, "not_found")
			w.B.Delete(t, at).Fails(404, "not_found")
			testkit.Diff(t, "list of another company", len(w.B.Get(t, "/sla-policies").OK(200).List()), 0)
		})
		t.Run("a deleted policy is gone, and its name is free", func(t *testing.T) {
			w.A.Delete(t, at).OK(204)
			w.A.Patch(t, at, `{"name":"x"}`).Fails(404, "not_found")
			w.A.Delete(t, at).Fails(404, "not_found")
			newPolicy(t, w.A.Client, "Standard", `"resolution_minutes":1`)
		})
		t.Run("a company has at most 100 policies", func(t *testing.T) {
			for i := len(w.A.Get(t, "/sla-policies").OK(200).List()); i < 100; i++ {
				sector := w.A.Post(t, "/sectors", `{"name":"s`+strconv.Itoa(i)+`"}`).OK(201).ID()
				newPolicy(t, w.A.Client, "p"+strconv.Itoa(i), `"sector_ids":["`+sector+`"]`)
			}
			sector := w.A.Post(t, "/sectors", `{"name":"last"}`).OK(201).ID()
			w.A.Post(t, "/sla-policies", `{"name":"last","sector_ids":["`+sector+`"]}`).Fails(409, "limit_reached")
		})
	})
}

func TestACaseIsMeasuredAgainstItsPolicy(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		before := customerWrites(t, w, channel, phoneNumber(0))
		testkit.Diff(t, "sla of a case without a policy", openAttendance(t, w, before).At("sla"), nil)
		w.A.Post(t, "/conversations/"+before+"/messages", message("oi")).OK(201)
		policy := newPolicy(t, w.A.Client, "Standard", `"first_response_minutes":10,"next_response_minutes":20,"resolution_minutes":60`)

		t.Run("a new policy applies to open cases, without what is already over", func(t *testing.T) {
			l := levelOf(t, w, before)
			testkit.Diff(t, "policy", l.att.At("sla", "policy"), map[string]any{"id": policy, "name": "Standard"})
			l.none("first")
			l.none("next")
			l.expect("resolution", "pending", time.Hour)
		})
		c := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + c
		t.Run("the first response and the resolution start at opening", func(t *testing.T) {
			l := levelOf(t, w, c)
			l.expect("first", "pending", 10*time.Minute)
			l.none("next")
			l.expect("resolution", "pending", time.Hour)
			row := w.A.Get(t, path).OK(200)
			testkit.Diff(t, "target of the conversation", row.Text("attendance", "sla", "target"), "first")
			testkit.Diff(t, "state of the conversation", row.Text("attendance", "sla", "state"), "pending")
			testkit.Diff(t, "due_at of the conversation", row.Text("attendance", "sla", "due_at"), l.att.Text("sla", "first", "due_at"))
		})
		t.Run("a response in time meets the target", func(t *testing.T) {
			w.Clock.Advance(5 * time.Minute)
			w.A.Post(t, path+"/messages", message("oi")).OK(201)
			l := levelOf(t, w, c)
			l.expect("first", "met", 10*time.Minute)
			testkit.Diff(t, "met_at", l.att.Text("sla", "first", "met_at"), l.att.Text("first_response_at"))
			l.none("next")
			testkit.Diff(t, "target of the conversation", w.A.Get(t, path).OK(200).Text("attendance", "sla", "target"), "resolution")
		})
		t.Run("of several unanswered messages the oldest counts", func(t *testing.T) {
			w.Clock.Advance(5 * time.Minute)
			customerWrites(t, w, channel, phoneNumber(1))
			w.Clock.Advance(3 * time.Minute)
			customerWrites(t, w, channel, phoneNumber(1))
			levelOf(t, w, c).expect("next", "pending", 30*time.Minute)
		})
		t.Run("a reply ends the round, which stays until the customer writes again", func(t *testing.T) {
			w.A.Post(t, path+"/messages", message("um momento")).OK(201)
			levelOf(t, w, c).expect("next", "met", 30*time.Minute)
			w.Clock.Advance(2 * time.Minute) // 15 minutes after the opening
			customerWrites(t, w, channel, phoneNumber(1))
			levelOf(t, w, c).expect("next", "pending", 35*time.Minute)
		})
		t.Run("a late answer stays breached and has met_at", func(t *testing.T) {
			w.Clock.Advance(25 * time.Minute)
			w.A.Post(t, path+"/messages", message("desculpe")).OK(201)
			l := levelOf(t, w, c)
			l.expect("next", "breached", 35*time.Minute)
			if l.att.At("sla", "next", "met_at") == nil {
				t.Error("met_at is null")
			}
		})
		t.Run("closing meets the resolution", func(t *testing.T) {
			w.Clock.Advance(10 * time.Minute)
			closed := w.A.Post(t, path+"/attendance/close", nil).OK(200)
			l := levels{t, closed, []any{"sla"}}
			l.expect("resolution", "met", time.Hour)
			testkit.Diff(t, "met_at", closed.Text("sla", "resolution", "met_at"), closed.Text("closed_at"))
			stored := w.A.Get(t, "/attendances/"+closed.ID()).OK(200)
			testkit.Diff(t, "sla of the list", stored.At("sla"), closed.At("sla"))
		})
		t.Run("a reopened case continues, and is breached if it is closed late", func(t *testing.T) {
			ana := addMember(t, w, "Ana")
			c := customerWrites(t, w, channel, phoneNumber(2))
			ana.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			ana.Post(t, "/conversations/"+c+"/attendance/close", nil).OK(200)
			reopened := ana.Post(t, "/conversations/"+c+"/attendance/reopen", nil).OK(200)
			levels{t, reopened, []any{"sla"}}.expect("resolution", "pending", time.Hour)
			levelOf(t, w, c).expect("resolution", "pending", time.Hour)
			levelOf(t, w, c).expect("first", "met", 10*time.Minute)
			w.Clock.Advance(61 * time.Minute)
			closed := ana.Post(t, "/conversations/"+c+"/attendance/close", nil).OK(200)
			levels{t, closed, []any{"sla"}}.expect("resolution", "breached", time.Hour)
			expectLevelEvents(t, w, c, "breached resolution")
		})
		t.Run("automatic closing meets the resolution too", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(3))
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":true,"after_minutes":5}}`).OK(200)
			w.Clock.Advance(6 * time.Minute)
			if _, err := w.Desk.Talk.CloseIdle(t.Context(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
			w.A.Patch(t, "/company/attendance", `{"auto_close":{"enabled":false}}`).OK(200)
			att := w.A.Get(t, "/attendances?conversation="+c).OK(200)
			testkit.Diff(t, "resolution", att.Text("data", 0, "sla", "resolution", "state"), "met")
			testkit.Diff(t, "first, to which nobody responded", att.Text("data", 0, "sla", "first", "state"), "pending")
			w.Clock.Advance(time.Hour)
			checkLevels(t, w)
			testkit.Diff(t, "events of a closed case", len(levelEvents(t, w)[c]), 0)
		})
		t.Run("in a case of the team the first response starts with the customer's message", func(t *testing.T) {
			c := w.A.Post(t, "/conversations", map[string]string{"channel_id": channel, "phone": phoneNumber(4)}).OK(201).ID()
			w.A.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
			testkit.Diff(t, "opened_by", openAttendance(t, w, c).Text("opened_by"), "team")
			levelOf(t, w, c).none("first")
			w.Clock.Advance(30 * time.Minute)
			customerWrites(t, w, channel, phoneNumber(4))
			levelOf(t, w, c).expect("first", "pending", 40*time.Minute)
			w.A.Post(t, "/conversations/"+c+"/messages", message("tudo bem?")).OK(201)
			levelOf(t, w, c).expect("first", "met", 40*time.Minute)
		})
		t.Run("deleting the policy removes it from open cases only", func(t *testing.T) {
			open := customerWrites(t, w, channel, phoneNumber(5))
			w.A.Delete(t, "/sla-policies/"+policy).OK(204)
			testkit.Diff(t, "sla of an open case", openAttendance(t, w, open).At("sla"), nil)
			testkit.Diff(t, "sla of its conversation", w.A.Get(t, "/conversations/"+open).OK(200).At("attendance", "sla"), nil)
			testkit.Diff(t, "policy of a closed case", w.A.Get(t, "/attendances?status=closed").OK(200).Text("data", 0, "sla", "policy", "name"), "Standard")
		})
	})
}

func TestTargetsWarnAndAreBreachedOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		bia, biaID := signedIn(t, w, "Bia")
		sector := w.A.Post(t, "/sectors", fmt.Sprintf(`{"name":"Sales","member_ids":[%q,%q]}`, anaID, biaID)).OK(201).ID()
		newPolicy(t, w.A.Client, "Standard", `"first_response_minutes":10,"next_response_minutes":10`)
		c := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + c
		w.A.Post(t, path+"/transfer", `{"sector_id":"`+sector+`"}`).OK(200)
		for _, reader := range []*servertest.Client{ana, bia} {
			reader.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
		}

		t.Run("without a responsible person the members of the sector are warned", func(t *testing.T) {
			w.Clock.Advance(7 * time.Minute)
			checkLevels(t, w)
			testkit.Diff(t, "notifications before the warning", notifications(t, ana, "?unread=true"), []string{})
			w.Clock.Advance(time.Minute)
			checkLevels(t, w)
			checkLevels(t, w)
			levelOf(t, w, c).expect("first", "warned", 10*time.Minute)
			testkit.Diff(t, "state of the conversation", w.A.Get(t, path).OK(200).Text("attendance", "sla", "state"), "warned")
			for _, reader := range []*servertest.Client{ana, bia} {
				testkit.Diff(t, "notifications", notifications(t, reader, "?unread=true"), []string{"sla_warning " + c})
			}
			expectLevelEvents(t, w, c, "warning first")
		})
		t.Run("the responsible person is told of the breach", func(t *testing.T) {
			bia.Post(t, path+"/take", nil).OK(200)
			w.Clock.Advance(2 * time.Minute)
			checkLevels(t, w)
			levelOf(t, w, c).expect("first", "breached", 10*time.Minute)
			testkit.Diff(t, "notifications of the sector", notifications(t, ana, "?unread=true"), []string{"sla_warning " + c})
			testkit.Diff(t, "notifications of the responsible person", notifications(t, bia, "?unread=true"), []string{"sla_breached " + c, "sla_warning " + c})
			expectLevelEvents(t, w, c, "warning first", "breached first")
		})
		t.Run("a changed state is a change of the conversation", func(t *testing.T) {
			testkit.Eventually(t, "conversation.updated", func() bool {
				found := false
				for path := "/events?limit=100&types=conversation.updated"; !found; {
					page := w.A.Get(t, path).OK(200)
					for i := range page.List() {
						changed := page.At("data", i, "data", "changed").([]any)
						found = found || len(changed) == 1 && changed[0] == "attendance" && page.Text("data", i, "data", "conversation", "attendance", "sla", "state") == "breached"
					}
					if len(page.List()) == 0 {
						return false
					}
					path = "/events?limit=100&types=conversation.updated&after=" + url.QueryEscape(page.Text("next_cursor"))
				}
				return true
			})
		})
		t.Run("each round warns again", func(t *testing.T) {
			bia.Post(t, path+"/messages", message("oi")).OK(201)
			customerWrites(t, w, channel, phoneNumber(1))
			w.Clock.Advance(time.Hour)
			checkLevels(t, w)
			expectLevelEvents(t, w, c, "warning first", "breached first", "breached next")
			bia.Post(t, path+"/messages", message("de novo")).OK(201)
			customerWrites(t, w, channel, phoneNumber(1))
			w.Clock.Advance(9 * time.Minute)
			checkLevels(t, w)
			expectLevelEvents(t, w, c, "warning first", "breached first", "breached next", "warning next")
		})
		t.Run("a late answer before the loop has run is a breach too", func(t *testing.T) {
			w.Clock.Advance(2 * time.Minute)
			bia.Post(t, path+"/messages", message("até que enfim")).OK(201)
			checkLevels(t, w)
			expectLevelEvents(t, w, c, "warning first", "breached first", "breached next", "warning next", "breached next")
		})
		t.Run("a target that gets more time is pending again, and announces nothing twice", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(2))
			policy := w.A.Get(t, "/sla-policies").OK(200).Text("data", 0, "id")
			w.Clock.Advance(11 * time.Minute)
			checkLevels(t, w)
			w.A.Patch(t, "/sla-policies/"+policy, `{"first_response_minutes":20}`).OK(200)
			levelOf(t, w, c).expect("first", "pending", 20*time.Minute)
			w.Clock.Advance(10 * time.Minute)
			checkLevels(t, w)
			levelOf(t, w, c).expect("first", "breached", 20*time.Minute)
			expectLevelEvents(t, w, c, "breached first")
			w.A.Patch(t, "/sla-policies/"+policy, `{"first_response_minutes":10}`).OK(200)
		})
		t.Run("concurrent runs announce each target once", func(t *testing.T) {
			var all []string
			for i := range 20 {
				all = append(all, customerWrites(t, w, channel, phoneNumber(100+i)))
			}
			w.Clock.Advance(9 * time.Minute)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { checkLevels(t, w) })
			}
			wg.Wait()
			expectLevelEvents(t, w, all[len(all)-1], "warning first")
			events := levelEvents(t, w)
			for _, c := range all {
				testkit.Diff(t, "events", events[c], []string{"warning first"})
			}
		})
	})
}

func TestTheFirstResponseStartsAfterTheMenu(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		f := newReceptionChannel(t, w)
		newPolicy(t, w.A.Client, "Sales", `"first_response_minutes":10,"resolution_minutes":60,"sector_ids":["`+f.sales+`"]`)
		newPolicy(t, w.A.Client, "Rest", `"first_response_minutes":30,"resolution_minutes":120`)
		c := f.customer().says(t, "Oi")

		t.Run("there is no first target during the menu", func(t *testing.T) {
			l := levelOf(t, w, c.conversation)
			testkit.Diff(t, "policy", l.att.Text("sla", "policy", "name"), "Rest")
			l.none("first")
			l.expect("resolution", "pending", 2*time.Hour)
		})
		t.Run("the choice starts it with the policy of the sector", func(t *testing.T) {
			w.Clock.Advance(5 * time.Minute)
			c.says(t, "1")
			l := levelOf(t, w, c.conversation)
			testkit.Diff(t, "policy", l.att.Text("sla", "policy", "name"), "Sales")
			l.expect("first", "pending", 15*time.Minute)
			l.expect("resolution", "pending", time.Hour)
		})
		t.Run("another sector has another policy, with the same start", func(t *testing.T) {
			w.A.Post(t, "/conversations/"+c.conversation+"/transfer", `{"sector_id":"`+f.support+`"}`).OK(200)
			l := levelOf(t, w, c.conversation)
			testkit.Diff(t, "policy", l.att.Text("sla", "policy", "name"), "Rest")
			l.expect("first", "pending", 35*time.Minute)
			l.expect("resolution", "pending", 2*time.Hour)
		})
		t.Run("a menu without a reply ends and starts it", func(t *testing.T) {
			c := f.customer().says(t, "Oi")
			w.Clock.Advance(11 * time.Minute)
			if _, err := w.Desk.Receptionist.EndMenus(t.Context(), 100); err != nil {
				t.Fatal(err)
			}
			levelOf(t, w, c.conversation).expect("first", "pending", 41*time.Minute)
		})
		t.Run("a person who replies during the menu meets it", func(t *testing.T) {
			c := f.customer().says(t, "Oi")
			w.A.Post(t, "/conversations/"+c.conversation+"/messages", message("posso ajudar?")).OK(201)
			levelOf(t, w, c.conversation).expect("first", "met", 30*time.Minute)
		})
		t.Run("a choice that closes the case meets the resolution", func(t *testing.T) {
			c := f.customer().says(t, "Oi", "4")
			att := w.A.Get(t, "/attendances?conversation="+c.conversation).OK(200)
			testkit.Diff(t, "resolution", att.Text("data", 0, "sla", "resolution", "state"), "met")
			testkit.Diff(t, "first", att.At("data", 0, "sla", "first"), nil)
		})
	})
}

func TestServiceLevelsCountOpeningHours(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Clock.Set(time.Date(2026, 11, 20, 20, 30, 0, 0, time.UTC)) // Friday, half past five in the afternoon in São Paulo
		channel := sandbox(t, w)
		hours := w.A.Post(t, "/hours", shopHours).OK(201).ID()
		nights := w.A.Post(t, "/hours", `{"name":"Nights","timezone":"America/Sao_Paulo","weekly":[{"days":["fri"],"from":"20:00","to":"24:00"}]}`).OK(201).ID()
		never := w.A.Post(t, "/hours", `{"name":"Never"}`).OK(201).ID()
		sector := w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201).ID()
		newPolicy(t, w.A.Client, "Standard", `"first_response_minutes":60,"clock":"hours"`)
		c := customerWrites(t, w, channel, phoneNumber(1))
		expect := func(name, due string) {
			t.Helper()
			got := moment(t, openAttendance(t, w, c).Text("sla", "first", "due_at"))
			testkit.Diff(t, name, got.Round(5*time.Second).Format(time.RFC3339), due)
		}

		expect("without opening hours", "2026-11-20T21:30:00Z")
		w.A.Patch(t, "/company/attendance", `{"hours_id":"`+hours+`"}`).OK(200)
		expect("with the hours of the company", "2026-11-23T11:30:00Z")
		w.A.Patch(t, "/channels/"+channel, `{"hours_id":"`+nights+`"}`).OK(200)
		expect("with the hours of the channel", "2026-11-21T00:00:00Z")
		w.A.Post(t, "/conversations/"+c+"/transfer", `{"sector_id":"`+sector+`"}`).OK(200)
		expect("with a sector without hours", "2026-11-21T00:00:00Z")
		w.A.Patch(t, "/sectors/"+sector, `{"hours_id":"`+hours+`"}`).OK(200)
		expect("with the hours of the sector", "2026-11-23T11:30:00Z")
		w.A.Patch(t, "/hours/"+hours, `{"exceptions":[{"date":"2026-11-23","periods":[{"from":"10:00","to":"10:20"},{"from":"15:00","to":"16:00"}]}]}`).OK(200)
		expect("with an exception", "2026-11-23T18:10:00Z")
		w.A.Patch(t, "/hours/"+hours, `{"timezone":"America/Manaus","exceptions":[]}`).OK(200)
		expect("in another time zone, where it is half past four", "2026-11-20T21:30:00Z")
		w.A.Patch(t, "/sectors/"+sector, `{"hours_id":"`+never+`"}`).OK(200)
		testkit.Diff(t, "first with hours that are never open", openAttendance(t, w, c).At("sla", "first"), nil)
		w.A.Patch(t, "/sectors/"+sector, `{"hours_id":null}`).OK(200)
		expect("with the hours of the channel again", "2026-11-21T00:00:00Z")

		t.Run("the warning counts opening hours too", func(t *testing.T) {
			w.Clock.Set(time.Date(2026, 11, 20, 23, 45, 0, 0, time.UTC))
			checkLevels(t, w)
			levelOf(t, w, c).expect("first", "pending", -1)
			w.Clock.Set(time.Date(2026, 11, 20, 23, 49, 0, 0, time.UTC)) // 49 of 60 minutes
			checkLevels(t, w)
			levelOf(t, w, c).expect("first", "warned", -1)
		})
	})
}

func TestConversationsAreListedByServiceLevel(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		sector := w.A.Post(t, "/sectors", `{"name":"Sales"}`).OK(201).ID()
		quick := w.A.Post(t, "/sectors", `{"name":"Quick"}`).OK(201).ID()
		newPolicy(t, w.A.Client, "Slow", `"first_response_minutes":600,"sector_ids":["`+sector+`"]`)
		newPolicy(t, w.A.Client, "Quick", `"first_response_minutes":10,"sector_ids":["`+quick+`"]`)
		var all []string
		for i, to := range []string{sector, quick, "", quick, sector, "", quick} {
			c := customerWrites(t, w, channel, phoneNumber(i))
			if to != "" {
				w.A.Post(t, "/conversations/"+c+"/transfer", `{"sector_id":"`+to+`"}`).OK(200)
			}
			all = append(all, c)
			w.Clock.Advance(2 * time.Minute)
		}
		checkLevels(t, w) // 1 is breached, 3 is warned, 6 is pending
		pick := func(numbers ...int) (out []string) {
			out = []string{}
			for _, n := range numbers {
				out = append(out, all[n])
			}
			return out
		}
		for query, want := range map[string][]string{
			"sla=warned":                                pick(3),
			"sla=breached":                              pick(1),
			"sla=at_risk":                               pick(3, 1),
			"sla=at_risk&sort=sla_due":                  pick(1, 3),
			"sort=sla_due":                              pick(1, 3, 6, 0, 4, 5, 2),
			"sort=sla_due&status=waiting":               pick(1, 3, 6, 0, 4, 5, 2),
			"sort=sla_due&sector=" + sector:             pick(0, 4),
			"sort=sla_due&status=closed":                pick(),
			"sort=sla_due&sla=breached&sector=" + quick: pick(1),
			"sort=sla_due&q=z":                          pick(1, 3, 6, 0, 4, 5, 2),
		} {
			testkit.Diff(t, query, listedIDs(t, w.A.Client, query), want)
			var paged []string
			for cursor, pages := "", 0; pages < 10; pages++ {
				page := w.A.Get(t, "/conversations?limit=2&"+query+cursor).OK(200)
				paged = append(paged, ids(page.List())...)
				if page.Text("next_cursor") == "" {
					break
				}
				cursor = "&cursor=" + url.QueryEscape(page.Text("next_cursor"))
			}
			testkit.Diff(t, query+" by pages", append([]string{}, paged...), want)
		}
		w.A.Get(t, "/conversations?sla=met").Fails(400, "invalid_request")

		t.Run("a saved view and the counts follow the same filter", func(t *testing.T) {
			view := w.A.Post(t, "/views", `{"name":"At risk","query":{"sla":"at_risk","sort":"sla_due"}}`).OK(201).ID()
			counts := w.A.Get(t, "/inbox/counts").OK(200)
			testkit.Diff(t, "at_risk", counts.Int("at_risk"), 2)
			for i, v := range counts.At("views").([]any) {
				if v.(map[string]any)["id"] == view {
					testkit.Diff(t, "count of the view", counts.Int("views", i, "count"), 2)
				}
			}
			w.A.Post(t, "/views", `{"name":"x","query":{"sla":"late"}}`).Fails(400, "invalid_request")
		})
		t.Run("private cases have a service level without events", func(t *testing.T) {
			newPolicy(t, w.A.Client, "Rest", `"first_response_minutes":10`)
			owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
			private := owner.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
			c := owner.Post(t, simulatePath(private), fmt.Sprintf(`{"from":%q,"text":"oi"}`, phoneNumber(50))).OK(201).Text("conversation")
			w.Clock.Advance(time.Hour)
			checkLevels(t, w)
			testkit.Diff(t, "state", owner.Get(t, "/conversations/"+c).OK(200).Text("attendance", "sla", "state"), "breached")
			testkit.Diff(t, "listed by the owner", len(owner.Get(t, "/conversations?sla=breached&channel="+private).OK(200).List()), 1)
			testkit.Diff(t, "events", len(levelEvents(t, w)[c]), 0)
		})
	})
}

func TestClosedCasesAreNotChecked(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		newPolicy(t, w.A.Client, "Standard", `"first_response_minutes":10`)
		closed, reopened := customerWrites(t, w, channel, phoneNumber(1)), customerWrites(t, w, channel, phoneNumber(2))
		for _, c := range []string{closed, reopened} {
			ana.Post(t, "/conversations/"+c+"/attendance/close", nil).OK(200)
		}
		ana.Post(t, "/conversations/"+reopened+"/attendance/reopen", nil).OK(200)
		w.Clock.Advance(9 * time.Minute)
		check := func(name string, want int) {
			t.Helper()
			n, err := w.Desk.Levels.Check(t.Context(), 1000)
			if err != nil {
				t.Fatal(err)
			}
			testkit.Diff(t, name, n, want)
		}

		check("cases to check: the reopened one", 1)
		levelOf(t, w, reopened).expect("first", "warned", 10*time.Minute)
		testkit.Diff(t, "events of the closed case", len(levelEvents(t, w)[closed]), 0)
		check("cases to check afterwards", 0)

		err := w.Desk.Levels.Store.Write(t.Context(), func(tx *kernel.Tx) error {
			tx.Later(`UPDATE attendances SET sla_check_at = opened_at WHERE company = $1 AND conversation = $2`, w.A.ID, mustID(closed))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		check("cases to check, with a closed one", 1)
		check("cases to check, when that was done", 0)
		testkit.Diff(t, "cases with a pending target", ids(w.A.Get(t, "/attendances?sla=pending&conversation="+closed).OK(200).List()),
			ids(w.A.Get(t, "/attendances?conversation="+closed).OK(200).List()))
		testkit.Diff(t, "reopened among them", len(w.A.Get(t, "/attendances?sla=pending&conversation="+reopened).OK(200).List()), 0)
	})
}

func TestAConversationShowsItsMostUrgentTarget(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		newPolicy(t, w.A.Client, "Standard", `"next_response_minutes":5,"resolution_minutes":60`)
		c := customerWrites(t, w, channel, phoneNumber(1))
		w.A.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
		view := w.A.Post(t, "/views", `{"name":"At risk","query":{"sla":"at_risk"}}`).OK(201).ID()
		expect := func(target, state string) {
			t.Helper()
			checkLevels(t, w)
			row := w.A.Get(t, "/conversations/"+c).OK(200)
			testkit.Diff(t, "target", row.Text("attendance", "sla", "target"), target)
			testkit.Diff(t, "state", row.Text("attendance", "sla", "state"), state)
			testkit.Diff(t, "due_at", row.Text("attendance", "sla", "due_at"), openAttendance(t, w, c).Text("sla", target, "due_at"))
			atRisk := 0
			for _, filter := range []string{"warned", "breached"} {
				want := []string{}
				if filter == state {
					want, atRisk = []string{c}, 1
				}
				testkit.Diff(t, "sla="+filter, listedIDs(t, w.A.Client, "sla="+filter), want)
			}
			counts := w.A.Get(t, "/inbox/counts").OK(200)
			testkit.Diff(t, "at_risk", counts.Int("at_risk"), atRisk)
			for i, v := range counts.At("views").([]any) {
				if v.(map[string]any)["id"] == view {
					testkit.Diff(t, "count of the view", counts.Int("views", i, "count"), atRisk)
				}
			}
		}

		expect("resolution", "pending")
		customerWrites(t, w, channel, phoneNumber(1))
		expect("next", "pending") // it is due first
		w.A.Post(t, "/conversations/"+c+"/messages", message("um momento")).OK(201)
		w.Clock.Advance(50 * time.Minute)
		customerWrites(t, w, channel, phoneNumber(1))
		expect("resolution", "warned") // next is due before it, but only pending
		w.Clock.Advance(4 * time.Minute)
		expect("next", "warned")
		w.Clock.Advance(2 * time.Minute)
		expect("next", "breached")
		w.A.Post(t, "/conversations/"+c+"/messages", message("desculpe")).OK(201)
		expect("resolution", "warned")
	})
}

func TestAFirstResponseBeforeThereWasATargetIsNotMeasured(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		policy := newPolicy(t, w.A.Client, "Standard", `"resolution_minutes":60`)
		c := customerWrites(t, w, channel, phoneNumber(1))
		ana.Post(t, "/conversations/"+c+"/messages", message("oi")).OK(201)
		w.A.Patch(t, "/sla-policies/"+policy, `{"first_response_minutes":10}`).OK(200)
		levelOf(t, w, c).none("first")
		ana.Post(t, "/conversations/"+c+"/attendance/close", nil).OK(200)
		ana.Post(t, "/conversations/"+c+"/attendance/reopen", nil).OK(200)
		levelOf(t, w, c).none("first")
	})
}

func TestJoiningConversationsIsNoReply(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		newPolicy(t, w.A.Client, "Standard", `"next_response_minutes":30`)
		says := func(person provider.Person) {
			t.Helper()
			m := &provider.IncomingMessage{ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: "oi", At: w.Clock.Now(), Customer: person}
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{{Message: m}}); err != nil {
				t.Fatal(err)
			}
		}
		byPhone := provider.Person{Name: "Lia", Phone: phoneNumber(1), WAID: phoneNumber(1)[1:]}
		byUser := provider.Person{Name: "Rui", UserID: "BR.1"}
		both := byPhone
		both.UserID = byUser.UserID
		says(byPhone)
		says(byUser)
		for _, name := range []string{"Lia", "Rui"} {
			w.A.Post(t, "/conversations/"+conversationNamed(t, w, name).ID()+"/messages", message("oi")).OK(201)
		}
		says(byUser)
		w.Clock.Advance(time.Minute)
		says(byPhone)
		w.Clock.Advance(time.Minute)
		says(both)
		joined := w.A.Get(t, "/conversations").OK(200)
		testkit.Diff(t, "conversations", len(joined.List()), 1)
		levelOf(t, w, joined.Text("data", 0, "id")).expect("next", "pending", 30*time.Minute)
		testkit.Diff(t, "replies in time", w.A.Get(t, "/reports/attendance").OK(200).Int("sla", "next", "met"), 0)
	})
}
