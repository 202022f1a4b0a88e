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

	TypeText        = "text"
	TypeImage       = "image"
	TypeAudio       = "audio"
	TypeVideo       = "video"
	TypeDocument    = "document"
	TypeSticker     = "sticker"
	TypeLocation    = "location"
	TypeContacts    = "contacts"
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
	Origin       string        `json:"origin" enum:"customer,app,phone,api"`
	Type         string        `json:"type" enum:"text,image,audio,video,document,sticker,location,contacts,unsupported"`
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

	Company ID    `json:"-"`
	Channel ID    `json:"-"`
	Seq     int64 `json:"-"` // the message's place in its conversation
	Private bool  `json:"-"`
}

// MessageMedia is what a message shows of its file.
type MessageMedia struct {
	ID       ID     `json:"id"`
	MimeType string `json:"mime_type"`
	FileName string `json:"file_name"`
	Size     int64  `json:"size"`
}
