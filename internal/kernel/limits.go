package kernel

import "time"

// Limits on what a caller may send, in characters where text is meant.
const (
	MaxName        = 120
	MaxText        = 4096
	MaxCaption     = 1024
	MaxReason      = 500
	MaxDescription = 10_000

	MaxBody = 64 << 10 // bytes of a JSON request

	MinIdempotencyKey = 8
	MaxIdempotencyKey = 128
)

// Limits on pages. What lies outside is refused, never clamped.
const (
	DefaultLimit = 30
	MaxLimit     = 100
)

// Limits on uploaded files by kind, in bytes.
const (
	MaxImage      = 5 << 20
	MaxSticker    = 500 << 10
	MaxAudioVideo = 16 << 20
	MaxDocument   = 100 << 20
	MaxMedia      = MaxDocument // the largest of them
)

// Webhooks.
const (
	MaxWebhooks        = 20              // addresses per company
	MaxWebhookFailures = 10              // deliveries in a row that failed permanently, after which an address is disabled
	WebhookTimeout     = 8 * time.Second // for the whole answer
	DeliveryRetention  = 14 * 24 * time.Hour
	EventRetention     = 14 * 24 * time.Hour
	SecretOverlap      = 24 * time.Hour // how long the signature of a replaced secret is sent along
)

// Keys.
const (
	DefaultRate  = 100 // requests a second
	DefaultBurst = 200
)

// Everything else with a number.
const (
	IdempotencyRetention = 7 * 24 * time.Hour
	ServiceWindow        = 24 * time.Hour // after a customer's last message, for free-form messages
	MediaLinkLifetime    = 10 * time.Minute
	UnattachedRetention  = 24 * time.Hour // of uploaded files that nothing refers to
	DefaultReportDays    = 30
	MaxReportDays        = 366
)

// DefaultZone is the time zone of a query or a company that names none.
const DefaultZone = "America/Sao_Paulo"

// APIVersion is the version that every API response names.
const APIVersion = "1.1.0"

// PurgeStep is how many rows one step of a purge deletes.
const PurgeStep = 500
