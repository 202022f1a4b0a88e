package model

import "time"

// Directions, origins, types and statuses of messages, in the API's words.
const (
	Inbound  = "inbound"
	Outbound = "outbound"

	OriginCustomer = "customer"
	OriginApp      = "app"
	OriginPhone    = "phone"
	OriginAPI      = "api"

	// OriginAutomation is that of what a reception sends: it is no answer of the team.
	OriginAutomation = "automation"

	TypeText        = "text"
	TypeImage       = "image"
	TypeAudio       = "audio"
	TypeVideo       = "video"
	TypeDocument    = "document"
	TypeSticker     = "sticker"
	TypeLocation    = "location"
	TypeContacts    = "contacts"
	TypeInteractive = "interactive"
	TypeUnsupported = "unsupported"

	StatusQueued    = "queued"
	StatusSent      = "sent"
	StatusDelivered = "delivered"
	StatusRead      = "read"
	StatusFailed    = "failed"
	StatusReceived  = "received"
)

// Message is one message of a conversation, in either direction.
type Message struct {
	ID           ID            `json:"id"`
	ClientID     *ID           `json:"client_id"`
	Conversation ID            `json:"conversation"`
	Direction    string        `json:"direction" enum:"inbound,outbound"`
	Origin       string        `json:"origin" enum:"customer,app,phone,api,automation"`
	Type         string        `json:"type" enum:"text,image,audio,video,document,sticker,location,contacts,interactive,unsupported"`
	Text         *string       `json:"text"`
	MediaID      *ID           `json:"media_id"`
	Media        *MessageMedia `json:"media"`
	ReplyTo      *string       `json:"reply_to_external_id"`
	ExternalID   *string       `json:"external_id"`
	Status       string        `json:"status" enum:"queued,sent,delivered,read,failed,received"`
	Error        *MessageError `json:"error"`
	SentBy       *Ref          `json:"sent_by"`
	CreatedAt    time.Time     `json:"created_at"`
	SentAt       *time.Time    `json:"sent_at"`
	DeliveredAt  *time.Time    `json:"delivered_at"`
	ReadAt       *time.Time    `json:"read_at"`

	Author    *MessageAuthor `json:"author" doc:"Who wrote a message of a group; null in other conversations."`
	Reactions Reactions      `json:"reactions"`
	Referral  *Referral      `json:"referral" doc:"The ad or post that led the customer to write."`
	Product   *Product       `json:"product" doc:"The catalogue item that the customer asks about."`
	EditedAt  *time.Time     `json:"edited_at" doc:"When its author last edited it."`
	RevokedAt *time.Time     `json:"revoked_at" doc:"When its author deleted it for everyone. Text and file are gone then, unless the company keeps them."`

	Interactive *Interactive `json:"interactive" doc:"The buttons or the list that the message offers; text has all of it in words."`
	Choice      *Choice      `json:"choice" doc:"What the customer chose from buttons or a list; text has it in words."`
	Voice       bool         `json:"voice" doc:"Whether the file is a recording made for the chat."`
	Integration *Ref         `json:"integration" doc:"The API key that the message was sent with; null for all others."`

	Notice  *MessageNotice `json:"notice" doc:"What the server says of a message without words, such as a missed call, as a code to translate; text has it in English. Null in messages that people wrote."`
	Form    *Form          `json:"form" doc:"What the customer filled in; text has it in words."`
	Standby bool           `json:"standby" doc:"Whether another app, such as Meta's AI, was answering in this conversation when the message passed."`

	Company ID    `json:"-"`
	Channel ID    `json:"-"`
	Seq     int64 `json:"-"` // the message's place in its conversation; below zero in imported history
	Private bool  `json:"-"`
}

// MessagePage is one page of a conversation, newest first.
type MessagePage struct {
	Data   []Message `json:"data"`
	Before *string   `json:"before" doc:"Give it as before to get the next older page; null at the beginning of the conversation."`
	After  *string   `json:"after" doc:"Give it as after to get what came after this page; null only while the conversation has no message."`
}

// FoundMessage is a message that a search found.
type FoundMessage struct {
	Message      Message `json:"message"`
	Conversation Ref     `json:"conversation"`
	Snippet      string  `json:"snippet" doc:"The text around the first match as plain text, at most 160 characters."`
	Match        [2]int  `json:"match" doc:"Start and length of the match in the snippet, in UTF-16 units."`
}

// Left reports whether the message is known to have gone out.
func (m *Message) Left() bool { return m.SentAt != nil && m.Direction == Outbound }

// Advance applies a provider's report to an outbound message and reports whether it changed anything.
// A status never goes backwards: queued, sent, delivered, read. Failed comes only after queued or
// sent, and is final unless the outcome was uncertain: then a report settles it.
func (m *Message) Advance(status string, at time.Time, failure *MessageError) bool {
	if m.Direction != Outbound {
		return false
	}
	unsure := m.Status == StatusFailed && m.Error != nil && m.Error.Code == ErrorUncertain
	if status == StatusFailed {
		if m.Status != StatusQueued && m.Status != StatusSent && !unsure {
			return false
		}
		if failure == nil {
			failure = &MessageError{Code: "not_delivered", Message: "The provider did not deliver the message and did not say why."}
		}
		m.Status, m.Error = StatusFailed, failure
		return true
	}
	if m.Status == StatusFailed && !unsure || m.Status != StatusFailed && progress(status) <= progress(m.Status) {
		return false
	}
	m.Status, m.Error = status, nil
	// Providers count in whole seconds: a step is never earlier than the one before it.
	for _, before := range []*time.Time{&m.CreatedAt, m.SentAt, m.DeliveredAt} {
		if before != nil && before.After(at) {
			at = *before
		}
	}
	if m.SentAt == nil {
		m.SentAt = &at
	}
	if status != StatusSent && m.DeliveredAt == nil {
		m.DeliveredAt = &at
	}
	if status == StatusRead {
		m.ReadAt = &at
	}
	return true
}

// ErrorUncertain is the code of a message of which it is not known whether the provider accepted it.
const ErrorUncertain = "uncertain"

// UncertainError says so in words.
func UncertainError() *MessageError {
	return &MessageError{Code: ErrorUncertain, Message: "It is not known whether the provider took this message, so it is not sent again."}
}

// progress orders the statuses of a message that did not fail.
func progress(status string) int {
	switch status {
	case StatusSent:
		return 1
	case StatusDelivered:
		return 2
	case StatusRead:
		return 3
	}
	return 0
}

// MessageMedia is what a message shows of its file.
type MessageMedia struct {
	ID       ID     `json:"id"`
	MimeType string `json:"mime_type"`
	FileName string `json:"file_name"`
	Size     int64  `json:"size"`

	Width           *int64   `json:"width" doc:"Pixels, as it is shown; null where unknown."`
	Height          *int64   `json:"height" doc:"Pixels, as it is shown; null where unknown."`
	DurationSeconds *float64 `json:"duration_seconds" doc:"Null where unknown."`
}
