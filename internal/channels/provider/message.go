package provider

// Directions, origins, types and statuses of messages, as in the API.
const (
	Inbound  = "inbound"
	Outbound = "outbound"

	OriginCustomer = "customer"
	OriginApp      = "app"
	OriginPhone    = "phone"
	OriginAPI      = "api"

	// OriginAutomation is the origin of messages of a reception, which do not count as a response of the team.
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
