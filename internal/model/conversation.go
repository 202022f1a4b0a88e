package model

import "time"

// The kinds of conversation.
const (
	KindDirect = "direct"
	KindGroup  = "group"
)

// Conversation is the thread between one channel and one contact, or one group.
type Conversation struct {
	ID          ID           `json:"id"`
	Kind        string       `json:"kind" enum:"direct,group"`
	Name        string       `json:"name"`
	Phone       *string      `json:"phone"`
	Contact     *ID          `json:"contact"`
	Channel     ID           `json:"channel"`
	Assignee    *ID          `json:"assignee"`
	Sector      *ID          `json:"sector"`
	Archived    bool         `json:"archived"`
	Pinned      bool         `json:"pinned"`
	Muted       bool         `json:"muted"`
	LabelIDs    []ID         `json:"label_ids"`
	Unread      bool         `json:"unread"`
	UnreadCount int64        `json:"unread_count"`
	LastMessage *LastMessage `json:"last_message"`
	CreatedAt   time.Time    `json:"created_at"`
	UpdatedAt   time.Time    `json:"updated_at"`

	Company        ID         `json:"-"`
	Private        bool       `json:"-"` // of a private channel
	GroupID        *string    `json:"-"` // the provider's id of the group
	Renamed        bool       `json:"-"` // the team chose the name: the contact's no longer shows
	Attendance     *ID        `json:"-"` // the open attendance; its responsible person is Assignee
	Unanswered     bool       `json:"-"` // the open attendance has had no response yet
	LastInboundAt  *time.Time `json:"-"` // opens the 24-hour service window
	LastInboundExt *string    `json:"-"` // external id of the customer's latest message
	ActivityAt     time.Time  `json:"-"` // when the newest message arrived, by which lists are ordered
	Sequence       int64      `json:"-"` // grows with every event and message of the conversation
}

// LastMessage is the glimpse of a conversation's newest message that lists show.
type LastMessage struct {
	ID        ID        `json:"id"`
	Type      string    `json:"type"`
	Text      *string   `json:"text"`
	Direction string    `json:"direction" enum:"inbound,outbound"`
	CreatedAt time.Time `json:"created_at"`
}

// AssignmentEntry is one line of the history of responsible persons, newest first in lists.
type AssignmentEntry struct {
	ID        ID        `json:"id"`
	Action    string    `json:"action" enum:"took_over,received,handed_back"`
	User      *Ref      `json:"user"`
	By        *Ref      `json:"by"`
	Sector    *ID       `json:"sector"`
	Reason    *string   `json:"reason"`
	CreatedAt time.Time `json:"created_at"`
}

// The actions of an AssignmentEntry.
const (
	ActionTookOver   = "took_over"
	ActionReceived   = "received"
	ActionHandedBack = "handed_back"
)
