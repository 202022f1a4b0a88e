package httpserver

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// router is the standard mux, and also holds routes that the mux refuses together because some paths match both, such as
// /things/{id}/parts and /things/open/{id}. Such a path belongs to the route whose first differing segment is fixed.
type router struct {
	*http.ServeMux
	unknown http.HandlerFunc
	forks   map[string]*fork // by the pattern that the mux has, and by those of the branches
}

// fork is a pattern of the mux that stands for two routes.
type fork struct {
	pattern  string
	branches []*branch // in the order in which they are tried
}

// branch is a route of a fork.
type branch struct {
	segments []string
	serve    http.HandlerFunc
}

// newRouter prepares for the patterns of a table whose paths are below a prefix.
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

// firstFixed looks for the first place where only one of two patterns has a wildcard. It returns -1 if that is a, 1 if it is b
// and 0 without such a place.
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

// overlap reports whether some paths match both of two patterns, and neither pattern is the more specific one.
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

// merged is the pattern with wildcards wherever one of two has one, each named after its place.
func merged(a, b []string) []string {
	out := slices.Clone(a)
	for i := range out {
		if isWildcard(a[i]) || isWildcard(b[i]) {
			out[i] = "{" + placeName(i) + "}"
		}
	}
	return out
}

func placeName(i int) string { return "p" + strconv.Itoa(i) }

// HandleFunc registers a route as huma's adapter does.
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

// choose calls the branch of a fork that the path of a request belongs to.
func (m *router) choose(f *fork, w http.ResponseWriter, r *http.Request) {
	b := f.branch(r.URL.Path)
	if b == nil {
		m.unknown(w, r)
		return
	}
	for i, segment := range b.segments {
		if isWildcard(segment) {
			r.SetPathValue(strings.Trim(segment, "{}"), r.PathValue(placeName(i)))
		}
	}
	b.serve(w, r)
}

// branch finds the branch that a path belongs to; nil if there is none.
func (f *fork) branch(path string) *branch {
	segments := strings.Split(path, "/")
	for _, b := range f.branches {
		if slices.EqualFunc(b.segments, segments, func(want, got string) bool { return want == got || isWildcard(want) }) {
			return b
		}
	}
	return nil
}

// exists reports whether a pattern of the mux stands for a route at this path.
func (m *router) exists(pattern, path string) bool {
	if f := m.forks[pattern]; f != nil {
		return f.branch(path) != nil
	}
	return pattern != "/" && pattern != ""
}
