package model

import "time"

// Note is what a member writes to the team in a conversation. It is never sent to a customer.
type Note struct {
	ID           ID         `json:"id"`
	ClientID     ID         `json:"client_id"`
	Conversation ID         `json:"conversation"`
	Attendance   *ID        `json:"attendance" doc:"The attendance that was open when it was written."`
	Text         string     `json:"text"`
	Mentions     []Ref      `json:"mentions" doc:"The members whom it is meant for. Each gets a notification."`
	Author       Ref        `json:"author"`
	CreatedAt    time.Time  `json:"created_at"`
	EditedAt     *time.Time `json:"edited_at"`

	Company ID    `json:"-"`
	Seq     int64 `json:"-"` // its place among the messages of the conversation
}

// MaxMentions is how many members a note may mention.
const MaxMentions = 20
