package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestKanbanPostsAreIdempotent(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := w.A.Client
		b := newBoard(t, c)
		body := fmt.Sprintf(`{"board_id": %q, "title": "once"}`, b.id)
		key := func() string { return "key-" + kernel.NewID().String() }
		count := func(title string) int {
			return len(c.Get(t, "/kanban/cards?status=all&limit=100&q="+title).OK(200).List())
		}
		expectReplay := func(t *testing.T, first, again *servertest.Answer) {
			t.Helper()
			testkit.Equal(t, "status of the repeat", again.Status, first.Status)
			testkit.Equal(t, "body of the repeat", string(again.Raw), string(first.Raw))
			testkit.Equal(t, "header Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "true")
			testkit.Equal(t, "header ETag", again.Header.Get("ETag"), first.Header.Get("ETag"))
			testkit.Equal(t, "header Location", again.Header.Get("Location"), first.Header.Get("Location"))
			testkit.Equal(t, "header Content-Type", again.Header.Get("Content-Type"), first.Header.Get("Content-Type"))
			if first.Header.Get("Idempotency-Replayed") != "" {
				t.Fatal("the first response has the header Idempotency-Replayed")
			}
		}

		t.Run("every Kanban POST needs a key of 8 to 128 visible ASCII characters", func(t *testing.T) {
			card := b.card(t, c, "keyed", "").OK(201)
			for path, body := range map[string]string{
				"/kanban/boards": `{"name": "keyed"}`, "/kanban/boards/" + b.id + "/stages": `{"name": "keyed"}`, "/kanban/cards": body,
				"/kanban/cards/" + card.ID() + "/move": fmt.Sprintf(`{"stage_id": %q, "version": 1}`, b.stages["Won"]),
			} {
				c.Post(t, path, body).Fails(400, "idempotency_key_required")
				for _, bad := range []string{"1234567", strings.Repeat("x", 129), "with space", "tab\tinside", "ação-ação"} {
					c.Post(t, path, body, "Idempotency-Key", bad).Fails(400, "idempotency_key_invalid")
				}
				r, _ := http.NewRequest("POST", c.Base()+path, strings.NewReader(body))
				r.Header["Idempotency-Key"] = []string{"12345678", "12345678"}
				r.Header.Set("Authorization", "Bearer "+c.Secret())
				r.Header.Set("Content-Type", "application/json")
				c.Send(t, r).Fails(400, "idempotency_key_invalid")
			}
			c.Post(t, "/kanban/cards", body, "Idempotency-Key", strings.Repeat("~", 128)).OK(201)
			c.Post(t, "/kanban/cards", body, "Idempotency-Key", "!2345678").OK(201)
		})
		t.Run("a repeat gets the same bytes and changes nothing", func(t *testing.T) {
			k := key()
			body := fmt.Sprintf(`{"board_id": %q, "title": "repeated"}`, b.id)
			first := c.Post(t, "/kanban/cards", body, "Idempotency-Key", k).OK(201)
			c.Patch(t, "/kanban/cards/"+first.ID(), `{"title": "repeated and changed", "version": 1}`).OK(200)
			expectReplay(t, first, c.Post(t, "/kanban/cards", body, "Idempotency-Key", k))
			if n := count("repeated"); n != 1 {
				t.Fatalf("got %d cards, want 1", n)
			}
			k = key()
			made := c.Post(t, "/kanban/boards", `{"name": "repeated"}`, "Idempotency-Key", k).OK(201)
			expectReplay(t, made, c.Post(t, "/kanban/boards", `{"name": "repeated"}`, "Idempotency-Key", k))
			k = key()
			stage := c.Post(t, "/kanban/boards/"+made.ID()+"/stages", `{"name": "x"}`, "Idempotency-Key", k).OK(201)
			expectReplay(t, stage, c.Post(t, "/kanban/boards/"+made.ID()+"/stages", `{"name": "x"}`, "Idempotency-Key", k))
		})
		t.Run("a repeated move returns the first response", func(t *testing.T) {
			card := b.card(t, c, "moved", "").OK(201)
			k := key()
			body := fmt.Sprintf(`{"stage_id": %q, "version": 1}`, b.stages["Doing"])
			first := c.Post(t, "/kanban/cards/"+card.ID()+"/move", body, "Idempotency-Key", k).OK(200)
			expectReplay(t, first, c.Post(t, "/kanban/cards/"+card.ID()+"/move", body, "Idempotency-Key", k))
			testkit.Equal(t, "version", c.Get(t, "/kanban/cards/"+card.ID()).OK(200).Int("version"), 2)
		})
		t.Run("another request with the same key is a conflict", func(t *testing.T) {
			k := key()
			first := c.Post(t, "/kanban/cards", body, "Idempotency-Key", k).OK(201)
			c.Post(t, "/kanban/cards", body+" ", "Idempotency-Key", k).Fails(409, "idempotency_conflict")
			c.Post(t, "/kanban/boards", `{"name": "other"}`, "Idempotency-Key", k).Fails(409, "idempotency_conflict")
			c.Post(t, "/kanban/cards/"+first.ID()+"/move", fmt.Sprintf(`{"stage_id": %q, "version": 1}`, b.stages["Won"]), "Idempotency-Key", k).Fails(409, "idempotency_conflict")
		})
		t.Run("companies do not share keys", func(t *testing.T) {
			k := key()
			first := c.Post(t, "/kanban/boards", `{"name": "shared key"}`, "Idempotency-Key", k).OK(201)
			second := w.B.Post(t, "/kanban/boards", `{"name": "shared key"}`, "Idempotency-Key", k).OK(201)
			if first.ID() == second.ID() || second.Header.Get("Idempotency-Replayed") != "" {
				t.Fatal("another company got the stored response")
			}
		})
		t.Run("a key survives the rotation of the API key", func(t *testing.T) {
			k := key()
			made := c.Post(t, "/keys", `{"name": "turning", "scopes": ["write"]}`).OK(201)
			send := func(secret string) *servertest.Answer {
				r, _ := http.NewRequest("POST", c.Base()+"/kanban/boards", strings.NewReader(`{"name": "turned"}`))
				r.Header.Set("Authorization", "Bearer "+secret)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Idempotency-Key", k)
				return c.Send(t, r).OK(201)
			}
			first := send(made.Text("key"))
			expectReplay(t, first, send(c.Post(t, "/keys/"+made.ID()+"/rotate", `{}`).OK(200).Text("key")))
		})
		t.Run("404 and 409 are replayed", func(t *testing.T) {
			k := key()
			gone := "/kanban/cards/" + kernel.NewID().String() + "/move"
			move := fmt.Sprintf(`{"stage_id": %q, "version": 1}`, b.stages["Won"])
			expectReplay(t, c.Post(t, gone, move, "Idempotency-Key", k).Fails(404, "not_found"), c.Post(t, gone, move, "Idempotency-Key", k))
			k = key()
			card := b.card(t, c, "stale", "").OK(201)
			c.Patch(t, "/kanban/cards/"+card.ID(), `{"title": "newer", "version": 1}`).OK(200)
			at := "/kanban/cards/" + card.ID() + "/move"
			expectReplay(t, c.Post(t, at, move, "Idempotency-Key", k).Fails(409, "version_conflict"), c.Post(t, at, move, "Idempotency-Key", k))
			k = key()
			expectReplay(t, c.Post(t, "/kanban/boards", `{"name": "Attendances"}`, "Idempotency-Key", k).Fails(409, "name_taken"),
				c.Post(t, "/kanban/boards", `{"name": "Attendances"}`, "Idempotency-Key", k))
		})
		t.Run("400, 403, 413 and 428 do not use the key", func(t *testing.T) {
			k := key()
			card := b.card(t, c, "free", "").OK(201)
			at := "/kanban/cards/" + card.ID() + "/move"
			_, reader := w.NewKey(t, w.A.ID, readOnly)
			reader.Post(t, "/kanban/cards", body, "Idempotency-Key", k).Fails(403, "insufficient_scope")
			c.Post(t, "/kanban/cards", `{"board_id": 7}`, "Idempotency-Key", k).Fails(400, "invalid_request")
			c.Post(t, "/kanban/cards", `{"board_id": "`+b.id+`", "title": "  "}`, "Idempotency-Key", k).Fails(400, "invalid_request")
			c.Post(t, "/kanban/cards", fmt.Sprintf(`{"board_id": %q, "title": "x"}`, kernel.NewID()), "Idempotency-Key", k).Fails(400, "invalid_request")
			c.Post(t, "/kanban/cards", `{"title": "`+strings.Repeat("x", 70_000)+`"}`, "Idempotency-Key", k).Fails(413, "body_too_large")
			c.Post(t, at, fmt.Sprintf(`{"stage_id": %q}`, b.stages["Won"]), "Idempotency-Key", k).Fails(428, "version_required")
			c.Post(t, at, fmt.Sprintf(`{"stage_id": %q, "version": 1}`, kernel.NewID()), "Idempotency-Key", k).Fails(400, "invalid_request")
			c.Post(t, at, fmt.Sprintf(`{"stage_id": %q, "version": 1}`, b.stages["Won"]), "Idempotency-Key", k).OK(200)
		})
		t.Run("the response with a private card is replayed to its caller", func(t *testing.T) {
			k := key()
			body := fmt.Sprintf(`{"board_id": %q, "title": "hush", "private": true}`, b.id)
			expectReplay(t, c.Post(t, "/kanban/cards", body, "Idempotency-Key", k).OK(201), c.Post(t, "/kanban/cards", body, "Idempotency-Key", k))
		})
		t.Run("one hundred concurrent requests execute once", func(t *testing.T) {
			k := key()
			body := fmt.Sprintf(`{"board_id": %q, "title": "raced"}`, b.id)
			responses := make([]*servertest.Answer, 100)
			var all sync.WaitGroup
			for i := range responses {
				all.Go(func() { responses[i] = c.Post(t, "/kanban/cards", body, "Idempotency-Key", k) })
			}
			all.Wait()
			ids, fresh := map[string]bool{}, 0
			for _, a := range responses {
				switch {
				case a.Status == 201:
					ids[a.ID()] = true
					if a.Header.Get("Idempotency-Replayed") == "" {
						fresh++
					}
				default:
					a.Fails(409, "idempotency_pending")
				}
			}
			if len(ids) != 1 || fresh != 1 || count("raced") != 1 {
				t.Fatalf("got %d cards, %d executions and %d cards in the list, want 1 of each", len(ids), fresh, count("raced"))
			}
		})
		t.Run("after seven days the key can be used again", func(t *testing.T) {
			k := key()
			first := c.Post(t, "/kanban/cards", body, "Idempotency-Key", k).OK(201)
			w.Clock.Advance(7*24*time.Hour - time.Minute)
			expectReplay(t, first, c.Post(t, "/kanban/cards", body, "Idempotency-Key", k))
			w.Clock.Advance(2 * time.Minute)
			again := c.Post(t, "/kanban/cards", body, "Idempotency-Key", k).OK(201)
			if again.ID() == first.ID() {
				t.Fatalf("id: got %s again, want a new card", again.ID())
			}
			testkit.Equal(t, "header Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "")
			w.Clock.Advance(8 * 24 * time.Hour)
			for more := true; more; {
				var err error
				if more, err = w.Desk.Kernel.ForgetReservations(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		})
	})
}
