package simulator

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Ladder is the way of a message through its statuses.
type Ladder struct {
	// Mode names the way: "" sent and delivered, "sent" only that, "read" all three, "skip_delivered",
	// "played", "reorder" delivered before sent, "failed", "none".
	Mode           string `json:"mode,omitempty"`
	FailCode       int    `json:"fail_code,omitempty"` // 131026 when zero
	Duplicate      bool   `json:"duplicate,omitempty"` // every status twice
	BeforeResponse bool   `json:"before_response,omitempty"`
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

// climb reports the statuses of a message that was just accepted.
func (s *Simulator) climb(m *Accepted, l Ladder) {
	steps, code := ladders[l.Mode], l.FailCode
	if m.failWith != 0 {
		steps, code = []string{"failed"}, m.failWith
	}
	if m.Type == "reaction" && len(steps) > 0 {
		steps = []string{"sent"}
	}
	for _, step := range steps {
		times := 1
		if l.Duplicate {
			times = 2
		}
		for range times {
			_ = s.Status(m.ID, step, code)
		}
	}
}

// Status reports one status of an accepted message. code is the reason of a failed one.
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
	value["statuses"] = []any{m.status(status, code, s.now())}
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
		if code == 0 {
			code = 131026
		}
		object["errors"] = []any{map[string]any{
			"code": code, "title": titles[code], "message": titles[code],
			"error_data": map[string]any{"details": cmp.Or(explanations[code], "simulated failure")},
		}}
	} else if status == "sent" {
		object["pricing"] = map[string]any{"billable": false, "pricing_model": "PMP", "type": "free_customer_service", "category": "service"}
	}
	return object
}
