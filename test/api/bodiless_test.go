package api_test

import (
	"strings"
	"testing"

	"recado/test/servertest"
)

func TestOperationsWithoutABodyRefuseOne(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	channel := w.A.Post(t, "/channels", `{"name":"Main","phone":"+551130030001","provider":"sandbox"}`).OK(201).ID()
	heard := w.A.Post(t, "/channels/"+channel+"/simulate", `{"from":"+5511987655247","text":"oi"}`).OK(201)
	read := "/conversations/" + heard.Text("conversation") + "/read"

	w.A.Post(t, read, nil).OK(200)
	w.A.Post(t, read, `{}`).OK(200)
	if got := w.A.Post(t, read, `{"x":1}`).Fails(400, "invalid_request").Text("details", 0, "field"); got != "body.x" {
		t.Errorf(`details.0.field: want got == "body.x"; got %+v`, got)
	}
	w.A.Post(t, read, `x`, "Content-Type", "text/plain").Fails(400, "invalid_request")
	w.A.Post(t, read, `null`).Fails(400, "invalid_request")
	w.A.Post(t, read, `{"x":"`+strings.Repeat("a", 70_000)+`"}`).Fails(413, "body_too_large")

	t.Run("a number without its ninth digit finds the one with it", func(t *testing.T) {
		for _, path := range []string{"/conversations?q=551187655247", "/contacts?q=%2B551187655247", "/contacts?q=1187655247"} {
			if n := len(w.A.Get(t, path).OK(200).List()); n != 1 {
				t.Errorf("number of data: want n == 1; got %+v, %+v", path, n)
			}
		}
	})
	t.Run("the feed goes on after an event's id", func(t *testing.T) {
		all := w.A.Get(t, "/events").OK(200).List()
		first := all[0].(map[string]any)["id"].(string)
		rest := w.A.Get(t, "/events?after="+first).OK(200).List()
		if len(rest) != len(all)-1 || rest[0].(map[string]any)["id"] != all[1].(map[string]any)["id"] {
			t.Errorf("%d of %d", len(rest), len(all))
		}
		w.B.Get(t, "/events?after="+first).Fails(400, "invalid_cursor")
	})
}
