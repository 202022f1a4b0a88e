package reception

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

func (s *handlers) getDistribution(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.Reply[DistributionStatus], error) {
	id, err := httpserver.PathID(in.ID, "sector")
	if err != nil {
		return nil, err
	}
	status, err := s.verbs.Distribution(ctx, a, id)
	return &httpserver.Reply[DistributionStatus]{Body: status}, err
}
