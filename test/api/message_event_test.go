package api_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/kernel/db"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestMessagesRaiseEvents(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		feed := &feedReader{w: w}
		conversation, sequence := "", 0

		t.Run("a customer's message raises message.received and conversation.updated", func(t *testing.T) {
			m := w.A.Post(t, simulatePath(channel), `{"from": "+5511987654321", "name": "Ana", "text": "Bom dia"}`).OK(201)
			conversation = m.Text("conversation")
			events := feed.next(t, "message.received", "conversation.updated")
			received, updated := events[0], events[1]
			testkit.Equal[any](t, "message.id", received.at("message", "id"), m.ID())
			testkit.Equal[any](t, "conversation.id", received.at("conversation", "id"), conversation)
			testkit.Equal(t, "conversation.unread_count", received.at("conversation", "unread_count"), 1.0)
			changed, _ := updated.at("changed").([]any)
			for _, name := range []string{"last_message", "unread", "unread_count"} {
				if !slices.Contains(changed, any(name)) {
					t.Errorf("changed: got %v, want %s in it", changed, name)
				}
			}
			for _, e := range events {
				if n := int(e.at("sequence").(float64)); n <= sequence {
					t.Errorf("sequence: got %d, want more than %d", n, sequence)
				} else {
					sequence = n
				}
			}
		})
		t.Run("a sent message raises message.sent once, whatever its later statuses", func(t *testing.T) {
			m := w.A.Post(t, "/conversations/"+conversation+"/messages", message("Olá")).OK(201)
			for _, status := range []string{"delivered", "read"} {
				w.A.Post(t, simulatePath(channel), `{"external_id": "`+m.Text("external_id")+`", "status": "`+status+`"}`).OK(200)
			}
			phone := w.A.Post(t, simulatePath(channel), `{"from_phone_app": true, "to": "+5511987654321", "text": "from the phone"}`).OK(201)
			events := feed.next(t, "message.sent", "conversation.updated")
			sent := eventsOfType(events, "message.sent")
			testkit.Equal(t, "number of message.sent events", len(sent), 2)
			testkit.Equal[any](t, "message.id of the first", sent[0].at("message", "id"), m.ID())
			testkit.Equal[any](t, "message.id of the second", sent[1].at("message", "id"), phone.ID())
		})
		t.Run("repeats, blocked contacts and private channels raise no events", func(t *testing.T) {
			ctx := context.Background()
			c := w.A.Get(t, "/conversations/"+conversation).OK(200)
			known := &provider.IncomingMessage{ExternalID: "again", Customer: provider.Person{WAID: "5511987654321"}, Type: "text", Text: "x", At: w.Clock.Now()}
			items := []provider.Incoming{{Message: known}}
			if err := w.Desk.Talk.Receive(ctx, w.A.ID, mustID(channel), items); err != nil {
				t.Fatal(err)
			}
			feed.next(t, "message.received", "conversation.updated")
			blockContact(t, w, c.Text("contact"))
			private := privateChannel(t, w)
			secret := []provider.Incoming{{Message: &provider.IncomingMessage{ExternalID: "s", Customer: provider.Person{WAID: "5511900001111"}, Type: "text", Text: "x", At: w.Clock.Now()}}}
			blocked := []provider.Incoming{{Message: &provider.IncomingMessage{ExternalID: "b", Customer: provider.Person{WAID: "5511987654321"}, Type: "text", Text: "x", At: w.Clock.Now()}}}
			for _, err := range []error{
				w.Desk.Talk.Receive(ctx, w.A.ID, mustID(channel), items), w.Desk.Talk.Receive(ctx, w.A.ID, private.ID, secret), w.Desk.Talk.Receive(ctx, w.A.ID, mustID(channel), blocked),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			marker := w.A.Post(t, simulatePath(channel), `{"from": "+5511900002222", "text": "marker"}`).OK(201)
			events := eventsOfType(feed.next(t, "message.received", "conversation.updated"), "message.received")
			testkit.Equal(t, "number of events", len(events), 1)
			testkit.Equal[any](t, "message.id", events[0].at("message", "id"), marker.ID())
		})
	})
}

// feedReader reads the events of company A in steps.
type feedReader struct {
	w     *servertest.World
	after string
	seen  int64
}

// event is an event of the feed.
type event map[string]any

// at returns the value at a path in the event's data.
func (e event) at(path ...string) any {
	v := e["data"]
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// next returns the events of these types since the last call. On PostgreSQL the feed shows an event when all transactions that
// began before it have ended, those of other tests included, so it waits for the events that are stored.
func (f *feedReader) next(t *testing.T, types ...string) []event {
	t.Helper()
	var stored int64
	err := f.w.Desk.Kernel.Store.Read(t.Context(), func(tx *kernel.Tx) error {
		_, err := tx.One(`SELECT COUNT(*) AS n FROM events WHERE company = $1`, []any{f.w.A.ID}, func(r db.Row) { stored = r.Int("n") })
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []event
	for begin := time.Now(); ; {
		query := "?limit=100"
		if f.after != "" {
			query += "&after=" + f.after
		}
		page := f.w.A.Get(t, "/events"+query).OK(200)
		if next := page.Text("next_cursor"); next != "" {
			f.after = next
		}
		for _, e := range page.List() {
			f.seen++
			if m := e.(map[string]any); slices.Contains(types, m["type"].(string)) {
				out = append(out, m)
			}
		}
		if f.seen >= stored {
			return out
		}
		if time.Since(begin) > testkit.Patience {
			t.Fatalf("the feed has %d of %d events", f.seen, stored)
		}
	}
}

// eventsOfType returns the events of one type.
func eventsOfType(events []event, kind string) []event {
	var out []event
	for _, e := range events {
		if e["type"] == kind {
			out = append(out, e)
		}
	}
	return out
}
