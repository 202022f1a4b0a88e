package api_test

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"testing"

	"recado/internal/channels/provider"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestConversationsAreFoundByTheirLastMessage(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := newChannel(t, w.A, "+5511955550001")
		write := func(t *testing.T, from, text string) string {
			t.Helper()
			return w.A.Post(t, simulatePath(channel), map[string]any{"from": from, "text": text}).OK(201).Text("conversation")
		}
		expectFound := func(t *testing.T, q string, want ...string) {
			t.Helper()
			found := w.A.Get(t, "/conversations?q="+url.QueryEscape(q)).OK(200).List()
			ok := len(found) == len(want)
			for i := range want {
				ok = ok && found[i].(map[string]any)["id"] == want[i]
			}
			if !ok {
				t.Errorf("%q: got %v, want %v", q, found, want)
			}
		}
		t.Run("the newest message is found at once, and the one before is no longer found", func(t *testing.T) {
			ana := write(t, "+5511911110001", "Quero um PÃO de queijo")
			expectFound(t, "pao de QUEIJO", ana)
			indexAll(t, w)
			expectFound(t, "pao de queijo", ana)
			write(t, "+5511911110001", "e um café")
			expectFound(t, "cafe", ana)
			expectFound(t, "queijo")
			w.A.Post(t, "/conversations/"+ana+"/messages", message("Saindo do forno")).OK(201)
			expectFound(t, "do forno", ana)
			expectFound(t, "cafe")
			indexAll(t, w)
			expectFound(t, "do forno", ana)
			expectFound(t, "cafe")
		})
		t.Run("% and _ are ordinary characters", func(t *testing.T) {
			sale := write(t, "+5511911110002", "50% de desconto_hoje")
			expectFound(t, "50%", sale)
			expectFound(t, "0% de", sale)
			expectFound(t, "desconto_", sale)
			expectFound(t, "5%de")
			expectFound(t, "descont_")
			indexAll(t, w)
			expectFound(t, "0% de", sale)
			expectFound(t, "desconto_hoje", sale)
			expectFound(t, "desconto%")
			expectFound(t, "%", sale)
		})
		t.Run("the newest activity comes first", func(t *testing.T) {
			one, two := write(t, "+5511911110003", "igualzinho"), write(t, "+5511911110004", "igualzinho")
			expectFound(t, "igual", two, one)
			write(t, "+5511911110003", "igualzinho de novo")
			expectFound(t, "igual", one, two)
			w.A.Patch(t, "/conversations/"+two, `{"pinned": true}`).OK(200)
			expectFound(t, "igual", two, one)
		})
	})
}

func TestSearchFindsNewMessagesDuringIndexing(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		channel := newChannel(t, w.A, "+5511955550001")
		var writers, indexer sync.WaitGroup
		ctx, stop := context.WithCancel(context.Background())
		indexer.Go(func() {
			for ctx.Err() == nil {
				if err := w.Desk.Talk.IndexSearch(context.Background()); err != nil {
					t.Error(err)
					return
				}
			}
		})
		for i := range 4 {
			writers.Go(func() {
				for n := range 12 {
					token := fmt.Sprintf("token%dx%dz", i, n)
					w.A.Post(t, simulatePath(channel), map[string]any{"from": "+551191111000" + strconv.Itoa(i), "text": "olha o " + token}).OK(201)
					if found := w.A.Get(t, "/conversations?q="+token).OK(200).List(); len(found) != 1 {
						t.Errorf("%s: got %d conversations, want 1", token, len(found))
					}
				}
			})
		}
		writers.Wait()
		stop()
		indexer.Wait()
	})
}

func TestUnreadConversationsAreListedUntilRead(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := newChannel(t, w.A, "+5511955550001")
		for range 2 {
			w.A.Post(t, simulatePath(channel), `{"from": "+5511911110001", "name": "Ana", "text": "oi"}`).OK(201)
		}
		id := w.A.Post(t, simulatePath(channel), `{"from": "+5511911110002", "name": "Bia", "text": "oi"}`).OK(201).Text("conversation")
		group := w.A.Post(t, simulatePath(channel), `{"from": "+5511911110002", "text": "oi", "group": {"id": "g-1", "name": "Padeiros"}}`).OK(201).Text("conversation")
		testkit.Equal(t, "number of data", len(w.A.Get(t, "/conversations?unread=true").OK(200).List()), 3)
		groups := w.A.Get(t, "/conversations?kind=group").OK(200).List()
		testkit.Equal(t, "number of groups", len(groups), 1)
		testkit.Equal[any](t, "data.0.id of the groups", groups[0].(map[string]any)["id"], group)
		read := w.A.Post(t, "/conversations/"+id+"/read", nil).OK(200)
		testkit.Equal(t, "unread_count", read.Int("unread_count"), 0)
		testkit.Equal(t, "unread", read.At("unread"), false)
		testkit.Equal(t, "response to a second call", string(w.A.Post(t, "/conversations/"+id+"/read", nil).OK(200).Raw), string(read.Raw))
		if unread := w.A.Get(t, "/conversations?unread=true&kind=direct").OK(200).List(); len(unread) != 1 || unread[0].(map[string]any)["name"] != "Ana" {
			t.Fatalf("unread direct conversations: got %v, want Ana's only", unread)
		}
		events, _ := readFeed(t, w.A.Client, "&types=conversation.updated", "", 5) // four messages and one read
		last := events[4]["data"].(map[string]any)
		testkit.Equal(t, "changed", fmt.Sprint(last["changed"]), "[unread unread_count]")
		testkit.Equal[any](t, "conversation.id", last["conversation"].(map[string]any)["id"], id)
	})
}

func TestPagesListEachConversationOnce(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := newChannel(t, w.A, "+5511955550001")
		const all = 23
		for i := range all {
			w.A.Post(t, "/conversations", map[string]any{"channel_id": channel, "phone": fmt.Sprintf("+55119111100%02d", i), "name": "cliente"}).OK(201)
		}
		for _, query := range []string{"", "q=cliente&", "archived=false&", "channel=" + channel + "&"} {
			seen := map[any]bool{}
			for offset := 0; ; offset += 5 {
				page := w.A.Get(t, "/conversations?"+query+"limit=5&offset="+strconv.Itoa(offset)).OK(200)
				for _, c := range page.List() {
					seen[c.(map[string]any)["id"]] = true
				}
				if more := page.At("has_more").(bool); more != (offset+5 < all) {
					t.Fatalf("%q at offset %d: has_more: got %v, want %v", query, offset, more, !more)
				} else if !more {
					break
				}
			}
			if len(seen) != all {
				t.Errorf("%q: got %d conversations, want %d", query, len(seen), all)
			}
		}
	})
}

func TestSearchesDoNotFindPrivateChannels(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		private := privateChannel(t, w)
		err := w.Desk.Talk.Receive(context.Background(), w.A.ID, private.ID, []provider.Incoming{{Message: &provider.IncomingMessage{
			ExternalID: "secret-1", Customer: provider.Person{Phone: "+5511911110009", WAID: "5511911110009", Name: "Sigilosa"}, Type: "text", Text: "segredo", At: w.Clock.Now(),
		}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, indexed := range []bool{false, true} {
			if indexed {
				indexAll(t, w)
			}
			for _, path := range []string{
				"/conversations", "/conversations?q=segredo", "/conversations?q=911110009", "/conversations?q=se", "/conversations?unread=true",
				"/conversations?channel=" + private.ID.String(), "/contacts", "/contacts?q=sigilosa", "/contacts?q=si", "/contacts?channel=" + private.ID.String(),
			} {
				if got := w.A.Get(t, path).OK(200).List(); len(got) != 0 {
					t.Errorf("%s: got %v, want nothing", path, got)
				}
			}
		}
		made := w.A.Post(t, "/contacts", `{"name": "Ana", "phone": "+5511911110009"}`).OK(201)
		testkit.Equal(t, "name", made.Text("name"), "Ana")
		testkit.Equal(t, "channel_id", made.At("channel_id"), nil)
		w.A.Get(t, "/contacts/"+made.ID()).OK(200)
		w.A.Post(t, "/contacts", `{"name": "Ana", "phone": "+5511911110009"}`).Fails(409, "contact_exists")
		testkit.Equal(t, "number of data", len(w.A.Get(t, "/conversations").OK(200).List()), 0)
		testkit.Equal(t, "number of data", len(w.A.Get(t, "/events").OK(200).List()), 0)
	})
}
