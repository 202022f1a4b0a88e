package reports

import (
	"recado/internal/kernel"
)

// The verbs of reports.
var (
	VerbAttendanceReport = kernel.Listed(kernel.Verb{Name: "AttendanceReport", Scope: kernel.ScopeReportsRead})
)
