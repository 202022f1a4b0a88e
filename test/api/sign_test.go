package api_test

import (
	"fmt"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
)

func TestAChannelCanHaveMessagesOfPeopleSigned(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		at := "/conversations/" + customerWrites(t, w, channel, phoneNumber(1)) + "/messages"
		ana, _ := signedIn(t, w, "Ana")
		text := func(c *servertest.Client, body any) string {
			t.Helper()
			return c.Post(t, at, body).OK(201).Text("text")
		}

		want(t, "sign", w.A.Get(t, "/channels").OK(200).At("data", 0, "sign"), any(false))
		want(t, "without", text(ana, message("hello")), "hello")
		want(t, "sign", w.A.Patch(t, "/channels/"+channel, `{"sign":true}`).OK(200).At("sign"), any(true))
		want(t, "with", text(ana, message("hello")), "*Ana:*\nhello")
		want(t, "signed by the app", text(ana, message("*Ana:*\nhello")), "*Ana:*\nhello")
		want(t, "of a key", text(w.A.Client, message("hello")), "hello")
		ana.Patch(t, "/me", `{"signature":"Ana from sales"}`).OK(200)
		want(t, "with a signature", text(ana, message("hello")), "*Ana from sales:*\nhello")
		ana.Post(t, at, message(strings.Repeat("a", 4096))).Fails(400, "invalid_request")
		file := ana.Upload(t, "menu.png", png).OK(201).ID()
		want(t, "caption", text(ana, fmt.Sprintf(`{"client_id":%q,"media_id":%q,"text":"look"}`, kernel.NewID(), file)), "*Ana from sales:*\nlook")
		bare := ana.Post(t, at, fmt.Sprintf(`{"client_id":%q,"media_id":%q}`, kernel.NewID(), file)).OK(201)
		want(t, "without a caption", bare.At("text"), nil)
	})
}
