package reception

import (
	"context"
	"time"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

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
	return httpserver.Body(s.verbs.CreateHours(ctx, a, HoursChange{&b.Name, b.Timezone, &b.Weekly, &b.Exceptions}))
}

type updateHoursInput struct {
	httpserver.AtID
	Body struct{ HoursChange } `required:"false"`
}

func (s *handlers) updateHours(ctx context.Context, a *kernel.Principal, in *updateHoursInput) (*httpserver.Reply[Hours], error) {
	return httpserver.Body(s.verbs.UpdateHours(ctx, a, kernel.ID(in.ID), in.Body.HoursChange))
}

type hoursStatusInput struct {
	httpserver.AtID
	At string `query:"at" format:"date-time" doc:"The time to check. Defaults to now."`
}

func (s *handlers) hoursStatus(ctx context.Context, a *kernel.Principal, in *hoursStatusInput) (*httpserver.Reply[HoursStatus], error) {
	at := s.verbs.Now()
	if in.At != "" {
		var err error
		if at, err = kernel.ParseMoment(in.At, time.UTC); err != nil {
			return nil, kernel.Malformed("query.at", "time")
		}
	}
	return httpserver.Body(s.verbs.HoursStatus(ctx, a, kernel.ID(in.ID), at))
}

type holidaysInput struct {
	Year int `query:"year" minimum:"1900" maximum:"2199" doc:"Defaults to the current year."`
}

func (s *handlers) listHolidays(
	ctx context.Context, a *kernel.Principal, in *holidaysInput,
) (*httpserver.Reply[httpserver.List[Holiday]], error) {
	return httpserver.Entries(s.verbs.Holidays(ctx, a, in.Year))
}
