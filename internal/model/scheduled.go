package model

import "time"

// The states of a scheduled message.
const (
	ScheduledWaiting   = "scheduled"
	ScheduledSent      = "sent"
	ScheduledFailed    = "failed"
	ScheduledCancelled = "cancelled"
)

// Limits of scheduled messages.
const (
	MinSchedule  = time.Minute         // from now
	MaxSchedule  = 90 * 24 * time.Hour // from now
	MaxScheduled = 50                  // of one conversation that are not sent yet
	ScheduleLate = time.Hour           // after which a message is not sent any more
)

// WarningWindow says that WhatsApp will probably refuse a scheduled text: the service window will be closed by then.
const WarningWindow = "service_window"

// Errors of scheduled messages that no call gives.
const (
	ErrorTooLate       = "too_late"
	ErrorSenderRemoved = "sender_removed"
)

// ScheduledMessage is a message that is sent later.
type ScheduledMessage struct {
	ID            ID                 `json:"id"`
	ClientID      ID                 `json:"client_id" doc:"Also that of the message."`
	Conversation  ID                 `json:"conversation"`
	Status        string             `json:"status" enum:"scheduled,sent,failed,cancelled"`
	SendAt        time.Time          `json:"send_at"`
	Text          *string            `json:"text"`
	MediaID       *ID                `json:"media_id"`
	Template      *ScheduledTemplate `json:"template"`
	CancelOnReply bool               `json:"cancel_on_reply" doc:"It is cancelled when the customer writes before."`
	Message       *ID                `json:"message" doc:"The message, once it is sent."`
	Error         *MessageError      `json:"error" doc:"Why it failed; null otherwise."`
	Warning       *string            `json:"warning" enum:"service_window" doc:"service_window: the 24 hours after the customer's last message will be over, and WhatsApp takes templates only."`
	CreatedBy     Ref                `json:"created_by" doc:"The person in whose name it is sent."`
	CreatedAt     time.Time          `json:"created_at"`
	UpdatedAt     time.Time          `json:"updated_at"`

	Company ID  `json:"-"`
	Key     *ID `json:"-"` // that made it; nil: a person did, in the app
}

// ScheduledTemplate is a template as it was asked for.
type ScheduledTemplate struct {
	Name       string               `json:"name"`
	Language   string               `json:"language"`
	Parameters []ScheduledParameter `json:"parameters"`
}

// ScheduledParameter fills one gap of a scheduled template.
type ScheduledParameter struct {
	Name      string `json:"name,omitempty"`
	Text      string `json:"text,omitempty"`
	Component string `json:"component,omitempty" doc:"Absent: the body."`
	MediaID   *ID    `json:"media_id,omitempty"`
}

// NewScheduledTemplate gives a template in the form in which it is scheduled; nil for none.
func NewScheduledTemplate(t *Template) *ScheduledTemplate {
	if t == nil {
		return nil
	}
	out := &ScheduledTemplate{Name: t.Name, Language: t.Language, Parameters: make([]ScheduledParameter, len(t.Parameters))}
	for i, p := range t.Parameters {
		out.Parameters[i] = ScheduledParameter{Name: p.Name, Text: p.Text, Component: p.Component, MediaID: p.MediaID}
	}
	return out
}

// Template gives the template in the form in which it is sent; nil for none.
func (t *ScheduledTemplate) Template() *Template {
	if t == nil {
		return nil
	}
	out := &Template{Name: t.Name, Language: t.Language}
	for _, p := range t.Parameters {
		out.Parameters = append(out.Parameters, TemplateParameter{Name: p.Name, Text: p.Text, Component: p.Component, MediaID: p.MediaID})
	}
	return out
}

// Warn sets Warning by what is known of the conversation now.
func (s *ScheduledMessage) Warn(c *Conversation) {
	s.Warning = nil
	closed := c.LastInboundAt == nil || s.SendAt.Sub(*c.LastInboundAt) >= ServiceWindow
	if s.Status == ScheduledWaiting && c.Windowed && s.Template == nil && closed {
		warning := WarningWindow
		s.Warning = &warning
	}
}
