package simulator

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"recado/test/testkit"
)

// graph is a simulator served over HTTP, with a receiver for its webhooks.
type graph struct {
	*Simulator
	t        *testing.T
	url      string
	receiver *testkit.Receiver
}

func serve(t *testing.T, options Options) *graph {
	t.Helper()
	g := &graph{Simulator: New(options), t: t}
	g.url = testkit.Serve(t, g.Simulator)
	t.Cleanup(g.Close)
	g.receiver = testkit.NewReceiver(t)
	if err := g.SetCallback("", g.receiver.URL); err != nil {
		t.Fatal(err)
	}
	return g
}

// bodies returns the bodies of all webhook requests so far.
func (g *graph) bodies() (all []string) {
	for _, request := range g.receiver.All() {
		all = append(all, request.Body)
	}
	return all
}

// call sends a request and returns the status and the JSON of the response.
func (g *graph) call(method, path, body string) (int, map[string]any) {
	g.t.Helper()
	req, err := http.NewRequestWithContext(g.t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		g.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+DefaultToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		g.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out map[string]any
	_ = json.NewDecoder(resp.Body).Decode(&out)
	return resp.StatusCode, out
}

func (g *graph) drained() {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), 30*time.Second)
	defer cancel()
	if err := g.Drain(ctx); err != nil {
		g.t.Fatal(err)
	}
}

func code(out map[string]any) any {
	e, _ := out["error"].(map[string]any)
	return e["code"]
}

const text = `{"messaging_product":"whatsapp","to":"+551188887777","text":{"body":"Ol\u00e1"}}`

func TestGraph(t *testing.T) {
	g := serve(t, Options{})
	if _, err := g.Receive(Inbound{Customer: "+551188887777", Text: "oi"}); err != nil {
		t.Fatal(err)
	}
	t.Run("the version in the path is optional and may be any", func(t *testing.T) {
		for _, prefix := range []string{"/v13.0/", "/v25.0/", "/"} {
			if status, out := g.call("POST", prefix+DefaultNumberID+"/messages", text); status != 200 {
				t.Errorf("%s: got status %d, %v, want 200", prefix, status, out)
			}
		}
	})
	t.Run("an unknown object", func(t *testing.T) {
		status, out := g.call("GET", "/v25.0/123", "")
		if e := out["error"].(map[string]any); status != 400 || e["code"] != 100.0 || e["error_subcode"] != 33.0 {
			t.Errorf("got status %d, %v, want 400, code 100, subcode 33", status, out)
		}
	})
	t.Run("tokens", func(t *testing.T) {
		for state, subcode := range map[string]any{"expired": 463.0, "revoked": 467.0} {
			if err := g.SetToken(DefaultToken, state); err != nil {
				t.Fatal(err)
			}
			status, out := g.call("GET", "/v25.0/"+DefaultNumberID, "")
			if e := out["error"].(map[string]any); status != 401 || e["code"] != 190.0 || e["error_subcode"] != subcode {
				t.Errorf("%s: got status %d, %v, want 401, code 190, subcode %v", state, status, out, subcode)
			}
		}
		if err := g.SetToken(DefaultToken, "valid"); err != nil {
			t.Fatal(err)
		}
		if status, _ := g.call("GET", "/v25.0/"+DefaultNumberID, ""); status != 200 {
			t.Errorf("got status %d, want 200", status)
		}
	})
	t.Run("a field that a node does not have", func(t *testing.T) {
		if status, out := g.call("GET", "/v25.0/"+DefaultNumberID+"?fields=id,moon", ""); status != 400 || code(out) != 100.0 {
			t.Errorf("got status %d, %v, want 400 and code 100", status, out)
		}
	})
	t.Run("the window closes after 24 hours", func(t *testing.T) {
		g.Advance(24 * time.Hour)
		if _, out := g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", text); code(out) != 131047.0 {
			t.Errorf("got %v, want code 131047", out)
		}
		if _, err := g.Receive(Inbound{Customer: "551188887777", Text: "oi"}); err != nil {
			t.Fatal(err)
		}
		if status, out := g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", text); status != 200 {
			t.Errorf("got status %d, %v, want 200", status, out)
		}
	})
	t.Run("a person is blocked and unblocked", func(t *testing.T) {
		users := `{"messaging_product":"whatsapp","block_users":[{"user":"+551188887777"}]}`
		if status, out := g.call("POST", "/v25.0/"+DefaultNumberID+"/block_users", users); status != 200 {
			t.Fatalf("got status %d, %v, want 200", status, out)
		}
		if _, out := g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", text); code(out) != 130403.0 {
			t.Errorf("got %v, want code 130403", out)
		}
		g.call("DELETE", "/v25.0/"+DefaultNumberID+"/block_users", users)
		if status, out := g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", text); status != 200 {
			t.Errorf("got status %d, %v, want 200", status, out)
		}
	})
	t.Run("a number must be registered", func(t *testing.T) {
		g.call("POST", "/v25.0/"+DefaultNumberID+"/deregister", "")
		if _, out := g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", text); code(out) != 133010.0 {
			t.Errorf("got %v, want code 133010", out)
		}
		pin := `{"messaging_product":"whatsapp","pin":"123456"}`
		if status, out := g.call("POST", "/v25.0/"+DefaultNumberID+"/register", pin); status != 200 {
			t.Errorf("got status %d, %v, want 200", status, out)
		}
	})
	t.Run("templates in pages", func(t *testing.T) {
		for i := range 3 {
			body := fmt.Sprintf(`{"name":"t%d","language":"pt_BR","category":"UTILITY",`+
				`"components":[{"type":"BODY","text":"Oi {{1}}","example":{"body_text":[["Ana"]]}}]}`, i)
			status, out := g.call("POST", "/v25.0/"+DefaultWABAID+"/message_templates", body)
			if status != 200 || out["status"] != "PENDING" {
				t.Fatalf("got status %d, %v, want 200 and PENDING", status, out)
			}
		}
		_, first := g.call("GET", "/v25.0/"+DefaultWABAID+"/message_templates?limit=3", "")
		after := first["paging"].(map[string]any)["cursors"].(map[string]any)["after"].(string)
		_, second := g.call("GET", "/v25.0/"+DefaultWABAID+"/message_templates?limit=3&after="+after, "")
		if len(first["data"].([]any)) != 3 || len(second["data"].([]any)) != 1 || second["paging"].(map[string]any)["next"] != nil {
			t.Errorf("got pages %v and %v, want 3 and 1 templates and no third page", first, second)
		}
	})
	g.drained()
}

func TestWebhooks(t *testing.T) {
	t.Run("bodies are ASCII, signed, and repeated byte for byte", func(t *testing.T) {
		g := serve(t, Options{RetrySpeed: 1_000_000})
		g.receiver.Answer(func(w http.ResponseWriter, _ *http.Request) {
			if len(g.receiver.All()) < 5 {
				w.WriteHeader(503)
			}
		})
		if _, err := g.Receive(Inbound{Customer: "551188887777", Name: "Zoë", Text: "<é> 😀 & \"x\""}); err != nil {
			t.Fatal(err)
		}
		g.drained()
		requests := g.receiver.All()
		testkit.Equal(t, "number of requests", len(requests), 5)
		signature := "sha256=" + Sign(DefaultAppSecret, []byte(requests[0].Body))
		for i, request := range requests {
			testkit.Equal(t, fmt.Sprintf("body of request %d", i), request.Body, requests[0].Body)
			testkit.Equal(t, fmt.Sprintf("signature of request %d", i), request.Header.Get("X-Hub-Signature-256"), signature)
		}
		testkit.Contains(t, "body", requests[0].Body, `"body":"<\u00e9> \ud83d\ude00 & \"x\""`)
	})
	t.Run("a webhook is given up after seven days", func(t *testing.T) {
		g := serve(t, Options{RetrySpeed: 1_000_000_000})
		g.receiver.AnswerStatus(500)
		if _, err := g.Receive(Inbound{Customer: "551188887777", Text: "oi"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := g.Drain(ctx); err == nil || !strings.Contains(err.Error(), "given up") {
			t.Error(err)
		}
	})
	t.Run("drain ends when its context does", func(t *testing.T) {
		g := serve(t, Options{})
		release := make(chan struct{})
		defer close(release)
		g.receiver.Answer(func(http.ResponseWriter, *http.Request) { <-release })
		if _, err := g.Receive(Inbound{Customer: "551188887777", Text: "oi"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := g.Drain(ctx); err == nil {
			t.Error("drained")
		}
	})
	t.Run("without a subscription nothing arrives", func(t *testing.T) {
		g := serve(t, Options{})
		g.call("DELETE", "/v25.0/"+DefaultWABAID+"/subscribed_apps", "")
		if _, err := g.Receive(Inbound{Customer: "551188887777", Text: "oi"}); err != nil {
			t.Fatal(err)
		}
		g.drained()
		testkit.Equal(t, "number of requests", len(g.bodies()), 0)
	})
	t.Run("two runs send the same webhooks", func(t *testing.T) {
		var runs [2][]string
		for i := range runs {
			g := serve(t, Options{Now: testkit.StillClock(time.Unix(1790000000, 0)).Now})
			if _, err := g.Receive(Inbound{Customer: "551188887777", Text: "oi"}); err != nil {
				t.Fatal(err)
			}
			g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", text)
			g.drained()
			runs[i] = g.bodies()
		}
		testkit.Equal(t, "number of requests", len(runs[0]), 3)
		testkit.Diff(t, "requests of the second run", runs[1], runs[0])
	})
}

func TestFaultTriggers(t *testing.T) {
	statuses := func(f Fault) string {
		g := serve(t, Options{Window: "off", NoLimits: true})
		if err := g.AddFault(f); err != nil {
			t.Fatal(err)
		}
		var got []string
		for range 7 {
			status, _ := g.call("POST", "/v25.0/"+DefaultNumberID+"/messages", text)
			got = append(got, fmt.Sprint(status))
		}
		g.drained()
		return strings.Join(got, " ")
	}
	for want, f := range map[string]Fault{
		"429 429 429 429 429 429 429": {Preset: "throttled_429", Always: true},
		"429 429 200 200 200 200 200": {Preset: "throttled_429", Next: 2},
		"200 200 429 200 200 429 200": {Preset: "throttled_429", Every: 3},
		"200 200 200 200 200 200 200": {Preset: "throttled_429", Target: "upload", Always: true},
		"418 200 200 200 200 200 200": {Effect: "error", Status: 418, Code: 7, Target: "any", Next: 1},
	} {
		if got := statuses(f); got != want {
			t.Errorf("%+v: got %s, want %s", f, got, want)
		}
	}
	g := serve(t, Options{})
	for _, f := range []Fault{{Preset: "nope", Always: true}, {Preset: "html_502"}, {Always: true}} {
		if err := g.AddFault(f); err == nil {
			t.Errorf("%+v was accepted", f)
		}
	}
}
