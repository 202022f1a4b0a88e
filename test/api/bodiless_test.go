package api_test

import (
	"strings"
	"testing"

	"recado/test/servertest"
	"recado/test/testkit"
)

func TestOperationsWithoutABodyRefuseOne(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	channel := w.A.Post(t, "/channels", `{"name":"Main","phone":"+551130030001","provider":"sandbox"}`).OK(201).ID()
	received := w.A.Post(t, "/channels/"+channel+"/simulate", `{"from":"+5511987655247","text":"oi"}`).OK(201)
	read := "/conversations/" + received.Text("conversation") + "/read"

	w.A.Post(t, read, nil).OK(200)
	w.A.Post(t, read, `{}`).OK(200)
	testkit.Equal(t, "details.0.field", w.A.Post(t, read, `{"x":1}`).Fails(400, "invalid_request").Text("details", 0, "field"), "body.x")
	w.A.Post(t, read, `x`, "Content-Type", "text/plain").Fails(400, "invalid_request")
	w.A.Post(t, read, `null`).Fails(400, "invalid_request")
	w.A.Post(t, read, `{"x":"`+strings.Repeat("a", 70_000)+`"}`).Fails(413, "body_too_large")

	t.Run("searching for a number without its ninth digit finds the number with it", func(t *testing.T) {
		for _, path := range []string{"/conversations?q=551187655247", "/contacts?q=%2B551187655247", "/contacts?q=1187655247"} {
			if n := len(w.A.Get(t, path).OK(200).List()); n != 1 {
				t.Errorf("%s: got %d results, want 1", path, n)
			}
		}
	})
	t.Run("the feed continues after the id of an event", func(t *testing.T) {
		all := w.A.Get(t, "/events").OK(200).List()
		first := all[0].(map[string]any)["id"].(string)
		rest := w.A.Get(t, "/events?after="+first).OK(200).List()
		if len(rest) != len(all)-1 || rest[0].(map[string]any)["id"] != all[1].(map[string]any)["id"] {
			t.Errorf("after the first of %d events: got %d, want the %d others", len(all), len(rest), len(all)-1)
		}
		w.B.Get(t, "/events?after="+first).Fails(400, "invalid_cursor")
	})
}
