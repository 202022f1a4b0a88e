package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) listSectors(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.Sector]], error) {
	sectors, err := s.desk.Sectors(ctx, a)
	return &reply[list[model.Sector]]{list[model.Sector]{sectors}}, err
}

type createSectorInput struct {
	Body struct {
		Name         string                   `json:"name" minLength:"1" maxLength:"120"`
		MemberIDs    []model.ID               `json:"member_ids,omitempty" maxItems:"1000"`
		HoursID      model.Optional[model.ID] `json:"hours_id,omitempty" required:"false" doc:"Its own opening hours."`
		Distribution *distributionBody        `json:"distribution,omitempty" doc:"How waiting cases get a responsible person."`
	}
}

// distributionBody is what of a distribution is sent; what is absent stays, or has its default.
type distributionBody struct {
	Mode               *string               `json:"mode,omitempty" enum:"manual,round_robin,least_busy"`
	Capacity           *int64                `json:"capacity,omitempty" minimum:"1" maximum:"100"`
	PreferLast         *bool                 `json:"prefer_last,omitempty"`
	ReturnAfterMinutes model.Optional[int64] `json:"return_after_minutes,omitempty" required:"false" doc:"1 to 1440; null: never."`
}

func (s *Server) getDistribution(ctx context.Context, a *desk.Principal, in *AtID) (*reply[model.DistributionStatus], error) {
	id, err := pathID(in.ID, "sector")
	if err != nil {
		return nil, err
	}
	status, err := s.desk.Distribution(ctx, a, id)
	return &reply[model.DistributionStatus]{status}, err
}

func (s *Server) createSector(ctx context.Context, a *desk.Principal, in *createSectorInput) (*reply[model.Sector], error) {
	sector, err := s.desk.CreateSector(ctx, a, desk.SectorChange{Name: &in.Body.Name, Members: &in.Body.MemberIDs, Hours: in.Body.HoursID, Distribution: (*desk.DistributionChange)(in.Body.Distribution)})
	return &reply[model.Sector]{sector}, err
}

type updateSectorInput struct {
	AtID
	Body struct {
		Name         *string                  `json:"name,omitempty" minLength:"1" maxLength:"120"`
		MemberIDs    *[]model.ID              `json:"member_ids,omitempty" maxItems:"1000" doc:"Replaces all members."`
		HoursID      model.Optional[model.ID] `json:"hours_id,omitempty" required:"false" doc:"Its own opening hours; null: those of the channel, or of the company."`
		Distribution *distributionBody        `json:"distribution,omitempty" doc:"How waiting cases get a responsible person. Absent fields do not change."`
	} `required:"false"`
}

func (s *Server) updateSector(ctx context.Context, a *desk.Principal, in *updateSectorInput) (*reply[model.Sector], error) {
	id, err := pathID(in.ID, "sector")
	if err != nil {
		return nil, err
	}
	sector, err := s.desk.UpdateSector(ctx, a, id, desk.SectorChange{Name: in.Body.Name, Members: in.Body.MemberIDs, Hours: in.Body.HoursID, Distribution: (*desk.DistributionChange)(in.Body.Distribution)})
	return &reply[model.Sector]{sector}, err
}

func (s *Server) removeSector(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "sector")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.RemoveSector(ctx, a, id)
}
