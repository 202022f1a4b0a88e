package matrix

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
)

// TestANoteIsNeverSentToACustomer calls every operation with the id of a note in place of each other id, and with its
// client_id in place of each new one. No message may then contain the note's text.
func TestANoteIsNeverSentToACustomer(t *testing.T) {
	each(t, func(t *testing.T, b *fixture) {
		const secret = "for-the-team-only"
		client := kernel.NewID().String()
		note := b.a.Post(t, "/conversations/"+b.mine.ids["conversation"]+"/notes", fmt.Sprintf(`{"client_id":%q,"text":%q}`, client, secret)).OK(201)
		calls := 0
		for _, route := range b.w.API.Routes() {
			if route.Streams && route.Method == http.MethodGet {
				continue
			}
			for _, ex := range table[route.Method+" "+route.Path] {
				for slot, noun := range ex.slots() {
					if noun == "note" || !isID(noun) && noun != "new" {
						continue
					}
					calls++
					b.call(t, b.a.caller(t, route), route, ex, func(n int, noun string) string {
						switch {
						case n == slot && noun == "new":
							return client
						case n == slot:
							return note.ID()
						}
						return b.a.id(t, noun, b.mine, false)
					})
				}
			}
		}
		b.w.Clock.Advance(25 * time.Hour) // so that scheduled messages are sent
		if _, err := b.w.Desk.Talk.SendScheduled(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		outbound, under := 0, 0
		for _, element := range b.a.Get(t, "/conversations?limit=100").OK(200).List() {
			page := b.a.Get(t, "/conversations/"+element.(map[string]any)["id"].(string)+"/messages?limit=100").OK(200)
			if strings.Contains(string(page.Raw), secret) || strings.Contains(string(page.Raw), note.ID()) {
				t.Errorf("the messages contain the note: %s", page.Raw)
			}
			for _, m := range page.List() {
				m := m.(map[string]any)
				if m["direction"] == "outbound" {
					outbound++
				}
				if m["client_id"] == client {
					under++
				}
			}
		}
		if found := b.a.Get(t, "/messages?q="+secret).OK(200); len(found.List()) > 0 {
			t.Errorf("a search for messages finds the note: %s", found.Raw)
		}
		if calls < 100 || outbound == 0 || under != 1 {
			t.Errorf("got %d calls, %d messages sent, %d with the client_id of the note, want at least 100, some, and 1", calls, outbound, under)
		}
		if got := b.a.Get(t, "/conversations/"+b.mine.ids["conversation"]+"/notes").OK(200); !strings.Contains(string(got.Raw), secret) {
			t.Errorf("got the notes %s, want the note among them", got.Raw)
		}
	})
}
