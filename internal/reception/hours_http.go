package reception

import (
	"context"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

func (s *handlers) listHours(
	ctx context.Context, a *kernel.Principal, _ *httpserver.None,
) (*httpserver.Reply[httpserver.List[Hours]], error) {
	all, err := s.verbs.AllHours(ctx, a)
	return &httpserver.Reply[httpserver.List[Hours]]{Body: httpserver.List[Hours]{Data: all}}, err
}

type createHoursInput struct {
	Body struct {
		Name       string           `json:"name" minLength:"1" maxLength:"120"`
		Timezone   *string          `json:"timezone,omitempty" minLength:"1" maxLength:"64" doc:"An IANA time zone name. Defaults to the company's time zone."`
		Weekly     []WeeklyPeriod   `json:"weekly,omitempty" maxItems:"50" doc:"The opening times. The periods of a day must not overlap. Split a period that spans midnight in two."`
		Exceptions []HoursException `json:"exceptions,omitempty" maxItems:"400"`
	}
}

func (s *handlers) createHours(ctx context.Context, a *kernel.Principal, in *createHoursInput) (*httpserver.Reply[Hours], error) {
	b := &in.Body
	h, err := s.verbs.CreateHours(ctx, a,
		HoursChange{Name: &b.Name, Timezone: b.Timezone, Weekly: &b.Weekly, Exceptions: &b.Exceptions})
	return &httpserver.Reply[Hours]{Body: h}, err
}

type updateHoursInput struct {
	httpserver.AtID
	Body struct {
		Name       *string           `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Timezone   *string           `json:"timezone,omitempty" minLength:"1" maxLength:"64"`
		Weekly     *[]WeeklyPeriod   `json:"weekly,omitempty" maxItems:"50" doc:"Replaces all periods."`
		Exceptions *[]HoursException `json:"exceptions,omitempty" maxItems:"400" doc:"Replaces all exceptions."`
	} `required:"false"`
}

func (s *handlers) updateHours(ctx context.Context, a *kernel.Principal, in *updateHoursInput) (*httpserver.Reply[Hours], error) {
	id, err := httpserver.PathID(in.ID, "set of opening hours")
	if err != nil {
		return nil, err
	}
	h, err := s.verbs.UpdateHours(ctx, a, id, HoursChange(in.Body))
	return &httpserver.Reply[Hours]{Body: h}, err
}

func (s *handlers) deleteHours(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
	id, err := httpserver.PathID(in.ID, "set of opening hours")
	if err != nil {
		return nil, err
	}
	return &httpserver.None{}, s.verbs.DeleteHours(ctx, a, id)
}

type hoursStatusInput struct {
	httpserver.AtID
	At string `query:"at" format:"date-time" doc:"The time to check. Defaults to now."`
}

func (s *handlers) hoursStatus(
	ctx context.Context, a *kernel.Principal, in *hoursStatusInput,
) (*httpserver.Reply[HoursStatus], error) {
	id, err := httpserver.PathID(in.ID, "set of opening hours")
	if err != nil {
		return nil, err
	}
	var at time.Time
	if in.At != "" {
		if at, err = kernel.ParseMoment(in.At, time.UTC); err != nil {
			return nil, kernel.Malformed("query.at", "time")
		}
	}
	status, err := s.verbs.HoursStatus(ctx, a, id, at)
	return &httpserver.Reply[HoursStatus]{Body: status}, err
}

type holidaysInput struct {
	Year int `query:"year" minimum:"1900" maximum:"2199" doc:"Defaults to the current year."`
}

func (s *handlers) listHolidays(
	ctx context.Context, a *kernel.Principal, in *holidaysInput,
) (*httpserver.Reply[httpserver.List[Holiday]], error) {
	all, err := s.verbs.Holidays(ctx, a, in.Year)
	return &httpserver.Reply[httpserver.List[Holiday]]{Body: httpserver.List[Holiday]{Data: all}}, err
}
