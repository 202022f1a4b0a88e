package whatsapp_test

import (
	"strings"
	"testing"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestAFileBeyondTheQuotaIsNotFetchedAndItsMessageIsKept(t *testing.T) {
	photo := newPhoto(100 << 10)
	quota := func(c *server.Config) {
		c.Limits = kernel.Limits{"media": 150 << 10}
	}
	each(t, simulator.Options{}, func(t *testing.T, w *servertest.World, sim *simulator.Simulator) {
		s := &shop{World: w, sim: sim, channel: w.A.Post(t, "/channels", theNumber).OK(201).ID()}
		receive := func() map[string]any {
			conversation, external := s.customer(t, simulator.Inbound{
				Customer: "5511912345678", Type: "image", Text: "olha", File: &simulator.File{Bytes: photo, MimeType: "image/png"},
			})
			return s.find(t, conversation, external)
		}
		s.download(t, receive()["media_id"].(string))
		over := receive()
		if over["type"] != "image" || over["text"] != "olha" || over["media_id"] == nil {
			t.Fatalf("got %v, want type, text and media_id of the image", over)
		}
		testkit.Eventually(t, "the file is given up", func() bool {
			response := s.A.Get(t, "/media/"+over["media_id"].(string)+"/url")
			return response.Status == 404 && strings.Contains(response.Text("message"), "limit of 150 KiB")
		})
	}, quota)
}
