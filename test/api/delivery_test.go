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
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// redeliver delivers an earlier event once more and returns the id of the new delivery.
func redeliver(t *testing.T, c *servertest.Client, path, delivery string) string {
	t.Helper()
	return c.Post(t, path+"/deliveries/"+delivery+"/redeliver", nil).OK(200).ID()
}

// sendTestEvent sends a test event to the webhook and returns the delivery, for use with redeliver.
func sendTestEvent(t *testing.T, c *servertest.Client, path string, r *testkit.Receiver) string {
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

// deliveryByID returns a delivery of a webhook.
func deliveryByID(t *testing.T, c *servertest.Client, path, id string) delivery {
	t.Helper()
	var page struct{ Data []delivery }
	c.Get(t, path+"/deliveries?limit=100").OK(200).Into(&page)
	for _, d := range page.Data {
		if d.ID == id {
			return d
		}
	}
	t.Fatalf("delivery %s is not listed", id)
	return delivery{}
}

// waitForDelivery waits until a delivery satisfies a condition and returns it.
func waitForDelivery(t *testing.T, c *servertest.Client, path, id string, condition func(d delivery) bool) delivery {
	t.Helper()
	var d delivery
	testkit.Eventually(t, "the delivery reaches the expected state", func() bool {
		d = deliveryByID(t, c, path, id)
		return condition(d)
	})
	return d
}

// hasAttempts returns the condition that n attempts were made.
func hasAttempts(n int) func(d delivery) bool {
	return func(d delivery) bool { return len(d.Attempts) == n }
}

func TestFailedDeliveriesAreRetriedOnSchedule(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, secret := registerWebhook(t, w.A.Client, receiver.URL)
		first := sendTestEvent(t, w.A.Client, path, receiver)
		failures := func() int { return w.A.Get(t, "/integrations/webhooks").Int("data", 0, "consecutive_failures") }

		// run makes a delivery and all of its attempts. ok reports whether an attempt shall succeed.
		run := func(t *testing.T, ok func(attempt int) bool) (string, []testkit.Delivery) {
			respond := func(n int) {
				if ok(n) {
					receiver.AnswerStatus(204)
				} else {
					receiver.AnswerStatus(503)
				}
			}
			respond(1)
			id := redeliver(t, w.A.Client, path, first)
			var got []testkit.Delivery
			for n, wait := range append([]time.Duration{0}, kernel.DefaultRetries...) {
				if n > 0 {
					d := waitForDelivery(t, w.A.Client, path, id, hasAttempts(n))
					testkit.Equal(t, "status", d.Status, "pending")
					if d.NextAttemptAt == nil {
						t.Fatalf("next_attempt_at: got none, want a time: %+v", d)
					}
					last := d.Attempts[n-1].At
					if gap := d.NextAttemptAt.Sub(last); gap < wait || gap > wait+time.Second {
						t.Fatalf("attempt %d: got %v after the previous one, want %v", n+1, gap, wait)
					}
					respond(n + 1)
					w.Clock.Set(d.NextAttemptAt.Add(time.Millisecond))
					w.Desk.Kernel.Wakeup(webhooks.WakeDeliver).Notify()
				}
				got = append(got, receiver.Next(t))
				if ok(n + 1) {
					break
				}
			}
			waitForDelivery(t, w.A.Client, path, id, func(d delivery) bool { return d.FinishedAt != nil })
			return id, got
		}

		t.Run("six attempts send the same body, each with a new signature", func(t *testing.T) {
			id, got := run(t, func(int) bool { return false })
			d := deliveryByID(t, w.A.Client, path, id)
			testkit.Equal(t, "status", d.Status, "failed")
			testkit.Equal(t, "number of attempts", len(d.Attempts), 6)
			if d.NextAttemptAt != nil {
				t.Fatalf("next_attempt_at: got %v, want none", d.NextAttemptAt)
			}
			testkit.Equal(t, "status_code of the first attempt", *d.Attempts[0].StatusCode, 503)
			if d.Attempts[0].Error == nil {
				t.Fatalf("error of the first attempt: got none: %+v", d)
			}
			stamps := map[string]bool{}
			for _, a := range got {
				testkit.Equal(t, "body", a.Body, got[0].Body)
				if !serviceSignatureIsValid(a, secret) {
					t.Fatalf("X-Service-Signature is not valid: %v", a.Header)
				}
				if !standardSignatureIsValid(a, secret) {
					t.Fatalf("webhook-signature is not valid: %v", a.Header)
				}
				testkit.Equal(t, "header X-Service-Delivery", a.Header.Get("X-Service-Delivery"), id)
				stamps[a.Header.Get("X-Service-Timestamp")] = true
			}
			if len(stamps) != 6 || failures() != 1 {
				t.Fatalf("got the timestamps %v and %d failures, want 6 timestamps and 1 failure", stamps, failures())
			}
		})
		t.Run("a success with the last attempt resets the count of failures", func(t *testing.T) {
			id, _ := run(t, func(n int) bool { return n == 6 })
			if d := deliveryByID(t, w.A.Client, path, id); d.Status != "delivered" || len(d.Attempts) != 6 || failures() != 0 {
				t.Fatalf("got %+v and %d failures, want it delivered with the sixth attempt and 0 failures", d, failures())
			}
		})
		t.Run("ten consecutive failures deactivate the webhook until it is reactivated", func(t *testing.T) {
			for n := range webhooks.MaxWebhookFailures {
				if got := failures(); got != n {
					t.Fatalf("consecutive_failures: got %d, want %d", got, n)
				}
				run(t, func(int) bool { return false })
			}
			hooks := w.A.Get(t, "/integrations/webhooks").OK(200)
			testkit.Equal(t, "data.0.active", hooks.At("data", 0, "active"), false)
			testkit.Equal(t, "data.0.consecutive_failures", hooks.Int("data", 0, "consecutive_failures"), 10)
			w.A.Post(t, path+"/deliveries/"+first+"/redeliver", nil).Fails(400, "invalid_request")
			if a := w.A.Patch(t, path, `{"active":true}`).OK(200); a.At("active") != true || a.Int("consecutive_failures") != 0 {
				t.Fatalf("reactivated webhook: got %s, want it active without failures", a.Raw)
			}
			run(t, func(int) bool { return true })
		})
	})
}

func TestConcurrentFailuresDeactivateAWebhookOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, _ := registerWebhook(t, w.A.Client, receiver.URL)
		first := sendTestEvent(t, w.A.Client, path, receiver)
		receiver.AnswerStatus(500)
		var ids []string
		for range 25 {
			ids = append(ids, redeliver(t, w.A.Client, path, first))
		}
		for _, id := range ids {
			waitForDelivery(t, w.A.Client, path, id, hasAttempts(1))
		}
		w.Clock.Advance(time.Hour)
		w.Desk.Kernel.Wakeup(webhooks.WakeDeliver).Notify()
		final := map[string]int{}
		for _, id := range ids {
			d := waitForDelivery(t, w.A.Client, path, id, func(d delivery) bool { return d.FinishedAt != nil })
			final[d.Status]++
		}
		hooks := w.A.Get(t, "/integrations/webhooks").OK(200)
		testkit.Equal(t, "number of failed deliveries", final["failed"], 25)
		audit := w.A.Get(t, "/audit?action=webhook.updated").OK(200)
		testkit.Equal(t, "audit entries", len(audit.List()), 1)
		testkit.Equal(t, "actor of the audit entry", audit.Text("data", 0, "actor", "type"), "system")
		testkit.Equal(t, "subject of the audit entry", audit.Text("data", 0, "subject", "name"), hooks.Text("data", 0, "name"))
		testkit.Diff(t, "changes of the audit entry", audit.At("data", 0, "changes"), any([]any{map[string]any{"field": "active", "from": true, "to": false}}))
		testkit.Equal(t, "data.0.active", hooks.At("data", 0, "active"), false)
		testkit.Equal(t, "data.0.consecutive_failures", hooks.Int("data", 0, "consecutive_failures"), 10)
	}, func(c *server.Config) { c.WebhookRetries = kernel.Retries{time.Hour} })
}

func TestDeliveriesOfDeletedEventsAreNoFailuresOfTheWebhook(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, _ := registerWebhook(t, w.A.Client, receiver.URL)
		first := sendTestEvent(t, w.A.Client, path, receiver)
		receiver.AnswerStatus(500)
		var ids []string
		for range webhooks.MaxWebhookFailures + 1 {
			ids = append(ids, redeliver(t, w.A.Client, path, first))
		}
		for _, id := range ids {
			waitForDelivery(t, w.A.Client, path, id, hasAttempts(1))
		}
		event := parseID(t, deliveryByID(t, w.A.Client, path, first).EventID)
		kerneltest.Write(t, w.Desk.Kernel.Store, func(tx *kernel.Tx) error { // as an erasure does
			tx.Later(`DELETE FROM events WHERE company = $1 AND id = $2`, w.A.ID, event)
			return nil
		})
		w.Clock.Advance(time.Hour)
		w.Desk.Kernel.Wakeup(webhooks.WakeDeliver).Notify()
		for _, id := range ids {
			d := waitForDelivery(t, w.A.Client, path, id, func(d delivery) bool { return d.FinishedAt != nil })
			testkit.Equal(t, "status", d.Status, "failed")
		}
		hooks := w.A.Get(t, "/integrations/webhooks").OK(200)
		testkit.Equal(t, "data.0.active", hooks.At("data", 0, "active"), true)
		testkit.Equal(t, "data.0.consecutive_failures", hooks.Int("data", 0, "consecutive_failures"), 0)
	}, func(c *server.Config) { c.WebhookRetries = kernel.Retries{time.Hour} })
}

func TestADeliveryShowsTheBodyThatWasSent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, _ := registerWebhook(t, w.A.Client, receiver.URL)
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
		testkit.Equal(t, "body for a key that may not see the board", w.A.Client.As(limited).Get(t, one).OK(200).At("body"), nil)
		w.A.Patch(t, "/kanban/cards/"+card.ID(), `{"private": true, "version": 1}`).OK(200)
		testkit.Equal(t, "body of a private card", w.A.Get(t, one).OK(200).At("body"), nil)
	})
}

func TestADeliveryCanBeRepeated(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, secret := registerWebhook(t, w.A.Client, receiver.URL)
		made := w.A.Post(t, path+"/test", nil).OK(200)
		original := receiver.Next(t)
		second := w.A.Post(t, path+"/deliveries/"+made.ID()+"/redeliver", nil).OK(200)
		if second.ID() == made.ID() {
			t.Fatalf("id: got %s again, want a new delivery", second.ID())
		}
		testkit.Equal(t, "event_id", second.Text("event_id"), made.Text("event_id"))
		testkit.Equal(t, "status", second.Text("status"), "pending")
		repeated := receiver.Next(t)
		testkit.Equal(t, "body", repeated.Body, original.Body)
		testkit.Equal(t, "header X-Service-Delivery", repeated.Header.Get("X-Service-Delivery"), second.ID())
		if !serviceSignatureIsValid(repeated, secret) {
			t.Fatalf("X-Service-Signature is not valid: %v %s", repeated.Header, repeated.Body)
		}
		waitForDelivery(t, w.A.Client, path, second.ID(), func(d delivery) bool { return d.Status == "delivered" })
		w.B.Post(t, path+"/deliveries/"+made.ID()+"/redeliver", nil).Fails(404, "not_found")
	})
}

func TestTheOldSecretSignsForADayAfterRotation(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		path, _, old := registerWebhook(t, w.A.Client, receiver.URL)
		fresh := w.A.Post(t, path+"/rotate-secret", nil).OK(200).Text("secret")
		expectSignatures := func(t *testing.T, want int) {
			t.Helper()
			w.A.Post(t, path+"/test", nil).OK(200)
			a := receiver.Next(t)
			if !serviceSignatureIsValid(a, fresh) {
				t.Fatalf("X-Service-Signature is not valid with the new secret: %v", a.Header)
			}
			if serviceSignatureIsValid(a, old) {
				t.Fatalf("X-Service-Signature is valid with the old secret: %v", a.Header)
			}
			if !standardSignatureIsValid(a, fresh) {
				t.Fatalf("webhook-signature is not valid with the new secret: %v", a.Header)
			}
			testkit.Equal(t, "webhook-signature is valid with the old secret", standardSignatureIsValid(a, old), want == 2)
			testkit.Equal(t, "number of signatures", len(strings.Fields(a.Header.Get("webhook-signature"))), want)
		}
		expectSignatures(t, 2)
		w.Clock.Advance(23 * time.Hour)
		expectSignatures(t, 2)
		w.Clock.Advance(time.Hour)
		expectSignatures(t, 1)
	})
}

func TestPendingDeliveriesFollowWebhookChanges(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		failing, healthy := testkit.NewReceiver(t), testkit.NewReceiver(t)
		failing.AnswerStatus(500)
		pending := func(t *testing.T) (path, id string) {
			path, _, _ = registerWebhook(t, w.A.Client, failing.URL)
			id = redeliver(t, w.A.Client, path, sendTestEvent(t, w.A.Client, path, failing))
			failing.Next(t)
			waitForDelivery(t, w.A.Client, path, id, hasAttempts(1))
			return path, id
		}
		retryPending := func() {
			w.Clock.Advance(time.Minute)
			w.Desk.Kernel.Wakeup(webhooks.WakeDeliver).Notify()
		}
		t.Run("the next attempt uses the new address", func(t *testing.T) {
			path, id := pending(t)
			w.A.Patch(t, path, map[string]string{"url": healthy.URL}).OK(200)
			retryPending()
			testkit.Equal(t, "header X-Service-Delivery", healthy.Next(t).Header.Get("X-Service-Delivery"), id)
			waitForDelivery(t, w.A.Client, path, id, func(d delivery) bool { return d.Status == "delivered" && len(d.Attempts) == 2 })
		})
		t.Run("deactivating fails pending deliveries with an error", func(t *testing.T) {
			path, id := pending(t)
			w.A.Patch(t, path, `{"active":false}`).OK(200)
			d := deliveryByID(t, w.A.Client, path, id)
			testkit.Equal(t, "status", d.Status, "failed")
			if d.NextAttemptAt != nil {
				t.Fatalf("next_attempt_at: got %v, want none", d.NextAttemptAt)
			}
			if d.FinishedAt == nil {
				t.Fatalf("finished_at: got none, want a time: %+v", d)
			}
			testkit.Contains(t, "error of the last attempt", *d.Attempts[len(d.Attempts)-1].Error, "inactive")
			retryPending()
			w.A.Patch(t, path, `{"active":true}`).OK(200)
			retryPending()
			testkit.Equal(t, "status after reactivating", deliveryByID(t, w.A.Client, path, id).Status, "failed")
		})
		t.Run("deleting the webhook ends its deliveries", func(t *testing.T) {
			path, _ := pending(t)
			w.A.Delete(t, path).OK(204)
			retryPending()
			w.A.Get(t, path+"/deliveries").Fails(404, "not_found")
		})
		if n := failing.Waiting(); n != 0 {
			t.Fatalf("got %d requests to a changed, inactive or deleted webhook, want none", n)
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
		testkit.Diff(t, "events after a replay of an active webhook", arrivals(1), want)

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

func TestAReplayWaitsForAFailedDelivery(t *testing.T) {
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
		w.A.Patch(t, path, `{"active":true,"replay":true}`).OK(200) // the missed events can still be replayed
		write(6)
		w.A.Patch(t, path, `{"active":true,"replay":true}`).OK(200) // a replay is already running
		for _, want := range []string{"message 0", "message 1", "message 2", "message 3 failed", "message 3", "message 4", "message 5", "message 6"} {
			text, _ := testkit.Receive(t, "an event", got)
			testkit.Equal(t, "event", text, want)
		}
	}, func(c *server.Config) { c.WebhookRetries = kernel.Retries{300 * time.Millisecond} })
}

// startRawReceiver starts a receiver that reads the request and then passes the connection to act. It returns the address.
func startRawReceiver(t *testing.T, act func(c net.Conn)) string {
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

func TestHostileReceiversOnlyCauseFailedAttempts(t *testing.T) {
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
				path, _, _ := registerWebhook(t, w.A.Client, startRawReceiver(t, c.act))
				id := redeliver(t, w.A.Client, path, sendTestEvent(t, w.A.Client, path, nil))
				d := waitForDelivery(t, w.A.Client, path, id, hasAttempts(1))
				if d.Status != "pending" || d.Attempts[0].Error == nil || !strings.Contains(*d.Attempts[0].Error, c.want) {
					text, _ := json.Marshal(d)
					t.Fatalf("delivery: got %s, want it pending with the error %q", text, c.want)
				}
				w.A.Delete(t, path).OK(204)
			})
		}
		if redirected.Waiting() != 0 {
			t.Fatal("the redirect was followed")
		}
	}, func(c *server.Config) { c.WebhookTimeout = 10 * time.Second })
}

// TestAHangingReceiverDelaysNoOtherDelivery checks that other deliveries arrive while the first requests to one address hang.
func TestAHangingReceiverDelaysNoOtherDelivery(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hanging, healthy := testkit.NewReceiver(t), testkit.NewReceiver(t)
		stuck, _, _ := registerWebhook(t, w.A.Client, hanging.URL)
		free, _, _ := registerWebhook(t, w.A.Client, healthy.URL)
		stuckSource, freeSource := sendTestEvent(t, w.A.Client, stuck, hanging), sendTestEvent(t, w.A.Client, free, healthy)
		release := make(chan struct{})
		defer close(release)
		hanging.Answer(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		for range 20 {
			redeliver(t, w.A.Client, stuck, stuckSource)
		}
		hanging.Next(t)
		for range 100 {
			redeliver(t, w.A.Client, free, freeSource)
		}
		for range 100 {
			healthy.Next(t)
		}
		if n := hanging.Waiting(); n != 0 {
			t.Fatalf("got %d more requests to the hanging receiver, want none before it responds", n)
		}
	}, func(c *server.Config) { c.WebhookTimeout = time.Minute })
}
