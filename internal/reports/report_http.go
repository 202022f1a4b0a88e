package reports

import (
	"context"

	"recado/internal/httpserver"
	"recado/internal/kernel"
)

type attendanceReportInput struct {
	From   string `query:"from" format:"date" doc:"The first day of the report, as YYYY-MM-DD." example:"2026-11-01"`
	To     string `query:"to" format:"date" doc:"The last day of the report, inclusive. A report covers at most 366 days." example:"2026-11-30"`
	Sector string `query:"sector" format:"uuid" doc:"Includes only attendances of this sector."`
	User   string `query:"user" format:"uuid" doc:"Includes only attendances assigned to this person."`
}

func (s *handlers) attendanceReport(
	ctx context.Context, a *kernel.Principal, in *attendanceReportInput,
) (*httpserver.Reply[Report], error) {
	f, err := in.filter()
	if err != nil {
		return nil, err
	}
	report, err := s.verbs.AttendanceReport(ctx, a, f)
	return &httpserver.Reply[Report]{Body: report}, err
}

func (in *attendanceReportInput) filter() (f ReportFilter, err error) {
	if f.From, err = httpserver.Date("query.from", in.From); err != nil {
		return f, err
	}
	if f.To, err = httpserver.Date("query.to", in.To); err != nil {
		return f, err
	}
	if f.Sector, err = httpserver.ID("query.sector", in.Sector); err != nil {
		return f, err
	}
	f.User, err = httpserver.ID("query.user", in.User)
	return f, err
}
