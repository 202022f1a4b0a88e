package kernel

import "time"

// Limits on what a caller may send, in characters where text is meant.
const (
	MaxName = 120

	MaxBody = 64 << 10 // bytes of a JSON request

	MinIdempotencyKey = 8
	MaxIdempotencyKey = 128
)

// Limits on pages. What lies outside is refused, never clamped.
const (
	DefaultLimit = 30
	MaxLimit     = 100
)

// Keys.
const (
	DefaultRate  = 100 // requests a second
	DefaultBurst = 200
)

// IdempotencyRetention is how long a response is kept for repeats of its call.
const IdempotencyRetention = 7 * 24 * time.Hour

// DefaultZone is the time zone of a query or a company that names none.
const DefaultZone = "America/Sao_Paulo"

// APIVersion is the version that every API response names.
const APIVersion = "1.1.0"

// PurgeStep is how many rows one step of a purge deletes.
const PurgeStep = 500
