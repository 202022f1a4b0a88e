package talk

import (
	"recado/internal/kernel"
	"recado/internal/people"
)

// The events of conversations.
var (
	EventMessageReceived = kernel.RegisterEvent(kernel.EventInfo{
		Type: "message.received", Order: 1,
		Description: "A customer's message arrived.",
	})
	EventMessageSent = kernel.RegisterEvent(kernel.EventInfo{
		Type: "message.sent", Order: 2,
		Description: "A message went out to a customer, whether written in the app, on the phone or through the API.",
	})
	EventConversationUpdated = kernel.RegisterEvent(kernel.EventInfo{
		Type: "conversation.updated", Order: 3,
		Description: "Something about a conversation changed, such as who is responsible, its sector or its last message. Expect many of these.",
	})
	EventAttendanceOpened = kernel.RegisterEvent(kernel.EventInfo{
		Type: "attendance.opened", Order: 4,
		Description: "An attendance began and got its protocol number.",
	})
	EventAttendanceClosed = kernel.RegisterEvent(kernel.EventInfo{
		Type: "attendance.closed", Order: 5,
		Description: "An attendance ended, closed by a person or automatically.",
	})
	EventMessageUpdated = kernel.RegisterEvent(kernel.EventInfo{
		Type: "message.updated", Order: 9,
		Description: "A message changed: it was delivered, read or could not be sent, was edited or deleted by its author, or got a reaction. Expect many of these.",
	})
	EventNoteCreated = kernel.RegisterEvent(kernel.EventInfo{
		Type: "note.created", Order: 10, Scope: people.ScopeNotesRead,
		Description: "A member wrote an internal note in a conversation. Only callers with the scope notes:read get it.",
	})
)
