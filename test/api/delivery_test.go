package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/server"
	"recado/internal/webhooks"
	"recado/test/servertest"
	"recado/test/testkit"
)

// again raises one more delivery of the webhook's test event and gives its id.
func again(t *testing.T, c *servertest.Client, path, delivery string) string {
	t.Helper()
	return c.Post(t, path+"/deliveries/"+delivery+"/redeliver", nil).OK(200).ID()
}

// source makes the event that again repeats.
func source(t *testing.T, c *servertest.Client, path string, r *testkit.Receiver) string {
	t.Helper()
	id := c.Post(t, path+"/test", nil).OK(200).ID()
	if r != nil {
		r.Next(t)
	}
	return id
}

type delivery struct {
	ID            string     `json:"id"`
	EventID       string     `json:"event_id"`
	Status        string     `json:"status"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	FinishedAt    *time.Time `json:"finished_at"`
	Attempts      []struct {
		At         time.Time `json:"at"`
		StatusCode *int      `json:"status_code"`
		Error      *string   `json:"error"`
	} `json:"attempts"`
}

// state reads one delivery.
func state(t *testing.T, c *servertest.Client, path, id string) delivery {
	t.Helper()
	var page struct{ Data []delivery }
	c.Get(t, path+"/deliveries?limit=100").OK(200).Into(&page)
	for _, d := range page.Data {
		if d.ID == id {
			return d
		}
	}
	t.Fatalf("no delivery %s", id)
	return delivery{}
}

// until reads a delivery again and again until it is as wanted.
func until(t *testing.T, c *servertest.Client, path, id string, good func(d delivery) bool) delivery {
	t.Helper()
	var d delivery
	testkit.Eventually(t, "a delivery gets the state that the test waits for", func() bool {
		d = state(t, c, path, id)
		return good(d)
	})
	return d
}

func attempts(n int) func(d delivery) bool {
	return func(d delivery) bool { return len(d.Attempts) == n }
}

func TestTheRetrySchedule(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, secret := hook(t, w.A.Client, receiver.URL)
		first := source(t, w.A.Client, path, receiver)
		failures := func() int { return w.A.Get(t, "/integrations/webhooks").Int("data", 0, "consecutive_failures") }

		// run lets a delivery go through its attempts; ok says which of them succeed.
		run := func(t *testing.T, ok func(attempt int) bool) (string, []testkit.Delivery) {
			answer := func(n int) {
				if ok(n) {
					receiver.AnswerStatus(204)
				} else {
					receiver.AnswerStatus(503)
				}
			}
			answer(1)
			id := again(t, w.A.Client, path, first)
			var got []testkit.Delivery
			for n, wait := range append([]time.Duration{0}, kernel.DefaultRetries...) {
				if n > 0 {
					d := until(t, w.A.Client, path, id, attempts(n))
					testkit.Equal(t, "d.Status", d.Status, "pending")
					if d.NextAttemptAt == nil {
						t.Fatalf("want d.NextAttemptAt != nil; got %+v", d)
					}
					last := d.Attempts[n-1].At
					if gap := d.NextAttemptAt.Sub(last); gap < wait || gap > wait+time.Second {
						t.Fatalf("attempt %d comes %v after the one before, want %v", n+1, gap, wait)
					}
					answer(n + 1)
					w.Clock.Set(d.NextAttemptAt.Add(time.Millisecond))
					w.Desk.Kernel.Wakeup(webhooks.WakeDeliver).Notify()
				}
				got = append(got, receiver.Next(t))
				if ok(n + 1) {
					break
				}
			}
			until(t, w.A.Client, path, id, func(d delivery) bool { return d.FinishedAt != nil })
			return id, got
		}

		t.Run("all six attempts, the same bytes, each freshly signed", func(t *testing.T) {
			id, got := run(t, func(int) bool { return false })
			d := state(t, w.A.Client, path, id)
			testkit.Equal(t, "d.Status", d.Status, "failed")
			testkit.Equal(t, "number of d.Attempts", len(d.Attempts), 6)
			if d.NextAttemptAt != nil {
				t.Fatalf("want d.NextAttemptAt == nil; got %+v", d)
			}
			testkit.Equal(t, "*d.Attempts[0].StatusCode", *d.Attempts[0].StatusCode, 503)
			if d.Attempts[0].Error == nil {
				t.Fatalf("want d.Attempts[0].Error != nil; got %+v", d)
			}
			stamps := map[string]bool{}
			for _, a := range got {
				testkit.Equal(t, "a.Body", a.Body, got[0].Body)
				if !serviceSignatureHolds(a, secret) {
					t.Fatalf("want serviceSignatureHolds(a, secret); got %+v", a.Header)
				}
				if !standardSignatureHolds(a, secret) {
					t.Fatalf("want standardSignatureHolds(a, secret); got %+v", a.Header)
				}
				testkit.Equal(t, "header X-Service-Delivery", a.Header.Get("X-Service-Delivery"), id)
				stamps[a.Header.Get("X-Service-Timestamp")] = true
			}
			if len(stamps) != 6 || failures() != 1 {
				t.Fatalf("%v, %d failures", stamps, failures())
			}
		})
		t.Run("a success on the last attempt resets the count", func(t *testing.T) {
			id, _ := run(t, func(n int) bool { return n == 6 })
			if d := state(t, w.A.Client, path, id); d.Status != "delivered" || len(d.Attempts) != 6 || failures() != 0 {
				t.Fatalf("%+v, %d failures", d, failures())
			}
		})
		t.Run("after ten failures in a row the webhook is inactive, until it is reactivated", func(t *testing.T) {
			for n := range webhooks.MaxWebhookFailures {
				if got := failures(); got != n {
					t.Fatalf("%d failures counted, want %d", got, n)
				}
				run(t, func(int) bool { return false })
			}
			hooks := w.A.Get(t, "/integrations/webhooks").OK(200)
			testkit.Equal(t, "data.0.active", hooks.At("data", 0, "active"), false)
			testkit.Equal(t, "data.0.consecutive_failures", hooks.Int("data", 0, "consecutive_failures"), 10)
			w.A.Post(t, path+"/deliveries/"+first+"/redeliver", nil).Fails(400, "invalid_request")
			if a := w.A.Patch(t, path, `{"active":true}`).OK(200); a.At("active") != true || a.Int("consecutive_failures") != 0 {
				t.Fatalf("w.A.Patch(t, path, `{\"active\":true}`).OK(200): want active == true and consecutive_failures == 0; got %s", a.Raw)
			}
			run(t, func(int) bool { return true })
		})
	})
}

func TestTenFailuresAtOnceDisableOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, _ := hook(t, w.A.Client, receiver.URL)
		first := source(t, w.A.Client, path, receiver)
		receiver.AnswerStatus(500)
		var ids []string
		for range 25 {
			ids = append(ids, again(t, w.A.Client, path, first))
		}
		for _, id := range ids {
			until(t, w.A.Client, path, id, attempts(1))
		}
		w.Clock.Advance(time.Hour)
		w.Desk.Kernel.Wakeup(webhooks.WakeDeliver).Notify()
		final := map[string]int{}
		for _, id := range ids {
			d := until(t, w.A.Client, path, id, func(d delivery) bool { return d.FinishedAt != nil })
			final[d.Status]++
		}
		hooks := w.A.Get(t, "/integrations/webhooks").OK(200)
		testkit.Equal(t, `final["failed"]`, final["failed"], 25)
		testkit.Equal(t, "data.0.active", hooks.At("data", 0, "active"), false)
		testkit.Equal(t, "data.0.consecutive_failures", hooks.Int("data", 0, "consecutive_failures"), 10)
	}, func(c *server.Config) { c.WebhookRetries = kernel.Retries{time.Hour} })
}

func TestADeliveryShowsTheBodyThatWasSent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, _ := hook(t, w.A.Client, receiver.URL)
		made := w.A.Post(t, path+"/test", nil).OK(200)
		tested := w.A.Get(t, path+"/deliveries/"+made.ID()).OK(200)
		testkit.Equal(t, "body", tested.Text("body"), receiver.Next(t).Body)
		testkit.Equal(t, "event_id", tested.Text("event_id"), made.Text("event_id"))
		w.B.Get(t, path+"/deliveries/"+made.ID()).Fails(404, "not_found")
		w.A.Get(t, path+"/deliveries/nothing").Fails(404, "not_found")

		b := newBoard(t, w.A.Client)
		limited := w.A.Post(t, "/keys", `{"name":"k","scopes":["webhooks:manage"],"boards":[]}`).OK(201).Text("key")
		card := b.card(t, w.A.Client, "shown", "").OK(201)
		sent := receiver.Next(t)
		one := path + "/deliveries/" + sent.Header.Get("X-Service-Delivery")
		testkit.Equal(t, "body", w.A.Get(t, one).OK(200).Text("body"), sent.Body)
		testkit.Equal(t, "body for a key without the board", w.A.Client.As(limited).Get(t, one).OK(200).At("body"), nil)
		w.A.Patch(t, "/kanban/cards/"+card.ID(), `{"private": true, "version": 1}`).OK(200)
		testkit.Equal(t, "body of a private card", w.A.Get(t, one).OK(200).At("body"), nil)
	})
}

func TestRedelivery(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, secret := hook(t, w.A.Client, receiver.URL)
		made := w.A.Post(t, path+"/test", nil).OK(200)
		original := receiver.Next(t)
		answer := w.A.Post(t, path+"/deliveries/"+made.ID()+"/redeliver", nil).OK(200)
		if answer.ID() == made.ID() {
			t.Fatalf("want answer.ID() != made.ID(); got %s", answer.Raw)
		}
		testkit.Equal(t, "event_id", answer.Text("event_id"), made.Text("event_id"))
		testkit.Equal(t, "status", answer.Text("status"), "pending")
		repeated := receiver.Next(t)
		testkit.Equal(t, "repeated.Body", repeated.Body, original.Body)
		testkit.Equal(t, "header X-Service-Delivery", repeated.Header.Get("X-Service-Delivery"), answer.ID())
		if !serviceSignatureHolds(repeated, secret) {
			t.Fatalf("want serviceSignatureHolds(repeated, secret); got %+v, %+v", repeated.Header, repeated.Body)
		}
		until(t, w.A.Client, path, answer.ID(), func(d delivery) bool { return d.Status == "delivered" })
		w.B.Post(t, path+"/deliveries/"+made.ID()+"/redeliver", nil).Fails(404, "not_found")
	})
}

func TestRotationOverlaps(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, old := hook(t, w.A.Client, receiver.URL)
		fresh := w.A.Post(t, path+"/rotate-secret", nil).OK(200).Text("secret")
		check := func(t *testing.T, want int) {
			t.Helper()
			w.A.Post(t, path+"/test", nil).OK(200)
			a := receiver.Next(t)
			if !serviceSignatureHolds(a, fresh) {
				t.Fatalf("want serviceSignatureHolds(a, fresh); got %+v", a.Header)
			}
			if serviceSignatureHolds(a, old) {
				t.Fatalf("want !serviceSignatureHolds(a, old); got %+v", a.Header)
			}
			if !standardSignatureHolds(a, fresh) {
				t.Fatalf("want standardSignatureHolds(a, fresh); got %+v", a.Header)
			}
			testkit.Equal(t, "standardSignatureHolds(a, old)", standardSignatureHolds(a, old), (want == 2))
			testkit.Equal(t, `number of strings.Fields(a.Header.Get("webhook-signature"))`, len(strings.Fields(a.Header.Get("webhook-signature"))), want)
		}
		check(t, 2)
		w.Clock.Advance(23 * time.Hour)
		check(t, 2)
		w.Clock.Advance(time.Hour)
		check(t, 1)
	})
}

func TestChangesWhileDeliveriesArePending(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		failing, healthy := testkit.NewReceiver(t), testkit.NewReceiver(t)
		failing.AnswerStatus(500)
		pending := func(t *testing.T) (path, id string) {
			path, _, _ = hook(t, w.A.Client, failing.URL)
			id = again(t, w.A.Client, path, source(t, w.A.Client, path, failing))
			failing.Next(t)
			until(t, w.A.Client, path, id, attempts(1))
			return path, id
		}
		due := func() {
			w.Clock.Advance(time.Minute)
			w.Desk.Kernel.Wakeup(webhooks.WakeDeliver).Notify()
		}
		t.Run("a changed address gets the next attempt", func(t *testing.T) {
			path, id := pending(t)
			w.A.Patch(t, path, map[string]string{"url": healthy.URL}).OK(200)
			due()
			testkit.Equal(t, "header X-Service-Delivery", healthy.Next(t).Header.Get("X-Service-Delivery"), id)
			until(t, w.A.Client, path, id, func(d delivery) bool { return d.Status == "delivered" && len(d.Attempts) == 2 })
		})
		t.Run("deactivating gives up what is pending and says so", func(t *testing.T) {
			path, id := pending(t)
			w.A.Patch(t, path, `{"active":false}`).OK(200)
			d := state(t, w.A.Client, path, id)
			testkit.Equal(t, "d.Status", d.Status, "failed")
			if d.NextAttemptAt != nil {
				t.Fatalf("want d.NextAttemptAt == nil; got %+v", d)
			}
			if d.FinishedAt == nil {
				t.Fatalf("want d.FinishedAt != nil; got %+v", d)
			}
			testkit.Contains(t, "*d.Attempts[len(d.Attempts)-1].Error", *d.Attempts[len(d.Attempts)-1].Error, "inactive")
			due()
			w.A.Patch(t, path, `{"active":true}`).OK(200)
			due()
			testkit.Equal(t, "state(t, w.A.Client, path, id).Status", state(t, w.A.Client, path, id).Status, "failed")
		})
		t.Run("deleting ends everything", func(t *testing.T) {
			path, _ := pending(t)
			w.A.Delete(t, path).OK(204)
			due()
			w.A.Get(t, path+"/deliveries").Fails(404, "not_found")
		})
		if n := failing.Waiting(); n != 0 {
			t.Fatalf("%d requests to addresses that were changed, inactive or gone", n)
		}
	})
}

func TestReactivatingWithReplayDeliversTheMissedEventsInOrder(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		channel := sandbox(t, w)
		made := w.A.Post(t, "/integrations/webhooks", map[string]any{"name": "Orders", "url": receiver.URL, "events": []string{"message.received"}}).OK(201)
		path := "/integrations/webhooks/" + made.ID()
		number := 0
		write := func(n int) (texts []string) {
			for range n {
				number++
				texts = append(texts, fmt.Sprintf("message %d", number))
				w.A.Post(t, simulatePath(channel), map[string]string{"from": "+5511987654321", "text": texts[len(texts)-1]}).OK(201)
			}
			return texts
		}
		arrivals := func(n int) (texts []string) {
			for range n {
				var event struct {
					Data struct{ Message struct{ Text string } }
				}
				if err := json.Unmarshal([]byte(receiver.Next(t).Body), &event); err != nil {
					t.Fatal(err)
				}
				texts = append(texts, event.Data.Message.Text)
			}
			return texts
		}
		before := write(1)
		testkit.Diff(t, "events while active", arrivals(1), before)

		receiver.AnswerStatus(500)
		givenUp := write(2)
		arrivals(2)
		w.A.Patch(t, path, `{"active":false}`).OK(200)
		missed := append(givenUp, write(120)...)
		receiver.AnswerStatus(200)
		w.A.Patch(t, path, `{"replay":true}`).Fails(400, "invalid_request")
		w.A.Patch(t, path, `{"active":false,"replay":true}`).Fails(400, "invalid_request")
		w.A.Patch(t, path, `{"active":true,"replay":true}`).OK(200)
		want := append(missed, write(5)...)
		testkit.Diff(t, "events after the replay", arrivals(len(want)), want)

		w.A.Patch(t, path, `{"active":true,"replay":true}`).OK(200)
		want = write(1)
		testkit.Diff(t, "an active webhook has nothing to replay", arrivals(1), want)

		w.A.Patch(t, path, `{"active":false}`).OK(200)
		write(2)
		w.A.Patch(t, path, `{"active":true}`).OK(200)
		want = write(1)
		testkit.Diff(t, "events without a replay", arrivals(1), want)
		if n := receiver.Waiting(); n != 0 {
			t.Errorf("got %d more events, want none", n)
		}
	})
}

func TestAReplayWaitsForAnEventWhoseDeliveryFailed(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		got := make(chan string, 100)
		failed := false
		receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			var event struct {
				Data struct{ Message struct{ Text string } }
			}
			if err := json.NewDecoder(r.Body).Decode(&event); err != nil {
				t.Error(err)
			}
			text := event.Data.Message.Text
			if text == "message 3" && !failed {
				failed = true
				rw.WriteHeader(500)
				text += " failed"
			}
			got <- text
		}))
		defer receiver.Close()
		channel := sandbox(t, w)
		made := w.A.Post(t, "/integrations/webhooks", map[string]any{"name": "Orders", "url": receiver.URL, "events": []string{"message.received"}}).OK(201)
		path := "/integrations/webhooks/" + made.ID()
		refused := w.A.Patch(t, path, `{"active":true,"replay":true}`).Fails(400, "invalid_request")
		testkit.Equal(t, "field", refused.Text("details", 0, "field"), "body.replay")
		w.A.Patch(t, path, `{"active":false}`).OK(200)
		write := func(n int) {
			w.A.Post(t, simulatePath(channel), map[string]string{"from": "+5511987654321", "text": fmt.Sprint("message ", n)}).OK(201)
		}
		for n := range 6 {
			write(n)
		}
		w.A.Patch(t, path, `{"active":true}`).OK(200)
		w.A.Patch(t, path, `{"active":true,"replay":true}`).OK(200) // what was missed is still known
		write(6)
		w.A.Patch(t, path, `{"active":true,"replay":true}`).OK(200) // it is going on
		for _, want := range []string{"message 0", "message 1", "message 2", "message 3 failed", "message 3", "message 4", "message 5", "message 6"} {
			text, _ := testkit.Receive(t, "an event", got)
			testkit.Equal(t, "event", text, want)
		}
	}, func(c *server.Config) { c.WebhookRetries = kernel.Retries{300 * time.Millisecond} })
}

// raw is a receiver that does what it likes with the connection.
func raw(t *testing.T, act func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				_, _ = c.Read(make([]byte, 64<<10))
				act(c)
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestHostileReceiversAreFailedAttemptsAndNothingMore(t *testing.T) {
	t.Parallel()
	flood := func(c net.Conn, head, block string) {
		_, _ = io.WriteString(c, head)
		for {
			if _, err := io.WriteString(c, block); err != nil {
				return
			}
		}
	}
	block := strings.Repeat("x", 32<<10)
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		redirected := testkit.NewReceiver(t)
		for name, c := range map[string]struct {
			act  func(c net.Conn)
			want string
		}{
			"hangs":                 {func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, "timeout"},
			"answers garbage":       {func(c net.Conn) { _, _ = io.WriteString(c, "hello there\r\n\r\n") }, "bad answer"},
			"answers gigabytes":     {func(c net.Conn) { flood(c, "HTTP/1.1 200 OK\r\nContent-Length: 9999999999\r\n\r\n", block) }, "too large"},
			"sends endless headers": {func(c net.Conn) { flood(c, "HTTP/1.1 200 OK\r\n", "X-A: "+block[:1000]+"\r\n") }, "header too large"},
			"redirects": {func(c net.Conn) {
				_, _ = fmt.Fprintf(c, "HTTP/1.1 307 Elsewhere\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n", redirected.URL)
			}, "redirects are not followed"},
			"closes at once": {func(net.Conn) {}, "connection"},
		} {
			t.Run(name, func(t *testing.T) {
				path, _, _ := hook(t, w.A.Client, raw(t, c.act))
				id := again(t, w.A.Client, path, source(t, w.A.Client, path, nil))
				d := until(t, w.A.Client, path, id, attempts(1))
				if d.Status != "pending" || d.Attempts[0].Error == nil || !strings.Contains(*d.Attempts[0].Error, c.want) {
					text, _ := json.Marshal(d)
					t.Fatalf("%s", text)
				}
				w.A.Delete(t, path).OK(204)
			})
		}
		if redirected.Waiting() != 0 {
			t.Fatal("a redirect was followed")
		}
	}, func(c *server.Config) { c.WebhookTimeout = 3 * time.Second })
}

// An address that never answers must not hold up the others: all of theirs arrive while its first
// requests are still hanging.
func TestAHangingAddressDelaysNoOtherDelivery(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hanging, healthy := testkit.NewReceiver(t), testkit.NewReceiver(t)
		stuck, _, _ := hook(t, w.A.Client, hanging.URL)
		free, _, _ := hook(t, w.A.Client, healthy.URL)
		stuckSource, freeSource := source(t, w.A.Client, stuck, hanging), source(t, w.A.Client, free, healthy)
		release := make(chan struct{})
		defer close(release)
		hanging.Answer(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		for range 20 {
			again(t, w.A.Client, stuck, stuckSource)
		}
		hanging.Next(t)
		for range 100 {
			again(t, w.A.Client, free, freeSource)
		}
		for range 100 {
			healthy.Next(t)
		}
		if n := hanging.Waiting(); n != 0 {
			t.Fatalf("%d more requests to an address that has not answered its first", n)
		}
	}, func(c *server.Config) { c.WebhookTimeout = time.Minute })
}
