package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

const cardEvents = "&types=kanban.card.created,kanban.card.moved,kanban.card.completed"

func TestCardChangesRaiseEvents(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		b := newBoard(t, w.A.Client)
		card := b.card(t, w.A.Client, "won", `, "description": "all of it"`).OK(201)
		b.card(t, w.A.Client, "secret", `, "private": true`).OK(201)
		headers := append(idempotencyKey(), "If-Match", "1")
		move := fmt.Sprintf(`{"stage_id": %q}`, b.stages["Won"])
		moved := w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", move, headers...).OK(200)
		w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", move, headers...).OK(200)
		w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", move, append(idempotencyKey(), "If-Match", "1")...).Fails(409, "version_conflict")
		b.move(t, w.A.Client, moved, "Won", "").OK(200) // within the stage
		turned := b.card(t, w.A.Client, "turns private", "").OK(201)
		gone := w.A.Patch(t, "/kanban/cards/"+turned.ID(), `{"private": true, "version": 1}`).OK(200)
		b.move(t, w.A.Client, gone, "Won", "").Fails(404, "not_found")
		b.card(t, w.A.Client, "born won", fmt.Sprintf(`, "stage_id": %q`, b.stages["Won"])).OK(201)

		feed, next := readFeed(t, w.A.Client, cardEvents, "", 5)
		testkit.Equal(t, "event types", eventTypes(feed), "kanban.card.created kanban.card.moved kanban.card.completed kanban.card.created kanban.card.completed")
		testkit.Equal(t, "number of events after the last", len(w.A.Get(t, "/events?limit=100"+cardEvents+"&after="+next).OK(200).List()), 0)
		data := func(i int) map[string]any { return feed[i]["data"].(map[string]any) }
		cardIn := func(i int) map[string]any { return data(i)["card"].(map[string]any) }
		by, _ := data(1)["moved_by"].(map[string]any)
		testkit.Equal[any](t, "from_stage_id", data(1)["from_stage_id"], b.stages["New"])
		testkit.Equal[any](t, "to_stage_id", data(1)["to_stage_id"], b.stages["Won"])
		testkit.Equal[any](t, "moved_by.id", by["id"], w.A.Owner.ID.String())
		testkit.Equal[any](t, "moved_by.name", by["name"], w.A.Owner.Name)
		testkit.Equal(t, "card.version when created", cardIn(0)["version"], 1.0)
		testkit.Equal(t, "card.version when moved", cardIn(1)["version"], 2.0)
		testkit.Equal(t, "card.status when completed", cardIn(2)["status"], "completed")
		testkit.Equal(t, "card.description", cardIn(0)["description"], "all of it")
		testkit.Equal[any](t, "card.id", cardIn(0)["id"], card.ID())

		t.Run("a key gets the events of its boards only", func(t *testing.T) {
			other := newBoard(t, w.A.Client)
			boards := []kernel.ID{mustID(other.id)}
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "other", Scopes: kernel.NewScopeSet(people.ScopeWebhooksManage, people.ScopeNotesRead), Boards: &boards})
			other.card(t, w.A.Client, "other", "").OK(201)
			feed, _ := readFeed(t, c, cardEvents, "", 1)
			testkit.Equal(t, "number of events", len(feed), 1)
			testkit.Equal[any](t, "card.board_id", feed[0]["data"].(map[string]any)["card"].(map[string]any)["board_id"], other.id)

			path, _, _ := registerWebhook(t, c, "https://example.com")
			expectDeliveries := func(want int) {
				t.Helper()
				b.card(t, w.A.Client, "perhaps", "").OK(201)
				other.card(t, w.A.Client, "surely", "").OK(201)
				if got := w.A.Get(t, path+"/deliveries").OK(200).List(); len(got) != want {
					t.Fatalf("got %d deliveries, want %d", len(got), want)
				}
			}
			expectDeliveries(1)
			w.A.Patch(t, path, map[string]any{"events": kernel.AllEvents}).OK(200) // changed by a key that sees all boards
			expectDeliveries(3)
			c.Patch(t, path, `{"url": "https://example.com/again"}`).OK(200)
			expectDeliveries(4)
		})
	})
}

func TestTheAttendancesBoardFollowsAttendances(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana := addMember(t, w, "Ana")
		board := w.A.Get(t, "/kanban/boards").OK(200)
		stage := func(i int) string { return board.Text(0, "stages", i, "id") }
		id, next := board.Text(0, "id"), ""
		cardOf := func(t *testing.T, conversation string) *servertest.Answer {
			t.Helper()
			list := w.A.Get(t, "/kanban/cards?status=all&board_id="+id).OK(200)
			for i := range list.List() {
				if list.Text("data", i, "conversation") == conversation {
					return w.A.Get(t, "/kanban/cards/"+list.Text("data", i, "id")).OK(200)
				}
			}
			t.Fatalf("conversation %s has no card: %s", conversation, list.Raw)
			return nil
		}
		expectEvents := func(t *testing.T, want string) []map[string]any {
			t.Helper()
			n := len(strings.Fields(want))
			var events []map[string]any
			if events, next = readFeed(t, w.A.Client, cardEvents, next, n); eventTypes(events) != want {
				t.Fatalf("card events: got %s, want %s", eventTypes(events), want)
			}
			return events
		}

		c := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + c
		t.Run("a card opens with the attendance", func(t *testing.T) {
			att, card := openAttendance(t, w, c), cardOf(t, c)
			testkit.Equal(t, "stage_id", card.Text("stage_id"), stage(0))
			testkit.Equal(t, "status", card.Text("status"), "open")
			testkit.Equal(t, "attendance", card.Text("attendance"), att.ID())
			testkit.Equal(t, "assignee", card.At("assignee"), nil)
			testkit.Equal(t, "contact", card.Text("contact"), att.Text("contact", "id"))
			testkit.Equal(t, "title", card.Text("title"), "Zé 0001 · ATD-000001")
			testkit.Equal(t, "version", card.Int("version"), 1)
			expectEvents(t, "kanban.card.created")
		})
		t.Run("it is in progress while somebody is responsible", func(t *testing.T) {
			ana.Post(t, path+"/messages", message("bom dia")).OK(201)
			card := cardOf(t, c)
			testkit.Equal(t, "stage_id", card.Text("stage_id"), stage(1))
			testkit.Equal(t, "assignee", card.Text("assignee"), ana.id)
			testkit.Equal(t, "version", card.Int("version"), 2)
			data := expectEvents(t, "kanban.card.moved")[0]["data"].(map[string]any)
			testkit.Equal[any](t, "from_stage_id", data["from_stage_id"], stage(0))
			testkit.Equal[any](t, "to_stage_id", data["to_stage_id"], stage(1))
			testkit.Equal[any](t, "moved_by.id", data["moved_by"].(map[string]any)["id"], ana.id)
		})
		t.Run("a new responsible person changes the card without moving it", func(t *testing.T) {
			w.A.Post(t, path+"/transfer", fmt.Sprintf(`{"user_id": %q}`, w.A.Owner.ID)).OK(200)
			if card := cardOf(t, c); card.Text("stage_id") != stage(1) || card.Text("assignee") != w.A.Owner.ID.String() || card.Int("version") != 3 {
				t.Fatalf("card: got %s, want version 3 in the stage %s with the assignee %s", card.Raw, stage(1), w.A.Owner.ID)
			}
		})
		t.Run("it returns to waiting when handed back", func(t *testing.T) {
			w.A.Post(t, path+"/transfer", `{"user_id": null}`).OK(200)
			if card := cardOf(t, c); card.Text("stage_id") != stage(0) || card.At("assignee") != nil || card.Int("version") != 4 {
				t.Fatalf("card: got %s, want version 4 in the stage %s without an assignee", card.Raw, stage(0))
			}
			expectEvents(t, "kanban.card.moved")
		})
		t.Run("a manual move lasts until the attendance changes", func(t *testing.T) {
			card := cardOf(t, c)
			w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", fmt.Sprintf(`{"stage_id": %q, "version": 4}`, stage(1)), idempotencyKey()...).OK(200)
			expectEvents(t, "kanban.card.moved")
			w.A.Post(t, path+"/transfer", fmt.Sprintf(`{"user_id": %q}`, ana.id)).OK(200)
			w.A.Post(t, path+"/transfer", `{"user_id": null}`).OK(200)
			if card := cardOf(t, c); card.Text("stage_id") != stage(0) || card.Text("status") != "open" || card.Int("version") != 7 {
				t.Fatalf("card: got %s, want version 7 open in the stage %s", card.Raw, stage(0))
			}
			expectEvents(t, "kanban.card.moved")
			w.A.Post(t, path+"/transfer", fmt.Sprintf(`{"user_id": %q}`, ana.id)).OK(200)
			expectEvents(t, "kanban.card.moved")
		})
		t.Run("it is done when the attendance closes", func(t *testing.T) {
			ana.Post(t, path+"/attendance/close", `{}`).OK(200)
			card := cardOf(t, c)
			testkit.Equal(t, "stage_id", card.Text("stage_id"), stage(2))
			testkit.Equal(t, "status", card.Text("status"), "completed")
			if card.Text("completed_at") == "" {
				t.Fatalf("completed_at: got none, want a time: %s", card.Raw)
			}
			testkit.Equal(t, "assignee", card.Text("assignee"), ana.id)
			expectEvents(t, "kanban.card.moved kanban.card.completed")
		})
		t.Run("an attendance without its card can be closed", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(2))
			w.A.Delete(t, "/kanban/cards/"+cardOf(t, c).ID()).OK(204)
			w.A.Post(t, "/conversations/"+c+"/attendance/close", `{}`).OK(200)
		})
		t.Run("a member sees the cards of visible conversations only", func(t *testing.T) {
			own := addMember(t, w, "Bia", `"access_profile": "own"`)
			free := w.A.Post(t, "/kanban/cards", fmt.Sprintf(`{"board_id": %q, "title": "free"}`, id), idempotencyKey()...).OK(201)
			c := customerWrites(t, w, channel, phoneNumber(3))
			card := cardOf(t, c)
			testkit.Diff(t, "visible cards", ids(own.Get(t, "/kanban/cards").OK(200).List()), []string{free.ID()})
			own.Get(t, "/kanban/cards/"+card.ID()).Fails(404, "not_found")
			own.Patch(t, "/kanban/cards/"+card.ID(), `{"title": "x", "version": 1}`).Fails(404, "not_found")
			own.Patch(t, "/kanban/cards/"+free.ID(), fmt.Sprintf(`{"conversation": %q, "version": 1}`, c)).Fails(400, "invalid_request")
			w.A.Post(t, "/conversations/"+c+"/transfer", fmt.Sprintf(`{"user_id": %q}`, own.id)).OK(200)
			own.Get(t, "/kanban/cards/"+card.ID()).OK(200)
			own.Patch(t, "/kanban/cards/"+free.ID(), fmt.Sprintf(`{"conversation": %q, "version": 1}`, c)).OK(200)
		})
		t.Run("cards of a private channel are hidden", func(t *testing.T) {
			all := string(w.A.Get(t, "/kanban/cards?status=all").OK(200).Raw)
			private := privateChannel(t, w)
			err := w.Desk.Talk.Receive(context.Background(), w.A.ID, private.ID, []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: "p-1", Customer: provider.Person{WAID: "5511912344321", Name: "Secret"}, Type: "text", Text: "x", At: w.Clock.Now(),
			}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, query := range []string{"", "&q=Secret", "&due=none", "&priority=medium"} {
				if got := string(w.A.Get(t, "/kanban/cards?status=all"+query).OK(200).Raw); query == "" && got != all || strings.Contains(got, "Secret") {
					t.Fatalf("cards of %q: got %s, want the same cards as before without the private one", query, got)
				}
			}
			customerWrites(t, w, channel, phoneNumber(4))
			for _, e := range expectEvents(t, "kanban.card.created kanban.card.created kanban.card.moved kanban.card.created") {
				if strings.Contains(fmt.Sprint(e), "Secret") {
					t.Fatalf("an event shows the private card: %v", e)
				}
			}
		})
	})
}

// TestMovingACardToDoneClosesItsAttendance also checks that there is one move event and one new version of the card.
func TestMovingACardToDoneClosesItsAttendance(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, bia := addMember(t, w, "Ana"), addMember(t, w, "Bia")
		board := w.A.Get(t, "/kanban/boards").OK(200)
		waiting, done := board.Text(0, "stages", 0, "id"), board.Text(0, "stages", 2, "id")
		cardOf := func(t *testing.T, conversation string) *servertest.Answer {
			t.Helper()
			return w.A.Get(t, "/kanban/cards/"+w.A.Get(t, "/kanban/cards?status=all&conversation="+conversation).OK(200).Text("data", 0, "id")).OK(200)
		}
		move := func(t *testing.T, by *servertest.Client, card *servertest.Answer, stage string) *servertest.Answer {
			t.Helper()
			return by.Post(t, "/kanban/cards/"+card.ID()+"/move", fmt.Sprintf(`{"stage_id": %q, "version": %d}`, stage, card.Int("version")), idempotencyKey()...)
		}
		c := customerWrites(t, w, channel, phoneNumber(1))
		path := "/conversations/" + c
		ana.Post(t, path+"/messages", message("bom dia")).OK(201)
		att := openAttendance(t, w, c).ID()

		t.Run("it fails for a member who may not close in restricted mode", func(t *testing.T) {
			w.A.Patch(t, "/company/attendance", `{"mode": "restricted"}`).OK(200)
			card := cardOf(t, c)
			move(t, bia.Client, card, done).Fails(409, "attendance_restricted")
			testkit.Equal(t, "the card", string(cardOf(t, c).Raw), string(card.Raw))
			testkit.Equal(t, "attendance", openAttendance(t, w, c).ID(), att)
			move(t, bia.Client, card, waiting).OK(200)
		})
		t.Run("it fails with a key that may not close", func(t *testing.T) {
			key := w.A.Post(t, "/keys", `{"name": "cards", "scopes": ["read", "write"]}`).OK(201)
			move(t, w.A.As(key.Text("key")), cardOf(t, c), done).Fails(403, "insufficient_scope")
			testkit.Equal(t, "attendance", openAttendance(t, w, c).ID(), att)
		})
		t.Run("it closes once", func(t *testing.T) {
			card := cardOf(t, c)
			moved := move(t, ana.Client, card, done).OK(200)
			testkit.Equal(t, "version", moved.Int("version"), card.Int("version")+1)
			testkit.Equal(t, "status", moved.Text("status"), "completed")
			testkit.Equal(t, "assignee", moved.Text("assignee"), ana.id)
			testkit.Equal(t, "the stored card", string(cardOf(t, c).Raw), string(moved.Raw))
			closed := w.A.Get(t, "/attendances/"+att).OK(200)
			testkit.Equal(t, "status", closed.Text("status"), "closed")
			testkit.Equal(t, "closed_by", closed.Text("closed_by", "id"), ana.id)
			testkit.Equal(t, "close_reason", closed.At("close_reason"), nil)
			testkit.Equal(t, "assignee", w.A.Get(t, path).OK(200).At("assignee"), nil)
			events, _ := readFeed(t, w.A.Client, "&types=kanban.card.moved,kanban.card.completed,attendance.closed", "", 5)
			testkit.Equal(t, "events", eventTypes(events), "kanban.card.moved kanban.card.moved kanban.card.moved kanban.card.completed attendance.closed")
		})
		t.Run("moving the card back does not reopen it", func(t *testing.T) {
			move(t, ana.Client, cardOf(t, c), waiting).OK(200)
			testkit.Equal(t, "status", w.A.Get(t, "/attendances/"+att).OK(200).Text("status"), "closed")
			move(t, ana.Client, cardOf(t, c), done).OK(200)
			testkit.Equal(t, "attendance", w.A.Get(t, path).OK(200).At("attendance"), nil)
		})
		t.Run("a refused move closes nothing", func(t *testing.T) {
			c := customerWrites(t, w, channel, phoneNumber(2))
			card := cardOf(t, c)
			w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", fmt.Sprintf(`{"stage_id": %q, "version": 99}`, done), idempotencyKey()...).Fails(409, "version_conflict")
			openAttendance(t, w, c)
		})
	})
}
