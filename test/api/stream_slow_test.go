package api_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestAQuietStreamIsKeptAlive(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		w.API.SetStreamTimes(10*time.Millisecond, time.Second)
		live, _ := follow(t, w.A.Client, "")
		<-live
		for range 2 {
			m, _ := testkit.Receive(t, "a heartbeat", live)
			testkit.Equal(t, "event", m.Event, "")
			testkit.Equal(t, "data", m.Data, "")
			if m.ID == "" {
				t.Fatalf("id: got none, want a cursor: %+v", m)
			}
			w.A.Get(t, "/events?after="+m.ID).OK(200) // the id is a cursor of the feed
		}
	})
}

func TestASlowClientIsDisconnected(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		w.API.SetStreamTimes(time.Minute, 300*time.Millisecond)
		_, key := w.NewKey(t, w.A.ID, people.NewKey{Name: "slow", Scopes: kernel.NewScopeSet(people.ScopeWebhooksManage)})
		slow := openSlowly(t, key, "/events/stream")
		quick, _ := follow(t, w.A.Client, "?types=message.received")
		<-quick

		// This is more than the buffers of a connection can hold.
		channel := sandbox(t, w)
		const messages = 200
		body := `{"from": "+5511987654321", "text": "a` + strings.Repeat(`\u0001`, 4095) + `"}`
		for range messages {
			w.A.Post(t, simulatePath(channel), body).OK(201)
			nextEvent(t, quick) // the other stream is not delayed
		}
		_ = slow.SetReadDeadline(time.Now().Add(20 * time.Second))
		got, err := io.Copy(io.Discard, slow)
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			t.Fatalf("the slow client is still connected after %d bytes", got)
		}
		if all := int64(messages) * 50_000; got == 0 || got > all {
			t.Fatalf("the slow client got %d bytes, want more than none and at most %d", got, all)
		}
		for range 20 { // the key can open all of its streams again
			follow(t, key, "")
		}
	})
}

func TestAnEventOf64KiBArrivesComplete(t *testing.T) {
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		_, _, secret := registerWebhook(t, w.A.Client, receiver.URL)
		live, _ := follow(t, w.A.Client, "?types=kanban.card.moved")
		<-live
		b := newBoard(t, w.A.Client)
		long := strings.Repeat("🐘", 120)
		w.A.Patch(t, "/team/"+w.A.Owner.ID.String(), fmt.Sprintf(`{"name": %q}`, long)).OK(200)
		var labels []string
		for i := range 100 {
			labels = append(labels, fmt.Sprintf("%q", w.A.Post(t, "/labels", fmt.Sprintf(`{"name": "label %d"}`, i)).OK(201).ID()))
		}
		// A control character in the description takes six bytes in the event, a letter one.
		moved := func(control, letters int) testkit.Delivery {
			t.Helper()
			card := b.card(t, w.A.Client, long, fmt.Sprintf(`, "label_ids": [%s], "description": "%s%s"`,
				strings.Join(labels, ","), strings.Repeat(`\u0001`, control), strings.Repeat("x", letters))).OK(201)
			b.move(t, w.A.Client, card, "Doing", "").OK(200)
			for {
				if a := receiver.Next(t); a.Header.Get("X-Service-Event") == "kanban.card.moved" {
					return a
				}
			}
		}
		const size = 64 << 10
		missing := size - len(moved(9_000, 0).Body)
		nextEvent(t, live)
		a := moved(9_000+missing/6, missing%6)
		m := nextEvent(t, live)
		if len(a.Body) != size || !serviceSignatureIsValid(a, secret) || !standardSignatureIsValid(a, secret) || m.Data != a.Body {
			t.Fatalf("got %d bytes in the delivery and %d in the stream, want %d signed bytes in both", len(a.Body), len(m.Data), size)
		}
		testkit.Contains(t, "the feed", w.A.Get(t, "/events?limit=100&types=kanban.card.moved").OK(200).Raw, a.Body)
	})
}

// On SQLite both streams begin at the same position, and the heartbeat of a stream that follows the feed has a place of it.
func TestALiveStreamFollowsTheFeedBesideAStreamOfEventsInAQuietCompany(t *testing.T) {
	w := servertest.Start(t, "", func(c *server.Config) { c.Now = nil })
	w.API.SetStreamTimes(10*time.Millisecond, time.Second)
	events, _ := follow(t, w.A.Client, "")
	<-events
	live, _ := w.A.Enter(t, w.A.Owner.ID.String(), password).Follow(t, "/live")
	<-live
	for {
		m, _ := testkit.Receive(t, "a heartbeat with a place of the feed", live)
		if m.Event == "" && m.ID != "" {
			return
		}
	}
}
