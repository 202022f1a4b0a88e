package provider

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
