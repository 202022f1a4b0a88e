package channels

import (
	"recado/internal/kernel"
	"recado/internal/people"
)

// The verbs of channels and templates.
var (
	VerbChannels          = kernel.Listed(kernel.Verb{Name: "Channels", Scope: people.ScopeConversationsRead})
	VerbChannel           = kernel.Listed(kernel.Verb{Name: "Channel", Scope: people.ScopeConversationsRead})
	VerbCreateChannel     = kernel.Listed(kernel.Verb{Name: "CreateChannel", Scope: people.ScopeChannelsManage})
	VerbUpdateChannel     = kernel.Listed(kernel.Verb{Name: "UpdateChannel", Scope: people.ScopeChannelsManage})
	VerbArchiveChannel    = kernel.Listed(kernel.Verb{Name: "ArchiveChannel", Scope: people.ScopeChannelsManage})
	VerbChannelConnection = kernel.Listed(kernel.Verb{Name: "ChannelConnection", Scope: people.ScopeChannelsManage})
	VerbTestChannel       = kernel.Listed(kernel.Verb{Name: "TestChannel", Scope: people.ScopeChannelsManage})
	VerbTemplates         = kernel.Listed(kernel.Verb{Name: "Templates", Scope: people.ScopeConversationsRead})
	VerbSyncTemplates     = kernel.Listed(kernel.Verb{Name: "SyncTemplates", Scope: people.ScopeChannelsManage})
)
