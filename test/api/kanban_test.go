package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// idempotencyKey returns an Idempotency-Key header with a new key.
func idempotencyKey() []string { return []string{"Idempotency-Key", kernel.NewID().String()} }

// board is a board and its stages by name.
type board struct {
	id     string
	stages map[string]string
}

// newBoard creates a board with the stages New, Doing, Won and Lost.
func newBoard(t *testing.T, c *servertest.Client) board {
	t.Helper()
	made := c.Post(t, "/kanban/boards", fmt.Sprintf(`{"name": "Sales %s", "stages": [
		{"name": "New"}, {"name": "Doing", "kind": "open"}, {"name": "Won", "kind": "won"}, {"name": "Lost", "kind": "lost"}]}`, kernel.NewID()), idempotencyKey()...).OK(201)
	b := board{id: made.ID(), stages: map[string]string{}}
	for i := range made.List("stages") {
		b.stages[made.Text("stages", i, "name")] = made.Text("stages", i, "id")
	}
	return b
}

// card creates a card. more has additional fields of the body, such as `, "due_at": null`.
func (b board) card(t *testing.T, c *servertest.Client, title, more string) *servertest.Answer {
	t.Helper()
	return c.Post(t, "/kanban/cards", fmt.Sprintf(`{"board_id": %q, "title": %q%s}`, b.id, title, more), idempotencyKey()...)
}

// move moves a card with the version in an earlier response. more has additional fields of the body.
func (b board) move(t *testing.T, c *servertest.Client, card *servertest.Answer, stage, more string) *servertest.Answer {
	t.Helper()
	return c.Post(t, "/kanban/cards/"+card.ID()+"/move",
		fmt.Sprintf(`{"stage_id": %q, "version": %d%s}`, b.stages[stage], card.Int("version"), more), idempotencyKey()...)
}

func TestBoardsAndStagesAreManaged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		t.Run("every company has an attendances board whose stages are fixed", func(t *testing.T) {
			boards := w.A.Get(t, "/kanban/boards").OK(200)
			system := boards.Text(0, "id")
			testkit.Equal(t, "0.system", boards.Text(0, "system"), "attendances")
			testkit.Equal(t, "number of 0.stages", len(boards.List(0, "stages")), 3)
			testkit.Equal(t, "0.stages.2.kind", boards.Text(0, "stages", 2, "kind"), "won")
			at := "/kanban/boards/" + system
			w.A.Post(t, at+"/stages", `{"name": "More"}`, idempotencyKey()...).Fails(400, "invalid_request")
			w.A.Patch(t, at+"/stages/"+boards.Text(0, "stages", 0, "id"), `{"name": "Other"}`).Fails(400, "invalid_request")
			w.A.Delete(t, at+"/stages/"+boards.Text(0, "stages", 0, "id")).Fails(400, "invalid_request")
			w.A.Patch(t, at, `{"archived": true}`).Fails(400, "invalid_request")
			testkit.Equal(t, "name", w.A.Patch(t, at, `{"name": "Atendimentos"}`).OK(200).Text("name"), "Atendimentos")
			w.A.Get(t, at).OK(200)
			w.B.Get(t, at).Fails(404, "not_found")
			w.A.Get(t, "/kanban/boards/nonsense").Fails(404, "not_found")
		})
		t.Run("a board without stages gets three", func(t *testing.T) {
			made := w.A.Post(t, "/kanban/boards", `{"name": "  Bakery  "}`, idempotencyKey()...).OK(201)
			testkit.Equal(t, "name", made.Text("name"), "Bakery")
			testkit.Equal(t, "number of stages", len(made.List("stages")), 3)
			testkit.Equal(t, "system", made.At("system"), nil)
			testkit.Equal(t, "header Location", made.Header.Get("Location"), "/v1/kanban/boards/"+made.ID())
			got := w.A.Get(t, "/kanban/boards/"+made.ID()).OK(200)
			testkit.Equal(t, "board read by id", string(got.Raw), string(made.Raw))
		})
		t.Run("names of boards and stages are unique", func(t *testing.T) {
			w.A.Post(t, "/kanban/boards", `{"name": "Padaria"}`, idempotencyKey()...).OK(201)
			w.A.Post(t, "/kanban/boards", `{"name": "PADÁRIA"}`, idempotencyKey()...).Fails(409, "name_taken")
			w.B.Post(t, "/kanban/boards", `{"name": "Padaria"}`, idempotencyKey()...).OK(201)
			w.A.Post(t, "/kanban/boards", `{"name": "Twice", "stages": [{"name": "a"}, {"name": " A "}]}`, idempotencyKey()...).Fails(400, "invalid_request")
			w.A.Post(t, "/kanban/boards", `{"name": "None", "stages": []}`, idempotencyKey()...).Fails(400, "invalid_request")
			w.A.Post(t, "/kanban/boards", `{"name": " "}`, idempotencyKey()...).Fails(400, "invalid_request")
			b := newBoard(t, w.A.Client)
			w.A.Post(t, "/kanban/boards/"+b.id+"/stages", `{"name": "doing"}`, idempotencyKey()...).Fails(409, "name_taken")
		})
		t.Run("archived boards are listed with archived=1", func(t *testing.T) {
			b := newBoard(t, w.A.Client)
			w.A.Patch(t, "/kanban/boards/"+b.id, `{"archived": true}`).OK(200)
			if strings.Contains(string(w.A.Get(t, "/kanban/boards").OK(200).Raw), b.id) {
				t.Fatal("the archived board is still listed")
			}
			w.A.Get(t, "/kanban/boards?archived=2").Fails(400, "invalid_request")
			w.A.Get(t, "/kanban/boards?archived=yes").Fails(400, "invalid_request")
			list := w.A.Get(t, "/kanban/boards?archived=1").OK(200)
			testkit.Equal(t, "0.id", list.Text(0, "id"), b.id)
			testkit.Equal(t, "second board", list.At(1), nil)
			b.card(t, w.A.Client, "too late", "").Fails(400, "invalid_request")
			w.A.Patch(t, "/kanban/boards/"+b.id, `{"archived": false}`).OK(200)
			b.card(t, w.A.Client, "in time", "").OK(201)
		})
		t.Run("stages are added, renamed, moved and deleted", func(t *testing.T) {
			b := newBoard(t, w.A.Client)
			at := "/kanban/boards/" + b.id
			names := func() (out []string) {
				got := w.A.Get(t, at).OK(200)
				for i := range got.List("stages") {
					testkit.Equal(t, "position", got.Int("stages", i, "position"), i)
					out = append(out, got.Text("stages", i, "name"))
				}
				return out
			}
			expectStages := func(want ...string) {
				t.Helper()
				if got := names(); !slices.Equal(got, want) {
					t.Fatalf("stages: got %v, want %v", got, want)
				}
			}
			second := w.A.Post(t, at+"/stages", `{"name": "Second", "position": 1}`, idempotencyKey()...).OK(201)
			expectStages("New", "Second", "Doing", "Won", "Lost")
			w.A.Patch(t, at+"/stages/"+second.ID(), `{"position": 4, "name": "Last"}`).OK(200)
			expectStages("New", "Doing", "Won", "Lost", "Last")
			w.A.Patch(t, at+"/stages/"+second.ID(), `{"position": 0}`).OK(200)
			expectStages("Last", "New", "Doing", "Won", "Lost")
			w.A.Patch(t, at+"/stages/"+second.ID(), `{"position": 5}`).Fails(400, "invalid_request")
			w.A.Patch(t, at+"/stages/"+second.ID(), `{"position": -1}`).Fails(400, "invalid_request")
			w.A.Delete(t, at+"/stages/"+second.ID()).OK(204)
			expectStages("New", "Doing", "Won", "Lost")
			w.A.Delete(t, at+"/stages/"+second.ID()).Fails(404, "not_found")
			w.B.Delete(t, at+"/stages/"+b.stages["New"]).Fails(404, "not_found")
			other := newBoard(t, w.A.Client)
			w.A.Patch(t, at+"/stages/"+other.stages["New"], `{"name": "x"}`).Fails(404, "not_found")
		})
		t.Run("a stage with cards can be renamed but not deleted or changed in kind", func(t *testing.T) {
			b := newBoard(t, w.A.Client)
			at := "/kanban/boards/" + b.id + "/stages/" + b.stages["New"]
			card := b.card(t, w.A.Client, "here", "").OK(201)
			w.A.Delete(t, at).Fails(409, "stage_not_empty")
			w.A.Patch(t, at, `{"kind": "won"}`).Fails(409, "stage_not_empty")
			w.A.Patch(t, at, `{"name": "Fresh"}`).OK(200)
			w.A.Delete(t, "/kanban/cards/"+card.ID()).OK(204)
			w.A.Patch(t, at, `{"kind": "lost"}`).OK(200)
			w.A.Delete(t, at).OK(204)
		})
		t.Run("a stage with only private cards counts as empty", func(t *testing.T) {
			b := newBoard(t, w.A.Client)
			b.card(t, w.A.Client, "secret", `, "private": true`).OK(201)
			w.A.Patch(t, "/kanban/boards/"+b.id+"/stages/"+b.stages["New"], `{"kind": "won"}`).OK(200)
			w.A.Delete(t, "/kanban/boards/"+b.id+"/stages/"+b.stages["New"]).OK(204)
		})
		t.Run("the last stage cannot be deleted", func(t *testing.T) {
			made := w.A.Post(t, "/kanban/boards", `{"name": "One", "stages": [{"name": "Only"}]}`, idempotencyKey()...).OK(201)
			w.A.Delete(t, "/kanban/boards/"+made.ID()+"/stages/"+made.Text("stages", 0, "id")).Fails(400, "invalid_request")
		})
		t.Run("a key sees the boards in its list and those it creates", func(t *testing.T) {
			b, other := newBoard(t, w.A.Client), newBoard(t, w.A.Client)
			allowed, _ := kernel.ParseID(b.id)
			boards := []kernel.ID{allowed}
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "one board", Scopes: kernel.NewScopeSet(people.ScopeRead, people.ScopeWrite), Boards: &boards})
			list := c.Get(t, "/kanban/boards").OK(200)
			testkit.Equal(t, "0.id", list.Text(0, "id"), b.id)
			testkit.Equal(t, "second board", list.At(1), nil)
			c.Get(t, "/kanban/boards/"+other.id).Fails(404, "not_found")
			c.Patch(t, "/kanban/boards/"+other.id, `{"name": "x"}`).Fails(404, "not_found")
			unseen := other.card(t, w.A.Client, "unseen", "").OK(201)
			c.Get(t, "/kanban/cards/"+unseen.ID()).Fails(404, "not_found")
			other.move(t, c, unseen, "Doing", "").Fails(404, "not_found")
			other.card(t, c, "no", "").Fails(400, "invalid_request")
			b.card(t, c, "no", fmt.Sprintf(`, "stage_id": %q`, other.stages["New"])).Fails(400, "invalid_request")
			b.card(t, c, "no", fmt.Sprintf(`, "before_card_id": %q`, unseen.ID())).Fails(400, "invalid_request")
			name := w.A.Get(t, "/kanban/boards/"+other.id).OK(200).Text("name")
			made := c.Post(t, "/kanban/boards", map[string]any{"name": name}, idempotencyKey()...).OK(201)
			c.Get(t, "/kanban/boards/"+made.ID()).OK(200)
		})
	})
}

// ids returns the ids of a list of objects.
func ids(list []any) []string {
	out := []string{}
	for _, v := range list {
		id, _ := v.(map[string]any)["id"].(string)
		out = append(out, id)
	}
	return out
}

// readOnly is a key with the scope read only.
var readOnly = people.NewKey{Name: "reader", Scopes: kernel.NewScopeSet(people.ScopeRead)}
