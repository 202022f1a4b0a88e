package api_test

import (
	"fmt"
	"strings"
	"testing"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/test/servertest"
	"recado/test/testkit"
)

// note returns the body of a note with a new client_id. mentions are ids of members.
func note(text string, mentions ...string) map[string]any {
	if mentions == nil {
		mentions = []string{}
	}
	return map[string]any{"client_id": kernel.NewID().String(), "text": text, "mentions": mentions}
}

func TestNotesAreWrittenChangedAndDeleted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		id := customerWrites(t, w, channel, phoneNumber(1))
		other := customerWrites(t, w, channel, phoneNumber(2))
		ana, anaID := signedIn(t, w, "Ana")
		bia, biaID := signedIn(t, w, "Bia")
		mia, _ := signedIn(t, w, "Mia", `"role":"manager"`)
		own, ownID := signedIn(t, w, "Own", `"access_profile":"own"`)
		notes := "/conversations/" + id + "/notes"

		body := note("call her back", biaID, biaID)
		first := ana.Post(t, notes, body).OK(201)
		t.Run("a note has its author, mentions and attendance", func(t *testing.T) {
			testkit.Diff(t, "client_id", first.At("client_id"), body["client_id"])
			testkit.Diff(t, "conversation", first.Text("conversation"), id)
			testkit.Diff(t, "attendance", first.Text("attendance"), openAttendance(t, w, id).ID())
			testkit.Diff(t, "author", first.At("author"), map[string]any{"id": anaID, "name": "Ana"})
			testkit.Diff(t, "mentions", first.At("mentions"), []any{map[string]any{"id": biaID, "name": "Bia"}})
			testkit.Diff(t, "edited_at", first.At("edited_at"), nil)
		})
		t.Run("a repeated client_id returns the first note", func(t *testing.T) {
			again := ana.Post(t, notes, map[string]any{"client_id": body["client_id"], "text": "another"}).OK(201)
			testkit.Diff(t, "repeated note", string(again.Raw), string(first.Raw))
			testkit.Diff(t, "Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "true")
			ana.Post(t, "/conversations/"+other+"/notes", body).Fails(409, "client_id_conflict")
			testkit.Diff(t, "number of notes", len(ana.Get(t, notes).OK(200).List()), 1)
		})
		t.Run("a person who may not see the conversation cannot be mentioned", func(t *testing.T) {
			for _, stranger := range []string{ownID, kernel.NewID().String(), w.B.Owner.ID.String()} {
				refused := ana.Post(t, notes, note("x", biaID, anaID, stranger)).Fails(400, "invalid_request")
				testkit.Diff(t, "field", refused.Text("details", 0, "field"), "body.mentions[2]")
			}
			many := make([]string, 21)
			for i := range many {
				many[i] = biaID
			}
			ana.Post(t, notes, note("x", many...)).Fails(400, "invalid_request")
		})
		t.Run("invalid notes are refused", func(t *testing.T) {
			for _, text := range []string{"", " ", strings.Repeat("a", 4097)} {
				ana.Post(t, notes, note(text)).Fails(400, "invalid_request")
			}
			ana.Post(t, notes, `{"text":"x"}`).Fails(400, "invalid_request")
			ana.Post(t, notes, `{"client_id":"00000000-0000-0000-0000-000000000000","text":"x"}`).Fails(400, "invalid_request")
			ana.Post(t, "/conversations/"+kernel.NewID().String()+"/notes", note("x")).Fails(404, "not_found")
			own.Post(t, notes, note("x")).Fails(404, "not_found")
			own.Get(t, notes).Fails(404, "not_found")
			ana.Post(t, notes, note(strings.Repeat("á", 4096))).OK(201)
		})
		t.Run("only the author changes a note, and the author or a manager deletes it", func(t *testing.T) {
			bia.Patch(t, "/notes/"+first.ID(), `{"text":"x"}`).Fails(403, "insufficient_role")
			mia.Patch(t, "/notes/"+first.ID(), `{"text":"x"}`).Fails(403, "insufficient_role")
			own.Patch(t, "/notes/"+first.ID(), `{"text":"x"}`).Fails(404, "not_found")
			changed := ana.Patch(t, "/notes/"+first.ID(), `{"text":"call him back","mentions":[]}`).OK(200)
			testkit.Diff(t, "text", changed.Text("text"), "call him back")
			testkit.Diff(t, "mentions", changed.At("mentions"), []any{})
			if changed.Text("edited_at") == "" {
				t.Errorf("edited_at: got none, want a time: %s", changed.Raw)
			}
			ana.Patch(t, "/notes/"+first.ID(), map[string]any{"mentions": []string{ownID}}).Fails(400, "invalid_request")
			ana.Patch(t, "/notes/"+first.ID(), `{"text":" "}`).Fails(400, "invalid_request")
			bia.Delete(t, "/notes/"+first.ID()).Fails(403, "insufficient_role")
			mia.Delete(t, "/notes/"+first.ID()).OK(204)
			entry := w.A.Get(t, "/audit?action=note.deleted").OK(200)
			testkit.Equal(t, "audit", entry.Text("data", 0, "actor", "name")+" deleted a note of "+entry.Text("data", 0, "changes", 0, "from"), "Mia deleted a note of Ana")
			mia.Delete(t, "/notes/"+first.ID()).Fails(404, "not_found")
			ana.Delete(t, "/notes/"+ana.Post(t, notes, note("mine")).OK(201).ID()).OK(204)
		})
		t.Run("notes are listed in pages, newest first", func(t *testing.T) {
			for n := range 3 {
				bia.Post(t, "/conversations/"+other+"/notes", note(fmt.Sprint(n))).OK(201)
			}
			page := bia.Get(t, "/conversations/"+other+"/notes?limit=2").OK(200)
			testkit.Diff(t, "first page", []string{page.Text("data", 0, "text"), page.Text("data", 1, "text")}, []string{"2", "1"})
			rest := bia.Get(t, "/conversations/"+other+"/notes?limit=2&cursor="+page.Text("next_cursor")).OK(200)
			testkit.Diff(t, "second page", rest.Text("data", 0, "text"), "0")
			testkit.Diff(t, "next_cursor", rest.At("next_cursor"), nil)
		})
		t.Run("reading needs notes:read and writing needs notes:write", func(t *testing.T) {
			_, reader := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeNotesRead))
			_, writer := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeNotesWrite))
			reader.Get(t, notes).OK(200)
			reader.Post(t, notes, note("x")).Fails(403, "insufficient_scope")
			writer.Get(t, notes).Fails(403, "insufficient_scope")
			writer.Post(t, notes, note("x")).OK(201)
		})
	})
}

func TestNotesAppearInTheTimeline(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		id := customerWrites(t, w, channel, phoneNumber(1))
		c := "/conversations/" + id
		before := w.A.Get(t, c+"/timeline").OK(200)
		made := w.A.Post(t, c+"/notes", note("one", w.A.Owner.ID.String())).OK(201)
		sent := w.A.Post(t, c+"/messages", message("hello")).OK(201)
		page := w.A.Get(t, c+"/timeline?after="+before.Text("after")).OK(200)
		shown := timelineEntries(t, page)
		testkit.Diff(t, "oldest entry after the cursor", shown[len(shown)-1], "note "+made.ID())
		var got, single any
		got = page.At("data", len(shown)-1, "note")
		made.Into(&single)
		testkit.Diff(t, "note", got, single)
		if !strings.Contains(strings.Join(shown, "\n"), "message "+sent.ID()) {
			t.Errorf("entries: got %v, want the message in it", shown)
		}
		older := w.A.Get(t, c+"/timeline?limit=1").OK(200)
		for older.At("before") != nil && timelineEntries(t, older)[0] != "note "+made.ID() {
			older = w.A.Get(t, c+"/timeline?limit=1&before="+older.Text("before")).OK(200)
		}
		testkit.Diff(t, "entry reached backwards", timelineEntries(t, older)[0], "note "+made.ID())
		testkit.Diff(t, "entry around the note", timelineEntries(t, w.A.Get(t, c+"/timeline?limit=1&around="+made.ID()).OK(200)), []string{"note " + made.ID()})
		elsewhere := customerWrites(t, w, channel, phoneNumber(2))
		w.A.Get(t, "/conversations/"+elsewhere+"/timeline?around="+made.ID()).Fails(404, "not_found")
		t.Run("without notes:read they are hidden", func(t *testing.T) {
			_, key := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeMessagesRead, people.ScopeAttendancesRead))
			if page := key.Get(t, c+"/timeline").OK(200); strings.Contains(string(page.Raw), made.ID()) {
				t.Errorf("the timeline shows the note: %s", page.Raw)
			}
			key.Get(t, c+"/timeline?around="+made.ID()).Fails(404, "not_found")
			_, key = w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeMessagesRead, people.ScopeNotesRead))
			if page := key.Get(t, c+"/timeline").OK(200); !strings.Contains(string(page.Raw), made.ID()) {
				t.Errorf("the timeline lacks the note: %s", page.Raw)
			}
		})
	})
}

func TestOnlyCallersWithNotesReadGetNoteCreated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		id := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		ana, _ := signedIn(t, w, "Ana")
		hook := func(events ...string) map[string]any {
			return map[string]any{"name": "n", "url": receiver.URL, "events": events}
		}
		_, without := w.NewKey(t, w.A.ID, people.NewKey{Name: "n", Scopes: kernel.EveryScope.Without(kernel.NewScopeSet(people.ScopeNotesRead))})
		without.Post(t, "/integrations/webhooks", hook("note.created")).Fails(403, "insufficient_scope")
		testkit.Diff(t, "note.created is listed without notes:read", strings.Contains(string(without.Get(t, "/integrations/webhooks/events").OK(200).Raw), "note.created"), false)
		made := w.A.Post(t, "/integrations/webhooks", hook("conversation.updated")).OK(201)
		without.Patch(t, "/integrations/webhooks/"+made.ID(), `{"events":["note.created"]}`).Fails(403, "insufficient_scope")
		w.A.Patch(t, "/integrations/webhooks/"+made.ID(), `{"events":["note.created"]}`).OK(200)

		messages, _ := openLive(t, ana)
		written := ana.Post(t, "/conversations/"+id+"/notes", note("for us only")).OK(201)
		event := await(t, messages, "note.created")["data"].(map[string]any)
		testkit.Diff(t, "note", event["note"].(map[string]any)["id"], written.ID())
		testkit.Diff(t, "conversation", event["conversation"].(map[string]any)["id"], id)
		if body := receiver.Next(t).Body; !strings.Contains(body, `"type":"note.created"`) || !strings.Contains(body, "for us only") {
			t.Errorf("delivery: got %s, want note.created", body)
		}
		inFeed := func(c *servertest.Client) bool {
			return strings.Contains(string(c.Get(t, "/events?limit=100").OK(200).Raw), "note.created")
		}
		testkit.Eventually(t, "the feed has the event", func() bool { return inFeed(w.A.Client) })
		testkit.Diff(t, "the feed has the event without notes:read", inFeed(without), false)

		ana.Patch(t, "/notes/"+written.ID(), `{"text":"changed"}`).OK(200)
		testkit.Diff(t, "conversation in the notes signal", await(t, messages, "notes")["conversation"], id)
		ana.Delete(t, "/notes/"+written.ID()).OK(204)
		await(t, messages, "notes")
	})
}

func TestNotesFollowAMergedConversation(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := mustID(sandbox(t, w))
		receive := func(p provider.Person) string {
			t.Helper()
			p.Name = "Marina"
			err := w.Desk.Talk.Receive(t.Context(), w.A.ID, channel, []provider.Incoming{{Message: &provider.IncomingMessage{
				ExternalID: kernel.NewID().String(), Type: provider.TypeText, Text: "oi", Customer: p,
			}}})
			if err != nil {
				t.Fatal(err)
			}
			return w.A.Get(t, "/conversations").OK(200).Text("data", 0, "id")
		}
		ana, anaID := signedIn(t, w, "Ana")
		first := receive(provider.Person{Phone: "+5511940001111", WAID: "5511940001111"})
		second := receive(provider.Person{UserID: "BR.401"})
		a := w.A.Post(t, "/conversations/"+first+"/notes", note("a")).OK(201)
		b := w.A.Post(t, "/conversations/"+second+"/notes", note("b", anaID)).OK(201)
		merged := receive(provider.Person{Phone: "+5511940001111", WAID: "5511940001111", UserID: "BR.401"})
		testkit.Diff(t, "remaining conversation", merged, first)
		page := ana.Get(t, "/conversations/"+merged+"/notes").OK(200)
		testkit.Diff(t, "notes", []string{page.Text("data", 0, "id"), page.Text("data", 1, "id")}, []string{b.ID(), a.ID()})
	})
}
