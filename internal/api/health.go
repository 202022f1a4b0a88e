package api

import (
	"context"
	"html/template"
	"net/http"
	"time"

	"recado/internal/model"
)

// healthz says that the process lives.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ok"}`))
}

// readyz says that the database answers, its migrations are done, and the server is not about to stop.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		s.writeError(w, callFrom(r.Context()).requestID, &model.Error{
			Code: model.CodeUnavailable, Message: "This server is about to stop.", RetryAfter: time.Second,
		})
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	if err := s.desk.Ready(ctx); err != nil {
		s.log.Warn("not ready", "error", err)
		s.writeError(w, callFrom(r.Context()).requestID, &model.Error{
			Code: model.CodeUnavailable, Message: "The database does not answer.", RetryAfter: time.Second,
		})
		return
	}
	s.healthz(w, r)
}

var homePage = template.Must(template.New("home").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Recado</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:36rem;padding:0 1rem}</style>
<h1>Recado</h1>
<p>The desk is running. Everything it can do is in its API:</p>
<ul>
<li><a href="{{.}}/docs/">API reference</a></li>
<li><a href="{{.}}/v1/openapi.json">OpenAPI document</a></li>
</ul>
</html>
`))

func (s *Server) home(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = homePage.Execute(w, s.base)
}
