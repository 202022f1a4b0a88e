package simulator

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// control serves one control route. A nil response becomes {"ok": true}.
type control func(r *http.Request) (any, error)

// controlRoutes serves the methods that steer a simulator to other processes.
// Every response is JSON; an invalid request gets 400 with {"error": "..."}.
func (s *Simulator) controlRoutes() http.Handler {
	mux := http.NewServeMux()
	for pattern, serve := range map[string]control{
		"POST /_control/messages":         controlMessages(s.Receive),
		"POST /_control/echoes":           controlMessages(s.Echo),
		"POST /_control/raw":              s.controlRaw,
		"GET /_control/ledger":            s.controlLedger,
		"PUT /_control/customers/{phone}": s.controlCustomer,
		"GET /_control/repeated":          func(*http.Request) (any, error) { return s.Repeated(), nil },
		"GET /_control/deliveries":        func(*http.Request) (any, error) { return s.Deliveries(), nil },
		"GET /_control/presets":           func(*http.Request) (any, error) { return Presets(), nil },
		"GET /_control/clock":             func(*http.Request) (any, error) { return s.controlNow(), nil },
		"DELETE /_control/faults":         action(s.ClearFaults),
		"POST /_control/pause":            action(s.Pause),
		"POST /_control/resume":           action(s.Resume),
		"POST /_control/reset":            action(s.Reset),
		"POST /_control/drain":            func(r *http.Request) (any, error) { return nil, s.Drain(r.Context()) },
		"POST /_control/edits": withBody(func(in struct{ ID, Text string }) (any, error) {
			id, err := s.Edit(in.ID, in.Text)
			return map[string]any{"id": id}, err
		}),
		"POST /_control/revokes": withBody(func(in struct{ ID string }) (any, error) {
			id, err := s.Revoke(in.ID)
			return map[string]any{"id": id}, err
		}),
		"POST /_control/statuses": withBody(func(in struct {
			ID, Status string
			Code       int
		},
		) (any, error) {
			return nil, s.Status(in.ID, in.Status, in.Code)
		}),
		"POST /_control/number-changes": withBody(func(in struct{ Number, From, To string }) (any, error) {
			return s.ChangeNumber(in.Number, in.From, in.To)
		}),
		"POST /_control/pushes": withBody(func(in struct {
			Number, Field string
			Value         json.RawMessage
		},
		) (any, error) {
			return nil, s.Push(in.Number, in.Field, in.Value)
		}),
		"POST /_control/faults":    withBody(func(f Fault) (any, error) { return nil, s.AddFault(f) }),
		"PUT /_control/ladder":     withBody(func(l Ladder) (any, error) { return nil, s.SetLadder(l) }),
		"PUT /_control/delivery":   withBody(func(d Delivery) (any, error) { s.SetDelivery(d); return nil, nil }),
		"POST /_control/numbers":   withBody(func(n Number) (any, error) { return nil, s.AddNumber(n) }),
		"POST /_control/templates": withBody(func(t Template) (any, error) { return s.AddTemplate(t), nil }),
		"POST /_control/clock": withBody(func(in struct{ Advance string }) (any, error) {
			d, err := time.ParseDuration(in.Advance)
			if err != nil {
				return nil, err
			}
			s.Advance(d)
			return s.controlNow(), nil
		}),
		"PUT /_control/token": withBody(func(in struct{ Token, State string }) (any, error) {
			if in.Token == "" {
				in.Token = s.options.Token
			}
			return nil, s.SetToken(in.Token, in.State)
		}),
		"PUT /_control/template-status": withBody(func(in struct{ Name, Language, Status, Reason string }) (any, error) {
			if in.Reason != "" {
				return nil, s.DecideTemplateFor(in.Name, in.Language, in.Status, in.Reason)
			}
			return nil, s.DecideTemplate(in.Name, in.Language, in.Status)
		}),
		"PUT /_control/template-quality": withBody(func(in struct{ Name, Language, Quality string }) (any, error) {
			return nil, s.SetTemplateQuality(in.Name, in.Language, in.Quality)
		}),
		"PUT /_control/template-review": withBody(func(r Review) (any, error) { return nil, s.SetReview(r) }),
		"PUT /_control/history": withBody(func(in struct {
			Number string `json:"number"`
			History
		},
		) (any, error) {
			return nil, s.SetHistory(in.Number, in.History)
		}),
		"PUT /_control/callback": withBody(func(in struct{ Number, URL string }) (any, error) {
			return nil, s.SetCallback(in.Number, in.URL)
		}),
		"PUT /_control/number-status": withBody(func(in struct{ Number, Status string }) (any, error) {
			return nil, s.SetNumberStatus(in.Number, in.Status)
		}),
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			out, err := serve(r)
			status := http.StatusOK
			if err != nil {
				status, out = http.StatusBadRequest, map[string]any{"error": err.Error()}
			} else if out == nil {
				out = map[string]any{"ok": true}
			}
			respond(w, status, out)
		})
	}
	return mux
}

func action(do func()) control {
	return func(*http.Request) (any, error) {
		do()
		return nil, nil
	}
}

func withBody[T any](serve func(T) (any, error)) control {
	return func(r *http.Request) (any, error) {
		in, err := decode[T](r.Body)
		if err != nil {
			return nil, err
		}
		return serve(in)
	}
}

// decode rejects unknown fields, so that a typo is an error.
func decode[T any](body io.Reader) (T, error) {
	var v T
	dec := json.NewDecoder(body)
	dec.DisallowUnknownFields()
	err := dec.Decode(&v)
	return v, err
}

// controlMessages accepts one message or a list.
func controlMessages(inject func(...Inbound) ([]string, error)) control {
	return func(r *http.Request) (any, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
			body = []byte("[" + string(body) + "]")
		}
		messages, err := decode[[]Inbound](bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		ids, err := inject(messages...)
		return map[string]any{"ids": ids}, err
	}
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

func (s *Simulator) controlNow() any { return map[string]any{"now": s.Now()} }

func (s *Simulator) controlCustomer(r *http.Request) (any, error) {
	in, err := decode[struct {
		Name, Username string
		HidePhone      bool `json:"hide_phone"`
		NotOnWhatsApp  bool `json:"not_on_whatsapp"`
	}](r.Body)
	if err != nil {
		return nil, err
	}
	return s.SetCustomer(r.PathValue("phone"), func(c *Customer) {
		c.Name, c.Username, c.HidePhone, c.NotOnWhatsApp = in.Name, in.Username, in.HidePhone, in.NotOnWhatsApp
	}), nil
}
