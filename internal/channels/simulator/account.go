package simulator

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// account is a WhatsApp Business account (WABA), the owner of numbers.
type account struct {
	subscribed bool
	override   string
}

func (s *Simulator) listNumbers(r *request) (any, *graphFailure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data := []any{}
	for _, id := range s.order {
		if n := s.numbers[id]; n.WABAID == r.path[0] {
			data = append(data, n.node())
		}
	}
	return map[string]any{"data": data, "paging": map[string]any{"cursors": map[string]any{}}}, nil
}

func (s *Simulator) showAccount(r *request) (any, *graphFailure) {
	return map[string]any{
		"id": r.path[0], "name": "Simulated account", "account_review_status": "APPROVED", "timezone_id": "25",
	}, nil
}

type override struct {
	Address     string `json:"override_callback_uri"`
	VerifyToken string `json:"verify_token"`
}

// handshake verifies a callback address, as Meta does before it accepts one.
func (s *Simulator) handshake(ctx context.Context, o override) *graphFailure {
	if o.Address == "" {
		return nil
	}
	s.mu.Lock()
	challenge := strconv.FormatUint(1158201444+s.nextID(), 10)
	s.mu.Unlock()
	query := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {challenge}, "hub.verify_token": {o.VerifyToken}}
	failure := &graphFailure{status: 400, code: 2200, title: "Callback verification failed"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.Address+"?"+query.Encode(), nil)
	if err != nil {
		failure.details = "the address is not usable"
		return failure
	}
	resp, err := s.options.HTTP.Do(req)
	if err != nil {
		failure.details = "the address did not respond"
		return failure
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
	if resp.StatusCode != 200 || string(body) != challenge {
		failure.details = fmt.Sprintf("HTTP status %d; the response is not the challenge", resp.StatusCode)
		return failure
	}
	return nil
}

func (s *Simulator) subscribedApps(r *request) (any, *graphFailure) {
	var o override
	if r.Method == http.MethodPost && len(r.body) > 0 && json.Unmarshal(r.body, &o) != nil {
		return nil, refusal(100, "")
	}
	if f := s.handshake(r.Context(), o); f != nil {
		return nil, f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[r.path[0]]
	if r.Method != http.MethodGet {
		a.subscribed, a.override = r.Method == http.MethodPost, o.Address
		return success, nil
	}
	data := []any{}
	if a.subscribed {
		app := map[string]any{"whatsapp_business_api_data": map[string]any{
			"id": "900000000000001", "name": "Simulated app", "link": "https://example.com",
		}}
		if a.override != "" {
			app["override_callback_uri"] = a.override
		}
		data = append(data, app)
	}
	return map[string]any{"data": data}, nil
}
