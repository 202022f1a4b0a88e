package bookmarks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recado/internal/httpserver"
	"recado/internal/server"
	"recado/test/example/bookmarks"
	"recado/test/servertest"
)

func withBookmarks(c *server.Config) {
	c.Extensions = append(c.Extensions, func(d *server.Desk) httpserver.Capability { return bookmarks.New(d).HTTP() })
}

func TestACapabilityAddsATableAVerbAnEventAndARoute(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := w.A.Post(t, "/channels", map[string]any{"name": "Sandbox", "provider": "sandbox", "phone": "+551130000000"}).OK(201).ID()
		w.A.Post(t, "/channels/"+channel+"/simulate", map[string]any{"from": "+5511910000001", "name": "Rui", "text": "oi"}).OK(201)
		conversation := w.A.Get(t, "/conversations").OK(200).Text("data", 0, "id")

		created := w.A.Post(t, "/bookmarks", map[string]any{"conversation": conversation, "note": "Call back"}).OK(201)
		if got := w.A.Get(t, "/bookmarks").OK(200).Text("data", 0, "id"); got != created.ID() {
			t.Errorf("list: got %q, want %q", got, created.ID())
		}
		w.SettleFeed(t)
		events := w.A.Get(t, "/events?types=bookmark.created").OK(200)
		if got := events.Text("data", 0, "data", "bookmark", "id"); got != created.ID() {
			t.Errorf("event: got %q, want %q", got, created.ID())
		}
		w.B.Post(t, "/bookmarks", map[string]any{"conversation": conversation, "note": "x"}).Fails(404, "not_found")
		w.A.Post(t, "/bookmarks", map[string]any{"conversation": conversation}).Fails(400, "invalid_request")

		w.A.Post(t, "/conversations/"+conversation+"/attendance/close", map[string]any{}).OK(200)
		if n := len(w.A.Get(t, "/bookmarks").OK(200).List()); n != 0 {
			t.Errorf("bookmarks after the case was closed: got %d, want 0", n)
		}
	}, withBookmarks)
}

func TestTheGuideContainsThisCode(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "contributing.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bookmark.go", "bookmark_sql.go", "bookmark_http.go", "schema/9000_bookmarks.sql"} {
		source, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(guide), strings.TrimSpace(string(source))) {
			t.Errorf("docs/contributing.md does not contain %s", name)
		}
	}
}
