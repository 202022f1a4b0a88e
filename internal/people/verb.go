package people

import (
	"recado/internal/kernel"
)

// Verbs of companies, people and keys.
var (
	// Identity and keys.
	VerbIdentity  = kernel.Listed(kernel.Verb{Name: "Identity"})
	VerbKeys      = kernel.Listed(kernel.Verb{Name: "Keys", Scope: ScopeKeysManage})
	VerbKey       = kernel.Listed(kernel.Verb{Name: "Key", Scope: ScopeKeysManage})
	VerbCreateKey = kernel.Listed(kernel.Verb{Name: "CreateKey", Scope: ScopeKeysManage})
	VerbUpdateKey = kernel.Listed(kernel.Verb{Name: "UpdateKey", Scope: ScopeKeysManage})
	VerbRotateKey = kernel.Listed(kernel.Verb{Name: "RotateKey", Scope: ScopeKeysManage})
	VerbRevokeKey = kernel.Listed(kernel.Verb{Name: "RevokeKey", Scope: ScopeKeysManage})
	// People and their sessions.
	VerbSession           = kernel.Listed(kernel.Verb{Name: "Session", SessionOnly: true})
	VerbSignOut           = kernel.Listed(kernel.Verb{Name: "SignOut", SessionOnly: true})
	VerbSessions          = kernel.Listed(kernel.Verb{Name: "Sessions", SessionOnly: true})
	VerbEndSession        = kernel.Listed(kernel.Verb{Name: "EndSession", SessionOnly: true})
	VerbEndOtherSessions  = kernel.Listed(kernel.Verb{Name: "EndOtherSessions", SessionOnly: true})
	VerbUpdateProfile     = kernel.Listed(kernel.Verb{Name: "UpdateProfile", SessionOnly: true})
	VerbSetPresence       = kernel.Listed(kernel.Verb{Name: "SetPresence", SessionOnly: true})
	VerbPreferences       = kernel.Listed(kernel.Verb{Name: "Preferences", SessionOnly: true})
	VerbUpdatePreferences = kernel.Listed(kernel.Verb{Name: "UpdatePreferences", SessionOnly: true})
	VerbBeginTwoFactor    = kernel.Listed(kernel.Verb{Name: "BeginTwoFactor", SessionOnly: true})
	VerbConfirmTwoFactor  = kernel.Listed(kernel.Verb{Name: "ConfirmTwoFactor", SessionOnly: true})
	VerbDisableTwoFactor  = kernel.Listed(kernel.Verb{Name: "DisableTwoFactor", SessionOnly: true})
	VerbEndMemberSessions = kernel.Listed(kernel.Verb{Name: "EndMemberSessions", Scope: ScopeTeamManage, Role: kernel.RoleManager})
	VerbInvitations       = kernel.Listed(kernel.Verb{Name: "Invitations", Scope: ScopeTeamManage, Role: kernel.RoleManager})
	VerbInvite            = kernel.Listed(kernel.Verb{Name: "Invite", Scope: ScopeTeamManage, Role: kernel.RoleManager})
	VerbCancelInvitation  = kernel.Listed(kernel.Verb{Name: "CancelInvitation", Scope: ScopeTeamManage, Role: kernel.RoleManager})
	VerbResetLink         = kernel.Listed(kernel.Verb{Name: "ResetLink", Scope: ScopeTeamManage, Role: kernel.RoleManager})
	VerbPrivateChannels   = kernel.Listed(kernel.Verb{Name: "PrivateChannels", Scope: ScopeChannelsManage, Role: kernel.RoleAdmin, SessionOnly: true})
	// The company, its team and sectors.
	VerbCompany       = kernel.Listed(kernel.Verb{Name: "Company", Scope: ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbUpdateCompany = kernel.Listed(kernel.Verb{Name: "UpdateCompany", Scope: ScopeCompanyManage, Role: kernel.RoleAdmin})
	VerbTeam          = kernel.Listed(kernel.Verb{Name: "Team", Scope: ScopeTeamRead})
	VerbMember        = kernel.Listed(kernel.Verb{Name: "Member", Scope: ScopeTeamRead})
	VerbCreateMember  = kernel.Listed(kernel.Verb{Name: "CreateMember", Scope: ScopeTeamManage, Role: kernel.RoleManager})
	VerbUpdateMember  = kernel.Listed(kernel.Verb{Name: "UpdateMember", Scope: ScopeTeamManage})
	VerbRemoveMember  = kernel.Listed(kernel.Verb{Name: "RemoveMember", Scope: ScopeTeamManage})
	VerbSectors       = kernel.Listed(kernel.Verb{Name: "Sectors", Scope: ScopeTeamRead})
	VerbSector        = kernel.Listed(kernel.Verb{Name: "Sector", Scope: ScopeTeamRead})
	VerbCreateSector  = kernel.Listed(kernel.Verb{Name: "CreateSector", Scope: ScopeTeamManage, Role: kernel.RoleManager})
	VerbUpdateSector  = kernel.Listed(kernel.Verb{Name: "UpdateSector", Scope: ScopeTeamManage, Role: kernel.RoleManager})
	VerbAudit         = kernel.Listed(kernel.Verb{Name: "Audit", Scope: ScopeAuditRead})
	VerbRemoveSector  = kernel.Listed(kernel.Verb{Name: "RemoveSector", Scope: ScopeTeamManage, Role: kernel.RoleManager})
)
