package simulator

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Ladder is the sequence of statuses of a message.
type Ladder struct {
	// Mode names the sequence: "" is sent and delivered, "sent" only sent, "read" also read; "skip_delivered",
	// "played", "reorder" (delivered before sent), "failed", "none".
	Mode           string `json:"mode,omitempty"`
	FailCode       int    `json:"fail_code,omitempty"` // 131026 when zero
	Duplicate      bool   `json:"duplicate,omitempty"` // every status twice
	BeforeResponse bool   `json:"before_response,omitempty"`

	// Pricing is what the statuses say about the price. nil: a template is billed by its category, and other messages are free.
	Pricing *Pricing `json:"pricing,omitempty"`
	// PricedAt is the status with the pricing: "sent" when empty, or "delivered", "read", "all", "none".
	PricedAt string `json:"priced_at,omitempty"`
}

// Pricing is how a message is billed.
type Pricing struct {
	Category string `json:"category"`
	Type     string `json:"type"`
	Billable bool   `json:"billable"`
}

// pricing returns the pricing of a message in a status, or nil.
func (s *Simulator) pricing(m *Accepted, status string) *Pricing {
	switch at := cmp.Or(s.ladder.PricedAt, "sent"); {
	case status == "failed" || m.Type == "reaction" || at != status && at != "all":
		return nil
	case s.ladder.Pricing != nil:
		return s.ladder.Pricing
	case m.category != "":
		return &Pricing{Category: m.category, Type: "regular", Billable: true}
	}
	return &Pricing{Category: "service", Type: "free_customer_service"}
}

var ladders = map[string][]string{
	"":               {"sent", "delivered"},
	"sent":           {"sent"},
	"read":           {"sent", "delivered", "read"},
	"skip_delivered": {"sent", "read"},
	"played":         {"sent", "delivered", "read", "played"},
	"reorder":        {"delivered", "sent"},
	"failed":         {"failed"},
	"none":           {},
}

// reportStatuses sends the statuses of a message that was just accepted.
func (s *Simulator) reportStatuses(m *Accepted, l Ladder) {
	steps, code := ladders[l.Mode], l.FailCode
	if m.failWith != 0 {
		steps, code = []string{"failed"}, m.failWith
	}
	if m.Type == "reaction" && len(steps) > 0 {
		steps = []string{"sent"}
	}
	for _, step := range steps {
		_ = s.Status(m.ID, step, code)
		if l.Duplicate {
			_ = s.Status(m.ID, step, code)
		}
	}
}

// Status sends one status of an accepted message. code is the reason for a failure.
func (s *Simulator) Status(id, status string, code int) error {
	if !slices.Contains([]string{"sent", "delivered", "read", "played", "failed", "deleted"}, status) {
		return fmt.Errorf("no status is called %q", status)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.accepted[id]
	if m == nil {
		return fmt.Errorf("no message %s was accepted", id)
	}
	m.Statuses = append(m.Statuses, status)
	n := s.numbers[m.Number]
	value := n.value()
	object := m.status(status, code, s.now())
	if p := s.pricing(m, status); p != nil {
		object["pricing"] = map[string]any{"billable": p.Billable, "pricing_model": "PMP", "type": p.Type, "category": p.Category}
	}
	value["statuses"] = []any{object}
	if status != "failed" && m.Group == "" {
		value["contacts"] = []any{map[string]any{"wa_id": m.WAID, "user_id": m.UserID}}
	}
	s.emit(n, "messages", value)
	return nil
}

func (m *Accepted) status(status string, code int, now time.Time) map[string]any {
	object := map[string]any{"id": m.ID, "status": status, "timestamp": strconv.FormatInt(now.Unix(), 10)}
	if m.ClientID != "" {
		object["biz_opaque_callback_data"] = m.ClientID
	}
	switch {
	case m.Group != "":
		object["recipient_type"], object["recipient_id"] = "group", m.Group
		object["recipient_participant_id"] = "551100000001"
	case m.byUserID:
		object["recipient_user_id"] = m.UserID
	default:
		object["recipient_id"] = m.WAID
		if status != "failed" {
			object["recipient_user_id"] = m.UserID
		}
	}
	if status == "failed" {
		code = cmp.Or(code, 131026)
		object["errors"] = []any{map[string]any{
			"code": code, "title": titles[code], "message": titles[code],
			"error_data": map[string]any{"details": cmp.Or(explanations[code], "simulated failure")},
		}}
	}
	return object
}
