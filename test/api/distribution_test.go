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

// shift is a sector that distributes, with people who come and go.
type shift struct {
	*servertest.World
	channel string
	sector  string
	n       int
	people  map[string]*servertest.Client
	ids     map[string]string
}

// newShift makes a sector with some people who are offline.
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

func (s *shift) presence(t *testing.T, name, presence string) {
	t.Helper()
	s.people[name].Put(t, "/me/presence", map[string]any{"presence": presence}).OK(200)
}

// wait lets a new customer write and puts the case into the queue.
func (s *shift) wait(t *testing.T) string {
	t.Helper()
	s.n++
	c := customerWrites(t, s.World, s.channel, phoneNumber(s.n))
	s.A.Post(t, "/conversations/"+c+"/transfer", map[string]any{"sector_id": s.sector}).OK(200)
	return c
}

func (s *shift) responsible(t *testing.T, conversation string) string {
	t.Helper()
	return current(t, s.World, conversation).Text("responsible", "name")
}

// given waits until a case has a responsible person.
func (s *shift) given(t *testing.T, conversation string) string {
	t.Helper()
	testkit.Eventually(t, "the case is given to a person", func() bool { return s.responsible(t, conversation) != "" })
	return s.responsible(t, conversation)
}

// stays makes sure that distribution has looked and given the case to no person.
func (s *shift) stays(t *testing.T, conversation string) {
	t.Helper()
	if _, err := s.Desk.Receptionist.Distribute(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, "responsible", s.responsible(t, conversation), "")
}

// reason is why a person gets the next case, or does not.
func (s *shift) reason(t *testing.T, name string) string {
	t.Helper()
	for _, m := range s.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200).List("members") {
		if m := m.(map[string]any); m["user"].(map[string]any)["name"] == name {
			return m["reason"].(string)
		}
	}
	return ""
}

func TestDistribution(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "round_robin", "capacity": 2, "prefer_last": true}, "Ana", "Bia")
		first := s.wait(t)
		t.Run("people who are not online get nothing", func(t *testing.T) {
			s.stays(t, first)
			status := w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200)
			want(t, "next", status.At("next"), nil)
			want(t, "waiting", status.Int("waiting"), 1)
			want(t, "reason", status.Text("members", 0, "reason"), "offline")
			want(t, "mode", status.Text("distribution", "mode"), "round_robin")
		})
		t.Run("who comes online gets the oldest, received by no person", func(t *testing.T) {
			s.presence(t, "Ana", "online")
			want(t, "responsible", s.given(t, first), "Ana")
			entry := w.A.Get(t, "/conversations/"+first+"/assignments").OK(200)
			want(t, "action", entry.Text("data", 0, "action"), "received")
			want(t, "by", entry.At("data", 0, "by"), nil)
			want(t, "user", entry.Text("data", 0, "user", "name"), "Ana")
			want(t, "sector", entry.Text("data", 0, "sector"), s.sector)
			want(t, "notified", s.people["Ana"].Get(t, "/me/notifications").OK(200).Text("data", 0, "kind"), "assigned")
		})
		t.Run("up to the capacity, over all sectors", func(t *testing.T) {
			second := s.wait(t)
			want(t, "responsible", s.given(t, second), "Ana")
			third := s.wait(t)
			s.stays(t, third)
			want(t, "reason", s.reason(t, "Ana"), "full")
			changed := w.A.Patch(t, "/team/"+s.ids["Ana"], `{"capacity":3}`).OK(200)
			want(t, "capacity", changed.Int("capacity"), 3)
			want(t, "responsible", s.given(t, third), "Ana")
			w.A.Patch(t, "/team/"+s.ids["Ana"], `{"capacity":101}`).Fails(400, "invalid_request")
			w.A.Patch(t, "/team/"+s.ids["Ana"], `{"capacity":null}`).OK(200)
			fourth := s.wait(t)
			s.stays(t, fourth)
			s.people["Ana"].Post(t, "/conversations/"+second+"/attendance/close", nil).OK(200)
			s.people["Ana"].Post(t, "/conversations/"+third+"/attendance/close", nil).OK(200)
			want(t, "who closes a case gets the next", s.given(t, fourth), "Ana")
		})
		t.Run("the person who had the customer before is preferred", func(t *testing.T) {
			s.people["Ana"].Post(t, "/conversations/"+first+"/attendance/close", nil).OK(200)
			s.presence(t, "Bia", "online")
			want(t, "next", w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200).Text("next", "name"), "Bia")
			want(t, "again", s.responsibleAfter(t, first), "Ana")
			want(t, "another", s.given(t, s.wait(t)), "Bia")
		})
		t.Run("closed hours stop it", func(t *testing.T) {
			never := w.A.Post(t, "/hours", `{"name":"Never"}`).OK(201).ID()
			w.A.Patch(t, "/sectors/"+s.sector, map[string]any{"hours_id": never}).OK(200)
			c := s.wait(t)
			s.stays(t, c)
			want(t, "open", w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200).At("open"), any(false))
			w.A.Patch(t, "/sectors/"+s.sector, `{"hours_id":null}`).OK(200)
			want(t, "responsible", s.given(t, c), "Bia")
		})
		t.Run("so do those of the channel", func(t *testing.T) {
			never := w.A.Post(t, "/hours", `{"name":"Not this number"}`).OK(201).ID()
			w.A.Patch(t, "/channels/"+s.channel, map[string]any{"hours_id": never}).OK(200)
			c := s.wait(t)
			w.A.Patch(t, "/team/"+s.ids["Bia"], `{"capacity":3}`).OK(200)
			s.stays(t, c)
			status := w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200)
			want(t, "open", status.At("open"), any(false))
			want(t, "next", status.At("next"), nil)
			w.A.Patch(t, "/channels/"+s.channel, `{"hours_id":null}`).OK(200)
			if _, err := s.Desk.Receptionist.Distribute(t.Context()); err != nil {
				t.Fatal(err)
			}
			want(t, "responsible", s.given(t, c), "Bia")
		})
		t.Run("the rules are checked", func(t *testing.T) {
			for _, bad := range []string{`{"mode":"lottery"}`, `{"capacity":0}`, `{"capacity":101}`, `{"return_after_minutes":0}`} {
				w.A.Patch(t, "/sectors/"+s.sector, `{"distribution":`+bad+`}`).Fails(400, "invalid_request")
			}
			changed := w.A.Patch(t, "/sectors/"+s.sector, `{"distribution":{"mode":"manual"}}`).OK(200)
			want(t, "the rest stays", changed.Int("distribution", "capacity"), 2)
			want(t, "null", changed.At("distribution", "return_after_minutes"), nil)
			s.stays(t, s.wait(t))
		})
	})
}

// responsibleAfter lets the customer of a closed case write again, and gives who gets it.
func (s *shift) responsibleAfter(t *testing.T, conversation string) string {
	t.Helper()
	phone := s.A.Get(t, "/conversations/"+conversation).OK(200).Text("phone")
	customerWrites(t, s.World, s.channel, phone)
	return s.given(t, conversation)
}

func TestACaseThatIsNotAnsweredGoesBack(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "least_busy", "capacity": 5, "return_after_minutes": 5, "prefer_last": true}, "Ana", "Bia")
		s.presence(t, "Ana", "online")
		ignored, answered := s.wait(t), s.wait(t)
		s.given(t, ignored)
		s.given(t, answered)
		s.people["Ana"].Post(t, "/conversations/"+answered+"/messages", message("Bom dia")).OK(201)
		w.Clock.Advance(5*time.Minute + time.Second)
		testkit.Eventually(t, "the case goes back", func() bool { return s.responsible(t, ignored) == "" })
		entry := w.A.Get(t, "/conversations/"+ignored+"/assignments").OK(200)
		want(t, "action", entry.Text("data", 0, "action"), "handed_back")
		want(t, "user", entry.Text("data", 0, "user", "name"), "Ana")
		want(t, "by", entry.At("data", 0, "by"), nil)
		want(t, "answered", s.responsible(t, answered), "Ana")
		s.presence(t, "Ana", "online")
		s.stays(t, ignored) // not to the same person next
		s.presence(t, "Bia", "online")
		want(t, "another", s.given(t, ignored), "Bia")
	})
}

// A case that is transferred to a queue may be answered already: there is nothing to answer until the customer writes again.
func TestACaseWhoseCustomerWritesAfterItWasGivenGoesBack(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "least_busy", "capacity": 5, "return_after_minutes": 5}, "Ana")
		s.presence(t, "Ana", "online")
		given := func() string {
			s.n++
			c := customerWrites(t, w, s.channel, phoneNumber(s.n))
			w.A.Post(t, "/conversations/"+c+"/messages", message("Bom dia")).OK(201)
			w.A.Post(t, "/conversations/"+c+"/transfer", map[string]any{"sector_id": s.sector}).OK(200)
			want(t, "responsible", s.given(t, c), "Ana")
			return c
		}
		writes := func(c string) {
			customerWrites(t, w, s.channel, w.A.Get(t, "/conversations/"+c).OK(200).Text("phone"))
		}
		distribute := func() {
			t.Helper()
			if _, err := s.Desk.Receptionist.Distribute(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ignored, late, answered := given(), given(), given()
		s.people["Ana"].Post(t, "/conversations/"+answered+"/messages", message("Aqui é a Ana")).OK(201)
		w.Clock.Advance(time.Minute)
		writes(ignored)
		writes(answered)
		w.Clock.Advance(4*time.Minute + time.Second)
		distribute()
		want(t, "before the time from the customer's message is over", s.responsible(t, ignored), "Ana")
		writes(late)
		w.Clock.Advance(time.Minute)
		testkit.Eventually(t, "the case goes back", func() bool { distribute(); return s.responsible(t, ignored) == "" })
		want(t, "answered", s.responsible(t, answered), "Ana")
		want(t, "late", s.responsible(t, late), "Ana")
		w.Clock.Advance(5 * time.Minute)
		testkit.Eventually(t, "the case of the customer who wrote late goes back", func() bool { distribute(); return s.responsible(t, late) == "" })
		want(t, "answered", s.responsible(t, answered), "Ana")
	})
}

func TestTheLeastBusyGetsTheNextCase(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "least_busy", "capacity": 50}, "Ana", "Bia", "Caio")
		for name := range maps.Keys(s.people) {
			s.presence(t, name, "online")
		}
		count := map[string]int{}
		for range 9 {
			count[s.given(t, s.wait(t))]++
		}
		want(t, "cases", fmt.Sprint(count), "map[Ana:3 Bia:3 Caio:3]")
	})
}

func TestAPersonsMessagePausesBots(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		c := customerWrites(t, w, channel, phoneNumber(1))
		at := "/conversations/" + c
		paused := func() any { t.Helper(); return w.A.Get(t, at).OK(200).At("bot_paused_until") }
		want(t, "at first", paused(), nil)
		w.A.Post(t, at+"/messages", message("I am a bot")).OK(201)
		want(t, "after a message of a key", paused(), nil)
		until := w.Clock.Now().Add(30 * time.Minute).UTC().Truncate(time.Second)
		set := w.A.Put(t, at+"/bot", map[string]any{"paused_until": until}).OK(200)
		want(t, "as it was set", set.Text("bot_paused_until"), until.Format("2006-01-02T15:04:05.000Z"))
		want(t, "event", lastEvent(t, w, "conversation.updated"), `["bot_paused_until"]`)
		w.A.Put(t, at+"/bot", `{"paused_until":"9999-12-31T23:59:59-23:59"}`).Fails(400, "invalid_request") // the year 10000 in UTC
		w.A.Post(t, at+"/snooze", `{"until":"9999-12-31T23:59:59-23:59"}`).Fails(400, "invalid_request")
		w.A.Post(t, "/conversations/bulk", map[string]any{"ids": []string{c}, "action": "snooze", "until": "9999-12-31T23:59:59-23:59"}).Fails(400, "invalid_request")
		w.A.Post(t, "/keys", `{"name":"x","scopes":["read"],"expires_at":"9999-12-31T23:59:59-23:59"}`).Fails(400, "invalid_request")
		want(t, "resumed", w.A.Put(t, at+"/bot", `{"paused_until":null}`).OK(200).At("bot_paused_until"), nil)
		ana, _ := signedIn(t, w, "Ana")
		sent := ana.Post(t, at+"/messages", message("Bom dia")).OK(201)
		written, _ := time.Parse(time.RFC3339, sent.Text("created_at"))
		want(t, "an hour after a message in the app", paused(), any(written.Add(time.Hour).Format("2006-01-02T15:04:05.000Z")))
		w.A.Put(t, at+"/bot", `{"paused_until":null}`).OK(200)
		w.A.Post(t, simulatePath(channel), map[string]any{"from_phone_app": true, "to": phoneNumber(1), "text": "Bom dia"}).OK(201)
		if paused() == nil {
			t.Error("a message on the phone does not pause bots")
		}
		w.A.Put(t, at+"/bot", `{}`).Fails(400, "invalid_request")
		w.A.Put(t, at+"/bot", `{"paused_until":"2020-01-01T00:00:00Z"}`).Fails(400, "invalid_request")
		w.B.Put(t, at+"/bot", `{"paused_until":null}`).Fails(404, "not_found")
	})
}

// lastEvent gives the changed fields of the newest event of a type.
func lastEvent(t *testing.T, w *servertest.World, kind string) string {
	t.Helper()
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

// The clocks of nodes differ, and a clock may be put back.
func TestRoundRobinDoesNotFollowTheClock(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newShift(t, w, map[string]any{"mode": "round_robin", "capacity": 50}, "Ana", "Bia", "Caio")
		for name := range maps.Keys(s.people) {
			s.presence(t, name, "online")
		}
		var got []string
		for range 9 {
			got = append(got, s.given(t, s.wait(t)))
			w.Clock.Set(w.Clock.Now().Add(-10 * time.Second))
		}
		want(t, "people of the second round", fmt.Sprint(got[3:6]), fmt.Sprint(got[:3]))
		want(t, "people of the third round", fmt.Sprint(got[6:]), fmt.Sprint(got[:3]))
	})
}

// Many cases and people who come and go: none gets more than the capacity, each case is given to one person, and people who are online
// equally often get equally many.
func TestManyCasesAndPeopleWhoComeAndGo(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const people, cases, capacity = 6, 96, 4 // in a round four people are online and get 16 cases
		var names []string
		for i := range people {
			names = append(names, fmt.Sprint("Person", i))
		}
		s := newShift(t, w, map[string]any{"mode": "round_robin", "capacity": capacity}, names...)
		var all []string
		for range cases {
			all = append(all, s.wait(t))
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
			testkit.Eventually(t, "no more case can be given to a person", func() bool {
				status := w.A.Get(t, "/sectors/"+s.sector+"/distribution").OK(200)
				return status.At("next") == nil || status.Int("waiting") == 0
			})
			for _, m := range w.A.Get(t, "/team").OK(200).List() {
				m := m.(map[string]any)
				if n := m["open_attendances"].(float64); n > capacity {
					t.Fatalf("%v has %v cases", m["name"], n)
				}
			}
		}
		end()
		want(t, "cases that no person got", open, 0)
		received := map[string]int{}
		for _, c := range all {
			got := 0
			for _, e := range w.A.Get(t, "/conversations/"+c+"/assignments").OK(200).List() {
				if e := e.(map[string]any); e["action"] == "received" {
					got++
					received[e["user"].(map[string]any)["name"].(string)]++
				}
			}
			want(t, "times that a case was given to a person", got, 1)
		}
		for _, name := range names {
			if n := received[name]; n < 15 || n > 17 { // within 10 %
				t.Errorf("%s got %d of %d cases", name, n, cases)
			}
		}
	})
}

// distributeOnSeveralNodes distributes all the time, as three nodes would. The returned function ends it.
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

// closeAll closes the cases that people have at the beginning, and gives their number.
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
