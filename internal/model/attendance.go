package model

import "time"

// Who opened an attendance, and its two states.
const (
	OpenedByCustomer = "customer"
	OpenedByTeam     = "team"

	AttendanceOpen   = "open"
	AttendanceClosed = "closed"

	// CloseReasonAutomatic is the reason of attendances closed for silence.
	CloseReasonAutomatic = "automatic"
)

// Attendance is a protocol-numbered support case of one conversation.
type Attendance struct {
	ID                   ID                `json:"id"`
	Protocol             string            `json:"protocol" example:"ATD-000123"`
	Status               string            `json:"status" enum:"open,closed"`
	Conversation         ID                `json:"conversation"`
	Channel              ID                `json:"channel"`
	Contact              AttendanceContact `json:"contact"`
	Responsible          *Ref              `json:"responsible"`
	Sector               *ID               `json:"sector"`
	OpenedAt             time.Time         `json:"opened_at"`
	OpenedBy             string            `json:"opened_by" enum:"customer,team"`
	FirstResponseAt      *time.Time        `json:"first_response_at"`
	FirstResponseSeconds *int64            `json:"first_response_seconds"`
	ClosedAt             *time.Time        `json:"closed_at"`
	ClosedBy             *Ref              `json:"closed_by"`
	CloseReason          *string           `json:"close_reason"`

	Company ID    `json:"-"`
	Number  int64 `json:"-"`
	Private bool  `json:"-"`
}

// Answered notes the first response.
func (a *Attendance) Answered(at time.Time) {
	seconds := max(0, int64(at.Sub(a.OpenedAt)/time.Second)) // a clock may be set back
	a.FirstResponseAt, a.FirstResponseSeconds = &at, &seconds
}

// AttendanceContact is the customer of an attendance. For a group it is the group's name.
type AttendanceContact struct {
	ID    *ID     `json:"id"`
	Name  string  `json:"name"`
	Phone *string `json:"phone"`
}
