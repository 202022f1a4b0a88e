package talk

import "recado/internal/kernel"

// The kinds of signals to the live streams.
const (
	signalActivity     = "activity"     // between nodes: a member views or leaves a conversation, or types in it
	signalGone         = "gone"         // members can no longer see a conversation
	signalPrivate      = "private"      // something changed in a private conversation
	signalNotes        = "notes"        // a note was changed or deleted
	signalDraft        = "draft"        // a member's draft changed
	signalScheduled    = "scheduled"    // the scheduled messages of a conversation changed
	signalNotification = "notification" // members have a new notification, or have read some
)

// conversationSignal returns a signal whose data is the id of a conversation.
func conversationSignal(kind string, company, conversation kernel.ID, to kernel.Audience) kernel.Signal {
	return kernel.NewSignal(kind, company, to, struct {
		Conversation kernel.ID `json:"conversation"`
	}{conversation})
}

// notificationSignal returns the signal for a notification of members.
func notificationSignal(company, conversation kernel.ID, kind string, members []kernel.ID) kernel.Signal {
	return kernel.NewSignal(signalNotification, company, kernel.Audience{Members: members}, struct {
		Kind         string    `json:"kind"` // notificationsRead when some were read
		Conversation kernel.ID `json:"conversation,omitzero"`
	}{kind, conversation})
}
