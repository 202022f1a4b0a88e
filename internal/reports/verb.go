package reports

import (
	"recado/internal/kernel"
	"recado/internal/people"
)

// The verbs of reports.
var (
	VerbAttendanceReport = kernel.Listed(kernel.Verb{Name: "AttendanceReport", Scope: people.ScopeReportsRead})
)
