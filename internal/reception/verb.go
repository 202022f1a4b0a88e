package reception

import (
	"recado/internal/kernel"
)

// The verbs of receptions, hours and distribution.
var (
	VerbReception    = kernel.Listed(kernel.Verb{Name: "Reception", Scope: kernel.ScopeChannelsManage})
	VerbSetReception = kernel.Listed(kernel.Verb{Name: "SetReception", Scope: kernel.ScopeChannelsManage})
	VerbTryReception = kernel.Listed(kernel.Verb{Name: "TryReception", Scope: kernel.ScopeChannelsManage})
	VerbAllHours     = kernel.Listed(kernel.Verb{Name: "AllHours", Scope: kernel.ScopeTeamRead})
	VerbHours        = kernel.Listed(kernel.Verb{Name: "Hours", Scope: kernel.ScopeTeamRead})
	VerbHoursStatus  = kernel.Listed(kernel.Verb{Name: "HoursStatus", Scope: kernel.ScopeTeamRead})
	VerbHolidays     = kernel.Listed(kernel.Verb{Name: "Holidays", Scope: kernel.ScopeTeamRead})
	VerbCreateHours  = kernel.Listed(kernel.Verb{Name: "CreateHours", Scope: kernel.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbUpdateHours  = kernel.Listed(kernel.Verb{Name: "UpdateHours", Scope: kernel.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbDeleteHours  = kernel.Listed(kernel.Verb{Name: "DeleteHours", Scope: kernel.ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbDistribution = kernel.Listed(kernel.Verb{Name: "Distribution", Scope: kernel.ScopeTeamRead})
)
