package simulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// number is a Number with what happened to it.
type number struct {
	Number
	override string
	heard    map[string]time.Time // when each customer last wrote
	blocked  map[string]bool
	about    map[string]any
	limits   limits
}

// AddNumber gives the simulator one more number. Its id must be digits.
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
	if n.WABAID == "" {
		n.WABAID = DefaultWABAID
	}
	if n.Status == "" {
		n.Status = "CONNECTED"
	}
	if s.numbers[n.ID] == nil {
		s.order = append(s.order, n.ID)
	}
	s.numbers[n.ID] = &number{
		Number: n, heard: map[string]time.Time{}, blocked: map[string]bool{}, about: map[string]any{},
		limits: limits{debt: map[string]time.Duration{}, at: map[string]time.Time{}},
	}
	if s.accounts[n.WABAID] == nil {
		s.accounts[n.WABAID] = &account{}
	}
	if n.CallbackURL != "" {
		s.accounts[n.WABAID].subscribed = true
	}
}

// SetCallback points the webhooks of a number at an address and subscribes its account, as a person
// would in Meta's dashboard. No handshake takes place.
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

// SetNumberStatus makes a number CONNECTED, BANNED, DISCONNECTED...
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
	return map[string]any{
		"id": n.ID, "display_phone_number": display(n.Phone), "verified_name": n.Name, "status": n.Status,
		"quality_rating": "GREEN", "code_verification_status": "VERIFIED", "name_status": "APPROVED",
		"throughput": map[string]any{"level": n.throughput()}, "whatsapp_business_manager_messaging_limit": "TIER_250",
		"webhook_configuration": map[string]any{"phone_number": n.override},
	}
}

func (n *number) throughput() string {
	if n.HighThroughput {
		return "HIGH"
	}
	return "STANDARD"
}

// display formats a Brazilian number as Meta does, others with a plus alone.
func display(digits string) string {
	if len(digits) == 13 && strings.HasPrefix(digits, "55") {
		return "+55 " + digits[2:4] + " " + digits[4:9] + "-" + digits[9:]
	}
	return "+" + digits
}

func (s *Simulator) showNumber(w http.ResponseWriter, r *request) func() {
	s.mu.Lock()
	node := s.numbers[r.path[0]].node()
	s.mu.Unlock()
	fields := r.URL.Query().Get("fields")
	if fields == "" {
		fields = "display_phone_number,verified_name,quality_rating"
	}
	picked := map[string]any{"id": node["id"]}
	for field := range strings.SplitSeq(fields, ",") {
		value, ok := node[field]
		if !ok {
			refusal(100, "Tried accessing nonexisting field ("+field+")").write(w)
			return nil
		}
		picked[field] = value
	}
	answer(w, 200, picked)
	return nil
}

// overrideNumber sets the callback address of one number. A PIN, which the same call sets, is forgotten.
func (s *Simulator) overrideNumber(w http.ResponseWriter, r *request) func() {
	var in struct {
		Configuration *override `json:"webhook_configuration"`
	}
	if json.Unmarshal(r.body, &in) != nil {
		refusal(100, "").write(w)
		return nil
	}
	if in.Configuration != nil {
		if f := s.handshake(r.Context(), *in.Configuration); f != nil {
			f.write(w)
			return nil
		}
		s.mu.Lock()
		s.numbers[r.path[0]].override = in.Configuration.Address
		s.mu.Unlock()
	}
	success(w)
	return nil
}

func (s *Simulator) register(w http.ResponseWriter, r *request) func() {
	status := "DISCONNECTED"
	if r.path[1] == "register" {
		var in struct {
			Pin string `json:"pin"`
		}
		if json.Unmarshal(r.body, &in) != nil || len(in.Pin) != 6 {
			refusal(131008, "pin must have six digits").write(w)
			return nil
		}
		status = "CONNECTED"
	}
	s.mu.Lock()
	s.numbers[r.path[0]].Status = status
	s.mu.Unlock()
	success(w)
	return nil
}

func (s *Simulator) profile(w http.ResponseWriter, r *request) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.numbers[r.path[0]]
	if r.Method == http.MethodGet {
		answer(w, 200, map[string]any{"data": []any{n.about}})
		return nil
	}
	if json.Unmarshal(r.body, &n.about) != nil {
		refusal(100, "").write(w)
		return nil
	}
	success(w)
	return nil
}

func (s *Simulator) blockUsers(w http.ResponseWriter, r *request) func() {
	var in struct {
		Users []struct {
			User string `json:"user"`
		} `json:"block_users"`
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.numbers[r.path[0]]
	if r.Method == http.MethodGet {
		data := []any{}
		for address := range n.blocked {
			data = append(data, map[string]any{"wa_id": address})
		}
		answer(w, 200, map[string]any{"data": data})
		return nil
	}
	if json.Unmarshal(r.body, &in) != nil || len(in.Users) == 0 {
		refusal(131008, "block_users").write(w)
		return nil
	}
	done := []any{}
	for _, u := range in.Users {
		c := s.customer(phoneDigits(u.User))
		if s.now().Sub(n.heard[c.WAID]) >= 24*time.Hour && r.Method == http.MethodPost {
			refusal(131047, "").write(w)
			return nil
		}
		n.blocked[c.WAID] = r.Method == http.MethodPost
		done = append(done, map[string]any{"input": u.User, "wa_id": c.WAID})
	}
	key := "added_users"
	if r.Method == http.MethodDelete {
		key = "removed_users"
	}
	answer(w, 200, map[string]any{"messaging_product": "whatsapp", "block_users": map[string]any{key: done}})
	return nil
}
