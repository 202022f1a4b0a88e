package httpserver

import (
	"net/http"
	"strings"
)

// operationID returns an id such as sendMessage, listKeys or getKey.
func (r *Route) operationID() string {
	if r.name != "" {
		return r.name
	}
	name := r.Verb.Name
	switch {
	case r.Method != http.MethodGet:
		return strings.ToLower(name[:1]) + name[1:]
	case strings.HasSuffix(name, "s"):
		return "list" + name
	}
	return "get" + name
}

func (s *Server) tag(r *Route) string {
	if r.Open || r.Verb.SessionOnly {
		return tagApp.Name
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	if name, ok := s.tagOf[first]; ok {
		return name
	}
	return first
}

func (s *Server) describedTags(used map[string]bool) []any {
	out := []any{}
	for _, tag := range s.tags {
		if used[tag.Name] {
			out = append(out, map[string]any{"name": tag.Name, "description": tag.Description})
		}
	}
	return out
}
