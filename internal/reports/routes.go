package reports

import "recado/internal/httpserver"

// HTTP returns the routes of the package.
func (d *Reports) HTTP() httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes: s.reportRoutes(),
		Tags:   []httpserver.Tag{{Name: "reports", Description: "Statistics about the team's work."}},
	}
}

func (s *handlers) reportRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/reports/attendance", VerbAttendanceReport, "Report on attendances", s.attendanceReport,
			httpserver.AsTool(httpserver.Tool{Name: "get_attendance_report"}),
			httpserver.About("Returns attendances opened and closed, first-response times and resolution times: in total, per responsible person, per "+
				"sector and per day. "+
				"Days are in the company's time zone. Without dates, the report covers the last 30 days; with only from, it ends today; with only to, it "+
				"covers 30 days. "+
				"An attendance is counted for its current responsible person and sector.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Reports }
