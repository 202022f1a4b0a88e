package httpserver

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Origins lists the origins whose pages may call the API with a key, such as https://crm.example.com. "*" means all. Pages of
// other origins cannot use a session, because no response allows a browser to send its cookie.
type Origins []string

var defaultPorts = map[string]string{"http": ":80", "https": ":443"}

// ParseOrigins parses origins and normalizes them as browsers do.
func ParseOrigins(texts []string) (Origins, error) {
	var out Origins
	for _, text := range texts {
		u, err := url.Parse(text)
		switch {
		case text == "*":
			out = append(out, text)
			continue
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https",
			strings.Trim(u.Path, "/") != "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
			return nil, fmt.Errorf("%q is no origin such as https://crm.example.com", text)
		}
		host := strings.TrimSuffix(u.Host, defaultPorts[u.Scheme]) // browsers leave it out
		out = append(out, strings.ToLower(u.Scheme+"://"+host))
	}
	return out, nil
}

// Methods and headers that pages of other origins may use.
const (
	corsMethods = "GET, POST, PUT, PATCH, DELETE"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
	corsExposed = "Deprecation, ETag, Idempotency-Replayed, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, " +
		"Retry-After, Sunset, X-Api-Version, X-Request-Id"
)

// allow sets the CORS headers for an allowed origin. It responds to preflight requests, and then returns true.
func (o Origins) allow(w http.ResponseWriter, r *http.Request) (done bool) {
	if len(o) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	switch {
	case origin == "":
		return false
	case slices.Contains(o, "*"):
		origin = "*"
	case !slices.Contains(o, strings.ToLower(origin)):
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", corsExposed)
		return false
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
