package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/webhooks"
	"recado/test/servertest"
	"recado/test/testkit"
)

// hiddenCard is a card with a delivery of its creation that waits for a second attempt.
type hiddenCard struct{ id, path, delivery string }

// pendingCard creates a card and waits until the first delivery of its creation has failed.
func pendingCard(t *testing.T, w *servertest.World, b board, failing *testkit.Receiver) hiddenCard {
	t.Helper()
	path, _, _ := registerWebhook(t, w.A.Client, failing.URL)
	card := b.card(t, w.A.Client, "seen at first", "").OK(201)
	failing.Next(t)
	id := w.A.Get(t, path+"/deliveries").OK(200).Text("data", 0, "id")
	waitForDelivery(t, w.A.Client, path, id, hasAttempts(1))
	return hiddenCard{card.ID(), path, id}
}

func TestEventsOfAHiddenCardAreNotDelivered(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		failing := testkit.NewReceiver(t)
		failing.AnswerStatus(500)
		b := newBoard(t, w.A.Client)
		b.card(t, w.A.Client, "the first", "").OK(201)
		_, last := readFeed(t, w.A.Client, cardEvents, "", 1)

		for name, hide := range map[string]func(t *testing.T, card string){
			"made private": func(t *testing.T, card string) {
				w.A.Patch(t, "/kanban/cards/"+card, `{"private": true, "version": 1}`).OK(200)
			},
			"deleted": func(t *testing.T, card string) { w.A.Delete(t, "/kanban/cards/"+card).OK(204) },
		} {
			t.Run("a card that is "+name, func(t *testing.T) {
				c := pendingCard(t, w, b, failing)
				event := deliveryByID(t, w.A.Client, c.path, c.delivery).EventID
				feed, after := readFeed(t, w.A.Client, cardEvents, last, 1)
				if len(feed) != 1 || feed[0]["id"] != event {
					t.Fatalf("feed: got %v, want the event %s", feed, event)
				}
				hide(t, c.id)

				if page := w.A.Get(t, "/events?limit=100"+cardEvents).OK(200); strings.Contains(string(page.Raw), c.id) {
					t.Errorf("the feed still has the card: %s", page.Raw)
				}
				visible := b.card(t, w.A.Client, "stays", "").OK(201)
				live, stop := follow(t, w.A.Client, "?after="+last+cardEvents)
				if m := nextEvent(t, live); !strings.Contains(m.Data, visible.ID()) {
					t.Errorf("stream: got %s, want the event of the visible card", m.Data)
				}
				stop()
				// A caller can continue from the event that is now hidden.
				if feed, _ := readFeed(t, w.A.Client, cardEvents, event, 1); !strings.Contains(fmt.Sprint(feed), visible.ID()) {
					t.Errorf("feed after the hidden event: got %v, want the event of card %s", feed, visible.ID())
				}
				_, last = readFeed(t, w.A.Client, cardEvents, after, 1)

				w.A.Post(t, c.path+"/deliveries/"+c.delivery+"/redeliver", nil).Fails(404, "not_found")
				w.Clock.Advance(time.Minute)
				w.Desk.Kernel.Wakeup(webhooks.WakeDeliver).Notify()
				d := waitForDelivery(t, w.A.Client, c.path, c.delivery, func(d delivery) bool { return d.FinishedAt != nil })
				if d.Status != "failed" || len(d.Attempts) != 2 || d.Attempts[1].StatusCode != nil || !strings.HasPrefix(*d.Attempts[1].Error, "not sent: ") {
					t.Errorf("delivery: got %+v, want failed after two attempts, the second of them not sent", d)
				}
				for failing.Waiting() > 0 {
					if a := failing.Next(t); strings.Contains(a.Body, c.id) {
						t.Errorf("the hidden card was sent: %s", a.Body)
					}
				}
				if hooks := w.A.Get(t, "/integrations/webhooks").OK(200); hooks.Int("data", 0, "consecutive_failures") != 0 {
					t.Errorf("consecutive_failures: got %s, want 0", hooks.Raw)
				}
				w.A.Delete(t, c.path).OK(204)
			})
		}
	})
}
