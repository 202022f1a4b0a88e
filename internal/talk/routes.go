package talk

import (
	"context"
	"net/http"

	"recado/internal/channels"
	"recado/internal/httpserver"
	"recado/internal/kernel"
)

// HTTP returns what the package adds to the API.
func (d *Talk) HTTP() httpserver.Capability {
	s := &handlers{d}
	return httpserver.Capability{
		Routes:   s.talkRoutes(),
		Handlers: map[string]http.Handler{"GET " + mediaLinks + "{id}": http.HandlerFunc(s.serveMedia)},
		Shared:   []string{mediaLinks},
		Schemas:  []httpserver.Schema{httpserver.SchemaOf[ViewFlag, viewFlagSchema]()},
		Events:   talkEvents,
		Tools:    []httpserver.OwnTool{s.draftTool()},
		Tags: []httpserver.Tag{
			{Name: "conversations", Description: "Conversations with customers: find, open, change, transfer and snooze them; saved views and counts of the inbox.", Words: []string{"inbox", "views"}},
			{Name: "messages", Description: "Messages of conversations: read, search, send, schedule and react.", Words: []string{"scheduled"}},
			{Name: "notes", Description: "Internal notes of the team in conversations, which are never sent to a customer."},
			{Name: "replies", Description: "Canned replies of the team and of single people."},
			{Name: "media", Description: "Files: upload, describe, link and read them."},
			{Name: "contacts", Description: "The address book of the company."},
			{Name: "labels", Description: "Labels of contacts, conversations and cards."},
			{Name: "attendances", Description: "Attendances: what a customer wants, from the first message to the close, with a protocol number."},
		},
	}
}

// talkEvents describes the events of conversations.
var talkEvents = []httpserver.Event{
	{Type: EventMessageReceived, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("message", "Message"), httpserver.EventNoun("conversation", "Conversation")}},
	{Type: EventMessageSent, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("message", "Message"), httpserver.EventNoun("conversation", "Conversation")}},
	{Type: EventMessageUpdated, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("message", "Message"), httpserver.EventNoun("conversation", "Conversation"), eventChanged}},
	{Type: EventConversationUpdated, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("conversation", "Conversation"), eventChanged}},
	{Type: EventAttendanceOpened, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("attendance", "Attendance"), httpserver.EventNoun("conversation", "Conversation")}},
	{Type: EventAttendanceClosed, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("attendance", "Attendance"), httpserver.EventNoun("conversation", "Conversation")}},
	{Type: EventNoteCreated, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("note", "Note"), httpserver.EventNoun("conversation", "Conversation")}},
}

var (
	eventSequence = httpserver.EventPart{Name: "sequence", Schema: map[string]any{"type": "integer", "description": "Grows with every event of the conversation."}}
	eventChanged  = httpserver.EventPart{Name: "changed", Schema: map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": "The fields that are different."}}
)

func (s *handlers) talkRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/me/notifications", VerbNotifications, "List your notifications", s.listNotifications,
			httpserver.About("Newest first, of the last 30 days, of conversations that you may see now. assigned: another person made you responsible. mentioned: a note names you. waiting: a conversation entered the queue of one of your "+
				"sectors. snooze_ended: a conversation that you are responsible for is back. message_failed: a message of yours could not be sent.")),
		httpserver.Post("/me/notifications/read", VerbReadNotifications, "Mark notifications as read", s.readNotifications, httpserver.NoContent,
			httpserver.Example(`{"all": true}`)),

		httpserver.Post("/channels/{id}/simulate", VerbSimulate, "Simulate the other side of a sandbox channel", s.simulate, httpserver.Fails(kernel.CodeChannelArchived), httpserver.Created, httpserver.Or(200), httpserver.Named("simulateChannel"), httpserver.Subject(channels.SubjectChannel),
			httpserver.Example(`{"from": "+55 11 91234-5678", "name": "Lia", "text": "Oi! Vocês abrem hoje?"}`),
			httpserver.About("The body has one of four forms. A customer writes: from, with text, media_id or choice, and optionally name, reply_to_external_id and group (201). "+
				"A customer reacts to a message, edits or deletes it: from, with reaction, edit or revoke (200). "+
				"The provider reports the status of a sent message: external_id and status (200). A member writes with the phone app: from_phone_app, to and text (201).")),

		httpserver.Get("/conversations", VerbConversations, "List conversations", s.listConversations,
			httpserver.AsTool(httpserver.Tool{Name: "list_conversations"}),
			httpserver.About("Without status, pinned conversations come first, then those with the newest message; sort changes the order. A conversation must match all filters.")),
		httpserver.Get("/inbox/counts", VerbInboxCounts, "Count the open conversations", s.inboxCounts, httpserver.Named("getInboxCounts"),
			httpserver.About("The counts are exact and cover the conversations that the caller may see. Snoozed conversations count only as snoozed.")),
		httpserver.Post("/conversations", VerbOpenConversation, "Open a conversation", s.openConversation, httpserver.Fails(kernel.CodeNotVisible, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived), httpserver.Created, httpserver.Or(200),
			httpserver.AsTool(httpserver.Tool{Name: "start_conversation", About: "It sends nothing: follow with send_message, on WhatsApp with a template if the customer has not written within 24 hours.", Effect: httpserver.Changes}),
			httpserver.Example(`{"channel_id": "01a1dd9b-fad4-7003-a934-f67da22447e0", "phone": "+55 11 91234-5678", "name": "Lia"}`),
			httpserver.About("Send exactly one of phone and contact_id. 201: the conversation is new. 200: this WhatsApp number already has one with that "+
				"phone. In both cases an attendance opens if the company has attendances enabled and none is open. "+
				"409 not_visible: the access profile of the member does not include that conversation; managers and above take it over.")),
		httpserver.Get("/conversations/{id}", VerbConversation, "Get a conversation", s.getConversation,
			httpserver.AsTool(httpserver.Tool{Name: "get_conversation", ID: "conversation_id"})),
		httpserver.Patch("/conversations/{id}", VerbUpdateConversation, "Change a conversation", s.updateConversation,
			httpserver.AsTool(httpserver.Tool{Name: "update_conversation", ID: "conversation_id", About: "Use list_labels for the ids of labels.", Effect: httpserver.Changes}),
			httpserver.Example(`{"pinned": true, "label_ids": ["01a1dd9b-fad4-7000-a336-f79fc0b0c318"]}`),
			httpserver.About("Absent fields do not change. label_ids replaces all labels.")),
		httpserver.Post("/conversations/{id}/read", VerbMarkRead, "Mark a conversation as read", s.readConversation, httpserver.Named("markConversationRead"), httpserver.Subject(SubjectConversation)),
		httpserver.Post("/conversations/{id}/unread", VerbMarkUnread, "Mark a conversation as unread", s.unreadConversation, httpserver.Named("markConversationUnread"), httpserver.Subject(SubjectConversation)),
		httpserver.Post("/conversations/{id}/take", VerbTake, "Take a conversation", s.takeConversation, httpserver.Fails(kernel.CodeAttendanceRestricted), httpserver.Named("takeConversation"), httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "take_conversation", ID: "conversation_id", Effect: httpserver.Changes}),
			httpserver.About("Makes the caller responsible for it. 409 attendance_restricted: attendances are restricted, another person is responsible and the role of the caller is below manager.")),
		httpserver.Post("/conversations/{id}/snooze", VerbSnooze, "Snooze a conversation until a time", s.snoozeConversation, httpserver.Named("snoozeConversation"), httpserver.Subject(SubjectConversation),
			httpserver.Example(`{"until": "2026-12-01T13:00:00Z"}`),
			httpserver.About("It returns as unread at that time, or when the customer writes.")),
		httpserver.Post("/conversations/bulk", VerbBulk, "Apply an action to several conversations", s.bulkConversations, httpserver.Reserves, httpserver.Named("changeConversations"),
			httpserver.Example(`{"ids": ["01a1dd9b-fad4-7003-a934-f67da22447e0"], "action": "label", "add": ["01a1dd9b-fad4-7000-a336-f79fc0b0c318"]}`),
			httpserver.About("Each conversation is changed on its own: results has the status and the error code of the action for each. The action close also needs the scope attendances:write. "+
				"If something that the action names for all of them, such as a label, does not exist, the response is 400 and no conversation changes.")),

		httpserver.Get("/views", VerbViews, "List the saved views", s.listViews,
			httpserver.About("The caller's own and the shared ones, in their order.")),
		httpserver.Post("/views", VerbCreateView, "Save a view", s.createView, httpserver.Fails(kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Unread of sales", "query": {"status": "open", "unread": "true", "sector": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}}`),
			httpserver.About("A person may own 100 views, and 100 of a company may be shared. Sharing one needs the role manager or above.")),
		httpserver.Patch("/views/{id}", VerbUpdateView, "Change a saved view", s.updateView, httpserver.Fails(kernel.CodeLimitReached),
			httpserver.Example(`{"name": "Sales", "position": 2}`),
			httpserver.About("A shared view is changed by managers and above, every other one by its owner.")),
		httpserver.Del("/views/{id}", VerbDeleteView, "Delete a saved view", s.deleteView),

		httpserver.Get("/conversations/{id}/messages", VerbMessages, "List the messages of a conversation", s.listMessages,
			httpserver.AsTool(httpserver.Tool{Name: "list_messages", ID: "conversation_id"}),
			httpserver.About("Newest first. before returns older pages; after returns newer messages, page by page and without gaps, so that a client can poll with it.")),
		httpserver.Post("/conversations/{id}/messages", VerbSendMessage, "Send a message", s.sendMessage, httpserver.Fails(kernel.CodeClientIDConflict, kernel.CodeContactBlocked, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeServiceWindowClosed, kernel.CodeTemplateUnavailable), httpserver.Created, httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "send_message", ID: "conversation_id", About: "The message reaches the customer on WhatsApp and cannot be taken back.", Needs: []string{"client_id"}, Effect: httpserver.Changes, Reaches: true}),
			httpserver.Example(`{"client_id": "6f1c3a52-7a53-4b7e-9d6e-0a4d8c1f2b3a", "text": "Oi, Lia! Até as 18h."}`),
			httpserver.About("The response is sent when the message is stored; its status later shows whether it was sent, delivered and read. A client_id that this conversation already has "+
				"returns the first message in its current state and sends nothing, regardless of the rest of the body. In a direct conversation without an open attendance "+
				"it opens one, unless the last one was closed less than grace_minutes ago.")),
		httpserver.Get("/conversations/{id}/timeline", VerbTimeline, "List everything that happened in a conversation", s.timeline,
			httpserver.About("Messages, internal notes, assignments, openings and closings of attendances in one list, newest first. before and after work as for messages; around returns the page "+
				"around a message or a note, at the page around the first message from a time on. Send at most one of the four. Without the scope attendances:read the list has only messages and notes, without notes:read no notes.")),
		httpserver.Get("/conversations/{id}/notes", VerbNotes, "List the internal notes of a conversation", s.listNotes,
			httpserver.AsTool(httpserver.Tool{Name: "list_notes", ID: "conversation_id"}),
			httpserver.About("Newest first. Notes are never sent to a customer.")),
		httpserver.Post("/conversations/{id}/notes", VerbCreateNote, "Write an internal note", s.createNote, httpserver.Fails(kernel.CodeClientIDConflict), httpserver.Created, httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "create_note", ID: "conversation_id", Needs: []string{"client_id"}, Effect: httpserver.Adds}),
			httpserver.Example(`{"client_id": "0193e0a4-7c9f-7b3a-9d1e-2f4c6a8b0d1e", "text": "Lia asked for a quote: see the e-mail of Monday.", "mentions": []}`),
			httpserver.About("A client_id that this conversation already has returns the first note. A person in mentions who may not see the conversation is 400.")),
		httpserver.Put("/conversations/{id}/draft", VerbSaveDraft, "Keep a draft", s.putDraft,
			httpserver.Example(`{"text": "Good morning! About your order", "reply_to_external_id": null}`),
			httpserver.About("One per person and conversation; saving replaces it. It is deleted when that person sends a message there. Conversations show it to that person as draft.")),
		httpserver.Del("/conversations/{id}/draft", VerbDeleteDraft, "Delete a draft", s.deleteDraft),
		httpserver.Patch("/notes/{id}", VerbUpdateNote, "Change an internal note", s.updateNote, httpserver.Fails(kernel.CodeInsufficientRole),
			httpserver.Example(`{"text": "Lia asked for a quote: sent."}`),
			httpserver.About("Only its author may change a note. Absent fields do not change.")),
		httpserver.Del("/notes/{id}", VerbDeleteNote, "Delete an internal note", deleteByID("note", s.verbs.DeleteNote), httpserver.Fails(kernel.CodeInsufficientRole),
			httpserver.About("The author, or a member with the role manager or above.")),

		httpserver.Get("/conversations/{id}/scheduled", VerbScheduledMessages, "List the scheduled messages of a conversation", s.listScheduled,
			httpserver.About("Ordered by send_at, latest first.")),
		httpserver.Post("/conversations/{id}/scheduled", VerbScheduleMessage, "Schedule a message", s.scheduleMessage,
			httpserver.Fails(kernel.CodeClientIDConflict, kernel.CodeContactBlocked, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeLimitReached), httpserver.Created, httpserver.Subject(SubjectConversation),
			httpserver.Example(`{"client_id": "0193e0a4-7c9f-7b3a-9d1e-2f4c6a8b0d1f", "send_at": "2026-12-01T13:00:00Z", "text": "Did the delivery arrive?", "cancel_on_reply": true}`),
			httpserver.About("It is sent in the name of the caller at send_at; the rules of sending are checked again then. It fails with too_late if the server was not running for more than an hour. "+
				"A conversation may have 50 that are not sent yet. A text for which the 24-hour window will be closed is accepted with the warning service_window.")),
		httpserver.Patch("/scheduled/{id}", VerbUpdateScheduled, "Change a scheduled message", s.updateScheduled,
			httpserver.Fails(kernel.CodeInsufficientRole, kernel.CodeNotScheduled, kernel.CodeContactBlocked, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected), httpserver.Named("updateScheduledMessage"),
			httpserver.Example(`{"send_at": "2026-12-02T13:00:00Z"}`),
			httpserver.About("Only the person who scheduled it, and only while it is scheduled: 409 not_scheduled. Absent fields do not change.")),
		httpserver.Del("/scheduled/{id}", VerbCancelScheduled, "Cancel a scheduled message", deleteByID("scheduled message", s.verbs.CancelScheduled), httpserver.Fails(kernel.CodeInsufficientRole, kernel.CodeNotScheduled), httpserver.Named("cancelScheduledMessage"),
			httpserver.About("The person who scheduled it, the responsible person, or a member with the role manager or above. It stays in the list as cancelled.")),

		httpserver.Get("/replies", VerbReplies, "List the canned replies", s.listReplies,
			httpserver.About("Those of the team and the caller's own, by shortcut.")),
		httpserver.Post("/replies", VerbCreateReply, "Create a canned reply", s.createReply, httpserver.Fails(kernel.CodeInsufficientRole, kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"shortcut": "hello", "title": "Greeting", "text": "Good morning, {{contact.first_name|friend}}!", "owner": null}`),
			httpserver.About("Every person may have replies of their own. Replies of the team need the scope replies:manage: 403 insufficient_role for a person without it. "+
				"A shortcut is unique among those of the owner, or of the team: 409 name_taken. An unknown variable is 400.")),
		httpserver.Patch("/replies/{id}", VerbUpdateReply, "Change a canned reply", s.updateReply, httpserver.Fails(kernel.CodeInsufficientRole, kernel.CodeNameTaken),
			httpserver.Example(`{"title": "Good morning"}`),
			httpserver.About("Absent fields do not change.")),
		httpserver.Del("/replies/{id}", VerbDeleteReply, "Delete a canned reply", deleteByID("canned reply", s.verbs.DeleteReply), httpserver.Fails(kernel.CodeInsufficientRole)),
		httpserver.Post("/replies/{id}/render", VerbRenderReply, "Render a canned reply for a conversation", s.renderReply,
			httpserver.Example(`{"conversation_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}`),
			httpserver.About("The variables get the values of the conversation. One without a value gets its fallback, or stays unchanged. "+
				"When the caller then sends a message with the text in that conversation, uses is counted.")),

		httpserver.Get("/conversations/{id}/media", VerbFiles, "List the files of a conversation", s.listFiles,
			httpserver.About("Newest first.")),
		httpserver.Get("/messages", VerbSearchMessages, "Search messages", s.searchMessages, httpserver.Named("searchMessages"),
			httpserver.AsTool(httpserver.Tool{Name: "search_messages"}),
			httpserver.About("Newest first. A message matches when its text contains q, regardless of case and accents. A page may have fewer entries than limit although there are more: continue until next_cursor is null.")),
		httpserver.Get("/messages/{id}", VerbMessage, "Get a message", s.getMessage,
			httpserver.AsTool(httpserver.Tool{Name: "get_message", ID: "message_id"})),
		httpserver.Put("/messages/{id}/reaction", VerbReact, "React to a message", s.react, httpserver.Fails(kernel.CodeContactBlocked, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeServiceWindowClosed, kernel.CodeMessageNotSent), httpserver.Named("reactToMessage"),
			httpserver.Example(`{"emoji": "👍"}`),
			httpserver.About("The team has one reaction to a message, that of the member who reacted last. A reaction is sent under the same rules as a message; it opens no attendance. If the provider refuses it, it is removed and message.updated is sent.")),
		httpserver.Del("/messages/{id}/reaction", VerbRemoveReaction, "Remove the team's reaction to a message", s.removeReaction, httpserver.Fails(kernel.CodeContactBlocked, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeServiceWindowClosed, kernel.CodeMessageNotSent), httpserver.Named("removeReaction"),
			httpserver.About("It is removed at the provider too.")),
		httpserver.Post("/media", VerbUploadMedia, "Upload a file", s.uploadMedia, httpserver.Fails(kernel.CodeLimitReached, kernel.CodeMediaTypeNotAllowed, kernel.CodeMediaTooLarge), httpserver.Created, httpserver.Uploads(MaxMedia),
			httpserver.About("Send multipart/form-data with one field, file. The content type is detected from the bytes. Maximum sizes: image 5 MiB, sticker 500 KiB, "+
				"audio and video 16 MiB, document 100 MiB. A file that no message uses within 24 hours is removed.")),
		httpserver.Get("/media/{id}", VerbMedia, "Describe a file", httpserver.ByID("file", s.verbs.Media), httpserver.Conditional,
			httpserver.About("Type, name, size and hash. 503: the file has not been fetched from WhatsApp yet.")),
		httpserver.Get("/media/{id}/url", VerbLinkMedia, "Get a temporary link to a file", s.linkMedia, httpserver.Secret(), httpserver.Named("getMediaLink"),
			httpserver.About("The link is valid for ten minutes and needs no key.")),

		httpserver.Get("/media/{id}/content", VerbMediaContent, "Read a file", s.mediaContent, httpserver.Conditional, httpserver.Streams, httpserver.Answers("*/*"),
			httpserver.About("The response contains the stored bytes, or a range of them. They never change.")),

		httpserver.Get("/contacts", VerbContacts, "List contacts", s.listContacts,
			httpserver.AsTool(httpserver.Tool{Name: "list_contacts"}),
			httpserver.About("Newest first. Access profiles do not limit the list: contacts belong to the company.")),
		httpserver.Post("/contacts", VerbCreateContact, "Create a contact", s.createContact, httpserver.Fails(kernel.CodeContactExists), httpserver.Created,
			httpserver.Example(`{"name": "Lia", "phone": "+55 11 91234-5678", "company": "Padaria Aurora", "city": "São Paulo"}`),
			httpserver.About("A phone number has one contact. For a second one the response is 409 contact_exists, with the id of the first in details.")),
		httpserver.Get("/contacts/{id}", VerbContact, "Get a contact", s.getContact,
			httpserver.AsTool(httpserver.Tool{Name: "get_contact", ID: "contact_id"})),
		httpserver.Patch("/contacts/{id}", VerbUpdateContact, "Change a contact", s.updateContact, httpserver.Fails(kernel.CodeContactExists, kernel.CodeInUse),
			httpserver.AsTool(httpserver.Tool{Name: "update_contact", ID: "contact_id", Effect: httpserver.Changes}),
			httpserver.Example(`{"city": "Santos", "blocked": false}`),
			httpserver.About("Absent fields do not change. A new name also appears in the conversations of the contact, unless they were renamed. phone changes only while the contact has no conversation; after that the response is 409 in_use.")),
		httpserver.Del("/contacts/{id}", VerbDeleteContact, "Delete a contact", s.deleteContact, httpserver.Fails(kernel.CodeInUse),
			httpserver.About("Only while the contact has no conversation; after that the response is 409 in_use. Cards of the contact stay without it.")),

		httpserver.Get("/labels", VerbLabels, "List the labels", s.listLabels,
			httpserver.AsTool(httpserver.Tool{Name: "list_labels"})),
		httpserver.Get("/labels/{id}", VerbLabel, "Get a label", httpserver.ByID("label", s.verbs.Label)),
		httpserver.Post("/labels", VerbCreateLabel, "Create a label", s.createLabel, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "VIP", "color": "#2e7d32"}`)),
		httpserver.Patch("/labels/{id}", VerbUpdateLabel, "Change a label", s.updateLabel, httpserver.Fails(kernel.CodeNameTaken),
			httpserver.Example(`{"color": "#c62828"}`)),
		httpserver.Del("/labels/{id}", VerbDeleteLabel, "Delete a label", s.deleteLabel),

		httpserver.Post("/conversations/{id}/transfer", VerbTransfer, "Transfer a conversation", s.transfer, httpserver.Fails(kernel.CodeNotASectorMember), httpserver.Named("transferConversation"), httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "transfer_conversation", ID: "conversation_id", Effect: httpserver.Changes}),
			httpserver.Example(`{"user_id": "01a1dd9b-f8fc-7000-8a9e-a4a6dad7cd3c", "reason": "speaks Spanish"}`),
			httpserver.About("To a person, to a sector, to a person in a sector, or back to the queue. With a sector alone, the conversation enters the "+
				"queue of that sector without a responsible person. With a person alone, the sector stays. A person with a sector must be a member of it. "+
				"The open attendance and its card change too.")),
		httpserver.Put("/conversations/{id}/sector", VerbSetSector, "Set the sector of a conversation", s.setSector, httpserver.Named("setConversationSector"),
			httpserver.Example(`{"sector_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb", "reason": "about an invoice"}`),
			httpserver.About("The responsible person stays. A change of sector is added to the list of assignments.")),

		httpserver.Get("/attendances", VerbAttendances, "List the attendances", s.listAttendances,
			httpserver.AsTool(httpserver.Tool{Name: "list_attendances"}),
			httpserver.About("Newest first.")),
		httpserver.Get("/attendances/{id}", VerbAttendance, "Get an attendance", s.getAttendance,
			httpserver.AsTool(httpserver.Tool{Name: "get_attendance", ID: "attendance_id"})),
		httpserver.Get("/conversations/{id}/attendance", VerbCurrentAttendance, "Get the open attendance of a conversation, or null", s.currentAttendance,
			httpserver.AsTool(httpserver.Tool{Name: "get_open_attendance", ID: "conversation_id"})),
		httpserver.Get("/conversations/{id}/assignments", VerbAssignments, "List the assignments of a conversation", s.listAssignments,
			httpserver.About("Newest first; at most the latest 1000.")),
		httpserver.Post("/conversations/{id}/attendance/close", VerbCloseAttendance, "Close the open attendance of a conversation", s.closeAttendance, httpserver.Fails(kernel.CodeAttendanceNotOpen, kernel.CodeAttendanceRestricted), httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "close_attendance", ID: "conversation_id", Effect: httpserver.Changes}),
			httpserver.Example(`{"reason": "answered"}`),
			httpserver.About("In restricted mode only the responsible person and members with the role manager or above may close it.")),

		httpserver.Get("/company/attendance", VerbAttendanceRules, "Get the company's attendance rules", s.getRules, httpserver.Named("getAttendanceRules")),
		httpserver.Patch("/company/attendance", VerbUpdateAttendanceRules, "Change the company's attendance rules", s.updateRules,
			httpserver.Example(`{"mode": "restricted", "auto_close": {"enabled": true, "after_minutes": 1440}}`),
			httpserver.About("Needs the role admin or owner. The rules take effect immediately, also for open attendances.")),

		httpserver.Post("/conversations/{id}/activity", VerbActivity, "Report activity in a conversation", s.postActivity, httpserver.NoContent, httpserver.Named("reportActivity"), httpserver.Subject(SubjectConversation),
			httpserver.Example(`{"kind": "typing"}`),
			httpserver.About("Repeat it every 10 seconds while it lasts: viewing expires after 20. The same activity within 2 seconds is not sent to other members again.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Talk }

// deleteByID returns a handler that calls verb with the id in the path. what names the object in errors.
func deleteByID(
	what string, verb func(ctx context.Context, a *kernel.Principal, id kernel.ID) error,
) func(context.Context, *kernel.Principal, *httpserver.AtID) (*httpserver.None, error) {
	return func(ctx context.Context, a *kernel.Principal, in *httpserver.AtID) (*httpserver.None, error) {
		id, err := httpserver.PathID(in.ID, what)
		if err != nil {
			return nil, err
		}
		return &httpserver.None{}, verb(ctx, a, id)
	}
}
