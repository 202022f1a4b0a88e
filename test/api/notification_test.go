package api_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/test/servertest"
)

// told gives the kinds and conversations of a person's notifications.
func told(t *testing.T, c *servertest.Client, query string) []string {
	t.Helper()
	out := []string{}
	page := c.Get(t, "/me/notifications"+query).OK(200)
	for i := range page.List() {
		out = append(out, page.Text("data", i, "kind")+" "+page.Text("data", i, "conversation", "id"))
	}
	return out
}

func TestNotifications(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		bia, biaID := signedIn(t, w, "Bia")
		own, ownID := signedIn(t, w, "Own", `"access_profile":"own"`)
		sector := w.A.Post(t, "/sectors", fmt.Sprintf(`{"name":"Sales","member_ids":[%q,%q,%q]}`, anaID, biaID, ownID)).OK(201).ID()
		id := customerWrites(t, w, channel, phoneNumber(1))
		c := "/conversations/" + id
		stream, _ := live(t, ana)

		t.Run("mentioned in a note, and not by oneself", func(t *testing.T) {
			written := bia.Post(t, c+"/notes", note("look", anaID, biaID)).OK(201)
			page := ana.Get(t, "/me/notifications").OK(200)
			want(t, "kind", page.Text("data", 0, "kind"), "mentioned")
			want(t, "conversation", page.At("data", 0, "conversation"), any(map[string]any{"id": id, "name": w.A.Get(t, c).OK(200).Text("name")}))
			want(t, "by", page.At("data", 0, "by"), any(map[string]any{"id": biaID, "name": "Bia"}))
			want(t, "entry", page.Text("data", 0, "entry"), written.ID())
			want(t, "the timeline around it", entries(t, ana.Get(t, c+"/timeline?limit=1&around="+written.ID()).OK(200)), []string{"note " + written.ID()})
			want(t, "read_at", page.At("data", 0, "read_at"), nil)
			want(t, "unread_count", page.Int("unread_count"), 1)
			signal := await(t, stream, "notification")
			want(t, "signal", []any{signal["kind"], signal["conversation"]}, []any{"mentioned", id})
			want(t, "Bia", told(t, bia, ""), []string{})
		})
		t.Run("a repeat of the note tells no second time, an edit only those who are new", func(t *testing.T) {
			body := note("again", anaID)
			made := bia.Post(t, c+"/notes", body).OK(201)
			bia.Post(t, c+"/notes", body).OK(201)
			bia.Patch(t, "/notes/"+made.ID(), map[string]any{"mentions": []string{anaID}}).OK(200)
			want(t, "Ana", len(told(t, ana, "")), 2)
		})
		t.Run("read by id and all", func(t *testing.T) {
			first := ana.Get(t, "/me/notifications").OK(200).Text("data", 0, "id")
			bia.Post(t, "/me/notifications/read", map[string]any{"ids": []string{first}}).OK(204)
			want(t, "another person's", len(told(t, ana, "?unread=true")), 2)
			ana.Post(t, "/me/notifications/read", map[string]any{"ids": []string{first, kernel.NewID().String()}}).OK(204)
			want(t, "unread", len(told(t, ana, "?unread=true")), 1)
			want(t, "false filters nothing", len(told(t, ana, "?unread=false")), 2)
			want(t, "1 is true", told(t, ana, "?unread=1"), told(t, ana, "?unread=true"))
			want(t, "0 is false", told(t, ana, "?unread=0"), told(t, ana, "?unread=false"))
			want(t, "all", len(told(t, ana, "")), 2)
			if ana.Get(t, "/me/notifications").OK(200).Text("data", 0, "read_at") == "" {
				t.Error("read_at: got null, want a time")
			}
			ana.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
			want(t, "unread_count", ana.Get(t, "/me/notifications").OK(200).Int("unread_count"), 0)
			for kind := ""; kind != "read"; {
				kind = await(t, stream, "notification")["kind"].(string)
			}
			for _, body := range []string{`{}`, `{"all":false}`, `{"all":true,"ids":["` + first + `"]}`, `{"ids":["x"]}`} {
				ana.Post(t, "/me/notifications/read", body).Fails(400, "invalid_request")
			}
		})
		t.Run("assigned by another person", func(t *testing.T) {
			ana.Post(t, c+"/take", nil).OK(200)
			want(t, "by oneself", told(t, ana, "?unread=true"), []string{})
			bia.Post(t, c+"/transfer", map[string]string{"user_id": anaID}).OK(200)
			want(t, "who is responsible already", told(t, ana, "?unread=true"), []string{})
			bia.Post(t, c+"/transfer", map[string]string{"user_id": ownID}).OK(200)
			want(t, "who sees it only then", told(t, own, ""), []string{"assigned " + id})
			bia.Post(t, c+"/transfer", map[string]string{"user_id": anaID}).OK(200)
			want(t, "assigned", told(t, ana, "?unread=true"), []string{"assigned " + id})
			want(t, "entry", ana.Get(t, "/me/notifications").OK(200).At("data", 0, "entry"), nil)
		})
		t.Run("waiting in the queue of one of my sectors", func(t *testing.T) {
			ana.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
			bia.Post(t, c+"/transfer", map[string]string{"sector_id": sector}).OK(200)
			want(t, "Ana", told(t, ana, "?unread=true"), []string{"waiting " + id})
			want(t, "who put it there", told(t, bia, ""), []string{})
			want(t, "who does not see queues", told(t, own, ""), []string{})
			w.A.Post(t, c+"/attendance/close", nil).OK(200)
			customerWrites(t, w, channel, phoneNumber(1))
			want(t, "Ana after the customer wrote again", told(t, ana, "?unread=true"), []string{"waiting " + id, "waiting " + id})
			want(t, "Bia after the customer wrote again", told(t, bia, ""), []string{"waiting " + id})
			customerWrites(t, w, channel, phoneNumber(1))
			want(t, "a further message is no entry", len(told(t, bia, "")), 1)
		})
		t.Run("the end of snoozing, by the customer or the time", func(t *testing.T) {
			ana.Post(t, c+"/take", nil).OK(200)
			ana.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
			until := func(d time.Duration) map[string]any {
				return map[string]any{"until": w.Clock.Now().Add(d).Format(time.RFC3339)}
			}
			ana.Post(t, c+"/snooze", until(time.Hour)).OK(200)
			customerWrites(t, w, channel, phoneNumber(1))
			want(t, "customer", told(t, ana, "?unread=true"), []string{"snooze_ended " + id})
			ana.Post(t, c+"/snooze", until(time.Hour)).OK(200)
			w.Clock.Advance(2 * time.Hour)
			if _, err := w.Desk.Talk.WakeSnoozed(t.Context(), w.Clock.Now(), 100); err != nil {
				t.Fatal(err)
			}
			want(t, "the time", len(told(t, ana, "?unread=true")), 2)
		})
		t.Run("a message that failed", func(t *testing.T) {
			ana.Post(t, "/me/notifications/read", `{"all":true}`).OK(204)
			fail := func(sent *servertest.Answer) {
				t.Helper()
				w.A.Post(t, simulatePath(channel), map[string]string{"external_id": sent.OK(201).Text("external_id"), "status": "failed"}).OK(200)
			}
			failed := ana.Post(t, c+"/messages", message("one"))
			fail(failed)
			want(t, "the author", told(t, ana, "?unread=true"), []string{"message_failed " + id})
			want(t, "entry", ana.Get(t, "/me/notifications").OK(200).Text("data", 0, "entry"), failed.ID())
			fail(w.A.Post(t, c+"/messages", message("two")))
			want(t, "for an integration the responsible person", len(told(t, ana, "?unread=true")), 2)
		})
		t.Run("pages, and no more than 30 days", func(t *testing.T) {
			all := told(t, ana, "?limit=100")
			page := ana.Get(t, "/me/notifications?limit=3").OK(200)
			got := len(page.List())
			for page.At("next_cursor") != nil {
				page = ana.Get(t, "/me/notifications?limit=3&cursor="+page.Text("next_cursor")).OK(200)
				got += len(page.List())
			}
			want(t, "entries", got, len(all))
			w.Clock.Advance(31 * 24 * time.Hour)
			ana = w.A.Enter(t, anaID, password)
			want(t, "after 31 days", told(t, ana, ""), []string{})
			want(t, "unread_count", ana.Get(t, "/me/notifications").OK(200).Int("unread_count"), 0)
		})
		t.Run("only for people", func(t *testing.T) {
			w.A.Get(t, "/me/notifications").Fails(403, "session_required")
		})
	})
}

// TestNotificationsOfConversationsOutOfSightAreHidden moves a conversation away from a person who was told of it.
func TestNotificationsOfConversationsOutOfSightAreHidden(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		_, biaID := signedIn(t, w, "Bia")
		own, ownID := signedIn(t, w, "Own", `"access_profile":"own"`)
		first, second := customerWrites(t, w, channel, phoneNumber(1)), customerWrites(t, w, channel, phoneNumber(2))
		for _, id := range []string{first, second} {
			w.A.Post(t, "/conversations/"+id+"/transfer", map[string]any{"user_id": ownID}).OK(200)
		}
		want(t, "before", told(t, own, ""), []string{"assigned " + second, "assigned " + first})
		w.A.Post(t, "/conversations/"+first+"/transfer", map[string]any{"user_id": biaID}).OK(200)
		page := own.Get(t, "/me/notifications?limit=1").OK(200)
		want(t, "after", told(t, own, ""), []string{"assigned " + second})
		want(t, "unread", told(t, own, "?unread=true"), []string{"assigned " + second})
		want(t, "unread_count", page.Int("unread_count"), 1)
		want(t, "next_cursor", page.At("next_cursor"), nil)
		w.A.Post(t, "/conversations/"+first+"/transfer", map[string]any{"user_id": ownID}).OK(200)
		want(t, "seen again", len(told(t, own, "")), 3)
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
		confidentialQuestion(t, w, channel)
		id := admin.Get(t, "/conversations").OK(200).Text("data", 0, "id")
		admin.Post(t, "/conversations/"+id+"/notes", note("look", biaID)).OK(201)
		want(t, "a viewer", told(t, bia, ""), []string{"mentioned " + id})
		viewers(adminID)
		want(t, "no viewer", told(t, bia, ""), []string{})
		want(t, "unread_count", bia.Get(t, "/me/notifications").OK(200).Int("unread_count"), 0)
	})
}
