package whatsapp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestInteractiveMessagesAreSentAndAnswered(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const ana = "5511912345678"
		conversation, _ := s.customer(t, simulator.Inbound{Customer: ana, Name: "Ana", Text: "Oi"})
		t.Run("buttons and lists are sent as such", func(t *testing.T) {
			s.await(t, s.send(t, conversation, `"interactive": {"body": "Confirma?", "footer": "Padaria", "buttons": [{"id": "y", "title": "Sim"}, {"id": "n", "title": "Não"}]}`).OK(201).ID(), "delivered")
			s.await(t, s.send(t, conversation, `"interactive": {"body": "Escolha", "header": "Menu", "list": {"button": "Ver", "sections": [{"rows": [{"id": "1", "title": "Bolo", "description": "de fubá"}]}]}}`).OK(201).ID(), "delivered")
			all := s.sim.Ledger(ana)
			testkit.Equal(t, "number of messages", len(all), 2)
			testkit.Contains(t, "buttons", string(all[0].Body), `"interactive":{"action":{"buttons":[{"reply":{"id":"y","title":"Sim"},"type":"reply"}`)
			testkit.Contains(t, "list", string(all[1].Body), `"sections":[{"rows":[{"description":"de fubá","id":"1","title":"Bolo"}]}]`)
		})
		t.Run("a choice arrives as text with its id", func(t *testing.T) {
			for _, payload := range []string{
				`{"type": "button_reply", "button_reply": {"id": "y", "title": "Sim"}}`,
				`{"type": "list_reply", "list_reply": {"id": "y", "title": "Sim", "description": "de fubá"}}`,
			} {
				_, external := s.customer(t, simulator.Inbound{Customer: ana, Type: "interactive", Payload: json.RawMessage(payload)})
				m := s.find(t, conversation, external)
				testkit.Equal(t, "type", m["type"], "text")
				testkit.Diff(t, "choice", m["choice"], map[string]any{"id": "y", "title": "Sim"})
			}
		})
	})
}

func TestTemplatesAreListedCheckedAndSent(t *testing.T) {
	component := func(text string) json.RawMessage { return json.RawMessage(text) }
	order := simulator.Template{
		Name: "pedido", Language: "pt_BR", Category: "UTILITY", Body: "Olá {{1}}, seu pedido {{2}} saiu.",
		Components: []json.RawMessage{
			component(`{"type": "HEADER", "format": "IMAGE"}`),
			component(`{"type": "BODY", "text": "Olá {{1}}, seu pedido {{2}} saiu.", "example": {"body_text": [["Ana", "9"]]}}`),
			component(`{"type": "FOOTER", "text": "Padaria"}`),
			component(`{"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Ok"}, {"type": "URL", "text": "Ver", "url": "https://example.com/{{1}}", "example": ["https://example.com/9"]}]}`),
		},
	}
	named := simulator.Template{Name: "aviso", Language: "pt_BR", Category: "MARKETING", Body: "Promoção, {{nome}}!"}
	paused := simulator.Template{Name: "pausado", Language: "pt_BR", Status: "PAUSED", Body: "Oi"}
	eachShop(t, simulator.Options{Templates: []simulator.Template{order, named, paused}}, func(t *testing.T, s *shop) {
		path := "/channels/" + s.channel + "/templates"
		templates := func(t *testing.T, query string) *servertest.Answer { return s.A.Get(t, path+query).OK(200) }
		testkit.Eventually(t, "the templates are fetched when the number is connected", func() bool { return len(templates(t, "?q=pedido").List()) == 1 })
		conversation, _ := s.customer(t, simulator.Inbound{Customer: "5511912345678", Name: "Ana", Text: "Oi"})
		photo := s.upload(t, "foto.png", newPhoto(1000))

		t.Run("the list shows their parameters", func(t *testing.T) {
			a := templates(t, "?q=PEDIDO")
			for field, want := range map[string]string{"name": "pedido", "language": "pt_BR", "status": "approved", "category": "utility", "footer": "Padaria", "body": "Olá {{1}}, seu pedido {{2}} saiu."} {
				testkit.Equal(t, field, a.Text("data", 0, field), want)
			}
			var got []string
			for _, p := range a.List("data", 0, "parameters") {
				m := p.(map[string]any)
				got = append(got, fmt.Sprint(m["component"], ".", m["index"], " ", m["type"], " ", m["example"]))
			}
			testkit.Diff(t, "parameters", got, []string{"header.1 image <nil>", "body.1 text Ana", "body.2 text 9", "button.2 text https://example.com/9"})
			testkit.Equal(t, "name of a parameter", templates(t, "?q=aviso").Text("data", 0, "parameters", 0, "name"), "nome")
			testkit.Equal(t, "by status", templates(t, "?status=paused").Text("data", 0, "name"), "pausado")
			first := templates(t, "?limit=1")
			second := templates(t, "?limit=1&cursor="+first.Text("next_cursor"))
			testkit.Equal(t, "in pages", first.Text("data", 0, "name")+" "+second.Text("data", 0, "name"), "aviso hello_world")
			s.B.Get(t, path).Fails(404, "not_found")
		})
		t.Run("a template with a file, texts and a button is sent and rendered", func(t *testing.T) {
			m := s.send(t, conversation, `"template": {"name": "pedido", "language": "pt_BR", "parameters": [
				{"component": "header", "media_id": `+quote(photo)+`}, {"text": "Ana"}, {"text": "9"}, {"component": "button", "text": "9"}]}`).OK(201)
			testkit.Equal(t, "text", m.Text("text"), "Olá Ana, seu pedido 9 saiu.")
			s.await(t, m.ID(), "delivered")
			all := s.sim.Ledger("5511912345678")
			body := string(all[len(all)-1].Body)
			testkit.Contains(t, "header", body, `{"parameters":[{"image":{"id":"`)
			testkit.Contains(t, "button", body, `{"index":"1","parameters":[{"text":"9","type":"text"}],"sub_type":"url","type":"button"}`)
		})
		t.Run("the error names a missing or superfluous parameter, and nothing is sent", func(t *testing.T) {
			before := len(s.sim.Ledger(""))
			for want, parameters := range map[string]string{
				"body.2":   `{"component": "header", "media_id": ` + quote(photo) + `}, {"text": "Ana"}, {"component": "button", "text": "9"}`,
				"body.3":   `{"component": "header", "media_id": ` + quote(photo) + `}, {"text": "Ana"}, {"text": "9"}, {"text": "x"}, {"component": "button", "text": "9"}`,
				"header.1": `{"text": "Ana"}, {"text": "9"}, {"component": "button", "text": "9"}`,
				"button.2": `{"component": "header", "media_id": ` + quote(photo) + `}, {"text": "Ana"}, {"text": "9"}`,
			} {
				a := s.send(t, conversation, `"template": {"name": "pedido", "language": "pt_BR", "parameters": [`+parameters+`]}`).Fails(400, "invalid_request")
				testkit.Contains(t, "message", a.Text("message"), want)
			}
			a := s.send(t, conversation, `"template": {"name": "aviso", "language": "pt_BR", "parameters": [{"name": "outro", "text": "x"}]}`).Fails(400, "invalid_request")
			testkit.Contains(t, "message", a.Text("message"), "body.outro")
			testkit.Equal(t, "messages sent", len(s.sim.Ledger("")), before)
		})
		t.Run("unknown and unapproved templates are refused", func(t *testing.T) {
			a := s.send(t, conversation, `"template": {"name": "nada", "language": "pt_BR"}`).Fails(400, "invalid_request")
			testkit.Equal(t, "field", a.Text("details", 0, "field"), "body.template.name")
			s.send(t, conversation, `"template": {"name": "pausado", "language": "pt_BR"}`).Fails(409, "template_unavailable")
		})
		t.Run("a decision of Meta takes effect at once", func(t *testing.T) {
			must(t, s.sim.DecideTemplate("pausado", "pt_BR", "APPROVED"))
			drain(t, s.sim)
			s.await(t, s.send(t, conversation, `"template": {"name": "pausado", "language": "pt_BR"}`).OK(201).ID(), "delivered")
			must(t, s.sim.DecideTemplate("pausado", "pt_BR", "REJECTED"))
			drain(t, s.sim)
			s.send(t, conversation, `"template": {"name": "pausado", "language": "pt_BR"}`).Fails(409, "template_unavailable")
		})
		t.Run("new templates are fetched on request, at most once a minute, and every six hours", func(t *testing.T) {
			s.sim.AddTemplate(simulator.Template{Name: "novo", Language: "pt_BR", Body: "Novidade"})
			s.A.Post(t, path+"/sync", nil).OK(202)
			testkit.Eventually(t, "the new template is listed", func() bool { return len(templates(t, "?q=novo").List()) == 1 })
			s.A.Post(t, path+"/sync", nil).Fails(429, "rate_limited")
			s.Clock.Advance(time.Minute)
			s.A.Post(t, path+"/sync", nil).OK(202)
			id := templates(t, "?q=novo").Text("data", 0, "id")
			s.sim.AddTemplate(simulator.Template{Name: "outro", Language: "pt_BR", Body: "Mais uma"})
			testkit.Eventually(t, "the other template is listed", func() bool {
				s.Clock.Advance(time.Hour)
				return len(templates(t, "?q=outro").List()) == 1
			})
			testkit.Equal(t, "id of a template that stayed", templates(t, "?q=novo").Text("data", 0, "id"), id)
		})
	})
}

func TestVoiceMessagesAreSentAndReceived(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		const ana = "5511912345678"
		conversation, _ := s.customer(t, simulator.Inbound{Customer: ana, Name: "Ana", Text: "Oi"})
		t.Run("a browser recording is sent as a voice message", func(t *testing.T) {
			media := s.upload(t, "recado.webm", webm(150))
			m := s.send(t, conversation, `"media_id": `+quote(media)+`, "voice": true`).OK(201)
			testkit.Equal(t, "voice", m.At("voice"), true)
			testkit.Equal(t, "type", m.Text("type"), "audio")
			testkit.Equal(t, "mime_type", m.Text("media", "mime_type"), "audio/ogg")
			testkit.Equal(t, "file_name", m.Text("media", "file_name"), "recado.ogg")
			testkit.Equal(t, "duration_seconds", m.At("media", "duration_seconds"), any(2.99))
			s.await(t, m.ID(), "delivered")
			all := s.sim.Ledger(ana)
			var body struct {
				Audio struct {
					ID    string
					Voice bool
				}
			}
			must(t, json.Unmarshal(all[len(all)-1].Body, &body))
			testkit.Equal(t, "voice at WhatsApp", body.Audio.Voice, true)
			file, mime, _ := s.sim.File(body.Audio.ID)
			testkit.Equal(t, "type at WhatsApp", mime, "audio/ogg; codecs=opus")
			if !bytes.HasPrefix(file, []byte("OggS")) {
				t.Errorf("file at WhatsApp: got %.8q, want OggS", file)
			}
		})
		t.Run("other content cannot be a voice message", func(t *testing.T) {
			photo := s.upload(t, "foto.png", newPhoto(1000))
			for _, content := range []string{`"media_id": ` + quote(photo) + `, "voice": true`, `"text": "x", "voice": true`} {
				a := s.send(t, conversation, content).Fails(400, "invalid_request")
				testkit.Equal(t, "field", a.Text("details", 0, "field"), "body.voice")
			}
		})
		t.Run("a customer's voice message is marked", func(t *testing.T) {
			file := &simulator.File{MimeType: "audio/ogg; codecs=opus", Bytes: []byte("OggS" + strings.Repeat("x", 100)), Voice: true}
			_, external := s.customer(t, simulator.Inbound{Customer: ana, Type: "audio", File: file})
			testkit.Equal(t, "voice", s.find(t, conversation, external)["voice"], any(true))
		})
	})
}

// webm returns a recording as made by browsers: an Opus track with packets of 20 ms.
func webm(packets int) []byte {
	head := "OpusHead\x01\x01\xe0\x01\x80\xbb\x00\x00\x00\x00\x00" // pre-skip of 10 ms
	sized := func(id, content string) string {
		return id + string([]byte{0x10 | byte(len(content)>>24), byte(len(content) >> 16), byte(len(content) >> 8), byte(len(content))}) + content
	}
	track := sized("\xae", sized("\xd7", "\x01")+sized("\x86", "A_OPUS")+sized("\x63\xa2", head))
	var file strings.Builder
	file.WriteString(sized("\x1a\x45\xdf\xa3", sized("\x42\x82", "webm")) + "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff" + sized("\x16\x54\xae\x6b", track))
	file.WriteString("\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff" + sized("\xe7", "\x00"))
	for i := range packets {
		file.WriteString(sized("\xa3", "\x81"+string([]byte{byte(i >> 8), byte(i)})+"\x80"+"\x78"+strings.Repeat("s", 40)))
	}
	return []byte(file.String())
}
