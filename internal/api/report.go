package api

import (
	"context"

	"recado/internal/desk"
	"recado/internal/input"
	"recado/internal/model"
)

type attendanceReportInput struct {
	From   string `query:"from" format:"date" doc:"First day, YYYY-MM-DD." example:"2026-11-01"`
	To     string `query:"to" format:"date" doc:"Last day, included. At most 366 days." example:"2026-11-30"`
	Sector string `query:"sector" format:"uuid" doc:"Only attendances of this sector."`
	User   string `query:"user" format:"uuid" doc:"Only attendances that this person is responsible for."`
}

func (s *Server) attendanceReport(ctx context.Context, a *desk.Principal, in *attendanceReportInput) (*reply[model.Report], error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	report, err := s.desk.AttendanceReport(ctx, a, f)
	return &reply[model.Report]{report}, err
}

func (in *attendanceReportInput) filter() (f desk.ReportFilter, err error) {
	if f.From, err = input.Date("query.from", in.From); err != nil {
		return f, err
	}
	if f.To, err = input.Date("query.to", in.To); err != nil {
		return f, err
	}
	if f.Sector, err = input.ID("query.sector", in.Sector); err != nil {
		return f, err
	}
	f.User, err = input.ID("query.user", in.User)
	return f, err
}
