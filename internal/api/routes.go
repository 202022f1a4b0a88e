package api

import (
	"recado/internal/desk"
	"recado/internal/model"
)

// routes is the table of the operations under /v1, and the source of the OpenAPI document. The addresses that
// are no operations (health, documentation, signed media links, callbacks) are registered in server.go.
func (s *Server) routes() []*Route {
	return []*Route{
		get("/me", desk.VerbIdentity, "Get the identity of the key or session", s.me),

		byVisitors("GET", "/setup", "Report whether this installation must be set up", s.getSetup, secret()),
		byVisitors("POST", "/setup", "Create the first company and its owner", s.setUp, secret(), created, fails(model.CodeLoginFailed, model.CodeNotFound),
			about("The token is in the link that recado serve prints while there is no company. A wrong token gives 401 login_failed. When a company exists, the answer is 404.")),
		byVisitors("POST", "/session", "Sign in", s.signIn, fails(model.CodeLoginFailed, model.CodeCodeRequired, model.CodeCodeInvalid, model.CodeCompanyRequired),
			about("The session of a cookie that is sent along ends. 401 login_failed has the same text for every cause. With two-factor sign-in, 401 code_required asks for code and 401 code_invalid refuses it. After too many failures the answer is 429. "+
				"409 company_required: the address belongs to several companies and the password fits more than one. Send the value of one of details as company.")),
		get("/session", desk.VerbSession, "Get the current session", s.getSession),
		del("/session", desk.VerbSignOut, "Sign out", s.signOut),
		get("/sessions", desk.VerbSessions, "List your sessions", s.listSessions),
		del("/sessions/{id}", desk.VerbEndSession, "End one of your sessions", s.endSession),
		del("/sessions", desk.VerbEndOtherSessions, "End all your sessions except this one", s.endOtherSessions),
		byVisitors("GET", "/welcome", "Get what an invitation or reset link is for", s.welcome, fails(model.CodeNotFound)),
		byVisitors("POST", "/welcome", "Accept an invitation, or set a new password", s.acceptWelcome, fails(model.CodeCodeRequired, model.CodeCodeInvalid, model.CodeNotFound, model.CodeNameTaken, model.CodeLimitReached),
			about("A new password ends all other sessions of the person. With two-factor sign-in, code is required. The session of a cookie that is sent along ends.")),
		patch("/me", desk.VerbUpdateProfile, "Change your profile", s.updateProfile, fails(model.CodeNameTaken),
			about("A new password ends all other sessions. A wrong current password counts as a failed sign-in.")),
		put("/me/presence", desk.VerbSetPresence, "Set your presence", s.setPresence),
		get("/me/preferences", desk.VerbPreferences, "Get your preferences", s.getPreferences),
		patch("/me/preferences", desk.VerbUpdatePreferences, "Change your preferences", s.updatePreferences),
		get("/me/notifications", desk.VerbNotifications, "List your notifications", s.listNotifications,
			about("Newest first, of the last 30 days, of conversations that you may see now. assigned: another person made you responsible. mentioned: a note names you. waiting: a conversation entered the queue of one of your "+
				"sectors. snooze_ended: a conversation that you are responsible for is back. message_failed: a message of yours could not be sent.")),
		post("/me/notifications/read", desk.VerbReadNotifications, "Mark notifications as read", s.readNotifications, noContent),
		post("/me/two-factor", desk.VerbBeginTwoFactor, "Create a secret for two-factor sign-in", s.beginTwoFactor, secret("secret", "url"), fails(model.CodeTwoFactorActive),
			about("The secret takes effect when it is confirmed with a code.")),
		post("/me/two-factor/confirm", desk.VerbConfirmTwoFactor, "Turn two-factor sign-in on", s.confirmTwoFactor, secret("recovery_codes"), fails(model.CodeTwoFactorActive)),
		post("/me/two-factor/disable", desk.VerbDisableTwoFactor, "Turn two-factor sign-in off", s.disableTwoFactor, fails(model.CodeCodeInvalid), noContent),
		del("/me/two-factor", desk.VerbDisableTwoFactor, "Turn two-factor sign-in off", s.disableTwoFactor, fails(model.CodeCodeInvalid),
			about("The same as POST /me/two-factor/disable, for clients that send a body with DELETE.")),

		get("/keys", desk.VerbKeys, "List the API keys", s.listKeys),
		get("/keys/{id}", desk.VerbKey, "Get an API key", byID("key", s.desk.Key),
			about("The key itself is not in the answer.")),
		post("/keys", desk.VerbCreateKey, "Issue an API key", s.createKey, secret("key"), fails(model.CodeLimitReached), created,
			about("The key itself is only in this answer. A key cannot have a scope that its creator lacks, expire later or have a higher rate. It ends together with the key that issued it. A key is worth no more than its issuer: it loses what the issuer may no longer do, and ends when the issuer leaves the team.")),
		patch("/keys/{id}", desk.VerbUpdateKey, "Rename an API key, or change what it acts as", s.updateKey,
			about("Absent fields do not change. A caller may change the keys that it may revoke; a revoked key is 404. Both take effect within a second.")),
		post("/keys/{id}/rotate", desk.VerbRotateKey, "Rotate an API key", s.rotateKey, secret("key"),
			about("Creates a new key for the same integration. The old key stays valid for overlap_seconds. A key that another key rotates is revoked together with that one from then on, as if it had issued it. "+
				"A key cannot rotate the keys that it was issued by. A person who rotates a key is its issuer from then on.")),
		del("/keys/{id}", desk.VerbRevokeKey, "Revoke an API key", s.revokeKey,
			about("Keys that it issued or rotated are revoked too.")),

		get("/channels", desk.VerbChannels, "List the WhatsApp numbers", s.listChannels),
		get("/channels/{id}", desk.VerbChannel, "Get a WhatsApp number", byID("channel", s.desk.Channel)),
		get("/private-channels", desk.VerbPrivateChannels, "List the private channels and their viewers", s.listPrivateChannels,
			about("For owners and admins. A viewer with pending does not see the channel until the viewers are saved again. They set the viewers with PATCH /channels/{id} and see nothing else of a private channel unless they are viewers.")),
		post("/channels", desk.VerbCreateChannel, "Add a channel", s.createChannel, fails(model.CodeLimitReached), created,
			about("A WhatsApp number is connected after Meta has accepted its credentials. Credentials are stored encrypted and never returned.")),
		patch("/channels/{id}", desk.VerbUpdateChannel, "Change, disconnect or connect a channel", s.updateChannel, fails(model.CodeChannelArchived, model.CodeChannelDisconnected, model.CodeLimitReached),
			about("Making a number private hides its conversations, attendances, messages, files, cards and events from everyone but its viewers at once; contacts known only through it are hidden too. Making it public again needs confirm. "+
				"The lists of a number with a long history follow within moments.")),
		del("/channels/{id}", desk.VerbArchiveChannel, "Archive a channel", s.archiveChannel,
			about("Disconnects the number for good. Its history stays readable and its open attendances stay open; messages that wait to be sent fail with channel_archived. The same number can be added again as a new channel.")),
		get("/channels/{id}/connection", desk.VerbChannelConnection, "Get how a channel is connected", s.getConnection,
			about("The callback address and the verify token that Meta needs, and the ids of the number. The access token and the app secret are never given out.")),
		post("/channels/{id}/test", desk.VerbTestChannel, "Test a channel at its provider", s.testChannel),
		get("/channels/{id}/templates", desk.VerbTemplates, "List the templates of a channel", s.listTemplates,
			about("By name and language, from a copy of what Meta has. It is fetched when the channel is connected, every 6 hours, when Meta reports a change, and on request. A sandbox has none.")),
		post("/channels/{id}/templates/sync", desk.VerbSyncTemplates, "Fetch the templates of a channel from Meta", s.syncTemplates, fails(model.CodeChannelDisconnected), accepted,
			about("The answer comes at once, the templates some moments later. More than once a minute gives 429.")),
		get("/channels/{id}/reception", desk.VerbReception, "Get what a channel answers by itself", s.getReception, conditional),
		put("/channels/{id}/reception", desk.VerbSetReception, "Set what a channel answers by itself", s.setReception, fails(model.CodeVersionConflict),
			about("Greeting, away text and menu go out in one message when a customer opens an attendance: buttons for up to three options, a list for more, numbered lines where the text is too long for either. "+
				"The customer chooses with a button, the number or the title; 0 and atendente lead to people. An attendance gets at most 4 automatic messages. What is absent is null. With If-Match it is changed only if it still has that version.")),
		post("/channels/{id}/reception/try", desk.VerbTryReception, "Try what a reception would answer", s.tryReception,
			about("Plays a customer and gives the answer to each text. Nothing is stored or sent.")),
		post("/channels/{id}/simulate", desk.VerbSimulate, "Simulate the other side of a sandbox channel", s.simulate, fails(model.CodeChannelArchived), created, or(200),
			about("The body has one of four forms. A customer writes: from, with text, media_id or choice, and optionally name, reply_to_external_id and group (201). "+
				"A customer reacts to a message, edits or deletes it: from, with reaction, edit or revoke (200). "+
				"The provider reports the status of a sent message: external_id and status (200). A member writes with the phone app: from_phone_app, to and text (201).")),

		get("/conversations", desk.VerbConversations, "List conversations", s.listConversations,
			about("Without status, pinned conversations come first, then those with the newest message; sort changes the order. A conversation must match all filters.")),
		get("/inbox/counts", desk.VerbInboxCounts, "Count the open conversations", s.inboxCounts,
			about("The counts are exact and cover the conversations that the caller may see. Snoozed conversations count only as snoozed.")),
		post("/conversations", desk.VerbOpenConversation, "Open a conversation", s.openConversation, fails(model.CodeNotVisible, model.CodeAttendanceRestricted, model.CodeChannelArchived), created, or(200),
			about("Give exactly one of phone and contact_id. 201: the conversation is new. 200: this WhatsApp number already has one with that "+
				"phone. In both cases an attendance opens if the company has attendances enabled and none is open. "+
				"409 not_visible: the access profile of the member does not include that conversation; managers and above take it over.")),
		get("/conversations/{id}", desk.VerbConversation, "Get a conversation", s.getConversation),
		patch("/conversations/{id}", desk.VerbUpdateConversation, "Change a conversation", s.updateConversation,
			about("Absent fields do not change. label_ids replaces all labels.")),
		post("/conversations/{id}/read", desk.VerbMarkRead, "Mark a conversation as read", s.readConversation),
		post("/conversations/{id}/unread", desk.VerbMarkUnread, "Mark a conversation as unread", s.unreadConversation),
		post("/conversations/{id}/take", desk.VerbTake, "Take a conversation", s.takeConversation, fails(model.CodeAttendanceRestricted),
			about("Makes the caller responsible for it. 409 attendance_restricted: attendances are restricted, another person is responsible and the role of the caller is below manager.")),
		post("/conversations/{id}/snooze", desk.VerbSnooze, "Snooze a conversation until a time", s.snoozeConversation,
			about("It returns as unread at that time, or when the customer writes.")),
		put("/conversations/{id}/bot", desk.VerbSetBot, "Pause or resume bots in a conversation", s.setBot,
			about("bot_paused_until tells bots that listen to webhooks until when to be silent. A message of a person, in the app or on the phone, pauses them for an hour; one that is sent with a key does not.")),
		post("/conversations/bulk", desk.VerbBulk, "Apply an action to several conversations", s.bulkConversations,
			about("Each conversation is changed on its own: results has the status and the error code of the action for each. The action close also needs the scope attendances:write. "+
				"If something that the action names for all of them, such as a label, does not exist, the answer is 400 and no conversation changes.")),

		get("/views", desk.VerbViews, "List the saved views", s.listViews,
			about("The caller's own and the shared ones, in their order.")),
		post("/views", desk.VerbCreateView, "Save a view", s.createView, fails(model.CodeLimitReached), created,
			about("A person may own 100 views, and 100 of a company may be shared. Sharing one needs the role manager or above.")),
		patch("/views/{id}", desk.VerbUpdateView, "Change a saved view", s.updateView, fails(model.CodeLimitReached),
			about("A shared view is changed by managers and above, every other one by its owner.")),
		del("/views/{id}", desk.VerbDeleteView, "Delete a saved view", s.deleteView),

		get("/conversations/{id}/messages", desk.VerbMessages, "List the messages of a conversation", s.listMessages,
			about("Newest first. before gives older pages; after gives newer messages, page by page and without gaps, so that a client can poll with it.")),
		post("/conversations/{id}/messages", desk.VerbSendMessage, "Send a message", s.sendMessage, fails(model.CodeClientIDConflict, model.CodeContactBlocked, model.CodeAttendanceRestricted, model.CodeChannelArchived, model.CodeChannelDisconnected, model.CodeServiceWindowClosed, model.CodeTemplateUnavailable), created,
			about("The answer comes when the message is stored; its status then shows whether it was sent, delivered and read. A client_id that this conversation already has "+
				"returns the first message in its present state and sends nothing, whatever else the body contains. In a direct conversation without an open attendance "+
				"it opens one, unless the last one was closed less than grace_minutes ago.")),
		get("/conversations/{id}/timeline", desk.VerbTimeline, "List everything that happened in a conversation", s.timeline,
			about("Messages, internal notes, assignments, openings and closings of attendances in one list, newest first. before and after work as for messages; around gives the page "+
				"around a message or a note, at the page around the first message from a time on. Give at most one of the four. Without the scope attendances:read the list has only messages and notes, without notes:read no notes.")),
		get("/conversations/{id}/notes", desk.VerbNotes, "List the internal notes of a conversation", s.listNotes,
			about("Newest first. Notes are never sent to a customer.")),
		post("/conversations/{id}/notes", desk.VerbCreateNote, "Write an internal note", s.createNote, fails(model.CodeClientIDConflict), created,
			about("A client_id that this conversation already has returns the first note. A person in mentions who may not see the conversation is 400.")),
		put("/conversations/{id}/draft", desk.VerbSaveDraft, "Keep a draft", s.saveDraft,
			about("One per person and conversation; the last one counts. It is gone when that person sends a message there. Conversations show it to that person as draft.")),
		del("/conversations/{id}/draft", desk.VerbDeleteDraft, "Delete a draft", s.deleteDraft),
		patch("/notes/{id}", desk.VerbUpdateNote, "Change an internal note", s.updateNote, fails(model.CodeInsufficientRole),
			about("Only its author may change a note. Absent fields do not change.")),
		del("/notes/{id}", desk.VerbDeleteNote, "Delete an internal note", s.deleteNote, fails(model.CodeInsufficientRole),
			about("The author, or a member with the role manager or above.")),

		get("/conversations/{id}/scheduled", desk.VerbScheduledMessages, "List the scheduled messages of a conversation", s.listScheduled,
			about("The last to be sent first.")),
		post("/conversations/{id}/scheduled", desk.VerbScheduleMessage, "Schedule a message", s.scheduleMessage,
			fails(model.CodeClientIDConflict, model.CodeContactBlocked, model.CodeAttendanceRestricted, model.CodeChannelArchived, model.CodeChannelDisconnected, model.CodeLimitReached), created,
			about("It is sent in the name of the caller when send_at has come, and every rule of sending holds then too. It fails with too_late when the server did not run for more than an hour. "+
				"A conversation may have 50 that are not sent yet. A text for which the 24-hour window will be closed is accepted with the warning service_window.")),
		patch("/scheduled/{id}", desk.VerbUpdateScheduled, "Change a scheduled message", s.updateScheduled,
			fails(model.CodeInsufficientRole, model.CodeNotScheduled, model.CodeContactBlocked, model.CodeAttendanceRestricted, model.CodeChannelArchived, model.CodeChannelDisconnected),
			about("Only the person who scheduled it, and only while it is scheduled: 409 not_scheduled. Absent fields do not change.")),
		del("/scheduled/{id}", desk.VerbCancelScheduled, "Cancel a scheduled message", s.cancelScheduled, fails(model.CodeInsufficientRole, model.CodeNotScheduled),
			about("The person who scheduled it, the responsible person, or a member with the role manager or above. It stays in the list as cancelled.")),

		get("/replies", desk.VerbReplies, "List the canned replies", s.listReplies,
			about("Those of the team and the caller's own, by shortcut.")),
		post("/replies", desk.VerbCreateReply, "Create a canned reply", s.createReply, fails(model.CodeInsufficientRole, model.CodeNameTaken, model.CodeLimitReached), created,
			about("Every person may have replies of their own. Replies of the team need the scope replies:manage: 403 insufficient_role for a person without it. "+
				"A shortcut is unique among those of the owner, or of the team: 409 name_taken. An unknown variable is 400.")),
		patch("/replies/{id}", desk.VerbUpdateReply, "Change a canned reply", s.updateReply, fails(model.CodeInsufficientRole, model.CodeNameTaken),
			about("Absent fields do not change.")),
		del("/replies/{id}", desk.VerbDeleteReply, "Delete a canned reply", s.deleteReply, fails(model.CodeInsufficientRole)),
		post("/replies/{id}/render", desk.VerbRenderReply, "Render a canned reply for a conversation", s.renderReply,
			about("The variables get the values of the conversation. One without a value gets its fallback, or stays as it is written. "+
				"When the caller then sends a message with the text in that conversation, uses is counted.")),

		get("/conversations/{id}/media", desk.VerbFiles, "List the files of a conversation", s.listFiles,
			about("Newest first.")),
		get("/messages", desk.VerbSearchMessages, "Search messages", s.searchMessages,
			about("Newest first. A message matches when its text contains q, whatever the case and the accents. A page may have fewer entries than limit although there are more: go on until next_cursor is null.")),
		get("/messages/{id}", desk.VerbMessage, "Get a message", s.getMessage),
		put("/messages/{id}/reaction", desk.VerbReact, "React to a message", s.react, fails(model.CodeContactBlocked, model.CodeAttendanceRestricted, model.CodeChannelArchived, model.CodeChannelDisconnected, model.CodeServiceWindowClosed, model.CodeMessageNotSent),
			about("The team has one reaction to a message, that of the member who reacted last. A reaction is sent under the same rules as a message; it opens no attendance. If the provider refuses it, it is removed and message.updated tells so.")),
		del("/messages/{id}/reaction", desk.VerbRemoveReaction, "Remove the team's reaction to a message", s.removeReaction, fails(model.CodeContactBlocked, model.CodeAttendanceRestricted, model.CodeChannelArchived, model.CodeChannelDisconnected, model.CodeServiceWindowClosed, model.CodeMessageNotSent),
			about("It is removed at the provider too.")),
		post("/media", desk.VerbUploadMedia, "Upload a file", s.uploadMedia, fails(model.CodeLimitReached, model.CodeMediaTypeNotAllowed, model.CodeMediaTooLarge), created, streams,
			about("Send multipart/form-data with one field, file. The content type is detected from the bytes. Maximum sizes: image 5 MiB, sticker 500 KiB, "+
				"audio and video 16 MiB, document 100 MiB. A file that no message uses within 24 hours is removed.")),
		get("/media/{id}", desk.VerbMedia, "Describe a file", byID("file", s.desk.Media), conditional,
			about("Type, name, size and hash. 503: the file has not been fetched from WhatsApp yet.")),
		get("/media/{id}/url", desk.VerbLinkMedia, "Get a temporary link to a file", s.linkMedia, secret(),
			about("The link is valid for ten minutes and needs no key.")),

		get("/media/{id}/content", desk.VerbMediaContent, "Read a file", s.mediaContent, conditional, streams, answers("*/*"),
			about("The answer is the stored bytes, or a range of them. They never change.")),

		get("/contacts", desk.VerbContacts, "List contacts", s.listContacts,
			about("Newest first. Access profiles do not limit the list: contacts belong to the company.")),
		post("/contacts", desk.VerbCreateContact, "Create a contact", s.createContact, fails(model.CodeContactExists), created,
			about("A phone number has one contact. For a second one the answer is 409 contact_exists, with the id of the first in details.")),
		get("/contacts/{id}", desk.VerbContact, "Get a contact", s.getContact),
		patch("/contacts/{id}", desk.VerbUpdateContact, "Change a contact", s.updateContact, fails(model.CodeContactExists, model.CodeInUse),
			about("Absent fields do not change. A new name also appears in the conversations of the contact, unless they were renamed. phone changes only while the contact has no conversation; after that the answer is 409 in_use.")),
		del("/contacts/{id}", desk.VerbDeleteContact, "Delete a contact", s.deleteContact, fails(model.CodeInUse),
			about("Only while the contact has no conversation; after that the answer is 409 in_use. Cards of the contact stay without it.")),

		get("/labels", desk.VerbLabels, "List the labels", s.listLabels),
		get("/labels/{id}", desk.VerbLabel, "Get a label", byID("label", s.desk.Label)),
		post("/labels", desk.VerbCreateLabel, "Create a label", s.createLabel, fails(model.CodeNameTaken, model.CodeLimitReached), created),
		patch("/labels/{id}", desk.VerbUpdateLabel, "Change a label", s.updateLabel, fails(model.CodeNameTaken)),
		del("/labels/{id}", desk.VerbDeleteLabel, "Delete a label", s.deleteLabel),

		post("/conversations/{id}/transfer", desk.VerbTransfer, "Transfer a conversation", s.transfer, fails(model.CodeNotASectorMember),
			about("To a person, to a sector, to a person in a sector, or back to the queue. With a sector alone, the conversation enters the "+
				"queue of that sector without a responsible person. With a person alone, the sector stays. A person with a sector must be a member of it. "+
				"The open attendance and its card change too.")),
		put("/conversations/{id}/sector", desk.VerbSetSector, "Set the sector of a conversation", s.setSector,
			about("The responsible person stays. A change of sector is added to the list of assignments.")),

		get("/attendances", desk.VerbAttendances, "List the attendances", s.listAttendances,
			about("Newest first.")),
		get("/attendances/{id}", desk.VerbAttendance, "Get an attendance", s.getAttendance),
		get("/conversations/{id}/attendance", desk.VerbCurrentAttendance, "Get the open attendance of a conversation, or null", s.currentAttendance),
		get("/conversations/{id}/assignments", desk.VerbAssignments, "List the assignments of a conversation", s.listAssignments,
			about("Newest first; at most the latest 1000.")),
		post("/conversations/{id}/attendance/close", desk.VerbCloseAttendance, "Close the open attendance of a conversation", s.closeAttendance, fails(model.CodeAttendanceNotOpen, model.CodeAttendanceRestricted),
			about("In restricted mode only the responsible person and members with the role manager or above may close it.")),

		get("/team", desk.VerbTeam, "List the team", s.listTeam,
			about("With role, access profile, presence and sectors. online: a session of the person was used within 2 minutes, or a live stream is open; away: within 15. A presence that the person chose is shown instead while a session was used within 15 minutes. API keys never make a member online.")),
		get("/team/{id}", desk.VerbMember, "Get a team member", byID("team member", s.desk.Member)),
		post("/team", desk.VerbCreateMember, "Add a team member", s.createMember, fails(model.CodeNameTaken, model.CodeLimitReached), created,
			about("Owners manage all members; admins and managers manage members whose role is lower than their own. The new member cannot have a wider access profile than the caller.")),
		patch("/team/{id}", desk.VerbUpdateMember, "Change a team member", s.updateMember, fails(model.CodeNameTaken, model.CodeLimitReached),
			about("Members may change their own name and e-mail address. The e-mail address, role and access profile of a member cannot be changed by a caller "+
				"whose access profile is narrower. The last owner must stay an owner.")),
		del("/team/{id}", desk.VerbRemoveMember, "Remove a team member", s.removeMember,
			about("Keys that act as the person are revoked. Conversations that the person was responsible for return to their queue.")),
		get("/team/invitations", desk.VerbInvitations, "List the invitations", s.listInvitations,
			about("Newest first. Accepted and expired invitations stay in the list for 30 days.")),
		post("/team/invitations", desk.VerbInvite, "Invite a person to the team", s.invite, secret("url"), fails(model.CodeNameTaken, model.CodeLimitReached), created,
			about("The link is only in this answer, works once and is valid for 7 days. A second invitation for the same address replaces the first. The link stops working when the caller could no longer make this invitation.")),
		del("/team/invitations/{id}", desk.VerbCancelInvitation, "Cancel an invitation", s.cancelInvitation),
		post("/team/{id}/reset-link", desk.VerbResetLink, "Create a link for setting a new password", s.resetLink, secret("url"),
			about("For members whose role is lower than that of the caller; owners may create one for any member. Not for a member whose access profile is wider than that of the caller, and with a key for admins and owners only if it has the scopes that their role adds to those of managers. It works once and is valid for 24 hours; earlier links stop working. It also stops working when the caller could no longer make it, when role, access profile, sectors or private numbers of the member change, and when the member sets a password or is signed out everywhere. "+
				"When the member uses the link, private numbers that the caller cannot see stay hidden from them until an owner or admin saves their viewers again.")),
		del("/team/{id}/sessions", desk.VerbEndMemberSessions, "End all sessions of a member", s.endMemberSessions,
			about("Reset links of the member stop working.")),
		get("/sectors", desk.VerbSectors, "List the sectors with members and queues", s.listSectors,
			about("queues has an entry for each channel with waiting attendances in the sector.")),
		get("/sectors/{id}", desk.VerbSector, "Get a sector with its members and queues", byID("sector", s.desk.Sector)),
		get("/sectors/{id}/distribution", desk.VerbDistribution, "Get who gets the next case of a sector, and why", s.getDistribution),
		post("/sectors", desk.VerbCreateSector, "Add a sector", s.createSector, fails(model.CodeNameTaken, model.CodeLimitReached), created),
		patch("/sectors/{id}", desk.VerbUpdateSector, "Change a sector", s.updateSector, fails(model.CodeNameTaken, model.CodeLimitReached)),
		del("/sectors/{id}", desk.VerbRemoveSector, "Remove a sector", s.removeSector,
			about("Its conversations and open attendances then have no sector. Responsible persons stay.")),
		get("/company", desk.VerbCompany, "Get the company", s.getCompany),
		patch("/company", desk.VerbUpdateCompany, "Change the company's name or time zone", s.updateCompany,
			about("Needs the role admin or owner. With another time zone all days of the report are counted again.")),
		get("/company/attendance", desk.VerbAttendanceRules, "Get the company's attendance rules", s.getRules),
		patch("/company/attendance", desk.VerbUpdateAttendanceRules, "Change the company's attendance rules", s.updateRules,
			about("Needs the role admin or owner. The rules take effect immediately, also for open attendances.")),

		get("/hours", desk.VerbAllHours, "List the opening hours", s.listHours,
			about("By name. A sector, a channel and the company each name theirs with hours_id: the sector's count, then the channel's, then the company's; none means always open.")),
		post("/hours", desk.VerbCreateHours, "Create opening hours", s.createHours, fails(model.CodeLimitReached), created,
			about("Takes an admin or an owner. A company may have 100, each with up to 50 weekly periods and 400 exceptions.")),
		get("/hours/holidays", desk.VerbHolidays, "List the public holidays of Brazil in a year", s.listHolidays,
			about("National holidays, and the days on which many close though they are none (optional). They are offered as exceptions and have no effect of their own.")),
		get("/hours/{id}", desk.VerbHours, "Get opening hours", s.getHours),
		patch("/hours/{id}", desk.VerbUpdateHours, "Change opening hours", s.updateHours,
			about("Absent fields do not change.")),
		del("/hours/{id}", desk.VerbDeleteHours, "Delete opening hours", s.deleteHours, fails(model.CodeInUse),
			about("409 in_use: the company, a channel or a sector names them.")),
		get("/hours/{id}/status", desk.VerbHoursStatus, "Get whether opening hours are open", s.hoursStatus),

		get("/integrations/webhooks", desk.VerbWebhooks, "List the webhooks", s.listWebhooks,
			about("Operations on webhooks need a key or session of a member who sees all conversations; otherwise the answer is 403.")),
		post("/integrations/webhooks", desk.VerbCreateWebhook, "Register a webhook", s.createWebhook, secret("secret"), fails(model.CodeWebhookLimit, model.CodeURLNotAllowed), created,
			about("The address must use https and must not be in an internal network; otherwise the answer is 400 url_not_allowed with the reason. The signing secret is "+
				"only in this answer. A company can have 20 webhooks; one more gives 409 webhook_limit.")),
		get("/integrations/webhooks/events", desk.VerbWebhookEvents, "List the event types", s.listWebhookEvents),
		get("/integrations/webhooks/{id}", desk.VerbWebhook, "Get a webhook", byID("webhook", s.desk.Webhook)),
		patch("/integrations/webhooks/{id}", desk.VerbUpdateWebhook, "Change or reactivate a webhook", s.updateWebhook, fails(model.CodeURLNotAllowed),
			about("Pending deliveries go to the new address. Deactivating a webhook fails its pending deliveries; read the events of that time from GET /events.")),
		del("/integrations/webhooks/{id}", desk.VerbDeleteWebhook, "Delete a webhook", s.deleteWebhook),
		post("/integrations/webhooks/{id}/rotate-secret", desk.VerbRotateWebhookSecret, "Replace the signing secret", s.rotateWebhookSecret, secret("secret"),
			about("The new secret is only in this answer and signs all further deliveries. For 24 hours the header webhook-signature also has a signature with the old secret.")),
		post("/integrations/webhooks/{id}/test", desk.VerbTestWebhook, "Send a test event now", s.testWebhook,
			about("Makes one attempt with an event of type webhook.test, also while the webhook is inactive, and returns its result. It is not retried and does not count as a failure.")),
		get("/integrations/webhooks/{id}/deliveries", desk.VerbDeliveries, "List the latest deliveries", s.listDeliveries,
			about("Newest first, each with all its attempts. Deliveries are kept for 14 days.")),
		get("/integrations/webhooks/{id}/deliveries/{delivery_id}", desk.VerbDelivery, "Get a delivery with its body", s.getDelivery),
		post("/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver", desk.VerbRedeliver, "Deliver an event again", s.redeliver,
			about("Creates a new delivery of the same event: the same event id and bytes, another delivery id. An inactive webhook gives 400: activate it first.")),

		get("/events", desk.VerbEvents, "Read the feed of events", s.listEvents,
			about("Events of the last 14 days with the id and the bytes that webhooks receive, in an order that never changes and without gaps, "+
				"oldest first. Send next_cursor as after to get the next page, now or later. null means that there is no newer event: keep the after that you have. The list has the events of the conversations and boards that the caller may see.")),
		get("/events/stream", desk.VerbEvents, "Follow the feed live", s.streamEvents, streams, answers("text/event-stream"),
			about("Server-sent events: id is a cursor of the feed, event the type, data the body. The stream begins with new events, or after the cursor in "+
				"Last-Event-ID or after, so that no event is lost between two connections. A comment is sent at least every 15 seconds.")),

		get("/live", desk.VerbLive, "Follow the company live", s.followLive, streams, answers("text/event-stream"),
			about("Server-sent events for the app. Events of the feed that the person may see have a cursor as id; with Last-Event-ID the stream resumes without loss and "+
				"without repetition. An unusable cursor gives one event reset: fetch everything again. Signals have no id: typing {conversation, user}, "+
				"viewing {conversation, users}, presence {user, presence}, private {conversation}: something changed in a private conversation, fetch it; "+
				"board {board}: a board, its stages or cards changed without an event, fetch it; "+
				"gone {conversation}: it is no longer visible; notes {conversation}: a note was changed or deleted; draft {conversation}: the person's own draft is different; scheduled {conversation}: its scheduled messages are different; notification {kind, conversation}: the person has a new "+
				"notification, or with the kind read has read some; session {state}: the session has ended, or was replaced because the person opened more than six streams, "+
				"and the stream ends. A comment is sent at least every 15 seconds.")),
		post("/conversations/{id}/activity", desk.VerbActivity, "Report activity in a conversation", s.postActivity, noContent,
			about("Repeat it every 10 seconds while it lasts: viewing expires after 20. The same activity within 2 seconds is not sent to other members again.")),

		get("/reports/attendance", desk.VerbAttendanceReport, "Report on attendances", s.attendanceReport,
			about("Attendances opened and closed, first-response and resolution times: in total, per responsible person, per sector and per day. "+
				"Days are those of the company's time zone. Without dates it is the last 30 days; with from alone it ends today, with to alone it has 30 days. "+
				"An attendance counts for its present responsible person and sector.")),

		get("/kanban/boards", desk.VerbBoards, "List the boards", s.listBoards, conditional),
		postOnce("/kanban/boards", desk.VerbCreateBoard, "Create a board", s.createBoard, fails(model.CodeNameTaken, model.CodeLimitReached), created,
			about("A key that is limited to a list of boards may also see the boards that it creates.")),
		get("/kanban/boards/{id}", desk.VerbBoard, "Get a board", s.getBoard, conditional),
		get("/kanban/boards/{id}/counts", desk.VerbBoardCounts, "Count the cards of a board", s.countBoard,
			about("The number of cards of each stage, from left to right. Archived cards are excluded.")),
		patch("/kanban/boards/{id}", desk.VerbUpdateBoard, "Rename, archive or restore a board", s.updateBoard, fails(model.CodeNameTaken)),
		postOnce("/kanban/boards/{id}/stages", desk.VerbCreateStage, "Add a stage", s.createStage, fails(model.CodeNameTaken, model.CodeLimitReached), created),
		patch("/kanban/boards/{id}/stages/{stage_id}", desk.VerbUpdateStage, "Change a stage", s.updateStage, fails(model.CodeNameTaken, model.CodeStageNotEmpty),
			about("The kind can change only while the stage has no cards; otherwise the answer is 409 stage_not_empty.")),
		del("/kanban/boards/{id}/stages/{stage_id}", desk.VerbDeleteStage, "Delete an empty stage", s.deleteStage, fails(model.CodeStageNotEmpty)),
		get("/kanban/cards", desk.VerbCards, "List the cards", s.listCards, conditional,
			about("The newest first, or in the order of their board. A column of a board is stage_id with sort=position.")),
		postOnce("/kanban/cards", desk.VerbCreateCard, "Create a card", s.createCard, created),
		get("/kanban/cards/{id}", desk.VerbCard, "Get a card", s.getCard, conditional),
		patch("/kanban/cards/{id}", desk.VerbUpdateCard, "Change a card", s.updateCard, fails(model.CodeVersionConflict, model.CodeVersionRequired),
			about("Needs the version of the card, in If-Match or in the body.")),
		postOnce("/kanban/cards/{id}/move", desk.VerbMoveCard, "Move a card", s.moveCard,
			fails(model.CodeVersionConflict, model.CodeVersionRequired, model.CodeAttendanceRestricted),
			about("Needs the version of the card, in If-Match or in the body. A move restores an archived card. Moving the card of an open attendance to the stage Done closes the attendance, which a key needs attendances:write for; in restricted mode others than the responsible person and managers get 409 attendance_restricted. Moving it back does not reopen the attendance.")),
		del("/kanban/cards/{id}", desk.VerbDeleteCard, "Delete a card permanently", s.deleteCard, fails(model.CodeVersionConflict),
			about("With a version, in If-Match or in the body, only that version is deleted.")),
	}
}
