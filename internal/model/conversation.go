package model

import "time"

// The kinds of conversation.
const (
	KindDirect = "direct"
	KindGroup  = "group"
)

// Which conversations a list shows. What is waiting is also open.
const (
	ListOpen    = "open"    // an attendance is open, or there are unread messages and it is not muted
	ListWaiting = "waiting" // an attendance is open and no person is responsible
	ListClosed  = "closed"  // not open
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

	Attendance      *OpenAttendance `json:"attendance" doc:"The open attendance."`
	WindowExpiresAt *time.Time      `json:"window_expires_at" doc:"When the 24 hours after the customer's last message end, after which WhatsApp takes templates only; a time in the past where the customer never wrote. null where the channel has no such window."`
	SnoozedUntil    *time.Time      `json:"snoozed_until"`
	BotPausedUntil  *time.Time      `json:"bot_paused_until" doc:"Until when bots are to be silent: an hour from the last message of a person, or as it was set."`

	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`

	Draft *Draft `json:"draft,omitempty" null:"true" doc:"What the signed-in person has begun to write, or null. Answers to API keys and events do not have it."`

	Personal       bool       `json:"-"` // shown to a person: with the draft
	Company        ID         `json:"-"`
	Private        bool       `json:"-"` // of a private channel
	GroupID        *string    `json:"-"` // the provider's id of the group
	Renamed        bool       `json:"-"` // the team chose the name: the contact's no longer shows
	Unanswered     bool       `json:"-"` // the open attendance has had no response yet
	Windowed       bool       `json:"-"` // the provider has a 24-hour service window
	LastInboundAt  *time.Time `json:"-"` // opens the 24-hour service window
	LastInboundExt *string    `json:"-"` // external id of the customer's latest message
	ActivityAt     time.Time  `json:"-"` // when the newest message arrived, by which lists are ordered
	Sequence       int64      `json:"-"` // grows with every event and message of the conversation
	Reception      *string    `json:"-"` // the state of the menu of the open attendance, as JSON; nil: no menu runs
	ReceptionDue   *time.Time `json:"-"` // when the menu ends without an answer
}

// OpenAttendance is what a conversation tells of its open attendance, whose responsible person is the
// conversation's assignee.
type OpenAttendance struct {
	ID           ID         `json:"id"`
	Protocol     string     `json:"protocol" example:"ATD-000123"`
	OpenedAt     time.Time  `json:"opened_at"`
	WaitingSince *time.Time `json:"waiting_since" doc:"When the customer's oldest unanswered message came; null when the team wrote last."`

	Number int64 `json:"-"`
}

// Open reports whether the conversation is one that needs the team: an attendance is open, or there are
// unread messages and it is not muted.
func (c *Conversation) Open() bool { return c.Attendance != nil || c.UnreadCount > 0 && !c.Muted }

// FindWindow sets WindowExpiresAt.
func (c *Conversation) FindWindow() {
	if !c.Windowed {
		return
	}
	end := c.CreatedAt
	if c.LastInboundAt != nil {
		end = c.LastInboundAt.Add(ServiceWindow)
	}
	c.WindowExpiresAt = &end
}

// AttendanceID is the id of the open attendance, or nil.
func (c *Conversation) AttendanceID() *ID {
	if c.Attendance == nil {
		return nil
	}
	return &c.Attendance.ID
}

// WaitingSince is when the customer's oldest unanswered message of the open attendance came, or nil.
func (c *Conversation) WaitingSince() *time.Time {
	if c.Attendance == nil {
		return nil
	}
	return c.Attendance.WaitingSince
}

// SetWaiting changes WaitingSince of the open attendance, where there is one. Copies of the conversation keep theirs.
func (c *Conversation) SetWaiting(since *time.Time) {
	if c.Attendance != nil {
		changed := *c.Attendance
		changed.WaitingSince = since
		c.Attendance = &changed
	}
}

// LastMessage is what lists show of a conversation's newest message.
type LastMessage struct {
	ID        ID        `json:"id"`
	Type      string    `json:"type" enum:"text,image,audio,video,document,sticker,location,contacts,interactive,unsupported"`
	Text      *string   `json:"text"`
	Direction string    `json:"direction" enum:"inbound,outbound"`
	CreatedAt time.Time `json:"created_at"`

	Status          string   `json:"status" enum:"queued,sent,delivered,read,failed,received"`
	FileName        *string  `json:"file_name" doc:"The name of its file; null where it has none."`
	DurationSeconds *float64 `json:"duration_seconds" doc:"How long its file plays; null where that is unknown."`

	Notice *MessageNotice `json:"notice" doc:"The notice of the message; null where it has none."`
}

// AssignmentEntry is a change of the responsible person, the sector or both, newest first in lists.
type AssignmentEntry struct {
	ID         ID        `json:"id"`
	Action     string    `json:"action" enum:"took_over,received,handed_back,moved"`
	User       *Ref      `json:"user" doc:"Whom the entry concerns; null for moved."`
	By         *Ref      `json:"by"`
	Sector     *ID       `json:"sector" doc:"The sector afterwards."`
	SectorFrom *ID       `json:"sector_from" doc:"The sector before, where the entry changed the sector; otherwise null."`
	SectorTo   *ID       `json:"sector_to" doc:"The new sector, where the entry changed the sector; otherwise null."`
	Reason     *string   `json:"reason"`
	CreatedAt  time.Time `json:"created_at"`
}

// The actions of an AssignmentEntry.
const (
	ActionTookOver   = "took_over"
	ActionReceived   = "received"
	ActionHandedBack = "handed_back"
	ActionMoved      = "moved" // to another sector, while the responsible person stays the same
)
