// Package reports counts cases for managers. The transactions that change cases keep the figures up to date.
package reports

import (
	"cmp"
	"context"
	"time"

	"recado/internal/channels"
	"recado/internal/httpserver"
	"recado/internal/kernel"
	"recado/internal/people"
	"recado/internal/talk"
)

// Reports has the verbs of the package.
type Reports struct {
	*kernel.Kernel
	people   *people.People
	queries  kernel.Expensive
	recounts kernel.Expensive // one at a time per company
}

// reportWait is how long a report waits for a slot: a page may show several, and a year of a large team takes a while.
const reportWait = 10 * time.Second

// New returns the verbs of reports. From then on cases are counted.
func New(t *talk.Talk, c *channels.Channels, p *people.People) *Reports {
	d := &Reports{Kernel: p.Kernel, people: p, queries: p.NewExpensive("reports", reportWait), recounts: p.NewQueue("recounts", 1, reportWait)}
	p.ObserveTeam(people.TeamObserver{ZoneChanges: d.recountZone})
	c.ObserveChannels(channels.ChannelObserver{PrivacyChanges: d.recountPrivacy})
	t.Observe(caseCounter)
	return d
}

// The days of a report.
const (
	DefaultReportDays = 30
	MaxReportDays     = 366
)

// The verbs of reports.
var (
	VerbAttendanceReport = kernel.Listed(kernel.Verb{Name: "AttendanceReport", Scope: people.ScopeReportsRead})
	VerbCurrentReport    = kernel.Listed(kernel.Verb{Name: "CurrentReport", Scope: people.ScopeReportsRead})
)

// HTTP returns the routes of the package.
func (d *Reports) HTTP() httpserver.Capability {
	return httpserver.Capability{
		Tags: []httpserver.Tag{{Name: "reports", Description: "Statistics about the team's work."}},
		Routes: []*httpserver.Route{
			httpserver.Get("/reports/attendance", VerbAttendanceReport, "Report on attendances", d.attendanceReport,
				httpserver.AsTool(httpserver.Tool{Name: "get_attendance_report"}), httpserver.CSV("report", nil),
				httpserver.About("Returns attendances opened and closed, first-response times and resolution times: in total, per responsible person, per "+
					"sector and per day. "+
					"Days are in the company's time zone. Without dates, the report covers the last 30 days; with only from, it ends today; with only to, it "+
					"covers 30 days. "+
					"An attendance is counted for its current responsible person and sector.")),
			httpserver.Get("/reports/now", VerbCurrentReport, "Report on the current workload", httpserver.NoInput(d.CurrentReport),
				httpserver.About("Returns who is online, and the number of open, unassigned and unanswered cases: in total, per person and per sector. "+
					"Private numbers are not counted.")),
		},
	}
}

type attendanceReportInput struct {
	From   string `query:"from" format:"date" doc:"The first day of the report, as YYYY-MM-DD." example:"2026-11-01"`
	To     string `query:"to" format:"date" doc:"The last day of the report, inclusive. A report covers at most 366 days." example:"2026-11-30"`
	Sector string `query:"sector" format:"uuid" doc:"Includes only attendances of this sector."`
	User   string `query:"user" format:"uuid" doc:"Includes only attendances assigned to this person."`
	Table  string `query:"table" enum:"totals,previous,by_day,by_person,by_sector,by_channel,by_label,by_reason,by_hour,survey,sla" doc:"With CSV, the part of the report to return. Without it, the CSV has the figures of all parts except by_hour, survey and sla."`
}

func (d *Reports) attendanceReport(ctx context.Context, a *kernel.Principal, in *attendanceReportInput) (*httpserver.Reply[Report], error) {
	var f ReportFilter
	var invalid [4]error
	f.From, invalid[0] = httpserver.Date("query.from", in.From)
	f.To, invalid[1] = httpserver.Date("query.to", in.To)
	f.Sector, invalid[2] = httpserver.ID("query.sector", in.Sector)
	f.User, invalid[3] = httpserver.ID("query.user", in.User)
	if err := cmp.Or(invalid[:]...); err != nil {
		return nil, err
	}
	return httpserver.Body(d.AttendanceReport(ctx, a, f))
}
