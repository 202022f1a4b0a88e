package api_test

import (
	"fmt"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestAPageShowsTheFileSenderAndAuthorOfEachMessage(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		ana, anaID := signedIn(t, w, "Ana")
		photo := w.A.Upload(t, "photo of \"us\".jpg", jpegFile(t, 320, 200)).OK(201)
		first := w.A.Post(t, simulatePath(channel), fmt.Sprintf(`{"from":%q,"name":"Rui","group":{"id":"g1","name":"Team"},"media_id":%q,"text":"look"}`, phoneNumber(1), photo.ID())).OK(201)
		path := "/conversations/" + first.Text("conversation") + "/messages"
		second := ana.Post(t, path, fmt.Sprintf(`{"client_id":%q,"text":"nice"}`, kernel.NewID())).OK(201)
		page := w.A.Get(t, path).OK(200)
		testkit.Diff(t, "messages", len(page.List()), 2)

		testkit.Diff(t, "sender", page.At("data", 0, "sent_by"), map[string]any{"id": anaID, "name": "Ana"})
		testkit.Diff(t, "file of a text", page.At("data", 0, "media"), nil)
		testkit.Diff(t, "author of a sent message", page.At("data", 0, "author"), nil)
		testkit.Diff(t, "id", page.Text("data", 0, "id"), second.ID())

		testkit.Diff(t, "sender of a received message", page.At("data", 1, "sent_by"), nil)
		testkit.Diff(t, "author", page.Text("data", 1, "author", "name"), "Rui")
		testkit.Diff(t, "media_id", page.Text("data", 1, "media_id"), photo.ID())
		testkit.Diff(t, "file", page.At("data", 1, "media"), any(map[string]any{
			"id": photo.ID(), "mime_type": "image/jpeg", "file_name": photo.Text("file_name"), "size": photo.At("size"),
			"width": float64(320), "height": float64(200), "duration_seconds": nil,
		}))
	})
}
