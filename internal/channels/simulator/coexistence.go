package simulator

import (
	"encoding/json"
	"strconv"
	"time"
)

// importLife is how long after the number was added its history can be requested.
const importLife = 24 * time.Hour

// History is what the WhatsApp Business app of a number has: its address book and its chats.
type History struct {
	Contacts []HistoryContact `json:"contacts"`
	Threads  []HistoryThread  `json:"threads"`
	Chunks   int              `json:"chunks,omitempty"`   // in which the history arrives: 3 when zero
	Declined bool             `json:"declined,omitempty"` // the business does not share it
}

// HistoryContact is an entry of the address book.
type HistoryContact struct {
	Phone string `json:"phone"` // digits
	Name  string `json:"name"`
}

// HistoryThread is a chat, with its oldest message first.
type HistoryThread struct {
	Phone    string           `json:"phone"` // digits
	Messages []HistoryMessage `json:"messages"`
}

// HistoryMessage is a message of a chat.
type HistoryMessage struct {
	Text     string `json:"text"`
	FromApp  bool   `json:"from_app,omitempty"` // sent by the business
	HoursAgo int    `json:"hours_ago"`
}

// defaultHistory is the history of numbers without their own.
var defaultHistory = History{
	Contacts: []HistoryContact{{"5511955550001", "Marina Souza"}, {"5511955550002", "Rafael Lima"}, {"5511955550003", "Oficina do Zé"}},
	Threads: []HistoryThread{
		{"5511955550001", []HistoryMessage{
			{"Oi, vocês abrem no sábado?", false, 50}, {"Abrimos sim, das 9h às 13h.", true, 49}, {"Perfeito, obrigada!", false, 48},
		}},
		{"5511955550002", []HistoryMessage{{"Meu pedido já saiu?", false, 900}, {"Saiu hoje cedo.", true, 899}}},
		{"5511955550004", []HistoryMessage{{"Bom dia", false, 2500}}},
	},
}

// SetHistory sets what the WhatsApp Business app of a number has. It also allows the number to request it again.
func (s *Simulator) SetHistory(numberID string, h History) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.numberOrFirst(numberID)
	if err == nil {
		n.history, n.imports, n.added = &h, map[string]bool{}, s.now()
	}
	return err
}

// requestImport plays the contacts or the history of a number that is also used in the WhatsApp Business app, once.
func (s *Simulator) requestImport(r *request) (any, *graphFailure) {
	var in struct {
		Product string `json:"messaging_product"`
		Kind    string `json:"sync_type"`
	}
	err := json.Unmarshal(r.body, &in)
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.numbers[r.path[0]]
	h := defaultHistory
	if n.history != nil {
		h = *n.history
	}
	switch {
	case err != nil || in.Product != "whatsapp" || in.Kind != "smb_app_state_sync" && in.Kind != "history":
		return nil, failure(400, 100, "Param sync_type must be one of {smb_app_state_sync, history}")
	case !n.Coexistence:
		return nil, failure(400, 100, "Unsupported post request. The number is not used in the WhatsApp Business app")
	case n.imports[in.Kind]:
		return nil, failure(400, 2593107, "The synchronization was requested before")
	case s.now().Sub(n.added) > importLife:
		return nil, failure(400, 2593108, "The synchronization can be requested within 24 hours after onboarding")
	}
	n.imports[in.Kind] = true
	id := "request-" + strconv.FormatUint(s.nextID(), 10)
	if in.Kind == "history" {
		s.playHistory(n, h)
	} else {
		s.playContacts(n, h)
	}
	return map[string]any{"messaging_product": "whatsapp", "request_id": id}, nil
}

func (s *Simulator) playContacts(n *number, h History) {
	for _, c := range h.Contacts {
		value := n.value()
		value["state_sync"] = []any{map[string]any{
			"type": "contact", "action": "add", "contact": map[string]any{"full_name": c.Name, "phone_number": c.Phone},
			"metadata": map[string]any{"timestamp": strconv.FormatInt(s.now().Unix(), 10)},
		}}
		s.emit(n, "smb_app_state_sync", value)
	}
}

// playHistory sends the history in chunks, each with a part of every chat.
func (s *Simulator) playHistory(n *number, h History) {
	emit := func(entry map[string]any) {
		value := n.value()
		value["history"] = []any{entry}
		s.emit(n, "history", value)
	}
	if h.Declined {
		emit(map[string]any{"errors": []any{map[string]any{
			"code": 2593109, "title": "History sharing is turned off by the business from the WhatsApp Business App",
			"message":    "History sharing is turned off by the business from the WhatsApp Business App",
			"error_data": map[string]any{"details": "History sharing is turned off by the business"},
		}}})
		return
	}
	chunks := h.Chunks
	if chunks <= 0 {
		chunks = 3
	}
	for i := range chunks {
		threads := []any{}
		for _, t := range h.Threads {
			var messages []any
			for j := len(t.Messages) * i / chunks; j < len(t.Messages)*(i+1)/chunks; j++ {
				messages = append(messages, s.historyMessage(n, t.Phone, t.Messages[j]))
			}
			if len(messages) > 0 {
				threads = append(threads, map[string]any{"id": t.Phone, "messages": messages})
			}
		}
		emit(map[string]any{
			"metadata": map[string]any{"phase": min(i, 2), "chunk_order": i + 1, "progress": 100 * (i + 1) / chunks}, "threads": threads,
		})
	}
}

func (s *Simulator) historyMessage(n *number, customer string, m HistoryMessage) map[string]any {
	out := map[string]any{
		"from": customer, "id": s.wamid(customer, inbound), "type": "text", "text": map[string]any{"body": m.Text},
		"timestamp": strconv.FormatInt(s.now().Add(-time.Duration(m.HoursAgo)*time.Hour).Unix(), 10),
	}
	if m.FromApp {
		out["from"], out["to"], out["history_context"] = n.Phone, customer, map[string]any{"status": "READ"}
	}
	return out
}
