package httpserver

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// router is a ServeMux that also supports conflicting patterns, such as /things/{id}/parts and /things/open/{id}. A path that
// matches both belongs to the route whose first differing segment is fixed.
type router struct {
	*http.ServeMux
	unknown http.HandlerFunc
	forks   map[string]*fork // by their patterns and those of their branches
}

// fork is a pattern that matches two conflicting routes.
type fork struct {
	pattern  string
	branches []*branch // in order of precedence
}

// branch is a route of a fork.
type branch struct {
	segments []string
	serve    http.HandlerFunc
}

// newRouter returns a router for the routes of a table, whose paths are below a prefix. HandleFunc registers their handlers.
func newRouter(prefix string, table []*Route, unknown http.HandlerFunc) *router {
	m := &router{ServeMux: http.NewServeMux(), unknown: unknown, forks: map[string]*fork{}}
	for i, r := range table {
		for _, other := range table[:i] {
			a, b := strings.Split(prefix+r.Path, "/"), strings.Split(prefix+other.Path, "/")
			if r.Method != other.Method || !overlap(a, b) {
				continue
			}
			f := &fork{pattern: r.Method + " " + strings.Join(merged(a, b), "/"), branches: []*branch{{segments: a}, {segments: b}}}
			slices.SortFunc(f.branches, func(x, y *branch) int { return firstFixed(y.segments, x.segments) })
			for _, pattern := range []string{f.pattern, r.Method + " " + prefix + r.Path, r.Method + " " + prefix + other.Path} {
				if m.forks[pattern] != nil {
					panic("httpserver: more than two routes overlap at " + pattern)
				}
				m.forks[pattern] = f
			}
		}
	}
	return m
}

func isWildcard(segment string) bool { return strings.HasPrefix(segment, "{") }

// firstFixed finds the first segment where only one of two patterns has a wildcard. It returns -1 if that is a, 1 if it is b and
// 0 if there is none.
func firstFixed(a, b []string) int {
	for i := range a {
		switch {
		case isWildcard(a[i]) && !isWildcard(b[i]):
			return -1
		case !isWildcard(a[i]) && isWildcard(b[i]):
			return 1
		}
	}
	return 0
}

// overlap reports whether two patterns conflict: some paths match both, and neither pattern is more specific.
func overlap(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	moreA, moreB := false, false
	for i := range a {
		switch {
		case isWildcard(a[i]) && !isWildcard(b[i]):
			moreB = true
		case !isWildcard(a[i]) && isWildcard(b[i]):
			moreA = true
		case !isWildcard(a[i]) && a[i] != b[i]:
			return false
		}
	}
	return moreA && moreB
}

// merged returns a pattern with a wildcard wherever one of two patterns has one.
func merged(a, b []string) []string {
	out := slices.Clone(a)
	for i := range out {
		if isWildcard(a[i]) || isWildcard(b[i]) {
			out[i] = "{" + wildcardName(i) + "}"
		}
	}
	return out
}

func wildcardName(i int) string { return "p" + strconv.Itoa(i) }

// HandleFunc registers a handler. huma's adapter calls it.
func (m *router) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	f := m.forks[pattern]
	if f == nil {
		m.ServeMux.HandleFunc(pattern, h)
		return
	}
	_, path, _ := strings.Cut(pattern, " ")
	ready := true
	for _, b := range f.branches {
		if strings.Join(b.segments, "/") == path {
			b.serve = h
		}
		ready = ready && b.serve != nil
	}
	if ready {
		m.ServeMux.HandleFunc(f.pattern, func(w http.ResponseWriter, r *http.Request) { m.choose(f, w, r) })
	}
}

// choose calls the branch of a fork that matches a request.
func (m *router) choose(f *fork, w http.ResponseWriter, r *http.Request) {
	b := f.branch(r.URL.Path)
	if b == nil {
		m.unknown(w, r)
		return
	}
	for i, segment := range b.segments {
		if isWildcard(segment) {
			r.SetPathValue(strings.Trim(segment, "{}"), r.PathValue(wildcardName(i)))
		}
	}
	b.serve(w, r)
}

// branch returns the first branch that matches a path, or nil.
func (f *fork) branch(path string) *branch {
	segments := strings.Split(path, "/")
	for _, b := range f.branches {
		if slices.EqualFunc(b.segments, segments, func(want, got string) bool { return want == got || isWildcard(want) }) {
			return b
		}
	}
	return nil
}

// exists reports whether a pattern of the mux has a route for a path.
func (m *router) exists(pattern, path string) bool {
	if f := m.forks[pattern]; f != nil {
		return f.branch(path) != nil
	}
	return pattern != "/" && pattern != ""
}
