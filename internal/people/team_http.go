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
	m, err := s.verbs.CreateMember(ctx, a, user, b.SectorIDs)
	return &httpserver.Reply[Member]{Body: m}, err
}

type updateMemberInput struct {
	httpserver.AtID
	Body struct {
		Name          *string                `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Email         *string                `json:"email,omitempty" minLength:"3" maxLength:"254"`
		Role          *kernel.Role           `json:"role,omitempty" enum:"owner,admin,manager,agent"`
		AccessProfile *kernel.AccessProfile  `json:"access_profile,omitempty" enum:"all,sectors,own"`
		SectorIDs     *[]kernel.ID           `json:"sector_ids,omitempty" maxItems:"1000" doc:"Replaces all sectors of the person."`
		Capacity      kernel.Optional[int64] `json:"capacity,omitempty" required:"false" doc:"The maximum number of open attendances that distribution assigns to the person, from 1 to 100; null to use the sector's capacity."`
	} `required:"false"`
}

func (s *handlers) updateMember(ctx context.Context, a *kernel.Principal, in *updateMemberInput) (*httpserver.Reply[Member], error) {
	id, err := httpserver.PathID(in.ID, "team member")
	if err != nil {
		return nil, err
	}
	m, err := s.verbs.UpdateMember(ctx, a, id, MemberChange(in.Body))
	return &httpserver.Reply[Member]{Body: m}, err
}
