package api_test

import (
	"fmt"
	"testing"

	"recado/test/servertest"
	"recado/test/testkit"
)

func TestBoardChangesWithoutAnEventAreSignalled(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, anaID := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		b := newBoard(t, w.A.Client)
		messages, _ := openLive(t, bia)
		expectSignal := func(what, board string) {
			t.Helper()
			testkit.Equal[any](t, what, await(t, messages, "board")["board"], board)
		}
		card := b.card(t, ana, "cake", "").OK(201)
		await(t, messages, "kanban.card.created")
		at := "/kanban/cards/" + card.ID()
		card = ana.Patch(t, at, `{"title": "big cake", "version": 1}`).OK(200)
		expectSignal("a changed card", b.id)
		card = b.move(t, ana, card, "Doing", "").OK(200)
		await(t, messages, "kanban.card.moved")
		first := b.card(t, ana, "bread", fmt.Sprintf(`, "stage_id": %q`, b.stages["Doing"])).OK(201)
		await(t, messages, "kanban.card.created")
		b.move(t, ana, first, "Doing", fmt.Sprintf(`, "before_card_id": %q`, card.ID())).OK(200)
		expectSignal("a card moved within its stage", b.id)
		ana.Delete(t, at).OK(204)
		expectSignal("a deleted card", b.id)
		ana.Patch(t, "/kanban/boards/"+b.id, `{"name": "Orders of today"}`).OK(200)
		expectSignal("a renamed board", b.id)
		ana.Post(t, "/kanban/boards/"+b.id+"/stages", `{"name": "Packed"}`, idempotencyKey()...).OK(201)
		expectSignal("a new stage", b.id)
		other := newBoard(t, ana)
		expectSignal("a new board", other.id)

		contact := w.A.Post(t, "/contacts", `{"name":"Eva","phone":"+5511912345678"}`).OK(201).ID()
		named := b.card(t, ana, "call", fmt.Sprintf(`, "contact": %q`, contact)).OK(201)
		await(t, messages, "kanban.card.created")
		w.A.Delete(t, "/contacts/"+contact).OK(204)
		expectSignal("a card whose contact was deleted", b.id)
		testkit.Equal(t, "version of the card", ana.Get(t, "/kanban/cards/"+named.ID()).OK(200).Int("version"), 2)

		t.Run("changes of a private card are signalled only to those who see it", func(t *testing.T) {
			creator, _ := openLive(t, ana)
			secret := b.card(t, ana, "secret", `, "private": true`).OK(201)
			testkit.Equal[any](t, "board signalled to the creator", await(t, creator, "board")["board"], b.id)
			ana.Patch(t, "/kanban/cards/"+secret.ID(), fmt.Sprintf(`{"assignee": %q, "version": 1}`, anaID)).OK(200)
			newBoard(t, ana)
			if got := await(t, messages, "board")["board"]; got == b.id {
				t.Errorf("a private card was signalled to another member: got board %v", got)
			}
		})
	})
}

func TestBoardCountsIncludeOnlyVisibleCards(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, _ := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		b := newBoard(t, w.A.Client)
		b.card(t, ana, "one", "").OK(201)
		b.card(t, ana, "two", "").OK(201)
		b.card(t, ana, "won", fmt.Sprintf(`, "stage_id": %q`, b.stages["Won"])).OK(201)
		b.card(t, ana, "private", `, "private": true`).OK(201)
		old := b.card(t, ana, "old", "").OK(201)
		ana.Patch(t, "/kanban/cards/"+old.ID(), `{"status": "archived", "version": 1}`).OK(200)
		for who, want := range map[*servertest.Client]int{w.A.Client: 2, ana: 3, bia: 2} {
			counts := who.Get(t, "/kanban/boards/"+b.id+"/counts").OK(200)
			testkit.Equal(t, "data.0.stage", counts.Text("data", 0, "stage"), b.stages["New"])
			testkit.Equal(t, "data.0.cards", counts.Int("data", 0, "cards"), want)
			testkit.Equal(t, "data.1.cards", counts.Int("data", 1, "cards"), 0)
			testkit.Equal(t, "data.2.cards", counts.Int("data", 2, "cards"), 1)
			testkit.Equal(t, "number of data", len(counts.List()), 4)
		}
		w.B.Get(t, "/kanban/boards/"+b.id+"/counts").Fails(404, "not_found")
		w.A.Get(t, "/kanban/boards/nonsense/counts").Fails(404, "not_found")
	})
}

func TestAConflictSaysWhoMovedTheCard(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, _ := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		b := newBoard(t, w.A.Client)
		card := b.card(t, ana, "cake", "").OK(201)
		details := func(refused *servertest.Answer) []any {
			t.Helper()
			list, _ := refused.At("details").([]any)
			return list
		}
		b.move(t, ana, card, "Doing", "").OK(200)
		refused := b.move(t, bia, card, "Won", "").Fails(409, "version_conflict")
		testkit.Equal(t, "details.0.field", refused.Text("details", 0, "field"), "card")
		testkit.Equal(t, "details.0.message", refused.Text("details", 0, "message"), "Ana moved it to Doing")
		refused = bia.Patch(t, "/kanban/cards/"+card.ID(), `{"title": "x", "version": 1}`).Fails(409, "version_conflict")
		testkit.Equal(t, "details.0.message", refused.Text("details", 0, "message"), "Ana moved it to Doing")

		moved := bia.Get(t, "/kanban/cards/"+card.ID()).OK(200)
		ana.Patch(t, "/kanban/cards/"+card.ID(), `{"title": "big cake", "version": 2}`).OK(200)
		if got := details(b.move(t, bia, moved, "Won", "").Fails(409, "version_conflict")); len(got) != 0 {
			t.Errorf("conflict with a change that is not a move: got details %v, want none", got)
		}
	})
}

func TestCardsAreFilteredByAssigneeAndConversation(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		b := newBoard(t, w.A.Client)
		conversation := customerWritesText(t, w.A.Client, channel, "+5511987650001", "hello")
		mine := b.card(t, ana, "mine", fmt.Sprintf(`, "assignee": %q`, anaID)).OK(201).ID()
		about := b.card(t, ana, "about", fmt.Sprintf(`, "conversation": %q`, conversation)).OK(201).ID()
		both := b.card(t, ana, "both", fmt.Sprintf(`, "assignee": %q, "conversation": %q`, anaID, conversation)).OK(201).ID()
		won := b.card(t, ana, "won", fmt.Sprintf(`, "stage_id": %q, "conversation": %q, "private": true`, b.stages["Won"], conversation)).OK(201).ID()
		for query, want := range map[string][]string{
			"assignee=me": {both, mine}, "assignee=" + anaID: {both, mine}, "assignee=none": {about},
			"conversation=" + conversation: {both, about}, "conversation=" + conversation + "&status=all": {won, both, about},
			"conversation=" + conversation + "&assignee=me": {both}, "conversation=" + conversation + "&q=bout": {about},
			"conversation=" + conversation + "&due=overdue": {}, "conversation=" + anaID: {},
			"sort=position&stage_id=" + b.stages["New"] + "&assignee=me": {mine, both},
		} {
			got := ids(ana.Get(t, "/kanban/cards?board_id="+b.id+"&"+query).OK(200).List())
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %v, want %v", query, got, want)
			}
		}
		w.A.Get(t, "/kanban/cards?assignee=someone").Fails(400, "invalid_request")
		w.A.Get(t, "/kanban/cards?conversation=x").Fails(400, "invalid_request")
	})
}
