package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// sse is a message of an event stream.
type sse = servertest.StreamMessage

// follow opens the stream of events.
func follow(t *testing.T, c *servertest.Client, query string, headers ...string) (<-chan sse, context.CancelFunc) {
	t.Helper()
	return c.Follow(t, "/events/stream"+query, headers...)
}

// nextEvent returns the next message with an event.
func nextEvent(t *testing.T, messages <-chan sse) sse {
	t.Helper()
	for {
		m, open := testkit.Receive(t, "an event of the stream", messages)
		if !open {
			t.Fatal("the stream ended")
		}
		if m.Event != "" {
			return m
		}
	}
}

// readFeed reads the feed from a cursor until there are n events, and returns them and the next cursor.
func readFeed(t *testing.T, c *servertest.Client, query, after string, n int) (events []map[string]any, next string) {
	t.Helper()
	read := func() bool {
		path := "/events?limit=2" + query
		if after != "" {
			path += "&after=" + after
		}
		page := c.Get(t, path).OK(200)
		for _, e := range page.List() {
			events = append(events, e.(map[string]any))
		}
		if next := page.Text("next_cursor"); next != "" {
			after = next
		}
		return len(events) >= n
	}
	if n > 0 {
		testkit.Eventually(t, "the feed has "+strconv.Itoa(n)+" more events", read)
	}
	return events, after
}

// eventTypes returns the types of events, separated by spaces.
func eventTypes(events []map[string]any) string {
	var names []string
	for _, e := range events {
		names = append(names, e["type"].(string))
	}
	return strings.Join(names, " ")
}

func TestEventsReachTheFeedStreamsAndWebhooks(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		_, _, secret := registerWebhook(t, w.A.Client, receiver.URL)
		channel := sandbox(t, w)
		live, _ := follow(t, w.A.Client, "")
		if first := <-live; first.ID == "" || first.Event != "" {
			t.Fatalf("first message: got %+v, want the cursor without an event", first)
		}

		w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "name": "Ana", "text": "a`+strings.Repeat(`\u0001`, 4095)+`"}`).OK(201)
		feed, cursor := readFeed(t, w.A.Client, "", "", 4)
		raw := w.A.Get(t, "/events?limit=100").OK(200)

		t.Run("a customer's message raises the same events in the feed, the stream and the webhook", func(t *testing.T) {
			for _, want := range []string{"message.received", "conversation.updated", "attendance.opened", "kanban.card.created"} {
				testkit.Equal(t, "number of "+want+" in "+eventTypes(feed), strings.Count(eventTypes(feed), want), 1)
			}
			arrivals := map[string]testkit.Delivery{}
			for range feed {
				a := receiver.Next(t)
				arrivals[a.Header.Get("X-Service-Event-Id")] = a
			}
			for i, e := range feed {
				a, ok := arrivals[e["id"].(string)]
				m := nextEvent(t, live)
				if !ok || !strings.Contains(string(raw.Raw), a.Body) || !serviceSignatureIsValid(a, secret) || !standardSignatureIsValid(a, secret) ||
					a.Header.Get("X-Service-Event") != e["type"] || e["tenant_id"] != w.A.ID.String() {
					t.Errorf("event %d: the delivery of %v does not match the feed", i, e["type"])
				}
				if m.Data != a.Body || m.Event != e["type"] {
					t.Errorf("stream: got %q, want %v as in the feed", m.Event, e["type"])
				}
			}
		})
		t.Run("the sequence increases within a conversation", func(t *testing.T) {
			var sequences []int
			for _, e := range feed {
				if n, ok := e["data"].(map[string]any)["sequence"].(float64); ok {
					sequences = append(sequences, int(n))
				}
			}
			testkit.Equal(t, "number of sequences", len(sequences), 3)
			if !slices.IsSorted(sequences) {
				t.Fatalf("sequences: got %v, want them in ascending order", sequences)
			}
		})
		t.Run("order=desc lists the same events newest first, page by page", func(t *testing.T) {
			var want, got []string
			for _, e := range raw.List() {
				want = append(want, e.(map[string]any)["id"].(string))
			}
			slices.Reverse(want)
			path, pages := "/events?order=desc&limit=3", 0
			for after := ""; pages < len(want); pages++ {
				page := w.A.Get(t, path+after).OK(200)
				for _, e := range page.List() {
					got = append(got, e.(map[string]any)["id"].(string))
				}
				next := page.Text("next_cursor")
				if next == "" {
					break
				}
				after = "&after=" + next
			}
			testkit.Diff(t, "events", got, want)
			if newest := w.A.Get(t, "/events?order=desc&limit=1&types=message.received").OK(200).List(); len(newest) != 1 {
				t.Errorf("got %d events of type message.received, want 1", len(newest))
			}
			w.A.Get(t, "/events?order=newest").OK(400)
		})
		t.Run("large events are complete", func(t *testing.T) {
			var received struct {
				Data struct{ Message struct{ Text string } }
			}
			for _, e := range feed {
				if e["type"] == "message.received" {
					b, _ := json.Marshal(e)
					_ = json.Unmarshal(b, &received)
				}
			}
			testkit.Equal(t, "length of the text", len(received.Data.Message.Text), 4096)
		})
		t.Run("the feed and a stream continue from a cursor", func(t *testing.T) {
			rest := w.A.Get(t, "/events?after="+cursor).OK(200)
			testkit.Equal(t, "number of data", len(rest.List()), 0)
			testkit.Equal(t, "next_cursor", rest.At("next_cursor"), nil)
			w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "text": "second"}`).OK(201)
			later, end := readFeed(t, w.A.Client, "", cursor, 2)
			testkit.Equal(t, "event types after the cursor", eventTypes(later), "message.received conversation.updated")
			resumed, stop := follow(t, w.A.Client, "", "Last-Event-ID", cursor)
			one := nextEvent(t, resumed)
			stop()
			resumed, _ = follow(t, w.A.Client, "?after="+cursor, "Last-Event-ID", one.ID)
			two := nextEvent(t, resumed)
			testkit.Equal(t, "first event", one.Event, "message.received")
			testkit.Equal(t, "second event", two.Event, "conversation.updated")
			testkit.Equal(t, "id of the second event", two.ID, end)
		})
		t.Run("types filters events", func(t *testing.T) {
			if chosen, _ := readFeed(t, w.A.Client, "&types=attendance.opened,message.received", "", 3); eventTypes(chosen) != "message.received attendance.opened message.received" &&
				eventTypes(chosen) != "attendance.opened message.received message.received" {
				t.Fatalf("event types: got %s, want message.received twice and attendance.opened first or second", eventTypes(chosen))
			}
			for _, query := range []string{"types=message.lost", "types=webhook.test", "types=message.sent,", "after=x", "limit=0", "limit=101", "cursor=x"} {
				testkit.Equal(t, "status of "+query, w.A.Get(t, "/events?"+query).Status, 400)
			}
			w.A.Get(t, "/events/stream?types=message.lost").Fails(400, "invalid_request")
			w.A.Get(t, "/events/stream?after=x").Fails(400, "invalid_cursor")
			w.B.Get(t, "/events?after="+cursor).Fails(400, "invalid_cursor")
		})
		t.Run("a private channel raises no events", func(t *testing.T) {
			_, before := readFeed(t, w.A.Client, "", cursor, 2)
			private := privateChannel(t, w)
			hidden := provider.Incoming{Message: &provider.IncomingMessage{
				ExternalID: "private-1", Customer: provider.Person{Phone: "+5511912340000"}, Type: "text", Text: "secret", At: time.Now(),
			}}
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, private.ID, []provider.Incoming{hidden}); err != nil {
				t.Fatal(err)
			}
			w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "text": "public"}`).OK(201)
			after, _ := readFeed(t, w.A.Client, "", before, 2)
			testkit.Equal(t, "number of events", len(after), 2)
			if strings.Contains(fmt.Sprint(after), "secret") {
				t.Fatalf("the feed has an event of the private channel: %v", after)
			}
		})
		t.Run("a stream ends when its key is revoked", func(t *testing.T) {
			key, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "follower", Scopes: kernel.NewScopeSet(people.ScopeWebhooksManage)})
			messages, _ := follow(t, c, "")
			w.A.Delete(t, "/keys/"+key.ID.String()).OK(204)
			for range messages {
				continue
			}
		})
		t.Run("a stream ends when its key is revoked while many events arrive", func(t *testing.T) {
			key, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "busy follower", Scopes: kernel.NewScopeSet(people.ScopeWebhooksManage)})
			messages, _ := follow(t, c, "")
			w.A.Delete(t, "/keys/"+key.ID.String()).OK(204)
			end := time.Now().Add(testkit.Patience)
			for n, open := 0, true; open; n++ {
				err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{{Message: &provider.IncomingMessage{
					ExternalID: fmt.Sprint("busy-", n), Customer: provider.Person{Phone: "+5511912340001"}, Type: "text", Text: "oi", At: time.Now(),
				}}})
				if err != nil || time.Now().After(end) {
					t.Fatalf("the stream is still open; error: %v", err)
				}
				for _, open = <-messages; open && len(messages) > 0; _, open = <-messages {
				}
			}
		})
		t.Run("a key can open at most twenty streams", func(t *testing.T) {
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "greedy", Scopes: kernel.NewScopeSet(people.ScopeWebhooksManage)})
			for range 20 {
				follow(t, c, "")
			}
			c.Get(t, "/events/stream").Fails(429, "rate_limited")
		})
	})
}

func TestAStoppingServerEndsItsStreams(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		messages, _ := follow(t, w.A.Client, "")
		<-messages
		ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		for range messages {
			continue
		}
	})
}

func TestAStreamOpenedWithASessionStaysOpen(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := sandbox(t, w)
		messages, _ := follow(t, owner, "?types=message.received")
		for began, n := time.Now(), 0; time.Since(began) < 2500*time.Millisecond; n++ { // the session is checked once a second
			text := fmt.Sprintf("message %d", n)
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":"+5511912345678","text":%q}`, text)).OK(201)
			if m := nextEvent(t, messages); !strings.Contains(m.Data, text) {
				t.Fatalf("event: got %q, want %q in it", m.Data, text)
			}
		}
	})
}

func TestEveryStreamOfACompanyGetsEveryEventOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := sandbox(t, w)
		var streams []<-chan sse
		for i := range 30 { // a key has at most 20
			c := w.A.Client
			if i >= 20 {
				c = owner
			}
			messages, _ := follow(t, c, "?types=message.received")
			streams = append(streams, messages)
		}
		for n := range 5 {
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":"+5511912345678","text":"message %d"}`, n)).OK(201)
		}
		for i, messages := range streams {
			for n := range 5 {
				if m := nextEvent(t, messages); !strings.Contains(m.Data, fmt.Sprintf("message %d", n)) {
					t.Fatalf("stream %d, event %d: got %q, want message %d", i, n, m.Data, n)
				}
			}
		}
	})
}
