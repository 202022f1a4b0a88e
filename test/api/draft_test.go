package api_test

import (
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestADraftBelongsToOnePerson(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		in := w.A.Post(t, simulatePath(channel), `{"from":"`+phoneNumber(1)+`","text":"oi"}`).OK(201)
		id := in.Text("conversation")
		c := "/conversations/" + id
		ana, _ := signedIn(t, w, "Ana")
		bia, _ := signedIn(t, w, "Bia")
		own, _ := signedIn(t, w, "Own", `"access_profile":"own"`)
		mine, _ := openLive(t, ana)

		saved := ana.Put(t, c+"/draft", map[string]any{"text": "Good morn", "reply_to_external_id": in.Text("external_id")}).OK(200)
		testkit.Diff(t, "text", saved.Text("text"), "Good morn")
		testkit.Diff(t, "reply_to_external_id", saved.Text("reply_to_external_id"), in.Text("external_id"))
		var draft any
		saved.Into(&draft)

		t.Run("the person's other streams get a signal", func(t *testing.T) {
			testkit.Diff(t, "conversation", await(t, mine, "draft")["conversation"], id)
		})
		t.Run("only that person sees it with the conversation", func(t *testing.T) {
			testkit.Diff(t, "one", ana.Get(t, c).OK(200).At("draft"), draft)
			testkit.Diff(t, "list", ana.Get(t, "/conversations").OK(200).At("data", 0, "draft"), draft)
			testkit.Diff(t, "changed", ana.Patch(t, c, `{"pinned":true}`).OK(200).At("draft"), draft)
			testkit.Diff(t, "transferred", ana.Post(t, c+"/transfer", `{"user_id":null}`).OK(200).At("draft"), draft)
			shown, present := bia.Get(t, c).OK(200).At().(map[string]any)["draft"]
			if shown != nil || !present {
				t.Errorf("draft for another person: got %v, want null", shown)
			}
			if shown, present := w.A.Get(t, c).OK(200).At().(map[string]any)["draft"]; present {
				t.Errorf("draft for a key: got %v, want no such field", shown)
			}
		})
		t.Run("a new draft replaces the last one", func(t *testing.T) {
			ana.Put(t, c+"/draft", `{"text":"Good morning","reply_to_external_id":null}`).OK(200)
			testkit.Diff(t, "text", ana.Get(t, c).OK(200).Text("draft", "text"), "Good morning")
			testkit.Diff(t, "reply_to_external_id", ana.Get(t, c).OK(200).At("draft", "reply_to_external_id"), nil)
		})
		t.Run("sending a message deletes the sender's draft", func(t *testing.T) {
			bia.Put(t, c+"/draft", `{"text":"mine stays"}`).OK(200)
			await(t, mine, "draft")
			ana.Post(t, c+"/messages", message("Good morning")).OK(201)
			testkit.Diff(t, "draft", ana.Get(t, c).OK(200).At("draft"), nil)
			await(t, mine, "draft")
			testkit.Diff(t, "text of another person's draft", bia.Get(t, c).OK(200).Text("draft", "text"), "mine stays")
		})
		t.Run("a draft can be deleted", func(t *testing.T) {
			bia.Delete(t, c+"/draft").OK(204)
			bia.Delete(t, c+"/draft").OK(204)
			testkit.Diff(t, "draft", bia.Get(t, c).OK(200).At("draft"), nil)
		})
		t.Run("invalid drafts are refused", func(t *testing.T) {
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
