package people

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type createMemberInput struct {
	Body struct {
		Name          string               `json:"name" minLength:"1" maxLength:"120"`
		Email         string               `json:"email" minLength:"3" maxLength:"254" doc:"The e-mail address the person signs in with. It must be unique in the company."`
		Role          kernel.Role          `json:"role,omitempty" enum:"owner,admin,manager,agent" default:"agent"`
		AccessProfile kernel.AccessProfile `json:"access_profile,omitempty" enum:"all,sectors,own" default:"all" doc:"The conversations the person can see."`
		SectorIDs     []kernel.ID          `json:"sector_ids,omitempty" maxItems:"1000"`
	}
}

func (s *handlers) createMember(ctx context.Context, a *kernel.Principal, in *createMemberInput) (*httpserver.Reply[Member], error) {
	b := &in.Body
	user := NewUser{Name: b.Name, Email: b.Email, Role: b.Role, AccessProfile: b.AccessProfile}
	return httpserver.Body(s.verbs.CreateMember(ctx, a, user, b.SectorIDs))
}

type updateMemberInput struct {
	httpserver.AtID
	Body struct{ MemberChange } `required:"false"`
}

func (s *handlers) updateMember(ctx context.Context, a *kernel.Principal, in *updateMemberInput) (*httpserver.Reply[Member], error) {
	return httpserver.Body(s.verbs.UpdateMember(ctx, a, kernel.ID(in.ID), in.Body.MemberChange))
}

type createSectorInput struct {
	Body struct {
		Name         string                     `json:"name" minLength:"1" maxLength:"120"`
		MemberIDs    []kernel.ID                `json:"member_ids,omitempty" maxItems:"1000"`
		HoursID      kernel.Optional[kernel.ID] `json:"hours_id,omitempty" required:"false" doc:"The sector's own opening hours."`
		Distribution *DistributionBody          `json:"distribution,omitempty" doc:"How waiting cases are assigned."`
	}
}

func (s *handlers) createSector(ctx context.Context, a *kernel.Principal, in *createSectorInput) (*httpserver.Reply[Sector], error) {
	b := &in.Body
	return httpserver.Body(s.verbs.CreateSector(ctx, a, SectorChange{&b.Name, &b.MemberIDs, b.HoursID, b.Distribution}))
}

type updateSectorInput struct {
	httpserver.AtID
	Body struct{ SectorChange } `required:"false"`
}

func (s *handlers) updateSector(ctx context.Context, a *kernel.Principal, in *updateSectorInput) (*httpserver.Reply[Sector], error) {
	return httpserver.Body(s.verbs.UpdateSector(ctx, a, kernel.ID(in.ID), in.Body.SectorChange))
}

type updateCompanyInput struct {
	Body struct{ CompanyChange } `required:"false"`
}

func (s *handlers) updateCompany(ctx context.Context, a *kernel.Principal, in *updateCompanyInput) (*httpserver.Reply[CompanySettings], error) {
	return httpserver.Body(s.verbs.UpdateCompany(ctx, a, in.Body.CompanyChange))
}
