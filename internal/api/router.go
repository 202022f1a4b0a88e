package api

import (
	"net/http"
	"strings"
)

// router is the standard mux, and tells two routes apart that the mux refuses to hold together, because it compares
// patterns and not the few paths that exist: DELETE /team/{id}/sessions and DELETE /team/invitations/{id}.
type router struct {
	*http.ServeMux
	team                  string // the path above both routes
	sessions, invitations http.HandlerFunc
	unknown               http.HandlerFunc
}

// HandleFunc registers a route as huma's adapter does.
func (m *router) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	switch pattern {
	case "DELETE " + m.team + "/{id}/sessions":
		m.sessions = h
	case "DELETE " + m.team + "/invitations/{id}":
		m.invitations = h
	default:
		m.ServeMux.HandleFunc(pattern, h)
		return
	}
	if m.sessions != nil && m.invitations != nil {
		m.ServeMux.HandleFunc(m.shared(), m.deleteBelowTeam)
	}
}

// shared is the pattern under which the mux has both routes.
func (m *router) shared() string { return "DELETE " + m.team + "/{id}/{part}" }

func (m *router) deleteBelowTeam(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.PathValue("id") == "invitations":
		r.SetPathValue("id", r.PathValue("part"))
		m.invitations(w, r)
	case r.PathValue("part") == "sessions":
		m.sessions(w, r)
	default:
		m.unknown(w, r)
	}
}

// exists reports whether a pattern of the mux stands for a route at this path.
func (m *router) exists(pattern, path string) bool {
	if pattern != m.shared() {
		return pattern != "/" && pattern != ""
	}
	below, _ := strings.CutPrefix(path, m.team+"/")
	return strings.HasPrefix(below, "invitations/") || strings.HasSuffix(below, "/sessions")
}
