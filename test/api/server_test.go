// Package api_test tests the HTTP API of complete servers on both database engines.
package api_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/kerneltest"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestKeysAreCheckedOnEveryRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		t.Run("GET /me describes the key", func(t *testing.T) {
			me := w.A.Get(t, "/me").OK(200)
			testkit.Equal(t, "company.id", me.Text("company", "id"), w.A.ID.String())
			testkit.Equal(t, "user.role", me.Text("user", "role"), "owner")
			testkit.Equal(t, "api_version", me.Text("api_version"), "1.1.0")
			testkit.Equal(t, "header X-Api-Version", me.Header.Get("X-Api-Version"), "1.1.0")
			if me.Header.Get("X-Request-Id") == "" {
				t.Fatalf("X-Request-Id: got none: %v", me.Header)
			}
		})
		t.Run("a valid X-Request-Id is kept and an invalid one is replaced", func(t *testing.T) {
			testkit.Equal(t, "header X-Request-Id", w.A.Do(t, "GET", "/me", nil, "X-Request-Id", "order-77").Header.Get("X-Request-Id"), "order-77")
			if got := w.A.Do(t, "GET", "/me", nil, "X-Request-Id", `"><script>`).Header.Get("X-Request-Id"); strings.Contains(got, "<") {
				t.Fatalf("X-Request-Id: got %q, want it replaced", got)
			}
		})
		t.Run("an expired key is refused", func(t *testing.T) {
			soon := w.Clock.Now().Add(time.Hour)
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "short", Scopes: kernel.NewScopeSet(people.ScopeRead), ExpiresAt: &soon})
			c.Get(t, "/me").OK(200)
			w.Clock.Advance(2 * time.Hour)
			refused := c.Get(t, "/me").Fails(401, "key_expired")
			testkit.Equal(t, "header WWW-Authenticate", refused.Header.Get("WWW-Authenticate"), "Bearer")
		})
		t.Run("a revoked key is refused at once", func(t *testing.T) {
			key, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "gone", Scopes: kernel.NewScopeSet(people.ScopeRead)})
			c.Get(t, "/me").OK(200)
			w.B.Delete(t, "/keys/"+key.ID.String()).Fails(404, "not_found")
			c.Get(t, "/me").OK(200)
			w.A.Delete(t, "/keys/"+key.ID.String()).OK(204)
			c.Get(t, "/me").Fails(401, "key_revoked")
		})
		t.Run("a rotated secret stays valid during the overlap", func(t *testing.T) {
			key, old := w.NewKey(t, w.A.ID, people.NewKey{Name: "turning", Scopes: kernel.NewScopeSet(people.ScopeRead)})
			fresh := w.A.Post(t, "/keys/"+key.ID.String()+"/rotate", `{"overlap_seconds": 60}`).OK(200).Text("key")
			if !strings.HasPrefix(fresh, "rcd_") {
				t.Fatalf("key: got %q, want the prefix rcd_", fresh)
			}
			testkit.Equal(t, "length of the key", len(fresh), 46)
			old.Get(t, "/me").OK(200)
			w.Clock.Advance(2 * time.Minute)
			old.Get(t, "/me").Fails(401, "key_revoked")
		})
		t.Run("a key cannot have a scope that its creator lacks", func(t *testing.T) {
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "issuer", Scopes: kernel.NewScopeSet(people.ScopeKeysManage, people.ScopeTeamRead)})
			c.Post(t, "/keys", `{"name": "more", "scopes": ["team:read", "write"]}`).Fails(403, "insufficient_scope")
			made := c.Post(t, "/keys", `{"name": "less", "scopes": ["team:read"]}`).OK(201)
			if made.Text("key") == "" || made.Text("user", "name") == "" {
				t.Fatalf("got %s, want a key and the name of its user", made.Raw)
			}
		})
		t.Run("requests over the rate limit get 429 with Retry-After", func(t *testing.T) {
			_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "slow", Scopes: kernel.NewScopeSet(people.ScopeRead), Rate: &kernel.Rate{PerSecond: 1, Burst: 2}})
			c.Get(t, "/me").OK(200)
			c.Get(t, "/me").OK(200)
			refused := c.Get(t, "/labels").Fails(429, "rate_limited")
			testkit.Equal(t, "header Retry-After", refused.Header.Get("Retry-After"), "1")
			testkit.Equal(t, "header RateLimit-Limit", refused.Header.Get("RateLimit-Limit"), "2")
		})
	})
}

func TestARevokedKeyIsRefusedOnEveryNodeWithinASecond(t *testing.T) {
	url := kerneltest.URL(t)
	w := servertest.Start(t, url)
	other, _ := w.SecondNode(t, url)
	key, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "roaming", Scopes: kernel.NewScopeSet(people.ScopeRead)})
	there := c.On(other)
	there.Get(t, "/me").OK(200)
	w.A.Delete(t, "/keys/"+key.ID.String()).OK(204)
	revoked := time.Now()
	for sent := time.Now(); there.Get(t, "/me").Status == 200; sent = time.Now() {
		if sent.Sub(revoked) > time.Second {
			t.Fatal("the other node accepts the key in a request sent more than a second later")
		}
	}
	there.Get(t, "/me").Fails(401, "key_revoked")
}

func TestTheServerValidatesRequests(t *testing.T) {
	w := servertest.Start(t, "", func(c *server.Config) { c.BasePath = "/desk" })
	labels := w.A.Base() + "/labels"

	t.Run("invalid bodies are refused", func(t *testing.T) {
		deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
		for name, c := range map[string]struct{ body, code, field string }{
			"unknown field":   {`{"name":"x","colour":"#000000"}`, "invalid_request", "body.colour"},
			"duplicate field": {`{"name":"x","name":"y"}`, "invalid_json", "body.name"},
			"wrong case":      {`{"NAME":"x"}`, "invalid_request", "body.name"},
			"body null":       {`null`, "invalid_request", "body"},
			"array":           {`[]`, "invalid_request", "body"},
			"two values":      {`{"name":"x"}{}`, "invalid_json", "body"},
			"lone surrogate":  {`{"name":"\ud800"}`, "invalid_json", "body.name"},
			"bad UTF-8":       {"{\"name\":\"\xff\"}", "invalid_json", "body.name"},
			"NUL":             {`{"name":"a\u0000b"}`, "invalid_json", "body.name"},
			"too deep":        {deep, "invalid_json", "body"},
			"not JSON":        {`{name}`, "invalid_json", "body"},
			"cut off":         {`{"name":`, "invalid_json", "body"},
			"wrong type":      {`{"name":7}`, "invalid_request", "body.name"},
			"null value":      {`{"name":null}`, "invalid_request", "body.name"},
			"empty name":      {`{"name":""}`, "invalid_request", "body.name"},
			"blank name":      {`{"name":"   "}`, "invalid_request", "body.name"},
			"too long":        {`{"name":"` + strings.Repeat("é", 121) + `"}`, "invalid_request", "body.name"},
			"missing field":   {`{}`, "invalid_request", "body.name"},
			"a bad colour":    {`{"name":"x","color":"red"}`, "invalid_request", "body.color"},
			"an absent body":  {``, "invalid_request", "body"},
		} {
			t.Run(name, func(t *testing.T) {
				a := w.A.Post(t, "/labels", c.body).Fails(400, c.code)
				if got := a.Text("details", 0, "field"); !strings.HasPrefix(got, c.field) {
					t.Errorf("details.0.field: got %q, want the prefix %q: %s", got, c.field, a.Raw)
				}
			})
		}
		w.A.Post(t, "/labels", `{"name":"x"}`, "Content-Type", "text/plain").Fails(400, "invalid_request")
		w.A.Post(t, "/labels", `{"name":"x"}`, "Content-Type", "application/json-patch+json").Fails(400, "invalid_request")
		w.A.Post(t, "/labels", `{"name":"loud"}`, "Content-Type", "Application/JSON; Charset=UTF-8").OK(201)
		w.A.Post(t, "/labels", `{"name":"`+strings.Repeat("a", 120)+`"}`).OK(201)
	})

	t.Run("a body over 64 KiB gets 413, even if it is chunked", func(t *testing.T) {
		body := `{"name":"` + strings.Repeat("x", 64<<10) + `"}`
		w.A.Post(t, "/labels", body).Fails(413, "body_too_large")
		r, _ := http.NewRequest("POST", labels, bufio.NewReader(strings.NewReader(body)))
		r.ContentLength = -1
		r.Header.Set("Authorization", "Bearer "+w.A.Secret())
		r.Header.Set("Content-Type", "application/json")
		w.A.Send(t, r).Fails(413, "body_too_large")
		w.A.Post(t, "/labels?colour=red", body).Fails(413, "body_too_large")
		w.A.Post(t, "/labels?colour=red", `{"name":"x"}`).Fails(400, "invalid_request")
	})

	t.Run("invalid query parameters are refused", func(t *testing.T) {
		for _, query := range []string{"?x=1", "?limit=%zz", "?limit=1;offset=2", "?%00=1", "?=1", "?limit"} {
			w.A.Get(t, "/me"+query).Fails(400, "invalid_request")
		}
	})

	t.Run("a filter with an unknown id returns an empty list", func(t *testing.T) {
		customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		for _, path := range []string{
			"/attendances?assignee=", "/attendances?sector=", "/attendances?conversation=",
			"/conversations?assignee=", "/conversations?sector=", "/conversations?channel=", "/conversations?label=",
			"/contacts?label=", "/contacts?channel=", "/kanban/cards?board_id=", "/kanban/cards?label=",
		} {
			for _, id := range []string{"00000000-0000-0000-0000-000000000000", "0193b0a0-0000-7000-8000-000000000000"} {
				if a := w.A.Get(t, path+id).OK(200); len(a.List("data")) != 0 {
					t.Errorf("%s%s: got %s, want an empty list", path, id, a.Raw)
				}
			}
			a := w.A.Get(t, path+"7").Fails(400, "invalid_request")
			if field := "query." + strings.TrimSuffix(path[strings.Index(path, "?")+1:], "="); a.Text("details", 0, "field") != field ||
				!strings.HasPrefix(a.Text("details", 0, "message"), "must be ") {
				t.Errorf("%s7: got %s, want the field %s and a message that begins with must be", path, a.Raw, field)
			}
		}
	})

	t.Run("the OpenAPI document has no status that is never returned", func(t *testing.T) {
		resp, err := http.Get(w.A.Base() + "/openapi.json")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if raw, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || strings.Contains(string(raw), `"422":`) {
			t.Errorf("got status %d and %d bytes, want 200 without a response 422", resp.StatusCode, len(raw))
		}
	})

	t.Run("unknown paths and methods get an Error object", func(t *testing.T) {
		for _, path := range []string{"/nothing", "/labels/", "//labels", "/../v1/me", "/labels/%2e%2e/me", "/labels/not-a-uuid/x"} {
			w.A.Get(t, path).Fails(404, "not_found")
		}
		w.A.Delete(t, "/labels/not-a-uuid").Fails(404, "not_found")
		w.A.Delete(t, "/labels/{0193b0a0-0000-7000-8000-000000000000}").Fails(404, "not_found")
		a := w.A.Do(t, "PUT", "/labels", nil).Fails(405, "method_not_allowed")
		testkit.Equal(t, "header Allow", a.Header.Get("Allow"), "GET, HEAD, POST")
	})

	t.Run("missing and invalid keys are refused", func(t *testing.T) {
		anonymous := func(headers ...string) *servertest.Answer {
			r, _ := http.NewRequest("GET", w.A.Base()+"/me", nil)
			for _, h := range headers {
				r.Header.Add("Authorization", h)
			}
			return w.A.Send(t, r)
		}
		anonymous().Fails(401, "key_missing")
		anonymous("Bearer").Fails(401, "key_missing")
		anonymous("Bearer  ").Fails(401, "key_missing")
		anonymous("Basic abc").Fails(401, "key_invalid")
		anonymous("Bearer rcd_wrong").Fails(401, "key_invalid")
		secret := []byte(w.A.Secret())
		secret[len(secret)-1] ^= 1
		anonymous("Bearer "+string(secret)).Fails(401, "key_invalid")
		anonymous("Bearer "+w.A.Secret(), "Bearer "+w.A.Secret()).Fails(401, "key_invalid")
		anonymous("bearer " + w.A.Secret()).OK(200)
	})

	t.Run("malformed HTTP and oversized headers get an Error object", func(t *testing.T) {
		for _, c := range []struct{ request, status string }{
			{"GET / HTTP/1.1\r\nHost: x\r\nX-Big: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", "431"},
			{"NONSENSE\r\n\r\n", "400"},
			{"GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n", "400"},
			{"GET / HTTP/1.1\r\nHost: x\r\nExpect: the best\r\n\r\n", "417"},
			{"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "404"},
		} {
			addr := strings.TrimPrefix(strings.TrimSuffix(w.URL, "/desk"), "http://")
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = conn.Write([]byte(c.request))
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(resp.Status, c.status) || resp.Header.Get("Content-Type") != "application/json" {
				t.Errorf("%.40q: got %s %v, want %s with JSON", c.request, resp.Status, resp.Header, c.status)
			}
			_ = conn.Close()
		}
	})

	t.Run("health checks, pages and the OpenAPI document need no key", func(t *testing.T) {
		for path, part := range map[string]string{
			"/healthz": "ok", "/readyz": "ok", "/v1/openapi.json": `"openapi":"3.1.0"`, "/": `content="/desk"`,
			"/docs": "</html>", "/docs/": "/desk/v1/openapi.json", "/docs/swagger-ui-bundle.js": "SwaggerUIBundle",
		} {
			resp, err := http.Get(w.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			page, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if resp.StatusCode != 200 || err != nil || !strings.Contains(string(page), part) {
				t.Errorf("%s: got %d, %d bytes and error %v, want 200 with %q in it", path, resp.StatusCode, len(page), err, part)
			}
		}
		r, _ := http.NewRequest("GET", w.URL+"/docs/nothing", nil)
		w.A.Send(t, r).Fails(404, "not_found")
	})
}
