package reports

import (
	"recado/internal/kernel"
	"recado/internal/people"
)

// VerbAttendanceReport is the verb of Reports.AttendanceReport.
var VerbAttendanceReport = kernel.Listed(kernel.Verb{Name: "AttendanceReport", Scope: people.ScopeReportsRead})
