package api_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/server"
	"recado/test/servertest"
	"recado/test/testkit"
)

func TestAConditionalRequestGets304(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		b := newBoard(t, w.A.Client)
		card := b.card(t, w.A.Client, "one", "").OK(201).ID()
		file := w.A.Upload(t, "note.txt", []byte("a plain note")).OK(201).ID()
		paths := []string{
			"/kanban/boards", "/kanban/boards/" + b.id, "/kanban/cards", "/kanban/cards/" + card, "/media/" + file, "/media/" + file + "/content",
		}
		tags := map[string]string{}
		for _, path := range paths {
			t.Run(path, func(t *testing.T) {
				first := w.A.Get(t, path).OK(200)
				tags[path] = first.Header.Get("ETag")
				if tags[path] == "" {
					t.Fatal("the response has no ETag")
				}
				for _, known := range []string{tags[path], `"other", ` + tags[path], "W/" + strings.TrimPrefix(tags[path], "W/"), "*"} {
					again := w.A.Do(t, "GET", path, nil, "If-None-Match", known).OK(304)
					testkit.Diff(t, "body", string(again.Raw), "")
					testkit.Diff(t, "ETag", again.Header.Get("ETag"), tags[path])
				}
				other := w.A.Do(t, "GET", path, nil, "If-None-Match", `"other"`).OK(200)
				testkit.Diff(t, "body", string(other.Raw), string(first.Raw))
				w.B.Do(t, "GET", path, nil, "If-None-Match", "*") // the response is checked against the OpenAPI document
			})
		}
		t.Run("after a change the full response is sent", func(t *testing.T) {
			w.A.Patch(t, "/kanban/boards/"+b.id, `{"name":"Renamed"}`).OK(200)
			w.A.Patch(t, "/kanban/cards/"+card, `{"title":"two","version":1}`).OK(200)
			for _, path := range paths[:4] {
				changed := w.A.Do(t, "GET", path, nil, "If-None-Match", tags[path]).OK(200)
				if changed.Header.Get("ETag") == tags[path] {
					t.Errorf("%s: the ETag is still %s", path, tags[path])
				}
			}
		})
		t.Run("what is not found is 404 despite If-None-Match", func(t *testing.T) {
			w.B.Do(t, "GET", "/kanban/boards/"+b.id, nil, "If-None-Match", tags["/kanban/boards/"+b.id]).Fails(404, "not_found")
		})
	})
}

func TestEveryResponseHasRateLimitHeaders(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		rate := func(a *servertest.Answer) [3]string {
			return [3]string{a.Header.Get("RateLimit-Limit"), a.Header.Get("RateLimit-Remaining"), a.Header.Get("RateLimit-Reset")}
		}
		_, c := w.NewKey(t, w.A.ID, people.NewKey{Name: "slow", Scopes: kernel.NewScopeSet(people.ScopeRead), Rate: &kernel.Rate{PerSecond: 1, Burst: 4}})
		testkit.Diff(t, "a success", rate(c.Get(t, "/me").OK(200)), [3]string{"4", "3", "1"})
		testkit.Diff(t, "403", rate(c.Get(t, "/team").OK(403)), [3]string{"4", "2", "2"})
		testkit.Diff(t, "404", rate(c.Get(t, "/kanban/cards/none").OK(404)), [3]string{"4", "1", "3"})
		testkit.Diff(t, "400", rate(c.Get(t, "/kanban/cards?limit=0").OK(400)), [3]string{"4", "0", "4"})
		testkit.Diff(t, "429", rate(c.Get(t, "/me").OK(429)), [3]string{"4", "0", "4"})
		session := w.A.Enter(t, w.A.Owner.ID.String(), password)
		if got := rate(session.Get(t, "/session").OK(200)); got[0] == "" || got[1] >= got[0] && len(got[1]) == len(got[0]) {
			t.Errorf("rate limit headers of a session: got %v, want fewer remaining than the limit", got)
		}
		full := w.Desk.Kernel.KeyRate
		for _, a := range []*servertest.Answer{w.A.Visitor().Get(t, "/me").OK(401), w.A.Visitor().Get(t, "/setup").OK(200), w.A.Visitor().Get(t, "/nothing").OK(404)} {
			if got := rate(a); got[0] == "" || got[0] != got[1] || got[2] != "0" {
				t.Errorf("rate limit headers of a visitor: got %v, want the full rate %v", got, full)
			}
		}
	}, func(c *server.Config) { c.Now = testkit.StillClock(time.Now()).Now }) // calls come back only as time passes
}

func TestResponsesOutsideOperationsHaveRateLimitHeaders(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "", func(c *server.Config) { c.Origins = []string{"https://crm.example.com"} })
	for _, call := range []struct {
		status  int
		method  string
		address string
		headers []string
	}{
		{401, "GET", "/v1/me", nil},
		{404, "GET", "/v1/nothing", nil},
		{404, "GET", "/v1//me", nil},
		{404, "GET", "/nothing", nil},
		{405, "DELETE", "/v1/me", nil},
		{413, "POST", "/v1/session", []string{"Content-Type", "application/json", "Content-Length", "70000"}},
		{401, "POST", "/mcp", nil},
		{405, "GET", "/mcp", nil},
		{200, "GET", "/healthz", nil},
		{200, "GET", "/readyz", nil},
		{200, "GET", "/v1/openapi.json", nil},
		{204, "OPTIONS", "/v1/labels", []string{"Origin", "https://crm.example.com", "Access-Control-Request-Method", "POST"}},
		{431, "GET", "/v1/me", []string{"X-Long", strings.Repeat("x", 1<<20)}},
	} {
		r, err := http.NewRequest(call.method, w.URL+call.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(call.headers); i += 2 {
			r.Header.Set(call.headers[i], call.headers[i+1])
		}
		if r.Header.Get("Content-Length") != "" {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(`"`+strings.Repeat("x", 70_000)+`"`)), 70_002
		}
		status, h := responseHeaders(t, r)
		testkit.Diff(t, call.method+" "+call.address, status, call.status)
		for _, name := range []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} {
			if _, err := strconv.Atoi(h.Get(name)); err != nil {
				t.Errorf("%s %s (%d): %s: got %q, want a number", call.method, call.address, status, name, h.Get(name))
			}
		}
	}
}

func TestADeprecatedOperationAnnouncesItsSunset(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	found := 0
	for _, route := range w.API.Routes() {
		if route.Method+" "+route.Path != "GET /labels" {
			continue
		}
		found++
		testkit.Diff(t, "deprecated in the document", route.Operation(w.API.Server).Deprecated, false)
		testkit.Diff(t, "Deprecation", w.A.Get(t, "/labels").OK(200).Header.Get("Deprecation"), "")
		route.Deprecated = &httpserver.Deprecation{Since: time.Unix(1_800_000_000, 0), Sunset: time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC)}
		testkit.Diff(t, "deprecated in the document", route.Operation(w.API.Server).Deprecated, true)
		for _, a := range []*servertest.Answer{w.A.Get(t, "/labels").OK(200), w.A.Visitor().Get(t, "/labels").OK(401)} {
			testkit.Diff(t, "Deprecation", a.Header.Get("Deprecation"), "@1800000000")
			testkit.Diff(t, "Sunset", a.Header.Get("Sunset"), "Tue, 29 Feb 2028 12:00:00 GMT")
		}
	}
	testkit.Diff(t, "number of routes for GET /labels", found, 1)
}

func TestPagesFromAllowedOriginsMayUseAKey(t *testing.T) {
	t.Parallel()
	const allowed, other = "https://crm.example.com", "https://evil.example.com"
	w := servertest.Start(t, "", func(c *server.Config) { c.Origins = []string{allowed} })
	preflight := func(origin, path string) *servertest.Answer {
		return w.A.Visitor().Do(t, "OPTIONS", path, nil, "Origin", origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
	}
	t.Run("preflight requests from allowed origins succeed", func(t *testing.T) {
		a := preflight(allowed, "/labels").OK(204)
		testkit.Diff(t, "origin", a.Header.Get("Access-Control-Allow-Origin"), allowed)
		for name, part := range map[string]string{"Methods": "PATCH", "Headers": "Idempotency-Key"} {
			if got := a.Header.Get("Access-Control-Allow-" + name); !strings.Contains(got, part) {
				t.Errorf("Access-Control-Allow-%s: got %q, want %s in it", name, got, part)
			}
		}
	})
	t.Run("the page can read responses, but never with a cookie", func(t *testing.T) {
		made := w.A.Do(t, "POST", "/labels", `{"name":"x"}`, "Origin", allowed, "Sec-Fetch-Site", "cross-site").OK(201)
		testkit.Diff(t, "origin", made.Header.Get("Access-Control-Allow-Origin"), allowed)
		testkit.Diff(t, "Vary", made.Header.Get("Vary"), "Origin")
		for _, a := range []*servertest.Answer{made, preflight(allowed, "/labels"), w.A.Visitor().Do(t, "GET", "/me", nil, "Origin", allowed).OK(401)} {
			testkit.Diff(t, "credentials", a.Header.Get("Access-Control-Allow-Credentials"), "")
		}
		owner := w.A.Enter(t, w.A.Owner.ID.String(), password)
		owner.Do(t, "POST", "/labels", `{"name":"y"}`, "Origin", allowed, "Sec-Fetch-Site", "cross-site").Fails(403, "cross_origin")
	})
	t.Run("other origins, and by default all origins, are not allowed", func(t *testing.T) {
		testkit.Diff(t, "origin", preflight(other, "/labels").Fails(405, "method_not_allowed").Header.Get("Access-Control-Allow-Origin"), "")
		testkit.Diff(t, "origin", w.A.Do(t, "GET", "/labels", nil, "Origin", other).OK(200).Header.Get("Access-Control-Allow-Origin"), "")
		plain := servertest.Start(t, "")
		a := plain.A.Do(t, "GET", "/labels", nil, "Origin", allowed).OK(200)
		testkit.Diff(t, "origin", a.Header.Get("Access-Control-Allow-Origin"), "")
	})
	t.Run("addresses outside the API allow no other origin", func(t *testing.T) {
		r, err := http.NewRequest("GET", w.URL+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", allowed)
		if _, h := responseHeaders(t, r); h.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("/healthz: got %v, want no Access-Control-Allow-Origin", h)
		}
	})
}

func TestBooleanFiltersAcceptTrueFalseOneAndZero(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		newBoard(t, w.A.Client)
		archived := newBoard(t, w.A.Client)
		w.A.Patch(t, "/kanban/boards/"+archived.id, `{"archived":true}`).OK(200)
		read := customerWrites(t, w, sandbox(t, w), phoneNumber(1))
		w.A.Post(t, "/conversations/"+read+"/read", nil).OK(200)
		w.A.Patch(t, "/conversations/"+read, `{"archived":true}`).OK(200)
		for _, pair := range [][2]string{{"1", "true"}, {"0", "false"}} {
			for _, filter := range []string{"/kanban/boards?archived=", "/conversations?archived=", "/conversations?unread=", "/conversations?snoozed="} {
				one, other := w.A.Get(t, filter+pair[0]).OK(200), w.A.Get(t, filter+pair[1]).OK(200)
				testkit.Diff(t, filter, string(one.Raw), string(other.Raw))
			}
		}
		testkit.Diff(t, "archived", len(w.A.Get(t, "/conversations?archived=1").OK(200).List()), 1)
		testkit.Diff(t, "not archived", len(w.A.Get(t, "/conversations?archived=0").OK(200).List()), 0)
		w.A.Get(t, "/conversations?archived=yes").Fails(400, "invalid_request")
		view := w.A.Post(t, "/views", `{"name":"Archived","query":{"archived":"1"}}`).OK(201)
		testkit.Diff(t, "view", view.Text("query", "archived"), "1")
	})
}

func TestAnUnknownAddressShowsPeopleThePageAndClientsAnError(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "")
	for _, tt := range []struct{ address, accept, want string }{
		{"/nothing", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8"},
		{"/nothing", "*/*", "application/json"},
		{"/v1/nothing", "text/html", "application/json"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", w.URL+tt.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", tt.accept)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		testkit.Diff(t, tt.address+" for "+tt.accept, []any{resp.StatusCode, resp.Header.Get("Content-Type")}, []any{404, tt.want})
	}
}
