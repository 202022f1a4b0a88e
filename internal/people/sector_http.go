package people

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type createSectorInput struct {
	Body struct {
		Name         string                     `json:"name" minLength:"1" maxLength:"120"`
		MemberIDs    []kernel.ID                `json:"member_ids,omitempty" maxItems:"1000"`
		HoursID      kernel.Optional[kernel.ID] `json:"hours_id,omitempty" required:"false" doc:"The sector's own opening hours."`
		Distribution *distributionBody          `json:"distribution,omitempty" doc:"How waiting cases are assigned."`
	}
}

// distributionBody changes a distribution. Absent fields stay as they are, or have their default.
type distributionBody struct {
	Mode               *string                `json:"mode,omitempty" enum:"manual,round_robin,least_busy"`
	Capacity           *int64                 `json:"capacity,omitempty" minimum:"1" maximum:"100"`
	PreferLast         *bool                  `json:"prefer_last,omitempty"`
	ReturnAfterMinutes kernel.Optional[int64] `json:"return_after_minutes,omitempty" required:"false" doc:"The number of minutes, from 1 to 1440, or null for never."`
}

func (s *handlers) createSector(ctx context.Context, a *kernel.Principal, in *createSectorInput) (*httpserver.Reply[Sector], error) {
	b := &in.Body
	sector, err := s.verbs.CreateSector(ctx, a, SectorChange{
		Name: &b.Name, Members: &b.MemberIDs, Hours: b.HoursID, Distribution: (*DistributionChange)(b.Distribution),
	})
	return &httpserver.Reply[Sector]{Body: sector}, err
}

type updateSectorInput struct {
	httpserver.AtID
	Body struct {
		Name         *string                    `json:"name,omitempty" minLength:"1" maxLength:"120"`
		MemberIDs    *[]kernel.ID               `json:"member_ids,omitempty" maxItems:"1000" doc:"Replaces all members."`
		HoursID      kernel.Optional[kernel.ID] `json:"hours_id,omitempty" required:"false" doc:"The sector's own opening hours; if null, the opening hours of the channel or the company apply."`
		Distribution *distributionBody          `json:"distribution,omitempty" doc:"How waiting cases are assigned. Omitted fields do not change."`
	} `required:"false"`
}

func (s *handlers) updateSector(ctx context.Context, a *kernel.Principal, in *updateSectorInput) (*httpserver.Reply[Sector], error) {
	id, err := httpserver.PathID(in.ID, "sector")
	if err != nil {
		return nil, err
	}
	b := &in.Body
	sector, err := s.verbs.UpdateSector(ctx, a, id, SectorChange{
		Name: b.Name, Members: b.MemberIDs, Hours: b.HoursID, Distribution: (*DistributionChange)(b.Distribution),
	})
	return &httpserver.Reply[Sector]{Body: sector}, err
}
