package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) inboxCounts(ctx context.Context, a *desk.Principal, _ *none) (*reply[*model.InboxCounts], error) {
	counts, err := s.desk.InboxCounts(ctx, a)
	return &reply[*model.InboxCounts]{counts}, err
}
