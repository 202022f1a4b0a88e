package simulator

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// envelope is what a message to send has around its content.
type envelope struct {
	Product       string `json:"messaging_product"`
	RecipientType string `json:"recipient_type"`
	To            string `json:"to"`
	Recipient     string `json:"recipient"`
	Type          string `json:"type"`
	CallbackData  string `json:"biz_opaque_callback_data"`
	Context       *struct {
		MessageID string `json:"message_id"`
	} `json:"context"`
	Status    string `json:"status"`
	MessageID string `json:"message_id"`

	content map[string]json.RawMessage
}

func (s *Simulator) messages(w http.ResponseWriter, r *request) func() {
	var e envelope
	if json.Unmarshal(r.body, &e) != nil || json.Unmarshal(r.body, &e.content) != nil {
		s.fail(w, 400, 100, "Invalid parameter")
		return nil
	}
	if e.Product != "whatsapp" {
		s.fail(w, 400, 100, "Param messaging_product must be one of {WHATSAPP}")
		return nil
	}
	if e.Status != "" {
		s.markRead(w, e)
		return nil
	}
	s.mu.Lock()
	m, f := s.accept(s.numbers[r.path[0]], e, r.body)
	ladder := s.ladder
	s.mu.Unlock()
	if f != nil {
		f.write(w)
		return nil
	}
	if ladder.BeforeResponse {
		s.climb(m, ladder)
		_ = s.Drain(r.Context())
		answer(w, 200, m.response())
		return nil
	}
	fulfil := s.emitter.promise()
	answer(w, 200, m.response())
	return func() {
		s.climb(m, ladder)
		fulfil()
	}
}

// accept checks a message as Meta does and enters it in the ledger.
func (s *Simulator) accept(n *number, e envelope, body []byte) (*Accepted, *graphFailure) {
	if n.Status != "CONNECTED" {
		return nil, refusal(133010, "")
	}
	if e.Type == "" {
		e.Type = "text"
	}
	if f := s.checkContent(n, &e); f != nil {
		return nil, f
	}
	if len(e.CallbackData) > 512 {
		return nil, refusal(131009, "biz_opaque_callback_data is longer than 512")
	}
	if e.Context != nil && !strings.HasPrefix(e.Context.MessageID, "wamid.") {
		return nil, refusal(131009, "context.message_id is no message id")
	}
	m := &Accepted{Number: n.ID, Type: e.Type, ClientID: e.CallbackData, Body: body, At: s.now(), Input: e.To}
	if f := s.address(n, e, m); f != nil {
		return nil, f
	}
	if f := s.limit(n, m); f != nil {
		return nil, f
	}
	if code := s.untimely(n, m); code != 0 {
		if s.options.Window != "async" {
			return nil, refusal(code, "")
		}
		m.failWith = code
	}
	m.ID = s.wamid(m.WAID, outbound)
	s.ledger = append(s.ledger, m)
	s.accepted[m.ID] = m
	return m, nil
}

// address finds the receiver of a message.
func (s *Simulator) address(n *number, e envelope, m *Accepted) *graphFailure {
	switch {
	case e.RecipientType == "group":
		if !s.groups[e.To] {
			return refusal(131041, "")
		}
		m.Group = e.To
		return nil
	case e.To != "":
		digits := phoneDigits(e.To)
		if !isPhone(digits) {
			return refusal(131009, "to is no phone number")
		}
		if digits == n.Phone {
			return refusal(131021, "")
		}
		customer := s.customer(digits)
		m.WAID, m.UserID = customer.WAID, customer.UserID
	case e.Recipient != "":
		address, ok := s.userIDs[e.Recipient]
		if !ok {
			return refusal(131009, "recipient is no user id")
		}
		if e.Type == "template" && s.templateCategory(e) == "AUTHENTICATION" {
			return refusal(131062, "")
		}
		m.Input, m.WAID, m.UserID, m.byUserID = e.Recipient, address, e.Recipient, true
	default:
		return refusal(131008, "one of to and recipient is required")
	}
	if n.blocked[m.WAID] {
		return refusal(130403, "")
	}
	return nil
}

// untimely returns the code of what keeps a well-formed message from this person.
func (s *Simulator) untimely(n *number, m *Accepted) int {
	if m.Group != "" {
		return 0
	}
	if c := s.customers[m.WAID]; c != nil && c.NotOnWhatsApp {
		return 131026
	}
	open := s.now().Sub(n.heard[m.WAID]) < 24*time.Hour
	if s.options.Window != "off" && m.Type != "template" && !open {
		return 131047
	}
	return 0
}

func (s *Simulator) markRead(w http.ResponseWriter, e envelope) {
	s.mu.Lock()
	in, known := s.inbound[e.MessageID]
	if known && e.Status == "read" {
		in.read = true
		s.inbound[e.MessageID] = in
	}
	s.mu.Unlock()
	if !known || e.Status != "read" {
		refusal(131009, "message_id is not a message that was received").write(w)
		return
	}
	success(w)
}

// limits counts what was sent. Kept apart from the connector's own limiter, which must not be tested
// against itself.
type limits struct {
	second []time.Time
	debt   map[string]time.Duration // towards each person: six seconds for each message
	at     map[string]time.Time     // when the debt was that high
}

func (s *Simulator) limit(n *number, m *Accepted) *graphFailure {
	if s.options.NoLimits {
		return nil
	}
	now, l := s.now(), &n.limits
	for len(l.second) > 0 && now.Sub(l.second[0]) >= time.Second {
		l.second = l.second[1:]
	}
	most := 80
	switch {
	case n.Coexistence:
		most = 20
	case n.HighThroughput:
		most = 1000
	}
	if len(l.second) >= most {
		return refusal(130429, "")
	}
	to := m.WAID + m.Group
	debt := max(0, l.debt[to]-now.Sub(l.at[to]))
	if debt > 44*6*time.Second {
		return refusal(131056, "")
	}
	l.debt[to], l.at[to] = debt+6*time.Second, now
	l.second = append(l.second, now)
	return nil
}

// refusal is an error of a send with the status that Meta's table gives its code.
func refusal(code int, details string) *graphFailure {
	status := 400
	switch code {
	case 132001:
		status = 404
	case 131031, 131005:
		status = 403
	}
	return &graphFailure{status: status, code: code, title: titles[code], details: cmp.Or(details, explanations[code])}
}

// explanations are the details that error_data gives for codes that need no others.
var explanations = map[int]string{
	131026: "Message undeliverable.",
	131047: "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
}

// titles name the codes that the simulator answers with.
var titles = map[int]string{
	1:      "An unknown error occurred",
	2:      "Service temporarily unavailable",
	4:      "Application request limit reached",
	10:     "Application does not have permission for this action",
	100:    "Invalid parameter",
	190:    "Invalid OAuth access token",
	80007:  "Rate limit issues",
	130403: "User is blocked",
	130429: "Rate limit hit",
	131000: "Something went wrong",
	131008: "Required parameter is missing",
	131009: "Parameter value is not valid",
	131016: "Service unavailable",
	131021: "Recipient cannot be sender",
	131026: "Message undeliverable",
	131041: "Group unknown",
	131042: "Business eligibility payment issue",
	131047: "Re-engagement message",
	131051: "Message type unknown",
	131053: "Media upload error",
	131056: "Pair rate limit hit",
	131057: "Account in maintenance mode",
	131062: "Recipient must be a phone number",
	132000: "Number of parameters does not match the expected number of params",
	132001: "Template name does not exist in the translation",
	132012: "Parameter format does not match format in the created template",
	132015: "Template is paused",
	132018: "Template parameter validation failed",
	133010: "Phone number not registered",
}
