package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestControl steers a simulator as another process would.
func TestControl(t *testing.T) {
	g := serve(t, Options{})
	ok := func(method, path, body string) map[string]any {
		t.Helper()
		status, out := g.call(method, "/_control/"+path, body)
		if status != 200 {
			t.Fatalf("%s %s: got status %d, %v, want 200", method, path, status, out)
		}
		return out
	}
	ids := ok("POST", "messages", `[{"customer":"+551188887777","name":"Ana","text":"oi"},
		{"customer":"551188887777","type":"image","text":"veja","file":{"bytes":"QUJD","mime_type":"image/png"}},
		{"customer":"551188887777","type":"location","payload":{"latitude":1,"longitude":2}},
		{"customer":"551188887777","type":"unsupported","extra":{"errors":[{"code":131051}]}}]`)["ids"].([]any)
	echo := ok("POST", "echoes", `{"customer":"551188887777","text":"do celular"}`)["ids"].([]any)
	ok("POST", "edits", fmt.Sprintf(`{"id":%q,"text":"oi!"}`, ids[0]))
	ok("POST", "revokes", fmt.Sprintf(`{"id":%q}`, echo[0]))
	ok("POST", "number-changes", `{"from":"551188887777","to":"5521977776666"}`)
	ok("POST", "pushes", `{"field":"account_update","value":{"event":"ACCOUNT_RESTRICTION"}}`)
	ok("POST", "raw", `not json`)
	ok("POST", "faults", `{"preset":"html_502","next":1}`)
	if status, _ := g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", text); status != 502 {
		t.Errorf("the fault did not apply: %d", status)
	}
	ok("DELETE", "faults", "")
	ok("PUT", "ladder", `{"mode":"none"}`)
	ok("PUT", "delivery", `{"batch":10,"parallel":2}`)
	message := strings.Replace(text, `"to"`, `"biz_opaque_callback_data":"c1","to"`, 1)
	if status, out := g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", message); status != 200 {
		t.Fatalf("message: got status %d, %v, want 200", status, out)
	}
	var ledger []Accepted
	resp, err := http.Get(g.url + "/_control/ledger?recipient=%2B551188887777")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&ledger); err != nil || len(ledger) != 1 || ledger[0].ClientID != "c1" {
		t.Fatalf("ledger: got %+v, error %v, want one message with client id c1", ledger, err)
	}
	ok("POST", "statuses", fmt.Sprintf(`{"id":%q,"status":"failed","code":131026}`, ledger[0].ID))
	ok("PUT", "customers/551188887777", `{"name":"Ana B","hide_phone":true}`)
	ok("POST", "templates", `{"name":"a","language":"pt_BR","body":"x"}`)
	ok("PUT", "token", `{"state":"valid"}`)
	ok("POST", "numbers", `{"id":"300","phone":"5511911112222","name":"Outra"}`)
	ok("PUT", "number-status", `{"number":"300","status":"BANNED"}`)
	ok("POST", "pause", "")
	ok("POST", "resume", "")
	ok("POST", "drain", "")
	if out := ok("GET", "repeated", ""); len(out) != 0 {
		t.Errorf("repeated: %v", out)
	}
	before := ok("GET", "clock", "")["now"].(string)
	if after := ok("POST", "clock", `{"advance":"1h"}`)["now"].(string); after <= before {
		t.Errorf("%s, then %s", before, after)
	}
	joined := strings.Join(g.bodies(), "")
	for _, part := range []string{
		`"type":"text"`, `"type":"image"`, `"caption":"veja"`, `"latitude":1`, `131051`, `smb_message_echoes`,
		`"type":"edit"`, `"type":"revoke"`, `user_changed_number`, `ACCOUNT_RESTRICTION`, `not json`, `"status":"failed"`,
	} {
		if !strings.Contains(joined, part) {
			t.Errorf("no webhook has %s", part)
		}
	}
	for _, path := range []string{"faults", "messages", "clock", "statuses"} {
		if status, _ := g.call("POST", "/_control/"+path, `{"unknown":1}`); status != 400 {
			t.Errorf("%s: status for a typo: got %d, want 400", path, status)
		}
	}
	ok("POST", "reset", "")
	if len(g.Ledger("")) != 0 {
		t.Error("the ledger survived a reset")
	}
}
