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

// scheduledMessage returns the body of a scheduled message with a new client_id.
func scheduledMessage(w *servertest.World, in time.Duration, text string, more ...map[string]any) map[string]any {
	body := map[string]any{"client_id": kernel.NewID().String(), "send_at": w.Clock.Now().Add(in).UTC().Format(time.RFC3339Nano), "text": text}
	for _, fields := range more {
		maps.Copy(body, fields)
	}
	return body
}

// waitForOutcome waits until a scheduled message has another status than scheduled, and returns it.
func waitForOutcome(t *testing.T, c *servertest.Client, conversation, id string) map[string]any {
	t.Helper()
	var found map[string]any
	testkit.Eventually(t, "the message is no longer scheduled", func() bool {
		for _, element := range c.Get(t, "/conversations/"+conversation+"/scheduled").OK(200).List() {
			if m := element.(map[string]any); m["id"] == id {
				found = m
			}
		}
		return found["status"] != "scheduled"
	})
	return found
}

func TestScheduledMessagesAreSentOnTime(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		id := customerWrites(t, w, channel, phoneNumber(1))
		at := "/conversations/" + id + "/scheduled"
		ana, anaID := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		own, _ := signedIn(t, w, "Own", `"access_profile":"own"`)

		body := scheduledMessage(w, time.Hour, "See you tomorrow")
		first := ana.Post(t, at, body).OK(201)
		t.Run("a scheduled message is listed", func(t *testing.T) {
			testkit.Diff(t, "status", first.Text("status"), "scheduled")
			testkit.Diff(t, "message", first.At("message"), nil)
			testkit.Diff(t, "error", first.At("error"), nil)
			testkit.Diff(t, "warning", first.At("warning"), nil)
			testkit.Diff(t, "created_by", first.Text("created_by", "id"), anaID)
			testkit.Diff(t, "list", ana.Get(t, at+"?status=scheduled").OK(200).Text("data", 0, "id"), first.ID())
			testkit.Diff(t, "sent", len(ana.Get(t, at+"?status=sent").OK(200).List()), 0)
		})
		t.Run("a repeated client_id returns the first message", func(t *testing.T) {
			again := ana.Post(t, at, body).OK(201)
			testkit.Diff(t, "repeated message", string(again.Raw), string(first.Raw))
			testkit.Diff(t, "Idempotency-Replayed", again.Header.Get("Idempotency-Replayed"), "true")
			other := customerWrites(t, w, channel, phoneNumber(2))
			ana.Post(t, "/conversations/"+other+"/scheduled", body).Fails(409, "client_id_conflict")
			sent := message("now")
			ana.Post(t, "/conversations/"+id+"/messages", sent).OK(201)
			taken := scheduledMessage(w, time.Hour, "x", map[string]any{"client_id": sent[15:51]})
			ana.Post(t, at, taken).Fails(409, "client_id_conflict")
		})
		t.Run("invalid scheduled messages are refused", func(t *testing.T) {
			for _, in := range []time.Duration{-time.Hour, 0, 50 * time.Second, 90*24*time.Hour + time.Minute} {
				refused := ana.Post(t, at, scheduledMessage(w, in, "x")).Fails(400, "invalid_request")
				testkit.Diff(t, "field", refused.Text("details", 0, "field"), "body.send_at")
			}
			ana.Post(t, at, scheduledMessage(w, time.Hour, " ")).Fails(400, "invalid_request")
			ana.Post(t, at, scheduledMessage(w, time.Hour, strings.Repeat("a", 4097))).Fails(400, "invalid_request")
			ana.Post(t, at, scheduledMessage(w, time.Hour, "x", map[string]any{"media_id": kernel.NewID().String()})).Fails(400, "invalid_request")
			ana.Post(t, at, scheduledMessage(w, time.Hour, "x", map[string]any{"template": map[string]any{"name": "t", "language": "pt_BR"}})).Fails(400, "invalid_request")
			ana.Post(t, at, `{"client_id":"`+kernel.NewID().String()+`","text":"x"}`).Fails(400, "invalid_request")
			own.Post(t, at, scheduledMessage(w, time.Hour, "x")).Fails(404, "not_found")
			own.Get(t, at).Fails(404, "not_found")
			own.Delete(t, "/scheduled/"+first.ID()).Fails(404, "not_found")
		})
		t.Run("only the person who scheduled a message can change it", func(t *testing.T) {
			bia.Patch(t, "/scheduled/"+first.ID(), `{"text":"x"}`).Fails(403, "insufficient_role")
			changed := ana.Patch(t, "/scheduled/"+first.ID(), `{"text":"See you soon","cancel_on_reply":true}`).OK(200)
			testkit.Diff(t, "text", changed.Text("text"), "See you soon")
			testkit.Diff(t, "send_at", changed.Text("send_at"), first.Text("send_at"))
			ana.Patch(t, "/scheduled/"+first.ID(), `{"cancel_on_reply":false}`).OK(200)
			ana.Patch(t, "/scheduled/"+first.ID(), map[string]any{"send_at": w.Clock.Now().Format(time.RFC3339)}).Fails(400, "invalid_request")
		})
		t.Run("it is sent at its time", func(t *testing.T) {
			w.Clock.Advance(time.Hour + time.Second)
			done := waitForOutcome(t, ana, id, first.ID())
			testkit.Diff(t, "status", done["status"], "sent")
			sent := ana.Get(t, "/messages/"+done["message"].(string)).OK(200)
			testkit.Diff(t, "text", sent.Text("text"), "See you soon")
			testkit.Diff(t, "client_id", sent.At("client_id"), body["client_id"])
			testkit.Diff(t, "origin", sent.Text("origin"), "app")
			testkit.Diff(t, "sent_by", sent.Text("sent_by", "id"), anaID)
			ana.Patch(t, "/scheduled/"+first.ID(), `{"text":"x"}`).Fails(409, "not_scheduled")
			ana.Delete(t, "/scheduled/"+first.ID()).Fails(409, "not_scheduled")
		})
		t.Run("a message scheduled by a key has the origin api", func(t *testing.T) {
			made := w.A.Post(t, at, scheduledMessage(w, 2*time.Minute, "by a key")).OK(201)
			w.Clock.Advance(3 * time.Minute)
			done := waitForOutcome(t, w.A.Client, id, made.ID())
			testkit.Diff(t, "origin", w.A.Get(t, "/messages/"+done["message"].(string)).OK(200).Text("origin"), "api")
		})
		t.Run("a cancelled message is still listed", func(t *testing.T) {
			made := ana.Post(t, at, scheduledMessage(w, 2*time.Minute, "never")).OK(201)
			bia.Delete(t, "/scheduled/"+made.ID()).Fails(403, "insufficient_role")
			ana.Delete(t, "/scheduled/"+made.ID()).OK(204)
			ana.Delete(t, "/scheduled/"+made.ID()).Fails(409, "not_scheduled")
			testkit.Diff(t, "list", ana.Get(t, at+"?status=cancelled").OK(200).Text("data", 0, "id"), made.ID())
		})
		t.Run("with cancel_on_reply a customer's message cancels it", func(t *testing.T) {
			gone := ana.Post(t, at, scheduledMessage(w, 2*time.Minute, "gone", map[string]any{"cancel_on_reply": true})).OK(201)
			stays := ana.Post(t, at, scheduledMessage(w, 2*time.Minute, "stays")).OK(201)
			customerWrites(t, w, channel, phoneNumber(1))
			testkit.Diff(t, "status with cancel_on_reply", waitForOutcome(t, ana, id, gone.ID())["status"], "cancelled")
			w.Clock.Advance(3 * time.Minute)
			testkit.Diff(t, "status without cancel_on_reply", waitForOutcome(t, ana, id, stays.ID())["status"], "sent")
		})
		t.Run("the rules for sending are checked again at its time", func(t *testing.T) {
			made := ana.Post(t, at, scheduledMessage(w, 2*time.Minute, "blocked by then")).OK(201)
			contact := w.A.Get(t, "/conversations/"+id).OK(200).Text("contact")
			blockContact(t, w, contact)
			ana.Post(t, at, scheduledMessage(w, 2*time.Minute, "blocked now")).Fails(409, "contact_blocked")
			w.Clock.Advance(3 * time.Minute)
			done := waitForOutcome(t, ana, id, made.ID())
			testkit.Diff(t, "status", done["status"], "failed")
			testkit.Diff(t, "error.code", done["error"].(map[string]any)["code"], "contact_blocked")
			testkit.Diff(t, "message", done["message"], nil)
			testkit.Diff(t, "notification", notifications(t, ana, "")[0], "message_failed "+id)
			w.A.Patch(t, "/contacts/"+contact, `{"blocked":false}`).OK(200)
		})
		t.Run("it fails when it is more than an hour late", func(t *testing.T) {
			made := ana.Post(t, at, scheduledMessage(w, 2*time.Minute, "late")).OK(201)
			w.Clock.Advance(2 * time.Hour)
			testkit.Diff(t, "error.code", waitForOutcome(t, ana, id, made.ID())["error"].(map[string]any)["code"], "too_late")
		})
		t.Run("it fails when the sender was removed", func(t *testing.T) {
			made := bia.Post(t, at, scheduledMessage(w, 2*time.Minute, "left")).OK(201)
			w.A.Delete(t, "/team/"+made.Text("created_by", "id")).OK(204)
			w.Clock.Advance(3 * time.Minute)
			testkit.Diff(t, "error.code", waitForOutcome(t, ana, id, made.ID())["error"].(map[string]any)["code"], "sender_removed")
		})
		t.Run("it fails when the key was revoked", func(t *testing.T) {
			key, c := w.NewKey(t, w.A.ID, keyWithScopes(people.ScopeMessagesSend))
			made := c.Post(t, at, scheduledMessage(w, 2*time.Minute, "revoked")).OK(201)
			w.A.Delete(t, "/keys/"+key.ID.String()).OK(204)
			w.Clock.Advance(3 * time.Minute)
			testkit.Diff(t, "error.code", waitForOutcome(t, ana, id, made.ID())["error"].(map[string]any)["code"], "key_revoked")
		})
		t.Run("a conversation has at most 50 scheduled messages", func(t *testing.T) {
			for n := range talk.MaxScheduled {
				ana.Post(t, at, scheduledMessage(w, time.Hour, fmt.Sprint(n))).OK(201)
			}
			ana.Post(t, at, scheduledMessage(w, time.Hour, "one more")).Fails(409, "limit_reached")
			page, seen := ana.Get(t, at+"?limit=20&status=scheduled").OK(200), 0
			for {
				seen += len(page.List())
				if page.At("next_cursor") == nil {
					break
				}
				page = ana.Get(t, at+"?limit=20&status=scheduled&cursor="+page.Text("next_cursor")).OK(200)
			}
			testkit.Diff(t, "number of messages in pages", seen, talk.MaxScheduled)
		})
	})
}
