package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestCardsAreListedAndFiltered(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		c := w.A.Client
		zone, _ := time.LoadLocation("America/Sao_Paulo")
		now := w.Clock.Now().In(zone)
		noon := time.Date(now.Year(), now.Month(), now.Day(), 12, 0, 0, 0, zone).AddDate(0, 0, 1)
		w.Clock.Set(noon)
		due := func(after time.Duration) string {
			return fmt.Sprintf(`, "due_at": %q`, noon.Add(after).UTC().Format(time.RFC3339))
		}
		const day = 24 * time.Hour
		b := newBoard(t, c)
		red := c.Post(t, "/labels", `{"name": "red"}`).OK(201).ID()
		blue := c.Post(t, "/labels", `{"name": "blue"}`).OK(201).ID()

		b.card(t, c, "Undue", "").OK(201)
		b.card(t, c, "Tonight", due(11*time.Hour)+`, "priority": "high"`).OK(201)
		b.card(t, c, "Tomorrow", due(13*time.Hour)+fmt.Sprintf(`, "label_ids": [%q]`, red)).OK(201)
		b.card(t, c, "This morning", due(-2*time.Hour)+fmt.Sprintf(`, "label_ids": [%q, %q]`, red, blue)).OK(201)
		b.card(t, c, "Last week", due(-7*day)).OK(201)
		b.card(t, c, "Sixth day", due(6*day)).OK(201)
		b.card(t, c, "Eighth day", due(7*day)).OK(201)
		b.card(t, c, "Won late", due(-3*day)+fmt.Sprintf(`, "stage_id": %q, "label_ids": [%q]`, b.stages["Won"], red)).OK(201)
		b.card(t, c, "Lost", fmt.Sprintf(`, "stage_id": %q`, b.stages["Lost"])).OK(201)
		old := b.card(t, c, "Archived", "").OK(201)
		c.Patch(t, "/kanban/cards/"+old.ID(), `{"status": "archived", "version": 1}`).OK(200)
		b.card(t, c, "Secret", due(0)+fmt.Sprintf(`, "private": true, "label_ids": [%q], "priority": "high"`, red)).OK(201)
		b.card(t, c, "Ação", `, "description": "Pão de Queijo 100%"`).OK(201)
		other := newBoard(t, c)
		other.card(t, c, "Elsewhere", fmt.Sprintf(`, "label_ids": [%q], "priority": "high"`, red)).OK(201)

		titles := func(a *servertest.Answer) string {
			var out []string
			for i := range a.List() {
				out = append(out, a.Text("data", i, "title"))
			}
			return strings.Join(out, ", ")
		}
		all := "Ação, Eighth day, Sixth day, Last week, This morning, Tomorrow, Tonight, Undue"
		for _, indexed := range []bool{false, true} {
			if indexed {
				indexAll(t, w)
			}
			for _, tt := range []struct{ query, want string }{
				{"", all},
				{"&status=open", all},
				{"&due=any", all},
				{"&status=completed", "Won late"},
				{"&status=lost", "Lost"},
				{"&status=archived", "Archived"},
				{"&status=all", "Ação, Archived, Lost, Won late, Eighth day, Sixth day, Last week, This morning, Tomorrow, Tonight, Undue"},
				{"&due=today", "This morning, Tonight"},
				{"&due=week", "Sixth day, This morning, Tomorrow, Tonight"},
				{"&due=overdue", "Last week, This morning"},
				{"&due=overdue&status=all", "Last week, This morning"},
				{"&due=overdue&status=completed", ""},
				{"&due=none", "Ação, Undue"},
				{"&due=none&status=all", "Ação, Archived, Lost, Undue"},
				{"&due=today&tz=Asia/Tokyo", "Tomorrow, Tonight"},
				{"&priority=high", "Tonight"},
				{"&priority=low", ""},
				{"&priority=high&due=today", "Tonight"},
				{"&label=" + red, "This morning, Tomorrow"},
				{"&label=" + blue, "This morning"},
				{"&label=" + red + "&status=all", "Won late, This morning, Tomorrow"},
				{"&label=" + red + "&due=overdue", "This morning"},
				{"&label=" + red + "&due=week&q=tom", "Tomorrow"},
				{"&label=" + kernel.NewID().String(), ""},
				{"&q=acao", "Ação"},
				{"&q=P%C3%83O%20DE", "Ação"},
				{"&q=100%25", "Ação"},
				{"&q=day", "Eighth day, Sixth day"},
				{"&q=day&due=week", "Sixth day"},
				{"&q=ay", "Eighth day, Sixth day"},
				{"&q=o", "Ação, This morning, Tomorrow, Tonight"},
				{"&q=secret", ""},
				{"&q=elsewhere", ""},
				{"&q=_", ""},
				{"&q=", all},
			} {
				if got := titles(c.Get(t, "/kanban/cards?board_id="+b.id+tt.query).OK(200)); got != tt.want {
					t.Errorf("%s (indexed: %v): got %s, want %s", tt.query, indexed, got, tt.want)
				}
			}
		}

		t.Run("without a board_id the cards of all allowed boards are listed", func(t *testing.T) {
			testkit.Equal(t, "cards with a label", titles(c.Get(t, "/kanban/cards?label="+red).OK(200)), "Elsewhere, This morning, Tomorrow")
			testkit.Equal(t, "cards with a text", titles(c.Get(t, "/kanban/cards?status=all&q=elsewhere").OK(200)), "Elsewhere")
			id, _ := kernel.ParseID(other.id)
			boards := []kernel.ID{id}
			_, limited := w.NewKey(t, w.A.ID, people.NewKey{Name: "other", Scopes: kernel.NewScopeSet(people.ScopeRead), Boards: &boards})
			for _, query := range []string{"", "?status=all", "?due=any&priority=high", "?q=ELSE", "?label=" + red} {
				testkit.Equal(t, "cards of a limited key with "+query, titles(limited.Get(t, "/kanban/cards"+query).OK(200)), "Elsewhere")
			}
			for _, query := range []string{"?board_id=" + b.id, "?board_id=" + kernel.NewID().String()} {
				testkit.Equal(t, "cards of a limited key with "+query, titles(limited.Get(t, "/kanban/cards"+query).OK(200)), "")
			}
			testkit.Equal(t, "cards of another company", titles(w.B.Get(t, "/kanban/cards?status=all").OK(200)), "")
			testkit.Equal(t, "cards of the board for another company", titles(w.B.Get(t, "/kanban/cards?board_id="+b.id).OK(200)), "")
		})
		t.Run("pages list every card once", func(t *testing.T) {
			for _, query := range []string{"status=all", "label=" + red + "&status=all", "q=day", "due=week", "due=none&status=all", "priority=high"} {
				whole := titles(c.Get(t, "/kanban/cards?"+query).OK(200))
				var parts []string
				cursor := ""
				for {
					page := c.Get(t, "/kanban/cards?limit=2&"+query+cursor).OK(200)
					if got := titles(page); got != "" {
						parts = append(parts, got)
					}
					if page.At("next_cursor") == nil {
						break
					}
					cursor = "&cursor=" + page.Text("next_cursor")
				}
				if got := strings.Join(parts, ", "); got != whole {
					t.Errorf("%s in pages: got %s, want %s", query, got, whole)
				}
			}
			page := c.Get(t, "/kanban/cards?limit=1").OK(200)
			cursor := page.Text("next_cursor")
			c.Get(t, "/kanban/cards?limit=2&cursor="+cursor).OK(200)
			c.Get(t, "/kanban/cards?status=all&cursor="+cursor).Fails(400, "invalid_cursor")
			c.Get(t, "/kanban/cards?cursor=x"+cursor).Fails(400, "invalid_cursor")
			w.B.Get(t, "/kanban/cards?cursor="+cursor).Fails(400, "invalid_cursor")
		})
		t.Run("malformed queries are refused", func(t *testing.T) {
			for _, query := range []string{
				"board_id=x", "board_id=", "limit=0", "limit=101", "limit=x", "q=" + strings.Repeat("a", 101), "priority=huge", "label=x",
				"due=tomorrow", "tz=Mars/Base", "tz=../etc/passwd", "status=closed", "offset=1",
			} {
				c.Get(t, "/kanban/cards?"+query).Fails(400, "invalid_request")
			}
			c.Get(t, "/kanban/cards?q="+url.QueryEscape(strings.Repeat("ã", 100))).OK(200)
		})
		t.Run("listed cards equal cards read by id", func(t *testing.T) {
			page := c.Get(t, "/kanban/cards?status=all&limit=100").OK(200)
			for _, id := range ids(page.List()) {
				testkit.Contains(t, "the list", page.Raw, string(c.Get(t, "/kanban/cards/"+id).OK(200).Raw))
			}
			if !slices.IsSortedFunc(ids(page.List()), func(a, b string) int { return strings.Compare(b, a) }) {
				t.Errorf("cards are not listed newest first: %v", ids(page.List()))
			}
		})
	})
}

func TestCardsOfArchivedBoardsAreListedOnlyByBoard(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		active, archived := newBoard(t, w.A.Client), newBoard(t, w.A.Client)
		here, there := active.card(t, w.A.Client, "here", "").OK(201).ID(), archived.card(t, w.A.Client, "there", "").OK(201).ID()
		w.A.Patch(t, "/kanban/boards/"+archived.id, `{"archived": true}`).OK(200)
		boards := []kernel.ID{mustID(active.id), mustID(archived.id)}
		_, some := w.NewKey(t, w.A.ID, people.NewKey{Name: "some", Scopes: kernel.NewScopeSet(people.ScopeRead), Boards: &boards})
		for _, key := range []*servertest.Client{w.A.Client, some} {
			for query, want := range map[string]string{"": here, "?q=here": here, "?q=there": "", "?board_id=" + archived.id: there, "?status=all&limit=1": here} {
				if got := strings.Join(ids(key.Get(t, "/kanban/cards"+query).OK(200).List()), " "); got != want {
					t.Errorf("%q: got %s, want %s", query, got, want)
				}
			}
			key.Get(t, "/kanban/cards/"+there).OK(200)
		}
	})
}
