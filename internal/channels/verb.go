package channels

import (
	"recado/internal/kernel"
)

// The verbs of channels and templates.
var (
	// Channels.
	VerbChannels          = kernel.Listed(kernel.Verb{Name: "Channels", Scope: kernel.ScopeConversationsRead})
	VerbChannel           = kernel.Listed(kernel.Verb{Name: "Channel", Scope: kernel.ScopeConversationsRead})
	VerbCreateChannel     = kernel.Listed(kernel.Verb{Name: "CreateChannel", Scope: kernel.ScopeChannelsManage})
	VerbUpdateChannel     = kernel.Listed(kernel.Verb{Name: "UpdateChannel", Scope: kernel.ScopeChannelsManage})
	VerbArchiveChannel    = kernel.Listed(kernel.Verb{Name: "ArchiveChannel", Scope: kernel.ScopeChannelsManage})
	VerbChannelConnection = kernel.Listed(kernel.Verb{Name: "ChannelConnection", Scope: kernel.ScopeChannelsManage})
	VerbTestChannel       = kernel.Listed(kernel.Verb{Name: "TestChannel", Scope: kernel.ScopeChannelsManage})
	VerbTemplates         = kernel.Listed(kernel.Verb{Name: "Templates", Scope: kernel.ScopeConversationsRead})
	VerbSyncTemplates     = kernel.Listed(kernel.Verb{Name: "SyncTemplates", Scope: kernel.ScopeChannelsManage})
)
