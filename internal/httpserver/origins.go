package httpserver

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Origins are the other sites whose pages may call the API with a key, as browsers name them: https://crm.example.com.
// "*" stands for all. Pages of other sites never call with a session: no answer allows a browser to send its cookie.
type Origins []string

var defaultPorts = map[string]string{"http": ":80", "https": ":443"}

// ParseOrigins checks origins and writes them as browsers do.
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

// What pages of other sites may send and read besides what browsers always allow.
const (
	corsMethods = "GET, POST, PUT, PATCH, DELETE"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id"
	corsExposed = "Deprecation, ETag, Idempotency-Replayed, Location, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Sunset, X-Api-Version, X-Request-Id"
)

// Answer lets the page of an allowed origin read the answer to a request. It answers a preflight itself, and then
// reports true.
func (o Origins) Answer(w http.ResponseWriter, r *http.Request) bool {
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
