package simulator

import (
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// Accepted is a message that the simulator accepted for delivery.
type Accepted struct {
	ID       string          `json:"id"`
	Number   string          `json:"number"`
	Input    string          `json:"input"` // the recipient as requested
	WAID     string          `json:"wa_id,omitempty"`
	UserID   string          `json:"user_id,omitempty"`
	Group    string          `json:"group,omitempty"`
	Type     string          `json:"type"`
	ClientID string          `json:"client_id,omitempty"` // the callback data
	Body     json.RawMessage `json:"body"`
	At       time.Time       `json:"at"`
	Statuses []string        `json:"statuses"` // reported so far

	byUserID bool
	category string // of a template, in small letters
	failWith int
}

func (m *Accepted) response() map[string]any {
	contact := map[string]any{"input": m.Input}
	message := map[string]any{"id": m.ID}
	switch {
	case m.Group != "":
		contact["input"], message["group_id"] = m.Group, m.Group
	case m.byUserID:
		contact["user_id"] = m.UserID
	default:
		contact["wa_id"] = m.WAID
	}
	if m.Type == "template" {
		message["message_status"] = "accepted"
	}
	return map[string]any{"messaging_product": "whatsapp", "contacts": []any{contact}, "messages": []any{message}}
}

// Ledger returns the accepted messages, oldest first. A recipient (address, user id or group) limits it to theirs.
func (s *Simulator) Ledger(recipient string) []Accepted {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []Accepted{}
	for _, m := range s.ledger {
		if recipient == "" || recipient == m.WAID || recipient == m.UserID || recipient == m.Group {
			copied := *m
			copied.Statuses = slices.Clone(m.Statuses)
			list = append(list, copied)
		}
	}
	return list
}

// Repeated returns the message ids of every client id that was accepted more than once. It is empty if no
// customer received a message twice.
func (s *Simulator) Repeated() map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := map[string][]string{}
	for _, m := range s.ledger {
		if m.ClientID != "" {
			ids[m.ClientID] = append(ids[m.ClientID], m.ID)
		}
	}
	maps.DeleteFunc(ids, func(_ string, messages []string) bool { return len(messages) == 1 })
	return ids
}
