package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) listTeam(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.Member]], error) {
	team, err := s.desk.Team(ctx, a)
	return &reply[list[model.Member]]{list[model.Member]{team}}, err
}

type createMemberInput struct {
	Body struct {
		Name          string              `json:"name" minLength:"1" maxLength:"120"`
		Email         string              `json:"email" minLength:"3" maxLength:"254" doc:"The address that the person signs in with; unique in the company."`
		Role          model.Role          `json:"role,omitempty" enum:"owner,admin,manager,agent" default:"agent"`
		AccessProfile model.AccessProfile `json:"access_profile,omitempty" enum:"all,sectors,own" default:"all" doc:"Which conversations the person sees."`
		SectorIDs     []model.ID          `json:"sector_ids,omitempty" maxItems:"1000"`
	}
}

func (s *Server) createMember(ctx context.Context, a *desk.Principal, in *createMemberInput) (*reply[model.Member], error) {
	b := &in.Body
	m, err := s.desk.CreateMember(ctx, a, desk.NewUser{
		Name: b.Name, Email: b.Email, Role: b.Role, AccessProfile: b.AccessProfile,
	}, b.SectorIDs)
	return &reply[model.Member]{m}, err
}

type updateMemberInput struct {
	AtID
	Body struct {
		Name          *string               `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Email         *string               `json:"email,omitempty" minLength:"3" maxLength:"254"`
		Role          *model.Role           `json:"role,omitempty" enum:"owner,admin,manager,agent"`
		AccessProfile *model.AccessProfile  `json:"access_profile,omitempty" enum:"all,sectors,own"`
		SectorIDs     *[]model.ID           `json:"sector_ids,omitempty" maxItems:"1000" doc:"Replaces all sectors of the person."`
		Capacity      model.Optional[int64] `json:"capacity,omitempty" required:"false" doc:"How many open attendances distribution gives the person at most, 1 to 100; null: as the sector says."`
	} `required:"false"`
}

func (s *Server) updateMember(ctx context.Context, a *desk.Principal, in *updateMemberInput) (*reply[model.Member], error) {
	id, err := pathID(in.ID, "team member")
	if err != nil {
		return nil, err
	}
	b := &in.Body
	m, err := s.desk.UpdateMember(ctx, a, id, desk.MemberChange{
		Name: b.Name, Email: b.Email, Role: b.Role, AccessProfile: b.AccessProfile, Sectors: b.SectorIDs, Capacity: b.Capacity,
	})
	return &reply[model.Member]{m}, err
}

func (s *Server) removeMember(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "team member")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.RemoveMember(ctx, a, id)
}
