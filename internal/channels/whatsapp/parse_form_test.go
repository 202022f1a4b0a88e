package whatsapp

import (
	"strconv"
	"testing"

	"recado/internal/channels/provider"
	"recado/test/testkit"
)

func TestFormsKeepEveryAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		response string
		fields   []provider.FormField
		text     string
	}{
		"pickers of photos and documents": {
			response: `{"screen_0_Name_0":"Ana","photos":[{"file_name":"casa.jpg","mime_type":"image/jpeg","sha256":"x","id":1},{"file_name":"rua.jpg"}],"papers":[{"file_name":"rg.pdf"}]}`,
			fields: []provider.FormField{
				{Name: "screen_0_Name_0", Label: "Name", Value: "Ana"},
				{Name: "photos", Label: "photos", Value: "casa.jpg, rua.jpg"},
				{Name: "papers", Label: "papers", Value: "rg.pdf"},
			},
			text: "Sent\nName: Ana\nphotos: casa.jpg, rua.jpg\npapers: rg.pdf",
		},
		"lists of other objects": {
			response: `{"guests":[{"name":"Ana","age":7},{"name":"Rui","age":null}],"options":[{"id":"1","title":"Sim"}]}`,
			fields: []provider.FormField{
				{Name: "guests", Label: "guests", Value: "name: Ana, age: 7; name: Rui"},
				{Name: "options", Label: "options", Value: "Sim"},
			},
			text: "Sent\nguests: name: Ana, age: 7; name: Rui\noptions: Sim",
		},
		"an address": {
			response: `{"saved_address_id":null,"values":{"in_pin_code":"400063","city":"Mumbai","house":{"floor":8}}}`,
			fields: []provider.FormField{
				{Name: "in_pin_code", Label: "in pin code", Value: "400063"},
				{Name: "city", Label: "city", Value: "Mumbai"},
				{Name: "house.floor", Label: "house floor", Value: "8"},
			},
			text: "Sent\nin pin code: 400063\ncity: Mumbai\nhouse floor: 8",
		},
		"a list":      {`["a","b"]`, []provider.FormField{{Value: "a, b"}}, "Sent\na, b"},
		"a text":      {`"sim"`, []provider.FormField{{Value: "sim"}}, "Sent\nsim"},
		"a number":    {`42`, []provider.FormField{{Value: "42"}}, "Sent\n42"},
		"plain words": {`amanhã cedo`, []provider.FormField{{Value: "amanhã cedo"}}, "Sent\namanhã cedo"},
		"yes and no":  {`{"ok":true,"flow_token":"s3cret"}`, []provider.FormField{{Name: "ok", Label: "ok", Value: "true"}}, "Sent\nok: true"},
	} {
		t.Run(name, func(t *testing.T) {
			reply := func(response string) *provider.IncomingMessage {
				return parseOne(t, callbackOf("messages", "messages", `{`+common+`"type":"interactive","interactive":{"type":"nfm_reply","nfm_reply":{"name":"flow","body":"Sent","response_json":`+response+`}}}`)).Message
			}
			got := reply(strconv.QuoteToASCII(test.response))
			testkit.Diff(t, "form", got.Form, &provider.Form{Name: "flow", Fields: test.fields})
			testkit.Equal(t, "text", got.Text, test.text)
			if test.response[0] == '{' {
				testkit.Diff(t, "form that is no string", reply(test.response).Form, got.Form)
			}
		})
	}
}

func TestCardsWithOnlyAVCardHaveText(t *testing.T) {
	const vcard = `BEGIN:VCARD\r\nVERSION:3.0\r\nN:Souza;Rosa;;;\r\nFN:Tia Rosa\r\nitem1.TEL;waid=5511988887777:+55 11 98888-7777\r\nEMAIL;TYPE=HOME:rosa@example.com\r\nORG:Padaria;Vendas\r\nEND:VCARD`
	got := parseOne(t, callbackOf("messages", "messages", `{`+common+`"type":"contacts","contacts":[{"vcard":"`+vcard+`"}]}`)).Message
	testkit.Equal(t, "text", got.Text, "Tia Rosa: +55 11 98888-7777, rosa@example.com, Padaria, Vendas")
	testkit.Equal(t, "type", got.Type, "contacts")
}

func TestNoticesAlwaysHaveALine(t *testing.T) {
	for _, body := range []string{
		`{"object":"whatsapp_business_account","entry":[{"id":"W","changes":[{"field":"flows","value":{}}]}]}`,
		`{"object":"whatsapp_business_account","entry":[{"id":"W","changes":[{"value":{"x":1}}]}]}`,
		`{"object":"whatsapp_business_account","entry":[{"id":"W","changes":[{"field":"messages","value":{"messages":[{"id":"a","from":"5511999998888","type":"system","system":{}}]}}]}]}`,
		`{"object":"whatsapp_business_account","entry":[{"id":"W","changes":[{"field":"calls","value":{"calls":[{"id":"a"}]}}]}]}`,
	} {
		events, err := ParseCallback([]byte(body))
		if err != nil || len(events) != 1 || events[0].Incoming.Notice == nil {
			t.Fatalf("%s: got %+v, %v; want one notice", body, events, err)
		}
		if n := events[0].Incoming.Notice; n.Kind == "" || n.Text == "" {
			t.Errorf("%s: got kind %q, text %q; want both", body, n.Kind, n.Text)
		}
	}
}
