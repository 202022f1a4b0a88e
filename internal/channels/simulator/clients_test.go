package simulator

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOtherClientsOfTheCloudAPI(t *testing.T) {
	t.Run("an upload may name the product in the query and the type in the file's part", func(t *testing.T) {
		g := serve(t, Options{})
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		part, err := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {`form-data; name="file"; filename="a.png"`}, "Content-Type": {"image/png"},
		})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write([]byte("png"))
		_ = form.Close()
		resp, err := http.Post(g.url+"/v25.0/"+DefaultNumberID+"/media?messaging_product=whatsapp&access_token="+DefaultToken,
			form.FormDataContentType(), &body)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var out struct{ ID string }
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || resp.StatusCode != 200 {
			t.Fatalf("status %d, %v", resp.StatusCode, err)
		}
		if _, kind, found := g.File(out.ID); !found || kind != "image/png" {
			t.Errorf("type: got %q, want image/png", kind)
		}
	})
	t.Run("a phone number may be written with plus, hyphens, parentheses and spaces", func(t *testing.T) {
		g := serve(t, Options{Window: "off"})
		body := `{"messaging_product":"whatsapp","to":"+55 (11) 8888-7777","text":{"body":"oi"}}`
		if status, out := g.call("POST", "/"+DefaultNumberID+"/messages", body); status != 200 {
			t.Fatalf("status %d: %v", status, out)
		}
		if sent := g.Ledger("551188887777"); len(sent) != 1 || sent[0].Input != "+55 (11) 8888-7777" {
			t.Errorf("ledger: %+v", sent)
		}
		letters := `{"messaging_product":"whatsapp","to":"55x11","text":{"body":"oi"}}`
		if status, _ := g.call("POST", "/"+DefaultNumberID+"/messages", letters); status != 400 {
			t.Errorf("letters in a number: status %d", status)
		}
	})
	t.Run("the token may be in the query", func(t *testing.T) {
		g := serve(t, Options{})
		for query, want := range map[string]int{"?access_token=" + DefaultToken: 200, "?access_token=wrong": 401, "": 401} {
			resp, err := http.Get(g.url + "/v25.0/" + DefaultNumberID + query)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%q: status %d, want %d", query, resp.StatusCode, want)
			}
		}
	})
	t.Run("a created template keeps footer, buttons and examples", func(t *testing.T) {
		g := serve(t, Options{})
		components := `[{"type":"BODY","text":"Oi {{1}}","example":{"body_text":[["Ana"]]}},{"type":"FOOTER","text":"Loja"},` +
			`{"type":"BUTTONS","buttons":[{"type":"QUICK_REPLY","text":"Sim"}]}]`
		if status, out := g.call("POST", "/"+DefaultWABAID+"/message_templates",
			`{"name":"pedido","language":"pt_BR","category":"UTILITY","components":`+components+`}`); status != 200 {
			t.Fatalf("status %d: %v", status, out)
		}
		_, out := g.call("GET", "/"+DefaultWABAID+"/message_templates?name=pedido", "")
		var want any
		_ = json.Unmarshal([]byte(components), &want)
		if diff := cmp.Diff(want, out["data"].([]any)[0].(map[string]any)["components"]); diff != "" {
			t.Errorf("components (-want +got):\n%s", diff)
		}
		if status, _ := g.call("POST", "/"+DefaultWABAID+"/message_templates",
			`{"name":"x","language":"pt_BR","category":"UTILITY","components":["body"]}`); status != 400 {
			t.Errorf("a component without a type: status %d", status)
		}
	})
	t.Run("a closed window is explained in error_data", func(t *testing.T) {
		g := serve(t, Options{})
		_, out := g.call("POST", "/"+DefaultNumberID+"/messages", text)
		failure := out["error"].(map[string]any)
		data, _ := failure["error_data"].(map[string]any)
		if failure["code"] != 131047.0 || data["details"] == nil || data["messaging_product"] != "whatsapp" {
			t.Errorf("error: %v", failure)
		}
	})
	t.Run("hello_world exists and can be sent at any time", func(t *testing.T) {
		g := serve(t, Options{})
		body := `{"messaging_product":"whatsapp","to":"551188887777","type":"template",` +
			`"template":{"name":"hello_world","language":{"code":"en_US"}}}`
		if status, out := g.call("POST", "/"+DefaultNumberID+"/messages", body); status != 200 {
			t.Errorf("status %d: %v", status, out)
		}
	})
	t.Run("the context of a reply names the author of the quoted message", func(t *testing.T) {
		g := serve(t, Options{Window: "off", Ladder: Ladder{Mode: "none"}})
		_, out := g.call("POST", "/"+DefaultNumberID+"/messages", text)
		ours := out["messages"].([]any)[0].(map[string]any)["id"].(string)
		theirs, err := g.Receive(Inbound{Customer: "551188887777", Text: "oi"})
		if err != nil {
			t.Fatal(err)
		}
		hidden, err := g.Receive(Inbound{Customer: "551188886666", Text: "oi"})
		if err != nil {
			t.Fatal(err)
		}
		g.SetCustomer("551188886666", func(c *Customer) { c.HidePhone = true })
		for quoted, want := range map[string]any{ours: DefaultBusinessPhone, theirs[0]: "551188887777", hidden[0]: nil} {
			g.drained()
			for g.receiver.Waiting() > 0 {
				g.receiver.Next(t)
			}
			if _, err := g.Receive(Inbound{Customer: "551188887777", Text: "sim", ReplyTo: quoted}); err != nil {
				t.Fatal(err)
			}
			g.drained()
			var callback struct {
				Entry []struct {
					Changes []struct {
						Value struct {
							Messages []struct{ Context map[string]any }
						}
					}
				}
			}
			if err := json.Unmarshal([]byte(g.receiver.Next(t).Body), &callback); err != nil {
				t.Fatal(err)
			}
			context := callback.Entry[0].Changes[0].Value.Messages[0].Context
			if context["from"] != want || context["id"] != quoted {
				t.Errorf("context: got %v, want from %v", context, want)
			}
		}
	})
}
