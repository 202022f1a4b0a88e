package api_test

import (
	"fmt"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestAChannelCanSignMessages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		at := "/conversations/" + customerWrites(t, w, channel, phoneNumber(1)) + "/messages"
		ana, _ := signedIn(t, w, "Ana")
		text := func(c *servertest.Client, body any) string {
			t.Helper()
			return c.Post(t, at, body).OK(201).Text("text")
		}

		testkit.Diff(t, "sign", w.A.Get(t, "/channels").OK(200).At("data", 0, "sign"), false)
		testkit.Diff(t, "text without sign", text(ana, message("hello")), "hello")
		testkit.Diff(t, "sign", w.A.Patch(t, "/channels/"+channel, `{"sign":true}`).OK(200).At("sign"), true)
		testkit.Diff(t, "text with sign", text(ana, message("hello")), "*Ana:*\nhello")
		testkit.Diff(t, "text that the app has already signed", text(ana, message("*Ana:*\nhello")), "*Ana:*\nhello")
		testkit.Diff(t, "text of a key", text(w.A.Client, message("hello")), "hello")
		ana.Patch(t, "/me", `{"signature":"Ana from sales"}`).OK(200)
		testkit.Diff(t, "text with the person's own signature", text(ana, message("hello")), "*Ana from sales:*\nhello")
		ana.Post(t, at, message(strings.Repeat("a", 4096))).Fails(400, "invalid_request")
		file := ana.Upload(t, "menu.png", png).OK(201).ID()
		testkit.Diff(t, "caption", text(ana, fmt.Sprintf(`{"client_id":%q,"media_id":%q,"text":"look"}`, kernel.NewID(), file)), "*Ana from sales:*\nlook")
		bare := ana.Post(t, at, fmt.Sprintf(`{"client_id":%q,"media_id":%q}`, kernel.NewID(), file)).OK(201)
		testkit.Diff(t, "text without a caption", bare.At("text"), nil)
	})
}
