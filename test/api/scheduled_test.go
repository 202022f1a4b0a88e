package api_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
	"recado/test/servertest"
	"recado/test/testkit"
)

// later is the body of a scheduled message with a client_id of its own.
func later(w *servertest.World, in time.Duration, text string, more ...map[string]any) map[string]any {
	body := map[string]any{"client_id": kernel.NewID().String(), "send_at": w.Clock.Now().Add(in).UTC().Format(time.RFC3339Nano), "text": text}
	for _, fields := range more {
		maps.Copy(body, fields)
	}
	return body
}

// settled waits until a scheduled message is no longer scheduled, and gives it.
func settled(t *testing.T, c *servertest.Client, conversation, id string) map[string]any {
	t.Helper()
	var found map[string]any
	testkit.Eventually(t, "the scheduled message is settled", func() bool {
		for _, element := range c.Get(t, "/conversations/"+conversation+"/scheduled").OK(200).List() {
			if m := element.(map[string]any); m["id"] == id {
				found = m
			}
		}
		return found["status"] != "scheduled"
	})
	return found
}

func TestScheduledMessages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		id := customerWrites(t, w, channel, phoneNumber(1))
		at := "/conversations/" + id + "/scheduled"
		ana, anaID := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		own, _ := signedIn(t, w, "Own", `"access_profile":"own"`)

		body := later(w, time.Hour, "See you tomorrow")
		first := ana.Post(t, at, body).OK(201)
		t.Run("it is listed as scheduled", func(t *testing.T) {
			want(t, "status", first.Text("status"), "scheduled")
			want(t, "message", first.At("message"), nil)
			want(t, "error", first.At("error"), nil)
			want(t, "warning", first.At("warning"), nil)
			want(t, "created_by", first.Text("created_by", "id"), anaID)
			want(t, "list", ana.Get(t, at+"?status=scheduled").OK(200).Text("data", 0, "id"), first.ID())
			want(t, "sent", len(ana.Get(t, at+"?status=sent").OK(200).List()), 0)
		})
		t.Run("the same client_id gives the first", func(t *testing.T) {
			again := ana.Post(t, at, body).OK(201)
			want(t, "again", string(again.Raw), string(first.Raw))
			want(t, "Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "true")
			other := customerWrites(t, w, channel, phoneNumber(2))
			ana.Post(t, "/conversations/"+other+"/scheduled", body).Fails(409, "client_id_conflict")
			sent := message("now")
			ana.Post(t, "/conversations/"+id+"/messages", sent).OK(201)
			taken := later(w, time.Hour, "x", map[string]any{"client_id": sent[15:51]})
			ana.Post(t, at, taken).Fails(409, "client_id_conflict")
		})
		t.Run("what cannot be scheduled is refused", func(t *testing.T) {
			for _, in := range []time.Duration{-time.Hour, 0, 50 * time.Second, 90*24*time.Hour + time.Minute} {
				refused := ana.Post(t, at, later(w, in, "x")).Fails(400, "invalid_request")
				want(t, "field", refused.Text("details", 0, "field"), "body.send_at")
			}
			ana.Post(t, at, later(w, time.Hour, " ")).Fails(400, "invalid_request")
			ana.Post(t, at, later(w, time.Hour, strings.Repeat("a", 4097))).Fails(400, "invalid_request")
			ana.Post(t, at, later(w, time.Hour, "x", map[string]any{"media_id": kernel.NewID().String()})).Fails(400, "invalid_request")
			ana.Post(t, at, later(w, time.Hour, "x", map[string]any{"template": map[string]any{"name": "t", "language": "pt_BR"}})).Fails(400, "invalid_request")
			ana.Post(t, at, `{"client_id":"`+kernel.NewID().String()+`","text":"x"}`).Fails(400, "invalid_request")
			own.Post(t, at, later(w, time.Hour, "x")).Fails(404, "not_found")
			own.Get(t, at).Fails(404, "not_found")
			own.Delete(t, "/scheduled/"+first.ID()).Fails(404, "not_found")
		})
		t.Run("it is changed by the person who scheduled it", func(t *testing.T) {
			bia.Patch(t, "/scheduled/"+first.ID(), `{"text":"x"}`).Fails(403, "insufficient_role")
			changed := ana.Patch(t, "/scheduled/"+first.ID(), `{"text":"See you soon","cancel_on_reply":true}`).OK(200)
			want(t, "text", changed.Text("text"), "See you soon")
			want(t, "send_at", changed.Text("send_at"), first.Text("send_at"))
			ana.Patch(t, "/scheduled/"+first.ID(), `{"cancel_on_reply":false}`).OK(200)
			ana.Patch(t, "/scheduled/"+first.ID(), map[string]any{"send_at": w.Clock.Now().Format(time.RFC3339)}).Fails(400, "invalid_request")
		})
		t.Run("it goes out once when its time has come", func(t *testing.T) {
			w.Clock.Advance(time.Hour + time.Second)
			done := settled(t, ana, id, first.ID())
			want(t, "status", done["status"], any("sent"))
			sent := ana.Get(t, "/messages/"+done["message"].(string)).OK(200)
			want(t, "text", sent.Text("text"), "See you soon")
			want(t, "client_id", sent.At("client_id"), body["client_id"])
			want(t, "origin", sent.Text("origin"), "app")
			want(t, "sent_by", sent.Text("sent_by", "id"), anaID)
			ana.Patch(t, "/scheduled/"+first.ID(), `{"text":"x"}`).Fails(409, "not_scheduled")
			ana.Delete(t, "/scheduled/"+first.ID()).Fails(409, "not_scheduled")
		})
		t.Run("of a key it has the origin api", func(t *testing.T) {
			made := w.A.Post(t, at, later(w, 2*time.Minute, "by a key")).OK(201)
			w.Clock.Advance(3 * time.Minute)
			done := settled(t, w.A.Client, id, made.ID())
			want(t, "origin", w.A.Get(t, "/messages/"+done["message"].(string)).OK(200).Text("origin"), "api")
		})
		t.Run("cancelled it stays listed and is not sent", func(t *testing.T) {
			made := ana.Post(t, at, later(w, 2*time.Minute, "never")).OK(201)
			bia.Delete(t, "/scheduled/"+made.ID()).Fails(403, "insufficient_role")
			ana.Delete(t, "/scheduled/"+made.ID()).OK(204)
			ana.Delete(t, "/scheduled/"+made.ID()).Fails(409, "not_scheduled")
			want(t, "list", ana.Get(t, at+"?status=cancelled").OK(200).Text("data", 0, "id"), made.ID())
		})
		t.Run("cancel_on_reply: the customer writes before", func(t *testing.T) {
			gone := ana.Post(t, at, later(w, 2*time.Minute, "gone", map[string]any{"cancel_on_reply": true})).OK(201)
			stays := ana.Post(t, at, later(w, 2*time.Minute, "stays")).OK(201)
			customerWrites(t, w, channel, phoneNumber(1))
			want(t, "with", settled(t, ana, id, gone.ID())["status"], any("cancelled"))
			w.Clock.Advance(3 * time.Minute)
			want(t, "without", settled(t, ana, id, stays.ID())["status"], any("sent"))
		})
		t.Run("every rule of sending holds again at that time", func(t *testing.T) {
			made := ana.Post(t, at, later(w, 2*time.Minute, "blocked by then")).OK(201)
			contact := w.A.Get(t, "/conversations/"+id).OK(200).Text("contact")
			block(t, w, contact)
			ana.Post(t, at, later(w, 2*time.Minute, "blocked now")).Fails(409, "contact_blocked")
			w.Clock.Advance(3 * time.Minute)
			done := settled(t, ana, id, made.ID())
			want(t, "status", done["status"], any("failed"))
			want(t, "error", done["error"].(map[string]any)["code"], any("contact_blocked"))
			want(t, "message", done["message"], nil)
			want(t, "notification", told(t, ana, "")[0], "message_failed "+id)
			w.A.Patch(t, "/contacts/"+contact, `{"blocked":false}`).OK(200)
		})
		t.Run("more than an hour late it fails", func(t *testing.T) {
			made := ana.Post(t, at, later(w, 2*time.Minute, "late")).OK(201)
			w.Clock.Advance(2 * time.Hour)
			want(t, "error", settled(t, ana, id, made.ID())["error"].(map[string]any)["code"], any("too_late"))
		})
		t.Run("of a person who has left it fails", func(t *testing.T) {
			made := bia.Post(t, at, later(w, 2*time.Minute, "left")).OK(201)
			w.A.Delete(t, "/team/"+made.Text("created_by", "id")).OK(204)
			w.Clock.Advance(3 * time.Minute)
			want(t, "error", settled(t, ana, id, made.ID())["error"].(map[string]any)["code"], any("sender_removed"))
		})
		t.Run("of a key that was revoked it fails", func(t *testing.T) {
			key, c := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeMessagesSend))
			made := c.Post(t, at, later(w, 2*time.Minute, "revoked")).OK(201)
			w.A.Delete(t, "/keys/"+key.ID.String()).OK(204)
			w.Clock.Advance(3 * time.Minute)
			want(t, "error", settled(t, ana, id, made.ID())["error"].(map[string]any)["code"], any("key_revoked"))
		})
		t.Run("a conversation has at most 50", func(t *testing.T) {
			for n := range talk.MaxScheduled {
				ana.Post(t, at, later(w, time.Hour, fmt.Sprint(n))).OK(201)
			}
			ana.Post(t, at, later(w, time.Hour, "one more")).Fails(409, "limit_reached")
			page, seen := ana.Get(t, at+"?limit=20&status=scheduled").OK(200), 0
			for {
				seen += len(page.List())
				if page.At("next_cursor") == nil {
					break
				}
				page = ana.Get(t, at+"?limit=20&status=scheduled&cursor="+page.Text("next_cursor")).OK(200)
			}
			want(t, "pages", seen, talk.MaxScheduled)
		})
	})
}
