package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/rank"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestCardsAreCreatedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		b := newBoard(t, w.A.Client)
		label := w.A.Post(t, "/labels", `{"name": "urgent"}`).OK(201).ID()

		t.Run("a new card has defaults", func(t *testing.T) {
			made := b.card(t, w.A.Client, " Bake ", "").OK(201)
			testkit.Equal(t, "title", made.Text("title"), "Bake")
			testkit.Equal(t, "priority", made.Text("priority"), "medium")
			testkit.Equal(t, "status", made.Text("status"), "open")
			testkit.Equal(t, "version", made.Int("version"), 1)
			testkit.Equal(t, "stage_id", made.Text("stage_id"), b.stages["New"])
			testkit.Equal(t, "due_at", made.At("due_at"), nil)
			testkit.Equal(t, "number of label_ids", len(made.List("label_ids")), 0)
			testkit.Equal(t, "private", made.At("private"), false)
			testkit.Equal(t, "header ETag", made.Header.Get("ETag"), `"1"`)
			testkit.Equal(t, "header Location", made.Header.Get("Location"), "/v1/kanban/cards/"+made.ID())
			got := w.A.Get(t, "/kanban/cards/"+made.ID()).OK(200)
			testkit.Equal(t, "card read by id", string(got.Raw), string(made.Raw))
			testkit.Equal(t, "header ETag", got.Header.Get("ETag"), `"1"`)
			w.B.Get(t, "/kanban/cards/"+made.ID()).Fails(404, "not_found")
			w.A.Get(t, "/kanban/cards/7").Fails(404, "not_found")
		})
		t.Run("a card stores every field", func(t *testing.T) {
			made := b.card(t, w.A.Client, "all", fmt.Sprintf(`, "description": "two\nlines", "priority": "urgent", "label_ids": [%q, %q],
				"due_at": "2026-11-14T20:56:54.1239-03:00", "assignee": %q, "stage_id": %q, "contact": null, "conversation": null, "before_card_id": null`,
				label, label, w.A.Owner.ID, b.stages["Doing"])).OK(201)
			testkit.Equal(t, "due_at", made.Text("due_at"), "2026-11-14T23:56:54.123Z")
			testkit.Equal(t, "assignee", made.Text("assignee"), w.A.Owner.ID.String())
			testkit.Equal(t, "number of label_ids", len(made.List("label_ids")), 1)
			testkit.Equal(t, "description", made.Text("description"), "two\nlines")
			got := w.A.Get(t, "/kanban/cards/"+made.ID()).OK(200)
			testkit.Equal(t, "card read by id", string(got.Raw), string(made.Raw))
		})
		t.Run("a reference to something unknown is refused", func(t *testing.T) {
			unknownID, known := kernel.NewID().String(), w.A.Post(t, "/labels", `{"name": "known"}`).OK(201).ID()
			for field, more := range map[string]string{
				"body.stage_id":       fmt.Sprintf(`, "stage_id": %q`, unknownID),
				"body.before_card_id": fmt.Sprintf(`, "before_card_id": %q`, unknownID),
				"body.assignee":       fmt.Sprintf(`, "assignee": %q`, w.B.Owner.ID),
				"body.contact":        fmt.Sprintf(`, "contact": %q`, unknownID),
				"body.conversation":   fmt.Sprintf(`, "conversation": %q`, unknownID),
				"body.label_ids[1]":   fmt.Sprintf(`, "label_ids": [%q, %q]`, known, unknownID),
				"body.label_ids[0]":   `, "label_ids": ["x"]`,
				"body.priority":       `, "priority": "huge"`,
				"body.titel":          `, "titel": "x"`,
				"body.description":    `, "description": "` + strings.Repeat("x", 10_001) + `"`,
				"body.due_at":         `, "due_at": "tomorrow"`,
			} {
				testkit.Equal(t, "details.0.field of "+more, b.card(t, w.A.Client, "wrong", more).Fails(400, "invalid_request").Text("details", 0, "field"), field)
			}
			board{id: unknownID}.card(t, w.A.Client, "x", "").Fails(400, "invalid_request")
			b.card(t, w.B.Client, "x", "").Fails(400, "invalid_request")
			b.card(t, w.A.Client, "   ", "").Fails(400, "invalid_request")
		})
		t.Run("a change needs the version and increments it", func(t *testing.T) {
			card := b.card(t, w.A.Client, "edit me", "").OK(201)
			at := "/kanban/cards/" + card.ID()
			w.A.Patch(t, at, `{"title": "x"}`).Fails(428, "version_required")
			w.A.Patch(t, at, `{"title": "x"}`, "If-Match", "*").Fails(428, "version_required")
			w.A.Patch(t, at, `{"title": "x"}`, "If-Match", `"1", "2"`).Fails(400, "invalid_request")
			w.A.Patch(t, at, `{"title": "x"}`, "If-Match", "one").Fails(400, "invalid_request")
			w.A.Patch(t, at, `{"title": "x", "version": 2}`, "If-Match", "1").Fails(400, "invalid_request")
			w.A.Patch(t, at, `{"title": "x", "version": 0}`).Fails(400, "invalid_request")
			w.A.Patch(t, at, `{"title": "x", "version": "1"}`).Fails(400, "invalid_request")
			w.A.Patch(t, at, `{"title": "x"}`, "If-Match", "7").Fails(409, "version_conflict")
			changed := w.A.Patch(t, at, `{"title": "two", "version": 1}`, "If-Match", `W/"1"`).OK(200)
			testkit.Equal(t, "header ETag", changed.Header.Get("ETag"), `"2"`)
			testkit.Equal(t, "version", changed.Int("version"), 2)
			testkit.Equal(t, "title", changed.Text("title"), "two")
			w.A.Patch(t, at, `{"title": "x", "version": 1}`).Fails(409, "version_conflict")
			same := w.A.Patch(t, at, `{"title": "two"}`, "If-Match", "2").OK(200)
			testkit.Equal(t, "version", same.Int("version"), 2)
			testkit.Equal(t, "updated_at", same.Text("updated_at"), changed.Text("updated_at"))
			w.A.Patch(t, at, fmt.Sprintf(`{"label_ids": [%q]}`, label), "If-Match", `"2"`).OK(200)
			w.A.Patch(t, at, `{"label_ids": [], "description": "x", "due_at": "2026-01-01T00:00:00Z"}`, "If-Match", `"3"`).OK(200)
			cleared := w.A.Patch(t, at, `{"description": null, "due_at": null}`, "If-Match", `"4"`).OK(200)
			testkit.Equal(t, "description", cleared.At("description"), nil)
			testkit.Equal(t, "due_at", cleared.At("due_at"), nil)
			testkit.Equal(t, "number of label_ids", len(cleared.List("label_ids")), 0)
		})
		t.Run("the checks are made in this order: 404, 400 for ids, 428, 409", func(t *testing.T) {
			card := b.card(t, w.A.Client, "order", "").OK(201)
			unknownID := kernel.NewID().String()
			w.A.Patch(t, "/kanban/cards/"+unknownID, `{"assignee": "`+unknownID+`"}`).Fails(404, "not_found")
			w.A.Patch(t, "/kanban/cards/"+card.ID(), `{"assignee": "`+unknownID+`"}`).Fails(400, "invalid_request")
			w.A.Post(t, "/kanban/cards/"+unknownID+"/move", `{"stage_id": "`+unknownID+`"}`, idempotencyKey()...).Fails(404, "not_found")
			w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", `{"stage_id": "`+unknownID+`"}`, idempotencyKey()...).Fails(400, "invalid_request")
			w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", `{"stage_id": "`+b.stages["Won"]+`"}`, idempotencyKey()...).Fails(428, "version_required")
			w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", `{"stage_id": "`+b.stages["Won"]+`", "version": 9}`, idempotencyKey()...).Fails(409, "version_conflict")
			w.A.Post(t, "/kanban/cards/"+card.ID()+"/move", `{"stage_id": "`+b.stages["Won"]+`"}`, append(idempotencyKey(), "If-Match", `"1"`)...).OK(200)
		})
		t.Run("the stage determines the status", func(t *testing.T) {
			card := b.card(t, w.A.Client, "win", "").OK(201)
			won := b.move(t, w.A.Client, card, "Won", "").OK(200)
			testkit.Equal(t, "status", won.Text("status"), "completed")
			if won.Text("completed_at") == "" {
				t.Fatalf("completed_at: got none, want a time: %s", won.Raw)
			}
			testkit.Equal(t, "header ETag", won.Header.Get("ETag"), `"2"`)
			lost := b.move(t, w.A.Client, won, "Lost", "").OK(200)
			testkit.Equal(t, "status", lost.Text("status"), "lost")
			testkit.Equal(t, "completed_at", lost.At("completed_at"), nil)
			open := b.move(t, w.A.Client, lost, "Doing", "").OK(200)
			testkit.Equal(t, "status", open.Text("status"), "open")
			testkit.Equal(t, "version", open.Int("version"), 4)
			other := newBoard(t, w.A.Client)
			b.stages["elsewhere"] = other.stages["New"]
			b.move(t, w.A.Client, open, "elsewhere", "").Fails(400, "invalid_request")
		})
		t.Run("a card returns from the archive to its stage", func(t *testing.T) {
			card := b.card(t, w.A.Client, "old", fmt.Sprintf(`, "stage_id": %q`, b.stages["Won"])).OK(201)
			at := "/kanban/cards/" + card.ID()
			testkit.Equal(t, "status", card.Text("status"), "completed")
			testkit.Equal(t, "status", w.A.Patch(t, at, `{"status": "archived", "version": 1}`).OK(200).Text("status"), "archived")
			w.A.Patch(t, at, `{"status": "lost", "version": 2}`).Fails(400, "invalid_request")
			back := w.A.Patch(t, at, `{"status": "open", "version": 2}`).OK(200)
			testkit.Equal(t, "status", back.Text("status"), "completed")
			testkit.Equal(t, "completed_at", back.Text("completed_at"), card.Text("completed_at"))
		})
		t.Run("a deleted card is not found", func(t *testing.T) {
			card := b.card(t, w.A.Client, "gone", fmt.Sprintf(`, "label_ids": [%q]`, label)).OK(201)
			at := "/kanban/cards/" + card.ID()
			w.B.Delete(t, at).Fails(404, "not_found")
			w.A.Delete(t, at, "If-Match", "3").Fails(409, "version_conflict")
			w.A.Do(t, "DELETE", at, `{"version": 4}`).Fails(409, "version_conflict")
			w.A.Delete(t, at, "If-Match", "1").OK(204)
			w.A.Get(t, at).Fails(404, "not_found")
			w.A.Delete(t, at).Fails(404, "not_found")
		})
		t.Run("a key sees a private card only in the response that made it private", func(t *testing.T) {
			for _, private := range []*servertest.Answer{
				b.card(t, w.A.Client, "secret", `, "private": true`).OK(201),
				w.A.Patch(t, "/kanban/cards/"+b.card(t, w.A.Client, "turns", "").OK(201).ID(), `{"private": true, "version": 1}`).OK(200),
			} {
				testkit.Equal(t, "private", private.At("private"), true)
				at := "/kanban/cards/" + private.ID()
				w.A.Get(t, at).Fails(404, "not_found")
				w.A.Delete(t, at).Fails(404, "not_found")
				w.A.Patch(t, at, `{"title": "x", "version": 1}`).Fails(404, "not_found")
				b.move(t, w.A.Client, private, "Won", "").Fails(404, "not_found")
				b.card(t, w.A.Client, "before it", fmt.Sprintf(`, "before_card_id": %q`, private.ID())).Fails(400, "invalid_request")
			}
		})
		t.Run("deleting a label increments the version of its cards", func(t *testing.T) {
			label := w.A.Post(t, "/labels", `{"name": "short-lived"}`).OK(201).ID()
			card := b.card(t, w.A.Client, "labelled", fmt.Sprintf(`, "label_ids": [%q]`, label)).OK(201)
			w.A.Delete(t, "/labels/"+label).OK(204)
			got := w.A.Get(t, "/kanban/cards/"+card.ID()).OK(200)
			testkit.Equal(t, "version", got.Int("version"), 2)
			testkit.Equal(t, "number of label_ids", len(got.List("label_ids")), 0)
		})
	})
}

func TestCardsKeepTheirPositions(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		b := newBoard(t, w.A.Client)
		cards := map[string]*servertest.Answer{}
		order := func(stage string) string {
			type place struct{ name, position string }
			var places []place
			for name, card := range cards {
				got := w.A.Get(t, "/kanban/cards/"+card.ID()).OK(200)
				cards[name] = got
				if got.Text("stage_id") == b.stages[stage] {
					places = append(places, place{name, got.Text("position")})
				}
			}
			slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.position, b.position) })
			out := ""
			for _, p := range places {
				out += p.name
			}
			return out
		}
		expectOrder := func(stage, want string) {
			t.Helper()
			if got := order(stage); got != want {
				t.Fatalf("order of the cards in %s: got %s, want %s", stage, got, want)
			}
		}
		before := func(name string) string { return fmt.Sprintf(`, "before_card_id": %q`, cards[name].ID()) }

		for _, name := range []string{"a", "b", "c"} {
			cards[name] = b.card(t, w.A.Client, name, "").OK(201)
		}
		cards["d"] = b.card(t, w.A.Client, "d", before("b")).OK(201)
		expectOrder("New", "adbc")
		b.move(t, w.A.Client, cards["c"], "New", before("a")).OK(200)
		expectOrder("New", "cadb")
		b.move(t, w.A.Client, cards["c"], "New", "").OK(200)
		expectOrder("New", "adbc")
		b.move(t, w.A.Client, cards["a"], "New", before("a")).Fails(400, "invalid_request")
		b.move(t, w.A.Client, cards["a"], "Doing", before("b")).Fails(400, "invalid_request")
		b.move(t, w.A.Client, cards["a"], "Doing", "").OK(200)
		b.move(t, w.A.Client, cards["b"], "Doing", before("a")).OK(200)
		expectOrder("Doing", "ba")
		expectOrder("New", "dc")

		t.Run("long ranks are rebalanced and keep their order", func(t *testing.T) {
			crowd := []*servertest.Answer{cards["d"], cards["c"]} // each new card is inserted between the last two
			at := 1
			for i := range 300 {
				made := b.card(t, w.A.Client, "crowd", fmt.Sprintf(`, "before_card_id": %q`, crowd[at].ID())).OK(201)
				if len(made.Text("position")) > rank.Long {
					t.Fatalf("position has more than %d characters: %s", rank.Long, made.Raw)
				}
				crowd = slices.Insert(crowd, at, made)
				at += i % 2
			}
			last := ""
			for _, card := range crowd {
				got := w.A.Get(t, "/kanban/cards/"+card.ID()).OK(200)
				if got.Text("position") <= last {
					t.Fatalf("position %s is not after %s", got.Text("position"), last)
				}
				if got.Text("position") != card.Text("position") && got.Int("version") <= card.Int("version") {
					t.Fatalf("the position changed and the version did not: %s", got.Raw)
				}
				last = got.Text("position")
			}
		})
	})
}
