package desk

import "recado/internal/model"

// Verb is an operation of the desk, with the permission that it requires. The method
// of Desk with the verb's name begins with the check; the routes of the API name their verb, so that what
// they document and refuse early is the same permission.
type Verb struct {
	Name  string      // the method of Desk
	Scope model.Scope // "": every principal has it
	Role  model.Role  // the least role; "": every role. Some verbs decide more on what they find

	SessionOnly bool // for people who are signed in; keys are refused
}

// verbs lists every verb.
var verbs []Verb

func listed(v Verb) Verb {
	verbs = append(verbs, v)
	return v
}

// The verbs of the desk.
var (
	// Identity and keys.
	VerbIdentity  = listed(Verb{Name: "Identity"})
	VerbKeys      = listed(Verb{Name: "Keys", Scope: model.ScopeKeysManage})
	VerbKey       = listed(Verb{Name: "Key", Scope: model.ScopeKeysManage})
	VerbCreateKey = listed(Verb{Name: "CreateKey", Scope: model.ScopeKeysManage})
	VerbUpdateKey = listed(Verb{Name: "UpdateKey", Scope: model.ScopeKeysManage})
	VerbRotateKey = listed(Verb{Name: "RotateKey", Scope: model.ScopeKeysManage})
	VerbRevokeKey = listed(Verb{Name: "RevokeKey", Scope: model.ScopeKeysManage})

	// People and their sessions.
	VerbSession           = listed(Verb{Name: "Session", SessionOnly: true})
	VerbSignOut           = listed(Verb{Name: "SignOut", SessionOnly: true})
	VerbSessions          = listed(Verb{Name: "Sessions", SessionOnly: true})
	VerbEndSession        = listed(Verb{Name: "EndSession", SessionOnly: true})
	VerbEndOtherSessions  = listed(Verb{Name: "EndOtherSessions", SessionOnly: true})
	VerbUpdateProfile     = listed(Verb{Name: "UpdateProfile", SessionOnly: true})
	VerbSetPresence       = listed(Verb{Name: "SetPresence", SessionOnly: true})
	VerbPreferences       = listed(Verb{Name: "Preferences", SessionOnly: true})
	VerbUpdatePreferences = listed(Verb{Name: "UpdatePreferences", SessionOnly: true})
	VerbNotifications     = listed(Verb{Name: "Notifications", SessionOnly: true})
	VerbReadNotifications = listed(Verb{Name: "ReadNotifications", SessionOnly: true})
	VerbBeginTwoFactor    = listed(Verb{Name: "BeginTwoFactor", SessionOnly: true})
	VerbConfirmTwoFactor  = listed(Verb{Name: "ConfirmTwoFactor", SessionOnly: true})
	VerbDisableTwoFactor  = listed(Verb{Name: "DisableTwoFactor", SessionOnly: true})
	VerbEndMemberSessions = listed(Verb{Name: "EndMemberSessions", Scope: model.ScopeTeamManage, Role: model.RoleManager})
	VerbInvitations       = listed(Verb{Name: "Invitations", Scope: model.ScopeTeamManage, Role: model.RoleManager})
	VerbInvite            = listed(Verb{Name: "Invite", Scope: model.ScopeTeamManage, Role: model.RoleManager})
	VerbCancelInvitation  = listed(Verb{Name: "CancelInvitation", Scope: model.ScopeTeamManage, Role: model.RoleManager})
	VerbResetLink         = listed(Verb{Name: "ResetLink", Scope: model.ScopeTeamManage, Role: model.RoleManager})

	// Channels.
	VerbChannels          = listed(Verb{Name: "Channels", Scope: model.ScopeConversationsRead})
	VerbChannel           = listed(Verb{Name: "Channel", Scope: model.ScopeConversationsRead})
	VerbCreateChannel     = listed(Verb{Name: "CreateChannel", Scope: model.ScopeChannelsManage})
	VerbUpdateChannel     = listed(Verb{Name: "UpdateChannel", Scope: model.ScopeChannelsManage})
	VerbArchiveChannel    = listed(Verb{Name: "ArchiveChannel", Scope: model.ScopeChannelsManage})
	VerbPrivateChannels   = listed(Verb{Name: "PrivateChannels", Scope: model.ScopeChannelsManage, Role: model.RoleAdmin, SessionOnly: true})
	VerbChannelConnection = listed(Verb{Name: "ChannelConnection", Scope: model.ScopeChannelsManage})
	VerbTestChannel       = listed(Verb{Name: "TestChannel", Scope: model.ScopeChannelsManage})
	VerbTemplates         = listed(Verb{Name: "Templates", Scope: model.ScopeConversationsRead})
	VerbSyncTemplates     = listed(Verb{Name: "SyncTemplates", Scope: model.ScopeChannelsManage})
	VerbReception         = listed(Verb{Name: "Reception", Scope: model.ScopeChannelsManage})
	VerbSetReception      = listed(Verb{Name: "SetReception", Scope: model.ScopeChannelsManage})
	VerbTryReception      = listed(Verb{Name: "TryReception", Scope: model.ScopeChannelsManage})
	VerbSimulate          = listed(Verb{Name: "Simulate", Scope: model.ScopeChannelsManage})

	// Conversations.
	VerbConversations      = listed(Verb{Name: "Conversations", Scope: model.ScopeConversationsRead})
	VerbInboxCounts        = listed(Verb{Name: "InboxCounts", Scope: model.ScopeConversationsRead})
	VerbConversation       = listed(Verb{Name: "Conversation", Scope: model.ScopeConversationsRead})
	VerbOpenConversation   = listed(Verb{Name: "OpenConversation", Scope: model.ScopeConversationsWrite})
	VerbUpdateConversation = listed(Verb{Name: "UpdateConversation", Scope: model.ScopeConversationsWrite})
	VerbMarkRead           = listed(Verb{Name: "MarkRead", Scope: model.ScopeConversationsWrite})
	VerbMarkUnread         = listed(Verb{Name: "MarkUnread", Scope: model.ScopeConversationsWrite})
	VerbTake               = listed(Verb{Name: "Take", Scope: model.ScopeConversationsWrite})
	VerbSnooze             = listed(Verb{Name: "Snooze", Scope: model.ScopeConversationsWrite})
	VerbBulk               = listed(Verb{Name: "Bulk", Scope: model.ScopeConversationsWrite})
	VerbSetBot             = listed(Verb{Name: "SetBot", Scope: model.ScopeConversationsWrite})
	VerbTransfer           = listed(Verb{Name: "Transfer", Scope: model.ScopeConversationsWrite})
	VerbSetSector          = listed(Verb{Name: "SetSector", Scope: model.ScopeConversationsWrite})
	VerbViews              = listed(Verb{Name: "Views", Scope: model.ScopeConversationsRead})
	VerbCreateView         = listed(Verb{Name: "CreateView", Scope: model.ScopeConversationsWrite})
	VerbUpdateView         = listed(Verb{Name: "UpdateView", Scope: model.ScopeConversationsWrite})
	VerbDeleteView         = listed(Verb{Name: "DeleteView", Scope: model.ScopeConversationsWrite})

	// Messages and files.
	VerbMessages          = listed(Verb{Name: "Messages", Scope: model.ScopeMessagesRead})
	VerbTimeline          = listed(Verb{Name: "Timeline", Scope: model.ScopeMessagesRead})
	VerbMessage           = listed(Verb{Name: "Message", Scope: model.ScopeMessagesRead})
	VerbSendMessage       = listed(Verb{Name: "SendMessage", Scope: model.ScopeMessagesSend})
	VerbScheduledMessages = listed(Verb{Name: "ScheduledMessages", Scope: model.ScopeMessagesSend})
	VerbScheduleMessage   = listed(Verb{Name: "ScheduleMessage", Scope: model.ScopeMessagesSend})
	VerbUpdateScheduled   = listed(Verb{Name: "UpdateScheduled", Scope: model.ScopeMessagesSend})
	VerbCancelScheduled   = listed(Verb{Name: "CancelScheduled", Scope: model.ScopeMessagesSend})
	VerbSearchMessages    = listed(Verb{Name: "SearchMessages", Scope: model.ScopeMessagesRead})
	VerbReact             = listed(Verb{Name: "React", Scope: model.ScopeMessagesSend})
	VerbRemoveReaction    = listed(Verb{Name: "RemoveReaction", Scope: model.ScopeMessagesSend})

	VerbUploadMedia  = listed(Verb{Name: "UploadMedia", Scope: model.ScopeMediaWrite})
	VerbMedia        = listed(Verb{Name: "Media", Scope: model.ScopeMessagesRead})
	VerbLinkMedia    = listed(Verb{Name: "LinkMedia", Scope: model.ScopeMessagesRead})
	VerbMediaContent = listed(Verb{Name: "MediaContent", Scope: model.ScopeMessagesRead})
	VerbFiles        = listed(Verb{Name: "Files", Scope: model.ScopeMessagesRead})

	// What a team writes for itself.
	VerbNotes      = listed(Verb{Name: "Notes", Scope: model.ScopeNotesRead})
	VerbCreateNote = listed(Verb{Name: "CreateNote", Scope: model.ScopeNotesWrite})
	VerbUpdateNote = listed(Verb{Name: "UpdateNote", Scope: model.ScopeNotesWrite})
	VerbDeleteNote = listed(Verb{Name: "DeleteNote", Scope: model.ScopeNotesWrite})

	VerbSaveDraft    = listed(Verb{Name: "SaveDraft", SessionOnly: true})
	VerbDeleteDraft  = listed(Verb{Name: "DeleteDraft", SessionOnly: true})
	VerbSuggestDraft = listed(Verb{Name: "SuggestDraft", Scope: model.ScopeConversationsWrite})

	// People write canned replies of their own; those of the team need the scope replies:manage, which the verbs check.
	VerbReplies     = listed(Verb{Name: "Replies", Scope: model.ScopeConversationsRead})
	VerbCreateReply = listed(Verb{Name: "CreateReply"})
	VerbUpdateReply = listed(Verb{Name: "UpdateReply"})
	VerbDeleteReply = listed(Verb{Name: "DeleteReply"})
	VerbRenderReply = listed(Verb{Name: "RenderReply", Scope: model.ScopeConversationsRead})

	// Contacts and labels.
	VerbContacts      = listed(Verb{Name: "Contacts", Scope: model.ScopeContactsRead})
	VerbContact       = listed(Verb{Name: "Contact", Scope: model.ScopeContactsRead})
	VerbCreateContact = listed(Verb{Name: "CreateContact", Scope: model.ScopeContactsWrite})
	VerbUpdateContact = listed(Verb{Name: "UpdateContact", Scope: model.ScopeContactsWrite})
	VerbDeleteContact = listed(Verb{Name: "DeleteContact", Scope: model.ScopeContactsWrite})
	VerbLabels        = listed(Verb{Name: "Labels", Scope: model.ScopeContactsRead})
	VerbLabel         = listed(Verb{Name: "Label", Scope: model.ScopeContactsRead})
	VerbCreateLabel   = listed(Verb{Name: "CreateLabel", Scope: model.ScopeLabelsWrite})
	VerbUpdateLabel   = listed(Verb{Name: "UpdateLabel", Scope: model.ScopeLabelsWrite})
	VerbDeleteLabel   = listed(Verb{Name: "DeleteLabel", Scope: model.ScopeLabelsWrite})

	// Attendances.
	VerbAttendances           = listed(Verb{Name: "Attendances", Scope: model.ScopeAttendancesRead})
	VerbAttendance            = listed(Verb{Name: "Attendance", Scope: model.ScopeAttendancesRead})
	VerbCurrentAttendance     = listed(Verb{Name: "CurrentAttendance", Scope: model.ScopeAttendancesRead})
	VerbAssignments           = listed(Verb{Name: "Assignments", Scope: model.ScopeAttendancesRead})
	VerbCloseAttendance       = listed(Verb{Name: "CloseAttendance", Scope: model.ScopeAttendancesWrite})
	VerbAttendanceRules       = listed(Verb{Name: "AttendanceRules", Scope: model.ScopeTeamRead})
	VerbUpdateAttendanceRules = listed(Verb{Name: "UpdateAttendanceRules", Scope: model.ScopeCompanyManage, Role: model.RoleAdmin})
	VerbAttendanceReport      = listed(Verb{Name: "AttendanceReport", Scope: model.ScopeReportsRead})

	// The company, its team and sectors.
	VerbCompany       = listed(Verb{Name: "Company", Scope: model.ScopeCompanyManage, Role: model.RoleAdmin})
	VerbUpdateCompany = listed(Verb{Name: "UpdateCompany", Scope: model.ScopeCompanyManage, Role: model.RoleAdmin})
	VerbAllHours      = listed(Verb{Name: "AllHours", Scope: model.ScopeTeamRead})
	VerbHours         = listed(Verb{Name: "Hours", Scope: model.ScopeTeamRead})
	VerbHoursStatus   = listed(Verb{Name: "HoursStatus", Scope: model.ScopeTeamRead})
	VerbHolidays      = listed(Verb{Name: "Holidays", Scope: model.ScopeTeamRead})
	VerbCreateHours   = listed(Verb{Name: "CreateHours", Scope: model.ScopeCompanyManage, Role: model.RoleAdmin})
	VerbUpdateHours   = listed(Verb{Name: "UpdateHours", Scope: model.ScopeCompanyManage, Role: model.RoleAdmin})
	VerbDeleteHours   = listed(Verb{Name: "DeleteHours", Scope: model.ScopeCompanyManage, Role: model.RoleAdmin})
	VerbTeam          = listed(Verb{Name: "Team", Scope: model.ScopeTeamRead})
	VerbMember        = listed(Verb{Name: "Member", Scope: model.ScopeTeamRead})
	VerbCreateMember  = listed(Verb{Name: "CreateMember", Scope: model.ScopeTeamManage, Role: model.RoleManager})
	VerbUpdateMember  = listed(Verb{Name: "UpdateMember", Scope: model.ScopeTeamManage})
	VerbRemoveMember  = listed(Verb{Name: "RemoveMember", Scope: model.ScopeTeamManage})
	VerbSectors       = listed(Verb{Name: "Sectors", Scope: model.ScopeTeamRead})
	VerbSector        = listed(Verb{Name: "Sector", Scope: model.ScopeTeamRead})
	VerbDistribution  = listed(Verb{Name: "Distribution", Scope: model.ScopeTeamRead})
	VerbCreateSector  = listed(Verb{Name: "CreateSector", Scope: model.ScopeTeamManage, Role: model.RoleManager})
	VerbUpdateSector  = listed(Verb{Name: "UpdateSector", Scope: model.ScopeTeamManage, Role: model.RoleManager})
	VerbRemoveSector  = listed(Verb{Name: "RemoveSector", Scope: model.ScopeTeamManage, Role: model.RoleManager})

	// Webhooks and events.
	VerbWebhooks            = listed(Verb{Name: "Webhooks", Scope: model.ScopeWebhooksManage})
	VerbWebhook             = listed(Verb{Name: "Webhook", Scope: model.ScopeWebhooksManage})
	VerbCreateWebhook       = listed(Verb{Name: "CreateWebhook", Scope: model.ScopeWebhooksManage})
	VerbUpdateWebhook       = listed(Verb{Name: "UpdateWebhook", Scope: model.ScopeWebhooksManage})
	VerbDeleteWebhook       = listed(Verb{Name: "DeleteWebhook", Scope: model.ScopeWebhooksManage})
	VerbRotateWebhookSecret = listed(Verb{Name: "RotateWebhookSecret", Scope: model.ScopeWebhooksManage})
	VerbTestWebhook         = listed(Verb{Name: "TestWebhook", Scope: model.ScopeWebhooksManage})
	VerbDeliveries          = listed(Verb{Name: "Deliveries", Scope: model.ScopeWebhooksManage})
	VerbDelivery            = listed(Verb{Name: "Delivery", Scope: model.ScopeWebhooksManage})
	VerbRedeliver           = listed(Verb{Name: "Redeliver", Scope: model.ScopeWebhooksManage})
	VerbWebhookEvents       = listed(Verb{Name: "WebhookEvents", Scope: model.ScopeWebhooksManage})
	VerbEvents              = listed(Verb{Name: "Events", Scope: model.ScopeEventsRead})
	VerbFollow              = listed(Verb{Name: "Follow", Scope: model.ScopeEventsRead})
	VerbFeedEnd             = listed(Verb{Name: "FeedEnd", Scope: model.ScopeEventsRead})
	VerbFeedChanged         = listed(Verb{Name: "FeedChanged", Scope: model.ScopeEventsRead})

	VerbLive     = listed(Verb{Name: "Live", SessionOnly: true})
	VerbActivity = listed(Verb{Name: "Activity", SessionOnly: true})

	// Boards and cards.
	VerbBoards      = listed(Verb{Name: "Boards", Scope: model.ScopeRead})
	VerbBoard       = listed(Verb{Name: "Board", Scope: model.ScopeRead})
	VerbBoardCounts = listed(Verb{Name: "BoardCounts", Scope: model.ScopeRead})
	VerbCreateBoard = listed(Verb{Name: "CreateBoard", Scope: model.ScopeWrite})
	VerbUpdateBoard = listed(Verb{Name: "UpdateBoard", Scope: model.ScopeWrite})
	VerbCreateStage = listed(Verb{Name: "CreateStage", Scope: model.ScopeWrite})
	VerbUpdateStage = listed(Verb{Name: "UpdateStage", Scope: model.ScopeWrite})
	VerbDeleteStage = listed(Verb{Name: "DeleteStage", Scope: model.ScopeWrite})
	VerbCards       = listed(Verb{Name: "Cards", Scope: model.ScopeRead})
	VerbCard        = listed(Verb{Name: "Card", Scope: model.ScopeRead})
	VerbCreateCard  = listed(Verb{Name: "CreateCard", Scope: model.ScopeWrite})
	VerbUpdateCard  = listed(Verb{Name: "UpdateCard", Scope: model.ScopeWrite})
	VerbMoveCard    = listed(Verb{Name: "MoveCard", Scope: model.ScopeWrite})
	VerbDeleteCard  = listed(Verb{Name: "DeleteCard", Scope: model.ScopeWrite})
)
