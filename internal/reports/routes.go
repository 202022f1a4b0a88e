package reports

import "recado/internal/httpserver"

// HTTP returns the routes of the package.
func (d *Reports) HTTP() httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes: s.reportRoutes(),
		Tags:   []httpserver.Tag{{Name: "reports", Description: "Figures of the team's work."}},
	}
}

func (s *handlers) reportRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/reports/attendance", VerbAttendanceReport, "Report on attendances", s.attendanceReport,
			httpserver.AsTool(httpserver.Tool{Name: "get_attendance_report"}),
			httpserver.About("Attendances opened and closed, first-response and resolution times: in total, per responsible person, per "+
				"sector and per day. "+
				"Days are those of the company's time zone. Without dates it is the last 30 days; with from alone it ends today, with to "+
				"alone it has 30 days. "+
				"An attendance counts for its present responsible person and sector.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Reports }
