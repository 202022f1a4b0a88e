package whatsapp_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"net/http"
	"strings"
	"testing"

	"recado/internal/channels/simulator"
	"recado/test/testkit"
)

func TestReceivedMessagesAreStored(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		t.Run("a customer writes and an attendance opens", func(t *testing.T) {
			conversation, external := s.customer(t, simulator.Inbound{Customer: "5511912345678", Name: "Marina", Text: "Bom dia!"})
			c := s.A.Get(t, "/conversations/"+conversation).OK(200)
			testkit.Equal(t, "name", c.Text("name"), "Marina")
			testkit.Equal(t, "phone", c.Text("phone"), "+5511912345678")
			testkit.Equal(t, "channel", c.Text("channel"), s.channel)
			testkit.Equal(t, "unread_count", c.Int("unread_count"), 1)
			m := s.find(t, conversation, external)
			testkit.Equal(t, "text", m["text"], "Bom dia!")
			testkit.Equal(t, "direction", m["direction"], "inbound")
			testkit.Equal(t, "origin", m["origin"], "customer")
			testkit.Equal(t, "status", m["status"], "received")
			a := s.A.Get(t, "/conversations/"+conversation+"/attendance").OK(200)
			testkit.Equal(t, "status", a.Text("status"), "open")
			testkit.Equal(t, "opened_by", a.Text("opened_by"), "customer")
		})
		t.Run("the customer gets a read receipt", func(t *testing.T) {
			conversation, external := s.customer(t, simulator.Inbound{Customer: "5511912345678", Text: "Olá?"})
			s.A.Post(t, "/conversations/"+conversation+"/read", nil).OK(200)
			testkit.Eventually(t, "the read receipt", func() bool { return s.sim.WasRead(external) })
		})
		t.Run("duplicates and reordering do no harm", func(t *testing.T) {
			s.sim.SetDelivery(simulator.Delivery{Duplicate: 2, Reorder: true, Parallel: 3})
			s.sim.Pause()
			var ids []string
			for _, text := range []string{"um", "dois", "três"} {
				got, err := s.sim.Receive(simulator.Inbound{Customer: "5511900001111", Text: text})
				must(t, err)
				ids = append(ids, got...)
			}
			drain(t, s.sim)
			s.sim.SetDelivery(simulator.Delivery{})
			conversation := s.conversationOf(t, ids[0])
			if got := s.messages(t, conversation); len(got) != 3 {
				t.Fatalf("got %d messages, want 3: %v", len(got), got)
			}
			testkit.Equal(t, "unread_count", s.A.Get(t, "/conversations/"+conversation).OK(200).Int("unread_count"), 3)
		})
		t.Run("unknown types are kept", func(t *testing.T) {
			conversation, external := s.customer(t, simulator.Inbound{Customer: "5511900002222", Type: "hologram", Payload: json.RawMessage(`{"planes": 3}`)})
			testkit.Equal(t, "type", s.find(t, conversation, external)["type"], "unsupported")
			must(t, s.sim.Push("", "account_update", json.RawMessage(`{"event": "SOMETHING_NEW"}`)))
			must(t, s.sim.Push("", "a_field_of_tomorrow", json.RawMessage(`{"x": [1, 2, {"y": null}]}`)))
			drain(t, s.sim)
		})
		t.Run("locations, contact cards and button replies have a text", func(t *testing.T) {
			for kind, payload := range map[string]string{
				"location":    `{"latitude": -23.55, "longitude": -46.63, "name": "Sé"}`,
				"contacts":    `[{"name": {"formatted_name": "Tia Rosa"}, "phones": [{"phone": "+5511988887777"}]}]`,
				"interactive": `{"type": "button_reply", "button_reply": {"id": "y", "title": "Sim"}}`,
			} {
				conversation, external := s.customer(t, simulator.Inbound{Customer: "5511900003333", Type: kind, Payload: json.RawMessage(payload)})
				m := s.find(t, conversation, external)
				if text, _ := m["text"].(string); text == "" {
					t.Errorf("%s: got %v, want a text", kind, m)
				}
			}
		})
		t.Run("an edit and a deletion change the message", func(t *testing.T) {
			conversation, external := s.customer(t, simulator.Inbound{Customer: "5511900004444", Text: "amanha"})
			_, err := s.sim.Edit(external, "amanhã")
			must(t, err)
			drain(t, s.sim)
			testkit.Equal(t, "text", s.find(t, conversation, external)["text"], "amanhã")
			_, err = s.sim.Revoke(external)
			must(t, err)
			drain(t, s.sim)
			if m := s.find(t, conversation, external); m["text"] != nil {
				t.Fatalf("got %v, want no text", m)
			}
		})
		t.Run("messages typed on the phone have the origin phone", func(t *testing.T) {
			ids, err := s.sim.Echo(simulator.Inbound{Customer: "5511912345678", Text: "Respondi pelo celular"})
			must(t, err)
			drain(t, s.sim)
			m := s.find(t, s.conversationOf(t, ids[0]), ids[0])
			testkit.Equal(t, "direction", m["direction"], "outbound")
			testkit.Equal(t, "origin", m["origin"], "phone")
			testkit.Equal(t, "status", m["status"], "sent")
		})
		t.Run("a group is a separate conversation", func(t *testing.T) {
			conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511900005555", Group: "Z3JvdXA=", Text: "oi gente"})
			if c := s.A.Get(t, "/conversations/"+conversation).OK(200); c.Text("kind") != "group" || c.At("contact") != nil {
				t.Fatalf("got %s, want kind group and no contact", c.Raw)
			}
		})
	})
}

func TestPeopleKeepTheirConversation(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		t.Run("a person who hides their number has no phone", func(t *testing.T) {
			s.sim.SetCustomer("5511911110000", func(c *simulator.Customer) { c.HidePhone, c.Username = true, "luar" })
			first, _ := s.customer(t, simulator.Inbound{Customer: "5511911110000", Text: "oi"})
			c := s.A.Get(t, "/conversations/"+first).OK(200)
			testkit.Equal(t, "phone", c.At("phone"), nil)
			testkit.Equal(t, "name", c.Text("name"), "luar")
			again, _ := s.customer(t, simulator.Inbound{Customer: "5511911110000", Text: "de novo"})
			if again != first {
				t.Fatal("got a second conversation with the same person, want one")
			}
			t.Run("until they show it", func(t *testing.T) {
				s.sim.SetCustomer("5511911110000", func(c *simulator.Customer) { c.HidePhone = false })
				shown, _ := s.customer(t, simulator.Inbound{Customer: "5511911110000", Text: "agora sim"})
				if c := s.A.Get(t, "/conversations/"+shown).OK(200); shown != first || c.Text("phone") != "+5511911110000" {
					t.Fatalf("got %s, want the conversation %s with the phone +5511911110000", c.Raw, first)
				}
			})
		})
		t.Run("a new number is still the same person", func(t *testing.T) {
			before, _ := s.customer(t, simulator.Inbound{Customer: "5511922220000", Name: "Rui", Text: "oi"})
			_, err := s.sim.ChangeNumber("", "5511922220000", "5511922229999")
			must(t, err)
			drain(t, s.sim)
			after, _ := s.customer(t, simulator.Inbound{Customer: "5511922229999", Text: "número novo"})
			c := s.A.Get(t, "/conversations/"+after).OK(200)
			testkit.Equal(t, "conversation", after, before)
			testkit.Equal(t, "phone", c.Text("phone"), "+5511922229999")
		})
		t.Run("a Brazilian number with and without its ninth digit is one person", func(t *testing.T) {
			with, _ := s.customer(t, simulator.Inbound{Customer: "5511933330000", Text: "com"})
			without, _ := s.customer(t, simulator.Inbound{Customer: "551133330000", Text: "fixo: outra pessoa"})
			again, _ := s.customer(t, simulator.Inbound{Customer: "558188887777", Text: "sem"})
			ninth, _ := s.customer(t, simulator.Inbound{Customer: "5581988887777", Text: "com"})
			if with == without {
				t.Fatalf("got the conversation %s for a mobile and a landline, want two", with)
			}
			testkit.Equal(t, "conversation", again, ninth)
		})
	})
}

func TestFilesOfCustomersAreFetched(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		photo := newPhoto(300 << 10)
		t.Run("byte for byte", func(t *testing.T) {
			conversation, external := s.customer(t, simulator.Inbound{
				Customer: "5511912345678", Type: "image", Text: "olha", File: &simulator.File{Bytes: photo, MimeType: "image/png"},
			})
			m := s.find(t, conversation, external)
			testkit.Equal(t, "type", m["type"], "image")
			testkit.Equal(t, "text", m["text"], "olha")
			if m["media_id"] == nil {
				t.Fatalf("got %v, want a media_id", m)
			}
			if got := s.download(t, m["media_id"].(string)); !bytes.Equal(got, photo) {
				t.Fatalf("got %d bytes, want the %d that were sent", len(got), len(photo))
			}
			media := s.find(t, conversation, external)["media"].(map[string]any)
			testkit.Equal[any](t, "size", media["size"], float64(len(photo)))
			testkit.Equal(t, "mime_type", media["mime_type"], "image/png")
		})
		t.Run("again if WhatsApp fails", func(t *testing.T) {
			must(t, s.sim.AddFault(simulator.Fault{Preset: "unknown_500", Target: "lookup", Next: 1}))
			must(t, s.sim.AddFault(simulator.Fault{Effect: "reset", Target: "download", Next: 1}))
			document := random(10 << 10)
			conversation, external := s.customer(t, simulator.Inbound{
				Customer: "5511912345678", Type: "document", File: &simulator.File{Bytes: document, MimeType: "application/x-proprietary", Name: "plan.prt"},
			})
			id := s.find(t, conversation, external)["media_id"].(string)
			if got := s.download(t, id); !bytes.Equal(got, document) {
				t.Fatalf("got %d bytes, want the %d that were sent", len(got), len(document))
			}
		})
		t.Run("and served as downloads if their content does not match their type", func(t *testing.T) {
			page := []byte("<!doctype html><script>alert(1)</script>")
			conversation, external := s.customer(t, simulator.Inbound{
				Customer: "5511912345678", Type: "image", File: &simulator.File{Bytes: page, MimeType: "image/png"},
			})
			id := s.find(t, conversation, external)["media_id"].(string)
			s.download(t, id)
			resp := s.follow(t, id)
			defer resp.Body.Close()
			if !strings.HasPrefix(resp.Header.Get("Content-Disposition"), "attachment") || strings.Contains(resp.Header.Get("Content-Type"), "image") {
				t.Fatalf("got %v, want Content-Disposition attachment and no image type", resp.Header)
			}
		})
	})
}

func TestFilesOfCustomersHaveDimensionsAndDuration(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		var picture bytes.Buffer
		must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 320, 200))))
		sound := append([]byte("#!AMR\n"), bytes.Repeat(append([]byte{0x04}, make([]byte, 12)...), 75)...) // 75 frames of 20 ms
		for _, sent := range []struct {
			kind, mime              string
			file                    []byte
			width, height, duration any
		}{
			{"image", "image/png", picture.Bytes(), 320.0, 200.0, nil},
			{"audio", "audio/amr", sound, nil, nil, 1.5},
			{"document", "text/plain", []byte("plain text"), nil, nil, nil},
			{"image", "image/png", newPhoto(100)[:20], nil, nil, nil}, // truncated before the dimensions
		} {
			conversation, external := s.customer(t, simulator.Inbound{
				Customer: "5511912345678", Type: sent.kind, File: &simulator.File{Bytes: sent.file, MimeType: sent.mime},
			})
			s.download(t, s.find(t, conversation, external)["media_id"].(string))
			media := s.find(t, conversation, external)["media"].(map[string]any)
			testkit.Equal(t, sent.mime+" width", media["width"], sent.width)
			testkit.Equal(t, sent.mime+" height", media["height"], sent.height)
			testkit.Equal(t, sent.mime+" duration", media["duration_seconds"], sent.duration)
			last := s.A.Get(t, "/conversations/"+conversation).OK(200)
			testkit.Equal(t, sent.mime+" file_name of the last message", last.At("last_message", "file_name"), media["file_name"])
			testkit.Equal(t, sent.mime+" duration of the last message", last.At("last_message", "duration_seconds"), sent.duration)
		}
	})
}

// download waits until a file has been fetched and returns its content.
func (s *shop) download(t *testing.T, media string) []byte {
	t.Helper()
	testkit.Eventually(t, "the file", func() bool {
		s.Clock.Advance(1e9)
		return s.A.Get(t, "/media/"+media+"/url").Status == 200
	})
	resp := s.follow(t, media)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	must(t, err)
	return got
}

func (s *shop) follow(t *testing.T, media string) *http.Response {
	t.Helper()
	resp, err := http.Get(s.A.Get(t, "/media/"+media+"/url").OK(200).Text("url"))
	must(t, err)
	testkit.Equal(t, "status", resp.StatusCode, 200)
	return resp
}

// newPhoto returns a unique picture of slightly more than n bytes.
func newPhoto(n int) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"), random(n)...)
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}
