package api

import (
	"recado/internal/desk"
	"recado/internal/model"
)

// routes is the table of the operations under /v1, and the source of the OpenAPI document. The addresses that
// are no operations (health, documentation, signed media links, callbacks) are registered in server.go.
func (s *Server) routes() []*Route {
	return []*Route{
		get("/me", desk.VerbIdentity, "Who this key is", s.me),

		byVisitors("GET", "/setup", "Whether this installation has to be set up", s.getSetup, secret),
		byVisitors("POST", "/setup", "Make the first company and its owner", s.setUp, secret, created, fails(model.CodeLoginFailed, model.CodeNotFound),
			about("The token is in the link that recado serve prints while there is no company. A wrong token is 401 login_failed; 404 once there is a company.")),
		byVisitors("POST", "/session", "Sign in", s.signIn, fails(model.CodeLoginFailed, model.CodeCodeRequired, model.CodeCodeInvalid, model.CodeCompanyRequired),
			about("401 login_failed has one text for every cause; 401 code_required and code_invalid where two-factor is on; 429 after too many failures. "+
				"409 company_required where the address belongs to several companies and the password fits more than one: choose one of details and give its value as company.")),
		get("/session", desk.VerbSession, "Who is signed in", s.getSession),
		del("/session", desk.VerbSignOut, "Sign out", s.signOut),
		get("/sessions", desk.VerbSessions, "List the own sessions", s.listSessions),
		del("/sessions/{id}", desk.VerbEndSession, "End one of the own sessions", s.endSession),
		del("/sessions", desk.VerbEndOtherSessions, "End all own sessions but the present one", s.endOtherSessions),
		byVisitors("GET", "/welcome", "What an invitation or reset link is for", s.welcome, fails(model.CodeNotFound)),
		byVisitors("POST", "/welcome", "Accept an invitation, or set a new password", s.acceptWelcome, fails(model.CodeCodeRequired, model.CodeCodeInvalid, model.CodeNotFound, model.CodeNameTaken, model.CodeLimitReached),
			about("A new password ends all other sessions of that person and takes a code where two-factor is on.")),
		patch("/me", desk.VerbUpdateProfile, "Change the own profile", s.updateProfile, fails(model.CodeNameTaken),
			about("A new password ends all other sessions. A wrong current password counts as a failed sign-in.")),
		put("/me/presence", desk.VerbSetPresence, "Say how to be shown to others", s.setPresence),
		get("/me/preferences", desk.VerbPreferences, "Get the own preferences", s.getPreferences),
		patch("/me/preferences", desk.VerbUpdatePreferences, "Change the own preferences", s.updatePreferences),
		post("/me/two-factor", desk.VerbBeginTwoFactor, "Get a secret for two-factor sign-in", s.beginTwoFactor, secret, fails(model.CodeTwoFactorActive),
			about("It counts once it is confirmed with a code.")),
		post("/me/two-factor/confirm", desk.VerbConfirmTwoFactor, "Switch two-factor sign-in on", s.confirmTwoFactor, secret, fails(model.CodeTwoFactorActive)),
		post("/me/two-factor/disable", desk.VerbDisableTwoFactor, "Switch two-factor sign-in off", s.disableTwoFactor, fails(model.CodeCodeInvalid), noContent),
		del("/me/two-factor", desk.VerbDisableTwoFactor, "Switch two-factor sign-in off", s.disableTwoFactor, fails(model.CodeCodeInvalid),
			about("The same as POST /me/two-factor/disable, for clients that send a body with DELETE.")),

		get("/keys", desk.VerbKeys, "List the API keys", s.listKeys),
		post("/keys", desk.VerbCreateKey, "Issue an API key", s.createKey, secret, fails(model.CodeLimitReached), created,
			about("The key itself is shown this once. A key never gains a scope that its creator lacks, expires no later and has no higher rate. It ends with the key that issued it.")),
		post("/keys/{id}/rotate", desk.VerbRotateKey, "Give an integration a new key", s.rotateKey, secret,
			about("The old key lives on for overlap_seconds.")),
		del("/keys/{id}", desk.VerbRevokeKey, "Revoke an API key", s.revokeKey,
			about("The keys that it issued end with it.")),

		get("/channels", desk.VerbChannels, "List the WhatsApp numbers", s.listChannels),
		get("/private-channels", desk.VerbPrivateChannels, "List the private channels with those who see them", s.listPrivateChannels,
			about("For owners and admins, who choose the viewers with PATCH /channels/{id} and see nothing else of a channel that they do not view.")),
		post("/channels", desk.VerbCreateChannel, "Add a channel", s.createChannel, fails(model.CodeLimitReached), created,
			about("A WhatsApp number is connected once Meta has accepted its credentials, which are stored encrypted and never shown.")),
		patch("/channels/{id}", desk.VerbUpdateChannel, "Change, disconnect or connect a channel", s.updateChannel, fails(model.CodeChannelDisconnected)),
		post("/channels/{id}/test", desk.VerbTestChannel, "Ask the provider whether a channel works", s.testChannel),
		post("/channels/{id}/simulate", desk.VerbSimulate, "Play the other side of a sandbox channel", s.simulate, created, or(200),
			about("In one of three forms. A customer writes: from, with text or media_id, and name, reply_to_external_id and group as wanted (201). "+
				"The provider reports on a message that was sent: external_id and status (200). The team writes on the phone: from_phone_app, to and text (201).")),

		get("/conversations", desk.VerbConversations, "List conversations", s.listConversations,
			about("Pinned conversations first where no status is asked for, then those with the newest message; or see sort. Several filters narrow the list together.")),
		get("/inbox/counts", desk.VerbInboxCounts, "Count the open conversations", s.inboxCounts,
			about("Exact, and of the conversations that the caller may see. Snoozed ones are counted as such only.")),
		post("/conversations", desk.VerbOpenConversation, "Open a conversation", s.openConversation, fails(model.CodeNotVisible, model.CodeAttendanceRestricted), created, or(200),
			about("With a phone or with a contact, exactly one of them. 201 when it is new, 200 when this WhatsApp number has one with that "+
				"phone already. Either way the team has started it: an attendance opens where the company has them enabled and none is open. "+
				"409 not_visible when that conversation is outside of the member's access profile; managers and above take it over.")),
		get("/conversations/{id}", desk.VerbConversation, "Get a conversation", s.getConversation),
		patch("/conversations/{id}", desk.VerbUpdateConversation, "Change a conversation", s.updateConversation,
			about("Fields that are absent stay as they are. label_ids replaces all labels.")),
		post("/conversations/{id}/read", desk.VerbMarkRead, "Mark a conversation as read", s.readConversation),
		post("/conversations/{id}/unread", desk.VerbMarkUnread, "Mark a conversation as unread again", s.unreadConversation),
		post("/conversations/{id}/take", desk.VerbTake, "Become responsible for a conversation", s.takeConversation, fails(model.CodeAttendanceRestricted),
			about("409 attendance_restricted where attendances are restricted, another person is responsible and the caller is below manager.")),
		post("/conversations/{id}/snooze", desk.VerbSnooze, "Put a conversation aside until a time", s.snoozeConversation,
			about("A message of the customer or the time brings it back, unread.")),
		post("/conversations/bulk", desk.VerbBulk, "Do the same to several conversations", s.bulkConversations,
			about("Each is changed by itself: results tells the status and the code that the action would have had for it alone. close takes attendances:write as well. "+
				"What the action names for all of them, such as labels, must exist: else 400 and nothing is done.")),

		get("/views", desk.VerbViews, "List the saved views", s.listViews,
			about("The caller's own and the shared ones, in their order.")),
		post("/views", desk.VerbCreateView, "Save a view", s.createView, fails(model.CodeLimitReached), created,
			about("A person may own 100 views. Sharing one takes a manager or above.")),
		patch("/views/{id}", desk.VerbUpdateView, "Change a saved view", s.updateView,
			about("A shared view is changed by managers and above, every other one by its owner.")),
		del("/views/{id}", desk.VerbDeleteView, "Delete a saved view", s.deleteView),

		get("/conversations/{id}/messages", desk.VerbMessages, "Read a page of a conversation", s.listMessages,
			about("Newest first. before leads to older pages; after leads to what came since, page by page and without gaps, so that a client can poll with it.")),
		post("/conversations/{id}/messages", desk.VerbSendMessage, "Send a message", s.sendMessage, fails(model.CodeClientIDConflict, model.CodeContactBlocked, model.CodeAttendanceRestricted, model.CodeChannelDisconnected, model.CodeServiceWindowClosed), created,
			about("Answered as soon as the message is stored; status then tells how far it got. A client_id that this conversation has seen "+
				"gives the first message as it is now, whatever else the body says, and nothing is sent again.")),
		get("/conversations/{id}/timeline", desk.VerbTimeline, "Read a page of everything that happened in a conversation", s.timeline,
			about("Messages, assignments, openings and closings of attendances in one order, newest first. before and after lead on as in messages; around is the page "+
				"around a message, at the page around the first message from a time on. One of these at most. Without attendances:read it has messages only.")),
		get("/conversations/{id}/media", desk.VerbFiles, "List the files of a conversation", s.listFiles,
			about("The newest first.")),
		get("/messages/{id}", desk.VerbMessage, "Get a message", s.getMessage),
		post("/media", desk.VerbUploadMedia, "Upload a file", s.uploadMedia, fails(model.CodeLimitReached, model.CodeMediaTypeNotAllowed, model.CodeMediaTooLarge), created, streams,
			about("multipart/form-data with one field, file. The type is told by the bytes. Largest sizes: image 5 MiB, sticker 500 KiB, "+
				"audio and video 16 MiB, document 100 MiB. A file that no message uses within 24 hours is removed.")),
		get("/media/{id}/url", desk.VerbLinkMedia, "Get a temporary link to a file", s.linkMedia, secret,
			about("The link is valid for ten minutes and needs no key.")),

		get("/media/{id}/content", desk.VerbMediaContent, "Read a file", s.mediaContent, streams, answers("*/*"),
			about("The bytes, or a range of them, as they were stored; they never change.")),

		get("/contacts", desk.VerbContacts, "List contacts", s.listContacts,
			about("The newest first. Contacts are the company's: an access profile does not narrow them.")),
		post("/contacts", desk.VerbCreateContact, "Create a contact", s.createContact, fails(model.CodeContactExists), created,
			about("One contact per phone number: for a second one the answer is 409 contact_exists, with the id of the first in details.")),
		get("/contacts/{id}", desk.VerbContact, "Get a contact", s.getContact),
		patch("/contacts/{id}", desk.VerbUpdateContact, "Change a contact", s.updateContact,
			about("Fields that are absent stay as they are. A new name also shows in the contact's conversations, unless they were renamed.")),

		get("/labels", desk.VerbLabels, "List the labels", s.listLabels),
		post("/labels", desk.VerbCreateLabel, "Create a label", s.createLabel, fails(model.CodeNameTaken, model.CodeLimitReached), created),
		patch("/labels/{id}", desk.VerbUpdateLabel, "Change a label", s.updateLabel, fails(model.CodeNameTaken)),
		del("/labels/{id}", desk.VerbDeleteLabel, "Delete a label", s.deleteLabel),

		post("/conversations/{id}/transfer", desk.VerbTransfer, "Transfer a conversation", s.transfer, fails(model.CodeNotASectorMember),
			about("To a person, to a sector, to a person of a sector, or back to the queue. A sector alone puts the conversation into that "+
				"sector's queue with nobody responsible; a person alone leaves the sector as it is; a person with a sector must be its member. "+
				"The open attendance and its card follow.")),
		put("/conversations/{id}/sector", desk.VerbSetSector, "Set the sector of a conversation", s.setSector,
			about("The responsible person stays. Where the sector changes, the history of responsible persons says so.")),

		get("/attendances", desk.VerbAttendances, "List the attendances", s.listAttendances,
			about("The newest first.")),
		get("/attendances/{id}", desk.VerbAttendance, "Get an attendance", s.getAttendance),
		get("/conversations/{id}/attendance", desk.VerbCurrentAttendance, "Get the open attendance of a conversation, or null", s.currentAttendance),
		get("/conversations/{id}/assignments", desk.VerbAssignments, "List who was responsible for a conversation", s.listAssignments,
			about("The newest first; the latest 1000 lines.")),
		post("/conversations/{id}/attendance/close", desk.VerbCloseAttendance, "Close the open attendance of a conversation", s.closeAttendance, fails(model.CodeAttendanceNotOpen, model.CodeAttendanceRestricted),
			about("In restricted mode only the responsible person, or a manager and above, may close.")),

		get("/team", desk.VerbTeam, "List the team", s.listTeam,
			about("People with role, access profile, presence and sectors. Online: a key that acts as the person was used within 2 minutes; away: within 15.")),
		post("/team", desk.VerbCreateMember, "Add a team member", s.createMember, fails(model.CodeNameTaken, model.CodeLimitReached), created,
			about("Owners manage everybody, others from manager up those of lower roles than their own. Nobody makes a member with a wider access profile than their own.")),
		patch("/team/{id}", desk.VerbUpdateMember, "Change a team member", s.updateMember, fails(model.CodeNameTaken, model.CodeLimitReached),
			about("Everybody may change their own name and e-mail address. Nobody changes the e-mail address, role or access profile of a member "+
				"whose access profile is wider than their own. The last owner cannot become anything else.")),
		del("/team/{id}", desk.VerbRemoveMember, "Remove a team member", s.removeMember,
			about("Keys that act as the person are revoked, and what the person was responsible for goes back to its queue.")),
		get("/team/invitations", desk.VerbInvitations, "List the invitations", s.listInvitations,
			about("The newest first. Those that were accepted or have expired stay listed for 30 days.")),
		post("/team/invitations", desk.VerbInvite, "Invite a person to the team", s.invite, secret, fails(model.CodeNameTaken, model.CodeLimitReached), created,
			about("The link is shown this once, works once, and lasts 7 days. A second invitation for the same address replaces the first.")),
		del("/team/invitations/{id}", desk.VerbCancelInvitation, "Cancel an invitation", s.cancelInvitation),
		post("/team/{id}/reset-link", desk.VerbResetLink, "Make a link with which a member sets a new password", s.resetLink, secret,
			about("For members of lower roles; owners for everybody. It works once and lasts 24 hours; earlier links stop working.")),
		del("/team/{id}/sessions", desk.VerbEndMemberSessions, "Sign a member out everywhere", s.endMemberSessions),
		get("/sectors", desk.VerbSectors, "List the sectors with members and queues", s.listSectors,
			about("queues has an entry for each channel on which an attendance waits in the sector, and none for the others.")),
		post("/sectors", desk.VerbCreateSector, "Add a sector", s.createSector, fails(model.CodeNameTaken, model.CodeLimitReached), created),
		patch("/sectors/{id}", desk.VerbUpdateSector, "Change a sector", s.updateSector, fails(model.CodeNameTaken, model.CodeLimitReached)),
		del("/sectors/{id}", desk.VerbRemoveSector, "Remove a sector", s.removeSector,
			about("Conversations and open attendances in it are in no sector then; responsible persons stay.")),
		get("/company", desk.VerbCompany, "Get the company", s.getCompany),
		patch("/company", desk.VerbUpdateCompany, "Change the company's name or time zone", s.updateCompany,
			about("Takes an admin or an owner. With another time zone all days of the report are counted again.")),
		get("/company/attendance", desk.VerbAttendanceRules, "Get the company's attendance rules", s.getRules),
		patch("/company/attendance", desk.VerbUpdateAttendanceRules, "Change the company's attendance rules", s.updateRules,
			about("Takes an admin or an owner. The rules hold at once, for open attendances too.")),

		get("/integrations/webhooks", desk.VerbWebhooks, "List the webhooks", s.listWebhooks,
			about("Every call on webhooks takes a key of a member who sees all conversations: else 403.")),
		post("/integrations/webhooks", desk.VerbCreateWebhook, "Register a webhook", s.createWebhook, secret, fails(model.CodeWebhookLimit, model.CodeURLNotAllowed), created,
			about("The address must be https and outside of internal networks: else 400 url_not_allowed with the reason. The signing secret is "+
				"shown this once. A company has up to 20 webhooks.")),
		get("/integrations/webhooks/events", desk.VerbWebhookEvents, "List the events a webhook may ask for", s.listWebhookEvents),
		patch("/integrations/webhooks/{id}", desk.VerbUpdateWebhook, "Change or reactivate a webhook", s.updateWebhook, fails(model.CodeURLNotAllowed),
			about("What is pending goes to the address as it is then. Deactivating gives up what is pending; events of that time can be read from GET /events.")),
		del("/integrations/webhooks/{id}", desk.VerbDeleteWebhook, "Delete a webhook", s.deleteWebhook),
		post("/integrations/webhooks/{id}/rotate-secret", desk.VerbRotateWebhookSecret, "Replace the signing secret", s.rotateWebhookSecret, secret,
			about("The new secret is shown this once and signs from now on. For 24 hours the webhook-signature header carries a second signature, with the old secret.")),
		post("/integrations/webhooks/{id}/test", desk.VerbTestWebhook, "Send a test event now", s.testWebhook,
			about("One attempt with an event of type webhook.test, also while the webhook is inactive. The answer tells how it went. It is not repeated and does not count.")),
		get("/integrations/webhooks/{id}/deliveries", desk.VerbDeliveries, "List the latest deliveries", s.listDeliveries,
			about("The newest first, each with every attempt. Deliveries are kept for 14 days.")),
		post("/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver", desk.VerbRedeliver, "Deliver an event again", s.redeliver,
			about("A new delivery of the same event: same event id, same bytes, a delivery id of its own. A webhook that is inactive must be activated first: 400.")),

		get("/events", desk.VerbEvents, "Read the feed of events", s.listEvents,
			about("Every event of the last 14 days with the id and the bytes that webhooks get, in an order that never changes and skips nothing, "+
				"oldest first. Give next_cursor as after to go on, now or later; null means that nothing came since, so keep the after that you have. A key reads the events of the conversations and boards that it may see.")),
		get("/events/stream", desk.VerbEvents, "Follow the feed live", s.streamEvents, streams, answers("text/event-stream"),
			about("Server-sent events: id is a cursor of the feed, event the name, data the body. Begins with what happens from now on, or after the cursor in "+
				"Last-Event-ID or after, so nothing is missed between two connections. A comment comes at least every 15 seconds.")),

		get("/live", desk.VerbLive, "Follow the company live", s.followLive, streams, answers("text/event-stream"),
			about("Server-sent events for the app. Events of the feed that the person may see, with a cursor as id; resumed with Last-Event-ID, nothing is lost and "+
				"nothing comes twice. A cursor that cannot be used gives one event reset: fetch everything again. Signals have no id: typing {conversation, user}, "+
				"viewing {conversation, users}, presence {user, presence}, private {conversation}: something changed in a private conversation, fetch it; "+
				"gone {conversation}: it is no longer visible; session {state}: the session has ended, or was replaced because the person opened more than six streams, "+
				"and the stream ends. A comment comes at least every 15 seconds.")),
		post("/conversations/{id}/activity", desk.VerbActivity, "Say what the person does in a conversation", s.postActivity, noContent,
			about("Repeat it every 10 seconds while it lasts: viewing is forgotten after 20. The same again within 2 seconds is not passed on.")),

		get("/reports/attendance", desk.VerbAttendanceReport, "Report on attendances", s.attendanceReport,
			about("Attendances opened and closed, first-response and resolution times: in all, per responsible person, per sector and per day. "+
				"Days are those of the company's time zone. Without dates it is the last 30 days; with from alone it ends today, with to alone it has 30 days. "+
				"What an attendance counts stands under its present responsible person and sector.")),

		get("/kanban/boards", desk.VerbBoards, "List the boards", s.listBoards),
		postOnce("/kanban/boards", desk.VerbCreateBoard, "Create a board", s.createBoard, fails(model.CodeNameTaken, model.CodeLimitReached), created,
			about("A key that is limited to a list of boards may see the boards it creates.")),
		get("/kanban/boards/{id}", desk.VerbBoard, "Get a board", s.getBoard),
		patch("/kanban/boards/{id}", desk.VerbUpdateBoard, "Rename a board, archive it or bring it back", s.updateBoard, fails(model.CodeNameTaken)),
		postOnce("/kanban/boards/{id}/stages", desk.VerbCreateStage, "Add a stage", s.createStage, fails(model.CodeNameTaken, model.CodeLimitReached), created),
		patch("/kanban/boards/{id}/stages/{stage_id}", desk.VerbUpdateStage, "Change a stage", s.updateStage, fails(model.CodeNameTaken, model.CodeStageNotEmpty),
			about("The kind changes only while the stage holds no cards: 409 stage_not_empty.")),
		del("/kanban/boards/{id}/stages/{stage_id}", desk.VerbDeleteStage, "Delete an empty stage", s.deleteStage, fails(model.CodeStageNotEmpty)),
		get("/kanban/cards", desk.VerbCards, "List the cards", s.listCards,
			about("The newest first, or in the order of their board. A column of a board is stage_id with sort=position.")),
		postOnce("/kanban/cards", desk.VerbCreateCard, "Create a card", s.createCard, created),
		get("/kanban/cards/{id}", desk.VerbCard, "Get a card", s.getCard),
		patch("/kanban/cards/{id}", desk.VerbUpdateCard, "Change a card", s.updateCard, fails(model.CodeVersionConflict, model.CodeVersionRequired),
			about("Needs the card's version, in If-Match or in the body.")),
		postOnce("/kanban/cards/{id}/move", desk.VerbMoveCard, "Move a card", s.moveCard, fails(model.CodeVersionConflict, model.CodeVersionRequired),
			about("Needs the card's version, in If-Match or in the body. A move takes a card out of the archive.")),
		del("/kanban/cards/{id}", desk.VerbDeleteCard, "Delete a card for good", s.deleteCard, fails(model.CodeVersionConflict),
			about("With a version, in If-Match or in the body, only that version is deleted.")),
	}
}
