package api_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// TestAStoredResponseIsReplayedOnlyToThoseWhoMaySeeIt repeats requests after the caller lost access to what they return.
func TestAStoredResponseIsReplayedOnlyToThoseWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana", `"role":"manager"`)
		id := customerWrites(t, w, channel, phoneNumber(1))
		c := "/conversations/" + id
		board := newBoard(t, w.A.Client)
		reply := w.A.Post(t, "/replies", `{"shortcut":"oi","title":"Hi","text":"Olá {{contact.name}}","owner":null}`).OK(201).ID()
		calls := []struct{ path, body string }{
			{c + "/messages", fmt.Sprintf(`{"client_id":%q,"text":"oi"}`, kernel.NewID())},
			{c + "/notes", fmt.Sprintf(`{"client_id":%q,"text":"oi"}`, kernel.NewID())},
			{c + "/scheduled", fmt.Sprintf(`{"client_id":%q,"text":"later","send_at":%q}`, kernel.NewID(), w.Clock.Now().Add(time.Hour).UTC().Format(time.RFC3339))},
			{c + "/read", `{}`},
			{c + "/take", `{}`},
			{"/conversations", fmt.Sprintf(`{"channel_id":%q,"phone":%q}`, channel, phoneNumber(1))},
			{"/kanban/cards", fmt.Sprintf(`{"board_id":%q,"title":"card","conversation":%q}`, board.id, id)},
			{"/replies/" + reply + "/render", fmt.Sprintf(`{"conversation_id":%q}`, id)},
			{c + "/attendance/close", `{}`},
			{c + "/attendance/close", `{ }`}, // refused: 409
		}
		keys := make([][]string, len(calls))
		for i, call := range calls {
			keys[i] = idempotencyKey()
			first := ana.Post(t, call.path, call.body, keys[i]...)
			again := ana.Post(t, call.path, call.body, keys[i]...)
			if first.Status >= 400 && first.Status != 409 || again.Header.Get("Idempotency-Replayed") != "true" || string(again.Raw) != string(first.Raw) {
				t.Fatalf("%s: got %d %s and then %d %s, want a response and its replay", call.path, first.Status, first.Raw, again.Status, again.Raw)
			}
		}
		w.A.Patch(t, "/team/"+anaID, `{"role":"agent","access_profile":"own"}`).OK(200)
		ana.Get(t, c).Fails(404, "not_found")
		for i, call := range calls {
			again := ana.Post(t, call.path, call.body, keys[i]...)
			if again.Status != 404 || again.Header.Get("Idempotency-Replayed") != "" {
				t.Errorf("%s: got %d %s, want 404", call.path, again.Status, again.Raw)
			}
		}
		t.Run("a repeated client_id without a key is not found either", func(t *testing.T) {
			for _, call := range calls[:3] {
				ana.Post(t, call.path, call.body).Fails(404, "not_found")
			}
		})
		t.Run("a caller who regained access gets the stored response", func(t *testing.T) {
			w.A.Patch(t, "/team/"+anaID, `{"role":"manager","access_profile":"all"}`).OK(200)
			for i, call := range calls {
				if again := ana.Post(t, call.path, call.body, keys[i]...); again.Header.Get("Idempotency-Replayed") != "true" {
					t.Errorf("%s: got %d %s, want the stored response", call.path, again.Status, again.Raw)
				}
			}
		})
		t.Run("a caller who lost the permission gets 403", func(t *testing.T) {
			key := idempotencyKey()
			body := fmt.Sprintf(`{"name":"New","email":"%s@x.example"}`, kernel.NewID())
			ana.Post(t, "/team", body, key...).OK(201)
			w.A.Patch(t, "/team/"+anaID, `{"role":"agent"}`).OK(200)
			ana.Post(t, "/team", body, key...).Fails(403, "insufficient_scope")
		})
	})
}

func TestAStoredResponseAboutADeletedContactIsNotReplayed(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := idempotencyKey()
		body := fmt.Sprintf(`{"name":"Eva","phone":%q}`, phoneNumber(1))
		id := w.A.Post(t, "/contacts", body, key...).OK(201).ID()
		testkit.Diff(t, "header Idempotency-Replayed", w.A.Post(t, "/contacts", body, key...).OK(201).Header.Get("Idempotency-Replayed"), "true")
		w.A.Delete(t, "/contacts/"+id, idempotencyKey()...).OK(204)
		w.A.Post(t, "/contacts", body, key...).Fails(404, "not_found")
	})
}
