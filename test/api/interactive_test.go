package api_test

import (
	"fmt"
	"strings"
	"testing"

	"recado/internal/kernel"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestInteractiveMessagesAreSentAndAnswered(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		channel := sandbox(t, w)
		const ana = "+5511987654321"
		conversation := w.A.Post(t, simulatePath(channel), `{"from": "`+ana+`", "text": "Oi"}`).OK(201).Text("conversation")
		send := func(t *testing.T, content string) *servertest.Answer {
			return w.A.Post(t, "/conversations/"+conversation+"/messages", fmt.Sprintf(`{"client_id": %q, %s}`, kernel.NewID(), content))
		}
		t.Run("buttons can be sent", func(t *testing.T) {
			m := send(t, `"interactive": {"body": "Confirma?", "header": "Pedido 9", "footer": "Padaria", "buttons": [{"id": "y", "title": "Sim"}, {"id": "n", "title": "Não"}]}`).OK(201)
			testkit.Equal(t, "type", m.Text("type"), "interactive")
			testkit.Equal(t, "text", m.Text("text"), "Pedido 9\nConfirma?\nPadaria\n- Sim\n- Não")
			testkit.Equal(t, "button", m.Text("interactive", "buttons", 1, "title"), "Não")
			testkit.Equal(t, "list", m.At("interactive", "list"), nil)
			testkit.Equal(t, "choice", m.At("choice"), nil)
			testkit.Equal(t, "message read by id", string(w.A.Get(t, "/messages/"+m.ID()).OK(200).Raw), string(m.Raw))
		})
		t.Run("a list can be sent", func(t *testing.T) {
			m := send(t, `"interactive": {"body": "Escolha", "list": {"button": "Ver", "sections": [{"title": "Doces", "rows": [{"id": "1", "title": "Bolo", "description": "de fubá"}]}, {"title": "Pães", "rows": [{"id": "2", "title": "Francês"}]}]}}`).OK(201)
			testkit.Equal(t, "text", m.Text("text"), "Escolha\nDoces\n- Bolo: de fubá\nPães\n- Francês")
			testkit.Equal(t, "row", m.Text("interactive", "list", "sections", 0, "rows", 0, "description"), "de fubá")
			testkit.Equal(t, "buttons", m.At("interactive", "buttons"), nil)
		})
		t.Run("a customer's choice is a text with the id of the option", func(t *testing.T) {
			m := w.A.Post(t, simulatePath(channel), `{"from": "`+ana+`", "choice": {"id": "y", "title": "Sim"}}`).OK(201)
			testkit.Equal(t, "type", m.Text("type"), "text")
			testkit.Equal(t, "text", m.Text("text"), "Sim")
			testkit.Equal(t, "choice", m.Text("choice", "id"), "y")
			w.A.Post(t, simulatePath(channel), `{"from": "`+ana+`", "text": "x", "choice": {"id": "y", "title": "Sim"}}`).Fails(400, "invalid_request")
		})
		t.Run("input beyond WhatsApp's limits is refused with the field", func(t *testing.T) {
			long := func(n int) string { return strings.Repeat("é", n) }
			rows := func(n int) string {
				all := make([]string, n)
				for i := range all {
					all[i] = fmt.Sprintf(`{"id": "%d", "title": "t%d"}`, i, i)
				}
				return strings.Join(all, ",")
			}
			button := `"buttons": [{"id": "a", "title": "A"}]`
			for field, body := range map[string]string{
				"body.interactive":                                      `"interactive": {"body": "x"}`,
				"body.interactive.body":                                 `"interactive": {"body": "` + long(1025) + `", ` + button + `}`,
				"body.interactive.header":                               `"interactive": {"body": "x", "header": "` + long(61) + `", ` + button + `}`,
				"body.interactive.footer":                               `"interactive": {"body": "x", "footer": "` + long(61) + `", ` + button + `}`,
				"body.interactive.buttons":                              `"interactive": {"body": "x", "buttons": []}`,
				"body.interactive.buttons[0].title":                     `"interactive": {"body": "x", "buttons": [{"id": "a", "title": "` + long(21) + `"}]}`,
				"body.interactive.buttons[1].id":                        `"interactive": {"body": "x", "buttons": [{"id": "a", "title": "A"}, {"id": "a", "title": "B"}]}`,
				"body.interactive.buttons[1].title":                     `"interactive": {"body": "x", "buttons": [{"id": "a", "title": "A"}, {"id": "b", "title": "A"}]}`,
				"body.interactive.list.button":                          `"interactive": {"body": "x", "list": {"button": "` + long(21) + `", "sections": [{"rows": [` + rows(1) + `]}]}}`,
				"body.interactive.list.sections":                        `"interactive": {"body": "x", "list": {"button": "b", "sections": [{"title": "1", "rows": [` + rows(9) + `]}, {"title": "2", "rows": [{"id": "x", "title": "x"}, {"id": "y", "title": "y"}]}]}}`,
				"body.interactive.list.sections[0].title":               `"interactive": {"body": "x", "list": {"button": "b", "sections": [{"rows": [` + rows(1) + `]}, {"title": "2", "rows": [{"id": "x", "title": "x"}]}]}}`,
				"body.interactive.list.sections[0].rows[0].title":       `"interactive": {"body": "x", "list": {"button": "b", "sections": [{"rows": [{"id": "x", "title": "` + long(25) + `"}]}]}}`,
				"body.interactive.list.sections[0].rows[0].description": `"interactive": {"body": "x", "list": {"button": "b", "sections": [{"rows": [{"id": "x", "title": "x", "description": "` + long(73) + `"}]}]}}`,
				"body.text": `"text": "x", "interactive": {"body": "x", ` + button + `}`,
			} {
				testkit.Equal(t, "field", send(t, body).Fails(400, "invalid_request").Text("details", 0, "field"), field)
			}
			send(t, `"interactive": {"body": "`+long(1024)+`", "buttons": [{"id": "a", "title": "`+long(20)+`"}]}`).OK(201)
			send(t, `"interactive": {"body": "x", "list": {"button": "`+long(20)+`", "sections": [{"rows": [`+rows(10)+`]}]}}`).OK(201)
			send(t, `"interactive": {"body": "x", "buttons": [{"id":"1","title":"1"},{"id":"2","title":"2"},{"id":"3","title":"3"},{"id":"4","title":"4"}]}`).Fails(400, "invalid_request")
		})
	})
}
