package api_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// notifications returns the kinds and conversations of a person's notifications.
func notifications(t *testing.T, c *servertest.Client, query string) []string {
	t.Helper()
	out := []string{}
	page := c.Get(t, "/me/notifications"+query).OK(200)
	for i := range page.List() {
		out = append(out, page.Text("data", i, "kind")+" "+page.Text("data", i, "conversation", "id"))
	}
	return out
}

func TestNotificationsAreCreatedAndRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		bia, biaID := signedIn(t, w, "Bia")
		own, ownID := signedIn(t, w, "Own", `"access_profile":"own"`)
		sector := w.A.Post(t, "/sectors", fmt.Sprintf(`{"name":"Sales","member_ids":[%q,%q,%q]}`, anaID, biaID, ownID)).OK(201).ID()
		id := customerWrites(t, w, channel, phoneNumber(1))
		c := "/conversations/" + id
		stream, _ := openLive(t, ana)

		t.Run("a mention in a note notifies the others who are mentioned", func(t *testing.T) {
			written := bia.Post(t, c+"/notes", note("look", anaID, biaID)).OK(201)
			page := ana.Get(t, "/me/notifications").OK(200)
			testkit.Diff(t, "kind", page.Text("data", 0, "kind"), "mentioned")
			testkit.Diff(t, "conversation", page.At("data", 0, "conversation"), map[string]any{"id": id, "name": w.A.Get(t, c).OK(200).Text("name")})
			testkit.Diff(t, "by", page.At("data", 0, "by"), map[string]any{"id": biaID, "name": "Bia"})
			testkit.Diff(t, "entry", page.Text("data", 0, "entry"), written.ID())
			testkit.Diff(t, "timeline around the entry", timelineEntries(t, ana.Get(t, c+"/timeline?limit=1&around="+written.ID()).OK(200)), []string{"note " + written.ID()})
			testkit.Diff(t, "read_at", page.At("data", 0, "read_at"), nil)
			testkit.Diff(t, "unread_count", page.Int("unread_count"), 1)
			signal := await(t, stream, "notification")
			testkit.Diff(t, "signal", []any{signal["kind"], signal["conversation"]}, []any{"mentioned", id})
			testkit.Diff(t, "notifications of the author", notifications(t, bia, ""), []string{})
		})
		t.Run("repeating or editing a note does not notify the same person again", func(t *testing.T) {
			body := note("again", anaID)
			made := bia.Post(t, c+"/notes", body).OK(201)
			bia.Post(t, c+"/notes", body).OK(201)
			bia.Patch(t, "/notes/"+made.ID(), map[string]any{"mentions": []string{anaID}}).OK(200)
			testkit.Diff(t, "number of Ana's notifications", len(notifications(t, ana, "")), 2)
		})
		t.Run("notifications are marked as read by id or all at once", func(t *testing.T) {
			first := ana.Get(t, "/me/notifications").OK(200).Text("data", 0, "id")
			bia.Post(t, "/me/notifications/read", map[string]any{"ids": []string{first}}).OK(204)
			testkit.Diff(t, "number of unread notifications after another person's call", len(notifications(t, ana, "?unread=true")), 2)
			ana.Post(t, "/me/notifications/read", map[string]any{"ids": []string{first, kernel.NewID().String()}}).OK(204)
			testkit.Diff(t, "number of unread notifications", len(notifications(t, ana, "?unread=true")), 1)
			testkit.Diff(t, "number of notifications with unread=false", len(notifications(t, ana, "?unread=false")), 2)
			testkit.Diff(t, "notifications with unread=1", notifications(t, ana, "?unread=1"), notifications(t, ana, "?unread=true"))
			testkit.Diff(t, "notifications with unread=0", notifications(t, ana, "?unread=0"), notifications(t, ana, "?unread=false"))
			testkit.Diff(t, "number of notifications", len(notifications(t, ana, "")), 2)
			if ana.Get(t, "/me/notifications").OK(200).Text("data", 0, "read_at") == "" {
				t.Error("read_at: got null, want a time")
			}
			ana.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
			testkit.Diff(t, "unread_count", ana.Get(t, "/me/notifications").OK(200).Int("unread_count"), 0)
			for kind := ""; kind != "read"; {
				kind = await(t, stream, "notification")["kind"].(string)
			}
			for _, body := range []string{`{}`, `{"all":false}`, `{"all":true,"ids":["` + first + `"]}`, `{"ids":["x"]}`} {
				ana.Post(t, "/me/notifications/read", body).Fails(400, "invalid_request")
			}
		})
		t.Run("an assignment by another person notifies", func(t *testing.T) {
			ana.Post(t, c+"/take", nil).OK(200)
			testkit.Diff(t, "notifications after taking it oneself", notifications(t, ana, "?unread=true"), []string{})
			bia.Post(t, c+"/transfer", map[string]string{"user_id": anaID}).OK(200)
			testkit.Diff(t, "notifications of a person who was already responsible", notifications(t, ana, "?unread=true"), []string{})
			bia.Post(t, c+"/transfer", map[string]string{"user_id": ownID}).OK(200)
			testkit.Diff(t, "notifications of a person who sees it only since then", notifications(t, own, ""), []string{"assigned " + id})
			bia.Post(t, c+"/transfer", map[string]string{"user_id": anaID}).OK(200)
			testkit.Diff(t, "unread notifications after the assignment", notifications(t, ana, "?unread=true"), []string{"assigned " + id})
			testkit.Diff(t, "entry", ana.Get(t, "/me/notifications").OK(200).At("data", 0, "entry"), nil)
		})
		t.Run("a conversation waiting in a sector notifies its members", func(t *testing.T) {
			ana.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
			bia.Post(t, c+"/transfer", map[string]string{"sector_id": sector}).OK(200)
			testkit.Diff(t, "Ana's notifications", notifications(t, ana, "?unread=true"), []string{"waiting " + id})
			testkit.Diff(t, "notifications of the person who transferred it", notifications(t, bia, ""), []string{})
			testkit.Diff(t, "notifications of a member who does not see queues", notifications(t, own, ""), []string{})
			w.A.Post(t, c+"/attendance/close", nil).OK(200)
			customerWrites(t, w, channel, phoneNumber(1))
			testkit.Diff(t, "Ana's notifications after the customer wrote again", notifications(t, ana, "?unread=true"), []string{"waiting " + id, "waiting " + id})
			testkit.Diff(t, "Bia's notifications after the customer wrote again", notifications(t, bia, ""), []string{"waiting " + id})
			customerWrites(t, w, channel, phoneNumber(1))
			testkit.Diff(t, "number of Bia's notifications after another message", len(notifications(t, bia, "")), 1)
		})
		t.Run("the end of a snooze notifies", func(t *testing.T) {
			ana.Post(t, c+"/take", nil).OK(200)
			ana.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
			until := func(d time.Duration) map[string]any {
				return map[string]any{"until": w.Clock.Now().Add(d).Format(time.RFC3339)}
			}
			ana.Post(t, c+"/snooze", until(time.Hour)).OK(200)
			customerWrites(t, w, channel, phoneNumber(1))
			testkit.Diff(t, "notifications after the customer wrote", notifications(t, ana, "?unread=true"), []string{"snooze_ended " + id})
			ana.Post(t, c+"/snooze", until(time.Hour)).OK(200)
			w.Clock.Advance(2 * time.Hour)
			if _, err := w.Desk.Talk.WakeSnoozed(t.Context(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
			testkit.Diff(t, "number of notifications after the time was over", len(notifications(t, ana, "?unread=true")), 2)
		})
		t.Run("a failed message notifies", func(t *testing.T) {
			ana.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
			fail := func(sent *servertest.Answer) {
				t.Helper()
				w.A.Post(t, simulatePath(channel), map[string]string{"external_id": sent.OK(201).Text("external_id"), "status": "failed"}).OK(200)
			}
			failed := ana.Post(t, c+"/messages", message("one"))
			fail(failed)
			testkit.Diff(t, "notifications of the author", notifications(t, ana, "?unread=true"), []string{"message_failed " + id})
			testkit.Diff(t, "entry", ana.Get(t, "/me/notifications").OK(200).Text("data", 0, "entry"), failed.ID())
			fail(w.A.Post(t, c+"/messages", message("two")))
			testkit.Diff(t, "number of notifications after an integration's message failed", len(notifications(t, ana, "?unread=true")), 2)
		})
		t.Run("notifications are listed in pages and kept for 30 days", func(t *testing.T) {
			all := notifications(t, ana, "?limit=100")
			page := ana.Get(t, "/me/notifications?limit=3").OK(200)
			got := len(page.List())
			for page.At("next_cursor") != nil {
				page = ana.Get(t, "/me/notifications?limit=3&cursor="+page.Text("next_cursor")).OK(200)
				got += len(page.List())
			}
			testkit.Diff(t, "number of notifications in pages", got, len(all))
			w.Clock.Advance(31 * 24 * time.Hour)
			ana = w.A.Enter(t, anaID, password)
			testkit.Diff(t, "notifications after 31 days", notifications(t, ana, ""), []string{})
			testkit.Diff(t, "unread_count", ana.Get(t, "/me/notifications").OK(200).Int("unread_count"), 0)
		})
		t.Run("keys have no notifications", func(t *testing.T) {
			w.A.Get(t, "/me/notifications").Fails(403, "session_required")
		})
	})
}

// TestNotificationsOfInvisibleConversationsAreHidden transfers a conversation away from a person who was notified about it.
func TestNotificationsOfInvisibleConversationsAreHidden(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		_, biaID := signedIn(t, w, "Bia")
		own, ownID := signedIn(t, w, "Own", `"access_profile":"own"`)
		first, second := customerWrites(t, w, channel, phoneNumber(1)), customerWrites(t, w, channel, phoneNumber(2))
		for _, id := range []string{first, second} {
			w.A.Post(t, "/conversations/"+id+"/transfer", map[string]any{"user_id": ownID}).OK(200)
		}
		testkit.Diff(t, "notifications before the transfer", notifications(t, own, ""), []string{"assigned " + second, "assigned " + first})
		w.A.Post(t, "/conversations/"+first+"/transfer", map[string]any{"user_id": biaID}).OK(200)
		page := own.Get(t, "/me/notifications?limit=1").OK(200)
		testkit.Diff(t, "notifications after the transfer", notifications(t, own, ""), []string{"assigned " + second})
		testkit.Diff(t, "unread notifications after the transfer", notifications(t, own, "?unread=true"), []string{"assigned " + second})
		testkit.Diff(t, "unread_count", page.Int("unread_count"), 1)
		testkit.Diff(t, "next_cursor", page.At("next_cursor"), nil)
		w.A.Post(t, "/conversations/"+first+"/transfer", map[string]any{"user_id": ownID}).OK(200)
		testkit.Diff(t, "number of notifications when it is visible again", len(notifications(t, own, "")), 3)
	})
}

func TestNotificationsOfAPrivateChannelAreForItsViewers(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		admin, adminID := signedIn(t, w, "Ada", `"role":"admin"`)
		bia, biaID := signedIn(t, w, "Bia")
		channel := admin.Post(t, "/channels", `{"name":"Board","phone":"+551140028922","provider":"sandbox","private":true}`).OK(201).ID()
		viewers := func(ids ...string) {
			t.Helper()
			admin.Patch(t, "/channels/"+channel, map[string]any{"viewers": ids}).OK(200)
		}
		viewers(adminID, biaID)
		receiveConfidentialMessage(t, w, channel)
		id := admin.Get(t, "/conversations").OK(200).Text("data", 0, "id")
		admin.Post(t, "/conversations/"+id+"/notes", note("look", biaID)).OK(201)
		testkit.Diff(t, "notifications of a viewer", notifications(t, bia, ""), []string{"mentioned " + id})
		viewers(adminID)
		testkit.Diff(t, "notifications of a former viewer", notifications(t, bia, ""), []string{})
		testkit.Diff(t, "unread_count", bia.Get(t, "/me/notifications").OK(200).Int("unread_count"), 0)
	})
}
