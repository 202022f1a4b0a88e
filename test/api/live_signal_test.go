package api_test

import (
	"fmt"
	"testing"
	"time"

	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
)

// viewers returns the names of the users in a viewing signal.
func viewers(data map[string]any) (names []string) {
	for _, u := range data["users"].([]any) {
		names = append(names, u.(map[string]any)["name"].(string))
	}
	return names
}

func TestActivityIsSignalledAndExpires(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		conversation := customerWritesText(t, w.A.Client, channel, "+5511987650001", "hello")
		report := func(c *servertest.Client, kind string) {
			t.Helper()
			c.Post(t, "/conversations/"+conversation+"/activity", map[string]string{"kind": kind}).OK(204)
		}
		messages, _ := openLive(t, bia)
		report(ana, "typing")
		typing := await(t, messages, "typing")
		if user := typing["user"].(map[string]any); typing["conversation"] != conversation || user["id"] != anaID || user["name"] != "Ana" {
			t.Errorf("typing: got %v, want Ana in %s", typing, conversation)
		}
		report(ana, "viewing")
		if got := viewers(await(t, messages, "viewing")); fmt.Sprint(got) != "[Ana]" {
			t.Errorf("viewers: got %v, want Ana", got)
		}
		report(bia, "viewing")
		if got := viewers(await(t, messages, "viewing")); fmt.Sprint(got) != "[Ana Bia]" {
			t.Errorf("viewers: got %v, want Ana and Bia", got)
		}
		report(ana, "viewing") // not passed on within two seconds
		report(ana, "left")
		if got := viewers(await(t, messages, "viewing")); fmt.Sprint(got) != "[Bia]" {
			t.Errorf("viewers: got %v, want Bia", got)
		}
		report(ana, "viewing") // passed on at once after left
		if got := viewers(await(t, messages, "viewing")); fmt.Sprint(got) != "[Bia Ana]" {
			t.Errorf("viewers: got %v, want Bia and Ana", got)
		}
		later, _ := openLive(t, ana)
		if got := viewers(await(t, later, "viewing")); fmt.Sprint(got) != "[Bia Ana]" {
			t.Errorf("viewers in a new stream: got %v, want Bia and Ana", got)
		}
		w.Clock.Advance(3 * time.Second)
		report(ana, "viewing") // passed on again
		await(t, messages, "viewing")
		w.Clock.Advance(18 * time.Second)
		if got := viewers(await(t, messages, "viewing")); fmt.Sprint(got) != "[Ana]" {
			t.Errorf("viewers after Bia's activity expired: got %v, want Ana", got)
		}
		w.Clock.Advance(20 * time.Second)
		if got := viewers(await(t, messages, "viewing")); len(got) != 0 {
			t.Errorf("viewers after all activity expired: got %v, want none", got)
		}

		activity := "/conversations/" + conversation + "/activity"
		ana.Post(t, activity, `{"kind":"sleeping"}`).Fails(400, "invalid_request")
		ana.Post(t, activity, `{}`).Fails(400, "invalid_request")
		w.A.Post(t, activity, `{"kind":"typing"}`).Fails(403, "session_required")
		own, _ := signedIn(t, w, "Own", `"access_profile":"own"`)
		own.Post(t, activity, `{"kind":"typing"}`).Fails(404, "not_found")
		ana.Post(t, "/conversations/"+anaID+"/activity", `{"kind":"typing"}`).Fails(404, "not_found")
	})
}

func TestATypingPersonStaysAViewerUntilTheyLeave(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, _ := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		conversation := customerWritesText(t, w.A.Client, channel, "+5511987650001", "hello")
		report := func(c *servertest.Client, kind string) {
			t.Helper()
			c.Post(t, "/conversations/"+conversation+"/activity", map[string]string{"kind": kind}).OK(204)
		}
		messages, _ := openLive(t, bia)
		report(ana, "viewing")
		await(t, messages, "viewing")
		for range 3 {
			w.Clock.Advance(10 * time.Second)
			report(ana, "typing")
			await(t, messages, "typing")
		}
		report(bia, "viewing")
		if got := viewers(await(t, messages, "viewing")); fmt.Sprint(got) != "[Ana Bia]" {
			t.Errorf("viewers after 30 seconds of typing: got %v, want Ana and Bia", got)
		}
		report(ana, "left")
		if got := viewers(await(t, messages, "viewing")); fmt.Sprint(got) != "[Bia]" {
			t.Errorf("viewers after Ana left: got %v, want Bia", got)
		}
		report(bia, "left")
		await(t, messages, "viewing")
		// A person who typed without viewing can leave too.
		report(ana, "typing")
		await(t, messages, "typing")
		w.Clock.Advance(3 * time.Second)
		report(ana, "left")
		if got := viewers(await(t, messages, "viewing")); len(got) != 0 {
			t.Errorf("viewers after Ana left: got %v, want none", got)
		}
	})
}

func TestPresenceChangesAreSignalled(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ana, _ := signedIn(t, w, "Ana")
		bia, biaID := signedIn(t, w, "Bia")
		bia.Get(t, "/session").OK(200)
		messages, _ := openLive(t, ana)
		expectPresence := func(presence string) {
			t.Helper()
			for {
				data := await(t, messages, "presence")
				if user := data["user"].(map[string]any); user["id"] == biaID {
					if data["presence"] != presence || user["name"] != "Bia" {
						t.Errorf("presence: got %v, want %s", data, presence)
					}
					return
				}
			}
		}
		bia.Put(t, "/me/presence", map[string]string{"presence": "offline"}).OK(200)
		expectPresence("offline")
		bia.Put(t, "/me/presence", map[string]string{"presence": "auto"}).OK(200)
		expectPresence("online")
		w.Clock.Advance(3 * time.Minute)
		expectPresence("away")
		openLive(t, bia)
		expectPresence("online")
	})
}

func TestSignalsReachOtherNodes(t *testing.T) {
	t.Parallel()
	url := kerneltest.URL(t)
	now := func(c *server.Config) { c.Now = nil }
	w := servertest.Start(t, url, now)
	second, _ := w.SecondNode(t, url, now)
	channel := sandbox(t, w)
	ana, _ := signedIn(t, w, "Ana")
	bia, biaID := signedIn(t, w, "Bia")
	own, ownID := signedIn(t, w, "Own", `"access_profile":"own"`)
	conversation := customerWritesText(t, w.A.Client, channel, "+5511987650001", "hello")
	messages, _ := openLive(t, ana.On(second))
	owns, _ := openLive(t, own.On(second))
	for _, kind := range []string{"typing", "viewing"} {
		bia.Post(t, "/conversations/"+conversation+"/activity", map[string]string{"kind": kind}).OK(204)
		if got := await(t, messages, kind)["conversation"]; got != conversation {
			t.Errorf("%s: got %v, want %s", kind, got, conversation)
		}
	}
	bia.Put(t, "/me/presence", map[string]string{"presence": "away"}).OK(200)
	for {
		data := await(t, messages, "presence")
		if data["user"].(map[string]any)["id"] == biaID && data["presence"] == "away" {
			break
		}
	}
	w.A.Post(t, "/conversations/"+conversation+"/transfer", map[string]string{"user_id": ownID}).OK(200)
	await(t, owns, "conversation.updated")
	w.A.Post(t, "/conversations/"+conversation+"/transfer", map[string]string{"user_id": biaID}).OK(200)
	if got := await(t, owns, "gone")["conversation"]; got != conversation {
		t.Errorf("gone: got %v, want %s", got, conversation)
	}
	t.Run("a change of the access profile resets a person's streams", func(t *testing.T) {
		w.A.Patch(t, "/team/"+ownID, map[string]string{"access_profile": "all"}).OK(200)
		await(t, owns, "reset")
	})
	t.Run("a person has at most six streams on all nodes together", func(t *testing.T) {
		var streams []<-chan sse
		for i := range 8 {
			node := w.A.Client
			if i%2 == 1 {
				node = second
			}
			opened, _ := openLive(t, ana.On(node))
			streams = append(streams, opened)
		}
		for i, s := range append([]<-chan sse{messages}, streams[:2]...) {
			if got := waitForEnd(t, s); got != `{"state":"replaced"}` {
				t.Errorf("stream %d: last session signal: got %q, want replaced", i, got)
			}
		}
		bia.Post(t, "/conversations/"+conversation+"/activity", map[string]string{"kind": "left"}).OK(204)
		bia.Post(t, "/conversations/"+conversation+"/activity", map[string]string{"kind": "viewing"}).OK(204)
		for _, s := range streams[2:] {
			await(t, s, "viewing")
		}
	})
}

func TestASeventhStreamReplacesTheOldest(t *testing.T) {
	t.Parallel()
	servertest.EachLive(t, func(t *testing.T, w *servertest.World) {
		ana, _ := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		bias, _ := openLive(t, bia)
		var streams []<-chan sse
		for range 7 {
			messages, _ := openLive(t, ana)
			streams = append(streams, messages)
		}
		if got := waitForEnd(t, streams[0]); got != `{"state":"replaced"}` {
			t.Errorf("last session signal: got %q, want replaced", got)
		}
		conversation := customerWritesText(t, w.A.Client, sandbox(t, w), "+5511987650001", "hello")
		for _, s := range append(streams[1:], bias) {
			if got := await(t, s, "message.received")["data"].(map[string]any)["message"].(map[string]any)["conversation"]; got != conversation {
				t.Errorf("conversation: got %v, want %s", got, conversation)
			}
		}
	})
}
