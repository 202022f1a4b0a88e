package talk

import (
	"net/http"

	"recado/internal/channels"
	"recado/internal/fields"
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
			{Name: "conversations", Description: "Conversations with customers: find, open, update, transfer and snooze them. Saved views and inbox counts.", Words: []string{"inbox", "views"}},
			{Name: "messages", Description: "Messages in conversations: read, search, send, schedule and react to them.", Words: []string{"scheduled"}},
			{Name: "notes", Description: "Internal notes in conversations, which are never sent to customers."},
			{Name: "replies", Description: "Canned replies, shared by the team or personal."},
			{Name: "media", Description: "Files: upload, describe, link and read them."},
			{Name: "contacts", Description: "The address book of the company."},
			{Name: "labels", Description: "Labels of contacts, conversations and cards."},
			{Name: "attendances", Description: "Attendances: a customer's request from the first message until it is closed, with a protocol number."},
		},
	}
}

// talkEvents describes the events of conversations.
var talkEvents = []httpserver.Event{
	{Type: EventMessageReceived, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("message", "Message"), httpserver.EventNoun("conversation", "Conversation")}},
	{Type: EventMessageSent, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("message", "Message"), httpserver.EventNoun("conversation", "Conversation")}},
	{Type: EventMessageUpdated, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("message", "Message"), httpserver.EventNoun("conversation", "Conversation"), eventChanged}},
	{Type: EventConversationUpdated, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("conversation", "Conversation"), eventChanged}},
	AttendanceEvent(EventAttendanceOpened),
	AttendanceEvent(EventAttendanceClosed),
	AttendanceEvent(EventSLAWarning, eventTarget),
	AttendanceEvent(EventSLABreached, eventTarget),
	{Type: EventNoteCreated, Data: []httpserver.EventPart{eventSequence, httpserver.EventNoun("note", "Note"), httpserver.EventNoun("conversation", "Conversation")}},
}

// AttendanceEvent describes an event that EmitAttendance records, with further parts of its data.
func AttendanceEvent(kind kernel.EventType, more ...httpserver.EventPart) httpserver.Event {
	parts := []httpserver.EventPart{eventSequence, httpserver.EventNoun("attendance", "Attendance"), httpserver.EventNoun("conversation", "Conversation")}
	return httpserver.Event{Type: kind, Data: append(parts, more...)}
}

var (
	eventSequence = httpserver.EventPart{Name: "sequence", Schema: map[string]any{"type": "integer", "description": "A number that increases with every event of the conversation."}}
	eventTarget   = httpserver.EventPart{Name: "target", Schema: map[string]any{"type": "string", "enum": []string{TargetFirst, TargetNext, TargetResolution}, "description": "The target of the service level."}}
	eventChanged  = httpserver.EventPart{Name: "changed", Schema: map[string]any{"type": "array", "items": map[string]any{"type": "string"}, "description": "The fields that changed."}}
)

func (s *handlers) talkRoutes() []*httpserver.Route {
	return []*httpserver.Route{
		httpserver.Get("/me/notifications", VerbNotifications, "List your notifications", s.listNotifications,
			httpserver.About("Returns the notifications of the last 30 days for conversations you can currently see, newest first. assigned: another person assigned the conversation to you. mentioned: a note mentions you. waiting: a conversation entered the queue of one of your "+
				"sectors. snooze_ended: the snooze of a conversation assigned to you has ended. message_failed: one of your messages could not be sent. sla_warning and sla_breached: a target of the service level of a case assigned to you, or of a case of one of your sectors without a responsible person, is nearly due or was missed. "+
				"budget_warning: the budget for messages of this month is nearly used up; only owners get it, and conversation is null. channel_disconnected: WhatsApp ended the link of a number; owners get it, or the viewers of a private number, and conversation is null.")),
		httpserver.Post("/me/notifications/read", VerbReadNotifications, "Mark notifications as read", s.readNotifications, httpserver.NoContent,
			httpserver.Example(`{"all": true}`)),

		httpserver.Post("/channels/{id}/simulate", VerbSimulate, "Simulate the other side of a sandbox channel", s.simulate, httpserver.Fails(kernel.CodeChannelArchived), httpserver.Created, httpserver.Or(200), httpserver.Named("simulateChannel"), httpserver.Subject(channels.SubjectChannel),
			httpserver.Example(`{"from": "+55 11 91234-5678", "name": "Lia", "text": "Oi! Vocês abrem hoje?"}`),
			httpserver.About("The body takes one of four forms. A customer writes: from, with text, media_id or choice, and optionally name, reply_to_external_id and group (201). "+
				"A customer reacts to, edits or deletes a message: from, with reaction, edit or revoke (200). "+
				"The provider reports the status of a sent message: external_id and status (200). A member writes from the phone app: from_phone_app, to and text (201).")),

		httpserver.Get("/conversations", VerbConversations, "List conversations", s.listConversations,
			httpserver.AsTool(httpserver.Tool{Name: "list_conversations"}),
			httpserver.About("Returns the conversations that match all filters. Without status, pinned conversations come first, then the others by newest message; use sort to change the order.")),
		httpserver.Get("/inbox/counts", VerbInboxCounts, "Count the open conversations", httpserver.NoInput(s.verbs.InboxCounts), httpserver.Named("getInboxCounts"),
			httpserver.About("Returns exact counts of the conversations visible to the caller. Snoozed conversations are counted only as snoozed.")),
		httpserver.Post("/conversations", VerbOpenConversation, "Open a conversation", s.openConversation, httpserver.Fails(kernel.CodeNotVisible, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived), httpserver.Created, httpserver.Or(200),
			httpserver.AsTool(httpserver.Tool{Name: "start_conversation", About: "Nothing is sent. Call send_message afterwards; on WhatsApp, use a template if the customer has not written in the last 24 hours.", Effect: httpserver.Changes}),
			httpserver.Example(`{"channel_id": "01a1dd9b-fad4-7003-a934-f67da22447e0", "phone": "+55 11 91234-5678", "name": "Lia"}`),
			httpserver.About("Send exactly one of phone and contact_id. 201: the conversation is new. 200: this WhatsApp number already has one with that "+
				"phone. In both cases an attendance opens if the company has attendances enabled and none is open. "+
				"409 not_visible: the conversation is outside the access profile of the member. Managers and above become responsible for it instead if nobody is.")),
		httpserver.Get("/conversations/{id}", VerbConversation, "Get a conversation", httpserver.ByID(s.verbs.Conversation),
			httpserver.AsTool(httpserver.Tool{Name: "get_conversation", ID: "conversation_id"})),
		httpserver.Get("/conversations/{id}/members", VerbGroupMembers, "List the members of a group", s.groupMembers,
			httpserver.About("Returns the members of a WhatsApp group as WhatsApp last reported them. Other conversations, and groups of the WhatsApp Business Platform, have an empty list.")),
		httpserver.Get("/conversations/{id}/picture", VerbGroupPicture, "Get the picture of a group", s.groupPicture, httpserver.Conditional, httpserver.Streams, httpserver.Answers("*/*"),
			httpserver.About("Returns the picture of a WhatsApp group, a small JPEG, PNG or WebP image. Use the path in picture of the conversation: it changes whenever the picture does, so the response can be cached. 404: the group has no picture.")),
		httpserver.Patch("/conversations/{id}", VerbUpdateConversation, "Change a conversation", s.updateConversation,
			httpserver.AsTool(httpserver.Tool{Name: "update_conversation", ID: "conversation_id", About: "Use list_labels to get label ids.", Effect: httpserver.Changes}),
			httpserver.Example(`{"pinned": true, "label_ids": ["01a1dd9b-fad4-7000-a336-f79fc0b0c318"]}`),
			httpserver.About("Omitted fields do not change. label_ids replaces all labels.")),
		httpserver.Post("/conversations/{id}/read", VerbMarkRead, "Mark a conversation as read", httpserver.ByID(s.verbs.MarkRead), httpserver.Named("markConversationRead"), httpserver.Subject(SubjectConversation)),
		httpserver.Post("/conversations/{id}/unread", VerbMarkUnread, "Mark a conversation as unread", httpserver.ByID(s.verbs.MarkUnread), httpserver.Named("markConversationUnread"), httpserver.Subject(SubjectConversation)),
		httpserver.Post("/conversations/{id}/take", VerbTake, "Take a conversation", httpserver.ByID(s.verbs.Take), httpserver.Fails(kernel.CodeAttendanceRestricted), httpserver.Named("takeConversation"), httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "take_conversation", ID: "conversation_id", Effect: httpserver.Changes}),
			httpserver.About("Assigns the conversation to the caller. 409 attendance_restricted: attendances are restricted, another person is responsible and the caller's role is below manager.")),
		httpserver.Post("/conversations/{id}/snooze", VerbSnooze, "Snooze a conversation until a time", s.snoozeConversation, httpserver.Named("snoozeConversation"), httpserver.Subject(SubjectConversation),
			httpserver.Example(`{"until": "2026-12-01T13:00:00Z"}`),
			httpserver.About("The conversation returns as unread at that time, or as soon as the customer writes.")),
		httpserver.Post("/conversations/bulk", VerbBulk, "Apply an action to several conversations", s.bulkConversations, httpserver.Reserves, httpserver.Named("changeConversations"),
			httpserver.Example(`{"ids": ["01a1dd9b-fad4-7003-a934-f67da22447e0"], "action": "label", "add": ["01a1dd9b-fad4-7000-a336-f79fc0b0c318"]}`),
			httpserver.About("Each conversation is changed independently: results contains the status and the error code for each one. The action close also requires the scope attendances:write. "+
				"If an object that applies to all conversations, such as a label, does not exist, the response is 400 and no conversation is changed.")),

		httpserver.Get("/views", VerbViews, "List the saved views", httpserver.ListAll(s.verbs.Views),
			httpserver.About("Returns the caller's own and shared views, sorted by position.")),
		httpserver.Post("/views", VerbCreateView, "Save a view", s.createView, httpserver.Fails(kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "Unread of sales", "query": {"status": "open", "unread": "true", "sector": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}}`),
			httpserver.About("A person can have 100 views, and a company can have 100 shared views. Sharing a view requires the role manager or above.")),
		httpserver.Patch("/views/{id}", VerbUpdateView, "Change a saved view", s.updateView, httpserver.Fails(kernel.CodeLimitReached),
			httpserver.Example(`{"name": "Sales", "position": 2}`),
			httpserver.About("Shared views can be changed by managers and above, other views only by their owner.")),
		httpserver.Del("/views/{id}", VerbDeleteView, "Delete a saved view", httpserver.DeleteByID(s.verbs.DeleteView)),

		httpserver.Get("/conversations/{id}/messages", VerbMessages, "List the messages of a conversation", s.listMessages,
			httpserver.AsTool(httpserver.Tool{Name: "list_messages", ID: "conversation_id"}),
			httpserver.About("Returns the messages newest first. Use before to get older pages, and after to get newer messages, page by page and without gaps, for example when polling.")),
		httpserver.Post("/conversations/{id}/messages", VerbSendMessage, "Send a message", s.sendMessage, httpserver.Fails(kernel.CodeClientIDConflict, kernel.CodeContactBlocked, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeServiceWindowClosed, kernel.CodeTemplateUnavailable, kernel.CodeNoReopenTemplate, kernel.CodeOptedOut, kernel.CodeLimitReached), httpserver.Created, httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "send_message", ID: "conversation_id", About: "Sends the message to the customer on WhatsApp. This cannot be undone.", Needs: []string{"client_id"}, Effect: httpserver.Changes, Reaches: true}),
			httpserver.Example(`{"client_id": "6f1c3a52-7a53-4b7e-9d6e-0a4d8c1f2b3a", "text": "Oi, Lia! Até as 18h."}`),
			httpserver.About("The response is returned once the message is stored; its status later shows whether it was sent, delivered and read. A client_id that already exists in this conversation "+
				"returns the existing message in its current state and sends nothing, regardless of the rest of the body. In a direct conversation without an open attendance, "+
				"sending a message opens one, unless the last one was closed less than grace_minutes ago. "+
				"With when_closed hold, a text or file outside the 24-hour window is stored as held, and the reopening template of the channel is sent, at most once in 24 hours. A conversation can have 50 held messages. The customer's next message "+
				"releases held messages in order; permissions are checked again, and what may no longer be sent fails with sender_removed, key_revoked, not_visible, attendance_restricted or contact_blocked. "+
				"If the customer declines with the last quick reply of the template, or does not write within 7 days, held messages fail with window_closed. A held message is no response yet: the customer still waits.")),
		httpserver.Get("/conversations/{id}/timeline", VerbTimeline, "List the timeline of a conversation", s.timeline,
			httpserver.About("Returns messages, internal notes, assignments, and openings and closings of attendances in one list, newest first. before and after work as for messages; around returns the page "+
				"around a message or note, and at the page around the first message at or after a time. Send at most one of the four. Without the scope attendances:read, the list contains only messages and notes; without notes:read, it contains no notes.")),
		httpserver.Get("/conversations/{id}/notes", VerbNotes, "List the internal notes of a conversation", s.listNotes,
			httpserver.AsTool(httpserver.Tool{Name: "list_notes", ID: "conversation_id"}),
			httpserver.About("Returns the notes newest first. Notes are never sent to customers.")),
		httpserver.Post("/conversations/{id}/notes", VerbCreateNote, "Write an internal note", s.createNote, httpserver.Fails(kernel.CodeClientIDConflict), httpserver.Created, httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "create_note", ID: "conversation_id", Needs: []string{"client_id"}, Effect: httpserver.Adds}),
			httpserver.Example(`{"client_id": "0193e0a4-7c9f-7b3a-9d1e-2f4c6a8b0d1e", "text": "Lia asked for a quote: see the e-mail of Monday.", "mentions": []}`),
			httpserver.About("A client_id that already exists in this conversation returns the existing note. If a person in mentions cannot see the conversation, the response is 400.")),
		httpserver.Put("/conversations/{id}/draft", VerbSaveDraft, "Save a draft", s.putDraft,
			httpserver.Example(`{"text": "Good morning! About your order", "reply_to_external_id": null}`),
			httpserver.About("Each person has one draft per conversation; saving replaces it. It is deleted when the person sends a message in that conversation. Conversations include it for that person as draft.")),
		httpserver.Del("/conversations/{id}/draft", VerbDeleteDraft, "Delete a draft", httpserver.DeleteByID(s.verbs.DeleteDraft)),
		httpserver.Patch("/notes/{id}", VerbUpdateNote, "Change an internal note", s.updateNote, httpserver.Fails(kernel.CodeInsufficientRole),
			httpserver.Example(`{"text": "Lia asked for a quote: sent."}`),
			httpserver.About("Only the author can change a note. Omitted fields do not change.")),
		httpserver.Del("/notes/{id}", VerbDeleteNote, "Delete an internal note", httpserver.DeleteByID(s.verbs.DeleteNote), httpserver.Fails(kernel.CodeInsufficientRole),
			httpserver.About("Allowed for the author and for members with the role manager or above.")),

		httpserver.Get("/conversations/{id}/scheduled", VerbScheduledMessages, "List the scheduled messages of a conversation", httpserver.ListCursor(s.verbs.ScheduledMessages),
			httpserver.About("Returns the scheduled messages sorted by send_at, latest first.")),
		httpserver.Post("/conversations/{id}/scheduled", VerbScheduleMessage, "Schedule a message", s.scheduleMessage,
			httpserver.Fails(kernel.CodeClientIDConflict, kernel.CodeContactBlocked, kernel.CodeOptedOut, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeLimitReached), httpserver.Created, httpserver.Subject(SubjectConversation),
			httpserver.Example(`{"client_id": "0193e0a4-7c9f-7b3a-9d1e-2f4c6a8b0d1f", "send_at": "2026-12-01T13:00:00Z", "text": "Did the delivery arrive?", "cancel_on_reply": true}`),
			httpserver.About("The message is sent on behalf of the caller at send_at; all sending rules are checked again at that time. It fails with too_late if it is overdue by more than an hour because the server was not running. "+
				"A conversation can have 50 pending scheduled messages. A text that would be sent after the 24-hour window closes is accepted with the warning service_window.")),
		httpserver.Patch("/scheduled/{id}", VerbUpdateScheduled, "Change a scheduled message", s.updateScheduled,
			httpserver.Fails(kernel.CodeInsufficientRole, kernel.CodeNotScheduled, kernel.CodeContactBlocked, kernel.CodeOptedOut, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected), httpserver.Named("updateScheduledMessage"),
			httpserver.Example(`{"send_at": "2026-12-02T13:00:00Z"}`),
			httpserver.About("Only the person who scheduled the message can change it. If it is no longer scheduled, the response is 409 not_scheduled. Omitted fields do not change.")),
		httpserver.Del("/scheduled/{id}", VerbCancelScheduled, "Cancel a scheduled message", httpserver.DeleteByID(s.verbs.CancelScheduled), httpserver.Fails(kernel.CodeInsufficientRole, kernel.CodeNotScheduled), httpserver.Named("cancelScheduledMessage"),
			httpserver.About("Allowed for the person who scheduled the message, the responsible person and members with the role manager or above. The message stays in the list as cancelled.")),

		httpserver.Get("/replies", VerbReplies, "List the canned replies", httpserver.ListAll(s.verbs.Replies),
			httpserver.About("Returns the team's and the caller's own replies, sorted by shortcut.")),
		httpserver.Post("/replies", VerbCreateReply, "Create a canned reply", s.createReply, httpserver.Fails(kernel.CodeInsufficientRole, kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"shortcut": "hello", "title": "Greeting", "text": "Good morning, {{contact.first_name|friend}}!", "owner": null}`),
			httpserver.About("Every person can have replies of their own. Replies of the team require the scope replies:manage; a person without it gets 403 insufficient_role. "+
				"A shortcut must be unique among the replies of its owner or of the team; otherwise the response is 409 name_taken. An unknown variable returns 400.")),
		httpserver.Patch("/replies/{id}", VerbUpdateReply, "Change a canned reply", s.updateReply, httpserver.Fails(kernel.CodeInsufficientRole, kernel.CodeNameTaken),
			httpserver.Example(`{"title": "Good morning"}`),
			httpserver.About("Omitted fields do not change.")),
		httpserver.Del("/replies/{id}", VerbDeleteReply, "Delete a canned reply", httpserver.DeleteByID(s.verbs.DeleteReply), httpserver.Fails(kernel.CodeInsufficientRole)),
		httpserver.Post("/replies/{id}/render", VerbRenderReply, "Render a canned reply for a conversation", s.renderReply,
			httpserver.Example(`{"conversation_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb"}`),
			httpserver.About("Replaces the variables with values from the conversation. A variable without a value is replaced with its fallback, or left unchanged. "+
				"If the caller then sends the text in that conversation, uses is incremented.")),

		httpserver.Get("/conversations/{id}/media", VerbFiles, "List the files of a conversation", httpserver.ListCursor(s.verbs.Files),
			httpserver.About("Returns the files newest first.")),
		httpserver.Get("/messages", VerbSearchMessages, "Search messages", httpserver.ListCursor(s.verbs.SearchMessages), httpserver.Named("searchMessages"),
			httpserver.AsTool(httpserver.Tool{Name: "search_messages"}),
			httpserver.About("Returns the messages whose text contains q, newest first. Case and accents are ignored. A page may contain fewer entries than limit even if there are more: continue until next_cursor is null.")),
		httpserver.Get("/messages/{id}", VerbMessage, "Get a message", httpserver.ByID(s.verbs.Message),
			httpserver.AsTool(httpserver.Tool{Name: "get_message", ID: "message_id"})),
		httpserver.Patch("/messages/{id}", VerbUpdateHeld, "Change a held or sent message", s.updateHeld, httpserver.Fails(kernel.CodeNotHeld, kernel.CodeNotEditable, kernel.CodeMessageNotSent, kernel.CodeContactBlocked, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeAttendanceRestricted), httpserver.Named("updateHeldMessage"),
			httpserver.Example(`{"text": "Oi, Lia! O pedido chega amanhã."}`),
			httpserver.About("Allowed for the author and for everyone who may send messages in the conversation. If the message is no longer held, the response is 409 not_held. "+
				"On a linked number, a text that was sent less than 15 minutes ago is edited for the receiver too. Raises message.updated.")),
		httpserver.Del("/messages/{id}", VerbCancelHeld, "Cancel a held message or delete a sent one", httpserver.DeleteByID(s.verbs.CancelHeld), httpserver.Fails(kernel.CodeNotHeld, kernel.CodeNotEditable, kernel.CodeMessageNotSent, kernel.CodeContactBlocked, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeAttendanceRestricted), httpserver.Named("cancelHeldMessage"),
			httpserver.About("The message is not sent: it stays in the conversation and fails with window_closed. Allowed for the author and for everyone who may send messages in the conversation. If the message is no longer held, the response is 409 not_held. "+
				"On a linked number, a message that was sent less than 48 hours ago is deleted for everyone. Raises message.updated.")),
		httpserver.Put("/messages/{id}/reaction", VerbReact, "React to a message", s.react, httpserver.Fails(kernel.CodeContactBlocked, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeServiceWindowClosed, kernel.CodeMessageNotSent), httpserver.Named("reactToMessage"),
			httpserver.Example(`{"emoji": "👍"}`),
			httpserver.About("The team has one reaction per message: the one by the member who reacted last. The same rules apply as for sending a message, but a reaction does not open an attendance. If the provider rejects the reaction, it is removed and message.updated is sent.")),
		httpserver.Del("/messages/{id}/reaction", VerbRemoveReaction, "Remove the team's reaction to a message", httpserver.DeleteByID(s.verbs.RemoveReaction), httpserver.Fails(kernel.CodeContactBlocked, kernel.CodeAttendanceRestricted, kernel.CodeChannelArchived, kernel.CodeChannelDisconnected, kernel.CodeServiceWindowClosed, kernel.CodeMessageNotSent), httpserver.Named("removeReaction"),
			httpserver.About("The reaction is also removed at the provider.")),
		httpserver.Post("/media", VerbUploadMedia, "Upload a file", s.uploadMedia, httpserver.Fails(kernel.CodeLimitReached, kernel.CodeMediaTypeNotAllowed, kernel.CodeMediaTooLarge), httpserver.Created, httpserver.Uploads(MaxMedia),
			httpserver.About("Send multipart/form-data with one field, file. The content type is detected from the content. Maximum sizes: image 5 MiB, sticker 500 KiB, "+
				"audio and video 16 MiB, document 100 MiB. A file that is not used in a message within 24 hours is removed.")),
		httpserver.Get("/media/{id}", VerbMedia, "Get the metadata of a file", httpserver.ByID(s.verbs.Media), httpserver.Conditional,
			httpserver.About("Returns the type, name, size and hash of a file. 503: the file has not been fetched from WhatsApp yet.")),
		httpserver.Get("/media/{id}/url", VerbLinkMedia, "Get a temporary link to a file", httpserver.ByID(s.verbs.LinkMedia), httpserver.Secret(), httpserver.Named("getMediaLink"),
			httpserver.About("The link is valid for ten minutes and requires no key.")),

		httpserver.Get("/media/{id}/content", VerbMediaContent, "Download a file", s.mediaContent, httpserver.Conditional, httpserver.Streams, httpserver.Answers("*/*"),
			httpserver.About("Returns the content of the file, or a range of it. The content never changes.")),

		httpserver.Get("/contacts", VerbContacts, "List contacts", s.listContacts, fields.Filtered,
			httpserver.AsTool(httpserver.Tool{Name: "list_contacts"}), httpserver.CSV("contacts", fields.Keys(s.verbs.Kernel, fields.EntityContact)),
			httpserver.About("Returns the contacts newest first. Access profiles do not restrict this list: contacts belong to the company.")),
		httpserver.Post("/contacts", VerbCreateContact, "Create a contact", s.createContact, httpserver.Fails(kernel.CodeContactExists), httpserver.Created,
			httpserver.Example(`{"name": "Lia", "phone": "+55 11 91234-5678", "company": "Padaria Aurora", "city": "São Paulo"}`),
			httpserver.About("Phone numbers are unique. If a contact with the number exists, the response is 409 contact_exists, with its id in details.")),
		httpserver.Get("/contacts/{id}", VerbContact, "Get a contact", httpserver.ByID(s.verbs.Contact),
			httpserver.AsTool(httpserver.Tool{Name: "get_contact", ID: "contact_id"})),
		httpserver.Patch("/contacts/{id}", VerbUpdateContact, "Change a contact", s.updateContact, httpserver.Fails(kernel.CodeContactExists, kernel.CodeInUse),
			httpserver.AsTool(httpserver.Tool{Name: "update_contact", ID: "contact_id", About: "Use list_fields to get the custom fields.", Effect: httpserver.Changes}),
			httpserver.Example(`{"city": "Santos", "blocked": false}`),
			httpserver.About("Omitted fields do not change. A new name also appears in the contact's conversations, unless they were renamed. phone can be changed only while the contact has no conversations; otherwise the response is 409 in_use.")),
		httpserver.Del("/contacts/{id}", VerbDeleteContact, "Delete a contact", httpserver.DeleteByID(s.verbs.DeleteContact), httpserver.Fails(kernel.CodeInUse),
			httpserver.About("A contact can be deleted only while it has no conversations; otherwise the response is 409 in_use. Its cards are kept without a contact.")),

		httpserver.Get("/labels", VerbLabels, "List the labels", httpserver.ListAll(s.verbs.Labels),
			httpserver.AsTool(httpserver.Tool{Name: "list_labels"})),
		httpserver.Get("/labels/{id}", VerbLabel, "Get a label", httpserver.ByID(s.verbs.Label)),
		httpserver.Post("/labels", VerbCreateLabel, "Create a label", s.createLabel, httpserver.Fails(kernel.CodeNameTaken, kernel.CodeLimitReached), httpserver.Created,
			httpserver.Example(`{"name": "VIP", "color": "#2e7d32"}`)),
		httpserver.Patch("/labels/{id}", VerbUpdateLabel, "Change a label", s.updateLabel, httpserver.Fails(kernel.CodeNameTaken),
			httpserver.Example(`{"color": "#c62828"}`)),
		httpserver.Del("/labels/{id}", VerbDeleteLabel, "Delete a label", httpserver.DeleteByID(s.verbs.DeleteLabel)),

		httpserver.Post("/conversations/{id}/transfer", VerbTransfer, "Transfer a conversation", s.transfer, httpserver.Fails(kernel.CodeNotASectorMember), httpserver.Named("transferConversation"), httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "transfer_conversation", ID: "conversation_id", Effect: httpserver.Changes}),
			httpserver.Example(`{"user_id": "01a1dd9b-f8fc-7000-8a9e-a4a6dad7cd3c", "reason": "speaks Spanish"}`),
			httpserver.About("Transfers the conversation to a person, a sector, a person in a sector, or back to the queue. With only a sector, the conversation enters the "+
				"queue of that sector without a responsible person. With only a person, the sector does not change. With both, the person must be a member of the sector. "+
				"The open attendance and its card are updated too.")),
		httpserver.Put("/conversations/{id}/sector", VerbSetSector, "Set the sector of a conversation", s.setSector, httpserver.Named("setConversationSector"),
			httpserver.Example(`{"sector_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb", "reason": "about an invoice"}`),
			httpserver.About("The responsible person does not change. A change of sector is added to the list of assignments.")),

		httpserver.Get("/attendances", VerbAttendances, "List the attendances", s.listAttendances, fields.Filtered,
			httpserver.AsTool(httpserver.Tool{Name: "list_attendances"}), httpserver.CSV("attendances", fields.Keys(s.verbs.Kernel, fields.EntityAttendance)),
			httpserver.About("Returns the attendances newest first.")),
		httpserver.Get("/attendances/{id}", VerbAttendance, "Get an attendance", httpserver.ByID(s.verbs.Attendance),
			httpserver.AsTool(httpserver.Tool{Name: "get_attendance", ID: "attendance_id"})),
		httpserver.Patch("/attendances/{id}", VerbUpdateAttendance, "Change the custom fields of an attendance", s.updateAttendance, httpserver.Fails(kernel.CodeAttendanceRestricted),
			httpserver.AsTool(httpserver.Tool{Name: "update_attendance", ID: "attendance_id", About: "Use list_fields to get the fields.", Effect: httpserver.Changes}),
			httpserver.Example(`{"fields": {"order": "A-1234"}}`),
			httpserver.About("Values that are not in the body stay as they are; null clears a value. In restricted mode, only the responsible person and members with the role manager or above can change an open attendance. Raises conversation.updated.")),
		httpserver.Get("/conversations/{id}/attendance", VerbCurrentAttendance, "Get the open attendance of a conversation, or null", s.currentAttendance,
			httpserver.AsTool(httpserver.Tool{Name: "get_open_attendance", ID: "conversation_id"})),
		httpserver.Get("/conversations/{id}/assignments", VerbAssignments, "List the assignments of a conversation", s.listAssignments,
			httpserver.About("Returns at most the latest 1000 assignments, newest first.")),
		httpserver.Post("/conversations/{id}/attendance/close", VerbCloseAttendance, "Close the open attendance of a conversation", s.closeAttendance, httpserver.Fails(kernel.CodeFieldRequired, kernel.CodeAttendanceNotOpen, kernel.CodeAttendanceRestricted, kernel.CodeReasonRequired), httpserver.Subject(SubjectConversation),
			httpserver.AsTool(httpserver.Tool{Name: "close_attendance", ID: "conversation_id", About: "Use list_closing_reasons to get the ids of closing reasons.", Effect: httpserver.Changes}),
			httpserver.Example(`{"reason_id": "01a1dd8b-7e31-7000-89e2-ef1640efe6bb", "note": "Order 1234"}`),
			httpserver.About("A closing reason must be active and for the sector of the case; some require a note. 400 reason_required: the company's rules require a closing reason, and a text in reason does not replace it. In restricted mode, only the responsible person and members with the role manager or above can close it.")),
		httpserver.Post("/conversations/{id}/attendance/reopen", VerbReopenAttendance, "Undo the closing of an attendance", httpserver.ByID(s.verbs.ReopenAttendance), httpserver.Fails(kernel.CodeReopenTooLate, kernel.CodeAttendanceRestricted), httpserver.Subject(SubjectConversation),
			httpserver.About("Opens the last attendance of the conversation again, with the same protocol number and responsible person, if a person closed it less than a minute ago and no other attendance has been opened since. Raises conversation.updated.")),

		httpserver.Get("/company/attendance", VerbAttendanceRules, "Get the company's attendance rules", httpserver.NoInput(s.verbs.AttendanceRules), httpserver.Named("getAttendanceRules")),
		httpserver.Patch("/company/attendance", VerbUpdateAttendanceRules, "Change the company's attendance rules", s.updateRules,
			httpserver.Example(`{"mode": "restricted", "auto_close": {"enabled": true, "after_minutes": 1440}}`),
			httpserver.About("Requires the role admin or owner. The rules take effect immediately, including for open attendances.")),

		httpserver.Get("/company/opt-out", VerbOptOut, "Get the texts that confirm opting out", httpserver.NoInput(s.verbs.OptOut), httpserver.Named("getOptOut")),
		httpserver.Patch("/company/opt-out", VerbUpdateOptOut, "Change the texts that confirm opting out", s.updateOptOut, httpserver.Named("updateOptOut"),
			httpserver.Example(`{"confirmation": "Pronto! Você não vai mais receber promoções. Para voltar, envie VOLTAR.", "welcome_back": null}`),
			httpserver.About("Requires the role admin or owner. A customer whose whole message is SAIR, PARAR or STOP opts out and gets confirmation; VOLTAR or START ends that and "+
				"gets welcome_back. Case, accents and punctuation do not matter. Each text is sent once per change. The keyword opens no case. "+
				"A contact that has opted out gets no automatic messages, surveys and templates of the category marketing (409 opted_out). People can still write to it.")),

		httpserver.Post("/conversations/{id}/activity", VerbActivity, "Report activity in a conversation", s.postActivity, httpserver.NoContent, httpserver.Named("reportActivity"), httpserver.Subject(SubjectConversation),
			httpserver.Example(`{"kind": "typing"}`),
			httpserver.About("Repeat the request every 10 seconds while the activity lasts: viewing expires after 20 seconds. Repeats of the same activity within 2 seconds are not sent to other members.")),
	}
}

// handlers serve the verbs over HTTP.
type handlers struct{ verbs *Talk }
