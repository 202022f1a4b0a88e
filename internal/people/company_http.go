package people

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type updateCompanyInput struct {
	Body struct {
		Name     *string `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Timezone *string `json:"timezone,omitempty" minLength:"1" maxLength:"64" doc:"An IANA time zone name."`
	} `required:"false"`
}

func (s *handlers) updateCompany(ctx context.Context, a *kernel.Principal, in *updateCompanyInput) (*httpserver.Reply[kernel.Company], error) {
	company, err := s.verbs.UpdateCompany(ctx, a, in.Body.Name, in.Body.Timezone)
	return &httpserver.Reply[kernel.Company]{Body: company}, err
}
