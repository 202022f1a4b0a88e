package kernel

import "time"

// Limits on requests.
const (
	MaxName           = 120      // characters
	MaxBody           = 64 << 10 // bytes of JSON
	MinIdempotencyKey = 8
	MaxIdempotencyKey = 128
)

// Default and maximum number of entries on a page. Larger limits are refused.
const (
	DefaultLimit = 30
	MaxLimit     = 100
)

// Default rate of API keys.
const (
	DefaultRate  = 100 // requests per second
	DefaultBurst = 200
)

// IdempotencyRetention is how long responses are kept for repeated calls.
const IdempotencyRetention = 7 * 24 * time.Hour

// DefaultZone is the default time zone of queries and companies.
const DefaultZone = "America/Sao_Paulo"

// APIVersion is the version in every API response.
const APIVersion = "1.1.0"

// PurgeStep is the number of rows that one step of a purge deletes.
const PurgeStep = 500
