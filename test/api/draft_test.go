package api_test

import (
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
)

func TestDrafts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		in := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","text":"oi"}`).OK(201)
		id := in.Text("conversation")
		c := "/conversations/" + id
		ana, _ := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		own, _ := signedIn(t, w, "Own", `"access_profile":"own"`)
		mine, _ := live(t, ana)

		saved := ana.Put(t, c+"/draft", map[string]any{"text": "Good morn", "reply_to_external_id": in.Text("external_id")}).OK(200)
		want(t, "text", saved.Text("text"), "Good morn")
		want(t, "reply_to_external_id", saved.Text("reply_to_external_id"), in.Text("external_id"))
		var draft any
		saved.Into(&draft)

		t.Run("the person's other streams are told", func(t *testing.T) {
			want(t, "conversation", await(t, mine, "draft")["conversation"], any(id))
		})
		t.Run("it is shown with the conversation to that person alone", func(t *testing.T) {
			want(t, "one", ana.Get(t, c).OK(200).At("draft"), draft)
			want(t, "list", ana.Get(t, "/conversations").OK(200).At("data", 0, "draft"), draft)
			want(t, "changed", ana.Patch(t, c, `{"pinned":true}`).OK(200).At("draft"), draft)
			want(t, "transferred", ana.Post(t, c+"/transfer", `{"user_id":null}`).OK(200).At("draft"), draft)
			shown, there := bia.Get(t, c).OK(200).At().(map[string]any)["draft"]
			if shown != nil || !there {
				t.Errorf("another person's draft: got %v, want null", shown)
			}
			if shown, there := w.A.Get(t, c).OK(200).At().(map[string]any)["draft"]; there {
				t.Errorf("a key is shown the draft %v", shown)
			}
		})
		t.Run("the last one counts", func(t *testing.T) {
			ana.Put(t, c+"/draft", `{"text":"Good morning","reply_to_external_id":null}`).OK(200)
			want(t, "text", ana.Get(t, c).OK(200).Text("draft", "text"), "Good morning")
			want(t, "reply_to_external_id", ana.Get(t, c).OK(200).At("draft", "reply_to_external_id"), nil)
		})
		t.Run("it is gone when that person sends", func(t *testing.T) {
			bia.Put(t, c+"/draft", `{"text":"mine stays"}`).OK(200)
			await(t, mine, "draft")
			ana.Post(t, c+"/messages", message("Good morning")).OK(201)
			want(t, "draft", ana.Get(t, c).OK(200).At("draft"), nil)
			await(t, mine, "draft")
			want(t, "another person's", bia.Get(t, c).OK(200).Text("draft", "text"), "mine stays")
		})
		t.Run("it is deleted", func(t *testing.T) {
			bia.Delete(t, c+"/draft").OK(204)
			bia.Delete(t, c+"/draft").OK(204)
			want(t, "draft", bia.Get(t, c).OK(200).At("draft"), nil)
		})
		t.Run("what cannot be a draft is refused", func(t *testing.T) {
			ana.Put(t, c+"/draft", `{"text":""}`).Fails(400, "invalid_request")
			ana.Put(t, c+"/draft", `{"text":"x","reply_to_external_id":"unknown"}`).Fails(400, "invalid_request")
			ana.Put(t, c+"/draft", `{}`).Fails(400, "invalid_request")
			ana.Put(t, "/conversations/"+kernel.NewID().String()+"/draft", `{"text":"x"}`).Fails(404, "not_found")
			own.Put(t, c+"/draft", `{"text":"x"}`).Fails(404, "not_found")
			own.Delete(t, c+"/draft").Fails(404, "not_found")
			w.A.Put(t, c+"/draft", `{"text":"x"}`).Fails(403, "session_required")
		})
	})
}
