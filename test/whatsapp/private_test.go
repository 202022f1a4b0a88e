package whatsapp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recado/internal/channels"
	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestFilesOfAPrivateNumberHaveNoLink(t *testing.T) {
	var dir string
	each(t, simulator.Options{}, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		operator, err := w.Desk.People.Operator(t.Context(), w.A.ID)
		must(t, err)
		private, err := w.Desk.Channels.CreateChannel(t.Context(), operator, channels.NewChannel{
			Name: "Directors", Provider: channels.ProviderWhatsApp, Private: true,
			Access: &channels.Access{
				PhoneNumberID: simulator.DefaultNumberID, WABAID: simulator.DefaultWABAID, Token: simulator.DefaultToken, AppSecret: simulator.DefaultAppSecret,
			},
		})
		must(t, err)
		must(t, sim.SetCallback("", w.URL+"/channels/"+private.ID.String()+"/whatsapp"))
		taken := w.A.Post(t, "/channels", theNumber).Fails(400, "invalid_request")
		unknown := w.A.Post(t, "/channels", strings.Replace(theNumber, simulator.DefaultNumberID, "999", 1)).Fails(400, "invalid_request")
		if got, want := taken.Text("message"), unknown.Text("message"); got != want {
			t.Errorf("connecting the private number again: got the message %q, want %q", got, want)
		}
		photo := newPhoto(1 << 10)
		_, err = sim.Receive(simulator.Inbound{Customer: "5511912345678", Type: "image", File: &simulator.File{Bytes: photo, MimeType: "image/png"}})
		must(t, err)
		drain(t, sim)
		var media string
		testkit.Eventually(t, "the file", func() bool {
			found, err := filepath.Glob(dir + "/media/??/*")
			must(t, err)
			for _, path := range found {
				kept, err := os.ReadFile(path)
				must(t, err)
				if string(kept) == string(photo) {
					media = filepath.Base(path)
				}
			}
			return media != ""
		})

		public := w.A.Post(t, "/channels", `{"name": "Sandbox", "provider": "sandbox", "phone": "+551130001234"}`).OK(201).ID()
		talk := w.A.Post(t, "/conversations", fmt.Sprintf(`{"channel_id": %q, "phone": "+5511912345678"}`, public)).OK(201).ID()
		keys := []*servertest.Client{w.A.Client, w.B.Client}
		for _, role := range []kernel.Role{kernel.RoleOwner, kernel.RoleAdmin, kernel.RoleManager, kernel.RoleAgent} {
			_, c := w.NewMemberKey(t, people.NewUser{Name: string(role), Role: role})
			keys = append(keys, c)
		}
		for _, key := range keys {
			key.Get(t, "/media/"+media+"/url").Fails(404, "not_found")
		}
		for _, key := range keys[2:] {
			body := fmt.Sprintf(`{"client_id": %q, "media_id": %q}`, kernel.NewID(), media)
			key.Post(t, "/conversations/"+talk+"/messages", body).Fails(400, "invalid_request")
			key.Post(t, "/channels/"+public+"/simulate", fmt.Sprintf(`{"from": "+5511900001111", "media_id": %q}`, media)).Fails(400, "invalid_request")
		}
	}, func(c *server.Config) { dir = c.DataDir })
}
