package api

import (
	"context"
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
	if err := s.desk.System().Ready(ctx); err != nil {
		s.log.Warn("not ready", "error", err)
		s.writeError(w, callFrom(r.Context()).requestID, &model.Error{
			Code: model.CodeUnavailable, Message: "The database does not answer.", RetryAfter: time.Second,
		})
		return
	}
	s.healthz(w, r)
}
