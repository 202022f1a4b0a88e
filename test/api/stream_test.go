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

// sse is one message of a stream.
type sse = servertest.StreamMessage

// follow opens the stream of events.
func follow(t *testing.T, c *servertest.Client, query string, headers ...string) (<-chan sse, context.CancelFunc) {
	t.Helper()
	return c.Follow(t, "/events/stream"+query, headers...)
}

// take gives the next message that carries an event.
func take(t *testing.T, messages <-chan sse) sse {
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

// feedOf reads the feed from a cursor until it has n events.
func feedOf(t *testing.T, c *servertest.Client, query, after string, n int) (events []map[string]any, next string) {
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

func types(events []map[string]any) string {
	var names []string
	for _, e := range events {
		names = append(names, e["type"].(string))
	}
	return strings.Join(names, " ")
}

func TestEvents(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		_, _, secret := hook(t, w.A.Client, receiver.URL)
		channel := sandbox(t, w)
		live, _ := follow(t, w.A.Client, "")
		if first := <-live; first.ID == "" || first.Event != "" {
			t.Fatalf("a stream begins with its place: %+v", first)
		}

		w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "name": "Ana", "text": "a`+strings.Repeat(`\u0001`, 4095)+`"}`).OK(201)
		feed, cursor := feedOf(t, w.A.Client, "", "", 4)
		raw := w.A.Get(t, "/events?limit=100").OK(200)

		t.Run("a customer's message raises its events, in order, with one id each everywhere", func(t *testing.T) {
			for _, want := range []string{"message.received", "conversation.updated", "attendance.opened", "kanban.card.created"} {
				if strings.Count(types(feed), want) != 1 {
					t.Errorf("want strings.Count(types(feed), want) == 1; got %+v, %+v", want, types(feed))
				}
			}
			arrivals := map[string]testkit.Delivery{}
			for range feed {
				a := receiver.Next(t)
				arrivals[a.Header.Get("X-Service-Event-Id")] = a
			}
			for i, e := range feed {
				a, ok := arrivals[e["id"].(string)]
				m := take(t, live)
				if !ok || !strings.Contains(string(raw.Raw), a.Body) || !serviceSignatureHolds(a, secret) || !standardSignatureHolds(a, secret) ||
					a.Header.Get("X-Service-Event") != e["type"] || e["tenant_id"] != w.A.ID.String() {
					t.Errorf("event %d did not arrive as it stands in the feed: %v", i, e["type"])
				}
				if m.Data != a.Body || m.Event != e["type"] {
					t.Errorf("the stream has %q where the feed has %v", m.Event, e["type"])
				}
			}
		})
		t.Run("sequence grows within a conversation", func(t *testing.T) {
			var sequences []int
			for _, e := range feed {
				if n, ok := e["data"].(map[string]any)["sequence"].(float64); ok {
					sequences = append(sequences, int(n))
				}
			}
			testkit.Equal(t, "number of sequences", len(sequences), 3)
			if !slices.IsSorted(sequences) {
				t.Fatalf("want slices.IsSorted(sequences); got %+v", sequences)
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
				t.Errorf("got %d events of the type, want 1", len(newest))
			}
			w.A.Get(t, "/events?order=newest").OK(400)
		})
		t.Run("large events arrive whole", func(t *testing.T) {
			var received struct {
				Data struct{ Message struct{ Text string } }
			}
			for _, e := range feed {
				if e["type"] == "message.received" {
					b, _ := json.Marshal(e)
					_ = json.Unmarshal(b, &received)
				}
			}
			testkit.Equal(t, "number of received.Data.Message.Text", len(received.Data.Message.Text), 4096)
		})
		t.Run("the feed goes on from its cursor, and a stream too", func(t *testing.T) {
			rest := w.A.Get(t, "/events?after="+cursor).OK(200)
			testkit.Equal(t, "number of data", len(rest.List()), 0)
			testkit.Equal(t, "next_cursor", rest.At("next_cursor"), nil)
			w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "text": "second"}`).OK(201)
			later, end := feedOf(t, w.A.Client, "", cursor, 2)
			testkit.Equal(t, "types(later)", types(later), "message.received conversation.updated")
			resumed, stop := follow(t, w.A.Client, "", "Last-Event-ID", cursor)
			one := take(t, resumed)
			stop()
			resumed, _ = follow(t, w.A.Client, "?after="+cursor, "Last-Event-ID", one.ID)
			two := take(t, resumed)
			testkit.Equal(t, "one.Event", one.Event, "message.received")
			testkit.Equal(t, "two.Event", two.Event, "conversation.updated")
			testkit.Equal(t, "two.ID", two.ID, end)
		})
		t.Run("types choose", func(t *testing.T) {
			if chosen, _ := feedOf(t, w.A.Client, "&types=attendance.opened,message.received", "", 3); types(chosen) != "message.received attendance.opened message.received" &&
				types(chosen) != "attendance.opened message.received message.received" {
				t.Fatalf(`want not (types(chosen) != "message.received attendance.opened message.received" && types(chosen) != "attendance.opened message.received message.received"); got %+v`, types(chosen))
			}
			for _, query := range []string{"types=message.lost", "types=webhook.test", "types=message.sent,", "after=x", "limit=0", "limit=101", "cursor=x"} {
				if a := w.A.Get(t, "/events?"+query); a.Status != 400 {
					t.Errorf(`w.A.Get(t, "/events?"+query): want a.Status == 400; got %+v, %+v`, query, a.Status)
				}
			}
			w.A.Get(t, "/events/stream?types=message.lost").Fails(400, "invalid_request")
			w.A.Get(t, "/events/stream?after=x").Fails(400, "invalid_cursor")
			w.B.Get(t, "/events?after="+cursor).Fails(400, "invalid_cursor")
		})
		t.Run("a private channel produces nothing", func(t *testing.T) {
			_, before := feedOf(t, w.A.Client, "", cursor, 2)
			private := privateChannel(t, w)
			hidden := provider.Incoming{Message: &provider.IncomingMessage{
				ExternalID: "private-1", Customer: provider.Person{Phone: "+5511912340000"}, Type: "text", Text: "secret", At: time.Now(),
			}}
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, private.ID, []provider.Incoming{hidden}); err != nil {
				t.Fatal(err)
			}
			w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "text": "public"}`).OK(201)
			after, _ := feedOf(t, w.A.Client, "", before, 2)
			testkit.Equal(t, "number of after", len(after), 2)
			if strings.Contains(fmt.Sprint(after), "secret") {
				t.Fatalf(`want !strings.Contains(fmt.Sprint(after), "secret"); got %+v`, types(after))
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
		t.Run("a stream ends when its key is revoked, however many events come", func(t *testing.T) {
			key, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "busy follower", Scopes: kernel.NewScopeSet(people.ScopeWebhooksManage)})
			messages, _ := follow(t, c, "")
			w.A.Delete(t, "/keys/"+key.ID.String()).OK(204)
			end := time.Now().Add(10 * time.Second)
			for n, open := 0, true; open; n++ {
				err := w.Desk.Talk.Receive(t.Context(), w.A.ID, mustID(channel), []provider.Incoming{{Message: &provider.IncomingMessage{
					ExternalID: fmt.Sprint("busy-", n), Customer: provider.Person{Phone: "+5511912340001"}, Type: "text", Text: "oi", At: time.Now(),
				}}})
				if err != nil || time.Now().After(end) {
					t.Fatal("the stream goes on", err)
				}
				for _, open = <-messages; open && len(messages) > 0; _, open = <-messages {
				}
			}
		})
		t.Run("a key follows twenty streams and no more", func(t *testing.T) {
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "greedy", Scopes: kernel.NewScopeSet(people.ScopeWebhooksManage)})
			for range 20 {
				follow(t, c, "")
			}
			c.Get(t, "/events/stream").Fails(429, "rate_limited")
		})
	})
}

func TestAServerThatStopsEndsItsStreams(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		messages, _ := follow(t, w.A.Client, "")
		<-messages
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := w.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		for range messages {
			continue
		}
	})
}

func TestAStreamOpenedWithASessionGoesOn(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		channel := sandbox(t, w)
		messages, _ := follow(t, owner, "?types=message.received")
		for began, n := time.Now(), 0; time.Since(began) < 2500*time.Millisecond; n++ { // the session is looked at once a second
			text := fmt.Sprintf("message %d", n)
			w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":"+5511912345678","text":%q}`, text)).OK(201)
			if m := take(t, messages); !strings.Contains(m.Data, text) {
				t.Fatalf("the event: got %q, want one with %q", m.Data, text)
			}
		}
	})
}

func TestEachOfVeryManyStreamsOfACompanyGetsEveryEventOnce(t *testing.T) {
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
				if m := take(t, messages); !strings.Contains(m.Data, fmt.Sprintf("message %d", n)) {
					t.Fatalf("stream %d, event %d: got %q", i, n, m.Data)
				}
			}
		}
	})
}
