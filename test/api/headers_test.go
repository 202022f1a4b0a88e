package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"recado/internal/server"
	"recado/test/servertest"
)

// plainClient does not follow redirects.
var plainClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// responseHeaders sends a request and returns the status and the headers of the response.
func responseHeaders(t *testing.T, r *http.Request) (int, http.Header) {
	t.Helper()
	resp, err := plainClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header
}

func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	w := servertest.Start(t, "", func(c *server.Config) { c.BasePath = "/desk" })
	expectHeaders := func(t *testing.T, r *http.Request, headers map[string]string) http.Header {
		t.Helper()
		status, got := responseHeaders(t, r)
		for name, value := range headers {
			if got.Get(name) != value {
				t.Errorf("%s %s (%d): %s: got %q, want %q", r.Method, r.URL, status, name, got.Get(name), value)
			}
		}
		return got
	}
	api := map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
	for _, route := range w.API.Routes() {
		for _, key := range []string{"", w.A.Secret()} {
			r, _ := http.NewRequest(route.Method, w.A.Base()+withRandomIDs(route.Path), nil)
			if key != "" {
				r.Header.Set("Authorization", "Bearer "+key)
			}
			expectHeaders(t, r, api)
		}
	}
	for _, path := range []string{
		"/healthz", "/readyz", "/v1/openapi.json", "/v1/nothing", "/nothing", "/v1//x", "/media" + withRandomIDs("/{id}"), "/channels" + withRandomIDs("/{id}") + "/whatsapp", "/docs/nothing", "/docs/guides/nothing", "/docs",
	} {
		r, _ := http.NewRequest("GET", w.URL+path, nil)
		expectHeaders(t, r, api)
	}
	page := map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"}
	for _, path := range []string{"/", "/docs/", "/docs/recado.css", "/docs/guides/", "/docs/guides/api", "/docs/swagger-ui-bundle.js", "/docs/oauth2-redirect.html"} {
		r, _ := http.NewRequest("GET", w.URL+path, nil)
		policy := expectHeaders(t, r, page).Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: want %q in the Content-Security-Policy, got %q", path, part, policy)
			}
		}
		if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%s: Content-Security-Policy: got %q, want neither unsafe sources nor *", path, policy)
		}
	}
	t.Run("a file has its own headers", func(t *testing.T) {
		link, _ := url.Parse(w.A.Get(t, "/media/"+w.A.Upload(t, "x.png", png).OK(201).ID()+"/url").OK(200).Text("url"))
		r, _ := http.NewRequest("GET", link.String(), nil)
		expectHeaders(t, r, map[string]string{
			"X-Content-Type-Options": "nosniff", "Cache-Control": "private, max-age=600", "Content-Security-Policy": "sandbox; default-src 'none'",
			"Referrer-Policy": "no-referrer",
		})
	})
}
