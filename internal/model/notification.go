package model

import "time"

// The kinds of notifications.
const (
	NotifyAssigned      = "assigned"       // another person made the member responsible
	NotifyMentioned     = "mentioned"      // a note names the member
	NotifyWaiting       = "waiting"        // a conversation entered the queue of one of the member's sectors
	NotifySnoozeEnded   = "snooze_ended"   // a conversation for which the member is responsible came back
	NotifyMessageFailed = "message_failed" // a message of the member could not be sent
)

// NotificationRetention is how long notifications are kept.
const NotificationRetention = 30 * 24 * time.Hour

// Notification tells a member of something in a conversation.
type Notification struct {
	ID           ID         `json:"id"`
	Kind         string     `json:"kind" enum:"assigned,mentioned,waiting,snooze_ended,message_failed"`
	Conversation Ref        `json:"conversation"`
	By           *Ref       `json:"by" doc:"The person who caused it; null for the system and for customers."`
	Entry        *ID        `json:"entry" doc:"The note of a mention, or the message that failed: the timeline takes it as around. Null for other kinds."`
	CreatedAt    time.Time  `json:"created_at"`
	ReadAt       *time.Time `json:"read_at"`
}
