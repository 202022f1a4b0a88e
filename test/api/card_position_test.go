package api_test

import (
	"fmt"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestCardsAreListedByStageAndPosition(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := w.A.Client
		b := newBoard(t, c)
		ids := map[string]string{}
		for _, title := range []string{"a", "b", "c", "d", "e"} {
			ids[title] = b.card(t, c, title, "").OK(201).ID()
		}
		for _, title := range []string{"x", "y"} {
			ids[title] = b.card(t, c, title, fmt.Sprintf(`,"stage_id":%q`, b.stages["Doing"])).OK(201).ID()
		}
		c.Post(t, "/kanban/cards/"+ids["e"]+"/move", fmt.Sprintf(`{"stage_id":%q,"before_card_id":%q,"version":1}`, b.stages["New"], ids["b"]),
			idempotencyKey()...).OK(200)
		titles := func(query string) (out string) {
			for cursor := ""; ; {
				page := c.Get(t, "/kanban/cards?board_id="+b.id+query+cursor).OK(200)
				for i := range page.List() {
					out += page.Text("data", i, "title")
				}
				if page.At("next_cursor") == nil {
					return out
				}
				cursor = "&cursor=" + page.Text("next_cursor")
			}
		}
		stage := "&stage_id=" + b.stages["New"]
		for _, limit := range []string{"", "&limit=1", "&limit=2", "&limit=5"} {
			testkit.Diff(t, "by position"+limit, titles(stage+"&sort=position"+limit), "aebcd")
			testkit.Diff(t, "newest first"+limit, titles(stage+limit), "edcba")
			testkit.Diff(t, "the whole board"+limit, titles("&sort=position"+limit), "aebcdxy")
			testkit.Diff(t, "another stage"+limit, titles("&stage_id="+b.stages["Doing"]+"&sort=newest"+limit), "yx")
		}
		testkit.Diff(t, "cards with a text", titles(stage+"&sort=position&q=c"), "c")
		testkit.Diff(t, "cards of an unknown stage", titles("&sort=position&stage_id="+kernel.NewID().String()), "")
		testkit.Diff(t, "cards of another board's stage", titles("&sort=position&stage_id="+newBoard(t, c).stages["New"]), "")
		c.Get(t, "/kanban/cards?sort=oldest").Fails(400, "invalid_request")
		c.Get(t, "/kanban/cards?stage_id=x").Fails(400, "invalid_request")
		w.B.Get(t, "/kanban/cards?sort=position&stage_id="+b.stages["New"]).OK(200)
	})
}
