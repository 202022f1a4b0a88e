package reception

import (
	"recado/internal/kernel"
	"recado/internal/people"
)

// The verbs of receptions, hours and distribution.
var (
	VerbReception    = kernel.Listed(kernel.Verb{Name: "Reception", Scope: people.ScopeChannelsManage})
	VerbSetReception = kernel.Listed(kernel.Verb{Name: "SetReception", Scope: people.ScopeChannelsManage})
	VerbTryReception = kernel.Listed(kernel.Verb{Name: "TryReception", Scope: people.ScopeChannelsManage})
	VerbAllHours     = kernel.Listed(kernel.Verb{Name: "AllHours", Scope: people.ScopeTeamRead})
	VerbHours        = kernel.Listed(kernel.Verb{Name: "Hours", Scope: people.ScopeTeamRead})
	VerbHoursStatus  = kernel.Listed(kernel.Verb{Name: "HoursStatus", Scope: people.ScopeTeamRead})
	VerbHolidays     = kernel.Listed(kernel.Verb{Name: "Holidays", Scope: people.ScopeTeamRead})
	VerbCreateHours  = kernel.Listed(kernel.Verb{Name: "CreateHours", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbUpdateHours  = kernel.Listed(kernel.Verb{Name: "UpdateHours", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbDeleteHours  = kernel.Listed(kernel.Verb{Name: "DeleteHours", Scope: people.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbDistribution = kernel.Listed(kernel.Verb{Name: "Distribution", Scope: people.ScopeTeamRead})
)
