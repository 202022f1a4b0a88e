package talk

import (
	"recado/internal/kernel"
	"recado/internal/people"
)

// The events of conversations.
var (
	EventMessageReceived = kernel.RegisterEvent(kernel.EventInfo{
		Type: "message.received", Order: 1,
		Description: "A message was received from a customer.",
	})
	EventMessageSent = kernel.RegisterEvent(kernel.EventInfo{
		Type: "message.sent", Order: 2,
		Description: "A message was sent to a customer from the app, the phone or the API.",
	})
	EventConversationUpdated = kernel.RegisterEvent(kernel.EventInfo{
		Type: "conversation.updated", Order: 3,
		Description: "A conversation changed, for example its responsible person, sector or last message. This event is frequent.",
	})
	EventAttendanceOpened = kernel.RegisterEvent(kernel.EventInfo{
		Type: "attendance.opened", Order: 4,
		Description: "An attendance was opened and received its protocol number.",
	})
	EventAttendanceClosed = kernel.RegisterEvent(kernel.EventInfo{
		Type: "attendance.closed", Order: 5,
		Description: "An attendance was closed, by a person or automatically.",
	})
	EventMessageUpdated = kernel.RegisterEvent(kernel.EventInfo{
		Type: "message.updated", Order: 9,
		Description: "A message changed: it was delivered or read, could not be sent, was edited or deleted by its author, or received a reaction. This event is frequent.",
	})
	EventNoteCreated = kernel.RegisterEvent(kernel.EventInfo{
		Type: "note.created", Order: 10, Scope: people.ScopeNotesRead,
		Description: "A member wrote an internal note in a conversation. Only callers with the scope notes:read receive it.",
	})
)
