package model

import "time"

// Webhook is an address that receives events.
type Webhook struct {
	ID                  ID          `json:"id"`
	Name                string      `json:"name"`
	URL                 string      `json:"url" format:"uri"`
	Events              []EventType `json:"events"`
	Active              bool        `json:"active"`
	ConsecutiveFailures int64       `json:"consecutive_failures"`
	CreatedAt           time.Time   `json:"created_at"`
	UpdatedAt           time.Time   `json:"updated_at"`
}

// The states of a Delivery.
const (
	DeliveryPending   = "pending"
	DeliveryDelivered = "delivered"
	DeliveryFailed    = "failed"
)

// Delivery is one event on its way to one webhook, with every attempt made.
type Delivery struct {
	ID            ID         `json:"id"`
	EventID       ID         `json:"event_id"`
	Event         EventType  `json:"event"`
	Status        string     `json:"status" enum:"pending,delivered,failed"`
	Attempts      []Attempt  `json:"attempts"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
	CreatedAt     time.Time  `json:"created_at"`
	FinishedAt    *time.Time `json:"finished_at"`
}

// Attempt is one try at a delivery. StatusCode is null when no answer came.
type Attempt struct {
	At         time.Time `json:"at"`
	StatusCode *int64    `json:"status_code"`
	Error      *string   `json:"error"`
	DurationMS int64     `json:"duration_ms"`
}
