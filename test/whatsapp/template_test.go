package whatsapp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"recado/internal/channels/simulator"
	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

// newTemplate is the body of a request that creates a valid template, with fields replaced or added.
func newTemplate(name string, more ...string) string {
	return `{"name": "` + name + `", "language": "pt_BR", "category": "utility", ` + strings.Join(append(more, `"examples": {"body": ["Ana"]}, "body": "Olá {{1}}, seu pedido saiu."}`), ", ")
}

func TestTemplatesAreCreatedReviewedAndDeleted(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		path := "/channels/" + s.channel + "/templates"
		listed := func(t *testing.T, name string) *servertest.Answer { return s.A.Get(t, path+"?q="+name).OK(200) }
		status := func(t *testing.T, name, want string) {
			t.Helper()
			testkit.Eventually(t, name+" is "+want, func() bool { return listed(t, name).At("data", 0, "status") == want })
		}
		t.Run("a template is created at Meta and returned with its status", func(t *testing.T) {
			a := s.A.Post(t, path, `{"name": "pedido_pronto", "language": "pt_BR", "category": "utility", "header": "Pedido {{1}}", "body": "Olá {{1}}, seu pedido {{2}} saiu.",
				"footer": "Padaria", "buttons": [{"type": "quick_reply", "text": "Ok"}, {"type": "url", "text": "Ver", "url": "https://example.com/{{1}}", "example": "9"},
				{"type": "phone", "text": "Ligar", "phone_number": "+55 11 4002-8922"}], "examples": {"body": ["Ana", "9"], "header": ["9"]}}`, "Idempotency-Key", "template-1").OK(201)
			for field, want := range map[string]any{
				"status": "pending", "category": "utility", "header": "Pedido {{1}}", "body": "Olá {{1}}, seu pedido {{2}} saiu.", "footer": "Padaria", "reason": nil, "quality": nil,
			} {
				testkit.Equal(t, field, a.At(field), want)
			}
			testkit.Equal(t, "phone number", a.At("buttons", 2, "phone_number"), "+551140028922")
			testkit.Equal(t, "example of the address", a.At("parameters", 3, "example"), "https://example.com/9")
			id := a.ID()
			testkit.Eventually(t, "Meta's copy is fetched", func() bool { return listed(t, "pedido_pronto").At("data", 0, "quality") == "unknown" })
			testkit.Equal(t, "id after the fetch", listed(t, "pedido_pronto").Text("data", 0, "id"), id)
			testkit.Equal(t, "parameters after the fetch", fmt.Sprint(listed(t, "pedido_pronto").At("data", 0, "parameters")), fmt.Sprint(a.At("parameters")))
		})
		t.Run("a decision and the quality are shown at once, with the reason of a rejection", func(t *testing.T) {
			must(t, s.sim.DecideTemplate("pedido_pronto", "pt_BR", "APPROVED"))
			must(t, s.sim.SetTemplateQuality("pedido_pronto", "pt_BR", "GREEN"))
			drain(t, s.sim)
			status(t, "pedido_pronto", "approved")
			testkit.Equal(t, "quality", listed(t, "pedido_pronto").At("data", 0, "quality"), "green")
			s.A.Post(t, path, newTemplate("promo")).OK(201)
			must(t, s.sim.DecideTemplateFor("promo", "pt_BR", "REJECTED", "TAG_CONTENT_MISMATCH"))
			drain(t, s.sim)
			status(t, "promo", "rejected")
			testkit.Equal(t, "reason", listed(t, "promo").At("data", 0, "reason"), "tag_content_mismatch")
			if text := listed(t, "promo").Text("data", 0, "reason_text"); !strings.Contains(text, "Change the template") {
				t.Errorf("got the explanation %q, want Meta's recommendation", text)
			}
			must(t, s.sim.DecideTemplate("promo", "pt_BR", "APPROVED"))
			drain(t, s.sim)
			status(t, "promo", "approved")
			testkit.Equal(t, "reason of an approved template", listed(t, "promo").At("data", 0, "reason"), nil)
		})
		t.Run("a repeat with the same key creates nothing", func(t *testing.T) {
			first := s.A.Post(t, path, newTemplate("uma_vez"), "Idempotency-Key", "template-2").OK(201)
			testkit.Equal(t, "id", s.A.Post(t, path, newTemplate("uma_vez"), "Idempotency-Key", "template-2").OK(201).ID(), first.ID())
		})
		t.Run("errors of Meta name their field", func(t *testing.T) {
			a := s.A.Post(t, path, newTemplate("promo")).Fails(400, "invalid_request")
			testkit.Equal(t, "field", a.Text("details", 0, "field"), "body.name")
			testkit.Equal(t, "code", a.Text("details", 0, "code"), "template_refused")
			testkit.Equal(t, "reason", a.At("details", 0, "params", "reason"), "exists")
			if text := a.Text("details", 0, "params", "provider_message"); !strings.Contains(text, "already pt_BR content") {
				t.Errorf("got the text %q, want Meta's", text)
			}
		})
		t.Run("deleting removes all languages, and Meta refuses the name for 30 days", func(t *testing.T) {
			s.A.Post(t, path, strings.Replace(newTemplate("promo"), "pt_BR", "en", 1)).OK(201)
			testkit.Equal(t, "languages", len(listed(t, "promo").List()), 2)
			testkit.Equal(t, "body", len(s.A.Delete(t, path+"/promo").OK(204).Raw), 0)
			testkit.Equal(t, "templates after deleting", len(listed(t, "promo").List()), 0)
			s.A.Delete(t, path+"/promo").Fails(404, "not_found")
			a := s.A.Post(t, path, newTemplate("promo")).Fails(400, "invalid_request")
			testkit.Equal(t, "reason", a.At("details", 0, "params", "reason"), "deleted_lately")
			s.sim.Advance(31 * 24 * time.Hour)
			s.A.Post(t, path, newTemplate("promo")).OK(201)
		})
		t.Run("a template that reopens conversations is in use", func(t *testing.T) {
			s.A.Post(t, path, newTemplate("reabrir")).OK(201)
			must(t, s.sim.DecideTemplate("reabrir", "pt_BR", "APPROVED"))
			drain(t, s.sim)
			status(t, "reabrir", "approved")
			s.A.Patch(t, "/channels/"+s.channel, `{"reopen_template": {"name": "reabrir", "language": "pt_BR"}}`).OK(200)
			s.A.Delete(t, path+"/reabrir").Fails(409, "in_use")
			s.A.Patch(t, "/channels/"+s.channel, `{"reopen_template": null}`).OK(200)
			s.A.Delete(t, path+"/reabrir").OK(204)
		})
		t.Run("a header with a file needs a sample of its type", func(t *testing.T) {
			photo := s.upload(t, "foto.png", newPhoto(1000))
			body := func(kind, sample string) string {
				return `{"name": "com_foto", "language": "pt_BR", "category": "marketing", "body": "Novidades", "header": {"type": "` + kind + `"}, "examples": {"header": ["` + sample + `"]}}`
			}
			for _, wrong := range []string{body("video", photo), body("image", kernel.NewID().String()), body("image", "x")} {
				a := s.A.Post(t, path, wrong).Fails(400, "invalid_request")
				testkit.Equal(t, "field", a.Text("details", 0, "field"), "body.examples.header[0]")
			}
			a := s.A.Post(t, path, body("image", photo)).OK(201)
			testkit.Equal(t, "type of the parameter", a.At("parameters", 0, "type"), "image")
		})
		t.Run("the buttons of a template can be posted again, and null means absent", func(t *testing.T) {
			buttons, err := json.Marshal(listed(t, "pedido_pronto").At("data", 0, "buttons"))
			must(t, err)
			a := s.A.Post(t, path, `{"name": "de_novo", "language": "pt_BR", "category": "UTILITY", "header": null, "footer": null, "body": "Oi", "examples": null, "buttons": `+string(buttons)+`}`).OK(201)
			testkit.Equal(t, "buttons", fmt.Sprint(a.At("buttons")), fmt.Sprint(listed(t, "pedido_pronto").At("data", 0, "buttons")))
			testkit.Equal(t, "type of the last button", a.At("buttons", 2, "type"), "phone")
			testkit.Equal(t, "category", a.At("category"), "utility")
			s.A.Post(t, path, `{"name": "nulo", "language": "pt_BR", "category": "utility", "body": "Oi", "buttons": null, "examples": {"body": null, "header": null}}`).OK(201)
		})
		t.Run("a deletion that Meta refuses or does not confirm", func(t *testing.T) {
			must(t, s.sim.AddFault(simulator.Fault{Target: "delete_template", Effect: "error", Status: 400, Code: 100, Next: 1}))
			a := s.A.Delete(t, path+"/nulo").Fails(400, "invalid_request")
			testkit.Equal(t, "field", a.Text("details", 0, "field"), "path.name")
			testkit.Equal(t, "code", a.Text("details", 0, "code"), "template_refused")
			if a.Text("details", 0, "params", "provider_message") == "" {
				t.Errorf("got %s, want Meta's text", a.Raw)
			}
			must(t, s.sim.AddFault(simulator.Fault{Target: "delete_template", Preset: "unknown_500_after_accept", Next: 1}))
			if text := s.A.Delete(t, path+"/nulo").Fails(503, "uncertain").Text("message"); !strings.Contains(text, "deleted") {
				t.Errorf("got the message %q, want one about deleting", text)
			}
			testkit.Eventually(t, "the templates are fetched again", func() bool { return len(listed(t, "nulo").List()) == 0 })
		})
		t.Run("a failure of Meta creates nothing here", func(t *testing.T) {
			must(t, s.sim.AddFault(simulator.Fault{Target: "create_template", Preset: "overloaded_503", Next: 1}))
			if a := s.A.Post(t, path, newTemplate("falha")); a.Status != 503 {
				t.Errorf("got status %d, %s, want 503", a.Status, a.Raw)
			}
		})
	})
}

func TestTemplatesAreValidatedBeforeMetaIsAsked(t *testing.T) {
	eachShop(t, simulator.Options{}, func(t *testing.T, s *shop) {
		path := "/channels/" + s.channel + "/templates"
		for _, test := range []struct{ name, field, body string }{
			{"upper case in the name", "body.name", `"name": "Promo"`},
			{"a language in another spelling", "body.language", `"language": "pt-BR"`},
			{"an unknown category", "body.category", `"category": "service"`},
			{"a category whose texts Meta defines", "body.category", `"category": "authentication"`},
			{"a variable in a button", "body.buttons[0].text", `"buttons": [{"type": "quick_reply", "text": "{{1}}"}]`},
			{"a long header", "body.header", `"header": "` + strings.Repeat("x", 61) + `"`},
			{"two variables in the header", "body.header", `"header": "{{1}} {{2}}"`},
			{"an unknown file type", "body.header.type", `"header": {"type": "audio"}`},
			{"a number as the header", "body.header", `"header": 5`},
			{"a file without a sample", "body.examples.header", `"header": {"type": "image"}`},
			{"a long body", "body.body", `"body": "` + strings.Repeat("x", 1025) + `"`},
			{"a gap in the numbers", "body.body", `"body": "{{1}} e {{3}}"`},
			{"numbers and names", "body.body", `"body": "{{1}} e {{nome}}"`},
			{"upper case in a variable", "body.body", `"body": "Oi {{Nome}}!"`},
			{"braces without a variable", "body.body", `"body": "Oi {{a b}}!"`},
			{"a missing example", "body.examples.body", `"body": "{{1}} e {{2}}"`},
			{"a variable in the footer", "body.footer", `"footer": "{{1}}"`},
			{"a long button", "body.buttons[0].text", `"buttons": [{"type": "quick_reply", "text": "` + strings.Repeat("x", 26) + `"}]`},
			{"an unknown button", "body.buttons[0].type", `"buttons": [{"type": "flow", "text": "x"}]`},
			{"a button without its address", "body.buttons[0].url", `"buttons": [{"type": "url", "text": "x"}]`},
			{"an address without an example", "body.buttons[0].example", `"buttons": [{"type": "url", "text": "x", "url": "https://example.com/{{1}}"}]`},
			{"a variable in the middle of an address", "body.buttons[0].url", `"buttons": [{"type": "url", "text": "x", "url": "https://example.com/{{1}}/x", "example": "x"}]`},
			{"a wrong phone number", "body.buttons[0].phone_number", `"buttons": [{"type": "phone", "text": "x", "phone_number": "1"}]`},
			{"the same text twice", "body.buttons[1].text", `"buttons": [{"type": "quick_reply", "text": "x"}, {"type": "quick_reply", "text": "x"}]`},
			{"quick replies apart", "body.buttons", `"buttons": [{"type": "quick_reply", "text": "x"}, {"type": "phone", "text": "y", "phone_number": "+5511912345678"}, {"type": "quick_reply", "text": "z"}]`},
			{"three addresses", "body.buttons", `"buttons": [{"type": "url", "text": "x", "url": "https://a.example"}, {"type": "url", "text": "y", "url": "https://a.example"}, {"type": "url", "text": "z", "url": "https://a.example"}]`},
			{"an unknown field", "body.color", `"color": "red"`},
		} {
			body := map[string]string{"name": `"name": "x"`, "language": `"language": "pt_BR"`, "category": `"category": "utility"`, "body": `"body": "Oi {{1}}!"`, "examples": `"examples": {"body": ["Ana"]}`}
			body[strings.Trim(strings.SplitN(test.body, ":", 2)[0], `"`)] = test.body
			var fields []string
			for _, field := range body {
				fields = append(fields, field)
			}
			a := s.A.Post(t, path, "{"+strings.Join(fields, ", ")+"}").Fails(400, "invalid_request")
			testkit.Equal(t, test.name, a.Text("details", 0, "field"), test.field)
		}
		testkit.Equal(t, "templates at Meta", s.sim.Calls("create_template"), 0)
		s.A.Post(t, path, `{"name": "com_nomes", "language": "pt_BR", "category": "marketing", "body": "Olá {{nome}}, {{dia}}!", "examples": {"body": ["Ana", "hoje"]}}`).OK(201)
		sandbox := s.A.Post(t, "/channels", `{"name": "S", "provider": "sandbox", "phone": "+5511933334444"}`).OK(201).ID()
		s.A.Post(t, "/channels/"+sandbox+"/templates", newTemplate("x")).Fails(400, "invalid_request")
		s.B.Post(t, path, newTemplate("x")).Fails(404, "not_found")
		s.A.Patch(t, "/channels/"+s.channel, `{"status": "disconnected"}`).OK(200)
		s.A.Post(t, path, newTemplate("x")).Fails(409, "channel_disconnected")
	})
}
