package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/provider"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

// signedIn adds a member and signs them in.
func signedIn(t *testing.T, w *servertest.World, name string, fields ...string) (*servertest.Client, string) {
	t.Helper()
	id, email := member(t, w.A.Client, name, fields...)
	return w.A.SignIn(t, email, password), id
}

// openLive opens a live stream and waits for its first message, which has the cursor.
func openLive(t *testing.T, c *servertest.Client, headers ...string) (<-chan sse, context.CancelFunc) {
	t.Helper()
	messages, stop := c.Follow(t, "/live", headers...)
	if first := <-messages; first.ID == "" || first.Event != "" {
		t.Fatalf("first message: got %+v, want the cursor without an event", first)
	}
	return messages, stop
}

// await returns the data of the next message with an event or signal of this type.
func await(t *testing.T, messages <-chan sse, event string) map[string]any {
	t.Helper()
	for end := time.Now().Add(testkit.Patience); ; {
		m := nextEvent(t, messages)
		if time.Now().After(end) {
			t.Fatalf("got no %s within %v", event, testkit.Patience)
		}
		if m.Event == event {
			var data map[string]any
			if err := json.Unmarshal([]byte(m.Data), &data); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(event, ".") == (m.ID == "") {
				t.Fatalf("%s: got the id %q, want one for events and none for signals", event, m.ID)
			}
			return data
		}
	}
}

// waitForEnd waits for the end of a stream and returns the data of the last session signal.
func waitForEnd(t *testing.T, messages <-chan sse) (last string) {
	t.Helper()
	for {
		m, open := testkit.Receive(t, "the end of the stream", messages)
		if !open {
			return last
		}
		if m.Event == "session" {
			last = m.Data
		}
	}
}

// customerWritesText sends a text from a customer on a sandbox channel and returns the id of the conversation.
func customerWritesText(t *testing.T, c *servertest.Client, channel, phone, text string) string {
	t.Helper()
	body := map[string]string{"from": phone, "name": "Customer " + phone, "text": text}
	return c.Post(t, simulatePath(channel), body).OK(201).Text("conversation")
}

func TestALiveStreamSendsOnlyWhatItsUserMaySee(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, _ := signedIn(t, w, "Ana")
		bia, biaID := signedIn(t, w, "Bia", `"access_profile":"own"`)
		w.A.Get(t, "/live").Fails(403, "session_required")
		w.A.Visitor().Get(t, "/live").Fails(401, "key_missing")
		anas, _ := openLive(t, ana)
		bias, _ := openLive(t, bia)
		first := customerWritesText(t, w.A.Client, channel, "+5511987650001", "one")
		if got := await(t, anas, "message.received")["data"].(map[string]any)["message"].(map[string]any)["text"]; got != "one" {
			t.Errorf("text: got %v, want one", got)
		}
		second := customerWritesText(t, w.A.Client, channel, "+5511987650002", "two")
		w.A.Post(t, "/conversations/"+second+"/transfer", map[string]string{"user_id": biaID}).OK(200)
		for {
			m := nextEvent(t, bias)
			if strings.Contains(m.Data, first) {
				t.Errorf("a person with the profile own got %s of another conversation", m.Event)
			}
			if m.Event == "conversation.updated" && strings.Contains(m.Data, second) {
				break
			}
		}
		w.A.Post(t, "/conversations/"+second+"/transfer", map[string]any{"user_id": nil}).OK(200)
		if got := await(t, bias, "gone")["conversation"]; got != second {
			t.Errorf("gone: got %v, want %s", got, second)
		}
	})
}

func TestAnUnusableCursorCausesOneReset(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		_, email := member(t, w.A.Client, "Ana")
		ana := w.A.SignIn(t, email, password)
		messages, stop := ana.Follow(t, "/live")
		first := <-messages
		stop()
		expectReset := func(cursor string) {
			t.Helper()
			messages, stop := ana.Follow(t, "/live", "Last-Event-ID", cursor)
			defer stop()
			m := nextEvent(t, messages)
			if m.Event != "reset" || m.Data != "{}" {
				t.Errorf("cursor %q: got %+v, want reset", cursor, m)
			}
			customerWritesText(t, w.A.Client, channel, "+5511987650001", "after "+cursor)
			if m := nextEvent(t, messages); m.Event == "reset" {
				t.Errorf("cursor %q: got a second reset, want an event", cursor)
			}
		}
		expectReset("nonsense")
		expectReset("0198c0de-0000-7000-8000-000000000000")
		w.Clock.Advance(13 * 24 * time.Hour)
		resumed, stop := ana.Follow(t, "/live", "Last-Event-ID", first.ID)
		if m := nextEvent(t, resumed); m.Event == "reset" {
			t.Error("a cursor from 13 days ago: got reset, want the events")
		}
		stop()
		w.Clock.Advance(25 * time.Hour)
		ana = w.A.SignIn(t, email, password)
		expectReset(first.ID)
	})
}

func TestMessageUpdatedListsTheChangedFields(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		receiver := testkit.NewReceiver(t)
		other := testkit.NewReceiver(t)
		w.A.Post(t, "/integrations/webhooks", map[string]any{"name": "new", "url": receiver.URL, "events": []string{"message.updated"}}).OK(201)
		w.A.Post(t, "/integrations/webhooks", map[string]any{"name": "old", "url": other.URL, "events": []string{"message.sent"}}).OK(201)
		names := fmt.Sprint(w.A.Get(t, "/integrations/webhooks/events").OK(200).List())
		if !strings.Contains(names, "message.updated") {
			t.Errorf("the list of events lacks message.updated: %s", names)
		}
		channel := sandbox(t, w)
		ana, _ := signedIn(t, w, "Ana")
		conversation := customerWritesText(t, w.A.Client, channel, "+5511987650001", "hello")
		messages, _ := openLive(t, ana)
		sent := ana.Post(t, "/conversations/"+conversation+"/messages", fmt.Sprintf(`{"client_id":%q,"text":"hi"}`, kernel.NewID().String())).OK(201)
		for _, status := range []string{"delivered", "read"} {
			w.A.Post(t, simulatePath(channel), map[string]string{"external_id": sent.Text("external_id"), "status": status}).OK(200)
			data := await(t, messages, "message.updated")["data"].(map[string]any)
			message := data["message"].(map[string]any)
			if message["id"] != sent.ID() || message["status"] != status || fmt.Sprint(data["changed"]) != "[status]" || data["conversation"] == nil {
				t.Errorf("message.updated after %[1]s: got %[2]v, want the status %[1]s", status, data)
			}
			if arrived := receiver.Next(t); arrived.Header.Get("X-Service-Event") != "message.updated" || !strings.Contains(arrived.Body, `"status":"`+status+`"`) {
				t.Errorf("the webhook got %s %s, want message.updated with the status %s", arrived.Header.Get("X-Service-Event"), arrived.Body, status)
			}
		}
		if arrived := other.Next(t); arrived.Header.Get("X-Service-Event") != "message.sent" {
			t.Errorf("the webhook for message.sent got %s", arrived.Header.Get("X-Service-Event"))
		}
	})
}

func TestEditsReactionsAndDeletionsRaiseMessageUpdated(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		id, _ := kernel.ParseID(channel)
		ana, _ := signedIn(t, w, "Ana")
		first := w.A.Post(t, simulatePath(channel), `{"from":"+5511987650001","text":"hello"}`).OK(201)
		messages, _ := openLive(t, ana)
		by := provider.Sender{Customer: provider.Person{Phone: "+5511987650001", WAID: "5511987650001"}}
		at, external := w.Clock.Now().Add(time.Second), first.Text("external_id")
		for _, c := range []struct {
			change provider.Incoming
			want   string
		}{
			{provider.Incoming{Edit: &provider.IncomingEdit{ExternalID: external, Text: "hello again", Sender: by, At: at}}, "hello again"},
			{provider.Incoming{Reaction: &provider.IncomingReaction{ExternalID: external, Emoji: "👍", Sender: by, At: at}}, "👍"},
			{provider.Incoming{Revoke: &provider.IncomingRevoke{ExternalID: external, Sender: by, At: at.Add(time.Second)}}, "revoked_at"},
		} {
			if err := w.Desk.Talk.Receive(t.Context(), w.A.ID, id, []provider.Incoming{c.change}); err != nil {
				t.Fatal(err)
			}
			data := await(t, messages, "message.updated")["data"].(map[string]any)
			message := data["message"].(map[string]any)
			if text := fmt.Sprint(message); message["id"] != first.ID() || !strings.Contains(text, c.want) || data["changed"] == nil {
				t.Errorf("message.updated: got %v, want %s in it", data, c.want)
			}
			if c.want == "revoked_at" && message["revoked_at"] == nil {
				t.Errorf("revoked_at: got null, want a time")
			}
		}
	})
}

// TestARemovedMembersStreamEndsOnAnotherNodeWithinASecond checks that a signal ends the stream, since the periodic check runs
// only every five seconds. The machine may be busy for a moment, so most of the streams must end in time but not all.
func TestARemovedMembersStreamEndsOnAnotherNodeWithinASecond(t *testing.T) {
	t.Parallel()
	url := kerneltest.URL(t)
	w := servertest.Start(t, url, func(c *server.Config) { c.Now = nil })
	second, _ := w.SecondNode(t, url, func(c *server.Config) { c.Now = nil })
	const rounds = 7
	within := 0
	for range rounds {
		ana, id := signedIn(t, w, "Ana")
		there, _ := openLive(t, ana.On(second))
		w.A.Delete(t, "/team/"+id).OK(204)
		removed := time.Now()
		if got := waitForEnd(t, there); got != `{"state":"ended"}` {
			t.Errorf("last session signal: got %q, want ended", got)
		}
		if time.Since(removed) <= time.Second {
			within++
		}
	}
	if within <= rounds/2 {
		t.Errorf("%d of %d streams ended within a second, want most of them", within, rounds)
	}
}

func TestAnEndedSessionEndsItsStreamsOnEveryNode(t *testing.T) {
	t.Parallel()
	url := kerneltest.URL(t)
	w := servertest.Start(t, url, func(c *server.Config) { c.Now = nil })
	second, _ := w.SecondNode(t, url, func(c *server.Config) { c.Now = nil })
	for _, how := range []struct {
		name string
		end  func(t *testing.T, c *servertest.Client, id string)
	}{
		{"removal", func(t *testing.T, _ *servertest.Client, id string) { w.A.Delete(t, "/team/"+id).OK(204) }},
		{"sign-out", func(t *testing.T, c *servertest.Client, _ string) { c.Delete(t, "/session").OK(204) }},
		{"sessions ended by a manager", func(t *testing.T, _ *servertest.Client, id string) { w.A.Delete(t, "/team/"+id+"/sessions").OK(204) }},
	} {
		t.Run(how.name, func(t *testing.T) {
			ana, id := signedIn(t, w, "Ana")
			here, _ := openLive(t, ana)
			there, _ := openLive(t, ana.On(second))
			began := time.Now()
			how.end(t, ana, id)
			for node, messages := range []<-chan sse{here, there} {
				if got := waitForEnd(t, messages); got != `{"state":"ended"}` {
					t.Errorf("node %d: last session signal: got %q, want ended", node, got)
				}
			}
			t.Logf("both streams ended after %v", time.Since(began))
		})
	}
}
