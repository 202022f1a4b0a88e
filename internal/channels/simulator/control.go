package simulator

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// controlRoutes is the HTTP side of the methods that steer a simulator, for use from another process.
// Every answer is JSON; a wrong request is 400 with {"error": "..."}.
func (s *Simulator) controlRoutes() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]func(r *http.Request) (any, error){
		"POST /_control/messages":         s.controlMessages(s.Receive),
		"POST /_control/echoes":           s.controlMessages(s.Echo),
		"POST /_control/edits":            s.controlEdit,
		"POST /_control/revokes":          s.controlRevoke,
		"POST /_control/statuses":         s.controlStatus,
		"POST /_control/number-changes":   s.controlNumberChange,
		"POST /_control/pushes":           s.controlPush,
		"POST /_control/raw":              s.controlRaw,
		"GET /_control/ledger":            s.controlLedger,
		"GET /_control/repeated":          func(*http.Request) (any, error) { return s.Repeated(), nil },
		"GET /_control/deliveries":        func(*http.Request) (any, error) { return s.Deliveries(), nil },
		"POST /_control/faults":           s.controlFault,
		"DELETE /_control/faults":         func(*http.Request) (any, error) { s.ClearFaults(); return nil, nil },
		"GET /_control/presets":           func(*http.Request) (any, error) { return Presets(), nil },
		"PUT /_control/ladder":            s.controlLadder,
		"PUT /_control/delivery":          s.controlDelivery,
		"POST /_control/pause":            func(*http.Request) (any, error) { s.Pause(); return nil, nil },
		"POST /_control/resume":           func(*http.Request) (any, error) { s.Resume(); return nil, nil },
		"POST /_control/drain":            func(r *http.Request) (any, error) { return nil, s.Drain(r.Context()) },
		"POST /_control/reset":            func(*http.Request) (any, error) { s.Reset(); return nil, nil },
		"POST /_control/clock":            s.controlClock,
		"GET /_control/clock":             func(*http.Request) (any, error) { return map[string]any{"now": s.Now()}, nil },
		"PUT /_control/token":             s.controlToken,
		"PUT /_control/customers/{phone}": s.controlCustomer,
		"POST /_control/templates":        s.controlTemplate,
		"PUT /_control/template-status":   s.controlTemplateStatus,
		"POST /_control/numbers":          s.controlNumber,
		"PUT /_control/callback":          s.controlCallback,
		"PUT /_control/number-status":     s.controlNumberStatus,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			out, err := serve(r)
			status := http.StatusOK
			if err != nil {
				status, out = http.StatusBadRequest, map[string]any{"error": err.Error()}
			} else if out == nil {
				out = map[string]any{"ok": true}
			}
			answer(w, status, out)
		})
	}
	return mux
}

// read decodes a request strictly: a mistyped field is an error, not a setting ignored.
func read[T any](r *http.Request) (T, error) {
	var v T
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(&v)
	return v, err
}

// controlMessages takes one message or a list.
func (s *Simulator) controlMessages(inject func(...Inbound) ([]string, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(strings.TrimSpace(string(body)), "[") {
			body = append(append([]byte("["), body...), ']')
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		messages, err := read[[]Inbound](r)
		if err != nil {
			return nil, err
		}
		ids, err := inject(messages...)
		return map[string]any{"ids": ids}, err
	}
}

func (s *Simulator) controlEdit(r *http.Request) (any, error) {
	in, err := read[struct{ ID, Text string }](r)
	if err != nil {
		return nil, err
	}
	id, err := s.Edit(in.ID, in.Text)
	return map[string]any{"id": id}, err
}

func (s *Simulator) controlRevoke(r *http.Request) (any, error) {
	in, err := read[struct{ ID string }](r)
	if err != nil {
		return nil, err
	}
	id, err := s.Revoke(in.ID)
	return map[string]any{"id": id}, err
}

func (s *Simulator) controlStatus(r *http.Request) (any, error) {
	in, err := read[struct {
		ID, Status string
		Code       int
	}](r)
	if err != nil {
		return nil, err
	}
	return nil, s.Status(in.ID, in.Status, in.Code)
}

func (s *Simulator) controlNumberChange(r *http.Request) (any, error) {
	in, err := read[struct{ Number, From, To string }](r)
	if err != nil {
		return nil, err
	}
	return s.ChangeNumber(in.Number, in.From, in.To)
}

func (s *Simulator) controlPush(r *http.Request) (any, error) {
	in, err := read[struct {
		Number, Field string
		Value         json.RawMessage
	}](r)
	if err != nil {
		return nil, err
	}
	return nil, s.Push(in.Number, in.Field, in.Value)
}

func (s *Simulator) controlRaw(r *http.Request) (any, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	return nil, s.PushRaw(r.URL.Query().Get("number"), body)
}

func (s *Simulator) controlLedger(r *http.Request) (any, error) {
	return s.Ledger(strings.TrimPrefix(r.URL.Query().Get("recipient"), "+")), nil
}

func (s *Simulator) controlFault(r *http.Request) (any, error) {
	f, err := read[Fault](r)
	if err != nil {
		return nil, err
	}
	return nil, s.AddFault(f)
}

func (s *Simulator) controlLadder(r *http.Request) (any, error) {
	l, err := read[Ladder](r)
	if err != nil {
		return nil, err
	}
	return nil, s.SetLadder(l)
}

func (s *Simulator) controlDelivery(r *http.Request) (any, error) {
	d, err := read[Delivery](r)
	if err == nil {
		s.SetDelivery(d)
	}
	return nil, err
}

func (s *Simulator) controlClock(r *http.Request) (any, error) {
	in, err := read[struct{ Advance string }](r)
	if err != nil {
		return nil, err
	}
	d, err := time.ParseDuration(in.Advance)
	if err != nil {
		return nil, err
	}
	s.Advance(d)
	return map[string]any{"now": s.Now()}, nil
}

func (s *Simulator) controlToken(r *http.Request) (any, error) {
	in, err := read[struct{ Token, State string }](r)
	if err != nil {
		return nil, err
	}
	if in.Token == "" {
		in.Token = s.options.Token
	}
	return nil, s.SetToken(in.Token, in.State)
}

func (s *Simulator) controlCustomer(r *http.Request) (any, error) {
	in, err := read[struct {
		Name, Username string
		HidePhone      bool `json:"hide_phone"`
		NotOnWhatsApp  bool `json:"not_on_whatsapp"`
	}](r)
	if err != nil {
		return nil, err
	}
	return s.SetCustomer(r.PathValue("phone"), func(c *Customer) {
		c.Name, c.Username, c.HidePhone, c.NotOnWhatsApp = in.Name, in.Username, in.HidePhone, in.NotOnWhatsApp
	}), nil
}

func (s *Simulator) controlTemplate(r *http.Request) (any, error) {
	t, err := read[Template](r)
	if err != nil {
		return nil, err
	}
	return s.AddTemplate(t), nil
}

func (s *Simulator) controlTemplateStatus(r *http.Request) (any, error) {
	in, err := read[struct{ Name, Language, Status string }](r)
	if err != nil {
		return nil, err
	}
	return nil, s.DecideTemplate(in.Name, in.Language, in.Status)
}

func (s *Simulator) controlNumber(r *http.Request) (any, error) {
	n, err := read[Number](r)
	if err != nil {
		return nil, err
	}
	return nil, s.AddNumber(n)
}

func (s *Simulator) controlCallback(r *http.Request) (any, error) {
	in, err := read[struct{ Number, URL string }](r)
	if err != nil {
		return nil, err
	}
	return nil, s.SetCallback(in.Number, in.URL)
}

func (s *Simulator) controlNumberStatus(r *http.Request) (any, error) {
	in, err := read[struct{ Number, Status string }](r)
	if err != nil {
		return nil, err
	}
	return nil, s.SetNumberStatus(in.Number, in.Status)
}
