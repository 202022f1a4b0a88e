package api

import (
	"context"
	"time"

	"recado/internal/desk"
	"recado/internal/model"
)

func (s *Server) listHours(ctx context.Context, a *desk.Principal, _ *none) (*reply[list[model.Hours]], error) {
	all, err := s.desk.AllHours(ctx, a)
	return &reply[list[model.Hours]]{list[model.Hours]{all}}, err
}

func (s *Server) getHours(ctx context.Context, a *desk.Principal, in *AtID) (*reply[model.Hours], error) {
	id, err := pathID(in.ID, "set of opening hours")
	if err != nil {
		return nil, err
	}
	h, err := s.desk.Hours(ctx, a, id)
	return &reply[model.Hours]{h}, err
}

type createHoursInput struct {
	Body struct {
		Name       string                 `json:"name" minLength:"1" maxLength:"120"`
		Timezone   *string                `json:"timezone,omitempty" minLength:"1" maxLength:"64" doc:"A time zone by its IANA name. Absent: that of the company."`
		Weekly     []model.WeeklyPeriod   `json:"weekly,omitempty" maxItems:"50" doc:"When it is open; no two periods of a day overlap. A period over midnight is written as two."`
		Exceptions []model.HoursException `json:"exceptions,omitempty" maxItems:"400"`
	}
}

func (s *Server) createHours(ctx context.Context, a *desk.Principal, in *createHoursInput) (*reply[model.Hours], error) {
	b := &in.Body
	h, err := s.desk.CreateHours(ctx, a, desk.HoursChange{Name: &b.Name, Timezone: b.Timezone, Weekly: &b.Weekly, Exceptions: &b.Exceptions})
	return &reply[model.Hours]{h}, err
}

type updateHoursInput struct {
	AtID
	Body struct {
		Name       *string                 `json:"name,omitempty" minLength:"1" maxLength:"120"`
		Timezone   *string                 `json:"timezone,omitempty" minLength:"1" maxLength:"64"`
		Weekly     *[]model.WeeklyPeriod   `json:"weekly,omitempty" maxItems:"50" doc:"Replaces all periods."`
		Exceptions *[]model.HoursException `json:"exceptions,omitempty" maxItems:"400" doc:"Replaces all exceptions."`
	} `required:"false"`
}

func (s *Server) updateHours(ctx context.Context, a *desk.Principal, in *updateHoursInput) (*reply[model.Hours], error) {
	id, err := pathID(in.ID, "set of opening hours")
	if err != nil {
		return nil, err
	}
	h, err := s.desk.UpdateHours(ctx, a, id, desk.HoursChange(in.Body))
	return &reply[model.Hours]{h}, err
}

func (s *Server) deleteHours(ctx context.Context, a *desk.Principal, in *AtID) (*none, error) {
	id, err := pathID(in.ID, "set of opening hours")
	if err != nil {
		return nil, err
	}
	return &none{}, s.desk.DeleteHours(ctx, a, id)
}

type hoursStatusInput struct {
	AtID
	At string `query:"at" format:"date-time" doc:"A time; absent: now."`
}

func (s *Server) hoursStatus(ctx context.Context, a *desk.Principal, in *hoursStatusInput) (*reply[model.HoursStatus], error) {
	id, err := pathID(in.ID, "set of opening hours")
	if err != nil {
		return nil, err
	}
	var at time.Time
	if in.At != "" {
		if at, err = model.ParseMoment(in.At, time.UTC); err != nil {
			return nil, model.Invalid("query.at", "must be a time such as 2026-11-15T12:00:00Z")
		}
	}
	status, err := s.desk.HoursStatus(ctx, a, id, at)
	return &reply[model.HoursStatus]{status}, err
}

type holidaysInput struct {
	Year int `query:"year" minimum:"1900" maximum:"2199" doc:"Absent: the present year."`
}

func (s *Server) listHolidays(ctx context.Context, a *desk.Principal, in *holidaysInput) (*reply[list[model.Holiday]], error) {
	all, err := s.desk.Holidays(ctx, a, in.Year)
	return &reply[list[model.Holiday]]{list[model.Holiday]{all}}, err
}
