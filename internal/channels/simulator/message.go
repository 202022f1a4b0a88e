package simulator

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
)

// envelope is a message to send without its content.
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

func (s *Simulator) messages(r *request) (any, *graphFailure) {
	var e envelope
	if json.Unmarshal(r.body, &e) != nil || json.Unmarshal(r.body, &e.content) != nil {
		return nil, failure(400, 100, "Invalid parameter")
	}
	if e.Product != "whatsapp" {
		return nil, failure(400, 100, "Param messaging_product must be one of {WHATSAPP}")
	}
	if e.Status != "" {
		return s.markRead(e)
	}
	s.mu.Lock()
	m, f := s.accept(s.numbers[r.path[0]], e, r.body)
	ladder := s.ladder
	s.mu.Unlock()
	if f != nil {
		return nil, f
	}
	if ladder.BeforeResponse {
		s.reportStatuses(m, ladder)
		_ = s.Drain(r.Context())
		return m.response(), nil
	}
	done := s.emitter.expectUpdates()
	r.after = func() {
		s.reportStatuses(m, ladder)
		done()
	}
	return m.response(), nil
}

// accept checks a message as Meta does and adds it to the ledger.
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
		return nil, refusal(131009, "context.message_id is not a message id")
	}
	m := &Accepted{Number: n.ID, Type: e.Type, ClientID: e.CallbackData, Body: body, At: s.now(), Input: e.To}
	if e.Type == "template" {
		m.category = strings.ToLower(s.templateCategory(e))
	}
	if f := s.address(n, e, m); f != nil {
		return nil, f
	}
	if f := s.limit(n, m); f != nil {
		return nil, f
	}
	if code := s.undeliverable(n, m); code != 0 {
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

// address sets the recipient of a message.
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
			return refusal(131009, "to is not a phone number")
		}
		if digits == n.Phone {
			return refusal(131021, "")
		}
		customer := s.customer(digits)
		m.WAID, m.UserID = customer.WAID, customer.UserID
	case e.Recipient != "":
		address, ok := s.userIDs[e.Recipient]
		if !ok {
			return refusal(131009, "recipient is not a user id")
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

// undeliverable returns the error code of a valid message that cannot be delivered now, or 0.
func (s *Simulator) undeliverable(n *number, m *Accepted) int {
	if m.Group != "" {
		return 0
	}
	if c := s.customers[m.WAID]; c != nil && c.NotOnWhatsApp {
		return 131026
	}
	open := s.now().Sub(n.lastSeen[m.WAID]) < 24*time.Hour
	if s.options.Window != "off" && m.Type != "template" && !open {
		return 131047
	}
	return 0
}

func (s *Simulator) markRead(e envelope) (any, *graphFailure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, known := s.inbound[e.MessageID]
	if !known || e.Status != "read" {
		return nil, refusal(131009, "message_id is not a message that was received")
	}
	in.read = true
	s.inbound[e.MessageID] = in
	return success, nil
}

// limits counts sent messages. It shares no code with the connector's limiter, which is tested against it.
type limits struct {
	lastSecond []time.Time
	debt       map[string]time.Duration // for each recipient: six seconds per message
	debtAt     map[string]time.Time     // when debt was computed
}

func (s *Simulator) limit(n *number, m *Accepted) *graphFailure {
	if s.options.NoLimits {
		return nil
	}
	now, l := s.now(), &n.limits
	for len(l.lastSecond) > 0 && now.Sub(l.lastSecond[0]) >= time.Second {
		l.lastSecond = l.lastSecond[1:]
	}
	perSecond := 80
	switch {
	case n.Coexistence:
		perSecond = 20
	case n.HighThroughput:
		perSecond = 1000
	}
	if len(l.lastSecond) >= perSecond {
		return refusal(130429, "")
	}
	to := m.WAID + m.Group
	debt := max(0, l.debt[to]-now.Sub(l.debtAt[to]))
	if debt > 44*6*time.Second {
		return refusal(131056, "")
	}
	l.debt[to], l.debtAt[to] = debt+6*time.Second, now
	l.lastSecond = append(l.lastSecond, now)
	return nil
}

// refusal returns the error for a code of Meta's table.
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

// explanations are the default details of an error.
var explanations = map[int]string{
	131026: "Message undeliverable.",
	131047: "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
}

// titles are the messages of the error codes that the simulator uses.
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
