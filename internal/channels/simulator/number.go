package simulator

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"
)

// number is a Number and its state.
type number struct {
	Number
	override string
	lastSeen map[string]time.Time // when each customer last wrote
	blocked  map[string]bool
	about    map[string]any
	limits   limits
	added    time.Time
	history  *History        // of the WhatsApp Business app; nil: defaultHistory
	imports  map[string]bool // requested, by type
}

// AddNumber adds a number. Its id must consist of digits.
func (s *Simulator) AddNumber(n Number) error {
	if n.ID == "" || strings.Trim(n.ID, "0123456789") != "" || !isPhone(n.Phone) {
		return errors.New("a number needs an id and a phone, both in digits")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addNumber(n)
	return nil
}

func (s *Simulator) addNumber(n Number) {
	n.WABAID = cmp.Or(n.WABAID, DefaultWABAID)
	n.Status = cmp.Or(n.Status, "CONNECTED")
	if s.numbers[n.ID] == nil {
		s.order = append(s.order, n.ID)
	}
	s.numbers[n.ID] = &number{
		Number: n, added: s.now(), imports: map[string]bool{}, lastSeen: map[string]time.Time{}, blocked: map[string]bool{}, about: map[string]any{},
		limits: limits{debt: map[string]time.Duration{}, debtAt: map[string]time.Time{}},
	}
	if s.accounts[n.WABAID] == nil {
		s.accounts[n.WABAID] = &account{}
	}
	if n.CallbackURL != "" {
		s.accounts[n.WABAID].subscribed = true
	}
}

// SetCallback sets the webhook address of a number and subscribes its account, as a person would in
// Meta's dashboard. The address is not verified.
func (s *Simulator) SetCallback(numberID, address string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.numberOrFirst(numberID)
	if err != nil {
		return err
	}
	n.CallbackURL = address
	s.accounts[n.WABAID].subscribed = true
	return nil
}

// SetNumberStatus sets the status of a number: CONNECTED, BANNED, DISCONNECTED and so on.
func (s *Simulator) SetNumberStatus(numberID, status string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.numberOrFirst(numberID)
	if err == nil {
		n.Status = status
	}
	return err
}

func (s *Simulator) numberOrFirst(id string) (*number, error) {
	if id == "" {
		id = s.order[0]
	}
	if n := s.numbers[id]; n != nil {
		return n, nil
	}
	return nil, fmt.Errorf("there is no number %s", id)
}

func (n *number) node() map[string]any {
	throughput := "STANDARD"
	if n.HighThroughput {
		throughput = "HIGH"
	}
	return map[string]any{
		"id": n.ID, "display_phone_number": display(n.Phone), "verified_name": n.Name, "status": n.Status,
		"quality_rating": "GREEN", "code_verification_status": "VERIFIED", "name_status": "APPROVED",
		"throughput": map[string]any{"level": throughput}, "whatsapp_business_manager_messaging_limit": "TIER_250",
		"webhook_configuration": map[string]any{"phone_number": n.override},
	}
}

// display formats a Brazilian number as Meta does. It only adds a plus to others.
func display(digits string) string {
	if len(digits) == 13 && strings.HasPrefix(digits, "55") {
		return "+55 " + digits[2:4] + " " + digits[4:9] + "-" + digits[9:]
	}
	return "+" + digits
}

func (s *Simulator) showNumber(r *request) (any, *graphFailure) {
	s.mu.Lock()
	node := s.numbers[r.path[0]].node()
	s.mu.Unlock()
	fields := cmp.Or(r.URL.Query().Get("fields"), "display_phone_number,verified_name,quality_rating")
	picked := map[string]any{"id": node["id"]}
	for field := range strings.SplitSeq(fields, ",") {
		value, ok := node[field]
		if !ok {
			return nil, refusal(100, "Tried accessing nonexisting field ("+field+")")
		}
		picked[field] = value
	}
	return picked, nil
}

// overrideNumber sets the callback address of one number. It ignores the PIN that the same call can set.
func (s *Simulator) overrideNumber(r *request) (any, *graphFailure) {
	var in struct {
		Configuration *override `json:"webhook_configuration"`
	}
	if json.Unmarshal(r.body, &in) != nil {
		return nil, refusal(100, "")
	}
	if in.Configuration != nil {
		if f := s.handshake(r.Context(), *in.Configuration); f != nil {
			return nil, f
		}
		s.mu.Lock()
		s.numbers[r.path[0]].override = in.Configuration.Address
		s.mu.Unlock()
	}
	return success, nil
}

func (s *Simulator) register(r *request) (any, *graphFailure) {
	status := "DISCONNECTED"
	if r.path[1] == "register" {
		var in struct {
			Pin string `json:"pin"`
		}
		if json.Unmarshal(r.body, &in) != nil || len(in.Pin) != 6 {
			return nil, refusal(131008, "pin must have six digits")
		}
		status = "CONNECTED"
	}
	s.mu.Lock()
	s.numbers[r.path[0]].Status = status
	s.mu.Unlock()
	return success, nil
}

func (s *Simulator) profile(r *request) (any, *graphFailure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.numbers[r.path[0]]
	if r.Method == http.MethodGet {
		return map[string]any{"data": []any{maps.Clone(n.about)}}, nil
	}
	if json.Unmarshal(r.body, &n.about) != nil {
		return nil, refusal(100, "")
	}
	return success, nil
}

func (s *Simulator) blockUsers(r *request) (any, *graphFailure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.numbers[r.path[0]]
	if r.Method == http.MethodGet {
		data := []any{}
		for address := range n.blocked {
			data = append(data, map[string]any{"wa_id": address})
		}
		return map[string]any{"data": data}, nil
	}
	var in struct {
		Users []struct {
			User string `json:"user"`
		} `json:"block_users"`
	}
	if json.Unmarshal(r.body, &in) != nil || len(in.Users) == 0 {
		return nil, refusal(131008, "block_users")
	}
	done := []any{}
	for _, u := range in.Users {
		c := s.customer(phoneDigits(u.User))
		if s.now().Sub(n.lastSeen[c.WAID]) >= 24*time.Hour && r.Method == http.MethodPost {
			return nil, refusal(131047, "")
		}
		n.blocked[c.WAID] = r.Method == http.MethodPost
		done = append(done, map[string]any{"input": u.User, "wa_id": c.WAID})
	}
	key := "added_users"
	if r.Method == http.MethodDelete {
		key = "removed_users"
	}
	return map[string]any{"messaging_product": "whatsapp", "block_users": map[string]any{key: done}}, nil
}
