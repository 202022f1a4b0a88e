package httpserver

import (
	"net/http"
	"slices"
	"strings"
)

// router is a ServeMux that also supports conflicting patterns, such as /things/{id}/parts and /things/open/{id}. A path that
// matches both belongs to the route whose first differing segment is fixed.
type router struct {
	*http.ServeMux
	first *http.ServeMux // of the routes that win a conflict
	wins  []string       // their patterns
}

// newRouter returns a router for the routes of a table, whose paths are below a prefix. HandleFunc registers their handlers.
func newRouter(prefix string, table []*Route) *router {
	m := &router{ServeMux: http.NewServeMux(), first: http.NewServeMux()}
	for _, r := range table {
		for _, other := range table {
			if r.Method == other.Method && winsOver(r.Path, other.Path) {
				m.wins = append(m.wins, r.Method+" "+prefix+r.Path)
			}
		}
	}
	return m
}

// winsOver reports whether two patterns conflict, because some paths match both and neither pattern is more specific, and the
// first segment that differs is fixed in a.
func winsOver(a, b string) bool {
	others := strings.Split(b, "/")
	if strings.Count(a, "/") != len(others)-1 {
		return false
	}
	fixed, otherFixed := false, false // in segments where the other pattern has a wildcard
	for i, segment := range strings.Split(a, "/") {
		switch isWildcard, isOther := strings.HasPrefix(segment, "{"), strings.HasPrefix(others[i], "{"); {
		case isWildcard && isOther, segment == others[i]:
		case isOther:
			fixed = true
		case isWildcard && fixed:
			otherFixed = true
		default:
			return false
		}
	}
	return fixed && otherFixed
}

// HandleFunc registers a handler. huma's adapter calls it.
func (m *router) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	if slices.Contains(m.wins, pattern) {
		m.first.HandleFunc(pattern, h)
		return
	}
	m.ServeMux.HandleFunc(pattern, h)
}

// ServeHTTP calls the handler of a request.
func (m *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, pattern := m.first.Handler(r); pattern != "" {
		m.first.ServeHTTP(w, r)
		return
	}
	m.ServeMux.ServeHTTP(w, r)
}

// exists reports whether a request has a handler other than that of unknown paths.
func (m *router) exists(r *http.Request) bool {
	_, first := m.first.Handler(r)
	_, pattern := m.Handler(r)
	return first != "" || pattern != "" && pattern != "/"
}
