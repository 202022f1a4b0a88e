package api_test

import (
	"context"
	"testing"

	"recado/internal/channels"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestChannelsAreCreatedAndChanged(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		t.Run("a sandbox channel is connected at once", func(t *testing.T) {
			made := w.A.Post(t, "/channels", `{"name": "  Front desk ", "phone": "(11) 91234-5678", "provider": "sandbox"}`).OK(201)
			testkit.Equal(t, "name", made.Text("name"), "Front desk")
			testkit.Equal(t, "phone", made.Text("phone"), "+5511912345678")
			testkit.Equal(t, "status", made.Text("status"), "connected")
			testkit.Equal(t, "provider", made.Text("provider"), "sandbox")
			renamed := w.A.Patch(t, "/channels/"+made.ID(), `{"name": "Reception"}`).OK(200)
			testkit.Equal(t, "name", renamed.Text("name"), "Reception")
			testkit.Equal(t, "created_at", renamed.Text("created_at"), made.Text("created_at"))
			testkit.Equal(t, "number of data", len(w.A.Get(t, "/channels").OK(200).List()), 1)
			testkit.Diff(t, "channels of another company", w.B.Get(t, "/channels").OK(200).List(), []any{})
			w.B.Patch(t, "/channels/"+made.ID(), `{"name": "Mine"}`).Fails(404, "not_found")
		})
		t.Run("a disconnected sandbox receives and does not send", func(t *testing.T) {
			box := w.A.Post(t, "/channels", `{"name": "Box", "phone": "+5511912345679", "provider": "sandbox"}`).OK(201).ID()
			receive := func() string {
				return w.A.Post(t, "/channels/"+box+"/simulate", `{"from": "+5511987651234", "text": "Oi"}`).OK(201).Text("conversation")
			}
			conversation := receive()
			send := func() *servertest.Answer {
				return w.A.Post(t, "/conversations/"+conversation+"/messages", `{"client_id": "`+kernel.NewID().String()+`", "text": "Olá"}`)
			}
			w.A.Patch(t, "/channels/"+box, `{"status": "disconnected"}`).OK(200)
			send().Fails(409, "channel_disconnected")
			testkit.Equal(t, "conversation of a message received while disconnected", receive(), conversation)
			w.A.Patch(t, "/channels/"+box, `{"status": "connected"}`).OK(200)
			send().OK(201)
		})
		t.Run("bad input is refused", func(t *testing.T) {
			w.A.Post(t, "/channels", `{"name": "x", "phone": "12", "provider": "sandbox"}`).Fails(400, "invalid_request")
			w.A.Post(t, "/channels", `{"name": "x", "phone": "+5511912345678", "provider": "carrier pigeon"}`).Fails(400, "invalid_request")
			w.A.Post(t, "/channels", `{"name": "x", "phone": "+5511912345678", "provider": "sandbox", "private": true}`).Fails(400, "invalid_request")
			w.A.Patch(t, "/channels/"+kernel.NewID().String(), `{}`).Fails(404, "not_found")
			w.A.Patch(t, "/channels/nonsense", `{}`).Fails(404, "not_found")
		})
		t.Run("a private channel is invisible to a key", func(t *testing.T) {
			private := privateChannel(t, w)
			for _, ch := range w.A.Get(t, "/channels").OK(200).List() {
				if ch.(map[string]any)["id"] == private.ID.String() {
					t.Fatal("the private channel is listed")
				}
			}
			w.A.Patch(t, "/channels/"+private.ID.String(), `{"name": "x"}`).Fails(404, "not_found")
		})
	})
}

// privateChannel creates a private channel of company A as the operator does.
func privateChannel(t *testing.T, w *servertest.World) channels.Channel {
	t.Helper()
	operator, err := w.Desk.People.Operator(context.Background(), w.A.ID)
	if err != nil {
		t.Fatal(err)
	}
	ch, err := w.Desk.Channels.CreateChannel(context.Background(), operator, channels.NewChannel{
		Name: "Directors", Phone: "+5511955554444", Provider: channels.ProviderSandbox, Private: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}
