package people

import "recado/internal/kernel"

// Scopes of API keys, each with the lowest role that has it in the app.
var (
	ScopeConversationsRead  = kernel.RegisterScope("conversations:read", kernel.RoleAgent)
	ScopeConversationsWrite = kernel.RegisterScope("conversations:write", kernel.RoleAgent)
	ScopeMessagesRead       = kernel.RegisterScope("messages:read", kernel.RoleAgent)
	ScopeMessagesSend       = kernel.RegisterScope("messages:send", kernel.RoleAgent)
	ScopeMediaWrite         = kernel.RegisterScope("media:write", kernel.RoleAgent)
	ScopeContactsRead       = kernel.RegisterScope("contacts:read", kernel.RoleAgent)
	ScopeContactsWrite      = kernel.RegisterScope("contacts:write", kernel.RoleAgent)
	ScopeAttendancesRead    = kernel.RegisterScope("attendances:read", kernel.RoleAgent)
	ScopeAttendancesWrite   = kernel.RegisterScope("attendances:write", kernel.RoleAgent)
	ScopeTeamRead           = kernel.RegisterScope("team:read", kernel.RoleAgent)
	ScopeReportsRead        = kernel.RegisterScope("reports:read", kernel.RoleManager)
	ScopeWebhooksManage     = kernel.RegisterScope("webhooks:manage", kernel.RoleAdmin)
	ScopeRead               = kernel.RegisterScope("read", kernel.RoleAgent)  // Kanban boards and cards
	ScopeWrite              = kernel.RegisterScope("write", kernel.RoleAgent) // Kanban boards and cards
	ScopeLabelsWrite        = kernel.RegisterScope("labels:write", kernel.RoleManager)
	ScopeTeamManage         = kernel.RegisterScope("team:manage", kernel.RoleManager)
	ScopeChannelsManage     = kernel.RegisterScope("channels:manage", kernel.RoleAdmin)
	ScopeCompanyManage      = kernel.RegisterScope("company:manage", kernel.RoleAdmin)
	ScopeKeysManage         = kernel.RegisterScope("keys:manage", kernel.RoleAdmin)
	ScopeEventsRead         = kernel.RegisterIncluded("events:read", kernel.RoleAgent, ScopeWebhooksManage) // the feed and its streams
	ScopeNotesRead          = kernel.RegisterScope("notes:read", kernel.RoleAgent)
	ScopeNotesWrite         = kernel.RegisterScope("notes:write", kernel.RoleAgent)
	ScopeRepliesManage      = kernel.RegisterScope("replies:manage", kernel.RoleManager)
	ScopeAuditRead          = kernel.RegisterScope("audit:read", kernel.RoleAdmin)
	ScopeDataManage         = kernel.RegisterScope("data:manage", kernel.RoleOwner)
)
