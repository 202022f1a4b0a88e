package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"
	"time"

	"recado/test/servertest"
	"recado/test/testkit"
)

// shift is a sector with distribution and its members.
type shift struct {
	*servertest.World
	channel string
	sector  string
	n       int
	people  map[string]*servertest.Client
	ids     map[string]string
}

// newShift creates a sector whose members are offline.
func newShift(t *testing.T, w *servertest.World, distribution map[string]any, names ...string) *shift {
	t.Helper()
	s := &shift{World: w, channel: sandbox(t, w), people: map[string]*servertest.Client{}, ids: map[string]string{}}
	var members []string
	for _, name := range names {
		s.people[name], s.ids[name] = signedIn(t, w, name)
		s.presence(t, name, "offline")
		members = append(members, s.ids[name])
	}
	s.sector = w.A.Post(t, "/sectors", map[string]any{"name": "Sales", "member_ids": members, "distribution": distribution}).OK(201).ID()
	return s
}

// presence sets the presence of a member.
func (s *shift) presence(t *testing.T, name, presence string) {
	t.Helper()
	s.people[name].Put(t, "/me/presence", map[string]any{"presence": presence}).OK(200)
}

// enqueue puts the case of a new customer into the queue and returns the conversation.
func (s *shift) enqueue(t *testing.T) string {
	t.Helper()
	s.n++
	c := customerWrites(t, s.World, s.channel, phoneNumber(s.n))
	s.A.Post(t, "/conversations/"+c+"/transfer", map[string]any{"sector_id": s.sector}).OK(200)
	return c
}

// responsible returns the name of the responsible person, or "".
func (s *shift) responsible(t *testing.T, conversation string) string {
	t.Helper()
	return openAttendance(t, s.World, conversation).Text("responsible", "name")
}

// waitForAssignee waits until a case is assigned and returns the name of the responsible person.
func (s *shift) waitForAssignee(t *testing.T, conversation string) string {
	t.Helper()
	testkit.Eventually(t, "the case is assigned", func() bool { return s.responsible(t, conversation) != "" })
	return s.responsible(t, conversation)
}

// staysUnassigned runs the distribution and checks that it does not assign the case.
func (s *shift) staysUnassigned(t *testing.T, conversation string) {
	t.Helper()
	if _, err := s.Desk.Receptionist.Distribute(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Diff(t, "responsible", s.responsible(t, conversation), "")
}

// reason returns why a member gets the next case, or does not.
func (s *shift) reason(t *testing.T, name string) string {
	t.Helper()
	for _, m := range s.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200).List("members") {
		if m := m.(map[string]any); m["user"].(map[string]any)["name"] == name {
			return m["reason"].(string)
		}
	}
	return ""
}

func TestWaitingCasesAreDistributed(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "round_robin", "capacity": 2, "prefer_last": true}, "Ana", "Bia")
		first := s.enqueue(t)
		t.Run("members who are not online get no case", func(t *testing.T) {
			s.staysUnassigned(t, first)
			status := w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200)
			testkit.Diff(t, "next", status.At("next"), nil)
			testkit.Diff(t, "waiting", status.Int("waiting"), 1)
			testkit.Diff(t, "reason", status.Text("members", 0, "reason"), "offline")
			testkit.Diff(t, "mode", status.Text("distribution", "mode"), "round_robin")
		})
		t.Run("a member who comes online gets the oldest case, assigned by nobody", func(t *testing.T) {
			s.presence(t, "Ana", "online")
			testkit.Diff(t, "responsible", s.waitForAssignee(t, first), "Ana")
			entry := w.A.Get(t, "/conversations/"+first+"/assignments").OK(200)
			testkit.Diff(t, "action", entry.Text("data", 0, "action"), "received")
			testkit.Diff(t, "by", entry.At("data", 0, "by"), nil)
			testkit.Diff(t, "user", entry.Text("data", 0, "user", "name"), "Ana")
			testkit.Diff(t, "sector", entry.Text("data", 0, "sector"), s.sector)
			testkit.Diff(t, "kind of the notification", s.people["Ana"].Get(t, "/me/notifications").OK(200).Text("data", 0, "kind"), "assigned")
		})
		t.Run("a member gets cases up to their capacity", func(t *testing.T) {
			second := s.enqueue(t)
			testkit.Diff(t, "responsible", s.waitForAssignee(t, second), "Ana")
			third := s.enqueue(t)
			s.staysUnassigned(t, third)
			testkit.Diff(t, "reason", s.reason(t, "Ana"), "full")
			changed := w.A.Patch(t, "/team/"+s.ids["Ana"], `{"capacity":3}`).OK(200)
			testkit.Diff(t, "capacity", changed.Int("capacity"), 3)
			testkit.Diff(t, "responsible", s.waitForAssignee(t, third), "Ana")
			w.A.Patch(t, "/team/"+s.ids["Ana"], `{"capacity":101}`).Fails(400, "invalid_request")
			w.A.Patch(t, "/team/"+s.ids["Ana"], `{"capacity":null}`).OK(200)
			fourth := s.enqueue(t)
			s.staysUnassigned(t, fourth)
			s.people["Ana"].Post(t, "/conversations/"+second+"/attendance/close", nil).OK(200)
			s.people["Ana"].Post(t, "/conversations/"+third+"/attendance/close", nil).OK(200)
			testkit.Diff(t, "responsible after closing two cases", s.waitForAssignee(t, fourth), "Ana")
		})
		t.Run("the member who had the customer before is preferred", func(t *testing.T) {
			s.people["Ana"].Post(t, "/conversations/"+first+"/attendance/close", nil).OK(200)
			s.presence(t, "Bia", "online")
			testkit.Diff(t, "next", w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200).Text("next", "name"), "Bia")
			testkit.Diff(t, "responsible for a returning customer", s.assigneeOfReturning(t, first), "Ana")
			testkit.Diff(t, "responsible for another customer", s.waitForAssignee(t, s.enqueue(t)), "Bia")
		})
		t.Run("nothing is distributed outside the sector's hours", func(t *testing.T) {
			never := w.A.Post(t, "/hours", `{"name":"Never"}`).OK(201).ID()
			w.A.Patch(t, "/sectors/"+s.sector, map[string]any{"hours_id": never}).OK(200)
			c := s.enqueue(t)
			s.staysUnassigned(t, c)
			testkit.Diff(t, "open", w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200).At("open"), false)
			w.A.Patch(t, "/sectors/"+s.sector, `{"hours_id":null}`).OK(200)
			testkit.Diff(t, "responsible", s.waitForAssignee(t, c), "Bia")
		})
		t.Run("nothing is distributed outside the channel's hours", func(t *testing.T) {
			never := w.A.Post(t, "/hours", `{"name":"Not this number"}`).OK(201).ID()
			w.A.Patch(t, "/channels/"+s.channel, map[string]any{"hours_id": never}).OK(200)
			c := s.enqueue(t)
			w.A.Patch(t, "/team/"+s.ids["Bia"], `{"capacity":3}`).OK(200)
			s.staysUnassigned(t, c)
			status := w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200)
			testkit.Diff(t, "open", status.At("open"), false)
			testkit.Diff(t, "next", status.At("next"), nil)
			w.A.Patch(t, "/channels/"+s.channel, `{"hours_id":null}`).OK(200)
			if _, err := s.Desk.Receptionist.Distribute(t.Context()); err != nil {
				t.Fatal(err)
			}
			testkit.Diff(t, "responsible", s.waitForAssignee(t, c), "Bia")
		})
		t.Run("distribution settings are validated and updated one by one", func(t *testing.T) {
			for _, bad := range []string{`{"mode":"lottery"}`, `{"capacity":0}`, `{"capacity":101}`, `{"return_after_minutes":0}`} {
				w.A.Patch(t, "/sectors/"+s.sector, `{"distribution":`+bad+`}`).Fails(400, "invalid_request")
			}
			changed := w.A.Patch(t, "/sectors/"+s.sector, `{"distribution":{"mode":"manual"}}`).OK(200)
			testkit.Diff(t, "capacity after changing the mode", changed.Int("distribution", "capacity"), 2)
			testkit.Diff(t, "return_after_minutes", changed.At("distribution", "return_after_minutes"), nil)
			s.staysUnassigned(t, s.enqueue(t))
		})
	})
}

// assigneeOfReturning lets the customer of a closed case write again and returns who gets the new case.
func (s *shift) assigneeOfReturning(t *testing.T, conversation string) string {
	t.Helper()
	phone := s.A.Get(t, "/conversations/"+conversation).OK(200).Text("phone")
	customerWrites(t, s.World, s.channel, phone)
	return s.waitForAssignee(t, conversation)
}

func TestAnUnansweredCaseReturnsToTheQueue(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "least_busy", "capacity": 5, "return_after_minutes": 5, "prefer_last": true}, "Ana", "Bia")
		s.presence(t, "Ana", "online")
		ignored, answered := s.enqueue(t), s.enqueue(t)
		s.waitForAssignee(t, ignored)
		s.waitForAssignee(t, answered)
		s.people["Ana"].Post(t, "/conversations/"+answered+"/messages", message("Bom dia")).OK(201)
		w.Clock.Advance(5*time.Minute + time.Second)
		testkit.Eventually(t, "the case returns to the queue", func() bool { return s.responsible(t, ignored) == "" })
		entry := w.A.Get(t, "/conversations/"+ignored+"/assignments").OK(200)
		testkit.Diff(t, "action", entry.Text("data", 0, "action"), "handed_back")
		testkit.Diff(t, "user", entry.Text("data", 0, "user", "name"), "Ana")
		testkit.Diff(t, "by", entry.At("data", 0, "by"), nil)
		testkit.Diff(t, "responsible for the answered case", s.responsible(t, answered), "Ana")
		s.presence(t, "Ana", "online")
		s.staysUnassigned(t, ignored) // it is not assigned to the same person again
		s.presence(t, "Bia", "online")
		testkit.Diff(t, "responsible after another member came online", s.waitForAssignee(t, ignored), "Bia")
	})
}

// A case that is transferred to a queue may already be answered, so its time starts when the customer writes again.
func TestAnAssignedCaseReturnsIfANewMessageIsNotAnswered(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "least_busy", "capacity": 5, "return_after_minutes": 5}, "Ana")
		s.presence(t, "Ana", "online")
		assignAnswered := func() string {
			s.n++
			c := customerWrites(t, w, s.channel, phoneNumber(s.n))
			w.A.Post(t, "/conversations/"+c+"/messages", message("Bom dia")).OK(201)
			w.A.Post(t, "/conversations/"+c+"/transfer", map[string]any{"sector_id": s.sector}).OK(200)
			testkit.Diff(t, "responsible", s.waitForAssignee(t, c), "Ana")
			return c
		}
		writeAgain := func(c string) {
			customerWrites(t, w, s.channel, w.A.Get(t, "/conversations/"+c).OK(200).Text("phone"))
		}
		distribute := func() {
			t.Helper()
			if _, err := s.Desk.Receptionist.Distribute(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ignored, late, answered := assignAnswered(), assignAnswered(), assignAnswered()
		s.people["Ana"].Post(t, "/conversations/"+answered+"/messages", message("Aqui é a Ana")).OK(201)
		w.Clock.Advance(time.Minute)
		writeAgain(ignored)
		writeAgain(answered)
		w.Clock.Advance(4*time.Minute + time.Second)
		distribute()
		testkit.Diff(t, "responsible less than 5 minutes after the customer's message", s.responsible(t, ignored), "Ana")
		writeAgain(late)
		w.Clock.Advance(time.Minute)
		testkit.Eventually(t, "the case returns to the queue", func() bool { distribute(); return s.responsible(t, ignored) == "" })
		testkit.Diff(t, "responsible for the answered case", s.responsible(t, answered), "Ana")
		testkit.Diff(t, "responsible for the case whose customer wrote later", s.responsible(t, late), "Ana")
		w.Clock.Advance(5 * time.Minute)
		testkit.Eventually(t, "the case whose customer wrote later returns to the queue", func() bool { distribute(); return s.responsible(t, late) == "" })
		testkit.Diff(t, "responsible for the answered case", s.responsible(t, answered), "Ana")
	})
}

func TestTheLeastBusyMemberGetsTheNextCase(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "least_busy", "capacity": 50}, "Ana", "Bia", "Caio")
		for name := range maps.Keys(s.people) {
			s.presence(t, name, "online")
		}
		count := map[string]int{}
		for range 9 {
			count[s.waitForAssignee(t, s.enqueue(t))]++
		}
		testkit.Diff(t, "cases per member", fmt.Sprint(count), "map[Ana:3 Bia:3 Caio:3]")
	})
}

func TestAMessageFromAPersonPausesBots(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		c := customerWrites(t, w, channel, phoneNumber(1))
		at := "/conversations/" + c
		paused := func() any { t.Helper(); return w.A.Get(t, at).OK(200).At("bot_paused_until") }
		testkit.Diff(t, "bot_paused_until at first", paused(), nil)
		w.A.Post(t, at+"/messages", message("I am a bot")).OK(201)
		testkit.Diff(t, "bot_paused_until after a message from a key", paused(), nil)
		until := w.Clock.Now().Add(30 * time.Minute).UTC().Truncate(time.Second)
		set := w.A.Put(t, at+"/bot", map[string]any{"paused_until": until}).OK(200)
		testkit.Diff(t, "bot_paused_until", set.Text("bot_paused_until"), until.Format("2006-01-02T15:04:05.000Z"))
		testkit.Diff(t, "changed fields in the event", lastChangedFields(t, w, "conversation.updated"), `["bot_paused_until"]`)
		w.A.Put(t, at+"/bot", `{"paused_until":"9999-12-31T23:59:59-23:59"}`).Fails(400, "invalid_request") // the year 10000 in UTC
		w.A.Post(t, at+"/snooze", `{"until":"9999-12-31T23:59:59-23:59"}`).Fails(400, "invalid_request")
		w.A.Post(t, "/conversations/bulk", map[string]any{"ids": []string{c}, "action": "snooze", "until": "9999-12-31T23:59:59-23:59"}).Fails(400, "invalid_request")
		w.A.Post(t, "/keys", `{"name":"x","scopes":["read"],"expires_at":"9999-12-31T23:59:59-23:59"}`).Fails(400, "invalid_request")
		testkit.Diff(t, "bot_paused_until after resuming", w.A.Put(t, at+"/bot", `{"paused_until":null}`).OK(200).At("bot_paused_until"), nil)
		ana, _ := signedIn(t, w, "Ana")
		sent := ana.Post(t, at+"/messages", message("Bom dia")).OK(201)
		written, _ := time.Parse(time.RFC3339, sent.Text("created_at"))
		testkit.Diff(t, "bot_paused_until after a message in the app", paused(), written.Add(time.Hour).Format("2006-01-02T15:04:05.000Z"))
		w.A.Put(t, at+"/bot", `{"paused_until":null}`).OK(200)
		w.A.Post(t, simulatePath(channel), map[string]any{"from_phone_app": true, "to": phoneNumber(1), "text": "Bom dia"}).OK(201)
		if paused() == nil {
			t.Error("bot_paused_until after a message from the phone: got null, want a time")
		}
		w.A.Put(t, at+"/bot", `{}`).Fails(400, "invalid_request")
		w.A.Put(t, at+"/bot", `{"paused_until":"2020-01-01T00:00:00Z"}`).Fails(400, "invalid_request")
		w.B.Put(t, at+"/bot", `{"paused_until":null}`).Fails(404, "not_found")
	})
}

// lastChangedFields returns the changed fields in the newest event of a type as JSON.
func lastChangedFields(t *testing.T, w *servertest.World, kind string) string {
	t.Helper()
	w.SettleFeed(t)
	events := w.A.Get(t, "/events?limit=100&types="+kind).OK(200).List()
	return jsonText(t, events[len(events)-1].(map[string]any)["data"].(map[string]any)["changed"])
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The clocks of nodes differ, and a clock may be set back.
func TestRoundRobinDoesNotDependOnTheClock(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "round_robin", "capacity": 50}, "Ana", "Bia", "Caio")
		for name := range maps.Keys(s.people) {
			s.presence(t, name, "online")
		}
		var got []string
		for range 9 {
			got = append(got, s.waitForAssignee(t, s.enqueue(t)))
			w.Clock.Set(w.Clock.Now().Add(-10 * time.Second))
		}
		testkit.Diff(t, "order of the second round", fmt.Sprint(got[3:6]), fmt.Sprint(got[:3]))
		testkit.Diff(t, "order of the third round", fmt.Sprint(got[6:]), fmt.Sprint(got[:3]))
	})
}

// While members come and go, none has more cases than the capacity, each case is assigned once, and members who are online
// equally often get about the same number.
func TestCasesAreSharedFairlyWhileMembersComeAndGo(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const people, cases, capacity = 6, 96, 4 // in each round four members are online and get 16 cases
		var names []string
		for i := range people {
			names = append(names, fmt.Sprint("Person", i))
		}
		s := newShift(t, w, map[string]any{"mode": "round_robin", "capacity": capacity}, names...)
		var all []string
		for range cases {
			all = append(all, s.enqueue(t))
		}
		end := s.distributeOnSeveralNodes(t)
		open := len(all)
		for round := 0; open > 0 && round < 10; round++ {
			away := func(i int) bool { return (i+round)%3 == 0 }
			for i, name := range names {
				if away(i) {
					s.presence(t, name, "away")
				}
			}
			open -= s.closeAll(t)
			for i, name := range names {
				if !away(i) {
					s.presence(t, name, "online")
				}
			}
			testkit.Eventually(t, "no more case can be assigned", func() bool {
				status := w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200)
				return status.At("next") == nil || status.Int("waiting") == 0
			})
			for _, m := range w.A.Get(t, "/team").OK(200).List() {
				m := m.(map[string]any)
				if n := m["open_attendances"].(float64); n > capacity {
					t.Fatalf("%v: got %v open cases, want at most %d", m["name"], n, capacity)
				}
			}
		}
		end()
		testkit.Diff(t, "number of cases that were not assigned", open, 0)
		received := map[string]int{}
		for _, c := range all {
			got := 0
			for _, e := range w.A.Get(t, "/conversations/"+c+"/assignments").OK(200).List() {
				if e := e.(map[string]any); e["action"] == "received" {
					got++
					received[e["user"].(map[string]any)["name"].(string)]++
				}
			}
			testkit.Diff(t, "number of times that a case was assigned", got, 1)
		}
		for _, name := range names {
			if n := received[name]; n < 15 || n > 17 { // within 10 %
				t.Errorf("%s: got %d of %d cases, want 15 to 17", name, n, cases)
			}
		}
	})
}

// distributeOnSeveralNodes distributes continuously in three goroutines, as three nodes would, until end is called.
func (s *shift) distributeOnSeveralNodes(t *testing.T) (end func()) {
	t.Helper()
	stop := make(chan struct{})
	var working sync.WaitGroup
	for range 3 {
		working.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := s.Desk.Receptionist.Distribute(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return func() {
		close(stop)
		working.Wait()
	}
}

// closeAll closes the assigned cases and returns their number.
func (s *shift) closeAll(t *testing.T) (closed int) {
	t.Helper()
	for _, m := range s.A.Get(t, "/attendances?status=open&limit=100&sector="+s.sector).OK(200).List() {
		if m := m.(map[string]any); m["responsible"] != nil {
			s.A.Post(t, "/conversations/"+m["conversation"].(string)+"/attendance/close", nil).OK(200)
			closed++
		}
	}
	return closed
}
