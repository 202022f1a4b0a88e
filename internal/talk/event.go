package talk

import (
	"reflect"
	"time"

	"recado/internal/kernel"
	"recado/internal/people"
)

// The events of conversations.
var (
	EventMessageReceived     = event(1, "message.received", "A message was received from a customer.")
	EventMessageSent         = event(2, "message.sent", "A message was sent to a customer from the app, the phone or the API.")
	EventConversationUpdated = event(3, "conversation.updated",
		"A conversation changed, for example its responsible person, sector or last message. This event is frequent.")
	EventAttendanceOpened = event(4, "attendance.opened", "An attendance was opened and received its protocol number.")
	EventAttendanceClosed = event(5, "attendance.closed", "An attendance was closed, by a person or automatically.")
	EventSLAWarning       = event(12, "attendance.sla_warning",
		"A target of the service level of an attendance is nearly due. target is first, next or resolution. Each target warns at most once.")
	EventSLABreached = event(13, "attendance.sla_breached",
		"A target of the service level of an attendance was missed. target is first, next or resolution. Each target is breached at most once.")
	EventMessageUpdated = event(9, "message.updated", "A message changed: it was delivered or read, could not be sent, "+
		"was held and is now being sent, "+
		"was edited or deleted by its author, or received a reaction. This event is frequent.")
	EventNoteCreated = kernel.RegisterEvent(kernel.EventInfo{
		Type: "note.created", Order: 10, Scope: people.ScopeNotesRead,
		Description: "A member wrote an internal note in a conversation. Only callers with the scope notes:read receive it.",
	})
)

func event(order int, kind kernel.EventType, description string) kernel.EventType {
	return kernel.RegisterEvent(kernel.EventInfo{Type: kind, Order: order, Description: description})
}

// The kinds of signals to the live streams.
const (
	signalActivity     = "activity"     // between nodes: a member views or leaves a conversation, or types in it
	signalReceipt      = "receipt"      // between nodes: a read receipt for the node that the number is connected to
	signalGone         = "gone"         // members can no longer see a conversation
	signalPrivate      = "private"      // something changed in a private conversation
	signalNotes        = "notes"        // a note was changed or deleted
	signalDraft        = "draft"        // a member's draft changed
	signalScheduled    = "scheduled"    // the scheduled messages of a conversation changed
	signalHeld         = "held"         // a message is held in a conversation
	signalNotification = "notification" // members have a new notification, or have read some
)

// conversationSignal returns a signal whose data is the id of a conversation.
func conversationSignal(kind string, company, conversation kernel.ID, to kernel.Audience) kernel.Signal {
	return kernel.NewSignal(kind, company, to, struct {
		Conversation kernel.ID `json:"conversation"`
	}{conversation})
}

// notificationSignal returns the signal for a notification of members.
func notificationSignal(company kernel.ID, conversation *kernel.ID, kind string, members []kernel.ID) kernel.Signal {
	return kernel.NewSignal(signalNotification, company, kernel.Audience{Members: members}, struct {
		Kind         string     `json:"kind"` // notificationsRead when some were read
		Conversation *kernel.ID `json:"conversation,omitzero"`
	}{kind, conversation})
}

// Observer is called inside the transactions that change attendances and contacts. An error rolls the transaction back. Nil
// functions are not called.
type Observer struct {
	Opened   func(t *LockedConversation, att *Attendance) error
	Answered func(t *LockedConversation, att *Attendance) error // for the first time
	Moved    func(t *LockedConversation, before, att *Attendance, by *kernel.Ref) error
	Closing  func(t *LockedConversation, att *Attendance, reason *kernel.ID) error // before a person closes it; may set att.Closing.Reason
	Closed   func(t *LockedConversation, att *Attendance, by *kernel.Ref) error
	Reopened func(t *LockedConversation, closed, att *Attendance, by *kernel.Ref) error

	// Measured is called when the survey, the service level or the labels of an attendance change.
	Measured func(tx *kernel.Tx, before, att *Attendance) error

	// LabelDeleted is called when a deleted label is on no conversation any more.
	LabelDeleted func(tx *kernel.Tx, company, label kernel.ID) error

	// Saving is called before a locked conversation is stored. before is the stored state.
	Saving func(t *LockedConversation, before *Conversation) error

	// AnswersSurvey returns what a message of the customer does if it answers a survey, or nil. It is called only if
	// Conversation.Survey is set or the customer chose from a list or buttons. A message that answers a survey opens no
	// attendance, and nobody has to reply to it.
	AnswersSurvey func(in *InboundBatch, t *BatchConversation, m *Message) (func() error, error)

	// Priced is called when the provider reports how it charges for a message, and when a message fails that would have been
	// charged. before is the cost so far, or nil; m has the new one, without an amount.
	Priced func(t *LockedConversation, m *Message, before *Cost) error

	// Viewed is called on every node when a member views a conversation of a channel or types in it. It must not block.
	Viewed func(channel kernel.ID)

	// MayAutomate reports whether a company may send automatic messages now.
	MayAutomate func(tx *kernel.Tx, company kernel.ID) (bool, error)

	// ErasedAt returns when a person that is known by one of the identities was erased from a pool of contacts, or nil.
	ErasedAt func(tx *kernel.Tx, company, pool kernel.ID, known []Identity) (*time.Time, error)

	// ContactDeleted is called before a contact is deleted.
	ContactDeleted func(tx *kernel.Tx, c *Contact) error

	// CustomerWrote is called before a conversation with new messages of the customer is saved. t contains the messages.
	CustomerWrote func(in *InboundBatch, t *BatchConversation) error

	// Received is called after CustomerWrote, and also if no attendance is open. m is the last new message of the customer.
	Received func(t *LockedConversation, m *Message) error

	// Notified is called when notifications of members are stored. entry is the note or message that they are about, or nil.
	Notified func(t *LockedConversation, kind string, entry *kernel.ID, members []kernel.ID)
}

// Observe adds an observer. It must be called before the first transaction. Observers are called in the order of Observe.
func (d *Talk) Observe(o Observer) {
	ignore := func(*LockedConversation, *Attendance) error { return nil }
	ignoreBy := func(*LockedConversation, *Attendance, *kernel.Ref) error { return nil }
	ignoreMove := func(*LockedConversation, *Attendance, *Attendance, *kernel.Ref) error { return nil }
	orIgnore(&o.Opened, ignore)
	orIgnore(&o.Answered, ignore)
	orIgnore(&o.Moved, ignoreMove)
	orIgnore(&o.Closing, func(*LockedConversation, *Attendance, *kernel.ID) error { return nil })
	orIgnore(&o.Closed, ignoreBy)
	orIgnore(&o.Reopened, ignoreMove)
	orIgnore(&o.Measured, func(*kernel.Tx, *Attendance, *Attendance) error { return nil })
	orIgnore(&o.LabelDeleted, func(*kernel.Tx, kernel.ID, kernel.ID) error { return nil })
	orIgnore(&o.Saving, func(*LockedConversation, *Conversation) error { return nil })
	orIgnore(&o.AnswersSurvey, func(*InboundBatch, *BatchConversation, *Message) (func() error, error) { return nil, nil })
	orIgnore(&o.Priced, func(*LockedConversation, *Message, *Cost) error { return nil })
	orIgnore(&o.MayAutomate, func(*kernel.Tx, kernel.ID) (bool, error) { return true, nil })
	orIgnore(&o.ErasedAt, func(*kernel.Tx, kernel.ID, kernel.ID, []Identity) (*time.Time, error) { return nil, nil })
	orIgnore(&o.ContactDeleted, func(*kernel.Tx, *Contact) error { return nil })
	orIgnore(&o.CustomerWrote, func(*InboundBatch, *BatchConversation) error { return nil })
	orIgnore(&o.Received, func(*LockedConversation, *Message) error { return nil })
	orIgnore(&o.Notified, func(*LockedConversation, string, *kernel.ID, []kernel.ID) {})
	d.observers = append(d.observers, o)
}

// orIgnore sets a function of an observer that is nil. F is a function type.
func orIgnore[F any](f *F, ignore F) {
	if reflect.ValueOf(*f).IsNil() {
		*f = ignore
	}
}

// tell calls call for each observer until one returns an error.
func (d *Talk) tell(call func(o *Observer) error) error {
	for i := range d.observers {
		if err := call(&d.observers[i]); err != nil {
			return err
		}
	}
	return nil
}
