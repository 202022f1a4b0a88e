package model

// EventType names what happened.
type EventType string

// The events a webhook may subscribe to.
const (
	EventMessageReceived     EventType = "message.received"
	EventMessageSent         EventType = "message.sent"
	EventConversationUpdated EventType = "conversation.updated"
	EventAttendanceOpened    EventType = "attendance.opened"
	EventAttendanceClosed    EventType = "attendance.closed"
	EventCardCreated         EventType = "kanban.card.created"
	EventCardMoved           EventType = "kanban.card.moved"
	EventCardCompleted       EventType = "kanban.card.completed"
	EventMessageUpdated      EventType = "message.updated"
	EventNoteCreated         EventType = "note.created"
)

// WebhookTest is the type of a test delivery. It cannot be subscribed to: a test goes to one webhook only.
const WebhookTest EventType = "webhook.test"

// AllEvents lists the events in the order in which they are shown. An event's place is its bit in an
// EventSet, which may be stored: new ones go to the end, and none is ever removed.
var AllEvents = []EventType{
	EventMessageReceived, EventMessageSent, EventConversationUpdated,
	EventAttendanceOpened, EventAttendanceClosed,
	EventCardCreated, EventCardMoved, EventCardCompleted,
	EventMessageUpdated, EventNoteCreated,
}

// Scope is what a caller needs, beside the scope of the feed, to be told of the event; "" where nothing.
func (e EventType) Scope() Scope {
	if e == EventNoteCreated {
		return ScopeNotesRead
	}
	return ""
}

// Description says in a sentence when the event is raised. It is empty for what is no event.
func (e EventType) Description() string {
	switch e {
	case EventMessageReceived:
		return "A customer's message came in."
	case EventMessageSent:
		return "A message went out to a customer, whether written in the app, on the phone or through the API."
	case EventMessageUpdated:
		return "A message is different: it was delivered, read or could not be sent, was edited or deleted by its author, or got a reaction. Expect many of these."
	case EventNoteCreated:
		return "A member wrote an internal note in a conversation. Only callers with the scope notes:read are told."
	case EventConversationUpdated:
		return "Something about a conversation is different, such as who is responsible, its sector or its last message. Expect many of these."
	case EventAttendanceOpened:
		return "An attendance began and got its protocol number."
	case EventAttendanceClosed:
		return "An attendance ended, closed by a person or automatically."
	case EventCardCreated:
		return "A card was added to a board."
	case EventCardMoved:
		return "A card went from one stage to another; the event says from where, to where and by whom."
	case EventCardCompleted:
		return "A card reached a stage that counts as won."
	case WebhookTest:
		return "A test of one webhook, asked for by its owner."
	}
	return ""
}

// EventSet is a set of events; its zero value is empty. Sets are equal when they are ==.
type EventSet uint32

// EveryEvent holds all events.
var EveryEvent = NewEventSet(AllEvents...)

// NewEventSet gives the set of the events named.
func NewEventSet(events ...EventType) EventSet {
	return EventSet(bitsOf(AllEvents, events))
}

// ParseEvents reads the names in a field of a request, which errors name. A name given twice counts once.
func ParseEvents(field string, names []string) (EventSet, *Error) {
	set, err := parseBits(AllEvents, "event", field, names)
	return EventSet(set), err
}

// Has reports whether the set holds the event. WebhookTest is in no set.
func (set EventSet) Has(e EventType) bool { return uint32(set)&bitOf(AllEvents, e) != 0 }

// List gives the events in the order of AllEvents, never nil.
func (set EventSet) List() []EventType {
	return listBits(AllEvents, uint32(set))
}
